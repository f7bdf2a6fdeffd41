"""The follower: frames in, observations out, without threads, clocks or devices.

At rest it only sees that nothing changes. When something does, it follows the pieces until the picture has been
still for a quarter of a second, looks at the whole board once, and says what happened. Must not know rules.
"""

from __future__ import annotations

from dataclasses import replace

import cv2

from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    HandsSeen,
    MotionBegan,
    Moving,
    Observation,
    SeenPiece,
)
from controller.events.words import Grade
from controller.vision.finding.find import Finding
from controller.vision.following.episode import Episode
from controller.vision.following.foresight import Rests
from controller.vision.following.hands import Hands
from controller.vision.following.hands_lately import HandsLately
from controller.vision.following.inquiry import Inquiry, Question
from controller.vision.following.pace import Pace
from controller.vision.following.placement import Kept, Placer
from controller.vision.following.plate import Plate
from controller.vision.following.rest import ERODE, Stillness, carried, lies_in
from controller.vision.following.rows import row_delay_ns, timed_by_row
from controller.vision.following.still_scene import covered_by, same_there, saturated_share, without_hands
from controller.vision.following.stroke import stroke_of
from controller.vision.following.tracker import Tracker
from controller.vision.following.under_way import Asked, Eyes, Running
from controller.vision.following.view import View, view_for
from controller.vision.sources.frame import Frame, Image

REST_NS = 250_000_000
RESAY_NS = 2_000_000_000
SAY_NS = 100_000_000
HEALTH_NS = 1_000_000_000
PATIENCE_NS = 1_000_000_000
"""So long after a picture in which the board could not be found the next one is asked for."""

CHECK_NS = 2_000_000_000
LOOK_NS = 1_000_000_000
"""While a hand rests over the board all of it is looked at again this often at most."""


