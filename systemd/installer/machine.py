"""The machine that is installed on: its files below a root folder, its commands. The only part that touches it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from installer.failures import told
from installer.layout import Placed


class InstallError(Exception):
    """Something cannot be done; the message says what, where and how to mend it."""


class Machine:
    """`root`: where its files lie. `staged`: nothing outside `root` is touched and no command is run, only noted."""

    def __init__(self, root: Path, *, staged: bool, say: Callable[[str], None] = print) -> None:
        self.root = root
        self.staged = staged
        self.say = say
        self.changed: list[str] = []
        self.skipped: list[Sequence[str]] = []
        """Commands that a staged machine would have run."""
        self.folders: list[str] = []
        """Folders that were made for files of ours."""

    def at(self, path: str) -> Path:
        """Returns where a path of the machine lies."""
        return self.root / path.lstrip("/")

    @property
    def manages_services(self) -> bool:
        """Whether systemd runs it: in a chroot or an image under construction it does not."""
        return not self.staged and Path("/run/systemd/system").is_dir()

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> None:
        """Runs a command. Raises InstallError with why it failed and the way out."""
        code, wrote = self.attempt(*words, env=env)
        if code:
            raise InstallError(told(words, code, wrote))

    def talk(self, words: Sequence[str], *, listen: bool = False) -> bool:
        """Runs one of our own programs with the terminal, since it may ask; what it says of itself is shown.

        `listen`: it asks nothing, and what it says is a change. Returns whether it said any. Raises InstallError.
        """
        done = subprocess.run(words, check=False, stdout=subprocess.PIPE if listen else None, text=True)
        if done.returncode:
            raise InstallError(f"`{' '.join(words)}` failed. Mend: as it says, then run ./install again")
        if listen and done.stdout.strip():
            self.note(done.stdout.strip())
        return listen and bool(done.stdout.strip())

    def attempt(self, *words: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Runs a command that may fail in more than one way; returns its exit code and all that it wrote."""
        if self.staged:
            self.skipped.append(words)
            return 0, ""
        # In English: what is looked for in what it writes would else be in the user's own language.
        spoken = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
        try:
            done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace", env=spoken)
        except FileNotFoundError as error:
            raise InstallError(f"{words[0]} is not on this machine. Mend: use Debian or Raspberry Pi OS") from error
        return done.returncode, done.stdout + done.stderr

    def ask(self, *words: str) -> str:
        """Runs a command whose failure is an answer: returns what it wrote, "" if it failed or is not there."""
        if self.staged:
            return ""
        try:
            done = subprocess.run(words, check=False, capture_output=True, text=True)
        except FileNotFoundError:
            return ""
        return "" if done.returncode else done.stdout

    def note(self, what: str) -> None:
        """Says one thing that was changed."""
        self.changed.append(what)
        self.say(what)

    def read(self, path: str) -> str | None:
        """Returns a file's text, None if there is none."""
        try:
            return self.at(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def place(self, path: str, wanted: Placed, *, silent: bool = False) -> bool:
        """Writes a file whole or not at all, with its rights; returns whether anything was different."""
        here = self.at(path)
        same = self.read(path) == wanted.text
        if same and here.stat().st_mode & 0o777 == wanted.mode:
            return False
        self.make_folder(here.parent)
        fresh = here.with_name(f".{here.name}.new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(wanted.text)
            stream.flush()
            os.fsync(stream.fileno())
        if wanted.group and not self.staged:
            shutil.chown(fresh, "root", wanted.group)
        fresh.chmod(wanted.mode)
        fresh.replace(here)
        if not silent:
            self.note(f"wrote {path}")
        return True

    def link(self, path: str, target: str) -> bool:
        """Makes a link, or turns it in one step; returns whether anything was different."""
        here = self.at(path)
        if here.is_symlink() and str(here.readlink()) == target:
            return False
        self.make_folder(here.parent)
        fresh = here.with_name(f".{here.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(target)
        fresh.replace(here)
        self.note(f"linked {path}")
        return True

    def remove(self, path: str) -> bool:
        """Removes a file, a link or a folder with all in it; returns whether there was one."""
        here = self.at(path)
        if here.is_symlink() or here.is_file():
            here.unlink()
        elif here.is_dir():
            shutil.rmtree(here)
        else:
            return False
        self.note(f"removed {path}")
        return True

    def make_folder(self, folder: Path) -> None:
        """Makes a folder and those above it, and remembers which were not there."""
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self.folders += ["/" + str(place.relative_to(self.root)) for place in reversed(missing)]

    def prune(self, folders: Sequence[str]) -> None:
        """Removes those of these folders that are there and empty, the deepest first."""
        for folder in sorted(folders, key=len, reverse=True):
            here = self.at(folder)
            if here.is_dir() and not any(here.iterdir()):
                here.rmdir()
