"""What a stroke does by the international laws, from the outcome table (`tables/icf.toml`).

Only the order of evaluation is code (law sheet 13.3): a queen pocketed too early first, then the row of the main
table. Rows where the laws are silent take their outcome from the policy (`gap_…`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from controller.events.errors import ConfigError
from controller.rules.book import Book
from controller.rules.case import Back, Case, End, Fine, Outcome, QueenAfter

QUEEN = {"board": "ON", "pending": "PEND", "own": "OWN", "theirs": "OPP"}
_AFTER: Mapping[str, QueenAfter] = {
    "RET": "back",
    "PEND": "pending",
    "OWN": "own",
    "OPP": "same",
    "ON": "same",
    "-": "same",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what happens, as the table words it. `laws`: clause ids, the one that decides first."""

    id: str
    queen: str
    out: str
    turn: str
    winner: str
    points: str
    demand: str
    laws: tuple[str, ...]


Key = tuple[str, bool, bool, bool, bool, bool, bool, bool]


@dataclass(frozen=True, slots=True)
class Table:
    """The main table by its inputs (queen, q, improper; s, n, m, a, b: zero or not); the early-queen rows in order."""

    main: Mapping[Key, Row]
    early: tuple[tuple[tuple[str, ...], Row], ...]


def prepare(book: Book) -> Table:
    """Compiles the table for a book's policy. Raises ConfigError for a row that cannot be read."""
    text = book.tables
    main: dict[Key, Row] = {}
    for words in _rows(text["main"]):
        row = _row(book, words[0], words[9:])
        for key in _keys(words[1:9]):
            if key in main:
                raise ConfigError(f"tables/icf.toml: {row.id} and {main[key].id} overlap. Fix: give each case one row")
            main[key] = row
    early = tuple((words[1:8], _row(book, words[0], words[8:])) for words in _rows(text["early"]))
    return Table(main, early)


def _rows(text: str) -> Iterator[tuple[str, ...]]:
    for line in text.splitlines():
        if line.strip():
            yield tuple(line.split())


def _prefix(book: Book) -> str:
    """The official book whose clause ids a house book keeps."""
    return book.based_on[-1] if book.based_on else book.id


def _row(book: Book, name: str, words: tuple[str, ...]) -> Row:
    laws = tuple(
        book.find(f"{book.based_on[-1] if book.based_on else book.id}-{law}").id for law in words[-1].split(",")
    )
    outcome = tuple(book.policy[f"gap_{name}"].split()) if words[0] == "gap" else words[:-1]
    if len(outcome) not in (3, 6):
        raise ConfigError(f"tables/icf.toml: row {name} has {len(words)} columns. Fix: compare it with its neighbours")
    queen, out, turn, winner, points, demand = (*outcome, "-", "-", "-")[:6]
    return Row(name, queen, out, turn, winner, points, demand, laws)


_NUMBERS: Mapping[str, tuple[bool, ...]] = {
    "0": (False,),
    "1": (True,),
    ">=1": (True,),
    "any": (False, True),
    ">=0": (False, True),
}


def _keys(words: tuple[str, ...]) -> Iterator[Key]:
    queen, q, stroke, *numbers = words
    for s, n, m, a, b in product(*(_NUMBERS[word] for word in numbers)):
        yield (queen, q == "1", stroke == "I", s, n, m, a, b)


def resolve(case: Case) -> Outcome:
    """Finds the row of a stroke and says what it does."""
    row = find_row(case)
    return _outcome(case, row)


def drop(case: Case) -> Outcome:
    """A piece on a pocket's rim that falls by itself counts as properly pocketed (laws 71, 113).

    It covers no pending queen and does not send her back: the cover stroke is still to come.
    """
    row = find_row(case)
    if case.queen == "pending" and row.turn != "END":
        return Outcome(keep=True)
    return _outcome(case, row)


def find_row(case: Case) -> Row:
    """Finds the one row that a stroke belongs to."""
    table: Table = case.book.prepared
    if case.queen == "board" and case.queen_fell:
        early = _early(case, table)
        if early is not None:
            return early
    key = (
        QUEEN[case.queen],
        case.queen_fell,
        bool(case.fouls),
        case.striker_fell,
        case.own > 0,
        case.theirs > 0,
        case.own_left > 0,
        case.theirs_left > 0,
    )
    return table.main[key]


