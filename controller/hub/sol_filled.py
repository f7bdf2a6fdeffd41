"""The tables' results written into an archive that SoL has exported. Pure.

Scores are written into the text itself, so that SoL finds all else as it was, byte by byte. What SoL could not count is
left out, and named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from controller.events.doors import RECORD, json_value, name_key
from controller.events.errors import UnreadableError
from controller.hub.sol_archive import Archive, DrawnMatch, Object, Text


@dataclass(frozen=True, slots=True)
class DrawnResult:
    """What the tables have of such a match: who played, and each game's score as SoL may have it."""

    id: str
    sides: tuple[tuple[str, ...], ...]
    games: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """An archive with results. `written`: how many; `notes`: which were not, and why; `open`: matches without any."""

    text: str
    written: int
    notes: tuple[str, ...]
    open: int


def read_results(raw: bytes) -> list[DrawnResult]:
    """Reads what the hub's own archive has of matches that SoL drew. Raises UnreadableError."""
    found = json_value(raw, RECORD)
    head = found[0] if isinstance(found, list) and found else None
    try:
        return [
            DrawnResult(
                str(one["id"]),
                tuple(tuple(map(str, side)) for side in one["sides"]),
                tuple((int(first), int(second)) for first, second in one["games"]),
            )
            for one in (head or {})["drawn"]
        ]
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise UnreadableError("is not what the hub has written. Fix: take its /day/results.sol as it is") from error


def fill(archive: Archive, results: Sequence[DrawnResult], name: str) -> Filled:
    """Writes the results into the archive's matches that have none; what does not fit is left out, with a note."""
    drawn = {match.id: match for match in archive.matches}
    guids = {match.id.partition("-")[0] for match in archive.matches}
    edits: list[tuple[int, int, str]] = []
    notes: list[str] = []
    written = set[str]()
    for one in results:
        who = " - ".join(" & ".join(side) for side in one.sides)
        match = drawn.get(one.id)
        if match is None:
            if one.id.partition("-")[0] in guids:
                notes.append(f"{name}: {who}: SoL has drawn otherwise. Fix: download the tourney again")
            continue
        games = _as_drawn(match, one)
        wrong = _unfit(match, games)
        if not wrong and match.games:
            if match.games != games:
                notes.append(
                    f"{name}:{match.line}: {who}: SoL has {_shown(match.games)}, the tables {_shown(games)}; SoL's "
                    "stays. Fix: correct it in SoL, if the tables are right"
                )
        elif wrong:
            notes.append(f"{name}:{match.line}: {who}: {wrong}. Fix: type this match into SoL")
        else:
            written.add(match.id)
            edits += _edits(match.at, games)
    for event in dict.fromkeys(match.event for match in archive.matches if match.id in written and match.seeded):
        notes.append(f"{name}: {event}: SoL exports no seeds. Fix: write them down, and type them in after loading")
    text = archive.text
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    left = sum(not match.games and match.id not in written for match in archive.matches)
    return Filled(text, len(written), tuple(notes), left)


def _as_drawn(match: DrawnMatch, one: DrawnResult) -> tuple[tuple[int, int], ...]:
    """The games' scores in the order of SoL's sides; none where nobody can decide who is who."""
    sides = [{*map(name_key, side)} for side in one.sides]
    if len(sides) != 2:
        return ()
    first, second = ({*map(name_key, side)} for side in match.sides)
    straight, crossed = sides[0] & first or sides[1] & second, sides[0] & second or sides[1] & first
    if bool(straight) == bool(crossed):
        return ()
    return one.games if straight else tuple((other, own) for own, other in one.games)


def _unfit(match: DrawnMatch, games: Sequence[tuple[int, int]]) -> str:
    """Why SoL could not count these games; "" where it can."""
    won = Counter((one > other) - (one < other) for one, other in games)
    if not games:
        return f"SoL has drawn {' - '.join(' & '.join(side) for side in match.sides)}"
    if not match.best_of_three and len(games) > 1:
        return f"it took {len(games)} games, SoL's tourney has one a match"
    if match.best_of_three and (won[0] or max(won[1], won[-1]) < 2):
        return "nobody has won two games, and SoL's tourney is best of three"
    if (0, 0) in games:
        return "0 : 0 is no result to SoL"
    if match.knockout and won[1] == won[-1]:
        return "a draw, and SoL's knockout needs a winner"
    return ""


def _edits(at: Object, games: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """What is to be written between which characters of the text."""
    added = ""
    for number, scores in enumerate(games, 1):
        for side, score in enumerate(scores, 1):
            key = f"score{side}" if number == 1 else f"score{side}_{number}"
            if isinstance(stands := at.items.get(key), Text):
                yield stands.start, stands.end, str(score)
            else:
                added += f', "{key}": {score}' if at.column is None else f"\n{' ' * at.column}{key}: {score}"
    last = at.items["score2"]
    if added and isinstance(last, Text):
        yield last.end, last.end, added


def _shown(games: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"{one} : {other}" for one, other in games)
