"""Ties: teams that meet in a list of singles and doubles, each team with its players in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from controller.draws.checking.facts import Entrant, Facts, Line, Notes
from controller.draws.checking.field import Field, Pair, strength, there
from controller.draws.checking.standings import Played
from controller.draws.checking.swiss import check_field

TEAMS, TIE, LINE_UP, MEET, ROUNDS, ENTRIES = "teams", "ties", "line-ups", "everybody meets", "rounds", "every entry"


@dataclass(slots=True)
class _Tie:
    """Two teams that meet; the first one stands first in the tie's first line."""

    teams: tuple[str, str]
    lines: list[Line] = field(default_factory=list)


def check_ties(facts: Facts, notes: Notes) -> None:
    """Checks an event of teams: a Swiss of teams where the event has rounds, else each team against each."""
    rounds: dict[str, list[_Tie]] = {}
    clubs = {player: one.club for one in facts.entrants for player in one.players}
    for line in facts.lines:
        teams = _teams(clubs, notes, line)
        if teams is None:
            return
        ties = rounds.setdefault(line.round, [])
        same = [tie for tie in ties if set(tie.teams) == set(teams)]
        if same and same[0] is not ties[-1]:
            notes.wrong(TIE, line.where, f"{line.id!r} stands apart from the rest of its tie. Fix: move it there")
        if not same:
            ties.append(_Tie(teams))
        (same or [ties[-1]])[0].lines.append(line)
    for number, (name, ties) in enumerate(rounds.items(), 1):
        if name != str(number):
            notes.wrong(
                ROUNDS, ties[0].lines[0].where, f"round {name!r} comes as round {number}. Fix: 1, 2, 3 in order"
            )
        for tie in ties:
            _check_tie(facts, notes, tie, number)
    many = sum(map(len, rounds.values()))
    notes.holds(TEAMS, f"{many} ties, each of two teams")
    notes.holds(TIE, f"each of {', '.join(facts.rules.tie)}")
    notes.holds(LINE_UP, "singles by the first players, doubles by the next two")
    names = sorted({one.club for one in facts.entrants})
    teams_of = [_team(facts, number, name) for number, name in enumerate(names)]
    by_name = {name: number for number, name in enumerate(names)}
    drawn = [[_pair(facts, tie, by_name) for tie in ties] for ties in rounds.values()]
    members = {name: [one for one in facts.entrants if one.club == name] for name in names}

    needed = max(facts.rules.tie.count("singles"), 2 * ("doubles" in facts.rules.tie))

    last = {
        player: turn
        for turn, ties in enumerate(rounds.values(), 1)
        for tie in ties
        for line in tie.lines
        for side in line.sides
        for player in side.players
    }

    def is_there(team: int, turn: int) -> bool:
        """A team is there with as many players as a tie needs; nobody wrote when: until the last match."""
        sure = 0
        for one in members[names[team]]:
            known = there(one, turn)
            sure += last.get(one.players[0], 0) >= turn if known is None else known
        return sure >= needed

    if facts.rules.rounds is None:
        _check_robin(facts, notes, drawn, teams_of, is_there)
    else:
        if len(drawn) > facts.rules.rounds:
            says = f"{len(drawn)} rounds of {facts.rules.rounds}. Fix: leave the last out"
            notes.wrong(ROUNDS, facts.lines[-1].where, says)
        late_points, given = facts.rules.late_points, facts.given
        check_field(notes, Field(teams_of, drawn, is_there, facts.rules.rounds, late_points, given=given, breaks=False))


def _team(facts: Facts, number: int, name: str) -> Entrant:
    """A team as one who is drawn, as strong as its best player."""
    best = min((one for one in facts.entrants if one.club == name), key=strength)
    return Entrant(number, best.where, name, (name,), name, best.seeding, best.rating)


def _teams(club_of: Mapping[str, str], notes: Notes, line: Line) -> tuple[str, str] | None:
    clubs: list[str] = []
    for side in line.sides:
        mine = {club_of[player] for player in side.players}
        if len(mine) != 1:
            says = f"{side.shown!r} is not of one team. Fix: write players of one club"
            notes.wrong(TEAMS, line.where, says)
            return None
        clubs += mine
    if clubs[0] == clubs[1]:
        notes.wrong(TEAMS, line.where, f"both sides of {line.id!r} are of one team. Fix: two teams meet")
        return None
    return clubs[0], clubs[1]


