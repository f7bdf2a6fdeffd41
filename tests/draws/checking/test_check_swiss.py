"""Swiss: right rounds pass, each rule finds what breaks it, and the best pairing is that which trying all finds."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.draws.checking.pairing import Round
from tests.draws.checking.drawn import Draw, entries, matchings, names, right, swiss


@pytest.mark.parametrize(("many", "rounds"), [(2, 1), (3, 3), (4, 3), (5, 4), (6, 4), (7, 5), (8, 5), (9, 4), (10, 3)])
@pytest.mark.parametrize("seeded", [False, True])
def test_right_rounds_pass(many, rounds, seeded):
    draw = swiss(many, rounds, many if seeded else 0)
    assert right(draw) == []
    draw.results = None
    assert right(draw) == []


def _seat(draw: Draw, ident: str) -> None:
    line = draw.line(ident)
    line["south"], line["north"] = line["north"], line["south"]


def _exchange(draw: Draw, turn: str, one: str, other: str) -> None:
    change = {one: other, other: one}
    for line in draw.fixtures:
        if line["round"] == turn:
            for seat in ("south", "north"):
                line[seat] = change.get(line[seat], line[seat])
            result = next(result for result in draw.results if result["id"] == line["id"])
            result["winner"] = change.get(result["winner"], result["winner"])


def _bye(draw: Draw, turn: str, name: str) -> None:
    """Somebody has the bye of a round in place of who had it."""
    (free,) = set(names(7)) - {
        line[seat] for line in draw.fixtures if line["round"] == turn for seat in ("south", "north")
    }
    _exchange(draw, turn, name, free)


def _again(draw: Draw) -> None:
    one, other = draw.line("1-1"), next(line for line in draw.fixtures if line["round"] == "4")
    draw.results = [result for result in draw.results if not result["id"].startswith("4")]
    other.update(south=one["south"], north=one["north"])


def _withdrawn(draw: Draw, state: str) -> None:
    draw.entry(draw.line("2-1")["south"])["state"] = state


MUTATIONS = [
    ("nobody meets twice", _again),
    ("first round", lambda draw: _exchange(draw, "1", "P1", "P5")),
    ("first round", lambda draw: _exchange(draw, "1", "P2", "P3")),
    ("byes", lambda draw: _bye(draw, "1", "P1")),
    ("byes", lambda draw: _bye(draw, "2", "P7")),
    ("byes", lambda draw: draw.fixtures.remove(draw.line("1-3")) or draw.results.pop(2)),
    ("breaks", lambda draw: _seat(draw, "2-1")),
    ("breaks", lambda draw: _seat(draw, "4-1")),
    ("every entry", lambda draw: draw.line("1-1").update(south=draw.line("1-2")["north"])),
    ("every entry", lambda draw: _withdrawn(draw, "late 3")),
    ("every entry", lambda draw: _withdrawn(draw, "late")),
    ("every entry", lambda draw: _withdrawn(draw, "withdrawn 2")),
    ("rounds", lambda draw: draw.results.pop(1)),
    ("rounds", lambda draw: draw.event.update(rounds=2)),
    ("rounds", lambda draw: [line.update(round="5") for line in draw.fixtures if line["round"] == "4"]),
    ("rounds", lambda draw: draw.line("4-1").update(south="winner 1-1")),
    ("results", lambda draw: draw.results[0].update(winner="Q")),
    ("results", lambda draw: draw.results[0].update(id="9-9")),
]


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_what_breaks_a_rule_is_found_by_that_rule(number):
    draw = swiss(7, 4, 7)
    rule, breaks = MUTATIONS[number]
    breaks(draw)
    assert rule in draw.rules(), right(draw)


def test_a_float_too_many_is_found_and_what_would_do():
    draw = swiss(8, 2, 8)
    assert right(draw) == []
    won = [result["winner"] for result in draw.results if result["id"].startswith("1")]
    lost = [name for name in names(8) if name not in won]
    here = [line for line in draw.fixtures if line["round"] == "2"]
    met = {frozenset((line["south"], line["north"])) for line in draw.fixtures if line["round"] == "1"}
    pairs = [pair for pair in matchings([won[0], won[1], *lost[:2]]) if all(set(two) & set(lost) for two in pair)]
    pairs = [pair for pair in pairs if not met & set(map(frozenset, pair))]
    rest = [pair for pair in matchings([won[2], won[3], *lost[2:]]) if not met & set(map(frozenset, pair))]
    for line, (south, north) in zip(here, [*pairs[0], *rest[0]], strict=True):
        line.update(south=south, north=north)
    draw.results = [result for result in draw.results if not result["id"].startswith("2")]
    found = [one for one in draw.proof().findings if one.rule == "floats"]
    assert len(found) == 1
    assert "0 of 0 would do" in found[0].sentence


def test_breaks_that_could_alternate_are_found():
    """Two who broke meet, and two who did not, of one score: the other way nobody had two more."""
    first = [("1-1", "A", "B"), ("1-2", "C", "D"), ("1-3", "E", "F"), ("1-4", "G", "H")]
    second = [("2-1", "A", "C"), ("2-2", "F", "H"), ("2-3", "D", "G"), ("2-4", "B", "E")]
    lines = [{"round": ident[0], "id": ident, "south": one, "north": other} for ident, one, other in first + second]
    results = [{"id": ident, "winner": name} for ident, name in zip(("1-1", "1-2", "1-3", "1-4"), "ACFH", strict=True)]
    people = [{"name": name, "seeding": "", "club": "", "state": ""} for name in "ABCDEFGH"]
    draw = Draw({"system": "swiss", "rounds": 3}, people, lines, results)
    assert draw.rules() == {"breaks"}
    better = [("2-1", "F", "A"), ("2-2", "H", "C"), ("2-3", "D", "G"), ("2-4", "B", "E")]
    for ident, one, other in better:
        draw.line(ident).update(south=one, north=other)
    assert right(draw) == []


def test_one_club_is_parted_where_floats_allow_it():
    first = [("1-1", "A", "C"), ("1-2", "B", "D"), ("1-3", "E", "G"), ("1-4", "F", "H")]
    apart, together = (("E", "A"), ("F", "B")), (("B", "A"), ("F", "E"))
    people = [{"name": name, "club": "X" if name in "AB" else "", "seeding": ""} for name in "ABCDEFGH"]
    for pairs, found in ((apart, set()), (together, {"same club"})):
        second = [(f"2-{number}", *pair) for number, pair in enumerate([*pairs, ("C", "G"), ("D", "H")], 1)]
        lines = [{"round": ident[0], "id": ident, "south": one, "north": other} for ident, one, other in first + second]
        results = [{"id": ident, "winner": one} for ident, one, _other in first]
        draw = Draw({"system": "swiss", "rounds": 2, "apart": "club"}, people, lines, results)
        assert draw.rules() == found, right(draw)


def test_one_club_does_not_meet_in_the_first_round():
    people = [{"name": name, "club": "X" if name in "AB" else "", "seeding": ""} for name in "ABCD"]
    lines = [
        {"round": "1", "id": "1-1", "south": "A", "north": "B"},
        {"round": "1", "id": "1-2", "south": "C", "north": "D"},
    ]
    draw = Draw({"system": "swiss", "rounds": 2, "apart": "club"}, people, lines)
    assert draw.rules() == {"same club"}
    draw.line("1-1")["north"], draw.line("1-2")["south"] = "C", "B"
    assert right(draw) == []


def test_who_comes_late_has_the_points_of_the_event():
    """P5 comes to round 2 with one point, and so plays a winner."""
    lines = [("1-1", "P1", "P3"), ("1-2", "P2", "P4"), ("2-1", "P5", "P1"), ("2-2", "P3", "P4")]
    draw = Draw({"system": "swiss", "rounds": 3, "late_points": 1}, entries(5, 5), [])
    draw.fixtures = [{"round": ident[0], "id": ident, "south": one, "north": other} for ident, one, other in lines]
    draw.results = [{"id": "1-1", "winner": "P1"}, {"id": "1-2", "winner": "P2"}]
    draw.entry("P5")["state"] = "late 2"
    # P1, P2 and P5 have one point; P3 and P4 none: the bye is for one of the last two.
    assert "byes" in draw.rules()
    draw.line("2-2").update(south="P3", north="P2")
    assert right(draw) == []
    draw.event["late_points"] = 0
    assert draw.rules() == {"floats", "byes"} or draw.rules() == {"floats"}


def test_who_has_left_is_drawn_no_more_and_counts_as_there_until_then():
    draw = swiss(7, 2, 7)
    gone = draw.line("1-1")["north"]
    draw.fixtures = [line for line in draw.fixtures if line["round"] == "1"]
    draw.results = draw.results[:3]
    for state in ("withdrawn", "withdrawn 2"):
        draw.entry(gone)["state"] = state
        assert right(draw) == []


def test_a_drawn_match_is_half_a_point_for_each():
    draw = swiss(4, 1, 4)
    draw.results = [{"id": "1-1", "winner": "draw"}, {"id": "1-2", "winner": "P2"}]
    draw.fixtures += [
        {"round": "2", "id": "2-1", "south": "P4", "north": "P1"},
        {"round": "2", "id": "2-2", "south": "P3", "north": "P2"},
    ]
    # 1, ½, ½, 0: the winner meets one of the drawn, the two others of the drawn have met.
    draw.event["rounds"] = 2
    assert right(draw) == []


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1, 0, 1])), min_size=2, max_size=4),
    st.randoms(use_true_random=False),
)
@settings(max_examples=40, deadline=None)
def test_the_best_pairing_is_that_which_trying_all_finds(half, random):
    players = half * 2
    who = list(range(len(players)))
    score, balance = ({one: two[part] for one, two in enumerate(players)} for part in (0, 1))
    met = {frozenset(random.sample(who, 2)) for _pair in range(len(who) // 2)}
    turn = Round(who, score, balance, met)
    allowed = [pairs for pairs in matchings(who) if not met & set(map(frozenset, pairs))]
    assert turn.can_be_paired() == bool(allowed)
    if allowed:
        least = min(map(turn.whole, allowed))
        assert turn.whole(turn.best(max(allowed, key=turn.whole))) == least
        assert turn.least() <= least


def test_five_rounds_of_three_hundred_are_checked_within_five_seconds():
    """Each plays the nearest below who was not met yet: far from the best, so that every round is compared with it."""
    many, rounds = 300, 5
    draw = Draw({"system": "swiss", "rounds": rounds}, entries(many, many), [], [])
    score = dict.fromkeys(names(many), 0)
    met: set[frozenset[str]] = set()
    for turn in range(1, rounds + 1):
        free = sorted(names(many), key=lambda name: (-score[name], int(name[1:])))
        for number in range(1, many // 2 + 1):
            one = free.pop(0)
            other = next(name for name in free if frozenset((one, name)) not in met)
            free.remove(other)
            met.add(frozenset((one, other)))
            draw.fixtures.append({"round": str(turn), "id": f"{turn}-{number}", "south": one, "north": other})
            draw.results.append({"id": f"{turn}-{number}", "winner": (one, other)[(number * 7 + turn) % 2]})
            score[draw.results[-1]["winner"]] += 1
    begun = time.process_time()
    assert {"first round", "breaks"} <= draw.rules()
    assert time.process_time() - begun < 5.0
