"""Runs a command under strace in a network of its own and tells whom it called and what it wrote.

Where the machine allows no user namespaces it runs in the machine's own network: what it calls is seen all the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from pathlib import Path

ALONE = ("unshare", "--user", "--map-root-user", "--net")
CALLS = "trace=%network,?open,openat,?creat,?mkdir,mkdirat"
"""A call with `?` is not there on every processor."""
LIMIT_S = 240
CALLED = re.compile(r"^\d+ +(?:connect|sendto|sendmsg|sendmmsg)\(.*")
ADDRESS = re.compile(r'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"')
RESOLVER = re.compile(r'sun_path="([^"]*(?:resolve|nscd|avahi)[^"]*)"')
FILE = re.compile(r'^\d+ +(?:open|openat|creat|mkdir|mkdirat)\((?:AT_FDCWD(?:<[^>]*>)?, |\d+<([^>]*)>, )?"([^"]+)"(.*)')
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE|^, 0[0-7]+")


@dataclass(frozen=True, slots=True)
class Traced:
    """One run. `output`: standard output and error together."""

    code: int
    output: str
    lines: tuple[str, ...]

    @property
    def called(self) -> set[str]:
        """Whom it tried to reach over a network, as `address:port`, and which service it asked for names."""
        found: set[str] = set()
        for line in self.lines:
            if CALLED.match(line):
                found |= {f"{address}:{port}" for port, address in ADDRESS.findall(line)}
                found |= set(RESOLVER.findall(line))
        return found

    @property
    def abroad(self) -> set[str]:
        """Those of them that are not this machine itself, and everybody who is asked for names."""
        return {one for one in self.called if one.endswith(":53") or "/" in one or not _is_here(one)}

    @property
    def written(self) -> set[Path]:
        """Files and folders that it made or opened for writing, or tried to."""
        found = set()
        for line in self.lines:
            if (match := FILE.match(line)) and WRITING.search(match[3]):
                found.add(Path(match[1] or "/") / match[2])
        return found

    def loaded(self, name: str) -> bool:
        """Whether it opened a file with this in its path."""
        return any(name in line and " = -1 " not in line for line in self.lines if FILE.match(line))


def _is_here(address: str) -> bool:
    return ip_address(address.rpartition(":")[0]).is_loopback


@cache
def alone() -> tuple[str, ...]:
    """Returns what has a command run in a network with nobody in it; nothing where that is not allowed."""
    made = subprocess.run([*ALONE, "true"], capture_output=True, check=False)
    return ALONE if made.returncode == 0 else ()


def traced(folder: Path, arguments: Sequence[str]) -> Traced:
    """Runs Python with these arguments; home and temporary files are in `folder`, and nothing else of ours is told.

    What is set where tests run is left out: the nets' runtime is silent by itself where it takes itself for tested.
    """
    trace, homes = folder / "strace", folder / "homes"
    for name in ("home", "tmp", "cache", "config", "data", "state"):
        (homes / name).mkdir(parents=True)
    clean = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(homes / "home"),
        "TMPDIR": str(homes / "tmp"),
        **{f"XDG_{name.upper()}_HOME": str(homes / name) for name in ("cache", "config", "data", "state")},
    }
    watch = ("strace", "--follow-forks", "--seccomp-bpf", "--decode-fds=path", "-e", CALLS, "-o", str(trace))
    ended = subprocess.run(
        [*alone(), *watch, sys.executable, *arguments],
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return Traced(ended.returncode, ended.stdout, tuple(trace.read_text(errors="replace").splitlines()))