def _early(case: Case, table: Table) -> Row | None:
    """The row for a queen pocketed while not entitled, or with all own pieces on the board; None: the Q rows."""
    before = case.own_left + case.own
    full = before == case.book.pieces[case.own_colour or "white"]
    had = case.had_pocketed
    if not full and not case.owed:
        return None
    entitled = not case.owed and (not full or had)
    if case.theirs and not case.theirs_left:
        return None if entitled and not case.own_left else _their_last(case)
    if case.own and not case.own_left and not case.owed and not case.fouls and not case.striker_fell:
        return None
    inputs = (
        "9" if full else "-",
        "1" if had else "0",
        case.owed,
        "I" if case.fouls else "P",
        int(case.striker_fell),
        case.own,
        case.theirs,
    )
    for words, row in table.early:
        if all(_fits(word, value) for word, value in zip(words, inputs, strict=True)):
            return row
    return None


def _fits(word: str, value: Any) -> bool:
    if word == "any":
        return True
    if word.startswith(">="):
        return int(value) >= int(word[2:])
    return str(value) == word


def _their_last(case: Case) -> Row:
    """Queen too early and the opponent's last piece: the opponent wins, by the pieces left or, with none left, L3."""
    demand = len(case.fouls[:1]) + case.striker_fell
    points, law = ("a+QV(so)", "106") if case.own_left else ("L3(so)", "105")
    letter = "b" if case.fouls else "a"
    base = _prefix(case.book)
    laws = (f"{base}-{law}{letter}", f"{base}-95a" if not case.owed else f"{base}-95b")
    return Row("X-end", "-", "0", "END", "O", points, str(demand) if demand else "-", laws)


def _outcome(case: Case, row: Row) -> Outcome:
    why = row.laws[0]
    if row.turn == "END":
        winner: Literal["own", "theirs"] = "own" if row.winner == "P" else "theirs"
        demand = 0 if row.demand == "-" else int(row.demand)
        points, worthless = _points(case, row.points)
        end = End(winner, points, why, demand)
        cites = (*row.laws, f"{_prefix(case.book)}-54") if worthless else row.laws
        return Outcome(False, _AFTER[row.queen], end=end, cites=cites)
    own_back, fines = _out(case, row)
    queen_why = _law(row, _ON_QUEENS)
    passes = case.striker_fell and case.own > 0 and case.policy("striker_with_own") == "lose"
    return Outcome(
        row.turn == "KEEP" and not passes,
        "back" if passes and row.queen == "PEND" else _AFTER[row.queen],
        queen_why,
        own_back,
        fines=fines,
        cites=row.laws,
    )


_ON_QUEENS = ("95a", "95b", "95c", "95d", "96", "64b")
_ON_OWN_PIECES = ("73", "75", "77a", "77b", "98a", "98b", "101a", "101b")
_NOT_ON_DUES = ("48", "92", "95a", "95b", "95c", "96", "97a", "97b", "125a")


def _law(row: Row, wanted: tuple[str, ...]) -> str:
    """The row's law that speaks of this part of the outcome, or the one that decides the row."""
    return next((law for law in row.laws if law.rpartition("-")[2] in wanted), row.laws[0])


def _out(case: Case, row: Row) -> tuple[Back | None, tuple[Fine, ...]]:
    """`n+2`: the n pocketed in this stroke come back, two more are dues."""
    why = next((law for law in row.laws if law.rpartition("-")[2] not in _NOT_ON_DUES), row.laws[0])
    comes_back, _, more = row.out.rpartition("+") if "+" in row.out else ("", "", row.out)
    if row.out == "n":
        comes_back, more = "n", "0"
    back = Back(case.own, _law(row, _ON_OWN_PIECES)) if comes_back == "n" and case.own else None
    if back is not None and case.fouls and case.own_left and case.policy("own_in_foul") == "stays":
        back = None
    return back, ((Fine(int(more), why),) if more != "0" else ())


def _points(case: Case, words: str) -> tuple[int, bool]:
    """Reads `b+QV(sp)`, `L3(so)`, `a`, `1` …; says too whether the queen would have counted at a lower score."""
    limit = case.policy("queen_from")
    queen = case.policy("queen_points")
    total, queenless = 0, False
    for word in words.split("+"):
        name, _, whose = word.partition("(")
        score = case.scores[0] if whose.startswith("sp") else case.scores[1]
        worthless = bool(limit) and score >= limit
        queenless = queenless or (worthless and name in ("L3", "QV"))
        if name == "a":
            total += case.own_left
        elif name == "b":
            total += case.theirs_left
        elif name == "L3":
            total += 1 if worthless else queen
        elif name == "QV":
            total += 0 if worthless else queen
        else:
            total += int(name)
    return total, queenless
