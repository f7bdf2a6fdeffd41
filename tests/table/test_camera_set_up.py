"""Setting the camera up anew, the table's part: what is refused when, and what another calibration leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.board import DEFAULT_BOARD
from controller.events.observation import EyesHealth, SetUp
from controller.events.orders import Order
from controller.table.desk.camera_set_up import ANSWERED_S, CameraSetUp
from tests.shots.table import Table
from tests.table.kit import UNDER_WAY, Scene, run, scene


class Eyes:
    """Eyes that take orders. `away`: they hang up."""

    def __init__(self, at: Scene, folder: Path) -> None:
        self.at, self.orders, self.away, self.t = at, [], False, 0.0
        self.asked = CameraSetUp(at.desk.shown, folder / "set-up.jpg", self.take, lambda: self.t)

    def take(self, order: Order) -> bool:
        if not self.away:
            self.orders.append(order)
        return not self.away

    async def say(self, set_up: SetUp | None, camera: str = "setup") -> None:
        now = self.at.table.now
        await self.at.feed(EyesHealth(now, camera, now, "club", set_up=set_up))


async def stopped(at: Scene) -> None:
    await at.desk.rule({"event": "pause"}, "person:test")


def test_only_who_stopped_play_takes_the_camera_away_and_never_in_a_stroke(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path, UNDER_WAY) as at:
            eyes = Eyes(at, tmp_path)
            assert "does not answer" in eyes.asked.ask("begin", "")["error"]
            await at.arm()
            await eyes.say(SetUp(), "ok")
            assert "a board is in play" in eyes.asked.ask("begin", "")["error"]
            await stopped(at)
            at.desk.shown.phase = "struck"
            assert "a stroke is under way" in eyes.asked.ask("begin", "")["error"]
            at.desk.shown.phase = "off"
            assert eyes.asked.ask("begin", "")["busy"] == "asked"
            assert eyes.orders == [Order(1, "begin")]
            eyes.away = True
            assert "does not answer" in eyes.asked.ask("cancel", "")["error"]

    run(story())


def test_two_phones_do_not_take_a_picture_twice(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path, UNDER_WAY) as at:
            eyes = Eyes(at, tmp_path)
            await eyes.say(SetUp("empty", order=7))
            assert "error" not in eyes.asked.ask("take", "empty")
            assert eyes.orders == [Order(8, "take", "empty")], "numbers go on where the eyes are"
            assert "being done already" in eyes.asked.ask("take", "empty")["error"]
            await eyes.say(SetUp("empty", "judging", order=8))
            assert "being done already" in eyes.asked.ask("take", "empty")["error"]
            await eyes.say(SetUp("opening", order=8))
            assert "another device was faster" in eyes.asked.ask("take", "empty")["error"]
            assert "in play" in eyes.asked.ask("undo", "")["error"]
            # An order that got lost holds nobody up for long.
            assert "error" not in eyes.asked.ask("take", "opening")
            eyes.t += ANSWERED_S
            assert "error" not in eyes.asked.ask("take", "opening")

    run(story())


def test_another_calibration_is_written_down_once_and_its_board_is_played_on(tmp_path: Path) -> None:
    async def story() -> None:
        wider = replace(DEFAULT_BOARD, outer_line_mm=(103.0, 107.5))
        async with scene(tmp_path, UNDER_WAY, table=Table(pieces=[])) as at:
            eyes = Eyes(at, tmp_path)
            at.desk.board_again = lambda: wider
            set_up = SetUp(in_force_ns=1_000, grade="club", kept=True)
            for _ in range(3):
                await eyes.say(set_up, "ok")
            assert at.desk.shown.board == at.desk.reader.state.board == wider
            assert len(at.heard.alerts("calibrated")) == 1
            await stopped(at)
            assert "error" not in eyes.asked.ask("undo", "")
            # Said again after a restart it is not written down twice.
            at.desk.scribe.note_calibration(at.desk.shown.names.clock, 1_000, "club").future.result(30)
            assert [grade for _, grade in at.journal.calibrations()] == ["club"]
            start = await at.desk.rule(UNDER_WAY | {"position": {}}, "person:test")
            assert start.event["board"]["outer_line_mm"] == [103.0, 107.5], "the next match is played on it"

    run(story())
