"""What was measured, and what follows from it: each step passed, failed or not tried, and the grade. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import fmean
from typing import Literal

from controller.commands.acceptance.plan import CLUB_MM, COINS, MATCH_MM, Spot, Step
from controller.events.words import GRADES, Grade

State = Literal["passed", "failed", "not tried"]


@dataclass(frozen=True, slots=True)
class Placed:
    """One placement: the true centre by the gauge, and the centre that the camera gave, in mm on the board.

    Not detected where `seen_x_mm` and `seen_y_mm` are None.
    """

    striker: str
    mark: int
    x_mm: float
    y_mm: float
    seen_x_mm: float | None = None
    seen_y_mm: float | None = None

    @property
    def off_mm(self) -> float | None:
        """How far the camera is from the gauge."""
        if self.seen_x_mm is None or self.seen_y_mm is None:
            return None
        return hypot(self.seen_x_mm - self.x_mm, self.seen_y_mm - self.y_mm)


@dataclass(frozen=True, slots=True)
class Counted:
    """Coins through one pocket: how many were dropped, how many falls its beams counted, how many others did."""

    dropped: int
    counted: int
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Lit:
    """The bare board in one light: its brightness (median, 0 to 255), pieces that were detected, beams not free."""

    light: float
    pieces: int
    blocked: tuple[str, ...] = ()
    silent: bool = False
    """Whether the pocket node did not answer: then nobody knows whether its beams are free."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one step gave the last time that it was tried."""

    tries: int
    placed: tuple[Placed, ...] = ()
    counted: Counted | None = None
    lit: Lit | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One step's result, in words."""

    step: str
    state: State
    says: str
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The whole result. `grade`: the best one that the table has proved; `refused`: why it is not *match*.

    `holds`: whether that is what camera, calibration and beams claim, and nothing was left out or failed but placements
    beyond the limit of *match*.
    `placements`: how many were measured; `worst_mm` and `mean_mm` of them, None where there are none.
    """

    grade: Grade
    holds: bool
    refused: tuple[str, ...]
    rows: tuple[Row, ...]
    placements: int
    worst_mm: float | None
    mean_mm: float | None


def placed_at(spot: Spot, seen: tuple[float, float] | None) -> Placed:
    """Returns the measurement of a striker at its place; `seen`: where the camera has it, None for nowhere."""
    x, y = (None, None) if seen is None else seen
    return Placed(spot.striker, spot.mark, spot.x_mm, spot.y_mm, x, y)


def row_of(step: Step, measured: Measured | None) -> Row:
    """Judges one step."""
    if measured is None:
        return Row(step.id, "not tried", "not tried")
    if step.kind == "placements":
        passed, says = _placements(measured.placed)
    elif step.kind == "coins":
        passed, says = _coins(measured.counted)
    else:
        passed, says = _lamps(measured.lit)
    return Row(step.id, "passed" if passed else "failed", says, measured.tries)


def _placements(placed: Sequence[Placed]) -> tuple[bool, str]:
    says = ", ".join(
        f"{one.striker} at {one.mark}: " + ("not detected" if one.off_mm is None else f"{one.off_mm:.2f} mm")
        for one in placed
    )
    return all(one.off_mm is not None and one.off_mm <= MATCH_MM for one in placed), says


def _coins(counted: Counted | None) -> tuple[bool, str]:
    assert counted is not None
    says = f"{counted.counted} of {counted.dropped} coins counted"
    if counted.elsewhere:
        says += f", {counted.elsewhere} elsewhere or on the way out"
    return counted.counted == counted.dropped and not counted.elsewhere, says


def _lamps(lit: Lit | None) -> tuple[bool, str]:
    assert lit is not None
    says = f"light {lit.light:.0f} of 255, {lit.pieces} pieces detected on the bare board"
    if lit.blocked:
        says += f", beams not free: {', '.join(lit.blocked)}"
    if lit.silent:
        says += ", the pocket node does not answer"
    return not lit.pieces and not lit.blocked and not lit.silent, says


def verdict_of(steps: Sequence[Step], measured: Mapping[str, Measured], camera: Grade, *, beams: bool) -> Verdict:
    """Returns the verdict. `camera`: the grade that camera and calibration allow before anything was tried.

    Never better than that; *match* only where every step passed, *club* where no placement is off by more than
    `CLUB_MM` and no seat went untried.
    """
    rows = tuple(row_of(step, measured.get(step.id)) for step in steps)
    placed = [one for step in steps if step.id in measured for one in measured[step.id].placed]
    offs = [off for one in placed if (off := one.off_mm) is not None]
    worst = max(offs, default=None)
    refused = []
    if camera != "match":
        refused.append(f"camera and calibration are {camera}")
    if not beams:
        refused.append("this table has no beams: no fall was counted")
    if worst is not None and worst > MATCH_MM:
        refused.append(f"a placement is off by {worst:.2f} mm, beyond {MATCH_MM:.1f}")
    for state, what in (("failed", "failed"), ("not tried", "were not tried")):
        if those := [row.step for row in rows if row.state == state]:
            shown = ", ".join(those[:4]) + (f" and {len(those) - 4} more" if len(those) > 4 else "")
            refused.append(f"{len(those)} of {len(rows)} steps {what}: {shown}")
    wanted = sum(len(step.spots) for step in steps)
    proved: Grade = "match"
    if refused:
        fine = worst is not None and worst <= CLUB_MM and len(offs) == wanted
        proved = "club" if fine else "basic"
    grade = min(camera, proved, key=GRADES.index)
    claimed = camera if beams else min(camera, "club", key=GRADES.index)
    gauged = {step.id for step in steps if step.kind == "placements"}
    sound = all(row.state == "passed" or (row.state == "failed" and row.step in gauged) for row in rows)
    return Verdict(
        grade,
        grade == claimed and sound,
        tuple(refused),
        rows,
        len(offs),
        worst,
        fmean(offs) if offs else None,
    )


def coins_counted(counted: int, elsewhere: int) -> Counted:
    """Returns what a pocket's beams made of the coins of one step."""
    return Counted(COINS, counted, elsewhere)
