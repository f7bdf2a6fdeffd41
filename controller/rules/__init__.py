"""The rules: a pure core `(state, event) → (state, ruling)` that plays by any rulebook.

    state = begin(load_books())                      # `controller.rules.shelf` reads the files
    state, ruling = apply(state, event)              # Ruling, or Refusal: then nothing has changed but the number
    expectation(state)                               # what the table may expect to see next

Where is the rule for …? *What a book says* is in `books/ID.toml` (policy values, clauses, the facts that break them),
for a stroke also in `tables/ID.toml` (icf, sixes) or `strokes/NAME.py` (club; `clearing`: campus, classic, world).

- does the stroke count (paused, out of turn, slipped, late): `stroke`; which facts break which clause: `facts`
- what its outcome does to the match: `outcome`; dues, who owes and what is paid when: `account`
- where the queen, a due or a jumped piece goes: `placing`, `respot`
- a foul of its own, technical or not; board lost; warnings: `consequence`
- drops, timeouts, passes, pauses, claims, trial boards: `moments`
- board, game, match; break order; extra boards: `progress`; the tie-break board: `tiebreak`
- taking over at a position, `set`, seats: `opening`
- doubts, `unknown`, provisional rulings: `questions`
- a forfeit among two, three or four: `leaving`; how a turn is lost: `turns`
- who may challenge a stroke, and what is left of it: `challenges`
- what reaches back: `appeals` (calls about a stroke, answers), `retraction` (voids), `history` (overrides,
  corrections, verdicts); what it changed and what to place now: `acted`

`docs/rules.md` tells how a book is made.

Must not know clocks, files (but `shelf`), threads or pixels.
"""

from __future__ import annotations

from controller.rules.expecting import expectation
from controller.rules.lists import call_list, reference, watched
from controller.rules.ruled import event_as_it_stands
from controller.rules.standing import (
    Standing,
    alternatives,
    challenged,
    open_questions,
    standing,
    table_autonomy,
)
from controller.rules.umpire import (
    Difference,
    MatchState,
    apply,
    as_it_stands,
    begin,
    difference,
    refuse,
    rulings,
    sealed,
)

__all__ = [
    "Difference",
    "MatchState",
    "Standing",
    "alternatives",
    "apply",
    "as_it_stands",
    "begin",
    "call_list",
    "challenged",
    "difference",
    "event_as_it_stands",
    "expectation",
    "open_questions",
    "reference",
    "refuse",
    "rulings",
    "sealed",
    "standing",
    "table_autonomy",
    "watched",
]
