"""Six and six, one board: the table of `tables/sixes.toml` read row by row.

Pure. Must not know the match's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from controller.events.errors import ConfigError
from controller.rules.book import Book
from controller.rules.case import Back, Case, End, Fine, Outcome, QueenAfter
from controller.rules.strokes.clearing import own_back_in_foul

_FACTS = ("improper", "striker", "queen", "cover", "safe", "own", "theirs", "own_last", "theirs_last", "hand")
_RESULTS = ("own", "theirs", "queen", "keep", "fine", "foul", "end", "note")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: what has to hold, what follows, and why.

    `asked`, `wanted`: one bit a fact, in the order of `_FACTS`: the facts that matter, and those of them that hold.
    """

    id: str
    asked: int
    wanted: int
    clause: str
    also: tuple[str, ...]
    own: Literal["stay", "back"]
    theirs: Literal["stay", "back", "last back"]
    queen: QueenAfter
    keep: bool
    fine: bool
    foul: bool
    end: Literal["own", "theirs", ""]
    note: str


def prepare(book: Book) -> tuple[Row, ...]:
    """Compiles the table, without the rows whose clause is switched off. Raises ConfigError for an unknown word."""
    rows = (raw for raw in book.tables["row"] if book.live(raw["clause"]) or raw["when"].get("improper"))
    return tuple(_row(book, raw) for raw in rows)


def _row(book: Book, raw: Mapping[str, Any]) -> Row:
    unknown = [k for k in raw["when"] if k not in _FACTS] + [k for k in raw["then"] if k not in _RESULTS]
    if unknown:
        raise ConfigError(f"tables/sixes.toml: row {raw['id']!r} has no word {unknown[0]!r}. Fix: see the file's head")
    then = raw["then"]
    return Row(
        id=raw["id"],
        asked=sum(1 << _FACTS.index(fact) for fact in raw["when"]),
        wanted=sum(1 << _FACTS.index(fact) for fact, holds in raw["when"].items() if holds),
        clause=raw["clause"],
        also=tuple(raw.get("also", ())),
        own=then.get("own", "stay"),
        theirs=then.get("theirs", "stay"),
        queen=then.get("queen", "same"),
        keep=then.get("keep", False) in (True, book.policy["striker_with_own"]),
        fine=then.get("fine", False),
        foul=then.get("foul", False),
        end=then.get("end", ""),
        note=then.get("note", ""),
    )


def resolve(case: Case) -> Outcome:
    """Rules on one stroke by the first row that holds."""
    own_last, theirs_last = bool(case.own) and not case.own_left, bool(case.theirs) and not case.theirs_left
    facts = (
        bool(case.fouls),
        case.striker_fell,
        case.queen_fell,
        case.queen == "pending",
        case.queen in ("own", "theirs"),
        bool(case.own),
        bool(case.theirs),
        own_last,
        theirs_last,
        case.own_hand > 0,
    )
    bits = sum(1 << number for number, holds in enumerate(facts) if holds)
    rows: tuple[Row, ...] = case.book.prepared
    for row in rows:
        if bits & row.asked == row.wanted:
            return _outcome(case, row, theirs_last)
    return Outcome(keep=False)


def drop(case: Case) -> Outcome:
    """A piece fell from a pocket's rim by itself: it counts for its owner; a last piece only when the queen is covered.

    The text does not speak of it: nobody pocketed it, so nobody loses the game or pays a fine for it.
    """
    if case.queen_fell:
        return Outcome(keep=True, queen="back", queen_why="sixes-27")
    if case.own_left and case.theirs_left:
        return Outcome(keep=True)
    if case.queen in ("own", "theirs"):
        return Outcome(keep=True, end=End("own" if case.own else "theirs", 0, "sixes-14"))
    back = Back(1, "sixes-27", centre=True)
    return Outcome(keep=True, own_back=back if case.own else None, theirs_back=None if case.own else back)


def _outcome(case: Case, row: Row, theirs_last: bool) -> Outcome:
    # An improper stroke cites the clause that was broken, whichever the book (or a house book) has.
    why = case.fouls[0] if case.fouls else row.clause
    cites = [row.clause, *row.also] if why == row.clause else [why, *row.also]
    striker_on_theirs = case.striker_fell and case.theirs > 0
    theirs_why = ("sixes-8" if theirs_last else "sixes-7") if striker_on_theirs or case.fouls else row.clause
    if case.theirs and (striker_on_theirs or (case.fouls and theirs_last)):
        cites.append(theirs_why)
    if case.queen_fell and row.queen == "own" and row.keep and case.own_left == 1:
        cites.append("sixes-26")
    back = {"stay": 0, "back": case.theirs, "last back": int(theirs_last)}[row.theirs]
    queen: QueenAfter = row.queen
    if queen == "back" and not (case.queen_fell or case.queen == "pending"):
        queen = "same"
    return Outcome(
        keep=row.keep,
        queen=queen,
        queen_why=why if queen == "back" else "",
        own_back=own_back_in_foul(case, why) if row.own == "back" else None,
        theirs_back=Back(back, theirs_why) if back else None,
        fines=(Fine(1, why),) if row.fine else (),
        fouls=(row.clause,) if row.foul and not case.fouls else (),
        end=End(row.end, 0, row.clause) if row.end else None,
        cites=tuple(cites),
        notes=(row.note,) if row.note else (),
    )
