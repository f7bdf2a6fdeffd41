"""Finds the moving pieces in one small picture after another.

Each followed piece is searched for around where it should be; what has changed and is nobody's is offered to those that
were lost, to resting pieces that have gone, and at last taken as something new. Motion blur is allowed for: a piece is
sought as the streak it draws during the exposure. Must not know strokes, seats or rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from math import dist

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from controller.events.assignment import assign
from controller.events.observation import SeenPiece
from controller.vision.following.background import Background
from controller.vision.following.disc_masks import DiscMasks, Seen
from controller.vision.following.motion import DOUBTFUL, FASTEST_MM_S, Blob, Disc, Prediction, Rests, cost_of, speed_to
from controller.vision.following.tracks import Measurement, PieceTrack, life_of
from controller.vision.following.view import View
from controller.vision.sources.frame import Image

GONE_SHARE = 0.3
"""A resting piece has moved when this share of its face has changed."""

WEIGHT_TOP = 40
"""Grey levels above which a change counts no more: a bright rim must not pull the centre."""

NEW_SHARE = 0.35
NEW_RIM_SHARE = 0.25
SMEARED_PX = 2.5
NEW_RIM_MM = (7.0, 14.0)
"""Around something new at most this share of a ring may have changed as well: a finger goes on, a piece does not. The
ring begins beyond what a dark rim and its shadow smear over the small picture."""

TONE_ROOM = 25.0
"""Grey levels by which a piece may be brighter or darker than when it lay still: light differs over the board."""

OVERLAP_SHARE = 0.75
"""Two centres nearer than this share of their radii's sum are one piece found twice, even in a blurred picture."""

STILL_MM = 0.6
"""A piece that moved less from one picture to the next stands: twice what a place is good for in the small picture."""