def _check_tie(facts: Facts, notes: Notes, tie: _Tie, turn: int) -> None:
    kinds = tuple("doubles" if len(line.sides[0].players) == 2 else "singles" for line in tie.lines)
    if kinds != facts.rules.tie:
        says = f"a tie of {', '.join(kinds)}. Fix: {', '.join(facts.rules.tie)}"
        notes.wrong(TIE, tie.lines[0].where, says)
        return
    for team in tie.teams:
        players = [one for one in facts.entrants if one.club == team and there(one, turn) is not False]
        unsure = any(there(one, turn) is None for one in players)
        wanted = _line_up([one.players[0] for one in players], facts.rules.tie)
        for line, expected in zip(tie.lines, wanted, strict=True):
            side = next(side for side in line.sides if _club(facts, side.players) == team)
            away = [one for one in facts.entrants if one.players[0] in side.players and there(one, turn) is False]
            if away:
                says = f"{away[0].shown} is not there in round {turn}"
                notes.wrong(LINE_UP, line.where, f"{says}. Fix: draw without, or correct the state among the entries")
            elif expected is not None and not unsure and set(side.players) != set(expected):
                says = f"{side.shown} plays for {team!r}, though others are next"
                notes.wrong(LINE_UP, line.where, f"{says}. Fix: singles by the first players, doubles by the next two")


def _club(facts: Facts, players: Sequence[str]) -> str:
    return next(one.club for one in facts.entrants if one.players[0] in players)


def _line_up(players: Sequence[str], tie: Sequence[str]) -> list[tuple[str, ...] | None]:
    """Who plays each match of a tie for a team; None where it has too few players to say."""
    singles = sum(kind == "singles" for kind in tie)
    fresh = list(players[singles:])
    found: list[tuple[str, ...] | None] = []
    single = 0
    for kind in tie:
        if kind == "singles":
            found.append((players[single],) if single < len(players) else None)
            single += 1
        elif len(fresh) >= 2:
            found.append((fresh.pop(0), fresh.pop(0)))
        else:
            found.append(tuple(players[:2]) if len(players) >= 2 else None)
    return found


def _pair(facts: Facts, tie: _Tie, by_name: Mapping[str, int]) -> Pair:
    """A tie as a match of two teams, won by more matches; open while those without a result may turn it."""
    wins: Counter[str] = Counter()
    lacking = 0
    for line in tie.lines:
        result = facts.results.get(line.number)
        if result is None:
            lacking += 1
        elif result.winner is not None:
            wins[_club(facts, line.sides[result.winner].players)] += 1
    first, second = tie.teams
    lead = wins[first] - wins[second]
    numbers = by_name[first], by_name[second]
    played = None
    if not lacking or abs(lead) > lacking:
        winner = None if lead == 0 else numbers[int(lead < 0)]
        played = Played(*numbers, winner, {"boards": float(lead), "points": 0.0, "games": float(lead)})
    return Pair(*numbers, tie.lines[0].where, tie.lines[0].id, played)


def _check_robin(
    facts: Facts,
    notes: Notes,
    drawn: Sequence[Sequence[Pair]],
    teams: Sequence[Entrant],
    is_there: Callable[[int, int], bool | None],
) -> None:
    met: dict[frozenset[int], Pair] = {}
    byes: Counter[int] = Counter()
    for number, pairs in enumerate(drawn, 1):
        busy: set[int] = set()
        for pair in pairs:
            if busy & pair.two:
                notes.wrong(
                    ENTRIES, pair.where, f"a team of {pair.id!r} plays twice in round {number}. Fix: once a round"
                )
            busy |= pair.two
            before = met.setdefault(pair.two, pair)
            if before is not pair:
                notes.wrong(
                    MEET, pair.where, f"the teams of {pair.id!r} have met in {before.id!r}. Fix: everybody once"
                )
        free = [one.number for one in teams if one.number not in busy and is_there(one.number, number)]
        byes.update(free)
        # Whoever would have met a team that is not there is free as well.
        gone = sum(is_there(one.number, number) is not True for one in teams)
        if len(free) > len(teams) % 2 + gone:
            names = ", ".join(teams[one].shown for one in free)
            notes.wrong(ENTRIES, pairs[0].where, f"{names} do not play in round {number}. Fix: at most one is free")
    for one, many in byes.items():
        if many > 1 and not any(one.since or one.until for one in facts.entrants):
            says = f"{teams[one].shown} is free in {many} rounds. Fix: each once"
            notes.wrong(ENTRIES, facts.lines[-1].where, says)
    needed = len(teams) - 1 + len(teams) % 2
    if len(drawn) > needed:
        notes.wrong(ROUNDS, facts.lines[-1].where, f"{len(drawn)} rounds, {needed} are enough. Fix: the circle method")
    notes.holds(MEET, f"{len(met)} ties in {len(drawn)} of {needed} rounds, no two teams twice")
    notes.holds(ENTRIES, f"each of {len(teams)} teams plays once a round")
