"""`step`: takes one input after the other, in any order; returns shots, drops, placements, other events and alerts.

Input is kept in order of its own time; the outputs depend on those times and on how far vision and beams have
reported, not on when it arrived. Must not have a clock, a file or a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from calibration.board import Board
from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.events.expectation import Expectation
from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    HandsSeen,
    MotionBegan,
    Moving,
    Observation,
    StrokeSeen,
)
from controller.events.words import Pocket, Seat
from controller.shots import confident, unique_striker
from controller.shots.conclude import revise
from controller.shots.fusion import POCKETS
from controller.shots.interval import advance, partly_watched, vision_restarts
from controller.shots.limits import MS, Limits, S
from controller.shots.liveness import Liveness, Tick
from controller.shots.missing import pockets_under
from controller.shots.outputs import Armed, Felt, Mismatch, Output
from controller.shots.phases import Cue
from controller.shots.placement import lines_touched
from controller.shots.played import moved_by_itself, with_striker
from controller.shots.sights import shaken
from controller.shots.state import ShotState, Step, alert, cue

Input = Observation | PocketEvent | Expectation | Tick

_FELT_APART_NS = 60 * MS
"""Edges nearer to each other are of one thing, reported once."""
_KEPT_BOARDS = 60
_KEPT_EDGES = 600
"""Longer than any stroke lasts, at two boards and ten edges a second."""


def begin(board: Board, limits: Limits | None = None, start_ns: int = 0) -> ShotState:
    """Returns the state before anything was seen. `start_ns`: zero of the shots' `t`."""
    return ShotState(board=board, limits=limits or Limits(), start_ns=start_ns)


def restart(state: ShotState, start_ns: int, settled_until_ns: int = 0) -> ShotState:
    """A new match begins at `start_ns`: strokes read before belong to the old one. `settled_until_ns`: until when
    interruptions have been ruled on, where it goes on after a restart."""
    settled = max(state.settled_until_ns, settled_until_ns)
    return replace(
        state,
        start_ns=start_ns,
        concluded=(),
        pending=(),
        awaiting=None,
        standing=None,
        settled_until_ns=settled,
        ready_at=None,
    )


def step(state: ShotState, seen: Input) -> tuple[ShotState, tuple[Output, ...]]:
    """Takes one input. Raises TypeError for anything that is none."""
    take = _TAKES.get(type(seen))
    if take is None:
        raise TypeError(f"{type(seen).__name__} is nothing that can be seen or felt")
    state, outputs = take(state, seen)
    state, more = advance(state)
    state, armed = _arm(state)
    return state, (*outputs, *more, *armed)


def _arm(state: ShotState) -> Step:
    """Says what the table can do, on every change."""
    known, limits = state.liveness, state.limits
    if known.camera is None and not known.beams and not known.beams_until_ns:
        return state, ()
    eyes, beams = known.eyes_up(limits), known.beams_up(limits)
    latest = known.beams[-1] if known.beams else None
    blind: tuple[Pocket, ...] = latest.blind if beams and latest is not None else () if beams else POCKETS
    camera = "ok" if eyes else "none" if known.camera is None else known.camera if known.camera != "ok" else "silent"
    felt = "ok" if beams else "none" if latest is None else latest.link if latest.link != "up" else "silent"
    armed = Armed(
        "armed" if eyes and beams and not blind else "degraded" if eyes or beams else "off",
        camera,
        felt,
        tuple(sorted(blind)),
        _words(eyes, beams, blind),
    )
    if armed == state.armed:
        return state, ()
    return replace(state, armed=armed), (armed,)


def _words(eyes: bool, beams: bool, blind: tuple[Pocket, ...]) -> str:
    if not eyes and not beams:
        return "neither camera nor beams: keep the score by hand"
    if not eyes:
        return "no camera: the beams say where a piece falls, the umpire says which"
    if not beams:
        return "no beams: a piece that vanishes at a pocket is asked about where it matters"
    if blind:
        return f"the beams of {', '.join(sorted(blind))} say nothing: asked about where it matters"
    return ""


