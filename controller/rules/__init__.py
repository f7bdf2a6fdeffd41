"""The rules: a pure core `(state, event) → (state, ruling)` that plays by any rulebook.

    state = begin(load_books())                      # `controller.rules.shelf` reads the files
    state, ruling = apply(state, event)              # Ruling, or Refusal: then nothing has changed but the number
    expectation(state)                               # what the table may expect to see next

Where to look: *what a book says* is in `books/ID.toml` (policy values, clauses) and, for a stroke, in
`tables/ID.toml` or `strokes/NAME.py`; *what a stroke goes through* is in `stroke`; *what its outcome does to the
match* in `outcome`; a clause that applies by itself in `consequence`; all other events in `moments`; boards, games
and match in `progress`; dues in `account`; where pieces go in `placing` and `respot`; doubts in `questions`; what
reaches back in `appeals` (calls about a stroke, answers), `retraction` (voids) and `history` (overrides, corrections).
`docs/rules.md` tells how a book is made.

Must not know clocks, files (but `shelf`), threads or pixels.
"""

from __future__ import annotations

from controller.rules.expecting import expectation
from controller.rules.lists import call_list, checklist, procedures, watched
from controller.rules.standing import (
    Standing,
    alternatives,
    open_questions,
    ruling_at,
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
    "checklist",
    "difference",
    "expectation",
    "open_questions",
    "procedures",
    "refuse",
    "ruling_at",
    "rulings",
    "sealed",
    "standing",
    "table_autonomy",
    "watched",
]
