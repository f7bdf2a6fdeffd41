"""Installing, upgrading and removing, step by step. Each step leaves alone what is as it should be."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from pathlib import Path
from time import sleep

from controller.commands import questions
from installer import broker, layout
from installer.failures import told
from installer.layout import Feature, Placed
from installer.machine import InstallError, Machine
from installer.own_broker import PACKAGE, OwnBroker, bundled_in
from installer.versions import Versions
from installer.work import Work

PAGE = "CARROM_PAGE="
"""The line of the screen's settings."""
OWN_PAGE = re.compile(r"http://localhost:\d+/")
QUIET = {"DEBIAN_FRONTEND": "noninteractive"}
FOUND = re.compile(r"(?m)^(?:fail|warn) ")
"""A line of `carrom check` about which something is to be done."""
CHECKED = (0, 1)
"""How `carrom check` ends once it has tried all."""
SETTLED_S = 10.0
"""After a start the vision process opens the camera: until it has it, a check would take it away."""
NEW = re.compile(r"(?m)^Inst (\S+)")
"""How apt-get tells beforehand what it would install."""


class Installation(Work):
    """One run. `program`: the `carrom` that makes the configuration; `wheels`: a folder instead of the net."""

    def __init__(self, machine: Machine, *, program: str = layout.PROGRAM, wheels: str = "") -> None:
        super().__init__(machine)
        self.program = program
        self.wheels = wheels
        self.theirs = ""
        """Where somebody else has set up the broker of this machine; it stays as it is then."""

    def install(self, features: set[Feature], table: str, bundle: Path | None, *, ask: bool, page: str = "") -> None:
        """Brings the machine to where it should be. `bundle`: a folder that `carrom broker` made for this machine.

        `page`: what the machine's screen shows, its own scoreboard or what it was given before if empty.
        """
        record, machine = self.record, self.machine
        wanted = features | set(record.features) or {"table"}
        table = self._table(table)
        bundled = bundled_in(bundle) if bundle else None
        if layout.has_program(wanted):
            self.theirs = broker.theirs(machine, record.files) or self._foreign_port()
        if self.theirs and bundled:
            raise InstallError(
                f"the broker here is set up already ({self.theirs}). Fix: take what {bundle} says into its files, "
                "or move them away; then run ./install again"
            )
        if "kiosk" in wanted:
            page = page or self._page(wanted)
            if not page:
                raise InstallError(
                    "a screen alone has no page of its own to show. Fix: --kiosk --page http://TABLE.local:8080/"
                )
        # Whatever has to be asked is asked while nothing is changed; and never twice, should a later step fail.
        if "table" in wanted and not machine.at(layout.CONFIG).exists() and not record.answers:
            record.answers = self._answers(table, ask=ask)
        record.features = [feature for feature in layout.FEATURES if feature in wanted]
        self.take_over()
        self.save()
        self._packages()
        self._users()
        other = Versions(self, self.wheels).make()
        own = OwnBroker(self) if layout.has_program(record.features) and not self.theirs else None
        if own is not None:
            own.place(record.answers.get("id", table), bundled)
        self._files()
        self._settings()
        if "kiosk" in record.features and machine.read(layout.SCREEN) != f"{PAGE}{page}\n":
            self.will_restart("carrom-kiosk.service")
            machine.place(layout.SCREEN, Placed(f"{PAGE}{page}\n"))
        self.save()
        self._start(own)
        if other and "table" in record.features:
            self.check()

    def check(self) -> None:
        """Says how much `carrom check` finds, and how to see it; whatever that is, the machine is installed."""
        machine, words = self.machine, (self.program, "check", "--config", layout.CONFIG)
        if machine.staged or not machine.manages_services:
            machine.skipped.append(words)
            return
        sleep(SETTLED_S)
        try:
            code, wrote = machine.attempt(*words)
        except InstallError as error:
            code, wrote = CHECKED[-1] + 1, str(error)
        found = len(FOUND.findall(wrote))
        says = "nothing" if not found else "1 finding" if found == 1 else f"{found} findings"
        if code not in CHECKED:
            says = "it did not come to its end"
        machine.say(f"after this upgrade `carrom check` says: {says}. To see it: sudo carrom check")

    def _table(self, asked: str) -> str:
        """Returns the table's id: what is configured already stands. Raises InstallError where another is asked for."""
        there = configured_id(self.machine.read(layout.CONFIG) or "")
        if there and asked and asked != there:
            raise InstallError(
                f"--table {asked}: this table is called {there}. Fix: leave --table out; to rename it, write {asked} "
                f"into {layout.CONFIG} ([table] id and [mqtt] user) and {layout.LIST}, then run ./install"
            )
        return there or asked or layout.TABLE

    def _page(self, wanted: set[Feature]) -> str:
        """What the screen was given, else what this machine serves, on the port that is configured."""
        before = (self.machine.read(layout.SCREEN) or "").removeprefix(PAGE).strip()
        own = layout.page_of(wanted, configured_port(self.machine.read(layout.CONFIG) or ""))
        # The club's page on a machine with a table too was asked for.
        is_tables = OWN_PAGE.fullmatch(before) and before != layout.page_of({"hub"})
        return own if own and is_tables else before or own

    def _foreign_port(self) -> str:
        """Another program than mosquitto that serves as a broker here already."""
        alone = not self.machine.staged and PACKAGE not in self.installed() and questions.broker_here()
        return "another program listens on port 1883" if alone else ""

    def _answers(self, table: str, *, ask: bool) -> dict[str, str]:
        known, cameras = {"id": table}, []
        if not self.machine.staged:
            cameras = questions.found_cameras(self.machine.say)
            if any(Path("/dev").glob("ttyUSB*")) or any(Path("/dev").glob("ttyACM*")):
                # Who hangs there is asked when the program is there that can ask.
                known["pockets"] = "serial"
        if len(cameras) == 1:
            known["camera"] = cameras[0].answer
        # Without another's broker there will be one of ours.
        known["broker"] = "localhost"
        if self.theirs:
            self.machine.say(f"the broker here is set up already ({self.theirs}) and stays as it is")
        return questions.gather(
            lambda key: known.get(key, None if ask else ""), cameras, self.machine.say, guarded=bool(self.theirs)
        )

    def _packages(self) -> None:
        record, machine = self.record, self.machine
        before = self.installed()
        wanted = [name for name in layout.packages(record.features) if not (self.theirs and name == PACKAGE)]
        missing = [name for name in wanted if name not in before]
        if not missing:
            return
        if record.there:
            # A run was cut off here, perhaps with apt's lists; apt would keep them, as their server has nothing newer.
            shutil.rmtree(machine.at("/var/lib/apt/lists"), ignore_errors=True)
        else:
            record.there = {kind: sorted(self.names(kind)) for kind in ("passwd", "group")}
        self.save()
        update = ("apt-get", "update", "-qq")
        words = ("install", "-y", "-qq", "--no-install-recommends", *missing)
        try:
            code, fetched = machine.attempt(*update, env=QUIET)
            if code:
                raise InstallError(told(update, code, fetched))
            _, planned = machine.attempt("apt-get", "--simulate", *words, env=QUIET)
            # With what they bring along, which apt would keep wherever another package merely suggests it.
            record.packages = sorted({*record.packages, *(set(NEW.findall(planned)) - before)})
            self.save()
            code, wrote = machine.attempt("apt-get", *words, env=QUIET)
            if code:
                # Lists that could not be fetched are a warning to apt, and the reason why it knows no package.
                raise InstallError(told(("apt-get", *words), code, f"{wrote}\n{fetched}"))
        finally:
            self.settle()
        if not machine.staged:
            machine.note(f"installed {', '.join(missing)}")

    def _users(self) -> None:
        record = self.record
        for kind, names, made in (
            ("passwd", layout.users(record.features), record.users),
            ("group", layout.groups(record.features), record.groups),
        ):
            there = self.names(kind)
            made += [name for name in names if name not in there and name not in made]
        self.save()
        path = "/etc/sysusers.d/carrom.conf"
        self.place(path, Placed(layout.sysusers(record.features)))
        self.machine.run("systemd-sysusers", path)

    def _files(self) -> None:
        wanted = layout.files(self.record.features)
        for path, file in wanted.items():
            if path.startswith(layout.UNITS) and self.machine.read(path) != file.text:
                self.will_restart(path.rpartition("/")[2])
            self.place(path, file)
        links = layout.links(self.record.features)
        if layout.COMMAND in links and layout.COMMAND not in self.record.links and self.machine.holds(layout.COMMAND):
            self.machine.say(f"{layout.COMMAND} is somebody else's and stays; ours is {links.pop(layout.COMMAND)}")
        self.record.links = sorted({*self.record.links, *links})
        self.save()
        for path, target in links.items():
            self.machine.link(path, target)
        ours = {*wanted, *(path for path in self.record.files if path.startswith("/etc/mosquitto/"))}
        for path in [
            path for path in self.record.files if path not in ours and not path.startswith(layout.SETTINGS_FOLDER)
        ]:
            self.machine.remove(path)
            del self.record.files[path]

    def _settings(self) -> None:
        machine, record = self.machine, self.record
        if "table" in record.features:
            out = str(machine.at(layout.CONFIG)) if machine.staged else layout.CONFIG
            there = machine.at(layout.CONFIG).exists()
            words = [self.program, "init", "--migrate" if there else "--answers", "--out", out]
            if machine.staged:
                words += ["--root", str(machine.root)]
            machine.make_folder(machine.at(layout.SETTINGS_FOLDER))
            if machine.staged and self.program == layout.PROGRAM:
                machine.skipped.append(words)
            elif there:
                if machine.talk(words, listen=True):
                    self.will_restart(*layout.SERVICES["table"])
            else:
                machine.talk(words, told=json.dumps(record.answers))
                machine.note(f"wrote {layout.CONFIG}")
            record.answers = {}
        if "hub" in record.features and not machine.at(layout.HUB_CONFIG).exists():
            machine.place(layout.HUB_CONFIG, Placed(layout.hub_settings()))

    def _start(self, own: OwnBroker | None) -> None:
        machine, record = self.machine, self.record
        if machine.manages_services:
            if machine.changed or record.restart:
                machine.run("systemctl", "daemon-reload")
                if "table" in record.features:
                    machine.run("udevadm", "control", "--reload")
                    machine.run("udevadm", "trigger", "--subsystem-match=tty", "--subsystem-match=video4linux")
            if own is not None:
                own.start()
            for service in layout.services(record.features):
                machine.run("systemctl", "restart" if service in record.restart else "start", service)
        elif not machine.staged:
            machine.say("systemd does not run here: the services start with the machine")
        record.restart = []
        self.save()