def _edge(state: ShotState, edge: BeamEdge) -> Step:
    # The same edge after a restart was aligned anew: a little earlier or later it is the same one.
    if any(
        known.boot == edge.boot and known.seq == edge.seq and abs(known.t_ns - edge.t_ns) < S for known in state.edges
    ):
        return state, ()
    state = replace(state, liveness=state.liveness.with_time(edge.t_ns))
    oldest = state.liveness.now_ns - state.limits.keep_ns
    edges = sorted((*state.edges, edge), key=lambda one: (one.t_ns, one.boot, one.seq))
    state = replace(state, edges=tuple(one for one in edges if one.t_ns >= oldest)[-_KEPT_EDGES:])
    outputs: tuple[Output, ...] = ()
    last = dict(state.felt).get(edge.pocket)
    fresh = state.liveness.now_ns - edge.t_ns < 2 * S
    if edge.blocked and fresh and (last is None or abs(edge.t_ns - last) > _FELT_APART_NS):
        hands = state.hands[-1].hands if state.hands else ()
        state = replace(state, felt=tuple({**dict(state.felt), edge.pocket: edge.t_ns}.items()))
        outputs = (Felt(edge.pocket, edge.t_ns, edge.pocket in pockets_under(hands, state.board)),)
    if edge.t_ns < state.settled_until_ns:
        state, more = revise(state, edge.t_ns)
        outputs = (*outputs, *more)
    return state, outputs


def _life(take: Callable[[Liveness, Any], Liveness]) -> Callable[[ShotState, Any], Step]:
    """What says only who is alive, and up to when it has reported."""
    return lambda state, sign: (replace(state, liveness=take(state.liveness, sign)), ())


def _eyes_health(state: ShotState, health: EyesHealth) -> Step:
    known = state.liveness
    outputs: tuple[Output, ...] = ()
    if known.restarted(health):
        state, outputs = vision_restarts(state, known.seen_ns)
    return replace(state, liveness=state.liveness.with_eyes(health)), outputs


def _board(state: ShotState, seen: BoardSeen) -> Step:
    board = unique_striker.on_board(confident.one_queen(seen))
    if board in state.boards:
        return state, ()
    boards = sorted((*state.boards, board), key=lambda one: (one.t_ns, one.since_ns))[-_KEPT_BOARDS:]
    state = replace(state, boards=tuple(boards), liveness=state.liveness.with_picture(board.t_ns))
    if boards[-1] is not board:
        return state, ()
    if state.moving_ns is not None and board.since_ns > state.moving_ns and board.t_ns - board.since_ns > 2 * S:
        # At rest for so long, and no stroke was reported: it was lost with the vision process that saw it.
        state = replace(state, moving_ns=None)
    strikers = () if board.hands else board.strikers
    for piece in strikers:
        for seat in get_args(Seat):
            if lines_touched(state.board, seat, *piece.at) == 2:
                return cue(state, "striker_down", board.t_ns, seat)
    return cue(state, "striker_up", board.t_ns)


def _hands(state: ShotState, hands: HandsSeen) -> Step:
    kept = sorted((*state.hands, hands), key=lambda one: one.t_ns)[-100:]
    return replace(state, hands=tuple(kept), liveness=state.liveness.with_picture(hands.t_ns)), ()


def _motion(state: ShotState, motion: MotionBegan) -> Step:
    state = replace(state, liveness=state.liveness.with_picture(motion.t_ns))
    if motion.t_ns <= state.read_until_ns:
        return state, ()
    if any(one.began_ns <= motion.t_ns <= one.ended_ns for one in (*state.pending, *state.works)):
        return state, ()
    state = replace(state, moving_ns=max(state.moving_ns or 0, motion.t_ns))
    return cue(state, "motion", motion.t_ns) if not motion.hand_in else (state, ())


