"""The follower: frames in, observations out, without threads, clocks or devices.

At rest it only sees that nothing changes. When something does, it follows the pieces until the picture has been still
for a quarter of a second, has looked at what is not explained, and says what happened. Must not know rules.
"""

from __future__ import annotations

from dataclasses import replace

import cv2

from controller.events.errors import DeviceError
from controller.events.observation import BoardSeen, EyesHealth, MotionBegan, Moving, Observation, SeenPiece
from controller.events.words import Grade
from controller.vision.finding.find import Finding
from controller.vision.following.episode import Episode
from controller.vision.following.hands import Hands
from controller.vision.following.idling import Idling
from controller.vision.following.inquiry import Inquiry, Question
from controller.vision.following.naming import possible
from controller.vision.following.pace import Pace
from controller.vision.following.placement import Kept, Placer
from controller.vision.following.rest import ERODE, Stillness
from controller.vision.following.rows import row_delay_ns, timed_by_row
from controller.vision.following.sayings import Sayings
from controller.vision.following.standing import Standing
from controller.vision.following.still_scene import same_there
from controller.vision.following.stroke import stroke_of
from controller.vision.following.under_way import Asked, Eyes, Running
from controller.vision.following.view import View, view_for
from controller.vision.sources.frame import Frame, Image

REST_NS = 250_000_000
PATIENCE_NS = 1_000_000_000
"""So long after a picture in which the board could not be found the next one is asked for."""

CHECK_NS = 2_000_000_000
CHECK_ALL_NS = 60_000_000_000
"""How often it is felt for a nudge of the camera, and how often its place is measured though none was felt."""

LOOK_NS = 1_000_000_000
"""While a hand rests over the board it is looked at again this often at most."""

ALL_NS = 30_000_000_000
"""All of the board is looked at anew when that was not done for so long, even if only a part has changed."""


