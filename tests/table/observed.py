"""A simulated match as observations, edges and the truth, fed to a desk; the table waits until the desk has ruled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from calibration.board import DEFAULT_BOARD
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.match import Start
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.happenings import Decision, TrueRuling
from controller.simulator.pieces import pieces_of
from controller.simulator.scenario import SCENARIOS, Scenario
from controller.simulator.umpire import TrueUmpire
from tests.simulator.observed import Eyesight, ObservedTable
from tests.table.kit import BOOKS, S, Scene

START = Start("icf", {"south": "Asha", "north": "Ben"}, "south")
FIGURES = ("turn", "queen", "queen_side", "left", "in_hand", "owed", "score", "games", "match_over")
TICK_NS = S // 10


def start_event() -> dict[str, Any]:
    return event_to_json(START)


def simulated(scenario: str | Scenario = "clean", seed: int = 3, eyes: Eyesight | None = None) -> Iterator[Any]:
    """The stream of a match that never ends by itself."""
    wanted = SCENARIOS[scenario] if isinstance(scenario, str) else scenario
    table = SimulatedTable(
        Setting(START, scenario=wanted, seed=seed, fps=60.0, pieces=pieces_of(DEFAULT_BOARD)), TrueUmpire(BOOKS)
    )
    return ObservedTable(table, eyes or Eyesight(sigma_mm=0.05, unsure=0.0, missed=0.0, hidden=0.0), seed).play()


class Played:
    """Feeds a desk from a stream. `truth`: the true umpire's latest ruling; `strokes`: how many were played."""

    def __init__(self, stream: Iterator[Any]) -> None:
        self.stream = stream
        self.truth: dict[str, Any] = {}
        self.strokes = 0

    async def on(self, at: Scene, strokes: int) -> None:
        """Plays so many more strokes, up to where the next may come."""
        until = self.strokes + strokes
        for seen in self.stream:
            if isinstance(seen, TrueRuling):
                self.truth = ruling_to_json(seen.ruling)
            elif isinstance(seen, Decision):
                seen.release()
                self.strokes = seen.stroke
                if seen.kind == "ready" and self.strokes >= until:
                    return
            else:
                await self.until(at, seen.t_ns)
                await at.feed(seen)

    async def until(self, at: Scene, t_ns: int) -> None:
        """Time goes on, in ticks."""
        while at.table.now + TICK_NS < t_ns:
            at.table.now += TICK_NS
            await at.desk.tick()
        at.table.now = max(at.table.now, t_ns)
        await at.desk.tick()

    def figures(self, ruling: dict[str, Any]) -> dict[str, Any]:
        return {name: ruling[name] for name in FIGURES}
