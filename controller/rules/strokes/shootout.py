"""The queen shoot-out: each stroke is a turn and a board of its own; the queen into a pocket by a proper stroke scores.

Pure. Must not know the match's state.
"""

from __future__ import annotations

from controller.rules.case import Case, End, Outcome

_TURN, _SCORED, _FOULED, _RIM = "shootout-2", "shootout-3", "shootout-4", "shootout-5"


def resolve(case: Case) -> Outcome:
    """Rules on one stroke: a point, or none."""
    fouled = bool(case.fouls) or case.striker_fell
    # The clause that was broken is cited, whichever it is; a striker in a pocket breaks none of its own.
    why = case.fouls[0] if case.fouls else _FOULED if case.striker_fell else _SCORED if case.queen_fell else _TURN
    scored = case.queen_fell and not fouled
    cites = (_FOULED,) if fouled and case.queen_fell else ()
    return Outcome(keep=False, end=End("own" if scored else None, int(scored), why), cites=cites)


def drop(case: Case) -> Outcome:
    """The queen fell from a pocket's rim by herself: nobody's turn, she goes back."""
    return Outcome(keep=True, queen="back", queen_why=_RIM)
