"""Decides when a stroke may be read, and applies what follows from its reading.

A stroke is read as soon as nothing that moves or is awaited could change it: at once when everything is explained,
otherwise when the beams have reported everything up to its end, are known to be down, or have had long enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from controller.events.expectation import Expectation
from controller.events.match import Shot
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen, Track, Vanished
from controller.shots.differences import difference_at_stroke
from controller.shots.limits import SAME_PLACE_MM
from controller.shots.outputs import Mismatch, Output, Practice
from controller.shots.reading import Around, Reading, read_stroke
from controller.shots.state import Concluded, ShotState, Step, cue


def conclude(state: ShotState) -> Step | None:
    """Reads the earliest stroke that waits, if it may be read now."""
    if not state.pending or waiting_for_book(state):
        return None
    stroke = state.pending[0]
    reading = read_stroke(stroke, around(state, stroke, state.expectation))
    if not (reading.settled or _all_said(state, stroke)):
        return None
    why = not_in_play(stroke, state.expectation, state)
    # A camera outage that began after this stroke is still to be examined.
    later = state.outage_ns is not None and stroke.ended_ns <= state.outage_ns
    state = replace(
        state,
        pending=state.pending[1:],
        read_until_ns=max(state.read_until_ns, stroke.ended_ns),
        settled_until_ns=max(state.settled_until_ns, stroke.ended_ns + state.limits.after_ns),
        reference=_later(state.reference, stroke.after),
        moving_ns=None if (state.moving_ns or 0) <= stroke.ended_ns else state.moving_ns,
        outage_ns=state.outage_ns if later else None,
        vision_restarted=later and state.vision_restarted,
        cut_ns=state.cut_ns if later else None,
        put=(),
        # An arrangement that stood, and a stroke that did not count: was it the break? Reported if it is broken up now.
        racked=state.racked and bool(why),
    )
    if why:
        read = reading.read
        seat = read.shot.seat if read.shot.seat != "unknown" else None
        return replace(state, standing=None), (Practice(seat, read.t_ns, why, read.evidence),)
    return _say(state, stroke, reading)


def _say(state: ShotState, stroke: StrokeSeen, reading: Reading) -> Step:
    outputs: list[Output] = []
    noticed = difference_at_stroke(state, stroke)
    if noticed is not None:
        outputs.append(noticed)
        state = replace(state, open=state.open | {noticed.kind})
    outputs.append(reading.read)
    book = state.expectation
    opening = book is not None and book.opening
    if book is not None and opening and not _stands(stroke.before, book, state):
        says = "struck while the opening arrangement did not stand: does the break count?"
        outputs.append(Mismatch("not_set_up", stroke.began_ns, says, late=True, picture=stroke.picture_before))
        state = replace(state, open=state.open | {"not_set_up"})
    state = replace(state, broken=opening)
    kept = Concluded(stroke, book, reading.read.shot)
    awaiting = None if book is None else (book.seq, state.liveness.now_ns)
    state = replace(state, concluded=(*state.concluded, kept)[-3:], standing=None, awaiting=awaiting)
    state, phase = cue(state, "shot_read", state.liveness.now_ns)
    return state, (*outputs, *phase)


def waiting_for_book(state: ShotState) -> bool:
    """Says whether the ruling on the reading before is still to come (it changes what is expected)."""
    if state.awaiting is None:
        return False
    return state.liveness.tick_ns - state.awaiting[1] < state.limits.expectation_wait_ns


def around(state: ShotState, stroke: StrokeSeen, expectation: Expectation | None) -> Around:
    """Collects what a stroke is read against."""
    limits = state.limits
    from_ns, until_ns = stroke.began_ns - limits.before_ns, stroke.ended_ns + limits.after_ns
    return Around(
        board=state.board,
        limits=limits,
        expectation=expectation,
        pulses=state.pulses(from_ns, until_ns),
        blind=state.liveness.blind(from_ns, until_ns, limits),
        boards=state.boards,
        start_ns=state.start_ns,
    )


def revise(state: ShotState, t_ns: int) -> Step:
    """An edge arrived for a stroke already read: reads it again, and says so if something else fell."""
    limits = state.limits
    for index, old in enumerate(state.concluded):
        stroke = old.stroke
        if not stroke.began_ns - limits.before_ns <= t_ns <= stroke.ended_ns + limits.after_ns:
            continue
        read = read_stroke(stroke, around(state, stroke, old.expectation)).read
        if _fell(read.shot) == _fell(old.shot):
            continue
        kept = list(state.concluded)
        kept[index] = replace(old, shot=read.shot)
        return replace(state, concluded=tuple(kept)), (replace(read, revises=read.began_ns),)
    return state, ()


def fell_at_the_end(state: ShotState, gone: Sequence[SeenPiece]) -> Step | None:
    """Reads the last stroke again where it had left pieces in pockets' mouths that are gone, and felt go as it ended.

    They still moved when all else lay still, or went under a hand while they seemed to lie where they had lain: they
    fell in the stroke. None where any of them is gone otherwise.
    """
    if not state.concluded:
        return None
    old, limits = state.concluded[-1], state.limits
    stroke = old.stroke
    felt = [
        pulse
        for pulse in state.pulses(stroke.began_ns - limits.before_ns, stroke.ended_ns + limits.after_ns)
        if pulse.like_a_piece(limits)
    ]
    over: Counter[str] = Counter(pulse.pocket for pulse in felt)
    over.subtract(fell.pocket for fell in old.shot.pocketed if fell.pocket is not None)
    fallen: dict[int, Track] = {}
    for piece in gone:
        own = next((track for track in stroke.tracks if track.start is not None and _lies(track.end, piece)), None)
        pocket, _ = state.board.nearest_pocket(piece.x_mm, piece.y_mm)
        late = [pulse for pulse in felt if pulse.pocket == pocket and pulse.t_ns >= stroke.ended_ns]
        if not late or (own is None and over[pocket] <= 0):
            return None
        if own is None:
            over[pocket] -= 1
            continue
        pulse = late[0]
        went = Vanished(pulse.t_ns, pulse.u_ns, "pocket", (piece.x_mm, piece.y_mm), pulse.pocket)
        fallen[own.track] = replace(own, end=None, vanished=went, last_ns=pulse.t_ns)
    left = tuple(one for one in stroke.after.pieces if not any(_lies(one, piece) for piece in gone))
    stroke = replace(
        stroke,
        tracks=tuple(fallen.get(track.track, track) for track in stroke.tracks),
        after=replace(stroke.after, pieces=left),
    )
    read = read_stroke(stroke, around(state, stroke, old.expectation)).read
    if _fell(read.shot) == _fell(old.shot):
        return None
    kept = (*state.concluded[:-1], replace(old, stroke=stroke, shot=read.shot))
    return replace(state, concluded=kept), (replace(read, revises=read.began_ns),)


def _lies(one: SeenPiece | None, two: SeenPiece) -> bool:
    return one is not None and one.apart_mm(two) < SAME_PLACE_MM


def _fell(shot: Shot) -> tuple[object, ...]:
    return (
        shot.pocketed,
        shot.off_board,
        tuple(doubt.fact for doubt in shot.doubts),
    )


def not_in_play(stroke: StrokeSeen, expectation: Expectation | None, state: ShotState) -> str:
    """Returns why a stroke does not count, or nothing."""
    if expectation is None:
        return ""
    if not expectation.play:
        return "strokes do not count now"
    # A break that did not count (out of turn, a try) leaves the pieces as they lie, and who plays on plays the break.
    if expectation.opening and not state.broken and not _stands(stroke.before, expectation, state):
        return "the board is not set up"
    return ""


def _stands(board: BoardSeen, expectation: Expectation, state: ShotState) -> bool:
    """Says whether most of the pieces lie in the middle, or something covers them."""
    reach = state.board.outer_circle_diameter_mm / 2
    wanted = sum(count for piece, count in expectation.on_board if piece != "striker")
    racked = sum(piece.piece != "striker" and piece.x_mm**2 + piece.y_mm**2 <= reach * reach for piece in board.pieces)
    return racked >= 0.8 * wanted or bool(board.hidden or board.hands)


def _all_said(state: ShotState, stroke: StrokeSeen) -> bool:
    live, limits = state.liveness, state.limits
    if live.beams_until_ns >= stroke.ended_ns + limits.beams_wait_ns:
        return True
    if not live.beams_up(limits):
        return True
    return live.tick_ns >= stroke.t_ns + limits.never_wait_ns


def _later(one: BoardSeen | None, two: BoardSeen) -> BoardSeen:
    return two if one is None or two.t_ns >= one.t_ns else one
