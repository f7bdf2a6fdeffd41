"""The queen shoot-out: five turns each, a point for each queen, then one more each until one leads."""

from __future__ import annotations

import random

import pytest

from controller.events.codec import event_from_json
from controller.rules import apply, begin
from controller.rules.shelf import load_books

BOOKS = load_books()
SEATS = ("south", "north")
QUEEN, STRIKER = {"piece": "queen", "pocket": "NE"}, {"piece": "striker", "pocket": "SW"}


class Match:
    """A shoot-out that is played stroke by stroke."""

    def __init__(self) -> None:
        self.state, self.turns = begin(BOOKS), 0
        self.now = self.does(event="start", book="shootout", seats={"south": "Asha", "north": "Ben"})

    def does(self, **event):
        self.state, ruling = apply(self.state, event_from_json(event))
        self.now = ruling
        return ruling

    def strikes(self, *pocketed, **more):
        """The stroke of whoever is on turn."""
        self.turns += 1
        return self.does(event="shot", seat=SEATS[(self.turns - 1) % 2], pocketed=[*pocketed], **more)

    @property
    def score(self):
        return tuple(self.now.score[seat] for seat in SEATS)


def test_each_stroke_is_a_turn_and_a_queen_in_a_pocket_a_point():
    match = Match()
    assert match.strikes(QUEEN).board.why == "shootout-3"
    assert (match.score, match.now.turn, match.now.match_over) == ((1, 0), "north", False)
    assert match.strikes().board.why == "shootout-2"
    assert (match.score, match.now.turn, match.now.board.number) == ((1, 0), "south", 2)


@pytest.mark.parametrize(
    ("pocketed", "more", "why"),
    [
        ((QUEEN, STRIKER), {}, "shootout-4"),
        ((STRIKER,), {}, "shootout-4"),
        ((QUEEN,), {"placement": {"lines": "one"}}, "icf-130a"),
    ],
)
def test_with_the_striker_or_against_the_laws_it_is_none(pocketed, more, why):
    match = Match()
    ruling = match.strikes(*pocketed, **more)
    assert (match.score, ruling.turn, ruling.board.over) == ((0, 0), "north", True)
    assert why in {ruling.board.why, *(one.clause for one in ruling.fouls)}
    assert match.strikes(QUEEN).score["north"] == 1, "a due of the turn before costs nothing"


def test_after_five_turns_each_who_has_more_wins():
    match = Match()
    for _ in range(9):
        match.strikes(*[QUEEN] * (match.turns == 4))
    assert not match.now.match_over, "all turns are played"
    match.strikes()
    assert (match.now.match_over, match.now.winner, match.score) == (True, "south", (1, 0))


@pytest.mark.parametrize("leads", SEATS)
def test_if_level_both_have_one_more_turn_until_one_leads(leads):
    match = Match()
    for _ in range(12):
        match.strikes()
    match.strikes(*[QUEEN] * (leads == "south"))
    assert not match.now.match_over, "the other has a turn too"
    match.strikes(*[QUEEN] * (leads == "north"))
    assert (match.now.match_over, match.now.winner) == (True, leads)


def test_a_turn_without_a_stroke_is_over_too():
    match = Match()
    match.does(event="timeout", seat="south")
    assert (match.now.board.over, match.now.turn) == (True, "north")
    match.turns = 1
    assert match.strikes(QUEEN).score == {"south": 0, "north": 1}


def test_a_queen_that_falls_by_herself_is_put_back():
    match = Match()
    ruling = match.does(event="drop", piece="queen", pocket="NE", on_rim=True)
    assert ([one.piece for one in ruling.returned], match.score, ruling.turn) == (["queen"], (0, 0), "south")


def test_a_corrected_turn_counts_as_it_is_corrected():
    match = Match()
    first = match.strikes()
    for _ in range(8):
        match.strikes()
    match.does(event="correct", seq=first.seq, **{"with": {"event": "shot", "seat": "south", "pocketed": [QUEEN]}})
    match.strikes()
    assert (match.now.match_over, match.now.winner, match.score) == (True, "south", (1, 0))


@pytest.mark.parametrize("seed", range(20))
def test_points_are_counted_as_anybody_would(seed):
    lot, match, counted = random.Random(seed), Match(), [0, 0]
    while not match.now.match_over:
        side, queen, striker = match.turns % 2, lot.random() < 0.5, lot.random() < 0.2
        match.strikes(*[QUEEN] * queen, *[STRIKER] * striker)
        counted[side] += queen and not striker
        level_or_early = match.turns < 10 or match.turns % 2 or counted[0] == counted[1]
        assert (match.score, match.now.match_over) == (tuple(counted), not level_or_early)
    assert match.now.winner == SEATS[counted[1] > counted[0]]
