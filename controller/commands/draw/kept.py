"""An event's folder as its desk keeps it: what stands in the files, and what stood there before each act.

The files of an act are written one after the other. What is to stand there is written first, so that an act that was
cut off is done to its end by whoever reads the folder next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from controller.commands.draw.files import Files, Paths, files_in, read_at
from controller.commands.written import write_whole
from controller.draws import entries as of_entries
from controller.draws.entries import Row
from controller.draws.event import Event
from controller.draws.matches import Match, rows_of
from controller.events import spreadsheet
from controller.events.doors import RECORD, bytes_of, json_object, json_text
from controller.events.errors import DeviceError, UnreadableError
from controller.events.fixture_words import COLUMNS as FIXTURE_COLUMNS

EVENT = "event.toml"
SHEETS = (".csv", ".xlsx", ".ods")
"""What the lists of entries and fixtures may be."""
PATHS = Paths(Path(EVENT), Path("entries.csv"), Path("fixtures.csv"))
"""The files as the desk's messages name them."""
_BEFORE, _BEGUN = ".before", "begun.json"

Cells = Mapping[str, str]
"""A line of a sheet by its columns."""


def paths_in(folder: Path) -> Paths:
    """Returns where an event's files are; before the draw there are no fixtures."""
    fixtures = _sheet(folder, "fixtures")
    return Paths(folder / EVENT, _sheet(folder, "entries"), fixtures if fixtures.exists() else None)


def _sheet(folder: Path, name: str) -> Path:
    found = (folder / f"{name}{ending}" for ending in SHEETS)
    return next((path for path in found if path.exists()), folder / f"{name}.csv")


@dataclass(frozen=True, slots=True)
class State:
    """What an event's files say. `fixtures`: None before the draw."""

    text: str
    entries: tuple[Cells, ...] = ()
    fixtures: tuple[Cells, ...] | None = None

    @property
    def version(self) -> str:
        """Another one for whatever is changed."""
        return sha256(json_text(asdict(self)).encode()).hexdigest()[:16]

    def files(self, results: Sequence[Row] = ()) -> Files:
        """Returns them understood. Raises FilesError."""
        drawn = None if self.fixtures is None else numbered(self.fixtures)
        return files_in(PATHS, self.text, numbered(self.entries), drawn, results)

    def drawn(self, event: Event, matches: Sequence[Match]) -> State:
        """Returns it with these matches as its fixtures."""
        return replace(self, fixtures=tuple(filled(line, FIXTURE_COLUMNS) for line in rows_of(event, matches)[1]))


def numbered(lines: Sequence[Cells]) -> list[Row]:
    """Returns lines with their numbers in a sheet, below its titles."""
    return [*enumerate(lines, 2)]


def filled(cells: Cells, columns: Sequence[str]) -> dict[str, str]:
    """Returns what stands in these columns."""
    return {column: cells[column] for column in columns if cells.get(column)}


@dataclass(frozen=True, slots=True)
class Step:
    """An act of the desk's: `what` was done `about` whom, and what stood in the files before and after it."""

    what: str
    about: str
    before: State
    after: State


class EventFolder:
    """One event's folder. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._before = folder, folder / _BEFORE

    def read(self) -> State:
        """Returns what stands in the files. Raises CarromError for what cannot be read."""
        self._finish()
        text, entries, fixtures = read_at(paths_in(self._folder))
        drawn = None if fixtures is None else tuple(filled(line, FIXTURE_COLUMNS) for _, line in fixtures)
        return State(text, tuple(filled(line, of_entries.COLUMNS) for _, line in entries), drawn)

    def last(self, state: State) -> Step | None:
        """Returns the latest act that has not been undone, if what it left still stands there."""
        steps = self._steps()
        step = _step(_json(steps[-1])) if steps else None
        return step if step is not None and step.after.version == state.version else None

    def write(self, step: Step) -> None:
        """Does an act. Raises DeviceError where that cannot be written; it is done to its end the next time."""
        self._begin({"step": asdict(step), "as": f"{len(self._steps()) + 1:05}.json", "undoes": ""})

    def undo(self, step: Step) -> None:
        """Undoes the latest act by this one. Raises DeviceError as `write` does."""
        self._begin({"step": asdict(step), "as": "", "undoes": self._steps()[-1].name})

    def _steps(self) -> list[Path]:
        return sorted(self._before.glob("[0-9]*.json"))

    def _begin(self, what: Mapping[str, Any]) -> None:
        try:
            self._before.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DeviceError(f"{self._folder}: {error.strerror}. Fix: let the hub write in it") from error
        write_whole(self._before / _BEGUN, json_text(what).encode())
        self._finish()

    def _finish(self) -> None:
        begun = self._before / _BEGUN
        if not begun.exists():
            return
        found = _json(begun)
        after = _step(found).after
        write_whole(self._folder / EVENT, after.text.encode())
        self._write("entries", of_entries.COLUMNS, after.entries)
        self._write("fixtures", FIXTURE_COLUMNS, after.fixtures)
        if found["undoes"]:
            (self._before / found["undoes"]).unlink(missing_ok=True)
            begun.unlink()
        else:
            begun.replace(self._before / found["as"])

    def _write(self, name: str, columns: Sequence[str], lines: Sequence[Cells] | None) -> None:
        path = self._folder / f"{name}.csv"
        if lines is None:
            path.unlink(missing_ok=True)
            return
        full = [{column: line.get(column, "") for column in columns} for line in lines]
        write_whole(path, spreadsheet.as_csv(columns, full).encode())


def _json(path: Path) -> dict[str, Any]:
    try:
        return json_object(bytes_of(path, RECORD), RECORD)
    except UnreadableError as error:
        raise DeviceError(f"{path}: {error}. Fix: take this file away; what it undoes cannot be undone then") from error


def _step(found: Mapping[str, Any]) -> Step:
    step = found["step"]
    return Step(step["what"], step["about"], _state(step["before"]), _state(step["after"]))


def _state(found: Mapping[str, Any]) -> State:
    drawn = found["fixtures"]
    return State(found["text"], tuple(found["entries"]), None if drawn is None else tuple(drawn))
