"""No clause contradicts the house rule it is played by: its words are made from the policy's values."""

from __future__ import annotations

import re
from typing import Any

import pytest

from controller.events.errors import ConfigError
from controller.rules.book import Book, Clause
from controller.rules.lists import call_list
from controller.rules.opening import ready_book
from controller.rules.shelf import load_book, official_books
from controller.rules.wording import worded
from tests.rules.reading import at, ruled, south, start
from tests.rules.reading_books import club


def played(book: str, **policy: Any) -> Book:
    return ready_book(official_books()[book].with_policy(policy))


def said(clause: Clause) -> str:
    return " ".join(clause.texts)


HOUSE_RULES = [
    ("campus", "campus-7", {"points": 21}, "21", "15"),
    ("campus", "campus-12", {"striker_with_own": "keep"}, "keep the turn", ""),
    ("campus", "campus-12", {"own_in_foul": "stays"}, "stay", "come back"),
    ("campus", "campus-13", {"fines_waived": True}, "waived", "owed"),
    ("campus", "campus-18", {"turn_with_theirs": "keep"}, "but not with an own piece", "Even with"),
    ("campus", "campus-18", {"last_piece_points": 5}, "5 points", "3 points"),
    ("campus", "campus-20", {"break_tries": 4}, "4 tries", "3 tries"),
    ("campus", "campus-15", {"rim_drop": "never"}, "put back", "by itself counts"),
    ("campus", "campus-3", {"queen_too_early": "foul"}, "a foul", "nothing is due"),
    ("classic", "classic-7", {"turn_with_theirs": "lose"}, "lost", "kept"),
    ("classic", "classic-8", {"queen_too_early": "back"}, "turn lost", "paid"),
    ("classic", "classic-20", {"points": 29, "queen_points": 5, "board_cap": 0}, "29 points", "at most"),
    ("classic", "classic-22", {"last_piece_points": 2}, "2, and one", "3"),
    ("club", "club-16", {"own_in_foul": "returned"}, "come back", "stay"),
    ("club", "club-26", {"own_in_foul": "returned"}, "the own ones too", "stay"),
    ("club", "club-29", {"fines_waived": True}, "waived", "owed"),
    ("club", "club-38", {"late_stroke": "void", "missed_turn": "passes"}, "void", "foul"),
    ("club", "club-66", {"stalemate_turns": 12}, "12 strokes", "20"),
    ("club", "club-103", {"points": 29}, "29", "25"),
    ("campus", "campus-5", {"one_pocket": "covers"}, "is covered (14)", "waits"),
    ("campus", "campus-18", {"theirs_last": "lost"}, "With the queen covered too", "scores as 6"),
    ("world", "world-10", {"theirs_last": "lost"}, "queen covered too", "scores as 14"),
    ("club", "club-12", {"striker_with_own": "keep"}, "not with own pieces", ""),
    ("club", "club-44", {"both_last": "drawn"}, "counts as a board", "played again"),
    ("club", "club-45", {"last_with_queen": "covers"}, "covers her", "go to the centre"),
    ("club", "club-64", {"last_before_queen": "keep"}, "plays on", "turn passes"),
    ("club", "club-119", {"forfeits": "game"}, "the game under way", "the match."),
    ("icf", "icf-101a", {"striker_with_own": "lose"}, "turn lost", "kept"),
    ("sixes", "sixes-12", {"striker_with_own": "lose"}, "the turn is lost", "kept"),
    ("icf", "icf-45b", {"break_tries": 5}, "5 tries", "3"),
    ("icf", "icf-51", {"gap_51": "opponent"}, "opponent's pieces", "offender"),
    ("icf", "icf-54", {"queen_from": 20}, "20", "22"),
    ("icf", "icf-56a", {"points": 0}, "8 boards", "points"),
    ("icf", "icf-57", {"games": 5}, "5 games", "3"),
    ("icf", "icf-107a", {"queen_points": 4}, "wins 4", "3"),
    ("icf", "icf-137", {"pass_limit": 4}, "4 passes", "6"),
    ("icf", "icf-50", {"missed_turn": "passes"}, "passes", "costs"),
    ("sixes", "sixes-15", {"missed_limit": 2}, "2 turns", "3"),
    ("world", "world-12", {"striker_with_own": "lose"}, "the turn is lost", "turn kept"),
    ("world", "world-12", {"striker_with_own": "keep"}, "with own pieces the turn is kept", "the turn if"),
    ("campus", "campus-12", {"striker_with_own": "keep"}, "with own pieces the turn is kept", "the turn if"),
    ("world-point", "world-23", {"points": 30}, "30 wins", "21"),
    ("world-family", "world-21", {"points": 100}, "100 points win at once", ""),
    ("campus", "campus-20", {"break_fouled": "turn"}, "no due", "due and turn lost"),
    ("world-family", "world-19", {"worth_black": 7}, "black 7", "black 5"),
]


