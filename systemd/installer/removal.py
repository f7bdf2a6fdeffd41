"""Takes off what the record says was made here, and nothing else; a removal that was interrupted goes on."""

from __future__ import annotations

import re

from controller.mqtt.broker_files import FOLDER
from installer import layout
from installer.failures import reason
from installer.machine import InstallError
from installer.own_broker import MOSQUITTO, PACKAGE
from installer.record import FILE
from installer.steps import QUIET
from installer.work import EDITED, Work

REFUSED = re.compile(r"error processing package (\S+) \(--purge\):\n\s*(.+)")
"""How dpkg says that a package stays: its name and why."""


def remove(work: Work, *, keep: bool) -> None:
    """Takes off all that was made. `keep`: but for settings, passwords and journal."""
    machine, record = work.machine, work.record
    work.take_over()
    if not machine.at(FILE).exists():
        machine.say("nothing of Carrom Umpire is installed here")
        # An install that was interrupted before its first change leaves no more than this.
        machine.forget_file(FILE)
        return
    work.settle()
    services = layout.services(record.features)
    if machine.manages_services:
        for service in services:
            machine.ask("systemctl", "disable", "--now", service)
    ours = [
        path
        for path in {**dict.fromkeys(record.links), **record.files, **record.before}
        if not (keep and _is_setting(path))
    ]
    broker_changed = any(path.startswith(f"{FOLDER}/") for path in ours)
    for path in ours:
        _take_off(work, path)
    # A second run, after what follows has failed, must not take what was put back for ours.
    record.links, record.before = [], {}
    record.files = {path: text for path, text in record.files.items() if path not in ours}
    work.save()
    # Before the program itself: what stops here is repaired and then removed by this very installer.
    _purge(work, record.packages)
    machine.remove(layout.RUNTIME)
    machine.remove(layout.HOME)
    if not keep:
        for folder in (layout.SETTINGS_FOLDER, layout.STATE, layout.HUB_STATE, layout.KIOSK_STATE):
            machine.remove(folder)
    if machine.manages_services:
        machine.run("systemctl", "daemon-reload")
        machine.ask("systemctl", "reset-failed", *services)
        machine.ask("udevadm", "control", "--reload")
    if broker_changed and PACKAGE not in record.packages and machine.manages_services:
        machine.ask("systemctl", "restart", MOSQUITTO)
    if not keep:
        _forget(work, "passwd", "userdel", record.users)
        _forget(work, "group", "groupdel", record.groups)
    machine.prune(record.folders)
    # Last of all: it is what runs here. The record goes after it, so that a run that is interrupted can go on.
    _purge(work, record.brought)
    machine.forget_file(FILE)
    machine.prune(record.folders)


def _take_off(work: Work, path: str) -> None:
    """Removes a file or link of ours, or puts back what stood there before us."""
    machine, kept = work.machine, work.record.before.get(path)
    if kept is None:
        machine.remove_with_rest(path)
        machine.remove_with_rest(f"{path}{EDITED}")
        return
    # Where it is not kept, it was not replaced yet, or is back already.
    if machine.at(kept).exists():
        machine.at(kept).replace(machine.at(path))
        # Two names of one file, where it had not been replaced yet, both outlive that.
        machine.at(kept).unlink(missing_ok=True)
        machine.note(f"put back {path}")
    for other in (path, kept):
        machine.forget_rest(other)
    machine.remove_with_rest(f"{path}{EDITED}")


def _purge(work: Work, packages: list[str]) -> None:
    """Takes off packages that came with us. What somebody else's package needs by now stays, and is named."""
    there = work.installed(half=True)
    names = [name for name in packages if name in there]
    if not names:
        return
    # What was interrupted while it was unpacked would else have to be installed first.
    purge = ("dpkg", "--purge", "--force-remove-reinstreq", *names)
    code, wrote = work.machine.attempt(*purge, env={"LC_ALL": "C", **QUIET})
    refused = dict(REFUSED.findall(wrote))
    needed = [name for name, why in refused.items() if why.startswith("dependency problems")]
    failed = {name: why for name, why in refused.items() if name not in needed}
    if failed or (code and not needed):
        why = "; ".join(f"{name}: {why}" for name, why in failed.items()) or reason(wrote)
        raise InstallError(
            f"packages could not be taken off ({why}). Fix: apt-get -f install, then ./install --remove again"
        )
    if gone := sorted(set(names) - set(needed)):
        work.machine.note(f"removed {', '.join(gone)}")
    if needed:
        work.machine.say(f"left {', '.join(sorted(needed))}: other packages need them by now")


def _forget(work: Work, kind: str, command: str, names: list[str]) -> None:
    """Takes off users or groups; one that its package took along is gone already. Raises InstallError."""
    for name in names:
        if name not in work.names(kind):
            continue
        code, wrote = work.machine.attempt(command, name, env={"LC_ALL": "C"})
        if code:
            raise InstallError(
                f"{command} {name}: {reason(wrote)}. Fix: end what still uses it, then ./install --remove again"
            )


def _is_setting(path: str) -> bool:
    return path.startswith(layout.SETTINGS_FOLDER)
