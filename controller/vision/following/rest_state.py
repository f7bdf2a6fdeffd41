"""What lies on the board as far as it is known: its pieces, the still picture of them, and what has changed since.

Small pictures in, decisions out: which pieces nobody touched, which have gone and left the bare board, whether
anything lies there that is not explained, and what hardly shows and needs a detection. Must not know what is published
of it, nor when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import hypot

import cv2

from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, SeenPiece
from controller.events.words import Piece
from controller.vision.finding.find import Finding
from controller.vision.following.background import Background
from controller.vision.following.detection_fusion import SAME_PLACE_MM, carried, lies_in
from controller.vision.following.detection_request import Change, Pending
from controller.vision.following.disc_masks import DiscMasks, covered_by, saturated_share, without_hands
from controller.vision.following.eyes import Eyes, Roi
from controller.vision.following.hands import Hands, HandsLately
from controller.vision.following.motion import Rests
from controller.vision.following.registration import Nudge, shift_px
from controller.vision.following.tracker import Tracker
from controller.vision.following.tracks import Measurement, PieceTrack, lost_on_its_way
from controller.vision.following.view import Picture, View, view_for
from controller.vision.sources.frame import Frame, Image

TOUCHED_SHARE = 0.06
"""So much of a piece's face may differ from the last rest before it counts as touched."""

BARE_SHARE = 0.1
"""Where less than this of a piece's face differs from the bare board, nothing lies any more."""

UNDER_HAND_SHARE = 0.15
"""A hand that covers less of a face only reaches past it."""

PHANTOM_SHARE = 0.012
"""Where not even this differs from a bare board that was seen, nothing can lie, whatever a detection says."""

SURE_SHARE = 0.9
KNOWN_SHARE = 0.5
BESIDE_SHARE = 0.15
"""Of a face's place so much must have been seen bare, and so much lie open, to tell whether it looks so now."""

RIM_MM = 1.0
"""So far beyond its edge a piece shows in the small picture."""

STRANGE_SHARE = 0.1
"""What has changed and is not bare board fills this share of a coin's square: something lies there."""


NUDGED_MM = 0.12
"""A camera that moved less than this hangs as it hung."""

PART_MM = 30.0
PART_SHARE = 0.4
"""A detection of a part of the board takes in so much around what changed; where that is most of it, it covers all.
"""


HANDLED_NS = 500_000_000
"""So long after a hand was over a place what seems to have run there may have been the hand."""


FAINT_SHARE = 0.15
"""A piece of whose face no more than this differs from the bare board hardly shows. White on pale shows more (0.2)."""


