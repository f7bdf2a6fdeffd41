"""The day's results for SoL, the tournament manager that carrom clubs use. Pure.

What a club has drawn itself is a tourney that SoL loads. What SoL has drawn it would not load again: its tourney has
matches already. Those results stand beside, under `drawn`, which SoL skips; `carrom sol` writes them into the archive
that SoL has exported.

SoL reads an archive (`.sol`): a list of which the first item holds the players, clubs and championships, and each
further one a tourney that names them by their place, counted from 1. It takes JSON as well as YAML. Its documentation
(the page "Batched I/O" of SoL 5) says which entities there are; the fields are those its own dump has.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from controller.events.doors import json_text, name_key
from controller.events.fixture_words import DRAWN_ID
from controller.hub.day import Played
from controller.hub.said import ResultSaid

MOST_SCORE = 25
"""SoL's scores end there, as the laws' games do."""


def as_sol(day: Sequence[Played], club: str, today: date) -> str:
    """Writes the results as an archive: each event of the fixtures is a tourney; what had none is one together.

    Only matches between two sides are in it: SoL knows no others.
    """
    players: dict[str, str] = {}
    events: dict[str, list[Played]] = {}
    drawn: list[dict[str, Any]] = []
    for one in day:
        if len(one.result.sides) != 2:
            continue
        key = one.fixture.id if one.fixture else one.walkover or one.result.fixture or ""
        if DRAWN_ID.fullmatch(key):
            sides = [list(side.players) for side in one.result.sides]
            drawn.append({"id": key, "sides": sides, "games": _games(one.result)})
        else:
            events.setdefault(one.fixture.event if one.fixture else "", []).append(one)
    tourneys = [_tourney(name, matches, players, club, today) for name, matches in events.items()]
    head: dict[str, Any] = {
        "users": [],
        "players": [_player(name, club) for name in players.values()],
        "clubs": [_club(club)] if tourneys else [],
        "championships": [_championship(club, size) for size in (1, 2)] if tourneys else [],
        "ratings": [],
        "rates": [],
        "drawn": drawn,
    }
    return json_text([head, *tourneys], indent=1) + "\n"


def _player(name: str, club: str) -> dict[str, Any]:
    first, _, last = name.rpartition(" ")
    return {"guid": _guid(club, "player", name_key(name)), "firstname": first or last, "lastname": last, "club": 1}


def _club(club: str) -> dict[str, Any]:
    return {"guid": _guid(club), "description": club, "prizes": "fixed", "couplings": "serial"}


def _championship(club: str, size: int) -> dict[str, Any]:
    kind = "singles" if size == 1 else "doubles"
    return {
        "guid": _guid(club, kind),
        "club": 1,
        "description": f"{club}, {kind}",
        "prizes": "fixed",
        "couplings": "serial",
        "skipworstprizes": 0,
        "playersperteam": size,
    }


def _tourney(name: str, matches: Sequence[Played], players: dict[str, str], club: str, today: date) -> dict[str, Any]:
    sides: dict[tuple[int, ...], int] = {}
    listed, boards = [], dict[int, int]()
    for one in matches:
        turn = _turn(one)
        boards[turn] = boards.get(turn, 0) + 1
        numbers = [
            sides.setdefault(tuple(_number(players, name) for name in side.players), len(sides) + 1)
            for side in one.result.sides
        ]
        listed.append(
            {"turn": turn, "board": boards[turn], "competitor1": numbers[0], "competitor2": numbers[1]}
            | _scores(_games(one.result))
        )
    last = max((match["turn"] for match in listed), default=0)
    return {
        "guid": _guid(club, "tourney", name, str(today)),
        "championship": 2 if any(len(pair) > 1 for pair in sides) else 1,
        "description": name or f"{club}, {today:%Y-%m-%d}",
        "date": str(today),
        "currentturn": last,
        "rankedturn": last,
        "prized": False,
        # Who meets whom was decided by the club; only SoL's knockout knows matches of three games.
        "system": "knockout" if any("score1_2" in match for match in listed) else "swiss",
        "matcheskind": "bestof3" if any("score1_2" in match for match in listed) else "simple",
        "couplings": "serial",
        "delaytoppairing": 1,
        "delaycompatriotpairing": False,
        "duration": 45,
        "prealarm": 5,
        "phantomscore": MOST_SCORE,
        "retirements": "none",
        "finalkind": "simple",
        "competitors": [
            {"players": list(pair), "points": 0, "netscore": 0, "totscore": 0, "bucholz": 0} for pair in sides
        ],
        "matches": listed,
    }


def _turn(one: Played) -> int:
    text = one.fixture.round if one.fixture else ""
    digits = "".join(character for character in text if character.isdecimal() and character.isascii())
    return min(int(digits), 1000) if digits and len(digits) < 5 else 1


def _games(result: ResultSaid) -> list[list[int]]:
    """Each game's score. Who won a game or the match has won it there too: SoL knows scores alone, and no forfeit."""
    names = [side.name for side in result.sides]
    games = {board.game: [board.score.get(name, 0) for name in names] for board in result.boards}
    games = games or {1: [side.points for side in result.sides]}
    loser = {one.game: names.index(one.side) for one in result.given or () if one.side in names}
    champion = names.index(result.winner) if result.winner in names else None
    if champion is not None and len(games) == 1 and loser.keys() <= games.keys():
        loser |= dict.fromkeys(games, 1 - champion)
    won = [_won(score, loser.get(number)) for number, score in sorted(games.items())]
    # What was not played any more goes to who won the match.
    while champion is not None and 2 * sum(score[champion] > score[1 - champion] for score in won) <= len(won):
        won.append(_won([0, 0], 1 - champion))
    return _three_of(won)


def _scores(games: Sequence[Sequence[int]]) -> dict[str, int]:
    scores: dict[str, int] = {}
    for number, (one, other) in enumerate(games, 1):
        tail = "" if number == 1 else f"_{number}"
        scores |= {f"score1{tail}": one, f"score2{tail}": other}
    return scores


def _won(score: Sequence[int], loser: int | None) -> list[int]:
    """A game's score as SoL may have it: no more than its most, and whoever won has more than the other."""
    if loser is None and score[0] != score[1]:
        loser = 0 if score[0] < score[1] else 1
    capped = [min(points, MOST_SCORE) for points in score]
    if loser is not None and capped[loser] >= capped[1 - loser]:
        capped[loser], capped[1 - loser] = min(capped[loser], MOST_SCORE - 1), MOST_SCORE
    return capped


def _three_of(games: list[list[int]]) -> list[list[int]]:
    """SoL has no room for more than three games: of more, those that decided, and the last one that went otherwise."""
    if len(games) <= 3:
        return games
    first = [game for game in games if game[0] > game[1]]
    other = [game for game in games if game[0] < game[1]]
    winner, loser = (first, other) if len(first) > len(other) else (other, first)
    kept = [id(game) for game in (*loser[-1:], *winner[-2:])]
    return [game for game in games if id(game) in kept]


def _number(players: dict[str, str], name: str) -> int:
    """A player's place in the list, from 1; who is not in it yet is added. `players`: key → name as first written."""
    players.setdefault(name_key(name), name)
    return list(players).index(name_key(name)) + 1


def _guid(*words: str) -> str:
    # The same player of the same club has the same one every day: SoL then adds no second.
    return uuid5(NAMESPACE_URL, "/".join(words)).hex
