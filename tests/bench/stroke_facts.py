"""Every fact of a stroke that was followed, held against the simulator's truth: counts of right ones, by fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import atan2, degrees, hypot

from calibration.board import DEFAULT_BOARD, SEATS
from controller.events.observation import StrokeSeen, Track
from controller.shots.facts import StrokeContext, crossed_baseline, left_baseline
from controller.shots.limits import Limits
from controller.shots.played import with_striker
from controller.simulator.truth import true_shot
from tests.vision.following.simulated import Episode, Played

FACTS = {
    "seen": "strokes seen",
    "first motion": "first motion within 1.5 times its stated error",
    "placed": "placement said (else hidden by the hand)",
    "placed 1 mm": "… within 1 mm",
    "placed u95": "… within its stated 95 %",
    "heading": "direction of first motion within 2 times its stated error",
    "rest before": "all at rest when struck",
    "left": "left the base line",
    "first contact": "first piece met, and the cushions before it",
    "contact sure": "… where its order is said to be certain",
    "fell": "what fell, and where: strokes right",
    "fell when": "… timed within 50 ms",
    "off board": "what left the board",
    "crossed": "pieces that crossed a base line",
    "explained": "every piece accounted for",
    "counts after": "classes on the board after",
}


class Facts:
    """How many of each fact were right, of how many that could be said; `extra` strokes that were none."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.of: Counter[str] = Counter()
        self.extra = 0
        self.placed_mm: list[float] = []
        self.turned_deg: list[float] = []

    def hold(self, episode: Episode, said: Sequence[StrokeSeen]) -> None:
        """Holds what was said of an episode against the truth."""
        read = (with_striker(stroke, DEFAULT_BOARD, SEATS) for stroke in said)
        left = [stroke for stroke in read if stroke.struck is not None]
        for true in episode.played:
            near = [s for s in left if s.struck and abs(s.struck.first_motion_ns / 1e9 - true.struck_s) < 0.3]
            self._count("seen", bool(near))
            if near:
                left.remove(near[0])
                self._stroke(episode, true, near[0])
        self.extra += len(left)

    def _count(self, fact: str, right: bool) -> None:
        self.of[fact] += 1
        self.right[fact] += right

    def _stroke(self, episode: Episode, true: Played, seen: StrokeSeen) -> None:
        assert seen.struck is not None
        struck, pieces = seen.struck, episode.look.pieces
        shot = true_shot(true.stroke.seat, true.motion, pieces, true.stroke.at_mm, true.struck_s, 1.0)
        late = abs(struck.first_motion_ns / 1e9 - true.struck_s)
        self._count("first motion", late <= max(0.01, 1.5 * struck.u_first_motion_ns / 1e9))
        placed = struck.placed if struck.placed is not None and struck.placed.visible > 0.0 else None
        self._count("placed", placed is not None)
        if placed is not None:
            off = hypot(placed.x_mm - true.stroke.at_mm[0], placed.y_mm - true.stroke.at_mm[1])
            self.placed_mm.append(off)
            self._count("placed 1 mm", off < 1.0)
            self._count("placed u95", off <= placed.u95_mm)
        if struck.heading_deg is not None and struck.u_heading_deg is not None:
            vx, vy = true.stroke.velocity
            turned = (struck.heading_deg - degrees(atan2(vy, vx)) + 180.0) % 360.0 - 180.0
            self.turned_deg.append(abs(turned))
            self._count("heading", abs(turned) <= 2.0 * struck.u_heading_deg)
        if seen.all_at_rest is not None:
            self._count("rest before", seen.all_at_rest)
        coins = sum(one.piece != "striker" for one in shot.pocketed)
        context = StrokeContext(DEFAULT_BOARD, seen, true.stroke.seat, Limits(), fallen=coins)
        went = left_baseline(context).value
        if went is not None:
            self._count("left", went == shot.left_baseline)
        fell = [track for track in seen.tracks if track.vanished is not None and track.vanished.how == "pocket"]
        self._count("fell", _where(fell) == Counter((one.piece, one.pocket) for one in shot.pocketed))
        for one in shot.pocketed:
            times = [
                t.vanished.t_ns / 1e9
                for t in fell
                if t.vanished and (t.piece, t.vanished.near) == (one.piece, one.pocket)
            ]
            if times:
                self._count("fell when", min(abs(t - one.t) for t in times) <= 0.05)
        off_board = Counter(t.piece for t in seen.tracks if t.vanished is not None and t.vanished.how == "frame")
        self._count("off board", off_board == Counter(shot.off_board))
        self._count("crossed", crossed_baseline(context).value == shot.crossed_baseline)
        self._count("explained", not any(t.start and t.vanished and t.vanished.how == "unknown" for t in seen.tracks))
        lying = Counter(pieces.piece(name) for name in true.motion.resting())
        self._count("counts after", Counter(piece.piece for piece in seen.after.pieces) == lying)
        self._contacts([contact.touched for contact in shot.contacts], seen)

    def _contacts(self, true: Sequence[str], seen: StrokeSeen) -> None:
        told = _first([touch.touched for touch in seen.touches])
        right = told == _first(true)
        self._count("first contact", right)
        if told and all(touch.certain for touch in seen.touches[: len(told)]):
            self._count("contact sure", right)


def _where(tracks: Sequence[Track]) -> Counter[tuple[str, str]]:
    return Counter((t.piece, str(t.vanished.near)) for t in tracks if t.vanished is not None)


def _first(touched: Sequence[str]) -> list[str]:
    """The touches up to the first piece."""
    out: list[str] = []
    for one in touched:
        out.append(one)
        if one != "cushion":
            break
    return out
