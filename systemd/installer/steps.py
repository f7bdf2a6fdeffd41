"""Installing, upgrading and removing, step by step. Each step leaves alone what is as it should be."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from pathlib import Path

from controller.mqtt.broker_files import ACCESS, BRIDGE, PASSWORDS, SECRET, SETTINGS, File, club_files
from controller.mqtt.club import club_of
from installer import layout
from installer.failures import reason
from installer.layout import Feature, Placed
from installer.machine import InstallError, Machine
from installer.record import FILE, Record, digest, load, save

KEPT_VERSIONS = 2
"""The one in use and the one before it."""

BROUGHT = "CARROM_BROUGHT"
"""Where `install` says which packages it had to bring before this could run."""
QUIET = {"DEBIAN_FRONTEND": "noninteractive"}
REFUSED = re.compile(r"error processing package (\S+) \(--purge\):\n\s*(.+)")
"""How dpkg says that a package stays: its name and why."""

BEFORE, EDITED = ".before-carrom", ".edited"
"""Beside a file of ours: what stood there before us, and what somebody made of ours since."""


class Installation:
    """One run. `program`: the `carrom` that makes the configuration; `wheels`: a folder instead of the net."""

    def __init__(self, machine: Machine, *, program: str = layout.PROGRAM, wheels: str = "") -> None:
        self.machine = machine
        self.program = program
        self.wheels = wheels
        self.record = load(machine) or Record()
        self.restart: set[str] = set()

    # installing, upgrading --------------------------------------------------------------------------------------------

    def install(self, features: set[Feature], table: str, bundle: Path | None, *, ask: bool) -> None:
        """Brings the machine to where it should be. `bundle`: a folder that `carrom broker` made for this machine."""
        record = self.record
        wanted = features | set(record.features) or {"table"}
        record.features = [feature for feature in layout.FEATURES if feature in wanted]
        record.brought += os.environ.get(BROUGHT, "").split()
        save(self.machine, record)
        self._packages()
        self._users()
        self._program()
        self._broker(table, bundle)
        self._files()
        self._settings(table, ask=ask)
        save(self.machine, record)
        self._start()

    def _packages(self) -> None:
        record, machine = self.record, self.machine
        before = self._installed()
        missing = [name for name in layout.packages(record.features) if name not in before]
        if not missing:
            return
        users, groups = self._names("passwd"), self._names("group")
        machine.run("apt-get", "update", "-qq", env=QUIET)
        try:
            machine.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing, env=QUIET)
        finally:
            # With what they brought along, which apt would keep wherever another package merely suggests it.
            record.packages += sorted(self._installed() - before)
            record.users += sorted(self._names("passwd") - users)
            record.groups += sorted(self._names("group") - groups)
            save(machine, record)
        if not machine.staged:
            machine.note(f"installed {', '.join(missing)}")

    def _installed(self) -> set[str]:
        rows = self.machine.ask("dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n").splitlines()
        return {name for status, _, name in (row.partition(" ") for row in rows) if status == "installed"}

    def _names(self, kind: str) -> set[str]:
        """The users or groups of the machine."""
        return {line.split(":")[0] for line in (self.machine.read(f"/etc/{kind}") or "").splitlines()}

    def _users(self) -> None:
        record = self.record
        for kind, names, made in (
            ("passwd", layout.users(record.features), record.users),
            ("group", layout.GROUPS, record.groups),
        ):
            there = self._names(kind)
            made += [name for name in names if name not in there and name not in made]
        save(self.machine, record)
        path = "/etc/sysusers.d/carrom.conf"
        self._place(path, Placed(layout.sysusers(record.features)))
        self.machine.run("systemd-sysusers", path)

    def _program(self) -> None:
        machine, name = self.machine, layout.version_of()
        home = f"{layout.VERSIONS}/{name}"
        if not machine.at(f"{home}/complete").exists():
            # Half a version is what an interrupted run left.
            shutil.rmtree(machine.at(home), ignore_errors=True)
            machine.make_folder(machine.at(layout.HOME))
            for file, place in layout.source_files():
                target = machine.at(f"{home}/source/{file}")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(place, target)
            self._environment(home)
            machine.at(f"{home}/complete").touch()
            machine.note(f"made {home}")
        if machine.link(layout.CURRENT, f"versions/{name}"):
            self.restart |= set(layout.services(self.record.features))
        machine.link(f"{layout.HOME}/.venv", "current/venv")
        self._old_versions(name)

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

    def _old_versions(self, current: str) -> None:
        versions = self.machine.at(layout.VERSIONS)
        others = [place for place in versions.iterdir() if place.name != current]
        others.sort(key=lambda place: place.stat().st_mtime, reverse=True)
        for place in others[KEPT_VERSIONS - 1 :]:
            self.machine.remove(f"{layout.VERSIONS}/{place.name}")

    def _broker(self, table: str, bundle: Path | None) -> None:
        made = self._bundled(bundle) if bundle else self._made_here(table)
        if made is None:
            return
        wrote = [self._place(path, file) for path, file in layout.broker(made).items()]
        if any(wrote):
            self.restart |= {"mosquitto.service", *layout.services(self.record.features)}

    def _bundled(self, bundle: Path) -> dict[str, File]:
        names = (SETTINGS, ACCESS, PASSWORDS, BRIDGE, SECRET)
        found = {name: bundle / name for name in names if (bundle / name).is_file()}
        if not {SETTINGS, ACCESS, PASSWORDS} <= found.keys():
            raise InstallError(
                f"{bundle}: is no folder that `carrom broker` made. Mend: name broker/club or broker/tables/ID"
            )
        secret = (PASSWORDS, BRIDGE, SECRET)
        return {name: File(file.read_text(encoding="utf-8"), name in secret) for name, file in found.items()}

    def _made_here(self, table: str) -> dict[str, File] | None:
        """The files of a broker that stands alone; none where a bundle was installed before and is kept."""
        machine = self.machine
        alone = machine.at(layout.LIST).exists()
        if (
            not alone
            and machine.at(f"/etc/mosquitto/{ACCESS}").exists()
            and f"/etc/mosquitto/{ACCESS}" in self.record.files
        ):
            return None
        if not alone:
            machine.place(layout.LIST, Placed(layout.list_for(table)))
        club = club_of(machine.at(layout.LIST))
        known = _passwords_in(machine.read(layout.KNOWN_PASSWORDS) or "")
        passwords = {user: known.get(user) or secrets.token_urlsafe(16) for user in club.users}
        text = "".join(f"{user} {password}\n" for user, password in passwords.items())
        machine.place(layout.KNOWN_PASSWORDS, Placed(text, 0o600))
        made = club_files(club, passwords)
        if "table" in self.record.features:
            own = table if table in club.tables else club.tables[0]
            made[SECRET] = File(passwords[own] + "\n", secret=True)
        return made

    def _files(self) -> None:
        wanted = layout.files(self.record.features)
        for path, file in wanted.items():
            if self._place(path, file) and path.startswith(layout.UNITS):
                self.restart.add(path.rpartition("/")[2])
        links = layout.links(self.record.features)
        for path, target in links.items():
            self.machine.link(path, target)
        self.record.links = sorted({*self.record.links, *links})
        ours = {*wanted, *(path for path in self.record.files if path.startswith("/etc/mosquitto/"))}
        for path in [
            path for path in self.record.files if path not in ours and not path.startswith(layout.SETTINGS_FOLDER)
        ]:
            self.machine.remove(path)
            del self.record.files[path]

    def _place(self, path: str, file: Placed) -> bool:
        """Writes a file of ours; one that somebody else wrote, or has changed since, is kept beside it."""
        text = self.machine.read(path)
        if text is not None and text != file.text and digest(text) != self.record.files.get(path):
            ours = path in self.record.files
            kept = f"{path}{EDITED if ours else BEFORE}"
            if not ours:
                self.record.before[path] = kept
            self.machine.place(kept, Placed(text, file.mode, file.group))
            self.machine.say(f"{path} was not as it was installed; what stood there is kept in {kept}")
        wrote = self.machine.place(path, file)
        self.record.files[path] = digest(file.text)
        return wrote

    def _settings(self, table: str, *, ask: bool) -> None:
        machine = self.machine
        if "table" in self.record.features:
            out = str(machine.at(layout.CONFIG)) if machine.staged else layout.CONFIG
            there = machine.at(layout.CONFIG).exists()
            if there:
                words = [self.program, "init", "--migrate", "--out", out]
            else:
                words = [self.program, "init", "--out", out, "--table", table, *([] if ask else ["--yes"])]
            if machine.staged:
                words += ["--root", str(machine.root)]
            if machine.staged and self.program == layout.PROGRAM:
                machine.skipped.append(words)
            elif there:
                self.restart |= set(layout.SERVICES["table"]) if machine.talk(words, listen=True) else set()
            else:
                machine.talk(words)
                machine.note(f"wrote {layout.CONFIG}")
        if "hub" in self.record.features and not machine.at(layout.HUB_CONFIG).exists():
            machine.place(layout.HUB_CONFIG, Placed(layout.hub_settings()))

    def _start(self) -> None:
        machine = self.machine
        if not machine.manages_services:
            if not machine.staged:
                machine.say("systemd does not run here: the services start with the machine")
            return
        if machine.changed:
            machine.run("systemctl", "daemon-reload")
            if "table" in self.record.features:
                machine.run("udevadm", "control", "--reload")
                machine.run("udevadm", "trigger", "--subsystem-match=tty", "--subsystem-match=video4linux")
        for service in ("mosquitto.service", *layout.services(self.record.features)):
            if service in self.restart:
                machine.run("systemctl", "restart", service)
            else:
                machine.run("systemctl", "start", service)

    # removing ---------------------------------------------------------------------------------------------------------

    def remove(self, *, keep: bool) -> None:
        """Takes off all that was made. `keep`: but for settings, passwords and journal."""
        machine, record = self.machine, self.record
        if not machine.at(FILE).exists():
            machine.say("nothing of Carrom Umpire is installed here")
            return
        services = layout.services(record.features)
        if machine.manages_services:
            for service in services:
                machine.ask("systemctl", "disable", "--now", service)
        ours = [path for path in (*record.links, *record.files) if not (keep and _is_setting(path))]
        for path in ours:
            machine.remove(path)
            if path in record.before:
                machine.at(record.before[path]).replace(machine.at(path))
                machine.note(f"put back {path}")
            machine.remove(f"{path}{EDITED}")
        # A second run, after what follows has failed, must not take what was put back for ours.
        record.links, record.before = [], {}
        record.files = {path: text for path, text in record.files.items() if path not in ours}
        save(machine, record)
        # Before the program itself: what stops here is mended and then removed by this very installer.
        self._purge(record.packages)
        machine.remove(layout.RUNTIME)
        machine.remove(layout.HOME)
        if not keep:
            for folder in (layout.SETTINGS_FOLDER, layout.STATE, layout.KIOSK_STATE):
                machine.remove(folder)
        if machine.manages_services:
            machine.run("systemctl", "daemon-reload")
            machine.ask("systemctl", "reset-failed", *services)
            machine.ask("udevadm", "control", "--reload")
        if "mosquitto" not in record.packages and machine.manages_services:
            machine.ask("systemctl", "restart", "mosquitto.service")
        if not keep:
            self._forget("passwd", "userdel", record.users)
            self._forget("group", "groupdel", record.groups)
        machine.remove(FILE)
        machine.prune(record.folders)
        # Last of all: it is what runs here.
        self._purge(record.brought)

    def _purge(self, packages: list[str]) -> None:
        """Takes off packages that came with us. What somebody else's package needs by now stays, and is named."""
        there = self._installed()
        names = [name for name in packages if name in there]
        if not names:
            return
        code, wrote = self.machine.attempt("dpkg", "--purge", *names, env={"LC_ALL": "C", **QUIET})
        refused = dict(REFUSED.findall(wrote))
        needed = [name for name, why in refused.items() if why.startswith("dependency problems")]
        failed = {name: why for name, why in refused.items() if name not in needed}
        if failed or (code and not needed):
            why = "; ".join(f"{name}: {why}" for name, why in failed.items()) or reason(wrote)
            raise InstallError(
                f"packages could not be taken off ({why}). Mend: apt-get -f install, then ./install --remove again"
            )
        if needed:
            self.machine.say(f"left {', '.join(sorted(needed))}: other packages need them by now")

    def _forget(self, kind: str, command: str, names: list[str]) -> None:
        """Takes off users or groups; one that its package took along is gone already. Raises InstallError."""
        for name in names:
            if name not in self._names(kind):
                continue
            code, wrote = self.machine.attempt(command, name, env={"LC_ALL": "C"})
            if code:
                raise InstallError(
                    f"{command} {name}: {reason(wrote)}. Mend: end what still uses it, then ./install --remove again"
                )


def _is_setting(path: str) -> bool:
    return path.startswith(layout.SETTINGS_FOLDER)


def _passwords_in(text: str) -> dict[str, str]:
    return dict(pair for line in text.splitlines() if len(pair := line.split()) == 2)


def check_machine(machine: Machine) -> None:
    """Refuses what cannot work, before anything is changed. Raises InstallError."""
    said = dict(line.split("=", 1) for line in (machine.read("/etc/os-release") or "").splitlines() if "=" in line)
    names = f"{said.get('ID', '')} {said.get('ID_LIKE', '')}".replace('"', "").split()
    if not {"debian", "raspbian"} & set(names):
        raise InstallError("this is neither Debian nor Raspberry Pi OS. Mend: install on one of them")
    if not machine.staged and os.geteuid() != 0:
        raise InstallError("this needs root. Mend: sudo ./install")
    if not machine.staged and os.uname().machine not in ("aarch64", "x86_64"):
        raise InstallError(f"{os.uname().machine} is no 64 bit system. Mend: install the 64 bit Raspberry Pi OS")
