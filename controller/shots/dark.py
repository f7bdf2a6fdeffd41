"""Strokes nobody saw: with no camera the beams say where and when, and what came back into view says what.

Must not guess a colour: what nobody saw is `unknown`, and the umpire is asked.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.expectation import Expectation
from controller.events.match import Pocketed, Shot
from controller.events.observation import BoardSeen, Track
from controller.events.words import Seat
from controller.shots.between import change
from controller.shots.conclude import waiting_for_book
from controller.shots.fusion import accounts
from controller.shots.gone import Episode, to_explain
from controller.shots.outcome import doubts_of, outcomes_of
from controller.shots.outputs import Evidence, Mismatch, PulseNote, ShotRead
from controller.shots.pulses import Pulse
from controller.shots.reading import available, pulse_notes, rest_of
from controller.shots.state import ShotState, Step, cue

UNSEEN = (
    "seat",
    "placement",
    "heading",
    "left_baseline",
    "all_at_rest",
    "contacts",
    "off_board",
    "crossed_baseline",
    "elapsed",
    "flags",
)


def in_the_dark(state: ShotState) -> Step:
    """With no camera: a stroke is over when the beams have been quiet for long enough."""
    expectation, limits = state.expectation, state.limits
    if state.pending or waiting_for_book(state) or expectation is None or not expectation.play:
        return state, ()
    if state.dark_ns is None:
        return state, ()
    pulses = _pieces(state, max(state.settled_until_ns, state.dark_ns - limits.after_ns), state.heard.now_ns)
    if not pulses or state.heard.tick_ns - pulses[-1].t_ns < limits.blind_quiet_ns:
        return state, ()
    shot = Shot(
        seat=_seat(expectation),
        t=round((pulses[0].t_ns - state.start_ns) / 1e9, 3),
        placement=None,
        contacts=None,
        pocketed=tuple(
            Pocketed("unknown", pulse.pocket, round((pulse.t_ns - state.start_ns) / 1e9, 3)) for pulse in pulses
        ),
        unseen=(*UNSEEN, "rest"),
    )
    notes = tuple(PulseNote(one.pocket, one.t_ns, one.until_ns, one.beams, "a piece nobody saw") for one in pulses)
    evidence = Evidence(
        sources=(("pocketed", "beam"), *((fact, "none") for fact in UNSEEN)),
        pulses=notes,
        blind_ns=((state.dark_ns, state.heard.now_ns),),
        notes=("no camera: where pieces fell is known, what fell is not",),
    )
    read = ShotRead(shot, pulses[0].t_ns, pulses[-1].t_ns, evidence)
    state = replace(
        state,
        settled_until_ns=pulses[-1].t_ns + limits.after_ns,
        awaiting=(expectation.seq, state.heard.now_ns),
        reference=None,
    )
    return state, (read,)


def back_in_light(state: ShotState, board: BoardSeen) -> Step:
    """Pictures are back and the board lies still: what changed meanwhile?"""
    reference, expectation, dark_ns = state.reference, state.expectation, state.dark_ns
    if dark_ns is None or board.t_ns <= dark_ns:
        return state, ()
    state, outputs = cue(replace(state, dark_ns=None), "camera_back", state.heard.now_ns)
    if reference is None or expectation is None or not expectation.play or expectation.opening:
        return state, outputs
    limits = state.limits
    from_ns = max(state.settled_until_ns, dark_ns - limits.after_ns)
    pulses = _pieces(state, from_ns, board.t_ns)
    found = change(reference, board, limits.same_place_mm)
    if not pulses and not found.removed and not found.moved:
        return state, outputs
    state = replace(state, reference=board, settled_until_ns=max(state.settled_until_ns, board.since_ns), standing=None)
    if not pulses and not found.removed:
        state = replace(state, open=state.open | {"unseen_change"})
        says = f"{len(found.moved)} pieces moved while there was no picture: was a stroke played?"
        return state, (*outputs, Mismatch("unseen_change", board.t_ns, says, picture=board.picture))
    began = pulses[0].t_ns if pulses else dark_ns
    striker = Track(-1, "striker", None, None, began, board.since_ns)
    episode = Episode(reference, board, (striker,), striker)
    blind = state.heard.blind(from_ns, board.t_ns, limits)
    explain = to_explain(episode, pulses, blind, expectation, state.board, limits)
    outcomes = outcomes_of(accounts(explain, limits), available(expectation, explain.bases), state.start_ns, limits)
    best = outcomes[0]
    shot = Shot(
        seat=_seat(expectation),
        t=round((began - state.start_ns) / 1e9, 3),
        placement=None,
        contacts=None,
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
        clip_ns=(from_ns, board.t_ns),
        blind_ns=((dark_ns, board.since_ns),),
        notes=("played while there was no picture: read from what fell and what is left",),
    )
    read = ShotRead(shot, began, board.since_ns, evidence)
    state = replace(state, awaiting=(expectation.seq, state.heard.now_ns))
    return state, (*outputs, read)


def _pieces(state: ShotState, from_ns: int, until_ns: int) -> tuple[Pulse, ...]:
    """Returns the passages that may be pieces: neither dirt nor a hand."""
    return tuple(
        pulse for pulse in state.pulses(from_ns, until_ns) if not pulse.short and not pulse.stuck(state.limits)
    )


def _seat(expectation: Expectation) -> Seat:
    return expectation.turn or "south"