class Follower:
    """Follows one board through one camera. `step` takes frames in the order of their times."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes
        self._view: View | None = None
        self._plate: Plate | None = None
        self._tracker: Tracker | None = None
        self._stillness = Stillness()
        self._hands: HandsLately | None = None
        self._board: BoardSeen | None = None
        self._running: Running | None = None
        self._inquiry = Inquiry(eyes.ask, eyes.check, eyes.model)
        self._placer = Placer(self._inquiry, eyes.board, self._same)
        self._asked: Asked | None = None
        self._last: Frame | None = None
        self._pace = Pace()
        self._said = {
            "board": -RESAY_NS,
            "hands": -SAY_NS,
            "moving": -SAY_NS,
            "health": -HEALTH_NS,
            "look": 0,
            "check": 0,
        }
        self._hands_said: tuple[int, frozenset[str | None]] = (0, frozenset())
        self._numbers = 0
        self._rest_said = False
        self._saturated = 0.0
        self._patience_ns = 0

    # -- the way in

    def step(self, frame: Frame, picture: int | None = None) -> list[Observation]:
        """Takes the next frame; returns what there is to say. `picture`: the frame's number in the ring of JPEGs.

        Raises DeviceError if the frame cannot be decoded.
        """
        out: list[Observation] = []
        if self._last is not None and frame.t_ns <= self._last.t_ns:
            # The source began anew or stamps backwards: nothing can be said across that.
            self.forget()
        if self._view is None:
            self._view = view_for(self._inquiry.model, self._eyes.board)
        self._count(frame)
        small = self._view.shrink(frame)
        if self._plate is None:
            self._begin(frame, small, picture)
        else:
            small = self._plate.level(small)
            self._follow(frame, small, picture, out)
        self._placer.keep(Kept(frame, small, picture))
        if frame.t_ns - self._said["health"] >= HEALTH_NS:
            self._said["health"] = frame.t_ns
            out.append(self.health(frame.t_ns))
        self._last = frame
        return out

    def finish(self) -> list[Observation]:
        """Says what can be said at a recording's end: the last picture is taken as rest."""
        out: list[Observation] = []
        if self._last is None or self._view is None or self._plate is None:
            return out
        if self._asked is not None:
            self._asked.question.done(wait=True)
            self._waits(out)
        if self._running is not None:
            assert self._hands is not None
            small = self._plate.level(self._view.shrink(self._last))
            since = min(self._stillness.since_ns, self._last.t_ns)
            hands = self._hands.now
            question = self._question(self._last, hands)
            question.done(wait=True)
            if question.outcome == "seen":
                self._end(Asked(question, True, self._last, small, hands, since, None), out)
            else:
                out.append(self.health(self._last.t_ns))
        elif not self._rest_said and self._board is not None:
            out.append(replace(self._board, t_ns=self._last.t_ns))
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
            saturated=round(self._saturated, 4),
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

    # -- inside

    def _count(self, frame: Frame) -> None:
        missing, blind = self._pace.take(frame, self._last)
        if self._running is None or self._last is None:
            return
        self._running.frames += 1
        self._running.lost += missing
        if blind:
            self._running.blind.append((self._last.t_ns, frame.t_ns))

    def _same(self, before: Image, now: Image, x_mm: float, y_mm: float) -> bool:
        """Whether two small pictures show the same where a striker lies."""
        assert self._view is not None
        assert self._plate is not None
        return same_there(before, now, self._plate.limit, self._view, (x_mm, y_mm), self._eyes.striker_radius_mm)

    def forget(self) -> None:
        """Begins anew with the next frame; what was under way is given up."""
        self._plate, self._tracker, self._running, self._board = None, None, None, None
        self._asked = None
        self._stillness = Stillness()
        self._hands = None
        self._placer.forget()
        self._last = None
        self._rest_said = False
        self._patience_ns = 0
        self._said = dict.fromkeys(self._said, -RESAY_NS)

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
        self._plate = Plate(small, self._view.surface)
        self._hands = HandsLately(self._view)
        none = self._hands.none
        asked = Asked(question, False, frame, small, none, frame.t_ns, picture)
        self._settle_down(question.sight, asked)
        self._stillness.look(small, none.mask, self._plate.limit, self._view.board_mask, frame.t_ns)

    def _seen(self, sight: Finding, asked: Asked) -> BoardSeen:
        assert self._view is not None
        return BoardSeen(
            t_ns=asked.frame.t_ns,
            since_ns=asked.since_ns,
            pieces=sight.pieces,
            hidden=sight.hidden,
            # When the camera was pushed everything has changed; that is no hand.
            hands=(() if asked.question.pushed else asked.hands.described(self._view)) or sight.hands,
            foreign=sight.foreign,
            picture=asked.picture,
        )

    def _settle_down(self, sight: Finding, asked: Asked) -> None:
        """Takes a sight as the board at rest."""
        assert self._view is not None
        assert self._plate is not None
        small, hands = asked.small, asked.hands
        self._board = self._seen(sight, asked)
        if self._view.model is not self._inquiry.model:
            self._view = replace(self._view, model=self._inquiry.model)
            if asked.question.pushed:
                # What was learnt of the bare board lies elsewhere in the picture now.
                self._plate = Plate(small, self._view.surface)
        self._saturated = saturated_share(small, self._view)
        radius_mm = self._eyes.radius_mm
        covered = covered_by(sight, hands, self._view, radius_mm)
        self._plate.rest(without_hands(small, self._plate.scene, hands, sight.pieces, self._view, radius_mm), covered)
        resting = [Rests(piece, radius_mm(piece)) for piece in sight.pieces]
        self._tracker = Tracker(self._view, self._plate, resting, self._numbers)

    def _follow(self, frame: Frame, small: Image, picture: int | None, out: list[Observation]) -> None:
        assert self._view is not None
        assert self._plate is not None
        assert self._tracker is not None
        assert self._hands is not None
        difference = self._plate.difference(small)
        changed = self._plate.changed(difference)
        quiet = cv2.countNonZero(changed) == 0
        pieces = [(rests.piece.x_mm, rests.piece.y_mm) for rests in self._tracker.resting]
        pieces += [track.last[1:] for track in self._tracker.tracks if track.life == "moving"]
        pieces += [
            (track.start.x_mm, track.start.y_mm)
            for track in self._tracker.tracks
            if track.start is not None and not track.hole_open
        ]
        hands = self._hands.look(changed, self._view, pieces, frame.t_ns, quiet=quiet)
        since = self._stillness.look(small, hands.mask, self._plate.limit, self._view.board_mask, frame.t_ns)
        self._say_hands(frame, hands, out)
        if self._asked is not None and self._waits(out):
            return
        moving = False
        if not quiet:
            looked = self._tracker.look(small, difference, changed, hands.mask, frame.t_ns, frame.exposure_ns)
            moving = looked.moving
            if looked.new:
                if self._running is None:
                    self._start(frame)
                if self._running is not None:
                    self._running.latest_ns = frame.t_ns
        if self._running is not None:
            self._run(frame, small, since, moving, picture, out)
        else:
            self._idle(frame, small, difference, changed, hands, since, picture, out)

    def _start(self, frame: Frame) -> None:
        assert self._board is not None
        began = self._last.t_ns if self._last is not None else frame.t_ns
        self._running = Running(self._board, began, frames=1)

    def _run(
        self, frame: Frame, small: Image, since: int, moving: bool, picture: int | None, out: list[Observation]
    ) -> None:
        assert self._running is not None
        assert self._tracker is not None
        running = self._running
        self._place(running)
        if not running.told:
            self._tell_motion(frame, out)
        if frame.t_ns - self._said["moving"] >= SAY_NS and moving:
            self._said["moving"] = frame.t_ns
            out.append(Moving(frame.t_ns, self._live()))
        # A piece that a hand takes along moves where stillness is not looked at.
        rested = max(since, running.latest_ns)
        if frame.t_ns - rested >= REST_NS and frame.t_ns >= self._patience_ns:
            self._ask(frame, small, rested, picture, out, ends=True)

    def _place(self, running: Running, *, wait: bool = False) -> None:
        """Looks back to where the striker lay, for each track that may be it."""
        assert self._tracker is not None
        for track in self._tracker.tracks:
            if track.number in running.asked:
                continue
            placed = self._placer.place(track, self._pace.frame_ns, wait=wait)
            if placed is None:
                continue
            running.asked.add(track.number)
            if placed.placement is not None:
                running.placements[track.number] = placed.placement

    def _ask(
        self, frame: Frame, small: Image, since: int, picture: int | None, out: list[Observation], *, ends: bool
    ) -> None:
        """Has the whole board found in this picture; what follows from it is said when the answer is there."""
        assert self._hands is not None
        question = self._question(frame, self._hands.now)
        self._asked = Asked(question, ends, frame, small, self._hands.now, since, picture)
        self._waits(out)

    def _check(self, frame: Frame, small: Image, since: int, picture: int | None, out: list[Observation]) -> None:
        """Has it checked in a picture of a board on which nothing has changed whether the camera hangs as it hung."""
        assert self._board is not None
        assert self._hands is not None
        board = self._board
        self._said["check"] = frame.t_ns
        known = Finding(board.pieces, board.hidden, board.hands, board.foreign)
        question = Question(self._inquiry, frame, board.pieces, known=known)
        self._asked = Asked(question, False, frame, small, self._hands.now, since, picture, known=True)
        self._waits(out)

    def _question(self, frame: Frame, hands: Hands) -> Question:
        assert self._view is not None
        assert self._board is not None
        return Question(self._inquiry, frame, self._board.pieces, hands.described(self._view))

    def _be_patient(self, question: Question, frame: Frame) -> None:
        """No answer: the next picture is asked for, or one in a while where the board is not to be seen."""
        self._said["look"] = -RESAY_NS
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
        self._said["check"] = asked.frame.t_ns
        if asked.ends:
            self._end(asked, out)
            return True
        if asked.known:
            if self._view is not None and self._view.model is not self._inquiry.model and self._running is None:
                self._settle_down(asked.question.sight, asked)
            return False
        if self._running is None and self._stillness.since_ns == asked.since_ns:
            self._look_again(asked, out)
        return False

    def _tell_motion(self, frame: Frame, out: list[Observation]) -> None:
        assert self._running is not None
        assert self._tracker is not None
        for track in self._tracker.tracks:
            if len(track.marks) >= 2 and track.travelled_mm > 4.0:
                mark = track.marks[-1]
                piece = "striker" if track.number in self._running.placements else track.piece
                out.append(MotionBegan(track.began_ns, piece, (mark.x_mm, mark.y_mm), mark.by_hand))
                self._running.told = True
                return

    def _live(self) -> tuple[SeenPiece, ...]:
        assert self._tracker is not None
        pieces = [rests.piece for rests in self._tracker.resting]
        for track in self._tracker.tracks:
            if track.life == "moving" and track.marks:
                _, x, y = track.last
                pieces.append(SeenPiece(track.piece, round(x, 1), round(y, 1), 3.0))
        return tuple(pieces)

    def _end(self, asked: Asked, out: list[Observation]) -> None:
        """Everything lies still again."""
        assert self._running is not None
        assert self._tracker is not None
        running, tracker, model = self._running, self._tracker, self._inquiry.model
        self._place(running, wait=True)
        sight = self._carried(asked.question.sight, running.before)
        self._numbers = max([self._numbers, *(track.number for track in tracker.tracks)])
        self._running = None
        episode = Episode(
            before=running.before,
            after=self._seen(sight, asked),
            tracks=tuple(timed_by_row(track, model, asked.frame.row_ns) for track in tracker.tracks),
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
        stroke = stroke_of(episode, self._eyes.board)
        if stroke is not None:
            out.append(stroke)
        self._settle_down(sight if stroke is None else replace(sight, pieces=stroke.after.pieces), asked)
        self._say_board(asked.frame, out)

    def _taken(self, x_mm: float, y_mm: float, from_ns: int, to_ns: int) -> bool:
        assert self._view is not None
        assert self._hands is not None
        return self._hands.taken(*self._view.px(x_mm, y_mm), from_ns, to_ns)

    def _carried(self, sight: Finding, before: BoardSeen) -> Finding:
        assert self._tracker is not None
        untouched = {id(rests.piece) for rests in self._tracker.resting if rests.track is None}
        return carried(sight, before.pieces, untouched)

    def _idle(
        self,
        frame: Frame,
        small: Image,
        difference: Image,
        changed: Image,
        hands: Hands,
        since: int,
        picture: int | None,
        out: list[Observation],
    ) -> None:
        assert self._view is not None
        assert self._plate is not None
        assert self._board is not None
        if frame.t_ns - since < REST_NS or frame.t_ns < self._patience_ns:
            return
        board = cv2.bitwise_and(changed, self._view.board_mask)
        left = cv2.countNonZero(cv2.erode(board, ERODE))
        whole = self._stillness.whole_since_ns
        pause = LOOK_NS if hands.any else 0
        due = frame.t_ns - whole >= REST_NS and self._said["look"] <= min(whole, frame.t_ns - pause)
        if left and self._asked is None and due:
            # Something lies otherwise than before although nothing was seen to move: beside a hand, or a shadow.
            self._said["look"] = frame.t_ns
            self._ask(frame, small, since, picture, out, ends=False)
        elif not hands.any:
            self._plate.watch(small, difference, whole=left == 0 and self._pace.frames % 8 == 0)
            if self._asked is None and frame.t_ns - self._said["check"] >= CHECK_NS:
                self._check(frame, small, since, picture, out)
        again = not self._rest_said or frame.t_ns - self._said["board"] >= RESAY_NS
        if again and not self._inquiry.blind:
            if picture is not None:
                # The ring forgets: what is said of now, and a stroke's before, shows a picture of now.
                self._board = replace(self._board, picture=picture)
            self._say_board(frame, out)

    def _look_again(self, asked: Asked, out: list[Observation]) -> None:
        assert self._board is not None
        assert self._view is not None
        before, hands = self._board, asked.hands
        sight = asked.question.sight
        if hands.any:
            view = self._view
            under = [piece for piece in before.pieces if hands.over(*view.px(piece.x_mm, piece.y_mm))]
            hidden = [piece for piece in under if not lies_in(sight.pieces, piece)]
            sight = replace(sight, pieces=(*sight.pieces, *hidden))
        else:
            sight = self._carried(sight, before)
            now, since = self._seen(sight, asked), asked.since_ns
            episode = Episode(
                before, now, (), since, since, asked.frame.t_ns, self.grade, self._pace.frame_ns, {}, self._taken
            )
            stroke = stroke_of(episode, self._eyes.board)
            if stroke is not None:
                out.append(stroke)
        self._settle_down(sight, asked)
        self._say_board(asked.frame, out)

    def _say_board(self, frame: Frame, out: list[Observation]) -> None:
        assert self._board is not None
        self._rest_said = True
        self._said["board"] = frame.t_ns
        out.append(replace(self._board, t_ns=frame.t_ns))

    def _say_hands(self, frame: Frame, hands: Hands, out: list[Observation]) -> None:
        assert self._view is not None
        if not hands.any and self._hands_said[0] == 0:
            return
        if frame.t_ns - self._said["hands"] < SAY_NS:
            return
        described = hands.described(self._view)
        key = (len(described), frozenset(hand.side for hand in described))
        seen = HandsSeen(frame.t_ns, described)
        if self._running is not None:
            self._running.hands.append(seen)
        self._said["hands"] = frame.t_ns
        if key != self._hands_said:
            self._hands_said = key
            out.append(seen)
