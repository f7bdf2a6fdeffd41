"""One description, many uses: call list, reference and what tonight's sensors can watch, all made from the
clauses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from controller.rules.book import Book, Clause, Consequence


@dataclass(frozen=True, slots=True)
class CallItem:
    """An entry of the umpire's call list."""

    clause: str
    says: str
    consequence: Consequence
    then: str
    about_stroke: bool
    about_time: bool = False


@dataclass(frozen=True, slots=True)
class Watched:
    """How a clause is watched tonight: by the machine, on the umpire's call, or not at all; `missing`: facts."""

    clause: str
    says: str
    how: Literal["watched", "on call", "not watched"]
    missing: tuple[str, ...] = ()


THEN: dict[Consequence, str] = {
    "none": "nothing follows; it can be cited",
    "foul": "one due, and the turn if that side has it",
    "outcome": "as the outcome of the stroke says",
    "score": "decided by the score",
    "warn": "a warning; then a foul, points or disqualification as the umpire chooses",
    "warn_then_foul": "a warning first, then a foul of its own: one due, and the turn if that side has it",
    "deduct": "points are taken off",
    "disqualify": "the side is disqualified and loses the match",
    "forfeit": "the side loses the match",
    "board_lost": "the board goes to the other side by the offender's pieces and the queen left",
    "draw": "the board ends level",
    "replay_stroke": "the stroke is taken back and played again",
    "replay_board": "the board is played again with the same break",
    "restore": "pieces are put back as they were",
    "steps": "a guided procedure on the console",
    "checklist": "signed off before the match",
}
"""What follows from a clause, in words, by its consequence."""


def then(clause: Clause) -> str:
    """Says in words what follows from a clause."""
    if clause.then:
        return clause.then
    if clause.consequence == "foul" and clause.about_stroke:
        return "the stroke is fouled"
    return THEN[clause.consequence]


def reference(book: Book) -> list[dict[str, Any]]:
    """Every clause of the book as it is played: what `carrom books clauses` and the console's page of the book show."""
    rows = [
        {
            **asdict(clause),
            "then": then(clause),
            "about": "stroke" if clause.about_stroke else "",
            "policy": book.settled_by(clause.id),
        }
        for clause in book.clauses.values()
    ]
    for row in rows:
        del row["written"]
    return rows


def call_list(book: Book) -> list[CallItem]:
    """What the umpire can call: flags and calls, line calls that the machine may have missed, setup broken in play."""
    return [
        CallItem(clause.id, clause.says, clause.consequence, then(clause), clause.about_stroke, _times(clause))
        for clause in book.clauses.values()
        if clause.autonomy != "off"
        and (
            clause.kind in ("call", "flag")
            or (clause.kind == "auto" and clause.detects)
            or (clause.kind in ("setup", "steps") and clause.consequence not in ("checklist", "steps", "none"))
        )
    ]


def _times(clause: Clause) -> bool:
    return any(one.fact == "elapsed" for one in clause.detects)


def watched(book: Book, capabilities: Iterable[str]) -> list[Watched]:
    """Says for each clause how it is watched tonight.

    `capabilities`: facts that the sensors can give, as clauses name them in `needs`, or a whole family (`placement`).
    """
    able = frozenset(capabilities)
    found = []
    for clause in book.clauses.values():
        if clause.kind in ("setup", "steps"):
            continue
        missing = tuple(fact for fact in clause.needs if fact not in able and fact.partition(".")[0] not in able)
        callable_ = clause.kind in ("call", "flag") or bool(clause.detects)
        if clause.autonomy == "off":
            how: Literal["watched", "on call", "not watched"] = "not watched"
        elif clause.kind == "call" or missing:
            how = "on call" if callable_ else "not watched"
        else:
            how = "watched"
        found.append(Watched(clause.id, clause.says, how, missing))
    return found
