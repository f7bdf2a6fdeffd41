"""The line to the daemon: everything arrives in order; while nobody listens only what still matters is kept."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.events.observation import BoardSeen, EyesHealth, HandsSeen, Moving, Observation, StrokeSeen
from controller.events.orders import Order, order_to_line
from controller.events.wire import observation_from_line
from controller.vision.link import SAID_AGAIN, DaemonLink
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.live


class Daemon:
    """Listens like the daemon and takes lines."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(1)
        self._channel: socket.socket | None = None
        self._file = None

    def accept(self) -> None:
        self._socket.settimeout(PATIENCE_S)
        self._channel, _ = self._socket.accept()
        self._channel.settimeout(PATIENCE_S)
        self._file = self._channel.makefile("rb")

    def line(self) -> Observation:
        assert self._file is not None
        return observation_from_line(self._file.readline())

    def says(self, content: bytes) -> None:
        assert self._channel is not None
        self._channel.sendall(content)

    def hang_up(self) -> None:
        assert self._channel is not None
        assert self._file is not None
        self._file.close()
        self._channel.close()

    def close(self) -> None:
        self._socket.close()


def board(t_ns: int) -> BoardSeen:
    return BoardSeen(t_ns, t_ns, ())


def stroke(t_ns: int) -> StrokeSeen:
    return StrokeSeen(t_ns, t_ns, t_ns, "club", board(0), board(t_ns), (), (), None)


@pytest.fixture
def link(tmp_path: Path) -> Iterator[DaemonLink]:
    made = DaemonLink(tmp_path / "eyes.sock")
    yield made
    made.stop()


def test_lines_arrive_in_order(link: DaemonLink, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "eyes.sock")
    link.start()
    daemon.accept()
    assert link.await_daemon(PATIENCE_S)
    sent: list[Observation] = [board(1), HandsSeen(2, ()), stroke(3), EyesHealth(4, "ok", 4)]
    for observation in sent:
        link.send(observation)
    assert [daemon.line() for _ in range(4)] == sent
    daemon.close()


def test_while_nobody_listens_only_the_newest_board_and_the_strokes_are_kept(link: DaemonLink, tmp_path: Path) -> None:
    for t in range(3):
        link.send(board(t))
        link.send(Moving(t, ()))
        link.send(stroke(t))
    link.send(EyesHealth(9, "ok", 9))
    daemon = Daemon(tmp_path / "eyes.sock")
    link.start()
    daemon.accept()
    assert [daemon.line() for _ in range(4)] == [stroke(0), stroke(1), board(2), stroke(2)]
    daemon.close()


def test_connects_again_after_the_daemon_was_away(link: DaemonLink, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "eyes.sock")
    link.start()
    daemon.accept()
    link.send(board(1))
    assert daemon.line() == board(1)
    daemon.hang_up()
    daemon.close()
    again = Daemon(tmp_path / "eyes.sock")
    again.accept()
    link.send(stroke(2))
    assert again.line() == stroke(2)
    again.close()


def test_the_latest_strokes_are_said_again_to_a_daemon_that_was_killed(link: DaemonLink, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path / "eyes.sock")
    link.start()
    daemon.accept()
    assert link.await_daemon(PATIENCE_S)
    strokes = [stroke(t) for t in range(5)]
    for observation in strokes:
        link.send(observation)
    assert [daemon.line() for _ in strokes] == strokes
    daemon.hang_up()
    daemon.close()
    for _ in range(2):
        # It may have read them and not written down; and so may the next.
        again = Daemon(tmp_path / "eyes.sock")
        again.accept()
        assert [again.line() for _ in range(3)] == strokes[-3:]
        again.hang_up()
        again.close()


def test_with_hold_a_full_line_holds_the_sender(tmp_path: Path) -> None:
    link = DaemonLink(tmp_path / "eyes.sock", hold=True)
    daemon = Daemon(tmp_path / "eyes.sock")
    link.start()
    daemon.accept()
    assert link.await_daemon(PATIENCE_S)
    count = 3000
    done = threading.Event()

    def send() -> None:
        for t in range(count):
            link.send(stroke(t))
        done.set()

    threading.Thread(target=send, daemon=True).start()
    assert not done.wait(0.3)
    assert [daemon.line().t_ns for _ in range(count)] == list(range(count))
    assert done.wait(PATIENCE_S)
    link.stop()
    daemon.close()