class RestState:
    """The board at rest in one camera's small picture, from its first picture on.

    Some pieces have low contrast: a black coin on dark lacquer changes nothing by lying there or by leaving, so neither
    «nobody touched it» nor «the board is bare there» is believed of it.
    """

    def __init__(self, eyes: Eyes, view: View, small: Image) -> None:
        self._eyes = eyes
        empty: Image | None = None
        if eyes.empty is not None:
            empty = view_for(view.model, eyes.board).shrink(Frame(0, luma=eyes.empty))
        self.view = view
        self.background = Background(small, view.surface, empty)
        self.hands = HandsLately(view)
        self.board = BoardSeen(0, 0, ())
        self.tracker = Tracker(view, self.background, (), 0)
        self.middle = CentreRecheck()
        self._low_contrast: frozenset[SeenPiece] = frozenset()
        """The pieces at rest that hardly show."""
        self._low_contrast_classes: frozenset[Piece] = frozenset()
        """Those of which any ever did hardly show on this board."""
        self._unseen: frozenset[SeenPiece] = frozenset()
        """The pieces that lay under a hand when the board was last taken: it may have gone, or have been taken."""
        self._disc_masks = DiscMasks(view)
        self._nudge: Nudge | None = None
        self.saturated = 0.0

    def take(self, sight: Finding, asked: Pending, model: CameraModel) -> None:
        """Takes a finding as the board at rest. `model`: the camera's of now."""
        # Under a hand the picture shows the hand: only what was found beside it and was not known is taken from there.
        new = [piece for piece in sight.pieces if not lies_in(self.board.pieces, piece, SAME_PLACE_MM)]
        self.board = self.seen(sight, asked)
        small, hands = asked.picture.small, asked.hands
        self.middle.seen(self.view, hands, asked.roi)
        if model is not self.view.model:
            self.view = replace(self.view, model=model)
            self._disc_masks, self._nudge = DiscMasks(self.view), None
            if asked.request.pushed:
                # What was learnt of the bare board lies elsewhere in the picture now.
                self.background = Background(small, self.view.surface)
        view = self.view
        self.saturated = saturated_share(small, view)
        radius_mm = self._eyes.radius_mm
        covered = covered_by(sight, hands, view, radius_mm)
        self.background.rest(without_hands(small, self.background.scene, hands, new, view, radius_mm), covered)
        self._unseen = frozenset(
            piece
            for piece in self.board.pieces
            if self._disc_masks.share(hands.mask, piece.at, radius_mm(piece)) > UNDER_HAND_SHARE
        )
        shown = self._shown(small, hands)
        self._low_contrast = frozenset(
            piece
            for piece in self.board.pieces
            if not piece.on_paint and (share := shown(piece)) is not None and share < FAINT_SHARE
        )
        self._low_contrast_classes |= {piece.piece for piece in self._low_contrast if piece.sure}
        if self._nudge is None or (asked.request.checked and not hands.any):
            self._nudge = Nudge(small, view.board_mask, covered)
        resting = [Rests(piece, radius_mm(piece)) for piece in sight.pieces]
        self.tracker = Tracker(view, self.background, resting, self.tracker.highest_number)

    def seen(self, sight: Finding, asked: Pending) -> BoardSeen:
        """A finding as it is published."""
        return BoardSeen(
            t_ns=asked.picture.t_ns,
            since_ns=asked.since_ns,
            pieces=sight.pieces,
            hidden=sight.hidden,
            # When the camera was pushed everything has changed; that is no hand.
            hands=(() if asked.request.pushed else asked.hands.described(self.view)) or sight.hands,
            foreign=sight.foreign,
            picture=asked.picture.number,
        )

    def suspects(self, picture: Picture) -> list[SeenPiece]:
        """The coins whose faces a hand covers in part in a picture, as far as nobody can tell there hand from coin."""
        hands = self.hands.mask_at(picture.t_ns)
        return [
            piece
            for piece in self.board.pieces
            if piece.piece != "striker"
            and self._disc_masks.share(hands, piece.at, self._eyes.radius_mm(piece)) > UNDER_HAND_SHARE
        ]

    def loose_mm(self) -> list[tuple[float, float]]:
        """Where pieces lie or move."""
        tracks = self.tracker.tracks
        places = [rests.piece.at for rests in self.tracker.resting]
        places += [track.at for track in self.tracker.moving]
        places += [track.start.at for track in tracks if track.start is not None and not track.hole_open]
        return places

    def hangs_still(self, small: Image) -> bool:
        """Whether the camera certainly hangs as it did when that was last checked."""
        if self._nudge is None:
            return False
        moved = self._nudge.moved_px(small)
        return moved is not None and moved < NUDGED_MM * self.view.px_per_mm

    def change(self, small: Image, hands: Hands) -> Change:
        """What a still picture shows to be otherwise than at the last rest. What hands cover has not changed."""
        moved = self.background.moved_since_rest(small)
        lying = self.background.not_bare(small)
        moved[hands.mask > 0] = 0
        untouched, gone, left = set(), [], []
        middle = self.middle.asks(self.view, hands)
        seems_bare = self._seems_bare(small, hands, ())
        for piece in self.board.pieces:
            at, radius = piece.at, self._eyes.radius_mm(piece)
            under = self._disc_masks.share(hands.mask, at, radius) > 0.0
            asks = piece in self._low_contrast or piece in self._unseen
            if (middle and piece.on_paint) or (asks and not under):
                left.append(piece)
            elif self._disc_masks.share(moved, at, radius - 0.5) < TOUCHED_SHARE:
                if seems_bare(piece):
                    left.append(piece)
                else:
                    untouched.add(piece)
            elif not under and self._disc_masks.share(lying, at, radius - 2.0) < BARE_SHARE:
                gone.append(piece)
            else:
                left.append(piece)
        # A piece of the board's own brightness shows against the bare board before it does through what flickers.
        fresh = cv2.bitwise_and(lying, cv2.bitwise_not(self.background.not_bare(self.background.rested)))
        fresh[hands.mask > 0] = 0
        strange = cv2.bitwise_and(cv2.bitwise_or(cv2.bitwise_and(moved, lying), fresh), self.view.board_mask)
        strange = cv2.bitwise_and(strange, cv2.bitwise_not(self.view.pocket_holes))
        side = max(3, round(self.view.radius_px(self._eyes.board.coin_diameter_mm)))
        dense = cv2.boxFilter(strange, cv2.CV_8U, (side, side))
        spots = cv2.compare(dense, STRANGE_SHARE * 255.0, cv2.CMP_GT)
        if any(lost_on_its_way(track, self._eyes.board) for track in self.tracker.tracks):
            return Change(frozenset(untouched), tuple(gone), True, None)
        found = cv2.countNonZero(spots) > 0 or bool(left) or middle
        corners = [piece.at for piece in (*gone, *left)] + [(0.0, 0.0)] * middle
        return Change(frozenset(untouched), tuple(gone), found, self._around(spots, corners))

    def shifted(self, before: Picture, now: Picture, limit_mm: float) -> bool:
        """Whether a piece outside the hands lies farther than the limit from where it lay in a picture before."""
        places = [(rests.piece.at, rests.radius_mm) for rests in self.tracker.resting]
        places += [(track.at, track.radius_mm) for track in self.tracker.moving]
        for at, radius_mm in places:
            u, v = self.view.px(*at)
            if self.hands.now.over(u, v):
                continue
            if shift_px(before.small, now.small, u, v, self.view.radius_px(radius_mm)) > limit_mm * self.view.px_per_mm:
                return True
        return False

    def uncovered(self, small: Image, hands: Hands) -> bool:
        """Whether a piece that showed at the last rest shows no more, though its going may have changed little.

        As of a striker whose pattern flickers more than the board it lay on differs from it.
        """
        seems_bare = self._seems_bare(small, hands, ())
        return any(piece not in self._low_contrast and seems_bare(piece) for piece in self.board.pieces)

    def _around(self, spots: Image, corners: list[tuple[float, float]]) -> Roi | None:
        """The part of the board around places and spots that changed; None where that is most of it, or unknown."""
        if self._low_contrast_classes:
            return None
        if cv2.countNonZero(spots):
            left, top, width, height = cv2.boundingRect(spots)
            corners += [self.view.mm(float(u), float(v)) for u in (left, left + width) for v in (top, top + height)]
        if not corners:
            return None
        xs, ys = zip(*corners, strict=True)
        west, east = min(xs) - PART_MM, max(xs) + PART_MM
        south, north = min(ys) - PART_MM, max(ys) + PART_MM
        whole = (2.0 * self._eyes.board.half_mm) ** 2
        return (west, south, east, north) if (east - west) * (north - south) < PART_SHARE * whole else None

    def known_after(self, change: Change) -> Finding | None:
        """The board after a change that needs no detection: pieces have gone, and what they lay on is bare."""
        if change.strange:
            return None
        board = self.board
        pieces = tuple(piece for piece in board.pieces if piece not in change.gone)
        return Finding(pieces, board.hidden, (), board.foreign)

    def kept(self, sight: Finding, asked: Pending) -> Finding:
        """A finding with what was known of the rest of the board and of what nobody touched, without what cannot lie
        there.
        """
        if asked.request.pushed or asked.change is None:
            return sight
        if asked.roi is not None:
            sight = self._completed(sight, asked.roi)
        small = asked.picture.small
        shown, seems_bare = self._shown(small, self.hands.none), self._seems_bare(small, asked.hands, sight.pieces)

        def bare(piece: SeenPiece) -> bool:
            # It cannot lie where it was found, because the board was seen there and looks just so.
            vouched = piece.piece in self._low_contrast_classes and piece.sure
            if vouched or (self.middle.open and piece.on_paint):
                return False
            share = shown(piece)
            return share is not None and share < PHANTOM_SHARE

        return carried(sight, self.board.pieces, asked.change.untouched, bare, seems_bare)

    def _completed(self, sight: Finding, roi: Roi) -> Finding:
        """A finding of a part of the board with what was known of the rest."""
        board = self.board

        outside = [piece for piece in board.pieces if not _within(roi, piece.at)]
        hidden = [outline for outline in sight.hidden if _within(roi, *outline)]
        hidden += [outline for outline in board.hidden if not _within(roi, *outline)]
        foreign = [thing for thing in sight.foreign if _within(roi, *thing.outline)]
        foreign += [thing for thing in board.foreign if not _within(roi, *thing.outline)]
        inside = [piece for piece in sight.pieces if _within(roi, piece.at)]
        return replace(sight, pieces=(*inside, *outside), hidden=tuple(hidden), foreign=tuple(foreign))

    def ended_in_sight(self, small: Image, since_ns: int, found: Sequence[SeenPiece]) -> frozenset[int]:
        """The tracks, by number, that were followed up to this picture, still since `since_ns`, and show in it.

        They did not vanish: what was followed to where it lies, or still runs at a recording's end, is there. It shows
        if there is more to be seen of it than what a detection `found` in part over it. Where a hand was just before,
        what seemed to run there may have been the hand itself, and only a detection tells.
        """
        bare, tracker = self._seems_bare(small, self.hands.none, found), self.tracker
        there = [(rests.track, rests.piece) for rests in tracker.resting if rests.track is not None]
        for track in tracker.moving:
            if not track.missed and track.marks and track.last[0] >= since_ns:
                there.append((track.number, SeenPiece(track.piece, *track.at, 0.0)))
        trace, handled_ns = self.hands.trace, since_ns - HANDLED_NS
        return frozenset(
            number for number, piece in there if not bare(piece) and not trace.over(*piece.at, handled_ns, since_ns)
        )

    def _shown(self, small: Image, hands: Hands) -> Callable[[SeenPiece], float | None]:
        """The share of a piece's face that differs from the bare board; None where that is not known or a hand is."""
        lying, known = self.background.not_bare(small), self.background.sure_known

        def shown(piece: SeenPiece) -> float | None:
            at, radius = piece.at, self._eyes.radius_mm(piece) - 1.0
            sure = self.background.bare_is_sure and self._disc_masks.share(known, at, radius) > SURE_SHARE
            if not sure or self._disc_masks.share(hands.mask, at, radius) > 0.0:
                return None
            return self._disc_masks.share(lying, at, radius)

        return shown

    def _seems_bare(self, small: Image, hands: Hands, found: Sequence[SeenPiece]) -> Callable[[SeenPiece], bool]:
        """Whether a place where no detection finds a piece looks bare, beside what was `found` in part over it.

        As far as the bare board was seen there; not where a hand is over it, nor on the middle, whose paint looks like
        the queen.
        """
        known, radius_mm = self.background.sure_known, self._eyes.radius_mm
        beside = known.copy()
        for piece in found:
            (left, top, right, bottom), disc = self._disc_masks.disc(piece.at, radius_mm(piece) + RIM_MM)
            beside[top:bottom, left:right][disc > 0] = 0
        lying = cv2.bitwise_and(self.background.not_bare(small), beside)

        def seems_bare(piece: SeenPiece) -> bool:
            at, radius = piece.at, radius_mm(piece) - 1.0
            if not self.background.bare_is_sure or piece.on_paint:
                return False
            if self._disc_masks.share(hands.mask, at, radius) > 0.0:
                return False
            if self._disc_masks.share(known, at, radius) < KNOWN_SHARE:
                return False
            seen = self._disc_masks.share(beside, at, radius)
            return seen > BESIDE_SHARE and self._disc_masks.share(lying, at, radius) < BARE_SHARE * seen

        return seems_bare


