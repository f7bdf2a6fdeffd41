"""What is watched tonight: from what camera and beams can do and what the book's clauses need, in one place."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from controller.events.observation import EyesHealth
from controller.table.match.watching import capabilities, counted, watching
from controller.table.outlets.pages import DeskView
from tests.table.kit import BOOKS, S, run, scene


def how(book: str, grade, *, beams: bool) -> dict[str, str]:
    return {row["clause"]: row["how"] for row in watching(BOOKS[book], grade, beams=beams)}


def test_a_better_camera_watches_no_less() -> None:
    able = [capabilities(grade, beams=True) for grade in (None, "basic", "club", "match")]
    assert all(less <= more for less, more in itertools.pairwise(able))
    assert capabilities(None, beams=False) == frozenset()


@pytest.mark.parametrize(
    ("grade", "beams", "clause", "wanted"),
    [
        ("match", True, "icf-130a", "watched"),
        ("basic", True, "icf-130a", "on call"),
        (None, True, "icf-130a", "on call"),
        ("match", True, "icf-33", "watched"),
        ("basic", True, "icf-33", "on call"),
        ("match", True, "icf-32", "on call"),
        ("basic", True, "icf-48", "watched"),
        (None, True, "icf-48", "not watched"),
        (None, False, "icf-130a", "on call"),
    ],
)
def test_what_is_watched_follows_from_what_can_be_seen(grade, beams, clause, wanted) -> None:
    assert how("icf", grade, beams=beams)[clause] == wanted


@pytest.mark.parametrize("book", sorted(BOOKS))
def test_nothing_is_watched_without_sensors_that_needs_any(book) -> None:
    for row in watching(BOOKS[book], None, beams=False):
        needs = BOOKS[book].clauses[row["clause"]].needs
        if needs:
            assert row["how"] != "watched", row["clause"]
            assert row["missing"] == list(needs)


def test_the_count_in_a_line() -> None:
    line = counted([{"how": "watched"}, {"how": "watched"}, {"how": "on call"}])
    assert line == "2 watched, 1 on call, 0 not watched"


def test_the_page_shows_less_as_soon_as_the_camera_is_away(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            view = DeskView(at.desk, None, lambda: None)

            def shown() -> str:
                return next(row["how"] for row in view.snapshot(umpire=False).watched if row["clause"] == "icf-130a")

            assert shown() == "watched"
            await at.feed(replace(EyesHealth(at.table.now + S, "lost", at.table.now), grade="match"))
            assert shown() == "on call"

    run(story())
