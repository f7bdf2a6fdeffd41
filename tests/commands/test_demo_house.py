"""The demo's house: its table's configuration says what its devices are, and nothing of it outlives the demo."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from calibration.board import Board
from calibration.measures import board_of
from calibration.presets import PRESETS
from controller.cli import main
from controller.commands.demo import broker as brokers
from controller.commands.demo import lan
from controller.commands.demo.broker import OutsideBroker
from controller.commands.demo.ears import Ears
from controller.commands.demo.house import Plan, built, configuration, players_of
from controller.config import Config, load_config, to_toml
from controller.rules.shelf import load_books
from controller.simulator.looks import LOOKS
from controller.table.match.ruled_match import Taken
from controller.table.match.start import start_event, umpire_of

BOOKS = load_books()


def configured(folder: Path, plan: Plan) -> Config:
    """The configuration as the daemon reads it."""
    folder.mkdir()
    made = configuration(plan, folder, OutsideBroker("127.0.0.1", 1884), "http://127.0.0.1:1/", "/dev/pts/99", "4711")
    (folder / "carrom.toml").write_text(to_toml(made))
    return load_config(folder / "carrom.toml")


def test_a_rolling_shutter_is_said_with_its_time_from_row_to_row(tmp_path: Path) -> None:
    rolling = {name: look.rig for name, look in LOOKS.items() if look.rig.rolling_s}
    still = {name: look.rig for name, look in LOOKS.items() if not look.rig.rolling_s}
    assert rolling
    assert still
    for name, rig in (rolling | still).items():
        camera = configured(tmp_path / name, Plan(look=name)).camera
        assert camera.shutter == ("rolling" if name in rolling else "global")
        assert camera.row_ns * rig.lens.height == pytest.approx(rig.rolling_s * 1e9)


@pytest.mark.parametrize("book", BOOKS)
def test_every_book_is_played_by_as_many_as_it_wants(tmp_path: Path, book: str) -> None:
    plan = Plan(book=book)
    made = configuration(
        plan, tmp_path, OutsideBroker("h", 1), "http://127.0.0.1:1/", "/dev/pts/99", "4711", players_of(BOOKS[book])
    )
    assert isinstance(umpire_of(made, Board()).take(start_event(made)), Taken)


def test_eyes_are_never_skipped_where_the_demo_runs_as_fast_as_it_can(tmp_path: Path) -> None:
    assert configured(tmp_path / "max", Plan(speed=None)).camera.keep_all
    assert not configured(tmp_path / "real", Plan(speed=1.0)).camera.keep_all


def test_several_demos_share_a_broker_and_a_hub_that_links_to_them(tmp_path: Path) -> None:
    said = configured(tmp_path / "one", Plan(table="table7", http_port=8107))
    assert (said.table.id, said.table.name, said.web.address) == ("table7", "table7", "http://127.0.0.1:8107")
    assert configured(tmp_path / "alone", Plan()).web.address == ""
    phones = configured(tmp_path / "phones", Plan(lan="192.168.1.20", http_port=8107))
    assert phones.web.address == "http://192.168.1.20:8107"


def test_a_table_id_that_is_none_is_said_before_anything_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--headless", "--table", "Table 7"]) == 2
    assert "Fix: rename the table" in capsys.readouterr().err


@pytest.mark.parametrize("found", [None, "8.8.8.8"])
def test_without_an_address_in_a_network_of_ones_own_lan_is_one_line_before_anything_is_started(
    found: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lan, "lan_address", lambda: found)
    assert main(["demo", "--headless", "--lan"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "no address in a network of your own. Fix: join one, or leave --lan out" in said.err


def test_the_code_on_the_terminal_leads_a_phone_to_the_page() -> None:
    address = "http://192.168.178.20:38123"
    rows: list[list[int]] = []
    for line in lan.code(address).splitlines():
        modules = line.removeprefix("\033[97;40m").removesuffix("\033[0m")
        rows.append([255 * (one in "█▀") for one in modules])
        rows.append([255 * (one in "█▄") for one in modules])
    picture = np.kron(np.array(rows, np.uint8), np.ones((8, 8), np.uint8))
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == address


@pytest.mark.live
@pytest.mark.slow
def test_the_pages_are_for_this_computer_alone_unless_the_network_is_asked_for() -> None:
    # The whole of 127.0.0.0/8 is this computer; what is served at 127.0.0.1 alone is not served at its neighbour.
    for lan_is, reached in (("127.0.0.2", True), ("", False)):
        with built(Plan(lan=lan_is)) as house, socket.socket() as phone:
            port = urlsplit(house.url).port
            assert house.page == f"http://{lan_is or '127.0.0.1'}:{port}"
            assert (phone.connect_ex(("127.0.0.2", port)) == 0) is reached
            assert house.official.state()["health"]["simulated"], "every page says so"
            assert house.broker.host == "127.0.0.1"


@pytest.mark.live
@pytest.mark.slow
def test_the_embedded_broker_is_spoken_to_in_its_own_version_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brokers, "mosquitto_program", lambda: None)
    broker = brokers.start_broker(tmp_path)
    greeted: list[int] = []
    ears = Ears(broker.host, broker.port, "demo", broker.speaks)
    made = ears._new_client
    monkeypatch.setattr(ears, "_new_client", lambda version: greeted.append(version) or made(version))
    try:
        ears.start()
        ears.stop()
    finally:
        broker.stop()
    assert [version.name for version in greeted] == ["MQTTv311"], "a greeting in 5 would be met with silence, for 3 s"
    plan = replace(Plan(), http_port=0)
    (tmp_path / "table").mkdir()
    said = configuration(plan, tmp_path / "table", broker, "http://127.0.0.1:1/", "/dev/pts/99", "4711")
    assert said.mqtt.version == "3.1.1"
    assert configured(tmp_path / "outside", plan).mqtt.version == "", "somebody else's broker is found out"


@pytest.mark.live
@pytest.mark.slow
def test_a_demo_that_is_killed_takes_its_children_with_it(tmp_path: Path) -> None:
    """Otherwise its daemon would take the next demo's pocket node, whose pty has the same name."""
    program = (
        "import sys, threading; from pathlib import Path; from controller.commands.demo.stage import Stage\n"
        "stage = Stage(Path(sys.argv[1])); child = stage.start('daemon', 'run', '--config', sys.argv[2])\n"
        "print(child.process.pid, flush=True); threading.Event().wait()\n"
    )
    for name in ("run", "state"):
        (tmp_path / name).mkdir()
    config = tmp_path / "carrom.toml"
    config.write_text(
        f'[table]\nruntime = "{tmp_path}/run"\nstate = "{tmp_path}/state"\n[camera]\nkind = "none"\n'
        '[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n[web]\nhost = "127.0.0.1"\nport = 0\n'
    )
    demo = subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(config)], stdout=subprocess.PIPE)
    assert demo.stdout is not None
    daemon = int(demo.stdout.readline())
    # Killed once the daemon works, so that it is the working daemon that has to go.
    port = tmp_path / "state" / "http-port"
    waiting = threading.Event()
    assert any(port.exists() or waiting.wait(0.05) for _ in range(600))
    gone = _watched(daemon)
    demo.kill()
    demo.wait()
    ended = gone(20)
    if not ended:
        os.kill(daemon, signal.SIGKILL)
    assert ended, "the daemon lives on without its demo"


def _watched(pid: int) -> Callable[[float], bool]:
    """Returns a function that waits until a process that is not our child has ended; False if it has not in time."""
    handle = os.pidfd_open(pid)

    def ended(seconds: float) -> bool:
        ready, _, _ = select.select([handle], [], [], seconds)
        os.close(handle)
        return bool(ready)

    return ended


def test_the_demo_draws_plays_and_configures_the_same_board(tmp_path: Path) -> None:
    plan = Plan(board="home-26-inch")
    board = PRESETS["home-26-inch"]
    assert board_of(configured(tmp_path / "small", plan).board.said()) == board
    assert plan.drawn.pieces.board == board
    assert plan.drawn.pieces.coin_diameter_mm == board.coin_diameter_mm
    assert Plan().drawn is LOOKS["pale-club"]