def _stroke(state: ShotState, seen: StrokeSeen) -> Step:
    stroke = _corrected(state, seen)
    known = (*state.pending, *state.works, *(old.stroke for old in state.concluded))
    if any(one.began_ns == stroke.began_ns for one in known) or stroke.ended_ns <= state.read_until_ns:
        return state, ()
    state = replace(state, liveness=state.liveness.with_picture(stroke.t_ns))
    if state.moving_ns is not None and state.moving_ns <= stroke.ended_ns:
        state = replace(state, moving_ns=None)
    if stroke.struck is None:
        state = partly_watched(replace(state, works=(*state.works, stroke)[-20:]), stroke)
        state, sights = shaken(state, stroke)
        state, asked = _perhaps_played(state, stroke)
        sights = (*sights, *asked)
        state, outputs = cue(state, "hand_work", stroke.t_ns)
        if outputs and state.expectation is not None:
            state, more = cue(state, _book_cue(state.expectation), stroke.t_ns)
            outputs = more or outputs
        return state, (*outputs, *sights)
    pending = sorted((*state.pending, stroke), key=lambda one: one.began_ns)
    return cue(replace(state, pending=tuple(pending)), "stroke_said", stroke.t_ns)


def _corrected(state: ShotState, seen: StrokeSeen) -> StrokeSeen:
    """Returns the stroke as it is read: confident detections at rest stand, whatever was made of the tracks."""
    seen = replace(seen, after=confident.one_queen(seen.after))
    return unique_striker.in_stroke(with_striker(seen, state.board, state.seats))


def _perhaps_played(state: ShotState, stroke: StrokeSeen) -> Step:
    """Asks whether a stroke was played, where no striker was seen to be struck though coins ran by themselves."""
    book = state.expectation
    if book is None or not book.play:
        return state, ()
    if stroke.shake_mm > state.limits.shake_mm or not any(map(moved_by_itself, stroke.tracks)):
        return state, ()
    says = "coins ran by themselves, and no striker was seen to be struck: was a stroke played?"
    return alert(state, Mismatch("unseen_change", stroke.ended_ns, says, picture=stroke.picture_after))


def _expectation(state: ShotState, expectation: Expectation) -> Step:
    old = state.expectation
    state = replace(state, expectation=expectation)
    if state.awaiting is not None and expectation.seq != state.awaiting[0]:
        state = replace(state, awaiting=None)
    answered: tuple[Output, ...] = ()
    ours = old is not None and old.seq == state.told_at
    if "unseen_change" in state.open and old is not None and old.seq != expectation.seq and not ours:
        # Only a person knows what happened unseen; any word from one settles it.
        answered = (Mismatch("unseen_change", state.liveness.now_ns, "settled by the umpire", resolved=True),)
        state = replace(state, open=state.open - {"unseen_change"})
    state, phase = cue(state, _book_cue(expectation), max(state.liveness.now_ns, state.phase_ns))
    return state, (*answered, *phase)


def _book_cue(expectation: Expectation) -> Cue:
    """Returns what the book says of the time between two strokes."""
    if not expectation.play:
        return "play_stopped"
    if expectation.to_place:
        return "to_place"
    return "opening" if expectation.opening else "ready"


_TAKES: dict[type, Callable[[ShotState, Any], Step]] = {
    BeamEdge: _edge,
    BeamGap: _life(Liveness.with_gap),
    BeamHealth: _life(Liveness.with_beams),
    EyesHealth: _eyes_health,
    BoardSeen: _board,
    HandsSeen: _hands,
    MotionBegan: _motion,
    Moving: _life(lambda known, moving: known.with_picture(moving.t_ns)),
    StrokeSeen: _stroke,
    Expectation: _expectation,
    Tick: _life(Liveness.with_tick),
}
