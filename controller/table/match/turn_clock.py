"""Drives the stroke clock by what is ruled and seen. Holds no rule: what a stroke's time is, `stroke_clock` says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.events.expectation import Expectation
from controller.events.observation import BoardSeen, MotionBegan, SeenPiece
from controller.table.match.ruled_match import Json
from controller.table.match.stroke_clock import StrokeClock, Turn, after_ruling

STRIKER_TAKEN_MM = 20.0
"""A striker that lies farther than this from where it came to rest has been taken up."""

_BEGINS = frozenset({"shot", "start", "resume", "play", "placed", "next_board", "set", "timeout", "pass"})
"""Events after which a further stroke's time begins, whoever was on turn."""


class TurnClock:
    """The stroke clock of one table: `clock` is how it stands."""

    def __init__(self) -> None:
        self.clock = StrokeClock()
        self._striker_mm: tuple[float, float] | None = None

    def stopped(self) -> None:
        """Stops it: a new match."""
        self.clock = self.clock.stopped()

    def blinded(self) -> None:
        """Nobody sees any more: nobody knows when a time began that runs, or waits for the striker to be taken."""
        if self.clock.since_ns is not None or self.clock.striker_mm is not None:
            self.clock = self.clock.unknown()

    def goes_on(self, expected: Expectation, ruling: Json, events: Sequence[str], *, limit_s: float | None) -> None:
        """After a restart: whoever is on turn may have been so for a while. `ruling`: the latest; `events`: what the
        match's events were, in order."""
        self.clock = StrokeClock(limit_s)
        # An answer or a word about something else, given since, neither calls for the break nor takes the call back.
        began = next(event for event in reversed(events) if event in _BEGINS)
        if _due(expected, {**ruling, "event": began}):
            self.clock = self.clock.unknown()

    def ruled(
        self, ruling: Json, before: Json | None, expected: Expectation, t_ns: int, *, limit_s: float | None, sees: bool
    ) -> None:
        """After a ruling on what ended at `t_ns`. `before`: the ruling before it; `sees`: strokes are seen, or none
        ever are and each counts when it is entered."""
        kind = ruling["event"]
        self.clock = replace(self.clock, limit_s=limit_s)
        if not sees:
            self.clock = self.clock.unknown() if _due(expected, ruling) else self.clock.stopped()
            return
        anew = kind in _BEGINS or before is None or ruling.get("turn") != before.get("turn")
        turn = Turn(expected.turn, _waits(expected, ruling), expected.opening, kind, anew)
        kept = bool(ruling.get("turn_kept"))
        self.clock = after_ruling(self.clock, turn, t_ns, self._striker_mm, kept=kept)

    def moved(self, seen: MotionBegan) -> None:
        """Something began to move."""
        self.clock = self.clock.moved(seen.t_ns)

    def stroke_ended(self, after: BoardSeen) -> None:
        """A stroke came to rest: remembers where its striker lies."""
        found = next((piece for piece in after.pieces if piece.piece == "striker"), None)
        self._striker_mm = None if found is None else (found.x_mm, found.y_mm)

    def sees(self, board: BoardSeen) -> None:
        """A board at rest: a player's time may begin with it, when the striker has been taken off it."""
        self.clock = self.clock.rested(board.since_ns)
        lay = self.clock.striker_mm
        if lay is None or board.hands or any(_lies_there(piece, lay) for piece in board.pieces):
            return
        self.clock = self.clock.started(board.t_ns)


def _waits(expected: Expectation, ruling: Json) -> bool:
    """Whether strokes do not count, or pieces have to be placed first."""
    return not expected.play or bool(expected.to_place) or bool(ruling.get("board", {}).get("over"))


def _due(expected: Expectation, ruling: Json) -> bool:
    """Whether a stroke's time runs; before a break it does once somebody called «play»."""
    called = not expected.opening or ruling["event"] == "play"
    return expected.turn is not None and not _waits(expected, ruling) and called


def _lies_there(piece: SeenPiece, at: tuple[float, float]) -> bool:
    far = (piece.x_mm - at[0]) ** 2 + (piece.y_mm - at[1]) ** 2
    return piece.piece == "striker" and far <= STRIKER_TAKEN_MM**2
