"""The machine that is installed on: its files below a root folder, its commands. The only part that touches it."""

from __future__ import annotations

import grp
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from installer.failures import told
from installer.layout import Placed

OPEN_FOLDER = 0o755


class InstallError(Exception):
    """Something cannot be done; the message says what, where and how to repair it."""


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
        self.remember: Callable[[], None] = lambda: None
        """Called before a folder is made, so that what is interrupted here is known all the same."""

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

    def talk(self, words: Sequence[str], *, told: str | None = None, listen: bool = False) -> bool:
        """Runs one of our own programs with the terminal; what it says of itself is shown.

        `told`: what it reads. `listen`: what it says is a change. Returns whether it had any. Raises InstallError.
        """
        done = subprocess.run(words, check=False, stdout=subprocess.PIPE if listen else None, input=told, text=True)
        if done.returncode:
            raise InstallError(f"`{' '.join(words)}` failed. Fix: as it says, then run ./install again")
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
            raise InstallError(f"{words[0]} is not on this machine. Fix: use Debian or Raspberry Pi OS") from error
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

    def keep(self, path: str, kept: str) -> None:
        """Gives a file a second name, under which it stays as it is, owner and rights too, when it is replaced."""
        here, other = self.at(path), self.at(kept)
        fresh = other.with_name(f".{other.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.hardlink_to(here)
        fresh.replace(other)
        # Where both were one file already, rename leaves both names.
        fresh.unlink(missing_ok=True)

    def holds(self, path: str) -> bool:
        """Returns whether anything has this name, be it a link to nothing."""
        return os.path.lexists(self.at(path))

    def is_one_file(self, path: str, other: str) -> bool:
        """Returns whether two names are of one file: what is kept has not been replaced yet."""
        here, there = self.at(path), self.at(other)
        return here.exists() and there.exists() and here.samefile(there)

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

    def remove_with_rest(self, path: str) -> None:
        """Removes a file or link, and what an interrupted run left of writing it."""
        self.remove(path)
        self.forget_rest(path)

    def forget_rest(self, path: str) -> None:
        """Removes what an interrupted run left of writing a file."""
        here = self.at(path)
        here.with_name(f".{here.name}.new").unlink(missing_ok=True)

    def forget_file(self, path: str) -> None:
        """Removes a file, without a word, and its folder if it is empty then."""
        self.at(path).unlink(missing_ok=True)
        self.forget_rest(path)
        self.prune([path.rpartition("/")[0]])

    def open_folder(self, path: str) -> None:
        """Lets everybody read and enter a folder that is there; a strict umask may have made it."""
        here = self.at(path)
        if here.is_dir() and here.stat().st_mode & 0o777 != OPEN_FOLDER:
            here.chmod(OPEN_FOLDER)
            self.note(f"opened {path} to those who run what lies there")

    def placed(self, path: str) -> Placed | None:
        """Returns a file as it stands, None if there is none."""
        text = self.read(path)
        if text is None:
            return None
        said = self.at(path).stat()
        group = "" if self.staged else grp.getgrgid(said.st_gid).gr_name
        return Placed(text, said.st_mode & 0o777, group)

    def make_folder(self, folder: Path) -> None:
        """Makes a folder and those above it, and remembers which were not there."""
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        if not missing:
            return
        self.folders += ["/" + str(place.relative_to(self.root)) for place in reversed(missing)]
        self.remember()
        folder.mkdir(parents=True, exist_ok=True)

    def prune(self, folders: Sequence[str]) -> None:
        """Removes those of these folders that are there and empty, the deepest first."""
        for folder in sorted(folders, key=len, reverse=True):
            here = self.at(folder)
            if here.is_dir() and not any(here.iterdir()):
                here.rmdir()