def configured_id(text: str) -> str:
    """Returns the table's id in its configuration, empty where there is none that can be read."""
    return str(_configured(text, "table", "id", ""))


def configured_port(text: str) -> int:
    """Returns the port of the table's pages in its configuration, the usual one where none can be read."""
    port = _configured(text, "web", "port", layout.TABLE_PORT)
    return port if isinstance(port, int) else layout.TABLE_PORT


def _configured(text: str, section: str, key: str, default: object) -> object:
    try:
        return tomllib.loads(text).get(section, {}).get(key, default)
    except (tomllib.TOMLDecodeError, AttributeError):
        return default


def check_machine(machine: Machine) -> None:
    """Refuses what cannot work, before anything is changed. Raises InstallError."""
    said = dict(line.split("=", 1) for line in (machine.read("/etc/os-release") or "").splitlines() if "=" in line)
    names = f"{said.get('ID', '')} {said.get('ID_LIKE', '')}".replace('"', "").split()
    if not {"debian", "raspbian"} & set(names):
        raise InstallError("this is neither Debian nor Raspberry Pi OS. Fix: install on one of them")
    if not machine.staged and os.geteuid() != 0:
        raise InstallError("this needs root. Fix: sudo ./install")
    if not machine.staged and os.uname().machine not in ("aarch64", "x86_64"):
        raise InstallError(f"{os.uname().machine} is no 64 bit system. Fix: install the 64 bit Raspberry Pi OS")
