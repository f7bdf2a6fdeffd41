"""What every step works with: the machine, the record of what was made there, and how a file of ours gets there.

All is written into the record before it is done. Must not know which files, packages or services there are.
"""

from __future__ import annotations

from installer.layout import Placed
from installer.machine import Machine
from installer.record import BROUGHT, Record, digest, load, save

LEAST_PERSON = 1000
"""Users and groups of people begin here; what a package makes for itself has a smaller number."""
BEFORE, EDITED = ".before-carrom", ".edited"
"""Beside a file of ours: what stood there before us, and what somebody made of ours since."""


class Work:
    """One run on a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.record = load(machine) or Record()
        machine.remember = self.save

    def save(self) -> None:
        """Writes the record down."""
        save(self.machine, self.record)

    def take_over(self) -> None:
        """Writes into the record which packages came before this could run."""
        if noted := (self.machine.read(BROUGHT) or "").split():
            self.record.brought += [name for name in noted if name not in self.record.brought]
            self.save()
        self.machine.at(BROUGHT).unlink(missing_ok=True)

    def will_restart(self, *services: str) -> None:
        """Written down before the change that asks for it: what is interrupted is started anew by the next run."""
        if not set(services) <= set(self.record.restart):
            self.record.restart = sorted({*self.record.restart, *services})
            self.save()

    def settle(self) -> None:
        """Notes the users and groups that packages have made, be it in a run that was interrupted."""
        record = self.record
        for kind, made in (("passwd", record.users), ("group", record.groups)):
            if kind in record.there:
                made.extend(sorted(self.names(kind, below=LEAST_PERSON) - {*record.there[kind], *made}))
        record.there = {}
        self.save()

    def installed(self, *, half: bool = False) -> set[str]:
        """Returns the Debian packages of the machine. `half`: those that are not wholly there, too."""
        rows = self.machine.ask("dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n").splitlines()
        return {
            name
            for status, _, name in (row.partition(" ") for row in rows)
            if status == "installed" or (half and status != "not-installed")
        }

    def names(self, kind: str, below: int | None = None) -> set[str]:
        """Returns the users or groups of the machine. `below`: only those with a smaller number."""
        rows = [line.split(":") for line in (self.machine.read(f"/etc/{kind}") or "").splitlines()]
        return {
            row[0] for row in rows if below is None or (len(row) > 2 and row[2].isdecimal() and int(row[2]) < below)
        }

    def place(self, path: str, file: Placed) -> bool:
        """Writes a file of ours; one that somebody else wrote, or has changed since, is kept beside it."""
        machine, record = self.machine, self.record
        text = machine.read(path)
        ours = path in record.files
        is_kept = path in record.before and machine.is_one_file(path, record.before[path])
        if text is not None and text != file.text and digest(text) != record.files.get(path) and not is_kept:
            kept = f"{path}{EDITED if ours else BEFORE}"
            if not ours:
                record.before[path] = kept
                self.save()
            machine.keep(path, kept)
            machine.say(f"{path} was not as it was installed; what stood there is kept in {kept}")
        if not ours:
            record.files[path] = digest(file.text)
            self.save()
        wrote = machine.place(path, file)
        record.files[path] = digest(file.text)
        return wrote
