"""Eyes that get a fifth of a processor: what they cannot hold is left out, counted and said, and no stroke is told
wrongly for it; beside the same strokes with all of it.

CARROM_SOAK_STROKES: how many strokes are played, in real time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest

from controller.commands.demo.house import House
from controller.commands.demo.tally import Tally
from tests.e2e.interrupted import InterruptedShow, figures, perform
from tests.repeated import repeated

Houses = Callable[..., AbstractContextManager[House]]
STROKES = int(os.environ.get("CARROM_SOAK_STROKES", "12"))
SHARE = 0.2
PERIOD_S = 0.05
"""The kernel's own throttle (cpu.max) works in periods of a tenth of a second; this is finer, and needs no rights."""

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


def throttled(pid: int) -> AbstractContextManager[None]:
    """Lets a process run for a fifth of the time."""

    def stop() -> None:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(PERIOD_S * (1 - SHARE))
        os.kill(pid, signal.SIGCONT)

    return repeated(stop, PERIOD_S * SHARE)


@dataclass
class Looks:
    """What the table says of itself after each stroke."""

    health: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, stands: House, _show: InterruptedShow) -> Iterator[None]:
        self.health.append(stands.official.state()["health"])
        return iter(())


def play(house: Houses, share: float) -> tuple[Tally, Looks, bool]:
    looks = Looks()
    with house(seed=9, scenario="clean", speed=1.0) as stands, contextlib.ExitStack() as stack:
        eyes = stands.stage.children["eyes"].process
        assert eyes is not None
        if share < 1:
            stack.enter_context(throttled(eyes.pid))
        show = perform(stands, shots=STROKES, between=looks, missed_after_s=30)
        right = figures(stands.official.state()["ruling"]) == figures(show.truth)
    tally = show.tally
    print(
        f"\n{share:.0%} of a processor: {tally.agreeing} of {len(tally.strokes)} right in every fact, "
        f"{tally.questions} questions, {tally.set_to_truth} set right, {tally.silent} silent, "
        f"{tally.false_fouls} false fouls; "
        f"{[(one['fps'], one['dropped'], one['grade']) for one in looks.health]}"
    )
    return tally, looks, right


def test_no_stroke_is_told_wrongly_for_want_of_processor(house: Houses, tmp_path: Any) -> None:
    tally, looks, right = play(house, 1.0)
    assert (tally.silent, tally.false_fouls, right) == (0, 0, True)
    whole = looks.health[-1]
    tally, looks, right = play(lambda **plan: house(**plan, keep=tmp_path / "throttled"), SHARE)
    assert (tally.silent, tally.false_fouls, right) == (0, 0, True)
    assert looks.health[-1]["dropped"] > whole["dropped"]
    assert "basic" in {one["grade"] for one in looks.health}
    assert any("does not keep up" in one["says"] for one in looks.health)
