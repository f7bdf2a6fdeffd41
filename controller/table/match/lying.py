"""Where the pieces lie, as it is published: each change once, moving pieces ten times a second at most. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.events.observation import SeenPiece, Track
from controller.mqtt.payloads import Lying, LyingPiece

LIVE_NS = 100_000_000
"""Moving positions go out at most this often."""


class LyingNow:
    """`told`: what was published last, None before the first board."""

    def __init__(self) -> None:
        self.told: Lying | None = None
        self._live_ns = 0

    def seen(self, t_ns: int, t_unix: float, pieces: Sequence[SeenPiece], *, moving: bool) -> Lying | None:
        """Returns what is to be published of a board, None if it is nothing new or too soon."""
        if moving:
            if t_ns - self._live_ns < LIVE_NS:
                return None
            self._live_ns = t_ns
        lying = tuple(LyingPiece(piece.piece, round(piece.x_mm, 1), round(piece.y_mm, 1)) for piece in pieces)
        if self.told is not None and (lying, moving) == (self.told.pieces, self.told.moving):
            return None
        self.told = Lying(t_unix, lying, moving)
        return self.told


def drawn(track: Track) -> dict[str, Any]:
    """A track as the pages draw it."""
    return {"piece": track.piece, "points": [[round(at.x_mm, 1), round(at.y_mm, 1)] for at in track.samples]}
