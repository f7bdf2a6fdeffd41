"""The states of one board, from the first picture in which it was found: rest, motion, rest again.

Each small picture is compared with what is known to lie there. What moves is followed; when all has been still for a
quarter of a second a detection is requested, and what happened is published. Must not know rules, threads or how
pictures are brought.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2

from controller.events.observation import BoardSeen, HandsSeen, MotionBegan, Moving, Observation
from controller.vision.finding.find import Finding
from controller.vision.following.background import LampWatch, MotionGate
from controller.vision.following.detection_fusion import possible
from controller.vision.following.detection_request import DetectionRequest, Detector, Pending
from controller.vision.following.detection_schedule import DetectionSchedule
from controller.vision.following.disc_masks import same_there
from controller.vision.following.eyes import Explanation
from controller.vision.following.free_runs import set_off
from controller.vision.following.grade import ROUGH_MM
from controller.vision.following.hands import Hands
from controller.vision.following.look_back import JUST_BEFORE_NS, DisplacedSearch, Placer
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.rest_state import RestState
from controller.vision.following.timing import Pace, Publisher, row_delay_ns, seen_every_ns, timed_by_row
from controller.vision.following.tracks import Measurement, PieceTrack, free_run
from controller.vision.following.view import AROUND, Picture, View
from controller.vision.sources.frame import Frame, Image

REST_NS = 250_000_000
EARLY_NS = 150_000_000
"""What has lain still for so long is detected already: the answer is there when the rest is complete."""

CREEP_MM = 0.3
"""All is at rest when nothing moved by more than this in so long."""

CREEP_NS = 3_000_000_000
"""What seems to creep for longer than this is a shadow or a lamp."""

SAME_MM = 0.1
"""A piece that crept by no more than this since it was detected early lies where it was found."""


NO_HAND_NS = 3_000_000_000
"""No hand lies so still for so long that not a pixel changes."""

MOST_HELD = 90
"""A second and a half at 60 pictures a second: longer than a detection takes on the slowest computer."""

AT_ONCE = 3
"""So many of the pictures that were held are followed with each new one, so that none of the camera's is missed."""


