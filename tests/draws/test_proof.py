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
