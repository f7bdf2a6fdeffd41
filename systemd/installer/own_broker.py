"""The table's own broker: its files made or taken from a club's, tried, placed, started, and taken back if it fails."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from controller.mqtt.broker_files import ACCESS, BRIDGE, FOLDER, PASSWORDS, SECRET, SETTINGS, File, club_files
from controller.mqtt.club import club_of
from installer import broker, layout
from installer.layout import Placed
from installer.machine import InstallError
from installer.record import digest
from installer.work import Work

PACKAGE, MOSQUITTO = "mosquitto", "mosquitto.service"


class OwnBroker:
    """That of one machine."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.machine = work.machine
        self.before: dict[str, Placed | None] = {}
        """What this run has replaced of the broker's files."""
        self.were_ours: frozenset[str] = frozenset()

    def place(self, table: str, bundled: Mapping[str, File] | None) -> None:
        """Places its files: `bundled`, or those of a table alone. Raises InstallError if it would not start so."""
        made = bundled or self._made_here(table)
        if made is None:
            return
        machine, files = self.machine, layout.broker(made)
        changed = {path: file for path, file in files.items() if machine.read(path) != file.text}
        if changed and (why := broker.tried(machine, files)):
            raise InstallError(
                f"the broker does not start with what ./install adds: {why}. It was left as it is. "
                f"Fix: see to the files in {FOLDER}/conf.d, then run ./install again"
            )
        if changed:
            self.work.will_restart(MOSQUITTO, *layout.services(self.work.record.features))
        self.were_ours = frozenset(self.work.record.files)
        self.before = {path: machine.placed(path) for path in changed}
        for path, file in files.items():
            self.work.place(path, file)

    def _back_to_former_broker(self) -> None:
        """Gives the broker the files back with which it ran, and starts it with them."""
        machine, record = self.machine, self.work.record
        for path, file in self.before.items():
            if file is not None and path in self.were_ours:
                machine.place(path, file)
                record.files[path] = digest(file.text)
                continue
            if path in record.before:
                machine.at(record.before.pop(path)).replace(machine.at(path))
            else:
                machine.remove(path)
            record.files.pop(path, None)
        self.work.save()
        machine.ask("systemctl", "reset-failed", MOSQUITTO)
        machine.ask("systemctl", "restart", MOSQUITTO)

    def _made_here(self, table: str) -> dict[str, File] | None:
        """The files of a broker that stands alone; none where a bundle was installed before and is kept."""
        machine = self.machine
        alone = machine.at(layout.LIST).exists()
        if (
            not alone
            and machine.at(f"/etc/mosquitto/{ACCESS}").exists()
            and f"/etc/mosquitto/{ACCESS}" in self.work.record.files
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
        if "table" in self.work.record.features:
            own = table if table in club.tables else club.tables[0]
            made[SECRET] = File(passwords[own] + "\n", secret=True)
        return made

    def start(self) -> None:
        """Starts it; with what it ran with before, if it does not start. Raises InstallError then."""
        try:
            self.machine.run("systemctl", "restart" if MOSQUITTO in self.work.record.restart else "start", MOSQUITTO)
        except InstallError:
            if self.before:
                self._back_to_former_broker()
            raise


def bundled_in(bundle: Path) -> dict[str, File]:
    """Returns what `carrom broker` made for this machine. Raises InstallError for any other folder."""
    names = (SETTINGS, ACCESS, PASSWORDS, BRIDGE, SECRET)
    found = {name: bundle / name for name in names if (bundle / name).is_file()}
    if not {SETTINGS, ACCESS, PASSWORDS} <= found.keys():
        raise InstallError(
            f"{bundle}: is no folder that `carrom broker` made. Fix: name broker/club or broker/tables/ID"
        )
    secret = (PASSWORDS, BRIDGE, SECRET)
    return {name: File(file.read_text(encoding="utf-8"), name in secret) for name, file in found.items()}


def _passwords_in(text: str) -> dict[str, str]:
    return dict(pair for line in text.splitlines() if len(pair := line.split()) == 2)