@dataclass(slots=True)
class ActiveMotion:
    """The window under way."""

    before: BoardSeen
    began_ns: int
    latest_ns: int = 0
    """When a piece last set off."""
    crept_ns: int = 0
    """When a piece was last found to creep though no pixel showed it."""
    frames: int = 0
    gaps_ns: list[int] = field(default_factory=list)
    """Before each picture of it, the time since the one that was followed before."""
    lost: int = 0
    blind: list[tuple[int, int]] = field(default_factory=list)
    hands: list[HandsSeen] = field(default_factory=list)
    placements: dict[int, Placement] = field(default_factory=dict)
    struck_ns: int | None = None
    """When the first of those ran by itself."""
    asked: set[int] = field(default_factory=set)
    told: bool = False
    displaced: DisplacedSearch | None = None
    early: Pending | None = None
    """What was asked of a picture before the rest was complete: it counts if all lies still to the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """A motion window that is over, while its explanation is worked out: what was found, and by which request."""

    explanation: Explanation
    sight: Finding
    asked: Pending


class Session:
    """One board in one camera's pictures. `first` is the picture in which it was found, `sight` what lies there."""

    def __init__(
        self,
        detector: Detector,
        schedule: DetectionSchedule,
        pace: Pace,
        publisher: Publisher,
        view: View,
        first: Picture,
        request: DetectionRequest,
        sight: Finding,
    ) -> None:
        self._eyes = detector.eyes
        self._detector = detector
        self._schedule = schedule
        self._pace = pace
        self._publisher = publisher
        self.rest_state = RestState(detector.eyes, view, first.small)
        self.lamp = LampWatch()
        self._placer = Placer(detector, self._same)
        self._running: ActiveMotion | None = None
        self._ended: Ended | None = None
        self._held: deque[tuple[Picture, int, bool]] = deque(maxlen=MOST_HELD)
        self.last_ns = self._uncovered_ns = first.t_ns
        asked = Pending(request, False, first, self.rest_state.hands.none, first.t_ns)
        self.rest_state.take(replace(sight, pieces=possible(sight.pieces)), asked, self._detector.model)
        self._motion_gate = MotionGate(first.small, self.rest_state.hands.none.mask, first.t_ns)
        # The first time it loads what it calculates with.
        self.rest_state.hangs_still(first.small)
        self._placer.keep(first)

    # -- the way in

    def picture(self, frame: Frame, number: int | None) -> Picture:
        """Looks at a frame in the light of the last rest. Raises DeviceError if it cannot be decoded."""
        return Picture(frame, self.rest_state.background.level(self.rest_state.view.shrink(frame)), number)

    def shows_nothing(self, picture: Picture) -> bool:
        """Whether nothing at all differs from the still scene."""
        background = self.rest_state.background
        return cv2.countNonZero(background.changed(background.difference(picture.small))) == 0

    def follow(self, picture: Picture, out: list[Observation], missing: int = 0, *, blind: bool = False) -> bool:
        """Takes the next picture, adds what there is to say; returns whether nothing at all goes on.

        While a window's end waits for its detection and its explanation, pictures are held: what moves meanwhile is
        followed afterwards.
        `missing`: pictures that never came before this one; `blind`: nobody saw that span.
        """
        self._held.append((picture, missing, blind))
        quiet = False
        for _ in range(AT_ONCE):
            if self._waits(out) or not self._held:
                break
            quiet = self._follow_next(out)
        return quiet and not self._held

    def _follow_next(self, out: list[Observation]) -> bool:
        # A picture is compared with the board at rest, which nobody knows while a window is being explained.
        assert self._ended is None
        picture, missing, blind = self._held.popleft()
        if self._running is not None:
            self._running.frames += 1
            self._running.gaps_ns.append(picture.t_ns - self.last_ns)
            self._running.lost += missing
            if blind:
                self._running.blind.append((self.last_ns, picture.t_ns))
        quiet = self._follow(picture, out)
        self._placer.keep(picture)
        self.last_ns = picture.t_ns
        return quiet

    def finish(self, last: Frame, out: list[Observation]) -> bool:
        """Takes the last picture as rest; returns whether the motion until then could be published."""
        self._wait(out)
        while self._held:
            self._follow_next(out)
            self._wait(out)
        if self._running is not None:
            since = min(self._motion_gate.since_ns, last.t_ns)
            picture = self.picture(last, None)
            asked = self._schedule.detect(self.rest_state, picture, self._hands_that_cover(picture), since, ends=True)
            if not self._schedule.answered(wait=True):
                return False
            self._end(asked, out)
            self._wait(out)
        elif not self._publisher.rest:
            out.append(replace(self.rest_state.board, t_ns=last.t_ns))
        return True

    def _wait(self, out: list[Observation]) -> None:
        if self._schedule.open is not None:
            self._schedule.open.request.done(wait=True)
            self._waits(out)
        if self._ended is not None:
            self._conclude(self._ended, out)

    # -- one picture

    def _follow(self, picture: Picture, out: list[Observation]) -> bool:
        rest_state, t_ns = self.rest_state, picture.t_ns
        background, view = rest_state.background, rest_state.view
        self.lamp.take(picture.small, t_ns)
        difference = background.difference(picture.small)
        changed = background.changed(difference)
        quiet = cv2.countNonZero(changed) == 0
        hands_before = rest_state.hands.now
        hands = rest_state.hands.update(changed, view, () if quiet else rest_state.loose_mm(), t_ns, quiet=quiet)
        since = self._motion_gate.update(picture.small, hands.mask, background.limit, view.board_mask, t_ns)
        if self._publisher.hands_due(t_ns, any_now=hands.any):
            seen = self._publisher.hands(hands.described(view), t_ns, out)
            if self._running is not None:
                self._running.hands.append(seen)
        moving = not quiet and self._track(picture, difference, changed, hands, hands_before)
        rest_state.middle.notice(view, hands, rest_state.tracker.moving)
        if self._running is not None:
            self._run(self._running, picture, since, out, moving=moving)
            return False
        self._idle(picture, difference, changed, since, out)
        return quiet and self._running is None and self._schedule.open is None and self._publisher.rest

    def _track(self, picture: Picture, difference: Image, changed: Image, hands: Hands, hands_before: Hands) -> bool:
        """Follows the pieces; returns whether one moves. `hands_before`: those of the picture before."""
        t_ns, exposure_ns = picture.t_ns, picture.frame.exposure_ns
        tracker = self.rest_state.tracker
        known = len(tracker.tracks)
        moving = tracker.update(picture.small, difference, changed, hands.mask, t_ns, exposure_ns)
        if len(tracker.tracks) > known:
            if self._running is None:
                self._running = ActiveMotion(self.rest_state.board, self.last_ns, frames=1)
                self.rest_state.hands.under_way_ns = self.last_ns
                if hands_before.any:
                    # What lay there when it was struck is not published again.
                    described = hands_before.described(self.rest_state.view)
                    self._running.hands.append(HandsSeen(self.last_ns, described))
            self._running.latest_ns = t_ns
        return moving

    def _waits(self, out: list[Observation]) -> bool:
        """Takes the answer to what was asked if it is there. Returns whether following has to wait."""
        if self._ended is not None:
            if self._ended.explanation.done():
                self._conclude(self._ended, out)
            # The new rest is enough for one picture's time.
            return True
        asked = self._schedule.open
        if asked is None:
            return False
        if not self._schedule.answered():
            return asked.ends
        if asked.ends:
            self._end(asked, out)
        elif asked.change is None:
            if self._running is None and self.rest_state.view.model is not self._detector.model:
                self.rest_state.take(asked.request.sight, asked, self._detector.model)
        elif self._running is None and self._motion_gate.since_ns == asked.since_ns:
            self._look_again(asked, out)
        return self._ended is not None

    def _hands_that_cover(self, picture: Picture) -> Hands:
        """The hands that cover something: what lies as still as the board and reaches in from nowhere is none.

        Nor is what has lain as still as no hand does: if vision began with one over the board, all that it hid has
        changed for good. There the finder decides, which detects hands by the empty board.
        """
        hands = self.rest_state.hands
        still_ns = picture.t_ns - self._motion_gate.whole_since_ns
        known = self._eyes.empty is not None and not self._detector.blind
        lies = still_ns >= REST_NS and (not hands.now.entering or (known and still_ns >= NO_HAND_NS))
        return hands.none if lies else hands.now

    def _ask(self, picture: Picture, since: int, out: list[Observation], *, ends: bool) -> None:
        """Has what changed on the board found in this picture; what follows is published when the answer is there."""
        self._schedule.detect(self.rest_state, picture, self._hands_that_cover(picture), since, ends=ends)
        self._waits(out)

    # -- motion

    def _run(
        self, running: ActiveMotion, picture: Picture, since: int, out: list[Observation], *, moving: bool
    ) -> None:
        self._place(running)
        if not running.told:
            self._publish_motion(running, out)
        if moving and self._publisher.moving_due(picture.t_ns):
            out.append(Moving(picture.t_ns, self.rest_state.tracker.places()))
        # A piece that a hand takes along moves where stillness is not measured.
        rested = max(since, running.latest_ns)
        still_ns, schedule = picture.t_ns - rested, self._schedule
        if still_ns < EARLY_NS or not schedule.may_ask(picture.t_ns):
            return
        early = running.early if running.early is not None and running.early.since_ns == rested else None
        if still_ns < REST_NS:
            if early is None and schedule.open is None:
                hands = self._hands_that_cover(picture)
                running.early = schedule.detect_early(self.rest_state, picture, hands, rested)
        elif picture.t_ns - since < CREEP_NS and self._creeps(picture):
            running.crept_ns = picture.t_ns
        else:
            if running.crept_ns > rested:
                rested = picture.t_ns - REST_NS
                if early is not None and self.rest_state.shifted(early.picture, picture, SAME_MM):
                    early = None
            self._rest(picture, rested, early, out)

    def _rest(self, picture: Picture, rested: int, early: Pending | None, out: list[Observation]) -> None:
        """All has been still for long enough: the early detection counts, or one is requested now."""
        asked = self._schedule.complete(early, picture.t_ns, rested) if early is not None else None
        if asked is None:
            self._ask(picture, rested, out, ends=True)
        elif self._schedule.open is asked:
            self._waits(out)
        else:
            self._end(asked, out)

    def _creeps(self, picture: Picture) -> bool:
        """Whether a piece moved by more than 0.3 mm in the last quarter of a second, though no pixel shows it."""
        before = self._placer.before(picture.t_ns - REST_NS)
        return before is not None and self.rest_state.shifted(before, picture, CREEP_MM)

    def _place(self, running: ActiveMotion, *, wait: bool = False) -> None:
        """Looks back to where the striker lay, for each track that may be it, one after another."""
        for track in self.rest_state.tracker.tracks:
            if track.number in running.asked or not (wait or self._placer.free_for(track)):
                continue
            run = free_run(track)
            if run and running.struck_ns is not None and run[0].t_ns > running.struck_ns:
                # Nobody plays two strikers: what set off after one that was seen to lie placed is another piece.
                running.asked.add(track.number)
                continue
            looked = self._placer.place(track, running.before.pieces, wait=wait)
            if not looked.over:
                continue
            running.asked.add(track.number)
            if looked.placement is not None:
                running.placements[track.number] = looked.placement
                running.struck_ns = min(run[0].t_ns, running.struck_ns or run[0].t_ns)
            self._suspect(running, track, run)

    def _suspect(self, running: ActiveMotion, track: PieceTrack, run: Sequence[Measurement]) -> None:
        """Searches for what a hand displaced before the striker was struck, once that is known."""
        placement = running.placements.get(track.number)
        if running.displaced is not None or (placement is None and (track.piece != "striker" or not run)):
            return
        if placement is None:
            before_ns = run[0].t_ns - JUST_BEFORE_NS[0]
        else:
            lay = placement.piece
            left_ns, error_ns = set_off(lay.at, run, placement.t_ns)
            before_ns = left_ns - max(error_ns, self._pace.frame_ns)
        picture = self._placer.before(before_ns)
        placed = placement.piece if placement is not None else None
        suspects = self.rest_state.suspects(picture) if picture is not None else ()
        running.displaced = DisplacedSearch(
            self._detector, track.number, placed, picture, suspects, running.before.pieces
        )

    def _same(self, before: Image, now: Image, x_mm: float, y_mm: float) -> bool:
        """Whether two small pictures show the same where a striker lies."""
        at, radius_mm = (x_mm, y_mm), self._eyes.board.radius_mm("striker")
        return same_there(before, now, self.rest_state.background.limit, self.rest_state.view, at, radius_mm)

    def _publish_motion(self, running: ActiveMotion, out: list[Observation]) -> None:
        for track in self.rest_state.tracker.tracks:
            if len(track.marks) >= 2 and track.travelled_mm > 4.0:
                mark = track.marks[-1]
                piece = "striker" if track.number in running.placements else track.piece
                out.append(MotionBegan(track.began_ns, piece, mark.at, mark.by_hand))
                running.told = True
                return

    def _end(self, asked: Pending, out: list[Observation]) -> None:
        """Everything lies still again."""
        assert self._running is not None
        running, rest_state = self._running, self.rest_state
        model, row_ns = self._detector.model, asked.picture.frame.row_ns
        self._place(running, wait=True)
        displaced = running.displaced
        if displaced is not None:
            displaced.take()
            placement = running.placements.get(displaced.number)
            if placement is not None and displaced.lay_ns is not None:
                running.placements[displaced.number] = replace(placement, t_ns=max(placement.t_ns, displaced.lay_ns))
        sight = rest_state.kept(asked.request.sight, asked)
        self._running = rest_state.hands.under_way_ns = None
        spots = [placement.piece.at for placement in running.placements.values()]
        late_ns = row_delay_ns(model, spots, row_ns)
        # A stroke is reported as by a camera that takes only those pictures which were followed.
        frame_ns = max(self._pace.frame_ns, seen_every_ns(running.gaps_ns))
        window = MotionWindow(
            before=running.before,
            after=rest_state.seen(sight, asked),
            tracks=tuple(timed_by_row(track, model, row_ns) for track in rest_state.tracker.tracks),
            began_ns=min(running.began_ns, asked.since_ns),
            ended_ns=asked.since_ns,
            hand_trace=rest_state.hands.trace,
            published_ns=asked.completed_ns or asked.picture.t_ns,
            grade=self._detector.grade(frame_ns),
            frame_ns=frame_ns,
            placements={
                number: replace(placement, t_ns=placement.t_ns + late)
                for (number, placement), late in zip(running.placements.items(), late_ns, strict=True)
            },
            hands=tuple(running.hands),
            frames=running.frames,
            lost_frames=running.lost,
            blind=tuple(running.blind),
            pushed=asked.request.pushed,
            rough_mm=ROUGH_MM if self._eyes.allows == "basic" else 0.0,
            in_sight=(
                frozenset()
                if asked.request.pushed
                else rest_state.ended_in_sight(asked.picture.small, asked.since_ns, sight.pieces)
            ),
            shoved=displaced.found if displaced is not None else (),
        )
        self._explain(window, sight, asked, out)

    # -- rest

    def _idle(self, picture: Picture, difference: Image, changed: Image, since: int, out: list[Observation]) -> None:
        rest_state, schedule, t_ns = self.rest_state, self._schedule, picture.t_ns
        if t_ns - since < REST_NS or not schedule.may_ask(t_ns):
            return
        hands = rest_state.hands.now
        board = cv2.bitwise_and(changed, rest_state.view.board_mask)
        left = cv2.countNonZero(cv2.erode(board, AROUND)) if cv2.countNonZero(board) else 0
        whole = self._motion_gate.whole_since_ns
        rested_ns = t_ns - whole
        bare = False
        if not left and rested_ns >= REST_NS and self._uncovered_ns < whole:
            self._uncovered_ns, bare = t_ns, rest_state.uncovered(picture.small, hands)
        # What lies as still as no hand is detected once more.
        news_ns = whole + NO_HAND_NS if hands.any and rested_ns >= NO_HAND_NS else whole
        news = left or bare or (rest_state.middle.open and not hands.any)
        if news and rested_ns >= REST_NS and schedule.may_look(t_ns, news_ns, hands=hands.any):
            # Something lies otherwise than before although nothing was seen to move: beside a hand, or a shadow.
            self._ask(picture, since, out, ends=False)
        elif not hands.any:
            rest_state.background.watch(picture.small, difference, whole=left == 0 and self._pace.frames % 8 == 0)
            if schedule.may_feel(t_ns):
                schedule.feel(rest_state, picture, since)
                self._waits(out)
        if self._publisher.board_due(t_ns) and not self._detector.blind:
            if picture.number is not None:
                # The ring drops old pictures: the published board, and a stroke's `before`, refer to a recent one.
                rest_state.board = replace(rest_state.board, picture=picture.number)
            self._publisher.board(rest_state.board, t_ns, out)

    def _look_again(self, asked: Pending, out: list[Observation]) -> None:
        """Something was found to lie otherwise though nothing was followed."""
        rest_state, t_ns = self.rest_state, asked.picture.t_ns
        if asked.request.sight.hands and rest_state.hands.now.entering and not asked.hands.any:
            # It is a hand after all, however still.
            return
        before: BoardSeen = rest_state.board
        sight = rest_state.kept(asked.request.sight, asked)
        if asked.hands.any:
            self._rest_anew(sight, asked, out)
            return
        now, since = rest_state.seen(sight, asked), asked.since_ns
        frame_ns = self._pace.frame_ns
        trace = rest_state.hands.trace
        window = MotionWindow(before, now, (), since, since, t_ns, self._detector.grade(frame_ns), frame_ns, {}, trace)
        self._explain(window, sight, asked, out)

    def _explain(self, window: MotionWindow, sight: Finding, asked: Pending, out: list[Observation]) -> None:
        """Asks for the explanation of a window that is over; concludes at once if it is there."""
        ended = Ended(self._eyes.explain(window, self._eyes.board), sight, asked)
        if ended.explanation.done():
            self._conclude(ended, out)
        else:
            self._ended = ended

    def _conclude(self, ended: Ended, out: list[Observation]) -> None:
        """Says what happened, waiting for it, and takes the board as it lies now."""
        self._ended, sight = None, ended.sight
        stroke = ended.explanation.result()
        if stroke is not None:
            out.append(stroke)
            sight = replace(sight, pieces=stroke.after.pieces)
        self._rest_anew(sight, ended.asked, out)

    def _rest_anew(self, sight: Finding, asked: Pending, out: list[Observation]) -> None:
        """Takes the board as it lies now, and says it."""
        self.rest_state.take(sight, asked, self._detector.model)
        self._publisher.board(self.rest_state.board, asked.picture.t_ns, out)
