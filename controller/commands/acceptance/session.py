"""The guided acceptance: what is seen, felt and pressed goes in, words for a person come out. Pure, without a clock.

A placement is measured by itself when its strikers lie still in several looks running; coins are counted until
somebody presses «done». What fails is asked for once more. Must not know cameras, ports or pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist
from statistics import fmean
from typing import Literal

from controller.commands.acceptance.plan import TRIES, Spot, Step
from controller.commands.acceptance.verdict import Lit, Measured, coins_counted, placed_at, row_of
from controller.pockets.pulses import Passage

NEAR_MM = 15.0
"""A striker farther from its place than this lies at another one: the marks are three times as far apart."""
LOOKS = 3
"""So many looks running must agree before a place is measured: their mean is."""
STEADY_MM = 0.4
"""What still moves between looks by more is held by a hand."""
DARKER = 0.9
"""Lamps that give less than a tenth of the light are not worth the test; the light must fall below this share."""

Button = Literal["done", "again", "skip"]
BUTTONS: tuple[Button, ...] = ("done", "again", "skip")
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at the board: centres of the strikers in mm, how many pieces there are, whether a hand or anything
    foreign lies on it, the surface's brightness (median, 0 to 255)."""

    strikers: tuple[Point, ...]
    pieces: int
    covered: bool
    light: float


@dataclass(frozen=True, slots=True)
class Guidance:
    """Words for whoever stands at the board: what to `do`, what `passed` or `failed`, what is `wanted` meanwhile."""

    kind: Literal["do", "passed", "failed", "wanted"]
    says: str


