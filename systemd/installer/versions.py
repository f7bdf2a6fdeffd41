"""The program's versions below /opt/carrom: made whole before they are turned to, and the one before is kept."""

from __future__ import annotations

import shutil

from installer import layout
from installer.machine import InstallError
from installer.work import Work

OPEN = 0o055
"""Everybody may read and enter: the services' users are nobody's group."""


class Versions:
    """Those of one machine. `wheels`: a folder that Python's packages come from instead of the net."""

    def __init__(self, work: Work, wheels: str) -> None:
        self.work = work
        self.machine = work.machine
        self.wheels = wheels

    def make(self) -> bool:
        """Makes the version that stands in the repository and turns to it. Returns whether another was in use."""
        machine, name = self.machine, layout.version_of()
        home = f"{layout.VERSIONS}/{name}"
        runs = layout.has_program(self.work.record.features)
        if not self._is_whole(home, runs=runs):
            # Half a version is what an interrupted run left.
            shutil.rmtree(machine.at(home), ignore_errors=True)
            machine.make_folder(machine.at(layout.HOME))
            for file, place in layout.source_files():
                target = machine.at(f"{home}/source/{file}")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(place, target)
            if runs:
                self._environment(home)
            machine.at(f"{home}/complete").touch()
            machine.note(f"made {home}")
        for folder in (layout.HOME, layout.VERSIONS, layout.SETTINGS_FOLDER):
            machine.open_folder(folder)
        if runs:
            self._try_out(f"{home}/venv/bin/carrom")
        link = machine.at(layout.CURRENT)
        before = link.readlink().name if link.is_symlink() else ""
        if before != name:
            self.work.will_restart(*layout.services(self.work.record.features))
        machine.link(layout.CURRENT, f"versions/{name}")
        machine.link(f"{layout.HOME}/.venv", "current/venv")
        self._old_versions(name, before)
        return before not in ("", name)

    def _is_whole(self, home: str, *, runs: bool) -> bool:
        """Whether a version was made to its end, with all that is needed of it, and those who run it may read it."""
        machine = self.machine
        needed = ["source", *(["venv"] if runs and not machine.staged else [])]
        places = [machine.at(f"{home}/{name}") for name in needed]
        return machine.at(f"{home}/complete").exists() and all(
            place.is_dir() and place.stat().st_mode & OPEN == OPEN for place in (machine.at(home), *places)
        )

    def _try_out(self, program: str) -> None:
        """Starts the program as the services will, before they are turned over to it. Raises InstallError."""
        for command in ("run", "eyes"):
            self.machine.run("runuser", "-u", "carrom", "--", program, command, "--help")

    def _environment(self, home: str) -> None:
        venv, source = f"{home}/venv", f"{home}/source"
        self.machine.say("making the program's environment: some minutes on a Pi")
        self.machine.run("python3", "-m", "venv", venv)
        pip = (f"{venv}/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile")
        found = ("--no-index", "--find-links", self.wheels) if self.wheels else ()
        # Only what is built already: a Pi has no compiler, and would be half an hour over OpenCV if it had.
        self.machine.run(*pip, "--require-hashes", "--only-binary=:all:", *found, "-r", f"{source}/{layout.LOCK}")
        self.machine.run(*pip, "--no-deps", "--no-build-isolation", "--no-index", source)
        self.machine.run(f"{venv}/bin/python", "-m", "compileall", "-q", f"{venv}/lib")

    def _old_versions(self, current: str, before: str) -> None:
        """Leaves the version in use and the one before it: the one that was in use, else the newest that is whole."""
        versions = self.machine.at(layout.VERSIONS)
        others = [place for place in versions.iterdir() if place.name != current]
        whole = [place for place in others if (place / "complete").exists()]
        whole.sort(key=lambda place: (place.name == before, (place / "complete").stat().st_mtime), reverse=True)
        for place in others:
            if place not in whole[:1]:
                self.machine.remove(f"{layout.VERSIONS}/{place.name}")

    def back(self) -> str:
        """Returns the installer of the version before the one in use. Raises InstallError if there is none."""
        machine = self.machine
        link = machine.at(layout.CURRENT)
        current = link.readlink().name if link.is_symlink() else ""
        folder = machine.at(layout.VERSIONS)
        others = [place for place in folder.glob("*/complete") if place.parent.name != current]
        if not current or not others:
            raise InstallError("no version before this one is kept here. Fix: run ./install of the copy you want")
        newest = max(others, key=lambda place: place.stat().st_mtime)
        return f"{layout.VERSIONS}/{newest.parent.name}/source/install"
