"""What holds in every book, whatever falls together: queen, striker, own and opponent's pieces, last ones, fouls.

All combinations are played; what a stroke does in particular is in the books' own tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tests.rules.scenes import BOOKS, scene, shot

BOOK_IDS = ("club", "campus", "classic", "sixes", "world")
IMPROPER = {"placement": {"lines": "one"}, "heading": "backward"}


def combinations(book: str) -> Iterator[tuple[int, int, str, str, bool]]:
    """White and black before, the queen, what falls, whether the stroke is improper."""
    full = BOOKS[book].pieces["white"]
    for queen, fell, striker, own, theirs, improper in product(
        ("board", "pending", "mine", "theirs"), (False, True), (False, True), range(3), range(3), (False, True)
    ):
        if fell and queen != "board":
            continue
        for white, black in product((1, 2, 4, full), (1, 2, 4)):
            if own <= white and theirs <= black and not (queen == "pending" and white == full):
                pieces = ["Q"] * fell + ["W"] * own + ["B"] * theirs + ["S"] * striker
                yield white, black, queen, " ".join(pieces), improper


@pytest.mark.long
@pytest.mark.parametrize("book", BOOK_IDS)
def test_every_combination(book: str) -> None:
    full = BOOKS[book].pieces["white"]
    for white, black, queen, pieces, improper in combinations(book):
        ruling = scene(book, f"{white} {black} {queen}", shot(pieces, **(IMPROPER if improper else {})))
        case = f"{book}: {white} {black} {queen}: {pieces}{' improper' if improper else ''}: {ruling}"
        left, hand, owed = ruling["left"], ruling["in_hand"], ruling["owed"]
        over, winner = ruling["board"]["over"], ruling["board"]["winner"]
        paid = sum(due["pieces"] for due in ruling["dues"])
        back = [one["piece"] for one in ruling["returned"]]
        assert hand == {"south": full - left["white"], "north": full - left["black"]}, case
        if over:
            assert not ruling["dues"], case
            assert not ruling["returned"], case
            assert not any(owed.values()), case
            assert 0 <= ruling["board"]["points"] <= 12, case
            # a foul, and a stroke whose pieces come back, never ends a board in the fouling side's favour
            assert not (winner == "south" and (ruling["fouls"] or "S" in pieces)), case
            continue
        assert left["white"] == white - pieces.count("W") + back.count("white") + paid, case
        assert left["black"] == black - pieces.count("B") + back.count("black"), case
        assert left["white"] > 0, case
        assert left["black"] > 0, case
        assert (ruling["queen"] == "board") == (left["queen"] == 1), case
        # who waits for a cover plays on, and a debt is owed only by an empty hand
        assert ruling["queen"] != "pending" or ruling["turn"] == "south", case
        assert not owed["south"] or not hand["south"], case
        assert not owed["north"], case
        if improper:
            assert ruling["turn"] == "north", case
            assert ruling["queen"] in ("board", "covered"), case
            assert ruling["fouls"], case
            assert paid <= 1, case
        if book == "sixes":
            assert not owed["south"], case
