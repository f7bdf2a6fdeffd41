"""The engine and a second reading of five books agree on every stroke, in both orders of fall."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.rules.independent_books import READERS, Stroke, Table, after
from tests.rules.reading import FOUL, TWO, ruled, shot

NORTH_CLAIMS = {"mine": "south", "pending": "south", "theirs": "north"}


def tables(book: str, full: int) -> Iterator[Table]:
    """Last, last but one, middle, and an empty hand (with and without a debt); in club none left, the queen open."""
    if book == "club":
        yield from (Table(0, other, "board", hand=full) for other in (1, 2, 5))
        yield from (Table(own, 0, queen, hand=full - own) for own, queen in product((1, 2, 4), ("board", "pending")))
    for own, other, queen in product((1, 2, 4, full), (1, 2, 5), ("board", "pending", "mine", "theirs")):
        if own == full and queen in ("pending", "mine"):
            continue
        yield Table(own, other, queen, hand=full - own)
        if own == full and full > 6:
            yield Table(own, other, queen, hand=0, pays=1)


def strokes(table: Table) -> Iterator[Stroke]:
    """Up to two of each colour, the queen if she is on the board, the striker, another foul."""
    for own, other, queen, striker, improper in product(range(3), range(3), *[(False, True)] * 3):
        if own > table.own or other > table.other or (queen and table.queen != "board"):
            continue
        yield Stroke(own, other, queen, striker, improper)


def played(book: str, table: Table, stroke: Stroke, backwards: bool) -> dict[str, Any]:
    """The engine's ruling."""
    fell = ["W"] * stroke.own + ["Q"] * stroke.queen + ["B"] * stroke.other + ["S"] * stroke.striker
    position: dict[str, Any] = {
        "left": {"white": table.own, "black": table.other},
        "queen": {"mine": "covered", "theirs": "covered"}.get(table.queen, table.queen),
        "turn": "south",
        "owed": {"south": table.pays},
        "break_done": True,
    }
    if table.queen in NORTH_CLAIMS:
        position["queen_side"] = NORTH_CLAIMS[table.queen]
    if table.queen == "pending":
        position |= {"strokes": 1, "queen_pocket": "SW"}
    start = {"event": "start", "book": book, "seats": TWO, "first": "south", "position": position}
    if book == "club":
        start["white"] = "south"
    facts = FOUL if stroke.improper and book != "sixes" else {"heading": "backward"} if stroke.improper else {}
    pieces = " ".join(reversed(fell) if backwards else fell)
    event = shot("south", pieces, **facts)
    for one in event["pocketed"]:
        one["pocket"] = "SW" if one["piece"] == "queen" else "NE"
    return ruled(start, event)[-1]


def summary(ruling: dict[str, Any]) -> dict[str, Any]:
    """The engine's ruling in the words of the second reading."""
    assert "error" not in ruling, ruling
    board = ruling["board"]
    queen = {("covered", "south"): "mine", ("covered", "north"): "theirs"}.get(
        (ruling["queen"], ruling["queen_side"]), ruling["queen"]
    )
    over = board["over"]
    if over and queen == "pending":  # nothing is placed in the stroke that ends the board: she was not covered
        queen = "board"
    return {
        "own": ruling["left"]["white"],
        "other": ruling["left"]["black"],
        "queen": queen,
        "hand": ruling["in_hand"]["south"],
        "pays": ruling["owed"]["south"],
        "kept": None if over else ruling["turn"] == "south",
        "winner": board["winner"],
        "points": board["points"],
        "drawn": board["drawn"],
    }


@pytest.mark.long
@pytest.mark.parametrize("book", sorted(READERS))
def test_both_readings_agree(book: str) -> None:
    full = 6 if book == "sixes" else 9
    differ = []
    for table in tables(book, full):
        for stroke in strokes(table):
            expected = dict(vars(after(book, table, stroke)))
            if expected["winner"] or expected["drawn"]:
                expected["kept"] = None
            for backwards in (False, True):
                found = summary(played(book, table, stroke, backwards))
                if found != expected:
                    parts = {key: (expected[key], found[key]) for key in found if found[key] != expected[key]}
                    differ.append((table, stroke, backwards, parts))
    assert not differ, "\n".join(map(str, [len(differ), *differ[:40]]))
