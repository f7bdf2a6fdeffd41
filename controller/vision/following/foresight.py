"""Where everything should be in the next picture, and which resting pieces may have been hit on the way there.

Keeps the time of the last picture. Values in, values out; no pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.board import Board
from controller.events.observation import SeenPiece
from controller.vision.following.predict import Disc, run
from controller.vision.following.tracks import Followed


@dataclass(frozen=True, slots=True)
class Rests:
    """A piece that lies still, as the tracker knows it: its place in mm and who it is."""

    piece: SeenPiece
    radius_mm: float
    track: int | None = None


class Foresight:
    """`ahead` by the tracks' numbers (resting pieces below zero), `hit` by the resting pieces.

    `last_dt`: seconds between the last two pictures; `before_ns`: when the one before was taken.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self.ahead: dict[int, Disc] = {}
        self.hit: dict[Rests, Disc] = {}
        self._last_ns = 0
        self.last_dt = 0.0
        self.before_ns = 0

    def foresee(self, t_ns: int, tracks: Sequence[Followed], resting: Sequence[Rests]) -> None:
        """Runs everything known on to this picture's time: where to look, and who may have been hit."""
        self.ahead.clear()
        if not any(track.life == "moving" for track in tracks):
            # Nothing that rests is hit by nothing.
            self.hit = {}
            self.last_dt = (t_ns - self._last_ns) / 1e9 if self._last_ns else 0.0
            self.before_ns, self._last_ns = self._last_ns or t_ns, t_ns
            return
        discs: list[tuple[Disc, float]] = []
        late: list[tuple[Disc, float]] = []
        for track in tracks:
            if track.life != "moving":
                continue
            t0, x, y = track.last
            disc = Disc(track.number, x, y, track.vx, track.vy, track.radius_mm, self._mass(track.radius_mm))
            self.ahead[track.number] = disc
            (discs if t_ns - t0 < 2 * max(1, t_ns - self._last_ns) else late).append((disc, (t_ns - t0) / 1e9))
        dt = (t_ns - self._last_ns) / 1e9 if self._last_ns else 0.0
        for index, rests in enumerate(resting):
            disc = Disc(
                -1 - index, rests.piece.x_mm, rests.piece.y_mm, 0.0, 0.0, rests.radius_mm, self._mass(rests.radius_mm)
            )
            self.ahead[disc.key] = disc
            discs.append((disc, dt))
        run([disc for disc, _ in discs], dt, self._board.half_mm)
        for disc, since in late:
            run([disc], since, self._board.half_mm)
        self.hit = {
            rests: self.ahead[-1 - index]
            for index, rests in enumerate(resting)
            if self.ahead[-1 - index].met_s is not None
        }
        self.last_dt, self.before_ns, self._last_ns = dt, self._last_ns or t_ns, t_ns

    def _mass(self, radius_mm: float) -> float:
        return 2.7 if radius_mm > 0.5 * (self._board.coin_diameter_mm + self._board.striker_diameter_mm) / 2.0 else 1.0

    def of(self, track: Followed) -> Disc:
        """Where a track should be; where it was last if nothing was foreseen."""
        disc = self.ahead.get(track.number)
        if disc is None:
            _, x, y = track.last
            disc = Disc(track.number, x, y, track.vx, track.vy, track.radius_mm, 1.0)
            self.ahead[track.number] = disc
        return disc
