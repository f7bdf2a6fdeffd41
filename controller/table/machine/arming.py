"""From a stand on the table to one that may umpire: what is tried before the first match, and how far it has got. Pure.

A coin through each pocket, the opening arrangement read, each striker shown once; parts and registration are the
table's health. An umpire signs for it, with whatever is still missing. Must not know who asks, nor where it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from calibration.board import Board
from controller.events.beams import BeamEdge
from controller.events.expectation import Expectation
from controller.events.observation import BoardSeen
from controller.events.reading import number
from controller.events.words import Pocket, Seat
from controller.shots.limits import Limits
from controller.shots.opening import opening_faults
from controller.shots.placement import lines_touched
from controller.shots.pulses import pulses_of
from controller.table.machine.health import Health

POCKETS: tuple[Pocket, ...] = ("NW", "NE", "SW", "SE")
KEPT_EDGES = 64
"""A coin through each pocket is sixteen edges; hands and second tries are more."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Arming:
    """How far it has got. `began`, `signed`: Unix seconds, None where it was not. `rack`: what is wrong with the
    opening arrangement, None while nobody has set it up.
    """

    began: float | None = None
    signed: float | None = None
    by: str = ""
    coins: frozenset[Pocket] = frozenset()
    rack: tuple[str, ...] | None = None
    strikers: frozenset[Seat] = frozenset()
    edges: tuple[BeamEdge, ...] = ()

    def taken(self, seen: object, book: Expectation | None, board: Board, limits: Limits) -> Arming:
        """Returns how far it has got after something was seen or felt; the same where that tells nothing new."""
        if self.began is None or self.signed is not None:
            return self
        if isinstance(seen, BeamEdge):
            return self._felt(seen, limits)
        if isinstance(seen, BoardSeen) and book is not None and not seen.hands:
            return self._seen(seen, book, board)
        return self

    def _felt(self, edge: BeamEdge, limits: Limits) -> Arming:
        edges = (*self.edges, edge)[-KEPT_EDGES:]
        fell = {pulse.pocket for pulse in pulses_of(edges, limits) if pulse.like_a_piece(limits)}
        return replace(self, edges=edges, coins=self.coins | fell)

    def _seen(self, seen: BoardSeen, book: Expectation, board: Board) -> Arming:
        faults = opening_faults(seen, replace(book, on_board=book.book_pieces), board)
        shown = {
            seat
            for piece in seen.pieces
            if piece.piece == "striker"
            for seat, _side in book.sides
            if lines_touched(board, seat, piece.x_mm, piece.y_mm) == 2
        }
        # An arrangement that was right has been read, whatever is cleared away afterwards.
        rack = self.rack if self.rack == () or faults is None else tuple(faults)
        return replace(self, rack=rack, strikers=self.strikers | shown)

    def told(self, health: Health, book: Expectation | None) -> Json | None:
        """How it stands, for the umpire's page; None where it was never begun."""
        if self.began is None:
            return None
        # What was signed for is over: it stands on record, and the table's health goes on by itself.
        steps = [] if self.signed is not None else self._steps(health, book)
        return {
            "began": self.began,
            "signed": self.signed,
            "by": self.by,
            "steps": steps,
            "missing": [f"{one['what']} {one['which']}".strip() for one in steps if not one["ok"]],
        }

    def _steps(self, health: Health, book: Expectation | None) -> list[Json]:
        steps = [_step("journal", health.journal == "ok" and not health.lost, health.lost or health.journal)]
        if health.broker != "none":
            steps.append(_step("broker", health.broker == "ok"))
        if health.node_works is not None:
            blind = ", ".join(health.blind_pockets)
            steps.append(_step("beams", health.node_works and not blind, health.faults().get("node", blind)))
        if health.camera_works is not None:
            eyes = health.eyes
            strikers = set(health.other_strikers().values())
            doubts = [says for says in eyes.warnings if says not in strikers] if eyes and health.camera_works else []
            steps.append(_step("camera", health.camera_works))
            steps.append(_step("registration", health.camera_works and not doubts, "; ".join(doubts)))
        if health.node_works is not None:
            steps += [_step("coin", pocket in self.coins, which=pocket) for pocket in POCKETS]
        if health.camera_works is not None:
            steps.append(_step("rack", self.rack == (), "; ".join(self.rack or ())))
            seats = [seat for seat, _side in book.sides] if book is not None else []
            steps += [_step("striker", seat in self.strikers, which=seat) for seat in seats]
        return steps


def _step(what: str, ok: bool, says: str = "", which: str = "") -> Json:
    return {"what": what, "which": which, "ok": ok, "says": "" if ok else says}


def begun(t_unix: float) -> Arming:
    """Returns the state at the beginning."""
    return Arming(began=t_unix)


def signed(now: Arming, by: str, t_unix: float) -> Arming:
    """Returns the state once somebody has signed for it."""
    return replace(now, signed=t_unix, by=by)


def remembered(line: Mapping[str, Any]) -> Arming:
    """Returns what was signed before a restart, from the record of it."""
    return Arming(number(line["began"], "began"), number(line["signed"], "signed"), by=str(line["by"]))
