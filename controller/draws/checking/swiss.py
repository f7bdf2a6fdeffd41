"""A Swiss: each round from the standing before it, of players or of teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.draws.checking.facts import Facts, Notes
from controller.draws.checking.field import Field, Pair, strength, there
from controller.draws.checking.first_round import CLUB, FIRST, check_first
from controller.draws.checking.pairing import SMALL, WHOLE, Cost, Round
from controller.draws.checking.qualified import check_best
from controller.draws.checking.standings import WIN, Played, points_of

ENTRIES, REMATCH, BYE, FLOATS, BREAKS = "every entry", "nobody meets twice", "byes", "floats", "breaks"
ROUNDS = "rounds"


def check_swiss(facts: Facts, notes: Notes) -> None:
    """Checks a Swiss of entries."""
    rounds: dict[str, list[Pair]] = {}
    lines = [line for line in facts.lines if line.round.isdecimal() or not facts.rules.then]
    rest = [line for line in facts.lines if line not in lines]
    if early := next((line for line in lines if rest and line.number > rest[0].number), None):
        notes.wrong(ROUNDS, early.where, f"round {early.round!r} comes after the knock-out. Fix: rounds come first")
    for line in lines:
        first, second = (side.entrant for side in line.sides)
        if first is None or second is None:
            notes.wrong(ROUNDS, line.where, "a Swiss has no references. Fix: write names, round by round")
            return
        result = facts.results.get(line.number)
        played = None
        if result is not None:
            figures = {"boards": result.boards, "points": result.points, "games": result.games}
            winner = None if result.winner is None else (first, second)[result.winner]
            played = Played(first, second, winner, {what: one - two for what, (one, two) in figures.items()})
        rounds.setdefault(line.round, []).append(Pair(first, second, line.where, line.id, played))
    for number, name in enumerate(rounds, 1):
        if name != str(number):
            notes.wrong(ROUNDS, rounds[name][0].where, f"round {name!r} comes as round {number}. Fix: 1, 2, 3 in order")
    if facts.rules.rounds is not None and len(rounds) > facts.rules.rounds:
        notes.wrong(
            ROUNDS, facts.lines[-1].where, f"{len(rounds)} rounds of {facts.rules.rounds}. Fix: leave the last out"
        )
    swiss = Field(
        facts.entrants, list(rounds.values()), lambda one, turn: there(facts.entrants[one], turn),
        facts.rules.rounds, facts.rules.late_points, facts.rules.apart, facts.given,
    )  # fmt: skip
    check_field(notes, swiss)
    if rest:
        check_best(facts, notes, lines, {one: int(points) for one, points in swiss.points.items()}, rest)


def check_field(notes: Notes, swiss: Field) -> None:
    """Checks all rounds of a Swiss. Without results only what does not hang on them."""
    if not swiss.rounds:
        notes.wrong(ROUNDS, "fixtures", "there is no round. Fix: carrom draw make")
        return
    optimal: list[str] = []
    for number, pairs in enumerate(swiss.rounds, 1):
        present = _present(swiss, number)
        for one in sorted(present - swiss.points.keys()):
            swiss.points[one] = WIN * swiss.late_points * (number - 1)
            swiss.balance[one] = 0
        bye = _check_once(notes, swiss, number, pairs, present)
        scored = number == 1 or (
            swiss.given and all(pair.result for earlier in swiss.rounds[: number - 1] for pair in earlier)
        )
        if number > 1 and swiss.given and not scored:
            lacking = [pair.id for earlier in swiss.rounds[: number - 1] for pair in earlier if not pair.result]
            says = f"round {number} is drawn without the results of {', '.join(lacking[:5])}"
            notes.wrong(ROUNDS, pairs[0].where, f"{says}. Fix: write those first")
        if bye is not None:
            _check_bye(notes, swiss, number, bye, present, scored, pairs[0].where)
        if number == 1:
            check_first(notes, swiss, pairs)
        if scored:
            optimal.append(_check_best(notes, swiss, number, pairs))
        _play(notes, swiss, number, pairs)
        if bye is not None:
            swiss.byes.add(bye)
            swiss.points[bye] += WIN
    notes.holds(ENTRIES, f"each who is there plays or has the bye, once in each of {len(swiss.rounds)} rounds")
    notes.holds(REMATCH, f"{len(swiss.met)} pairs, each once")
    notes.holds(BYE, f"{len(swiss.byes)}, at most one each, to the lowest without one")
    notes.holds(FIRST, "the top half against the bottom half")
    if swiss.apart:
        notes.holds(CLUB, "as few pairs in the first round as halves allow, later as few as floats allow")
    notes.holds(FLOATS, "; ".join(one for one in optimal if one) or "not checked, as no results are given")
    if swiss.breaks:
        notes.holds(BREAKS, "each pair's break goes to who had fewer, or did not have the last one")


def _present(swiss: Field, number: int) -> set[int]:
    here = {one for pair in swiss.rounds[number - 1] for one in pair.two}
    later = {one for pairs in swiss.rounds[number - 1 :] for pair in pairs for one in pair.two}
    for one in range(len(swiss.entrants)):
        is_there = swiss.there(one, number)
        # Nobody wrote when they left: until their last match they were there.
        if is_there or (is_there is None and one in later):
            here.add(one)
    return here


def _check_once(notes: Notes, swiss: Field, number: int, pairs: Sequence[Pair], present: set[int]) -> int | None:
    """Everybody who is there plays once; returns who has the bye."""
    seen: dict[int, Pair] = {}
    for pair in pairs:
        for one in (pair.first, pair.second):
            if seen.setdefault(one, pair) is not pair:
                says = f"{swiss.entrants[one].shown} plays {seen[one].id!r} in the same round"
                notes.wrong(ENTRIES, pair.where, f"{says}. Fix: nobody twice in a round")
            if swiss.there(one, number) is False:
                says = f"{swiss.entrants[one].shown} is not there in round {number}"
                notes.wrong(ENTRIES, pair.where, f"{says}. Fix: draw without, or correct the state among the entries")
    free = sorted(present - seen.keys())
    if len(free) > 1:
        names = ", ".join(swiss.entrants[one].shown for one in free[:4])
        notes.wrong(BYE, pairs[0].where, f"{names} do not play in round {number}. Fix: at most one has a bye")
        return None
    return free[0] if free else None


def _check_bye(notes: Notes, swiss: Field, number: int, bye: int, present: set[int], scored: bool, where: str) -> None:
    again = bye in swiss.byes
    others = sorted(present - swiss.byes) if again else _lower(swiss, bye, present) if scored else []
    for other in others:
        rest = sorted(present - {other})
        turn = Round(rest, {one: swiss.points[one] for one in rest}, swiss.balance, swiss.met.keys())
        if turn.can_be_paired() and _leaves_pairings(swiss, number, turn, other):
            names = swiss.entrants[bye].shown, swiss.entrants[other].shown
            says = f"{names[0]} has {'a second' if again else 'the'} bye in round {number}"
            says += f", {names[1]} {'has had none' if again else 'stands lower and has had none'}"
            notes.wrong(BYE, where, f"{says}. Fix: at most one each, to the lowest without one")
            return


def _leaves_pairings(swiss: Field, number: int, turn: Round, bye: int | None) -> bool:
    """Whether some pairing of a small round leaves the rounds to come one each; of a large one that is not asked."""
    later = (swiss.last_round or number) - number
    if not later or len(turn.who) > SMALL:
        return True
    return any(turn.goes_on(pairs, bye, swiss.byes, later) for pairs in turn.all_pairings())


def _lower(swiss: Field, bye: int, present: set[int]) -> list[int]:
    """Who without a bye stands lower than somebody: by points, then seeding and rating; the lowest first."""
    eligible = [one for one in present if one not in swiss.byes]

    def height(one: int) -> tuple[float, tuple[float, float]]:
        return -swiss.points[one], strength(swiss.entrants[one])

    return sorted((one for one in eligible if height(one) > height(bye)), key=height, reverse=True)


# -- the pairing


def _check_best(notes: Notes, swiss: Field, number: int, pairs: Sequence[Pair]) -> str:
    who = sorted({one for pair in pairs for one in pair.two})
    scores: Mapping[int, float] = {one: swiss.points[one] for one in who}
    # In the first round the halves come before clubs, and those are counted there.
    clubs = {one: swiss.entrants[one].club for one in who} if swiss.apart and number > 1 else {}
    turn = Round(who, scores, swiss.balance, swiss.met.keys(), clubs)
    drawn = [(pair.first, pair.second) for pair in pairs]
    if len(who) != 2 * len(pairs) or any(pair.two in swiss.met for pair in pairs):
        return ""
    cost, least = turn.whole(drawn), turn.least()
    says = f"round {number}: {cost.floats} of {cost.length / 2000:g} points in all"
    if cost <= least:
        return f"{says}, as few as can be"
    best = turn.best(drawn)
    if turn.whole(best) != cost and (later := (swiss.last_round or number) - number) and len(who) <= SMALL:
        # A better pairing after which some round has none is no better one.
        bye = next(iter(_present(swiss, number) - set(who)), None)
        best = turn.best_that_goes_on(drawn, bye, swiss.byes, later)
    better = turn.whole(best)
    _compare(notes, swiss, number, pairs, turn, cost, better, turn.squares(drawn) >= turn.squares(best))
    proved = "no pairing has fewer" if len(who) <= WHOLE else "no better one found among the nearest"
    return f"{says}, {proved}"


def _compare(
    notes: Notes, swiss: Field, number: int, pairs: Sequence[Pair], turn: Round, cost: Cost, better: Cost, shorter: bool
) -> None:
    def far() -> Pair:
        return max(pairs, key=lambda pair: turn.cost(pair.first, pair.second))

    if better.floats < cost.floats or (better.floats == cost.floats and better.length < cost.length and shorter):
        pair = far()
        names = " and ".join(swiss.entrants[one].shown for one in (pair.first, pair.second))
        says = f"round {number} has {cost.floats} floats of {cost.length / 2000:g} points in all, among them {names}"
        notes.wrong(
            FLOATS,
            pair.where,
            f"{says}; {better.floats} of {better.length / 2000:g} would do. Fix: draw the round again",
        )
        return
    if (better.floats, better.length) != (cost.floats, cost.length):
        return
    if better.clubs < cost.clubs:
        says = f"{cost.clubs} pairs of one club meet in round {number}, {better.clubs} would do"
        notes.wrong(CLUB, pairs[0].where, f"{says}. Fix: draw the round again")
    elif swiss.breaks and (better.clubs, better.breaks) < (cost.clubs, cost.breaks):
        says = f"after round {number} there are {cost.breaks} breaks too many on one side, {better.breaks} would do"
        notes.wrong(BREAKS, pairs[0].where, f"{says}. Fix: draw the round again")


def _play(notes: Notes, swiss: Field, number: int, pairs: Sequence[Pair]) -> None:
    for pair in pairs:
        before = swiss.met.setdefault(pair.two, pair)
        if before is not pair:
            names = " and ".join(swiss.entrants[one].shown for one in (pair.first, pair.second))
            notes.wrong(REMATCH, pair.where, f"{names} have met in {before.id!r}. Fix: nobody meets anybody twice")
        if swiss.breaks:
            _check_break(notes, swiss, pair)
        for one, more in ((pair.first, 1), (pair.second, -1)):
            swiss.balance[one] = swiss.balance.get(one, 0) + more
            swiss.last[one] = more
        if pair.result is not None:
            for one, points in points_of([pair.result], pair.two).items():
                swiss.points[one] = swiss.points.get(one, 0) + points


def _check_break(notes: Notes, swiss: Field, pair: Pair) -> None:
    had, other = swiss.balance.get(pair.first, 0), swiss.balance.get(pair.second, 0)
    names = swiss.entrants[pair.first].shown, swiss.entrants[pair.second].shown
    if had > other:
        notes.wrong(
            BREAKS, pair.where, f"{names[0]} has the break and had it more often than {names[1]}. Fix: change seats"
        )
    elif had == other and swiss.last.get(pair.first, 0) > 0 >= swiss.last.get(pair.second, 0):
        notes.wrong(
            BREAKS, pair.where, f"{names[0]} has the break again, {names[1]} had not the last. Fix: change seats"
        )
