"""Right draws, made plainly and without the program's code: what a checker has to accept, and what is then broken."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from controller.draws.checking.check import check


@dataclass
class Draw:
    """An event's files. `results`: None where none are given."""

    event: dict[str, Any]
    entries: list[dict[str, str]]
    fixtures: list[dict[str, str]] = field(default_factory=list)
    results: list[dict[str, str]] | None = None

    def copy(self) -> Draw:
        return deepcopy(self)

    def proof(self):
        sheets = [self.entries, self.fixtures, self.results]
        rows = [None if sheet is None else list(enumerate(sheet, 2)) for sheet in sheets]
        return check(self.event, rows[0] or [], rows[1] or [], rows[2])

    def rules(self) -> set[str]:
        return {one.rule for one in self.proof().findings}

    def line(self, ident: str) -> dict[str, str]:
        return next(line for line in self.fixtures if line["id"] == ident)

    def entry(self, name: str) -> dict[str, str]:
        return next(entry for entry in self.entries if entry["name"] == name)


def right(draw: Draw) -> list[str]:
    """The findings, of which a right draw has none."""
    return [str(one) for one in draw.proof().findings]


def names(many: int) -> list[str]:
    return [f"P{number}" for number in range(1, many + 1)]


def entries(many: int, seeds: int = 0, clubs: dict[str, str] | None = None) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "seeding": str(number) if number <= seeds else "",
            "club": (clubs or {}).get(name, ""),
            "state": "",
        }
        for number, name in enumerate(names(many), 1)
    ]


def order(size: int) -> list[int]:
    """Who stands on each line of a bracket, from 1."""
    found = [1]
    while len(found) < size:
        found = [number for one in found for number in (one, 2 * len(found) + 1 - one)]
    return found


def bracket(
    slots: list[str | None], title: str = "", take: str = "winner"
) -> tuple[list[dict[str, str]], list[list[str]]]:
    """Lines of a knock-out from its places (None: empty), and the ids of each round's matches."""
    lines: list[dict[str, str]] = []
    rounds: list[list[str]] = []
    while len(slots) > 1:
        called = title + {2: "F", 4: "SF", 8: "QF"}.get(len(slots), f"R{len(slots)}")
        number, after, ids = count(1), [], []
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            if first is None or second is None:
                after.append(first or second)
                continue
            ident = called if len(slots) == 2 else f"{called}-{next(number)}"
            lines.append({"round": called, "id": ident, "south": first, "north": second})
            ids.append(ident)
            after.append(f"{take} {ident}")
        rounds.append(ids)
        slots = after
    return lines, rounds


def slots_of(many: int) -> list[str | None]:
    size = 1 << (many - 1).bit_length()
    return [f"P{number}" if number <= many else None for number in order(size)]


def knockout(many: int, seeds: int = 0, **keys: Any) -> Draw:
    lines, _rounds = bracket(slots_of(many))
    if keys.get("third_place") and many > 3:
        semis = [line["south"].removeprefix("winner ") for line in lines[-1:]] + [
            lines[-1]["north"].removeprefix("winner ")
        ]
        lines.insert(-1, {"round": "third", "id": "third", "south": f"loser {semis[0]}", "north": f"loser {semis[1]}"})
    return Draw({"system": "knockout", **keys}, entries(many, seeds), lines)


def play(draw: Draw, best: bool = True) -> Draw:
    """Results of all lines: the lower number wins, or the higher one."""
    won: dict[str, dict[str, str]] = {}
    results = []
    for line in draw.fixtures:
        two = []
        for seat in ("south", "north"):
            kind, _blank, ident = line[seat].partition(" ")
            two.append(won[ident][kind] if ident and ident in won else line[seat])
        two.sort(key=lambda name: int(name[1:]), reverse=not best)
        won[line["id"]] = {"winner": two[0], "loser": two[1]}
        results.append({"id": line["id"], "winner": two[0]})
    draw.results = results
    return draw


