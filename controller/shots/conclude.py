"""Reads the strokes that wait, as soon as nothing that moves or is awaited could change them, and reads them again.

A stroke is read when the beams have reported everything up to its end, are known to be down, or have had long enough:
what looks explained, a beam may still say otherwise. A piece that hangs in a mouth while a beam below it is broken is
examined once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from calibration.board import Board
from controller.events.expectation import Expectation
from controller.events.match import Shot
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen, Track, Vanished
from controller.shots.board_vs_book import change, difference_at_stroke
from controller.shots.limits import Limits
from controller.shots.opening import is_set_up
from controller.shots.outputs import Mismatch, Output, Practice
from controller.shots.reading import read_stroke, span_ns
from controller.shots.state import Concluded, ShotState, Step, alert, awaits_ruling, cue


def conclude(state: ShotState) -> Step:
    """Reads the earliest stroke that waits, if it may be read now."""
    stroke, book, limits, live = state.pending[0], state.expectation, state.limits, state.liveness
    late = live.tick_ns >= stroke.t_ns + limits.never_wait_ns
    falling = _falling_since(state, stroke)
    looked = state.boards[-1] if state.boards else stroke.after
    examined = not falling or (looked.t_ns > falling and not looked.hands)
    if not (late or (examined and live.felt_until(stroke.ended_ns, limits))):
        return state, ()
    read = read_stroke(state, stroke, book)
    if falling and (fallen := _with_fallen(state, stroke, read.shot, _gone(stroke.after, looked, limits))) is not None:
        stroke, read = fallen, read_stroke(state, fallen, book)
    why = _not_in_play(state, stroke.before)
    noticed = None if why else difference_at_stroke(state, stroke)
    outage, reference = state.outage, state.reference
    state = replace(
        state,
        pending=state.pending[1:],
        read_until_ns=max(state.read_until_ns, stroke.ended_ns),
        settled_until_ns=max(state.settled_until_ns, stroke.ended_ns + limits.after_ns),
        reference=stroke.after if reference is None or stroke.after.t_ns >= reference.t_ns else reference,
        moving_ns=None if (state.moving_ns or 0) <= stroke.ended_ns else state.moving_ns,
        # An outage that began after this stroke is still to be examined.
        outage=outage if outage is not None and stroke.ended_ns <= outage.since_ns else None,
        standing=None,
        put=(),
        # An arrangement that stood, and a stroke that did not count: was it the break? Reported if it is broken up now.
        racked=state.racked and bool(why),
    )
    if why:
        seat = read.shot.seat if read.shot.seat != "unknown" else None
        return state, (Practice(seat, read.t_ns, why, read.evidence),)
    outputs: tuple[Output, ...] = (read,)
    if noticed is not None:
        state, said = alert(state, noticed)
        outputs = (*said, read)
    opening = book is not None and book.opening
    if book is not None and opening and not _may_stand(stroke.before, book, state.board):
        says = "struck while the opening arrangement did not stand: does the break count?"
        picture = stroke.picture_before
        state, said = alert(state, Mismatch("not_set_up", stroke.began_ns, says, picture=picture))
        outputs = (*outputs, *said)
    concluded = (*state.concluded, Concluded(stroke, book, read.shot))[-3:]
    state = awaits_ruling(replace(state, broken=opening, concluded=concluded))
    state, phase = cue(state, "shot_read", live.now_ns)
    return state, (*outputs, *phase)


def revise(state: ShotState, t_ns: int) -> Step:
    """An edge arrived for a stroke already read: reads it again, and says so if something else fell."""
    for old in state.concluded:
        from_ns, until_ns = span_ns(old.stroke, state.limits)
        revised = _read_again(state, old, old.stroke) if from_ns <= t_ns <= until_ns else None
        if revised is not None:
            return revised
    return state, ()


def _read_again(state: ShotState, old: Concluded, stroke: StrokeSeen) -> Step | None:
    """Reads a stroke again; None if the same fell."""
    read = read_stroke(state, stroke, old.expectation)
    if _fell(read.shot) == _fell(old.shot):
        return None
    anew = Concluded(stroke, old.expectation, read.shot)
    state = replace(state, concluded=tuple(anew if one is old else one for one in state.concluded))
    return state, (replace(read, revises=read.began_ns),)


def _fell(shot: Shot) -> tuple[object, ...]:
    return shot.pocketed, shot.off_board, tuple(doubt.fact for doubt in shot.doubts)


def fell_at_the_end(state: ShotState, gone: Sequence[SeenPiece]) -> Step | None:
    """Reads the last stroke again where it had left pieces in pockets' mouths that are gone, and felt go as it ended.

    They still moved when all else lay still, or went under a hand while they seemed to lie where they had lain: they
    fell in the stroke. None where any of them is gone otherwise.
    """
    if not state.concluded:
        return None
    old = state.concluded[-1]
    fallen = _with_fallen(state, old.stroke, old.shot, gone)
    return None if fallen is None else _read_again(state, old, fallen)


def _falling_since(state: ShotState, stroke: StrokeSeen) -> int:
    """Returns up to when the stroke's last board may be out of date: a beam was broken, since that board lay at rest,
    under a piece in that pocket's mouth. 0 where none was; one that is broken still may be so as long as a piece breaks
    it."""
    limits, after = state.limits, stroke.after
    hanging = {piece.in_mouth for piece in after.pieces if piece.in_mouth is not None}
    broken = [pulse for pulse in state.pulses(*span_ns(stroke, limits)) if pulse.pocket in hanging]
    ends = [pulse.until_ns or pulse.t_ns + limits.piece_longest_ns for pulse in broken if pulse.whole(limits)]
    return max((max(end, after.t_ns) for end in ends if end > after.since_ns), default=0)


def _gone(before: BoardSeen, after: BoardSeen, limits: Limits) -> tuple[SeenPiece, ...]:
    """Returns what is gone from one board to the next, if nothing else is another than it was."""
    found = change(before, after, limits.nudge_mm)
    return () if found.added or found.moved else found.removed


def _with_fallen(state: ShotState, stroke: StrokeSeen, shot: Shot, gone: Sequence[SeenPiece]) -> StrokeSeen | None:
    """Returns the stroke with what it had left in pockets' mouths fallen; None where any of it is gone otherwise."""
    if not gone:
        return None
    limits = state.limits
    felt = [pulse for pulse in state.pulses(*span_ns(stroke, limits)) if pulse.like_a_piece(limits)]
    over: Counter[str] = Counter(pulse.pocket for pulse in felt)
    over.subtract(fell.pocket for fell in shot.pocketed if fell.pocket is not None)
    fallen: dict[int, Track] = {}
    for piece in gone:
        own = next((one for one in stroke.tracks if one.start is not None and _lies(one.end, piece, state)), None)
        pocket, _ = state.board.nearest_pocket(*piece.at)
        late = [pulse for pulse in felt if pulse.pocket == pocket and pulse.t_ns >= stroke.ended_ns]
        if not late or (own is None and over[pocket] <= 0):
            return None
        if own is None:
            over[pocket] -= 1
            continue
        pulse = late[0]
        went = Vanished(pulse.t_ns, pulse.u_ns, "pocket", piece.at, pulse.pocket)
        fallen[own.track] = replace(own, end=None, vanished=went, last_ns=pulse.t_ns)
    left = tuple(one for one in stroke.after.pieces if not any(_lies(one, piece, state) for piece in gone))
    tracks = tuple(fallen.get(track.track, track) for track in stroke.tracks)
    return replace(stroke, tracks=tracks, after=replace(stroke.after, pieces=left))


def _lies(one: SeenPiece | None, two: SeenPiece, state: ShotState) -> bool:
    return one is not None and one.apart_mm(two) < state.limits.same_place_mm


def _not_in_play(state: ShotState, before: BoardSeen) -> str:
    """Returns why a stroke from this board does not count, or nothing."""
    book = state.expectation
    if book is None:
        return ""
    if not book.play:
        return "strokes do not count now"
    # A break that did not count (out of turn, a try) leaves the pieces as they lie, and who plays on plays the break.
    stands = not book.opening or state.broken or _may_stand(before, book, state.board)
    return "" if stands else "the board is not set up"


def _may_stand(board: BoardSeen, expectation: Expectation, size: Board) -> bool:
    """Says whether the opening arrangement stands, well or badly, or something covers it."""
    return bool(board.hidden or board.hands) or is_set_up(board, expectation, size)