class Acceptance:
    """One guided acceptance. `measured`: what an earlier sitting has measured, by step."""

    def __init__(self, steps: Sequence[Step], measured: Mapping[str, Measured]) -> None:
        self.steps = tuple(steps)
        self.measured = {step.id: measured[step.id] for step in steps if step.id in measured}
        self._skipped: set[str] = set()
        self._looks: list[Seen] = []
        self._latest: Seen | None = None
        self._tries = 0
        self._armed = True
        self._counted, self._elsewhere = 0, 0
        self._blocked: tuple[str, ...] = ()
        self._silent = False
        self._last_wanted = ""

    @property
    def step(self) -> Step | None:
        """What is wanted now; None when nothing is left."""
        return next((one for one in self.steps if one.id not in self.measured and one.id not in self._skipped), None)

    @property
    def coins(self) -> int:
        """How many coins of the step under way were counted."""
        return self._counted

    @property
    def at(self) -> str:
        """Where the step under way stands among all: «3 of 54»."""
        step = self.step
        return "" if step is None else f"{self.steps.index(step) + 1} of {len(self.steps)}"

    def begin(self) -> tuple[Guidance, ...]:
        """Returns what to do first."""
        return self._do()

    def see(self, seen: Seen) -> tuple[Guidance, ...]:
        """Takes the next look; returns what there is to say."""
        step = self.step
        if step is None or step.kind == "coins":
            return ()
        self._looks, self._latest = [*self._looks, seen][-LOOKS:], seen
        if step.kind == "placements":
            return self._placements(step, seen)
        return self._lamps(step, seen)

    def felt(self, passage: Passage) -> tuple[Guidance, ...]:
        """Takes what passed through a pocket. A hand counts for nothing, a piece on its way out for one elsewhere."""
        step = self.step
        if step is None or step.kind != "coins" or passage.direction == "hand":
            return ()
        if passage.pocket == step.pocket and passage.direction != "out":
            self._counted += 1
            return (Guidance("wanted", f"{passage.pocket}: {self._counted}"),)
        self._elsewhere += 1
        return (Guidance("wanted", f"{passage.pocket}: counted as {passage.direction}; {step.pocket} is asked for"),)

    def beams(self, blocked: Sequence[str], *, silent: bool = False) -> None:
        """Takes the beams that are not free now; `silent`: nobody knows, the pocket node does not answer."""
        self._blocked, self._silent = tuple(blocked), silent

    def press(self, button: Button) -> tuple[Guidance, ...]:
        """Takes a button: `done` measures what is there, `again` tries the step before anew, `skip` leaves one out."""
        step = self.step
        if button == "again":
            return self._again()
        if step is None:
            return ()
        if button == "skip":
            self._skipped.add(step.id)
            self._fresh()
            return (Guidance("failed", "left out: not tried"), *self._do())
        if step.kind == "coins":
            return self._finish(step, Measured(self._tries + 1, counted=coins_counted(self._counted, self._elsewhere)))
        if self._latest is None:
            return (Guidance("wanted", "no picture has come yet"),)
        if step.kind == "placements":
            return self._measure(step, [self._latest])
        if not self._armed:
            self._fresh(tries=self._tries)
            return ()
        if says := self._too_bright(step, self._latest):
            return (Guidance("wanted", says),)
        return self._light(step, self._latest)

    # -- what is seen

    def _placements(self, step: Step, seen: Seen) -> tuple[Guidance, ...]:
        there = [_nearest(spot, seen) for spot in step.spots]
        if not self._armed:
            # The first try lies there still: it is not measured twice.
            self._armed = seen.covered or None in there
            return ()
        if seen.covered:
            self._looks.clear()
            return self._wanted("something lies on the board: the gauge or a hand")
        if None in there:
            self._looks.clear()
            lacking = next(spot for spot, one in zip(step.spots, there, strict=True) if one is None)
            return self._wanted(f"no striker within {NEAR_MM:.0f} mm of mark {lacking.mark}")
        if len(self._looks) < LOOKS or not all(_steady(spot, self._looks) for spot in step.spots):
            return ()
        return self._measure(step, self._looks)

    def _measure(self, step: Step, looks: Sequence[Seen]) -> tuple[Guidance, ...]:
        placed = []
        for spot in step.spots:
            found = [one for seen in looks if (one := _nearest(spot, seen)) is not None]
            mean = (fmean(x for x, _ in found), fmean(y for _, y in found)) if found else None
            placed.append(placed_at(spot, mean))
        return self._finish(step, Measured(self._tries + 1, placed=tuple(placed)))

    def _lamps(self, step: Step, seen: Seen) -> tuple[Guidance, ...]:
        if seen.covered:
            self._looks.clear()
            return self._wanted("something lies on the board")
        if says := self._too_bright(step, seen):
            self._looks.clear()
            return self._wanted(says)
        # What failed once waits for a button: fixing it takes longer than three looks.
        if len(self._looks) < LOOKS or not self._armed:
            return ()
        return self._light(step, max(self._looks, key=lambda look: look.pieces))

    def _too_bright(self, step: Step, seen: Seen) -> str:
        """Why the lamps are not off; empty where they are, or need not be, or nobody knows how bright they were."""
        bright = self.measured.get("lamps on")
        lit = bright.lit.light if bright is not None and bright.lit is not None else None
        if step.kind != "lamps off" or lit is None or seen.light <= DARKER * lit:
            return ""
        return f"it is not darker: {seen.light:.0f} of 255, with lamps {lit:.0f}"

    def _light(self, step: Step, seen: Seen) -> tuple[Guidance, ...]:
        return self._finish(
            step, Measured(self._tries + 1, lit=Lit(seen.light, seen.pieces, self._blocked, self._silent))
        )

    # -- how it goes on

    def _finish(self, step: Step, measured: Measured) -> tuple[Guidance, ...]:
        row = row_of(step, measured)
        if row.state == "failed" and measured.tries < TRIES:
            self._fresh(tries=measured.tries, armed=step.kind == "coins")
            then = "once more, press «done» when it is repaired" if step.kind.startswith("lamps") else "once more"
            return (Guidance("failed", f"{row.says}: {then}"), *self._do())
        self.measured[step.id] = measured
        self._fresh()
        return (Guidance("passed" if row.state == "passed" else "failed", row.says), *self._do())

    def _again(self) -> tuple[Guidance, ...]:
        done = [step for step in self.steps if step.id in self.measured]
        if not done:
            return (Guidance("wanted", "nothing was measured yet"),)
        tries = self.measured.pop(done[-1].id).tries
        self._fresh(tries=tries, armed=done[-1].kind != "placements")
        return self._do()

    def _fresh(self, tries: int = 0, *, armed: bool = True) -> None:
        self._looks, self._latest, self._tries, self._armed = [], None, tries, armed
        self._counted, self._elsewhere, self._last_wanted = 0, 0, ""

    def _do(self) -> tuple[Guidance, ...]:
        step = self.step
        if step is None:
            return ()
        return (Guidance("do", f"{self.at}: {step.says}"),)

    def _wanted(self, says: str) -> tuple[Guidance, ...]:
        if says == self._last_wanted:
            return ()
        self._last_wanted = says
        return (Guidance("wanted", says),)


def _nearest(spot: Spot, seen: Seen) -> Point | None:
    """Returns the striker at a place, None where none lies near it."""
    at = (spot.x_mm, spot.y_mm)
    near = min(seen.strikers, key=lambda one: dist(one, at), default=None)
    return near if near is not None and dist(near, at) <= NEAR_MM else None


def _steady(spot: Spot, looks: Sequence[Seen]) -> bool:
    places = [one for seen in looks if (one := _nearest(spot, seen)) is not None]
    return len(places) == len(looks) and all(dist(places[0], one) <= STEADY_MM for one in places)