NEAR_MM = 45.0
"""A piece that runs by this near may have met what lies there."""


class CentreRecheck:
    """Whether the middle may lie otherwise than it was last seen to. `open`: only a detection tells.

    Paint and queen are of one size and of nearly one brightness, and she is put back there by every rulebook: whenever
    a hand or a moving piece was near, a detection is requested.
    """

    def __init__(self) -> None:
        self.open = False

    def notice(self, view: View, hands: Hands, moving: Iterable[PieceTrack]) -> None:
        """Takes in a picture's hands and what moves in it."""
        if not self.open:
            near = (_passes(track.marks) < NEAR_MM for track in moving if track.marks)
            self.open = _covered(view, hands) or any(near)

    def asks(self, view: View, hands: Hands) -> bool:
        """Whether it has to be detected, and can be."""
        return self.open and not _covered(view, hands)

    def seen(self, view: View, hands: Hands, roi: Roi | None) -> None:
        """It was detected, unless it lies outside the part that was, or under a hand."""
        if (roi is None or _within(roi, (0.0, 0.0))) and not _covered(view, hands):
            self.open = False


def _passes(marks: Sequence[Measurement]) -> float:
    """How near to the middle a piece came between its last two pictures, in mm."""
    last, before = marks[-1], marks[-2] if len(marks) > 1 else marks[-1]
    dx, dy = last.x_mm - before.x_mm, last.y_mm - before.y_mm
    share = -(before.x_mm * dx + before.y_mm * dy) / ((dx * dx + dy * dy) or 1.0)
    share = min(max(share, 0.0), 1.0)
    return hypot(before.x_mm + share * dx, before.y_mm + share * dy)


def _within(roi: Roi, *points: tuple[float, float]) -> bool:
    return all(roi[0] <= x <= roi[2] and roi[1] <= y <= roi[3] for x, y in points)


def _covered(view: View, hands: Hands) -> bool:
    return hands.over(*view.px(0.0, 0.0))