def double(many: int) -> Draw:
    """Of a power of two; losers cross to the other half first, then to the other quarter."""
    lines, rounds = bracket(slots_of(many))
    for line in lines:
        line["round"] = f"W{next(index for index, ids in enumerate(rounds, 1) if line['id'] in ids)}"
    stay = [f"loser {ident}" for ident in rounds[0]]
    fresh, turn = count(1), count(1)

    def play_round(pairs: list[tuple[str, str]]) -> list[str]:
        called, won = f"L{next(turn)}", []
        for first, second in pairs:
            ident = f"L-{next(fresh)}"
            lines.append({"round": called, "id": ident, "south": first, "north": second})
            won.append(f"winner {ident}")
        return won

    for ids in rounds[1:]:
        stay = play_round(list(zip(stay[::2], stay[1::2], strict=True)))
        half = len(ids) // 2
        stay = play_round(list(zip(stay, [f"loser {one}" for one in ids[half:] + ids[:half]], strict=True)))
    lines.append({"round": "GF", "id": "GF", "south": f"winner {rounds[-1][0]}", "north": stay[0]})
    lines.append({"round": "GF2", "id": "GF2", "south": "winner GF", "north": "loser GF"})
    return Draw({"system": "double"}, entries(many), lines)


def circle(who: list[str], group: str = "") -> list[dict[str, str]]:
    """Everybody against everybody; breaks as the distance on the circle is odd or even."""
    ring = who[:-1] if len(who) % 2 == 0 else who
    fixed = who[-1] if len(who) % 2 == 0 else None
    lines = []
    for turn in range(len(ring)):
        number = count(1)
        called = f"{group}-{turn + 1}" if group else str(turn + 1)
        pairs = [(ring[turn], fixed) if turn % 2 else (fixed, ring[turn])] if fixed else []
        for far in range(1, (len(ring) + 1) // 2):
            two = ring[(turn + far) % len(ring)], ring[(turn - far) % len(ring)]
            pairs.append(two if far % 2 else two[::-1])
        lines += [
            {"round": called, "id": f"{called}-{next(number)}", "south": str(first), "north": str(second)}
            for first, second in pairs
        ]
    return lines


def groups(many: int, of: int, seeds: int = 0, **keys: Any) -> Draw:
    """By snake: P1 in A, P2 in B, and back."""
    inside: list[list[str]] = [[] for _group in range(of)]
    for index, name in enumerate(names(many)):
        turn, at = divmod(index, of)
        inside[at if turn % 2 == 0 else of - 1 - at].append(name)
    lines = [line for index, group in enumerate(inside) for line in circle(group, "ABCDEFGH"[index])]
    return Draw({"system": "groups", "groups": of, **keys}, entries(many, seeds), lines)


def matchings(who: list[str]):
    """All ways to pair an even number."""
    if not who:
        yield []
        return
    first, *rest = who
    for other in rest:
        for more in matchings([one for one in rest if one != other]):
            yield [(first, other), *more]


def swiss(many: int, rounds: int, seeds: int = 0) -> Draw:
    """By trying all pairings: the fewest and shortest floats, then the fewest second breaks. The lower number wins when
    its sum with the round is even."""
    draw = Draw({"system": "swiss", "rounds": rounds}, entries(many, seeds), [], [])
    results = draw.results = []
    score, balance = Counter(dict.fromkeys(names(many), 0.0)), Counter()
    last: Counter[str] = Counter()
    met: set[frozenset[str]] = set()
    byes: set[str] = set()
    for turn in range(1, rounds + 1):
        who = sorted(names(many), key=lambda name: (-score[name], int(name[1:])))
        if many % 2:
            out = [name for name in who if name not in byes][-1]
            byes.add(out)
            who.remove(out)
        pairs = list(zip(who[: many // 2], who[many // 2 :], strict=True))
        if turn > 1:

            def cost(pairs: list[tuple[str, str]]) -> tuple[float, ...]:
                apart = [abs(score[one] - score[other]) for one, other in pairs]
                far = sum(balance[one] == balance[other] != 0 for one, other in pairs)
                return sum(one > 0 for one in apart), sum(apart), far

            pairs = min((one for one in matchings(who) if not met & set(map(frozenset, one))), key=cost)
        for number, (one, other) in enumerate(pairs, 1):
            if (balance[one], last[one]) > (balance[other], last[other]):
                one, other = other, one  # noqa: PLW2901
            ident = f"{turn}-{number}"
            draw.fixtures.append({"round": str(turn), "id": ident, "south": one, "north": other})
            low, high = sorted((one, other), key=lambda name: int(name[1:]))
            winner = low if (int(low[1:]) + turn) % 3 else high
            results.append({"id": ident, "winner": winner})
            score[winner] += 1
            balance[one] += 1
            balance[other] -= 1
            last[one], last[other] = 1, -1
            met.add(frozenset((one, other)))
        if many % 2:
            score[out] += 1
    return draw
