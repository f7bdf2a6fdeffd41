"""Reports a beam interruption like a piece's that belongs to no stroke and no drop, while the board is hidden.

The last check: where vision has lost a stroke and something over the board hides it, the beams have detected that a
piece fell. Must not guess what it was.
"""

from __future__ import annotations

from dataclasses import replace

from controller.shots.between import resting_board
from controller.shots.conclude import waiting_for_book
from controller.shots.outputs import Mismatch
from controller.shots.state import ShotState, Step


def unclaimed(state: ShotState) -> Step:
    """Reports the beam interruptions that have waited long enough for somebody to claim them."""
    book, limits = state.expectation, state.limits
    if book is None or not book.play or book.opening:
        return state, ()
    if state.pending or state.outage_ns is not None or waiting_for_book(state) or resting_board(state) is not None:
        # Where the board is visible, what is gone is reported, and what fell of which nothing is gone was no
        # piece.
        return state, ()
    from_ns, until_ns = max(state.settled_until_ns, state.unclaimed_ns), state.liveness.tick_ns - limits.claim_ns
    if state.moving_ns is not None:
        # A stroke that is still to be published may claim them.
        until_ns = min(until_ns, max(state.moving_ns - limits.before_ns, state.liveness.tick_ns - limits.longest_ns))
    if not any(from_ns <= edge.t_ns <= until_ns for edge in state.edges):
        return state, ()
    pulses = [pulse for pulse in state.pulses(from_ns, until_ns) if pulse.like_a_piece(limits)]
    if not pulses:
        return state, ()
    where = ", ".join(dict.fromkeys(pulse.pocket for pulse in pulses))
    says = f"felt in {where} like a piece that falls, and nothing seen says what it was: look at the board"
    state = replace(state, unclaimed_ns=pulses[-1].t_ns + 1, open=state.open | {"unseen_change"})
    picture = state.boards[-1].picture if state.boards else None
    return state, (Mismatch("unseen_change", pulses[-1].t_ns, says, picture=picture),)
