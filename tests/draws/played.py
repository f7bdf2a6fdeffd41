"""Random events, played to their end through `make` and `next`, with a check after each step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from controller.draws.checking.check import check
from controller.draws.entries import entries_of
from controller.draws.event import event_of
from controller.draws.making import go_on, make, opened
from controller.draws.matches import matches_of, rows_of
from controller.draws.results import played

SYSTEMS = ("knockout", "double", "groups", "round_robin", "swiss", "ties")
LARGEST = 300
OFTEN = 60
"""Up to so many entries every step is checked, with more the first and the last one."""


@dataclass
class Case:
    """An event's files as they grow. `says`: what was found wrong, with when."""

    number: int
    event: dict[str, Any]
    entries: list[dict[str, str]]
    fixtures: list[dict[str, str]] = field(default_factory=list)
    results: list[dict[str, str]] = field(default_factory=list)
    says: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"case {self.number}, {self.event['system']} of {len(self.entries)}"


def rows(sheet: list[dict[str, str]]) -> list[tuple[int, dict[str, str]]]:
    return list(enumerate(sheet, 2))


def random_case(number: int, largest: int = LARGEST) -> Case:
    """The same event for the same number. Most are small; a few have up to `largest` entries."""
    lot = Random(number)
    system = lot.choice(SYSTEMS)
    many = lot.choice([lot.randint(2, 9), lot.randint(2, 20), lot.randint(2, 40)])
    if lot.random() < 0.01:
        many = lot.randint(41, {"round_robin": 60, "ties": 120}.get(system, LARGEST))
    many = min(many, largest)
    event: dict[str, Any] = {"name": "Open", "system": system, "seed": lot.randint(0, 10**6)}
    if lot.random() < 0.4:
        event["apart"] = "club"
    entries = _entries(lot, many, system)
    there = sum(not one["state"].startswith("withdrawn") for one in entries)
    _keys(lot, event, entries, there)
    if lot.random() < 0.2:
        event |= {
            "tables": [f"t{one}" for one in range(1, lot.randint(2, 9))],
            "start": "2026-11-29 09:00",
            "minutes": 20,
        }
        event["rest_minutes"] = lot.choice([0, 10])
    return Case(number, event, entries)


