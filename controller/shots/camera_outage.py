"""Strokes during a camera outage: beams tell where and when pieces fell, the boards around the outage tell which.

An outage may be short: a vision process that restarts within a stroke has not seen how it ended, and remembers nothing
of its beginning. Must not guess a colour: what nobody saw is `unknown`, and the umpire is asked. What was read from
boards alone is reported as such.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from calibration.board import Board
from controller.events.expectation import Expectation
from controller.events.match import FACTS, Pocketed, Shot
from controller.events.observation import RAN_MM, BoardSeen, SeenPiece, StrokeSeen, Track
from controller.events.words import Seat
from controller.shots.between import Change, change
from controller.shots.conclude import waiting_for_book
from controller.shots.missing import MotionWindow, explained, to_explain
from controller.shots.opening import opening_faults
from controller.shots.outcome import doubts_of, outcomes_of
from controller.shots.outputs import Choice, Evidence, Mismatch, Output, PulseNote, ShotRead
from controller.shots.placement import lines_touched
from controller.shots.pulses import Pulse
from controller.shots.reading import available, pulse_notes, rest_of
from controller.shots.state import ShotState, Step, cue

UNSEEN = tuple(
    path for path, one in FACTS.items() if one.fact.source == "camera" and "." not in path and path != "rest"
)
"""What only pictures of the stroke itself could tell; where everything lies is seen afterwards."""

Outputs = tuple[Output, ...]

MOST_GONE = 6
"""Strokes hardly ever take more pieces from a board than this; people clearing up do."""


def outage_begins(state: ShotState, last_ns: int) -> Step:
    """There are no pictures after `last_ns`; the vision process may still remember what it saw last."""
    if state.outage_ns is not None:
        return state, ()
    return cue(replace(state, outage_ns=last_ns), "camera_lost", state.liveness.now_ns)


def vision_restarts(state: ShotState, last_ns: int) -> Step:
    """The vision process has restarted: of what was moving then, nobody reports how it came to rest."""
    state, outputs = outage_begins(state, last_ns)
    assert state.outage_ns is not None
    began = state.moving_ns if state.cut_ns is None else state.cut_ns
    return replace(
        state, vision_restarted=True, cut_ns=began, outage_ns=min(began or last_ns, state.outage_ns)
    ), outputs


def read_by_beams(state: ShotState) -> Step:
    """Without a camera: a stroke is over when the beams have reported quiet for long enough. What the node kept while
    disconnected comes late, and belongs to the stroke in which it fell."""
    expectation, limits = state.expectation, state.limits
    if state.pending or waiting_for_book(state) or expectation is None or not expectation.play:
        return state, ()
    if state.outage_ns is None:
        return state, ()
    pulses = _pieces(state, max(state.settled_until_ns, state.outage_ns - limits.after_ns), state.liveness.now_ns)
    said_until_ns = min(state.liveness.tick_ns, state.liveness.beams_until_ns)
    if not pulses or said_until_ns - pulses[-1].t_ns < limits.blind_quiet_ns:
        return state, ()
    shot = replace(
        _unseen_shot(expectation, pulses[0].t_ns - state.start_ns),
        pocketed=tuple(
            Pocketed("unknown", pulse.pocket, round((pulse.t_ns - state.start_ns) / 1e9, 3)) for pulse in pulses
        ),
    )
    notes = tuple(PulseNote(one.pocket, one.t_ns, one.until_ns, one.beams, "a piece nobody saw") for one in pulses)
    evidence = Evidence(
        sources=(("pocketed", "beam"), *((fact, "none") for fact in UNSEEN)),
        pulses=notes,
        blind_ns=((state.outage_ns, state.liveness.now_ns),),
        notes=("no camera: where pieces fell is known, what fell is not",),
        began_ns=pulses[0].t_ns,
    )
    read = ShotRead(shot, pulses[0].t_ns, pulses[-1].t_ns, evidence)
    state = replace(
        state,
        settled_until_ns=pulses[-1].t_ns + limits.after_ns,
        awaiting=(expectation.seq, state.liveness.now_ns),
        reference=None,
        vision_restarted=False,
        cut_ns=None,
        moving_ns=None,
    )
    return state, (read,)


def outage_before_stroke(state: ShotState, stroke: StrokeSeen) -> Step | None:
    """Settles the outage before the first stroke that a restarted vision process followed; None if there is nothing to
    settle.

    If it saw the board at rest before that stroke, this board shows what happened in the outage. If it began in the
    middle of a stroke, what it followed is the rest of it: the stroke is read from the boards around the outage.
    """
    outage_ns = state.outage_ns
    if not state.vision_restarted or outage_ns is None or state.reference is None or waiting_for_book(state):
        return None
    if stroke.before.t_ns <= outage_ns or stroke.ended_ns <= outage_ns:
        return None
    if stroke.began_ns - stroke.before.since_ns >= state.limits.steady_ns:
        return _read(state, stroke.before)
    cut = stroke.began_ns if state.cut_ns is None else state.cut_ns
    return _read(replace(state, pending=state.pending[1:], cut_ns=cut), stroke.after)


def outage_ends(state: ShotState, board: BoardSeen) -> Step:
    """Pictures are back and the board is at rest: reports what changed, once it has stood for long enough."""
    if state.outage_ns is None or board.t_ns <= state.outage_ns or not _stood(state, board):
        return state, ()
    return _read(state, board)


def _stood(state: ShotState, board: BoardSeen) -> bool:
    """Says whether a board has lain still for long enough, and the beams have spoken up to then or may not."""
    live, limits = state.liveness, state.limits
    stood = max(board.t_ns, live.eyes_until_ns) - board.since_ns
    if state.vision_restarted and stood < limits.persist_ns:
        return False
    if not live.beams_up(limits) or live.beams_until_ns >= board.since_ns + limits.beams_wait_ns:
        return True
    return stood >= limits.never_wait_ns


def _read(state: ShotState, board: BoardSeen) -> Step:
    """Compares the boards before and after the outage, with the beam interruptions between them."""
    reference, expectation, outage_ns, cut = state.reference, state.expectation, state.outage_ns, state.cut_ns
    assert outage_ns is not None
    went = state.vision_restarted and reference is not None and _striker_went(reference, board, state.board)
    light = replace(state, outage_ns=None, vision_restarted=False, cut_ns=None, moving_ns=None)
    state, outputs = cue(light, "camera_back", state.liveness.now_ns)
    if reference is None or expectation is None or not expectation.play:
        return state, outputs
    if expectation.opening and not (state.racked and opening_faults(board, expectation, state.board) is None):
        return state, outputs
    limits = state.limits
    from_ns = max(state.settled_until_ns, outage_ns - limits.after_ns)
    pulses = _pieces(state, from_ns, board.since_ns + limits.after_ns)
    found = change(reference, board, limits.same_place_mm)
    if not (pulses or found.removed or found.moved or went or cut is not None):
        return state, outputs
    settled = max(state.settled_until_ns, board.since_ns + limits.after_ns)
    state = replace(state, reference=board, settled_until_ns=settled, standing=None)
    gone = not any(one.piece == "striker" for one in board.pieces) and _on_a_line(_striker(reference), state.board)
    played = bool(found.moved) or went or cut is not None
    if len(found.removed) > MOST_GONE:
        # Cleared away: what is missing is reported.
        return state, outputs
    if not played and not (pulses and (found.removed or gone)):
        # Something taken from the board is reported with what is missing.
        return (state, outputs) if not pulses else _reported(state, board, outputs, _felt_only(pulses))
    if not pulses and not found.removed:
        return _asked(state, board, outputs, found, expectation, cut if cut is not None else outage_ns)
    began = cut if cut is not None else pulses[0].t_ns if pulses else outage_ns
    striker = Track(-1, "striker", None, None, began, board.since_ns)
    hands = tuple(hand for seen in state.hands if seen.t_ns >= from_ns for hand in seen.hands)
    window = MotionWindow(reference, board, (striker,), striker, hands=hands)
    blind = state.liveness.blind(from_ns, board.since_ns, limits)
    explain, joints = explained(to_explain(window, pulses, blind, expectation, state.board, limits), limits)
    outcomes = outcomes_of(joints, available(expectation, explain.priors), state.start_ns, limits)
    best = outcomes[0]
    shot = replace(
        _unseen_shot(expectation, began - state.start_ns),
        pocketed=best.pocketed,
        off_board=best.off_board,
        rest=rest_of(board),
        unseen=tuple(fact for fact in UNSEEN if fact != "off_board"),
        doubts=doubts_of(outcomes, limits),
    )
    evidence = Evidence(
        sources=(("pocketed", "both"), *((fact, "none") for fact in shot.unseen)),
        weight=best.weight,
        pulses=pulse_notes(pulses, best),
        pictures=(None, reference.picture, board.picture),
        clip_ns=(min(from_ns, began), board.t_ns),
        blind_ns=((outage_ns, board.since_ns),),
        notes=("played while there was no picture: read from what fell and what is left",),
        began_ns=began,
    )
    read = ShotRead(shot, began, board.since_ns, evidence)
    state = replace(
        state,
        awaiting=(expectation.seq, state.liveness.now_ns),
        read_until_ns=max(state.read_until_ns, board.since_ns),
        told_at=expectation.seq,
        racked=False,
        put=(),
    )
    says = "a stroke was played while there was no picture: what fell is read from beams and board, its fouls are not"
    return _reported(state, board, (*outputs, read), says)


def _reported(state: ShotState, board: BoardSeen, outputs: Outputs, says: str) -> Step:
    """Adds words for the umpire that stand until the next word or stroke."""
    state = replace(state, open=state.open | {"unseen_change"})
    return state, (*outputs, Mismatch("unseen_change", board.t_ns, says, picture=board.picture))


def _asked(
    state: ShotState, board: BoardSeen, outputs: Outputs, found: Change, expectation: Expectation, began_ns: int
) -> Step:
    """Asks whether a stroke was played: nothing fell, and only a person knows whether hands did it."""
    moved = len(found.moved)
    what = f"{moved} pieces moved" if moved > 1 else "one piece moved" if moved else "the striker moved"
    says = f"{what} while there was no picture: was a stroke played?"
    shot = replace(_unseen_shot(expectation, began_ns - state.start_ns), rest=rest_of(board))
    shot = replace(shot, unseen=tuple(fact for fact in shot.unseen if fact != "rest"))
    choices = (Choice("yes, and nothing fell", shot), Choice("no"))
    state = replace(state, open=state.open | {"unseen_change"}, racked=False)
    asks = Mismatch("unseen_change", board.t_ns, says, question=says, choices=choices, picture=board.picture)
    return state, (*outputs, asks)


def _felt_only(pulses: tuple[Pulse, ...]) -> str:
    where = ", ".join(dict.fromkeys(pulse.pocket for pulse in pulses))
    return f"felt in {where} while there was no picture, and nothing is gone: was a stroke played?"


def _unseen_shot(expectation: Expectation, began_ns: int) -> Shot:
    """Returns a stroke of which nothing was seen; `began_ns` from the match's start."""
    return Shot(
        seat=expectation.turn or "south",
        t=round(began_ns / 1e9, 3),
        placement=None,
        contacts=None,
        unseen=(*UNSEEN, "rest"),
    )


def _striker(board: BoardSeen) -> SeenPiece | None:
    found = [piece for piece in board.pieces if piece.piece == "striker"]
    return found[0] if len(found) == 1 else None


def _on_a_line(piece: SeenPiece | None, board: Board) -> bool:
    seats: tuple[Seat, ...] = get_args(Seat)
    return piece is not None and any(lines_touched(board, seat, piece.x_mm, piece.y_mm) for seat in seats)


def _striker_went(before: BoardSeen, after: BoardSeen, board: Board) -> bool:
    """Says whether the striker lies in the open where it did not lie before."""
    lay, lies = _striker(before), _striker(after)
    if lies is None or _on_a_line(lies, board):
        return False
    return lay is None or lies.apart_mm(lay) > RAN_MM


def _pieces(state: ShotState, from_ns: int, until_ns: int) -> tuple[Pulse, ...]:
    """Returns the interruptions that may be pieces: neither dirt nor a hand."""
    return tuple(
        pulse for pulse in state.pulses(from_ns, until_ns) if not pulse.short and not pulse.stuck(state.limits)
    )
