"""A club's drawn events as the hub's page has them: what the wall says, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.commands.draw.files import Files, FilesError, files_at, mistakes
from controller.commands.draw.kept import EVENT, paths_in
from controller.commands.draw.picture import when
from controller.commands.draw.wall import Wall, figure
from controller.draws.entries import Row
from controller.draws.matches import Match, awaited
from controller.draws.results import COLUMNS, Result, is_needed
from controller.draws.standings import Place
from controller.draws.withdrawn import Withdrawn, withdrawn
from controller.events.doors import name_key

Json = dict[str, Any]


class Events:
    """The events of a folder. Any thread; read again only where a file or a result has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, tuple[object, Json]] = {}
        self._asked: dict[Path, object] = {}
        self._gone: dict[Path, tuple[str, Withdrawn]] = {}

    def __call__(self, results: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Returns each event as it stands by these results, as the hub exports them, in the order of the folders."""
        rows = rows_of_hub(results)
        return [self._of(folder, rows) for folder in folders_in(self._folder)]

    def withdrawn(self) -> dict[str, Withdrawn]:
        """Returns who has left each event, by its key; while an event's files cannot be read, who had left before."""
        for folder in folders_in(self._folder):
            paths = paths_in(folder)
            version = [_changed_at(paths.event), _changed_at(paths.entries)]
            if version != self._asked.get(folder):
                with suppress(FilesError):
                    files = files_at(replace(paths, fixtures=None))
                    self._gone[folder] = name_key(files.event.name), withdrawn(files.event, files.entries)
                self._asked[folder] = version
        return dict(self._gone.values())

    def _of(self, folder: Path, rows: list[Row]) -> Json:
        paths = paths_in(folder)
        files = [path for path in (paths.event, paths.entries, paths.fixtures) if path is not None]
        version = [_changed_at(path) for path in files], rows
        before = self._read.get(folder)
        if before is None or before[0] != version:
            try:
                found = shown(folder.name, files_at(paths, rows))
            except FilesError as error:
                found = trouble(folder.name, error)
            before = version, found
            self._read[folder] = before
        return before[1]


def folders_in(folder: Path) -> list[Path]:
    """Returns the events' folders in a folder, in the order of their names."""
    try:
        return sorted(one for one in folder.iterdir() if (one / EVENT).is_file())
    except OSError:
        return []


def rows_of_hub(results: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Returns results as the hub exports them, as lines of a sheet."""
    return [
        (number, {column: str(value) for column, value in one.items() if column in COLUMNS and value is not None})
        for number, one in enumerate(results, 1)
    ]


def _changed_at(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def trouble(name: str, error: FilesError) -> Json:
    """An event whose files cannot be used."""
    return {"id": name, "name": name, "key": name_key(name), "trouble": True, "says": [*error.lines]}


def shown(name: str, files: Files) -> Json:
    """An event as it stands, as JSON values. `name`: its folder's. Raises FilesError where it has no table."""
    with mistakes(files.paths, files.text):
        wall = Wall.of(files.event, files.entries, files.matches, files.played)
    return {"id": name, "name": wall.event.name, "key": name_key(wall.event.name), "trouble": False, "says": []} | {
        "system": wall.event.system,
        "entries": len(wall.entries),
        "terms": wall.terms,
        "seed": wall.event.lots,
        "crosses": [
            {
                "name": cross.name,
                "players": [one.name for one in cross.players],
                "cells": [
                    ["—" if one is other else cross.cells.get((one.key, other.key), "") for other in cross.players]
                    for one in cross.players
                ],
            }
            for cross in wall.crosses()
        ],
        "tree": [[one and _match(wall, one) for one in some] for some in _rounds(wall.tree())],
        "lists": [
            {"round": name, "beside": beside, "matches": [_match(wall, one) for one in some]}
            for beside, lists in ((False, wall.rounds()), (True, wall.beside()))
            for name, some in lists
        ],
        "prizes": [{"name": name, "rows": [*map(_place, places)]} for name, places in wall.prizes()],
        "standings": [
            {"name": name, "values": [*places[0].values] if places else [], "rows": [*map(_place, places)]}
            for name, places in wall.standings()
        ],
        "next": [
            {"player": player, "match": match.id, "against": against} for player, match, against in wall.next_matches()
        ],
    }


def _rounds(matches: Sequence[Match]) -> list[list[Match | None]]:
    """A tree's rounds, the first one first: each match lies between the two that decide who plays it; None where a side
    had none to play."""
    if not matches:
        return []
    by_id = {name_key(one.id): one for one in matches}
    found: list[list[Match | None]] = [[one for one in matches if one.round == matches[-1].round]]
    while any(found[0]):
        sides = [side for one in found[0] for side in (one.sides if one is not None else ((), ()))]
        references = [awaited(side) if side else None for side in sides]
        found.insert(0, [by_id.get(one[1]) if one is not None else None for one in references])
    return found[1:]


def _match(wall: Wall, one: Match) -> Json:
    return {
        "id": one.id,
        "round": one.round,
        "when": when(one),
        "needed": is_needed(one, wall.so_far),
        "sides": [
            {"text": side.text, "won": side.won, "waits": side.waits} for side in (wall.side(one, 0), wall.side(one, 1))
        ],
        "score": _score(wall.so_far.result(one)),
    }


def _score(result: Result | None) -> list[int]:
    """Games, or where one decided it points; nothing where nobody has played, or nothing was written down."""
    if result is None:
        return []
    both = result.games if sum(result.games) > 1 else result.points
    return [*both] if any(both) else []


def _place(one: Place) -> Json:
    return {
        "place": one.place or None,
        "name": one.name,
        "played": one.played,
        "values": [figure(one.values[key]) for key in one.values],
    }