def _entries(lot: Random, many: int, system: str) -> list[dict[str, str]]:
    clubs = [f"Club {one}" for one in range(lot.randint(1, max(1, many // 2)))]
    if lot.random() < 0.3:
        clubs.append(clubs[0])
    seeds = lot.sample(range(1, 2 * many), lot.randint(0, many)) if lot.random() < 0.7 else []
    pairs = system != "ties" and lot.random() < 0.2
    entries = []
    for one in range(many):
        entry = {"name": f"Player {one}", "partner": f"Partner {one}" if pairs else "", "club": lot.choice(clubs)}
        entry["seeding"] = str(seeds[one]) if one < len(seeds) else ""
        entry["rating"] = str(lot.randint(800, 2000)) if lot.random() < 0.5 else ""
        entry["state"] = lot.choice(["late", "withdrawn", "late 2"]) if lot.random() < 0.06 else ""
        entries.append(entry)
    if system == "ties":
        size = lot.randint(3, 5)
        for one, entry in enumerate(entries):
            entry["club"] = f"Team {one // size}"
        for entry in entries[len(entries) // size * size :]:
            entry["club"] = "Team 0"
        entries.extend(
            {**entry, "name": f"{entry['name']} b", "club": "Team x", "seeding": ""} for entry in entries[:4]
        )
    few = min(
        Counter(entry["club"] for entry in entries if not entry["state"].startswith("withdrawn")).values(), default=0
    )
    if sum(not entry["state"] for entry in entries) < 4 or (system == "ties" and few < 2):
        for entry in entries:
            entry["state"] = ""
    lot.shuffle(entries)
    return entries


def _keys(lot: Random, event: dict[str, Any], entries: list[dict[str, str]], there: int) -> None:
    system = event["system"]
    if system == "knockout":
        event |= {"third_place": lot.random() < 0.4, "consolation": lot.random() < 0.3}
    if system == "groups":
        event["groups"] = lot.randint(1, max(1, there // 2))
        if lot.random() < 0.8:
            event["then"] = "knockout"
            event["qualify"] = lot.randint(1 if event["groups"] > 1 else 2, max(2, min(3, there // event["groups"])))
            event["qualify"] = min(event["qualify"], there // event["groups"])
            event["third_place"] = lot.random() < 0.3
    if system in ("groups", "round_robin"):
        event["withdrawn"] = lot.choice(["annul", "walkover"])
        if lot.random() < 0.5:
            known = ["matches", "head_to_head", "boards", "points", "games", "seeding"]
            event["order"] = lot.sample(known, lot.randint(1, len(known)))
    if system == "swiss":
        here = sum(not one["state"] for one in entries)
        event["rounds"] = lot.randint(1, max(1, min(here - 1, here.bit_length() + 1)))
        event["late_points"] = lot.choice([0, 0.5, 1])
        if here <= 16 and lot.random() < 0.3:
            # As many as can be: where the rounds to come have to be thought of.
            event["rounds"] = max(1, here - 1)
        if lot.random() < 0.4:
            event |= {"then": "knockout", "qualify": lot.randint(2, max(2, min(there, 17)))}
            event["third_place"] = lot.random() < 0.3
            known = ["matches", "buchholz", "head_to_head", "boards", "points", "seeding"]
            event["order"] = lot.sample(known, lot.randint(1, len(known)))
    if system == "ties" and lot.random() < 0.4:
        teams = len({one["club"] for one in entries if not one["state"]})
        event["rounds"] = lot.randint(1, max(1, min(teams - 1, 4)))


def play(case: Case) -> Case:
    """Plays an event to its end; stops at the first finding."""
    lot = Random(case.number + 10**9)
    event = event_of(case.event)
    teams = event.system == "ties"

    def read() -> Any:
        entries = entries_of(rows(case.entries), teams=teams)
        matches = matches_of(rows(case.fixtures), entries, teams=teams)
        return entries, matches, played(event, matches, entries, rows(case.results))

    case.fixtures = rows_of(event, make(event, entries_of(rows(case.entries), teams=teams)))[1]
    _check(case, "made", False)
    for _step in range(200):
        entries, matches, so_far = read()
        now = opened(matches, so_far)
        out = {name for one in entries if one.out for name in one.players}
        now = [one for one in now if not (event.system in ("groups", "round_robin") and out & {*one.south, *one.north})]
        if now:
            some = now if lot.random() < 0.7 or len(case.entries) > OFTEN else lot.sample(now, lot.randint(1, len(now)))
            case.results += [_result(lot, event, one) for one in some]
            _leave(lot, case, event)
            continue
        before = len(case.fixtures)
        case.fixtures = rows_of(event, go_on(event, entries, matches, so_far))[1]
        over = len(case.fixtures) == before
        if over or len(case.entries) <= OFTEN:
            _check(case, f"after {len(case.results)} results", True)
        if over or case.says:
            break
        if lot.random() < 0.1:
            _leave_between(lot, case, event)
    else:
        case.says.append("is never over")
    return case


def checked(case: Case, given: bool = True) -> list[str]:
    """What a check of the case as it is finds, each with its rule."""
    proof = check(case.event, rows(case.entries), rows(case.fixtures), rows(case.results) if given else None)
    return [f"{one.rule}: {one}" for one in proof.findings]


def _check(case: Case, when: str, given: bool) -> None:
    case.says += [f"{when}: {one}" for one in checked(case, given)]


def _result(lot: Random, event: Any, match: Any) -> dict[str, str]:
    side = lot.choice([match.south, match.north])
    winner = lot.choice([side[0], side[-1], " / ".join(side), " & ".join(side)])
    table = match.round.isdecimal() or (event.system == "groups" and "-" in match.round)
    if table and lot.random() < 0.05:
        winner = "draw"
    result = {"id": match.id, "winner": winner}
    if lot.random() < 0.7:
        result |= {
            f"{what}_{seat}": str(lot.randint(0, 9)) for what in ("boards", "points") for seat in ("south", "north")
        }
    return result


def _leave(lot: Random, case: Case, event: Any) -> None:
    """In groups and round robins somebody leaves between two matches."""
    here = [one for one in case.entries if not one["state"]]
    if event.system in ("groups", "round_robin") and len(here) > 3 and lot.random() < 0.05 and not _knocked(case):
        lot.choice(here)["state"] = "withdrawn"


def _knocked(case: Case) -> bool:
    return any(line["round"] == "F" for line in case.fixtures)


def _leave_between(lot: Random, case: Case, event: Any) -> None:
    """In a Swiss somebody leaves after a round that was played."""
    here = [one for one in case.entries if not one["state"]]
    if event.system == "swiss" and len(here) > 2 * case.event["rounds"] + 2 and not _knocked(case):
        drawn = max(int(line["round"]) for line in case.fixtures)
        lot.choice(here)["state"] = f"withdrawn {drawn + 1}"
