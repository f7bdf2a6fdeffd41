"""A whole match (sixes: one board, six pieces each) is played before the camera and into the node's pockets.

The players, their board and the truth are the simulator's, outside; the umpire answers what is asked through the
table's own page. Every stroke has to be ruled, and none wrongly without a question or a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from calibration.measures import measures_of
from calibration.presets import PRESETS
from controller.commands.demo.house import PLAYERS
from controller.commands.demo.official import Official
from controller.commands.demo.show import SAME_S, Show
from controller.commands.demo.tally import Tally
from controller.events.codec import event_to_json
from controller.events.match import Start
from controller.rules.shelf import load_books
from controller.simulator.board import Pace, SimulatedBoard
from controller.simulator.camera import Camera
from controller.simulator.clock import ClockFile
from controller.simulator.director import Setting
from controller.simulator.happenings import Decision, FrameDue
from controller.simulator.looks import Look
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire
from tests.system.stages.at_table import LOOK, PATIENCE_S, await_said, devices, heard, pin, show
from tests.system.stages.common import CARROM, JOURNAL, Place, active, asked_journal, unpack, up, wanted
from tests.system.table import Line

BOOK = "sixes"
SEED = 1
MISSED_AFTER_S = 25.0
"""One slow core does what a Pi's four do: eyes and daemon may be that far behind the pictures."""


@dataclass
class FarShow(Show):
    """A show whose table has a clock of its own: how far ahead it is, the first stroke says."""

    ahead_s: float | None = None

    def _of(self, decision: Decision) -> tuple[dict[str, Any], dict[str, Any]] | None:
        assert decision.shot is not None
        assert decision.shot.t is not None
        for heard_one in self._heard:
            ahead_s = heard_one[0]["t"] - decision.shot.t
            if self.ahead_s is None or abs(ahead_s - self.ahead_s) <= SAME_S:
                self.ahead_s = ahead_s
                self._heard.remove(heard_one)
                return heard_one
        return None


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    up(vm)
    unpack(vm)
    with devices(vm) as line, heard(vm) as ears:
        clock = ClockFile(place.folder / "clock")
        board = simulated(line, clock)
        official = Official(f"http://127.0.0.1:{vm.port(8080)}", pin(vm), patience_s=PATIENCE_S)
        began_match = official.act(event_to_json(board.table.setting.start))
        wanted(bool(began_match.get("saved")), "the match has begun", str(began_match))
        show(line, first_picture(line, clock), -1.0)
        for what in ("camera", "node"):
            line.plug(what)
        await_said("armed", lambda: ears.armed == "armed", ears)
        lines: list[str] = []

        def progress(tally: Tally, _truth: dict[str, Any]) -> None:
            lines.append(f"{len(tally.strokes)} strokes, {tally.agreeing} right, {tally.questions} questions")
            print("match:", lines[-1], flush=True)

        played = FarShow(board, ears, official, progress, missed_after_s=MISSED_AFTER_S)
        began = vm.uptime()
        board.run(played.decide, played.shown)
        tally = played.tally
        missed = sum(one.missed for one in tally.strokes)
        yield (
            f"{len(tally.strokes)} strokes in {vm.uptime() - began:.0f} s: {tally.agreeing} read right in every fact, "
            f"{missed} missed, {tally.questions} questions, {tally.set_to_truth} times set to the truth, "
            f"{tally.false_fouls} false fouls, {tally.silent} silent errors"
        )
        wanted(tally.silent == 0, "no silent error", str(tally))
        wanted(bool(played.truth.get("match_over")), "the match was played to its end", str(played.truth))
        score = official.state().get("ruling") or {}
        wanted(bool(score.get("match_over")), "the table's match is over, too", str(score))
        wanted(score.get("winner") == played.truth.get("winner"), "the same side has won", f"{score} {played.truth}")
        yield f"the match is over: {score.get('winner')} has won, as in truth"
    edges = asked_journal(vm, "SELECT count(*) FROM observed WHERE kind = 'edge'")
    replayed = vm.run(f"{CARROM} replay {JOURNAL}").text
    wanted("the same rulings" in replayed, "carrom replay rules it the same", replayed)
    yield f"{edges} edges of beams came over the serial port and are in the journal; replayed, the rulings are the same"
    yield active(vm)
    vm.off()


def look() -> Look:
    """The table as it is drawn: with the book's number of pieces."""
    return replace(LOOK, pieces=replace(LOOK.pieces, each=load_books()[BOOK].pieces["white"]))


def first_picture(line: Line, clock: ClockFile) -> npt.NDArray[np.uint8]:
    """What is seen before the match begins: the same table that will be played on, set up."""
    table = simulated(line, clock).table
    first = next(one for one in table.play() if isinstance(one, FrameDue))
    return Camera(look(), SEED).take(table.reel, first.t_s).picture


def simulated(line: Line, clock: ClockFile) -> SimulatedBoard:
    """The board and its players, whose pictures and beams go down the line."""
    start = Start(BOOK, dict(PLAYERS), first="south", board=measures_of(PRESETS["international"]))
    setting = Setting(start, look().pieces, scenario=SCENARIOS["clean"], seed=SEED, fps=LOOK.rig.fps, matches=1)
    board = SimulatedBoard(setting, TrueUmpire(load_books()), clock, look=look(), pace=Pace(None), node=cast(Any, line))
    board.stream = cast(Any, line)
    return board
