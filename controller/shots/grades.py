"""Which facts of a stroke a camera of each grade can observe. What it cannot is named as unseen, and never ruled on.

Each fact names its grade where it is described (`events/match.py`, `events/words.py`); strokes are read by it, and what
is watched tonight follows from it.
"""

from __future__ import annotations

from controller.events.match import FACTS
from controller.events.words import FLAGS, GRADES, Grade

BESIDES = frozenset({"rack", "clock"})
"""What any camera shows that is no fact of a stroke."""


def observable_at(grade: Grade) -> frozenset[str]:
    """Returns the facts that can be observed at a grade, as `unseen` and clauses' `needs` name them."""
    able = GRADES[: GRADES.index(grade) + 1]
    facts = (path for path, one in FACTS.items() if one.fact.grade in able)
    flags = (f"flags.{flag}" for flag, one in FLAGS.items() if one.grade in able)
    return BESIDES.union(facts, flags)


def flags_not_observable_at(grade: Grade) -> tuple[str, ...]:
    """Returns the flags that only a better camera could raise."""
    return tuple(sorted(fact for fact in observable_at("match") - observable_at(grade) if fact.startswith("flags.")))