@pytest.mark.parametrize(("book", "clause", "policy", "says", "silent"), HOUSE_RULES)
def test_a_clause_says_what_the_policy_does(
    book: str, clause: str, policy: dict[str, Any], says: str, silent: str
) -> None:
    words = said(played(book, **policy).clauses[clause])
    assert says in words
    assert not silent or silent not in words


def test_a_text_is_made_of_values_and_of_words_by_value() -> None:
    policy = {"points": 21, "minutes": 2.5, "waived": True, "turn": "keep"}
    assert worded("to {points} in {minutes}", policy) == "to 21 in 2.5"
    assert worded("{points|0=for ever|=to #}", policy) == "to 21"
    assert worded("{waived|true=waived|false=owed}, {turn|lose=lost}.", policy) == "waived, ."
    assert worded("no {hole | here", policy) == "no {hole | here"


def test_a_match_is_ruled_and_called_in_the_words_of_its_policy() -> None:
    begin = club(at(5, 4), policy={"own_in_foul": "returned"})
    ruling = ruled(begin, south("W S"))[-1]
    book = played("club", own_in_foul="returned")
    assert all("stay pocketed" not in said(book.clauses[clause]) for clause in ruling["cites"])
    late = {"late_stroke": "void", "stroke_seconds": 10}
    raised = ruled(start(policy=late | {"missed_turn": "passes"}), {"event": "timeout", "seat": "south"})[-1]
    assert (raised["fouls"], raised["turn"]) == ([], "north")
    called = {item.clause: item.then for item in call_list(played("icf", **late))}
    assert called["icf-50"].startswith("the stroke is void")


def test_a_house_book_words_its_own_clauses_and_its_parents(tmp_path: Any) -> None:
    house = tmp_path / "house.toml"
    clause = (
        '\n[[clause]]\nid = "house-1"\nkind = "call"\nsays = "a game to {points} is {draws|true=drawn|false=won}"\n'
    )
    house.write_text('id = "house"\nextends = "campus"\n[policy]\npoints = 21\n' + clause)
    book = load_book(house)
    assert said(book.clauses["house-1"]).startswith("a game to 21 is drawn")
    assert book.clauses["campus-7"].says == "a game goes to 21"
    for wrong, why in (("{pointz}", "no policy key pointz"), ("{draws|maybe=so}", "draws is never maybe")):
        house.write_text('id = "house"\nextends = "campus"\n' + clause.replace("{points}", wrong))
        with pytest.raises(ConfigError, match=why):
            load_book(house)


DEFINES = {
    *("club-1", "club-47", "club-51", "club-54", "club-59", "club-61", "club-78", "club-101", "club-107"),
    *("club-129", "club-133", "club-134", "club-136", "club-151", "club-154", "campus-1", "campus-2", "classic-3"),
    *(
        "classic-21",
        "sixes-1",
        "sixes-3",
        "sixes-26",
        "world-18",
        "world-19",
        "world-22",
        "icf-66b",
        "icf-67",
        "icf-68",
    ),
    *("icf-11", "icf-16", "icf-17", "icf-22", "icf-23", "icf-24", "icf-35", "icf-36", "icf-141", "club-6", "campus-10"),
}
"""Clauses that say what a word means, what is allowed, or what is always so: nothing follows from citing them."""


@pytest.mark.parametrize("book", official_books().values(), ids=lambda book: book.id)
def test_a_clause_with_an_effect_says_what_follows(book: Book) -> None:
    silent = {one.id for one in book.clauses.values() if one.consequence == "none" and not one.then}
    assert silent <= DEFINES
    numbered = [(one, number) for one in book.clauses.values() for number in re.findall(r"\((\d+)\)", one.then)]
    for clause, number in numbered:
        assert book.find(f"{clause.id.rpartition('-')[0]}-{number}"), clause.id
