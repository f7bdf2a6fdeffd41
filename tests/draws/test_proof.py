"""The proof of the draws: random events are played through `make` and `next` to their end, and `check` finds nothing.

Who checks shares no code with who makes (pyproject.toml holds that), so a mistake of either is found by the other.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.draws.played import SYSTEMS, Case, checked, play, random_case

FEW, MANY = 20, 100


def played_out(numbers: range, largest: int) -> list[Case]:
    return [play(random_case(number, largest)) for number in numbers]


def wrong(cases: list[Case]) -> list[str]:
    return [f"{case}: {case.says[:2]}" for case in cases if case.says]


@pytest.mark.parametrize("block", range(6))
def test_events_are_played_to_their_end_and_nothing_is_found(block):
    cases = played_out(range(block * FEW, (block + 1) * FEW), 24)
    assert wrong(cases) == []


def test_every_system_is_among_them():
    assert {random_case(number, 24).event["system"] for number in range(FEW)} == {*SYSTEMS}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("block", range(50))
def test_five_thousand_events_of_up_to_three_hundred_entries(block):
    assert wrong(played_out(range(10_000 + block * MANY, 10_000 + (block + 1) * MANY), 300)) == []


HARD = {
    "a full bracket of a double elimination": ({"system": "double"}, 16),
    "a large one": ({"system": "double"}, 256),
    "third place and consolation where the first round is the semi-final": (
        {"system": "knockout", "third_place": True, "consolation": True},
        4,
    ),
    "and where it is partly": ({"system": "knockout", "third_place": True, "consolation": True}, 6),
    "a full bracket after a Swiss event": ({"system": "swiss", "rounds": 4, "then": "knockout", "qualify": 8}, 12),
    "byes after one": ({"system": "swiss", "rounds": 3, "then": "knockout", "qualify": 5, "third_place": True}, 9),
    "byes of groups of which three go on": ({"system": "groups", "groups": 3, "then": "knockout", "qualify": 3}, 9),
}


@pytest.mark.parametrize("what", HARD)
def test_what_is_hard(what):
    keys, many = HARD[what]
    entries = [{"name": f"P{number}", "state": ""} for number in range(many)]
    assert wrong([play(Case(1, {"name": "Open", "seed": 7, **keys}, entries))]) == []


# -- what is broken in a right draw


def _deleted(case: Case, lot: Random) -> bool:
    line = case.fixtures.pop(lot.randrange(len(case.fixtures)))
    case.results = [result for result in case.results if result["id"] != line["id"]]
    # A knock-out of two after groups is one line: without it the draw is right, and its end is still to come.
    return line["round"] != "F" or case.event["system"] != "groups"


def _twice(case: Case, lot: Random) -> bool:
    at = lot.randrange(len(case.fixtures))
    case.fixtures.insert(at, {**case.fixtures[at], "id": "again"})
    return True


def _refers_elsewhere(case: Case, lot: Random) -> bool:
    words = ("winner ", "loser ")
    waiting = [
        (line, seat) for line in case.fixtures for seat in ("south", "east") if line.get(seat, "").startswith(words)
    ]
    if not waiting:
        return False
    line, seat = lot.choice(waiting)
    old, new = line[seat], lot.choice(words) + lot.choice(case.fixtures)["id"]
    case.results = []
    line.update({seat: new for seat in ("south", "north", "east", "west") if line.get(seat) == old})
    return old != new


def _other_round(case: Case, lot: Random) -> bool:
    line, other = lot.choice(case.fixtures), lot.choice(case.fixtures)["round"]
    changed = line["round"] != other
    line["round"] = other
    return changed


def _nobodys_result(case: Case, lot: Random) -> bool:
    lot.choice(case.results)["id"] = "nobody"
    return True


@pytest.mark.parametrize("breaks", [_deleted, _twice, _refers_elsewhere, _other_round, _nobodys_result])
def test_whatever_is_broken_in_a_right_draw_is_found(breaks):
    broken = 0
    for number in range(500, 540):
        case = play(random_case(number, 20))
        if breaks(case, Random(number)):
            broken += 1
            assert checked(case), f"{breaks.__name__} in {case} is not found"
    assert broken > 5


def _after_swiss(qualify: int) -> Case:
    """A Swiss event whose ranks no lot decides, with its knock-out drawn and not yet played."""
    keys = {"system": "swiss", "rounds": 4, "then": "knockout", "qualify": qualify, "order": ["matches", "seeding"]}
    entries = [{"name": f"P{number}", "seeding": str(number), "state": ""} for number in range(1, 13)]
    case = play(Case(3, {"name": "Open", "seed": 7, **keys}, entries))
    of_rounds = {line["id"] for line in case.fixtures if line["round"].isdecimal()}
    case.results = [one for one in case.results if one["id"] in of_rounds]
    assert checked(case) == []
    return case


def _changed_places(case: Case, one: str, other: str) -> None:
    for line in case.fixtures:
        if not line["round"].isdecimal():
            names = {one: other, other: one}
            line.update({seat: names.get(line[seat], line[seat]) for seat in ("south", "north")})


@pytest.mark.parametrize(("qualify", "rule"), [(8, "seeds"), (6, "byes")])
def test_the_best_of_a_swiss_event_stand_where_their_ranks_put_them(qualify, rule):
    case = _after_swiss(qualify)
    knocked = [line for line in case.fixtures if not line["round"].isdecimal()]
    quarter = [line for line in knocked if line["round"] == "QF"]
    semi = [name for line in knocked for name in (line["south"], line["north"]) if line["round"] == "SF"]
    rested = [name for name in semi if not name.startswith("winner ")]
    other = quarter[1]["south"] if qualify == 8 else rested[0]
    _changed_places(case, quarter[0]["south"], other)
    assert any(says.startswith(rule) for says in checked(case)), checked(case)


def test_who_was_not_among_the_best_of_a_swiss_event_is_found_in_its_knock_out():
    case = _after_swiss(4)
    named = {line[seat] for line in case.fixtures if line["round"] == "SF" for seat in ("south", "north")}
    _changed_places(case, min(named), next(one["name"] for one in case.entries if one["name"] not in named))
    assert any("did not qualify" in says for says in checked(case)), checked(case)


def test_a_knock_out_is_not_drawn_before_the_last_round_has_its_results():
    case = _after_swiss(4)
    case.results.pop()
    assert any("have no result" in says or "without the results" in says for says in checked(case)), checked(case)
