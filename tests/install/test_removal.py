"""The installer's removal: packages that others need, a package left half there, what stops it and how it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from installer.__main__ import main
from installer.machine import InstallError, Machine
from installer.removal import remove
from installer.steps import Installation

from tests.install.debian import everything, install

pytestmark = pytest.mark.live


def test_removal_may_keep_settings_and_journal(machine: Path) -> None:
    assert install(machine) == 0
    (machine / "var/lib/carrom").mkdir(parents=True)
    (machine / "var/lib/carrom/journal.sqlite").write_text("matches")
    assert main(["--root", str(machine), "--remove", "--keep"]) == 0
    left = set(everything(machine))
    assert {"etc/carrom/carrom.toml", "etc/carrom/umpire-pin", "var/lib/carrom/journal.sqlite"} <= left
    assert not [path for path in left if path.startswith(("opt/", "etc/systemd", "etc/udev", "etc/mosquitto"))]
    assert install(machine) == 0


PURGE = """#!/bin/sh
[ "$1" = --purge ] || exit 0
{script}
"""


STATUS = """#!/bin/sh
printf 'installed %s\\n' mosquitto libmosquitto1
"""


STILL_NEEDED = """cat >&2 <<'.'
dpkg: dependency problems prevent removal of libmosquitto1:amd64:
 kmqtt depends on libmosquitto1.

dpkg: error processing package libmosquitto1 (--purge):
 dependency problems - not removing
Errors were encountered while processing:
 libmosquitto1
.
exit 1"""


BROKEN = """cat >&2 <<'.'
dpkg: error processing package mosquitto (--purge):
 installed mosquitto package pre-removal script subprocess returned error exit status 1
Errors were encountered while processing:
 mosquitto
.
exit 1"""


LOCKED = "echo 'dpkg: error: dpkg frontend lock was locked by another process with pid 4242' >&2; exit 2"


def removed_with(root: Path, programs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Installation:
    """An installation on a machine whose commands are these; what is not named is not there and answers nothing."""
    made = root.parent / "programs"
    made.mkdir(exist_ok=True)
    for name, script in {"dpkg-query": STATUS, "systemctl": "#!/bin/sh\n", "udevadm": "#!/bin/sh\n"}.items():
        programs.setdefault(name, script)
    for name, script in programs.items():
        (made / name).write_text(script)
        (made / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{made}:/usr/bin:/bin")
    record = root / "var/lib/carrom-install/record.json"
    said = json.loads(record.read_text())
    record.write_text(json.dumps(said | {"packages": ["libmosquitto1", "mosquitto"], "users": [], "groups": []}))
    return Installation(Machine(root, staged=False))


def test_removal_goes_on_where_others_need_a_package_and_names_it(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install(machine) == 0
    remove(removed_with(machine, {"dpkg": PURGE.format(script=STILL_NEEDED)}, monkeypatch), keep=False)
    assert "left libmosquitto1: other packages need them by now" in capsys.readouterr().out
    assert not (machine / "opt/carrom").exists()
    assert not (machine / "var/lib/carrom-install").exists()


def test_a_package_that_a_power_cut_left_half_there_is_taken_off(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install(machine) == 0
    states = "#!/bin/sh\nprintf 'unpacked mosquitto\\nhalf-installed libmosquitto1\\n'\n"
    told = machine.parent / "purged"
    note = f'echo "$*" >> {told}'
    remove(removed_with(machine, {"dpkg": PURGE.format(script=note), "dpkg-query": states}, monkeypatch), keep=False)
    assert told.read_text().splitlines() == ["--purge --force-remove-reinstreq libmosquitto1 mosquitto"]
    assert "removed libmosquitto1, mosquitto" in capsys.readouterr().out


def note_brought(root: Path, names: str) -> None:
    """As `install` does before it brings Python."""
    note = root / "var/lib/carrom-install/brought"
    note.parent.mkdir(parents=True)
    note.write_text(names)


def test_python_that_came_goes_again_though_nothing_else_was_done(machine: Path) -> None:
    note_brought(machine, "python3\n")
    assert install(machine, "--remove") == 0
    assert not (machine / "var/lib/carrom-install").exists()


def test_python_that_came_with_the_installer_goes_last(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note_brought(machine, "python3\nlibpython3-stdlib\n")
    assert install(machine) == 0
    assert not (machine / "var/lib/carrom-install/brought").exists()
    assert install(machine) == 0
    told = machine.parent / "purged"
    note = f'[ -d {machine}/opt/carrom ] && there=before || there=after; echo "$there $*" >> {told}'
    status = "#!/bin/sh\nprintf 'installed %s\\n' mosquitto libmosquitto1 python3 libpython3-stdlib\n"
    remove(removed_with(machine, {"dpkg": PURGE.format(script=note), "dpkg-query": status}, monkeypatch), keep=False)
    assert told.read_text().splitlines() == [
        "before --purge --force-remove-reinstreq libmosquitto1 mosquitto",
        "after --purge --force-remove-reinstreq python3 libpython3-stdlib",
    ]


@pytest.mark.parametrize(
    ("script", "says"), [(BROKEN, "mosquitto: installed mosquitto package pre-removal"), (LOCKED, "frontend lock")]
)
def test_removal_stops_where_a_package_cannot_be_taken_off_and_can_be_run_again(
    machine: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str
) -> None:
    theirs = machine / "etc/mosquitto/conf.d/carrom.conf"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("max_connections 7\n")
    assert install(machine) == 0
    with pytest.raises(InstallError, match=rf"could not be taken off.*{says}.*Fix:"):
        remove(removed_with(machine, {"dpkg": PURGE.format(script=script)}, monkeypatch), keep=False)
    assert (machine / "opt/carrom/current/source/install").exists(), "what removes it is still there"
    remove(removed_with(machine, {"dpkg": PURGE.format(script="")}, monkeypatch), keep=False)
    assert not (machine / "opt/carrom").exists()
    assert theirs.read_text() == "max_connections 7\n"


def test_a_user_who_cannot_be_taken_off_is_said(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install(machine) == 0
    busy = "#!/bin/sh\necho 'userdel: user carrom is currently used by process 77' >&2; exit 8\n"
    installation = removed_with(machine, {"dpkg": PURGE.format(script=""), "userdel": busy}, monkeypatch)
    installation.record.users = ["carrom"]
    with (machine / "etc/passwd").open("a") as users:
        users.write("carrom:x:999:999::/var/lib/carrom:/usr/sbin/nologin\n")
    with pytest.raises(InstallError, match=r"used by process 77.*Fix:"):
        remove(installation, keep=False)