def test_without_hold_live_positions_give_way(tmp_path: Path) -> None:
    link = DaemonLink(tmp_path / "eyes.sock")
    daemon = Daemon(tmp_path / "eyes.sock")
    link.start()
    daemon.accept()
    link.send(board(0))
    assert daemon.line() == board(0)
    for t in range(20_000):
        link.send(Moving(t, ()))
    link.send(stroke(1))
    assert link.dropped > 0
    seen: Observation = daemon.line()
    while seen != stroke(1):
        seen = daemon.line()
    link.stop()
    daemon.close()


def strokes(*numbers: int) -> list[StrokeSeen]:
    return [stroke(number) for number in numbers]


def test_strokes_outlive_the_eyes_that_saw_them(tmp_path) -> None:
    """The daemon is away, and the eyes die before it is back: the next ones say what was seen."""
    kept = tmp_path / "strokes.kept"
    eyes = DaemonLink(tmp_path / "sock", kept=kept, clock="this run")
    eyes.start()
    for one in strokes(1, 2, 3, 4, 5):
        eyes.send(one)
    eyes.stop()
    daemon = Daemon(tmp_path / "sock")
    new = DaemonLink(tmp_path / "sock", kept=kept, clock="this run")
    new.start()
    daemon.accept()
    assert [daemon.line() for _ in range(5)] == strokes(1, 2, 3, 4, 5)
    new.stop()
    daemon.hang_up()


@pytest.mark.parametrize("harm", ["another run", "torn", "rubbish", "empty"])
def test_kept_strokes_of_another_clock_or_torn_ones_are_not_said(tmp_path, harm) -> None:
    kept = tmp_path / "strokes.kept"
    eyes = DaemonLink(tmp_path / "sock", kept=kept, clock="this run")
    eyes.start()
    eyes.send(strokes(1)[0])
    eyes.stop()
    if harm == "torn":
        kept.write_bytes(kept.read_bytes()[:-40])
    elif harm == "rubbish":
        kept.write_bytes(b"\xff\n7\n")
    elif harm == "empty":
        kept.write_bytes(b"")
    daemon = Daemon(tmp_path / "sock")
    new = DaemonLink(tmp_path / "sock", kept=kept, clock="another run" if harm == "another run" else "this run")
    new.start()
    daemon.accept()
    new.send(strokes(9)[0])
    assert daemon.line() == strokes(9)[0]
    new.stop()
    daemon.hang_up()


def test_only_the_latest_strokes_are_kept_while_the_daemon_listens(tmp_path) -> None:
    kept = tmp_path / "strokes.kept"
    daemon = Daemon(tmp_path / "sock")
    eyes = DaemonLink(tmp_path / "sock", kept=kept)
    eyes.start()
    daemon.accept()
    assert eyes.await_daemon(PATIENCE_S)
    for one in strokes(*range(10)):
        eyes.send(one)
    assert len(kept.read_text().splitlines()) == 1 + SAID_AGAIN
    eyes.stop()
    daemon.hang_up()


def test_orders_of_the_daemon_arrive_in_order_and_what_is_none_costs_nothing(tmp_path: Path) -> None:
    daemon, heard, all_there = Daemon(tmp_path / "eyes.sock"), [], threading.Event()

    def ordered(order: Order) -> None:
        heard.append(order)
        if order.does == "undo":
            all_there.set()

    link = DaemonLink(tmp_path / "eyes.sock")
    link.ordered = ordered
    link.start()
    daemon.accept()
    orders = [Order(1, "begin"), Order(2, "take", "empty"), Order(3, "undo")]
    lines = "\n".join(["rubbish", '{"number": 1, "does": "explode"}', *map(order_to_line, orders), ""]).encode()
    daemon.says(lines[:60])
    daemon.says(lines[60:])
    link.send(board(1))
    assert all_there.wait(PATIENCE_S)
    assert heard == orders
    assert daemon.line() == board(1)
    link.stop()
    daemon.close()
