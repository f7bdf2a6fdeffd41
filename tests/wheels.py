"""A lock's wheels for the Pi's architecture, had through pip on any machine.

`python -m tests.wheels VERSION FOLDER LOCK...` unpacks them into a folder, for a Python of that version on aarch64.
Their hashes are the lock's, and nothing is built.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.markers import Marker

MARKED = re.compile(r"^\S+==\S+ ; (?P<marker>.+?) \\$")
ROOT = Path(__file__).parents[1]
GLIBC = (17, 24, 26, 27, 28, 31, 34, 35, 36)
"""The C library of Debian 12 is 2.36; wheels name an older one, from the year in which they were first so built."""


def pip_for_a_pi(python: str, lock: Path, target: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Runs `pip install` of a lock's wheels for aarch64 and a Python (as "3.11") into a folder."""
    command = [sys.executable, "-m", "pip", "install", "-q", *more, "--ignore-installed"]
    # What a package requires of Python pip asks of the Python that it runs in.
    command += ["--ignore-requires-python", "--target", str(target), "--only-binary=:all:", "--require-hashes"]
    command += ["--python-version", python, "--implementation", "cp"]
    for kind in (f"cp{python.replace('.', '')}", "abi3", "none"):
        command += ["--abi", kind]
    for minor in reversed(GLIBC):
        command += ["--platform", f"manylinux_2_{minor}_aarch64"]
    command += ["--platform", "manylinux2014_aarch64"]
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lock.txt"
        lines.write_text(on_a_pi(python, lock.read_text(encoding="utf-8")), encoding="utf-8")
        return subprocess.run([*command, "-r", str(lines)], check=False, capture_output=True, text=True, cwd=ROOT)


def on_a_pi(python: str, lock: str) -> str:
    """Returns the lock without what it leaves out on a Pi with that Python: pip itself asks the Python it runs in."""
    pi = {"python_version": python, "python_full_version": f"{python}.0", "platform_machine": "aarch64"}
    kept, wanted = [], True
    for line in lock.splitlines():
        if not line.startswith(" "):
            marked = MARKED.match(line)
            wanted = marked is None or Marker(marked["marker"]).evaluate(pi)
        if wanted:
            kept.append(re.sub(r" ; .* \\$", r" \\", line))
    return "\n".join(kept) + "\n"


def main() -> int:
    """Unpacks the wheels of the locks that are named. Returns pip's exit code."""
    python, target, *locks = sys.argv[1:]
    for lock in locks:
        done = pip_for_a_pi(python, Path(lock), Path(target), "--no-deps")
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
