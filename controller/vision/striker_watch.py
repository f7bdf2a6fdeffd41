"""Notices when another striker is played than before: each seat's striker is learnt while it lies placed.

Strikers at rest are measured (`striker_look.py`), at most once a place. A striker that differs in several rests running
is reported as another one, and is the known one from then on. Must not know whose turn it is or what the laws allow.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import hypot

from calibration.board import SEATS, Board, board_to_seat
from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, SeenPiece
from controller.events.words import Seat
from controller.vision.looks import Looks, Pixels
from controller.vision.striker_look import StrikerLook, striker_look, typical, unlikeness

OTHER_TONE = 0.1
"""On simulated boards one striker differs from itself by up to 0.04, strikers of other colours by 0.17 and more."""

OTHER_SIZE_MM = 1.0
"""One striker's size differs by up to 0.4 mm from rest to rest where its rim is clear."""

KNOWN_AFTER, SURE_AFTER, KEPT = 3, 3, 8
"""Rests after which a striker is known, and another one is certain; how many looks are remembered."""

ANOTHER_PLACE_MM = 2.0
BESIDE_MM, PLACED_MM = 8.0, 12.0
TOLD_NS = 60_000_000_000
TOLERANCE_MM = 0.7
"""A striker that measures so much more than this board's is too large."""
LEAST_VISIBLE = 0.95


@dataclass(slots=True)
class _Known:
    """What is known of one seat's striker."""

    looks: deque[StrikerLook] = field(default_factory=lambda: deque(maxlen=KEPT))
    odd: list[StrikerLook] = field(default_factory=list)
    told_ns: int | None = None
    says: str = ""


class StrikerWatch:
    """Watches the strikers of one table through one camera."""

    def __init__(self, model: CameraModel, looks: Looks, board: Board) -> None:
        self._model = model
        self._looks = looks
        self._board = board
        self._known: dict[Seat, _Known] = {}
        self._seat: Seat | None = None
        self._last: tuple[float, float] | None = None
        self._now_ns = 0

    def due(self, seen: BoardSeen) -> SeenPiece | None:
        """The striker that should be measured in this picture, if any: it lies free, and where it was not measured."""
        self._now_ns = seen.t_ns
        strikers = [piece for piece in seen.pieces if piece.piece == "striker"]
        if len(strikers) != 1 or seen.hands:
            return None
        striker = strikers[0]
        if striker.visible < LEAST_VISIBLE or striker.upright:
            return None
        at = (striker.x_mm, striker.y_mm)
        placed = _placed(self._board, at)
        if placed is not None:
            self._seat = placed
        near = self._last is not None and hypot(at[0] - self._last[0], at[1] - self._last[1]) < ANOTHER_PLACE_MM
        if self._seat is None or near:
            return None
        reach = (self._looks.striker_diameter_mm + self._looks.coin_diameter_mm) / 2.0 + BESIDE_MM
        others = (piece for piece in seen.pieces if piece is not striker)
        # A neighbour's shadow and rim would be taken for its own.
        if any(hypot(piece.x_mm - at[0], piece.y_mm - at[1]) < reach for piece in others):
            return None
        return striker

    def look(self, picture: Pixels, striker: SeenPiece) -> None:
        """Measures the striker in the picture (h, w, 3) BGR in which `due` asked for it."""
        at = (striker.x_mm, striker.y_mm)
        self._last = at
        looks = self._looks
        now = striker_look(picture, self._model, at, looks.striker_diameter_mm, looks.striker_thickness_mm)
        if now is None or self._seat is None:
            return
        known = self._known.setdefault(self._seat, _Known())
        if len(known.looks) < KNOWN_AFTER:
            known.looks.append(now)
            if len(known.looks) == KNOWN_AFTER:
                self._judge_size(self._seat, known)
            return
        before = typical(known.looks)
        tone, size = unlikeness(before, now)
        if tone <= OTHER_TONE and size <= OTHER_SIZE_MM:
            known.odd.clear()
            # Slowly changing light is followed.
            known.looks.append(now)
            return
        known.odd.append(now)
        if len(known.odd) >= SURE_AFTER:
            self._tell(self._seat, known, before)

    @property
    def changed(self) -> tuple[Seat, ...]:
        """The seats at which another striker than before lay within the last minute."""
        return tuple(seat for seat, known in self._known.items() if known.says and self._fresh(known))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be reported of the strikers now."""
        return tuple(known.says for known in self._known.values() if known.says and self._fresh(known))

    def _fresh(self, known: _Known) -> bool:
        return known.told_ns is not None and self._now_ns - known.told_ns < TOLD_NS

    def _tell(self, seat: Seat, known: _Known, before: StrikerLook) -> None:
        after = typical(known.odd)
        tone, size = unlikeness(before, after)
        if tone > OTHER_TONE or size > OTHER_SIZE_MM:
            how = [f"its colours differ by {100 * tone:.0f} %"] if tone > OTHER_TONE else []
            if size > OTHER_SIZE_MM:
                how.append(f"{before.across_mm:.1f} mm across before, {after.across_mm:.1f} mm now")
            known.says = f"{seat} plays another striker than before: {' and '.join(how)}"
            known.told_ns = self._now_ns
            known.looks = deque(known.odd, maxlen=KEPT)
        known.odd = []

    def _judge_size(self, seat: Seat, known: _Known) -> None:
        across = typical(known.looks).across_mm
        largest = self._board.striker_diameter_mm
        if across is not None and across > largest + TOLERANCE_MM:
            known.says = (
                f"{seat}'s striker measures {across:.1f} mm across; on this board at most {largest:g} mm are allowed"
            )
            known.told_ns = self._now_ns


def _placed(board: Board, at: tuple[float, float]) -> Seat | None:
    """The seat between whose base lines a place lies."""
    middle = (board.outer_line_y_mm[1] + board.inner_line_y_mm[0]) / 2.0
    for seat in SEATS:
        across, away = board_to_seat(seat, *at)
        if abs(away - middle) < PLACED_MM and abs(across) < board.base_circle_along_mm + PLACED_MM:
            return seat  # type: ignore[return-value]
    return None