class Tracker:
    """The moving pieces of one window. `highest_number`: that of the newest track of this board."""

    def __init__(self, view: View, background: Background, resting: Iterable[Rests], first_number: int) -> None:
        self._view = view
        self._board: Board = view.board
        self._background = background
        self.highest_number = first_number
        self.resting: list[Rests] = list(resting)
        self.tracks: list[PieceTrack] = []
        self._disc_masks = DiscMasks(view)
        self._prediction = Prediction(self._board)
        self._previous: Image | None = None

    def update(
        self, small: Image, difference: Image, changed: Image, hands: Image, t_ns: int, exposure_ns: int
    ) -> bool:
        """Follows everything into this picture; returns whether a piece moves.

        `difference` and `changed` are the background's; `hands` is a mask, 255 where a hand is.
        """
        self._prediction.predict(t_ns, self.moving, self.resting)
        gone = self._gone(changed, hands)
        for rests in gone:
            self._begin(rests)
        if gone:
            difference = self._background.difference(small)
            changed = self._background.changed(difference)
        else:
            # It is worked on below, and belongs to whoever asked.
            changed = changed.copy()
        weight = cv2.bitwise_and(cv2.min(difference, WEIGHT_TOP), changed)
        weight[hands > 0] = 0
        for track in self.tracks:
            if not track.hole_open and track.start is not None:
                # What lies below was never seen: the difference to a guess tells nothing.
                u, v = self._view.px(*track.start.at)
                radius = round(self._view.radius_px(track.radius_mm)) + 1
                cv2.circle(weight, (round(u), round(v)), radius, 0, -1)
                cv2.circle(changed, (round(u), round(v)), radius, 0, -1)
        seen = Seen(small, weight, changed, hands, t_ns, exposure_ns)
        lost = self._follow(seen)
        self._offer(lost, seen)
        for track in self.moving:
            self._judge(track, small, hands, t_ns)
        self._open_holes(small, hands)
        self._previous = small
        return bool(self.moving)

    @property
    def moving(self) -> list[PieceTrack]:
        """The tracks of pieces that move."""
        return [track for track in self.tracks if track.life == "moving"]

    def places(self) -> tuple[SeenPiece, ...]:
        """Where all pieces are now, at rest or moving."""
        pieces = [rests.piece for rests in self.resting]
        for track in self.moving:
            if track.marks:
                x, y = track.at
                pieces.append(SeenPiece(track.piece, round(x, 1), round(y, 1), 3.0))
        return tuple(pieces)

    # -- the pieces already followed

    def _follow(self, seen: Seen) -> list[PieceTrack]:
        lost = []
        # The surest first: what it covers belongs to nobody else.
        for track in sorted(
            self.moving,
            key=lambda track: (track.missed, self._prediction.of(track).met_s is not None, -len(track.marks)),
        ):
            ahead = self._prediction.of(track)
            met = self._disc_masks.seek(seen, (ahead.x, ahead.y), track.radius_mm, (ahead.vx, ahead.vy))
            if (
                met is None
                or (len(track.marks) < 2 and self._elsewhere(track, met))
                or not self._looks_like(track, met, seen)
                or self._taken_up(met, track.radius_mm, seen)
            ):
                lost.append(track)
                continue
            self._mark(track, met, seen)
        return lost

    def _taken_up(self, met: tuple[float, float], radius_mm: float, seen: Seen) -> bool:
        """Whether another piece already stands there in this picture: two discs cannot overlap."""
        return any(
            track.marks
            and track.marks[-1].t_ns == seen.t_ns
            and dist(met, track.marks[-1].at) < OVERLAP_SHARE * (radius_mm + track.radius_mm)
            for track in self.tracks
        )

    def _looks_like(self, track: PieceTrack, met: tuple[float, float], seen: Seen) -> bool:
        """Whether what lies there may be this piece: a streak is as bright as the piece, the board, or between."""
        if track.tone is None:
            return True
        tone = self._disc_masks.tone(seen.small, met, 0.8 * track.radius_mm)
        under = self._disc_masks.tone(self._background.scene, met, 0.8 * track.radius_mm)
        return min(track.tone, under) - TONE_ROOM < tone < max(track.tone, under) + TONE_ROOM

    @staticmethod
    def _elsewhere(track: PieceTrack, met: tuple[float, float]) -> bool:
        """What is found far from where a piece just began is more likely another one's."""
        return dist(met, track.at) > 2.5 * track.radius_mm and not (track.vx or track.vy)

    def _mark(self, track: PieceTrack, at_mm: tuple[float, float], seen: Seen) -> None:
        u, v = self._view.px(*at_mm)
        radius = self._view.radius_px(track.radius_mm)
        under = self._disc_masks.share(seen.hands, at_mm, track.radius_mm + 2.0) > 0.04
        fresh = not track.marks and track.start is None
        before = at_mm if fresh else track.at
        ahead = self._prediction.of(track)
        speed = None
        if ahead.met_s is not None and dist(at_mm, (ahead.x, ahead.y)) < 15.0:
            # It met something on the way: the way since the last picture is not its speed now.
            since = max(0.3 * self._prediction.last_dt, self._prediction.last_dt - ahead.met_s, 1e-3)
            speed = (ahead.vx + (at_mm[0] - ahead.x) / since, ahead.vy + (at_mm[1] - ahead.y) / since)
        step = dist(at_mm, before)
        track.add(Measurement(seen.t_ns, at_mm[0], at_mm[1], under), speed)
        track.steady = track.steady + 1 if step < STILL_MM else 0
        # What it covers, with the streak it drew, belongs to nobody else.
        s = seen.exposure_ns / 2e9
        u1, v1 = self._view.px(at_mm[0] + track.vx * s, at_mm[1] + track.vy * s)
        ends = ((round(u1), round(v1)), (round(2 * u - u1), round(2 * v - v1)))
        cv2.line(seen.weight, ends[0], ends[1], 0, max(1, round(2 * radius)))
        cv2.line(seen.changed, ends[0], ends[1], 0, max(1, round(2 * radius) + 2))
        if track.tone is None and not under:
            track.tone = self._disc_masks.tone(seen.small, at_mm, track.radius_mm)

    # -- what has changed and is nobody's

    def _gone(self, changed: Image, hands: Image) -> list[Rests]:
        sums = cv2.integral(changed)
        return [
            rests for rests in self.resting if self._may_have_gone(rests, sums) and self._went(rests, changed, hands)
        ]

    def _went(self, rests: Rests, changed: Image, hands: Image) -> bool:
        share = self._disc_masks.share(changed, rests.piece.at, rests.radius_mm - 1.5)
        least = (0.6 if rests in self._prediction.hit else 1.0) * GONE_SHARE
        return share >= least and self._disc_masks.share(hands, rests.piece.at, rests.radius_mm) <= 0.1

    def _may_have_gone(self, rests: Rests, sums: NDArray[np.int32]) -> bool:
        """Whether enough has changed in the square around a piece: most need no closer look. `sums`: the integral."""
        u, v = self._view.px(*rests.piece.at)
        radius = self._view.radius_px(rests.radius_mm - 1.5)
        height, width = sums.shape
        left, right = max(0, int(u - radius) - 1), min(width - 1, int(u + radius) + 3)
        top, bottom = max(0, int(v - radius) - 1), min(height - 1, int(v + radius) + 3)
        if right <= left or bottom <= top:
            return False
        set_in = int(sums[bottom, right]) - int(sums[top, right]) - int(sums[bottom, left]) + int(sums[top, left])
        return set_in >= 0.4 * GONE_SHARE * 255.0 * np.pi * radius * radius

    def _begin(self, rests: Rests) -> PieceTrack:
        """A piece at rest sets off: the bare board is put in its place."""
        foreseen = self._prediction.hit.get(rests)
        self.resting.remove(rests)
        at = rests.piece.at
        box, mask = self._disc_masks.disc(at, rests.radius_mm + 2.5)
        for other in self.resting:
            gap = dist(other.piece.at, at)
            if gap < 2.2 * (rests.radius_mm + other.radius_mm):
                self._disc_masks.clear_disc(mask, box, other.piece.at, other.radius_mm + 1.0)
        left, top, right, bottom = box
        tone = float(cv2.mean(self._background.scene[top:bottom, left:right], mask)[0])
        known = self._background.uncover(box, mask)
        if rests.track is not None:
            track = next(track for track in self.tracks if track.number == rests.track)
            track.life, track.missed, track.steady, track.hole_open = "moving", 0, 0, known
            track.vx = track.vy = 0.0
        else:
            track = PieceTrack(
                self._take_number(),
                rests.piece.piece,
                rests.radius_mm,
                rests.piece,
                self._prediction.before_ns,
                tone,
                hole_open=known,
            )
            self.tracks.append(track)
        if foreseen is not None:
            self._prediction.ahead[track.number] = foreseen
        return track

    def _take_number(self) -> int:
        self.highest_number += 1
        return self.highest_number

    def _offer(self, lost: Sequence[PieceTrack], seen: Seen) -> None:
        """Gives what is left over to the lost, and what nobody can be to new tracks."""
        loose = cv2.bitwise_and(seen.changed, cv2.bitwise_not(cv2.bitwise_or(seen.hands, self._view.pocket_holes)))
        loose = cv2.bitwise_and(loose, self._view.board_mask)
        blobs = self._blobs(loose, seen.small)
        top_mm_s = max((track.speed for track in self.tracks), default=0.0)
        costs = {
            (row, index): cost
            for row, track in enumerate(lost)
            for index, blob in enumerate(blobs)
            if (cost := cost_of(track, blob, seen.t_ns, seen.exposure_ns, top_mm_s, self._prediction)) is not None
        }
        taken: set[int] = set()
        served: set[int] = set()
        while pairs := assign(costs, DOUBTFUL):
            # The surest first: what it covers belongs to nobody else. What shows no piece then is no pair.
            for row, index in sorted(pairs, key=lambda pair: (costs[pair], pair)):
                track, at = lost[row], blobs[index].at
                met = self._disc_masks.seek(seen, at, track.radius_mm, speed_to(track, at, seen.t_ns))
                if met is None or self._taken_up(met, track.radius_mm, seen):
                    del costs[row, index]
                    continue
                taken.add(index)
                served.add(track.number)
                self._mark(track, met, seen)
            costs = {
                (row, index): cost
                for (row, index), cost in costs.items()
                if lost[row].number not in served and index not in taken
            }
        for track in lost:
            if track.number not in served:
                track.missed += 1
        for index, blob in enumerate(blobs):
            if index not in taken:
                self._maybe_new(blob, loose, seen)

    def _blobs(self, loose: Image, small: Image) -> list[Blob]:
        least = 0.25 * np.pi * self._view.radius_px(self._board.coin_diameter_mm / 2.0) ** 2
        outlines, _ = cv2.findContours(loose, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        blobs = []
        for outline in outlines:
            if len(outline) < 4:
                continue
            area = cv2.contourArea(outline)
            if area < least:
                continue
            sums = cv2.moments(outline)
            at = self._view.mm(sums["m10"] / sums["m00"], sums["m01"] / sums["m00"])
            # How bright a place is within a radius; each radius is measured once.
            tone = cache(partial(self._disc_masks.tone, small, at))
            blobs.append(Blob(at, area, self._view.px_per_mm, tone))
        return blobs

    def _maybe_new(self, blob: Blob, loose: Image, seen: Seen) -> None:
        """A blob that may be a piece out of a hand or from off the board: round, of a piece's size, and alone."""
        radius = self._board.striker_diameter_mm / 2.0
        coin = np.pi * self._view.radius_px(self._board.coin_diameter_mm / 2.0) ** 2
        streak = 1.0 + 4000.0 * seen.exposure_ns / 1e9 / (2.0 * radius)
        most = np.pi * (self._view.radius_px(radius) + SMEARED_PX) ** 2 * streak
        if not 0.5 * coin <= blob.area <= most or max(map(abs, blob.at)) > self._board.half_mm + 10.0:
            return
        met = self._disc_masks.seek(seen, blob.at, radius, (0.0, 0.0))
        if (
            met is None
            or self._disc_masks.share(loose, met, 0.9 * radius) < NEW_SHARE
            or self._taken_up(met, radius, seen)
        ):
            return
        inner, outer = (radius + beyond for beyond in NEW_RIM_MM)
        if self._disc_masks.share(cv2.bitwise_or(loose, seen.hands), met, outer, inner_mm=inner) > NEW_RIM_SHARE:
            return
        left = self._left_under_hand(met, seen)
        if left is not None:
            track = self._begin(left)
        else:
            track = PieceTrack(self._take_number(), "unknown", radius, None, seen.t_ns, hole_open=True)
            self.tracks.append(track)
        self._prediction.ahead[track.number] = Disc(*met, 0.0, 0.0, radius, 1.0)
        self._mark(track, met, seen)
        # When it set off, under the hand, nobody saw: its speed shows with the next picture.
        track.vx = track.vy = 0.0

    def _left_under_hand(self, at: tuple[float, float], seen: Seen) -> Rests | None:
        """The striker that lay beside or under a hand and does not any more: it is what came out."""
        for rests in self.resting:
            if rests.piece.piece != "striker":
                continue
            if dist(at, rests.piece.at) > FASTEST_MM_S * max(self._prediction.last_dt, 0.01) + 100.0:
                continue
            changed = self._background.changed(self._background.difference(seen.small))
            if self._disc_masks.share(changed, rests.piece.at, rests.radius_mm - 1.5) > 0.25:
                return rests
        return None

    # -- ends

    def _judge(self, track: PieceTrack, small: Image, hands: Image, t_ns: int) -> None:
        track.life = life_of(track, self._board, t_ns, lambda: self._disc_masks.share(hands, track.at, track.radius_mm))
        if track.life == "still":
            self._freeze(track, small)

    def _freeze(self, track: PieceTrack, small: Image) -> None:
        box, mask = self._disc_masks.disc(track.at, track.radius_mm + 2.5)
        self._background.take(small, box, mask)
        track.vx = track.vy = 0.0
        piece = SeenPiece(track.piece, *track.at, 1.5)
        self.resting.append(Rests(piece, track.radius_mm, track.number))

    def _open_holes(self, small: Image, hands: Image) -> None:
        """Learns the bare board where a piece lay, as soon as nothing covers it."""
        for track in self.tracks:
            if track.hole_open or track.start is None:
                continue
            at = track.start.at
            reach = track.radius_mm + 6.0
            if self._disc_masks.share(hands, at, reach) > 0.0:
                continue
            clear = all(
                dist(other.at, at) > reach + other.radius_mm + 0.02 * other.speed
                for other in self.tracks
                if other.life != "gone" and (other.marks or other.start)
            )
            if not clear or self._previous is None:
                continue
            box, mask = self._disc_masks.disc(at, track.radius_mm + 2.5)
            left, top, right, bottom = box
            moved = cv2.absdiff(small[top:bottom, left:right], self._previous[top:bottom, left:right])
            moved = cv2.bitwise_and(
                cv2.compare(moved, self._background.limit[top:bottom, left:right], cv2.CMP_GT), mask
            )
            if cv2.countNonZero(moved) <= 2:
                for rests in self.resting:
                    self._disc_masks.clear_disc(mask, box, rests.piece.at, rests.radius_mm + 1.0)
                self._background.learn_bare(small, box, mask)
                track.hole_open = True
