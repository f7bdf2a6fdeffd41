"""A broker that is there already goes on: what somebody has set up stays, and what is new is tried beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from installer import layout, own_broker
from installer.broker import theirs, tried
from installer.layout import Placed
from installer.machine import InstallError, Machine
from installer.own_broker import OwnBroker
from installer.work import Work

from controller.config import load_config
from controller.mqtt.broker_files import club_files
from controller.mqtt.club import Club
from tests.install.debian import debian, everything, install

pytestmark = pytest.mark.long

DEBIAN = """# As Debian's package brings it.
pid_file {root}/mosquitto.pid
persistence true
persistence_location {root}/
log_dest file {root}/mosquitto.log
include_dir /etc/mosquitto/conf.d
"""
SET_UP = {
    "a password file": "allow_anonymous false\npassword_file /etc/mosquitto/passwd\n",
    "a listener": "listener 1883\n",
    "an access list": "acl_file /etc/mosquitto/acl\n",
    "a plugin": "plugin /usr/lib/dynamic-security.so\n",
}
HARMLESS = "# ours\nmax_connections 7\nlog_type error\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    root = debian(tmp_path / "machine")
    (root / "etc/mosquitto/conf.d").mkdir(parents=True)
    (root / "etc/mosquitto/mosquitto.conf").write_text(DEBIAN.format(root=tmp_path))
    return root


def ours() -> dict[str, Placed]:
    club = Club(("table1",))
    return layout.broker(club_files(club, dict.fromkeys(club.users, "a password")))


@pytest.mark.live
@pytest.mark.parametrize("text", SET_UP.values(), ids=SET_UP)
def test_a_broker_that_somebody_has_set_up_stays_as_it_is(
    machine: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (machine / "etc/mosquitto/conf.d/auth.conf").write_text(text)
    before = {path: said for path, said in everything(machine).items() if path.startswith("etc/mosquitto")}
    assert install(machine) == 0
    after = everything(machine)
    assert {path: said for path, said in after.items() if path.startswith("etc/mosquitto")} == before
    assert re.search(r"set up already \(/etc/mosquitto/conf.d/auth.conf: \w+\) and stays", capsys.readouterr().out)
    assert load_config(machine / "etc/carrom/carrom.toml").mqtt.host == "localhost"
    assert install(machine) == 0
    assert everything(machine).keys() == after.keys()
    assert install(machine, "--remove") == 0


@pytest.mark.live
def test_what_else_somebody_has_set_stands_beside_ours(machine: Path) -> None:
    (machine / "etc/mosquitto/conf.d/limits.conf").write_text(HARMLESS)
    assert install(machine) == 0
    assert (machine / "etc/mosquitto/conf.d/carrom.conf").is_file()
    assert (machine / "etc/mosquitto/conf.d/limits.conf").read_text() == HARMLESS


def test_files_that_carrom_broker_made_are_no_strangers(machine: Path) -> None:
    (machine / "etc/mosquitto/conf.d/carrom.conf").write_text(ours()["/etc/mosquitto/conf.d/carrom.conf"].text)
    assert theirs(Machine(machine, staged=True), ()) == ""


@pytest.mark.live
def test_a_bundle_is_not_laid_over_what_somebody_has_set_up(
    machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for name in ("carrom.conf", "carrom.acl", "carrom.passwd"):
        (bundle / name).write_text("")
    (machine / "etc/mosquitto/conf.d/auth.conf").write_text(SET_UP["a listener"])
    before = everything(machine)
    assert install(machine, "--broker", str(bundle)) == 2
    assert "set up already (/etc/mosquitto/conf.d/auth.conf: listener). Fix:" in capsys.readouterr().err
    assert everything(machine) == before


# tried with the real program ------------------------------------------------------------------------------------------


@pytest.mark.broker
def test_what_would_start_is_found_to_start_and_leaves_nothing(machine: Path, tmp_path: Path) -> None:
    (machine / "etc/mosquitto/conf.d/limits.conf").write_text(HARMLESS)
    before = everything(tmp_path)
    assert tried(Machine(machine, staged=False), ours()) == ""
    assert everything(tmp_path) == before, "nothing of the running broker's is written"


@pytest.mark.broker
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("listener 1883\n", "Address already in use"),
        ("allow_anonymous false\n", "per_listener_settings must be set before"),
        ("nonsense 7\n", "Unknown configuration variable"),
    ],
)
def test_what_would_not_start_is_told_beforehand(machine: Path, text: str, says: str) -> None:
    (machine / "etc/mosquitto/conf.d/added.conf").write_text(text)
    assert says in tried(Machine(machine, staged=False), ours())


@pytest.mark.broker
def test_a_bridge_calls_nobody_while_it_is_tried(machine: Path) -> None:
    """The club's broker would take the trial for the table and throw the table's own bridge off."""
    bridge = {"/etc/mosquitto/conf.d/carrom-bridge.conf": Placed("connection t\naddress 127.0.0.1:1883\ntopic # out\n")}
    assert tried(Machine(machine, staged=False), ours() | bridge) == ""


# placed and started ---------------------------------------------------------------------------------------------------


class Refusing(Machine):
    """A machine whose broker does not start with what is new, as far as `wrong` says."""

    wrong = ""

    def run(self, *words: str, env: object = None) -> None:
        if "mosquitto.service" in words and "connection" in self.wrong:
            raise InstallError("mosquitto.service does not start")


@pytest.mark.live
def test_a_trial_that_fails_changes_nothing_of_the_broker(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_broker.broker, "tried", lambda *_: "Error: Address already in use")
    before = {path: said for path, said in everything(machine).items() if path.startswith("etc/mosquitto")}
    broker = OwnBroker(Work(Machine(machine, staged=True)))
    with pytest.raises(InstallError, match=r"Address already in use. It was left as it is. Fix: "):
        broker.place("table1", None)
    assert {path: said for path, said in everything(machine).items() if path.startswith("etc/mosquitto")} == before


@pytest.mark.parametrize("had", [False, True], ids=["for the first time", "an upgrade"])
def test_a_broker_that_does_not_start_gets_its_files_back(machine: Path, had: bool) -> None:
    stranger = machine / "etc/mosquitto/carrom.acl"
    stranger.write_text("# a stranger's\n")
    if had:
        OwnBroker(Work(Machine(machine, staged=True))).place("former", None)
        (machine / "etc/carrom/club.toml").write_text('[[table]]\nid = "later"\n')
    before = {path: said for path, said in everything(machine).items() if path.startswith("etc/mosquitto")}
    refusing = Refusing(machine, staged=True)
    refusing.wrong = "connection"
    work = Work(refusing)
    broker = OwnBroker(work)
    broker.place("later", None)
    assert {path: said for path, said in everything(machine).items() if path.startswith("etc/mosquitto")} != before
    with pytest.raises(InstallError, match="does not start"):
        broker.start()
    assert {path: said for path, said in everything(machine).items() if path.startswith("etc/mosquitto")} == before
    assert ("/etc/mosquitto/conf.d/carrom.conf" in work.record.files) == had