class Follower:
    """Follows one board through one camera. `step` takes frames in the order of their times."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes
        self._view: View | None = None
        self._standing: Standing | None = None
        self._stillness = Stillness()
        self._running: Running | None = None
        self._inquiry = Inquiry(eyes.ask, eyes.check, eyes.model, eyes.part)
        self._placer = Placer(self._inquiry, eyes.board, self._same)
        self._asked: Asked | None = None
        self._newest: Frame | None = None
        self._last: Frame | None = None
        self._idling = Idling()
        self._pace = Pace()
        self._sayings = Sayings()
        self._looked_ns = self._felt_ns = self._checked_ns = self._all_ns = 0
        self._patience_ns = 0

    # -- the way in

    def step(self, frame: Frame, picture: int | None = None) -> list[Observation]:
        """Takes the next frame; returns what there is to say. `picture`: the frame's number in the ring of JPEGs.

        Raises DeviceError if the frame cannot be decoded.
        """
        out: list[Observation] = []
        if self._newest is not None and frame.t_ns <= self._newest.t_ns:
            # The source began anew or stamps backwards: nothing can be said across that.
            self.forget()
        self._count(frame)
        self._newest = frame
        if self._idling.may_wait(frame, self._pace.frame_ns):
            self._idling.wait(frame, picture)
        else:
            self._look(frame, picture, out)
        if self._sayings.health_due(frame.t_ns, blind=self._inquiry.blind):
            out.append(self.health(frame.t_ns))
        return out

    def finish(self) -> list[Observation]:
        """Says what can be said at a recording's end: the last picture is taken as rest."""
        out: list[Observation] = []
        self._catch_up(out)
        if self._last is None or self._view is None or self._standing is None:
            return out
        if self._asked is not None:
            self._asked.question.done(wait=True)
            self._waits(out)
        standing = self._standing
        if self._running is not None:
            small = standing.plate.level(self._view.shrink(self._last))
            since = min(self._stillness.since_ns, self._last.t_ns)
            asked = self._question(self._last, small, since, None, ends=True)
            asked.question.done(wait=True)
            if asked.question.outcome == "seen":
                self._end(asked, out)
            else:
                out.append(self.health(self._last.t_ns))
        elif not self._sayings.rest:
            out.append(replace(standing.board, t_ns=self._last.t_ns))
        return out

    def health(self, t_ns: int) -> EyesHealth:
        """How well it sees, as far as the follower can tell."""
        warnings = self._inquiry.warnings
        return EyesHealth(
            t_ns=t_ns,
            camera="blind" if self._inquiry.blind else "ok",
            seen_until_ns=self._last.t_ns if self._last is not None else t_ns,
            grade=self.grade,
            fps=round(1e9 / self._pace.frame_ns, 1),
            frames=self._pace.frames,
            px_per_mm=round(self._inquiry.model.px_per_mm, 3),
            saturated=round(self._standing.saturated if self._standing is not None else 0.0, 4),
            moved_mm=round(self._inquiry.moved_mm, 2),
            residual_mm=self._inquiry.residual_mm,
            warnings=warnings,
            says=warnings[0] if warnings else "",
        )

    @property
    def grade(self) -> Grade:
        """What this camera can be trusted with."""
        if self._pace.frame_ns > 1e9 / 55:
            return "basic"
        fine = self._inquiry.model.px_per_mm >= 1.25
        return "match" if fine and self._eyes.shutter == "global" else "club"

    def forget(self) -> None:
        """Begins anew with the next frame; what was under way is given up."""
        self._standing, self._running, self._asked = None, None, None
        self._stillness = Stillness()
        self._placer.forget()
        self._newest = self._last = None
        self._idling = Idling()
        self._sayings = Sayings()
        self._looked_ns = self._felt_ns = self._checked_ns = self._all_ns = 0
        self._patience_ns = 0

    # -- one picture after another

    def _count(self, frame: Frame) -> None:
        missing, blind = self._pace.take(frame, self._newest)
        if self._running is None or self._newest is None:
            return
        self._running.frames += 1
        self._running.lost += missing
        if blind:
            self._running.blind.append((self._newest.t_ns, frame.t_ns))

    def _look(self, frame: Frame, picture: int | None, out: list[Observation]) -> None:
        """Looks at a picture. If it shows that something has begun, those that waited are looked at before it."""
        if self._view is None:
            self._view = view_for(self._inquiry.model, self._eyes.board)
        small = self._view.shrink(frame)
        if self._standing is None:
            self._begin(frame, small, picture)
        else:
            small = self._standing.plate.level(small)
            if self._idling.quiet and self._is_quiet(small):
                self._idling.taken()
            else:
                self._catch_up(out)
            self._follow(frame, small, picture, out)
        self._placer.keep(Kept(frame, small, picture))
        self._last = frame

    def _catch_up(self, out: list[Observation]) -> None:
        for frame, picture in self._idling.taken():
            standing = self._standing
            if standing is None or self._view is None:
                return
            try:
                small = standing.plate.level(self._view.shrink(frame))
            except DeviceError:
                # It is as if it had never come.
                continue
            self._follow(frame, small, picture, out)
            self._placer.keep(Kept(frame, small, picture))
            self._last = frame

    def _is_quiet(self, small: Image) -> bool:
        assert self._standing is not None
        plate = self._standing.plate
        return cv2.countNonZero(plate.changed(plate.difference(small))) == 0

    def _begin(self, frame: Frame, small: Image, picture: int | None) -> None:
        """The very first picture: what lies there is found at once, so that a stroke that follows has a before."""
        assert self._view is not None
        if frame.t_ns < self._patience_ns:
            return
        question = Question(self._inquiry, frame)
        question.done(wait=True)
        if question.outcome != "seen":
            self._be_patient(question, frame)
            return
        standing = self._standing = Standing(self._eyes, self._view, small)
        none = standing.hands.none
        asked = Asked(question, False, frame, small, none, frame.t_ns, picture)
        sight = question.sight
        self._settle_down(replace(sight, pieces=possible(sight.pieces)), asked)
        self._stillness.look(small, none.mask, standing.plate.limit, self._view.board_mask, frame.t_ns)

    def _follow(self, frame: Frame, small: Image, picture: int | None, out: list[Observation]) -> None:
        assert self._view is not None
        assert self._standing is not None
        standing, view = self._standing, self._view
        plate, tracker = standing.plate, standing.tracker
        difference = plate.difference(small)
        changed = plate.changed(difference)
        quiet = cv2.countNonZero(changed) == 0
        hands = standing.hands.look(changed, view, () if quiet else standing.loose_mm(), frame.t_ns, quiet=quiet)
        since = self._stillness.look(small, hands.mask, plate.limit, view.board_mask, frame.t_ns)
        self._say_hands(frame, hands, out)
        self._idling.looked(frame, quiet=False)
        if self._asked is not None and self._waits(out):
            return
        moving = False
        if not quiet:
            looked = tracker.look(small, difference, changed, hands.mask, frame.t_ns, frame.exposure_ns)
            moving = looked.moving
            if looked.new:
                if self._running is None:
                    began = self._last.t_ns if self._last is not None else frame.t_ns
                    self._running = Running(standing.board, began, frames=1)
                self._running.latest_ns = frame.t_ns
        if self._running is not None:
            self._run(frame, small, since, moving, picture, out)
        else:
            self._idle(frame, small, difference, changed, since, picture, out)
            still = self._running is None and self._asked is None and self._sayings.rest
            self._idling.looked(frame, quiet=quiet and still)

    # -- motion

    def _run(
        self, frame: Frame, small: Image, since: int, moving: bool, picture: int | None, out: list[Observation]
    ) -> None:
        assert self._running is not None
        running = self._running
        self._place(running)
        if not running.told:
            self._tell_motion(frame, out)
        if moving and self._sayings.moving_due(frame.t_ns):
            out.append(Moving(frame.t_ns, self._live()))
        # A piece that a hand takes along moves where stillness is not looked at.
        rested = max(since, running.latest_ns)
        if frame.t_ns - rested >= REST_NS and frame.t_ns >= self._patience_ns:
            self._ask(frame, small, rested, picture, out, ends=True)

    def _place(self, running: Running, *, wait: bool = False) -> None:
        """Looks back to where the striker lay, for each track that may be it."""
        assert self._standing is not None
        for track in self._standing.tracker.tracks:
            if track.number in running.asked:
                continue
            placed = self._placer.place(track, running.before.pieces, self._pace.frame_ns, wait=wait)
            if placed is None:
                continue
            running.asked.add(track.number)
            if placed.placement is not None:
                running.placements[track.number] = placed.placement

    def _same(self, before: Image, now: Image, x_mm: float, y_mm: float) -> bool:
        """Whether two small pictures show the same where a striker lies."""
        assert self._view is not None
        assert self._standing is not None
        at, radius_mm = (x_mm, y_mm), self._eyes.striker_radius_mm
        return same_there(before, now, self._standing.plate.limit, self._view, at, radius_mm)

    def _tell_motion(self, frame: Frame, out: list[Observation]) -> None:
        assert self._running is not None
        assert self._standing is not None
        for track in self._standing.tracker.tracks:
            if len(track.marks) >= 2 and track.travelled_mm > 4.0:
                mark = track.marks[-1]
                piece = "striker" if track.number in self._running.placements else track.piece
                out.append(MotionBegan(track.began_ns, piece, (mark.x_mm, mark.y_mm), mark.by_hand))
                self._running.told = True
                return

    def _live(self) -> tuple[SeenPiece, ...]:
        assert self._standing is not None
        tracker = self._standing.tracker
        pieces = [rests.piece for rests in tracker.resting]
        for track in tracker.tracks:
            if track.life == "moving" and track.marks:
                _, x, y = track.last
                pieces.append(SeenPiece(track.piece, round(x, 1), round(y, 1), 3.0))
        return tuple(pieces)

    # -- questions and answers

    def _ask(
        self, frame: Frame, small: Image, since: int, picture: int | None, out: list[Observation], *, ends: bool
    ) -> None:
        """Has what changed on the board found in this picture; what follows is said when the answer is there."""
        self._asked = self._question(frame, small, since, picture, ends=ends)
        self._waits(out)

    def _question(self, frame: Frame, small: Image, since: int, picture: int | None, *, ends: bool) -> Asked:
        assert self._standing is not None
        standing = self._standing
        hands = self._reckoned(frame)
        change = standing.change(small, hands)
        steady = (
            not self._inquiry.doubted and frame.t_ns - self._checked_ns < CHECK_ALL_NS and standing.hangs_still(small)
        )
        self._felt_ns = frame.t_ns
        known = standing.known_after(change) if steady else None
        roi = change.roi if steady and self._eyes.part is not None else None
        if known is None and (roi is None or frame.t_ns - self._all_ns >= ALL_NS):
            roi, self._all_ns = None, frame.t_ns
        described = hands.described(standing.view)
        pieces = standing.board.pieces
        question = Question(self._inquiry, frame, pieces, described, known, steady=steady, roi=roi)
        return Asked(question, ends, frame, small, hands, since, picture, change, roi)

    def _reckoned(self, frame: Frame) -> Hands:
        """The hands that cover something: what lies as still as the board and reaches in from nowhere is none."""
        assert self._standing is not None
        hands = self._standing.hands
        lies = frame.t_ns - self._stillness.whole_since_ns >= REST_NS and not hands.now.entering
        return hands.none if lies else hands.now

    def _check(self, frame: Frame, small: Image, since: int, picture: int | None, out: list[Observation]) -> None:
        """Feels on a board on which nothing has changed whether the camera hangs as it hung; if not, it is measured."""
        assert self._standing is not None
        standing, board = self._standing, self._standing.board
        self._felt_ns = frame.t_ns
        due = frame.t_ns - self._checked_ns >= CHECK_ALL_NS or self._inquiry.doubted
        if not due and standing.hangs_still(small):
            return
        known = Finding(board.pieces, board.hidden, board.hands, board.foreign)
        question = Question(self._inquiry, frame, board.pieces, known=known)
        self._asked = Asked(question, False, frame, small, standing.hands.now, since, picture)
        self._waits(out)

    def _be_patient(self, question: Question, frame: Frame) -> None:
        """No answer: the next picture is asked for, or one in a while where the board is not to be seen."""
        self._looked_ns = 0
        if question.outcome == "lost":
            self._patience_ns = frame.t_ns + PATIENCE_NS

    def _waits(self, out: list[Observation]) -> bool:
        """Takes the finder's answer if it is there. Returns whether following has to wait for it."""
        asked = self._asked
        assert asked is not None
        if not asked.question.done():
            return asked.ends
        self._asked = None
        if asked.question.outcome != "seen":
            self._be_patient(asked.question, asked.frame)
            return asked.ends
        if asked.question.checked:
            self._checked_ns = asked.frame.t_ns
        if asked.ends:
            self._end(asked, out)
            return True
        if asked.change is None:
            moved = self._view is not None and self._view.model is not self._inquiry.model
            if moved and self._running is None:
                self._settle_down(asked.question.sight, asked)
        elif self._running is None and self._stillness.since_ns == asked.since_ns:
            self._look_again(asked, out)
        return False

    def _sight(self, asked: Asked) -> Finding:
        """What was found, with what was known of the rest of the board and of what nobody touched."""
        assert self._standing is not None
        sight = asked.question.sight
        if asked.roi is not None and not asked.question.pushed:
            sight = self._standing.completed(sight, asked.roi)
        return self._standing.kept(sight, asked)

    def _settle_down(self, sight: Finding, asked: Asked) -> None:
        """Takes a sight as the board at rest."""
        assert self._standing is not None
        assert self._view is not None
        if self._view.model is not self._inquiry.model:
            self._view = replace(self._view, model=self._inquiry.model)
        self._standing.take(sight, asked, self._view)

    def _end(self, asked: Asked, out: list[Observation]) -> None:
        """Everything lies still again."""
        assert self._running is not None
        assert self._standing is not None
        running, standing, model = self._running, self._standing, self._inquiry.model
        self._place(running, wait=True)
        sight = self._sight(asked)
        self._running = None
        episode = Episode(
            before=running.before,
            after=standing.seen(sight, asked),
            tracks=tuple(timed_by_row(track, model, asked.frame.row_ns) for track in standing.tracker.tracks),
            began_ns=min(running.began_ns, asked.since_ns),
            ended_ns=asked.since_ns,
            taken=self._taken,
            said_ns=asked.frame.t_ns,
            grade=self.grade,
            frame_ns=self._pace.frame_ns,
            placements={
                number: replace(placement, t_ns=placement.t_ns + late)
                for (number, placement), late in zip(
                    running.placements.items(),
                    row_delay_ns(
                        model,
                        [(placement.piece.x_mm, placement.piece.y_mm) for placement in running.placements.values()],
                        asked.frame.row_ns,
                    ),
                    strict=True,
                )
            },
            hands=tuple(running.hands),
            frames=running.frames,
            lost_frames=running.lost,
            blind=tuple(running.blind),
            pushed=asked.question.pushed,
        )
        self._conclude(episode, sight, asked, out)

    def _conclude(self, episode: Episode, sight: Finding, asked: Asked, out: list[Observation]) -> None:
        """Says what happened, and takes the board as it lies now."""
        assert self._standing is not None
        stroke = stroke_of(episode, self._eyes.board)
        if stroke is not None:
            out.append(stroke)
            sight = replace(sight, pieces=stroke.after.pieces)
        self._settle_down(sight, asked)
        self._sayings.board(self._standing.board, asked.frame.t_ns, out)

    def _taken(self, x_mm: float, y_mm: float, from_ns: int, to_ns: int) -> bool:
        assert self._view is not None
        assert self._standing is not None
        return self._standing.hands.taken(*self._view.px(x_mm, y_mm), from_ns, to_ns)

    # -- rest

    def _idle(
        self,
        frame: Frame,
        small: Image,
        difference: Image,
        changed: Image,
        since: int,
        picture: int | None,
        out: list[Observation],
    ) -> None:
        assert self._view is not None
        assert self._standing is not None
        standing, hands = self._standing, self._standing.hands.now
        if frame.t_ns - since < REST_NS or frame.t_ns < self._patience_ns:
            return
        board = cv2.bitwise_and(changed, self._view.board_mask)
        left = cv2.countNonZero(cv2.erode(board, ERODE)) if cv2.countNonZero(board) else 0
        whole = self._stillness.whole_since_ns
        pause = LOOK_NS if hands.any else 0
        due = frame.t_ns - whole >= REST_NS and self._looked_ns <= min(whole, frame.t_ns - pause)
        if left and self._asked is None and due:
            # Something lies otherwise than before although nothing was seen to move: beside a hand, or a shadow.
            self._looked_ns = frame.t_ns
            self._ask(frame, small, since, picture, out, ends=False)
        elif not hands.any:
            standing.plate.watch(small, difference, whole=left == 0 and self._pace.frames % 8 == 0)
            if self._asked is None and frame.t_ns - self._felt_ns >= CHECK_NS:
                self._check(frame, small, since, picture, out)
        if self._sayings.board_due(frame.t_ns) and not self._inquiry.blind:
            if picture is not None:
                # The ring forgets: what is said of now, and a stroke's before, shows a picture of now.
                standing.board = replace(standing.board, picture=picture)
            self._sayings.board(standing.board, frame.t_ns, out)

    def _look_again(self, asked: Asked, out: list[Observation]) -> None:
        assert self._standing is not None
        standing, hands = self._standing, asked.hands
        before: BoardSeen = standing.board
        sight = self._sight(asked)
        if hands.any:
            self._settle_down(sight, asked)
            self._sayings.board(standing.board, asked.frame.t_ns, out)
            return
        now, since = standing.seen(sight, asked), asked.since_ns
        episode = Episode(
            before, now, (), since, since, asked.frame.t_ns, self.grade, self._pace.frame_ns, {}, self._taken
        )
        self._conclude(episode, sight, asked, out)

    def _say_hands(self, frame: Frame, hands: Hands, out: list[Observation]) -> None:
        assert self._view is not None
        if not self._sayings.hands_due(frame.t_ns, any_now=hands.any):
            return
        seen = self._sayings.hands(hands.described(self._view), frame.t_ns, out)
        if self._running is not None:
            self._running.hands.append(seen)
