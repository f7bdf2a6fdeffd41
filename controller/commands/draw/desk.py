"""The desk of drawn events: what a secretary sees of their files and does about them, on a page or two at once.

An act is tried first: what would stand there, each match that would be new or another one, and what the checker of
draws finds in it. Done, it is written with what stood there before, and published to the tables.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from controller.commands.draw.acts import acted, rounds_of
from controller.commands.draw.files import Files, FilesError
from controller.commands.draw.kept import EventFolder, State, Step, numbered
from controller.commands.draw.make import SEEDS
from controller.commands.draw.page import folders_in, rows_of_hub, shown
from controller.commands.fixtures import topics_of
from controller.draws.checking.check import check
from controller.draws.entries import Entry, Row
from controller.draws.event import SYSTEMS
from controller.draws.making import goes_on, opened
from controller.draws.matches import rows_of
from controller.draws.withdrawn import Left, withdrawn
from controller.events import spreadsheet
from controller.events.doors import json_text, name_key, one_line, toml_table
from controller.events.errors import CarromError, EventError, UnreadableError
from controller.hub.fixtures import Fixture, by_table, fixtures_from
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.publishing import Payloads

Json = dict[str, Any]
Publish = Callable[[Callable[[Payloads], Payloads]], None]
Results = Sequence[Mapping[str, Any]]
Listed = Mapping[str, Sequence[Fixture]]

NOT_UNDONE = ("seed", "new")
"""Who could undo the drawing of a seed could draw until the draw pleased."""
MOST_FINDINGS = 20
_SIZES = {"groups": "groups", "swiss": "rounds"}
_NOT_OF_A_FOLDER = re.compile(r"[^a-z0-9]+")


class EventDesk:
    """The events of a folder. Any thread. `publish(made)`: from now on each table has what is made from what stands
    there; `changed()` is called after each act."""

    def __init__(self, folder: Path, publish: Publish, changed: Callable[[], object] = lambda: None) -> None:
        self._folder, self._publish, self._changed = folder, publish, changed
        self._guard = threading.Lock()

    def shown(self, name: str, results: Results, listed: Listed) -> Json:
        """Returns what a desk needs of an event: its `version`, `terms`, `entries`, and what can be done. `results`: as
        the hub exports them; `listed`: each table's fixtures as they are published."""
        with self._guard:
            folder = EventFolder(self._folder / name)
            try:
                state = folder.read()
                last = folder.last(state)
            except CarromError as error:
                return {"version": "", "says": str(error).splitlines()}
        found: Json = {"version": state.version, "terms": state.text, "drawn": state.fixtures is not None}
        found["undo"] = {"what": last.what, "about": last.about} if last and last.what not in NOT_UNDONE else None
        try:
            files = state.files(rows_of_hub(results))
        except FilesError as error:
            lines = [{"cells": dict(cells), "name": cells.get("name", ""), "there": ""} for cells in state.entries]
            return found | {"entries": lines, "comes": "", "takes": True, "published": True, "says": [*error.lines]}
        lines = [
            {"cells": dict(cells), "name": entry.name, "there": _there(files, entry)}
            for cells, entry in zip(state.entries, files.entries, strict=True)
        ]
        published = _stands(name_key(files.event.name), _fixtures(files), listed)
        takes = state.fixtures is None or bool(rounds_of(files))
        return found | {
            "entries": lines,
            "comes": _comes(files, state),
            "takes": takes,
            "published": published,
            "says": [],
        }

    def act(self, body: Mapping[str, Any], results: Results, playing: Collection[str]) -> Json:
        """Does an act, or only tries it with `preview`. `results`: as the hub exports them; `playing`: the ids of the
        event's matches that are under way, as `name_key`s.

        `what`: see `acted`; besides `new`, which makes an event of `name`, `system` and `size`, `undo` and `publish`.
        `event`: its folder; `version`: what the desk has seen of it. Returns both anew, and of a preview what would be
        there. Raises UnreadableError for what is no act, EventError and FilesError where it cannot be done, DeviceError
        where it cannot be written or published.
        """
        with self._guard:
            if body.get("what") == "new":
                return self._new(body)
            name = body.get("event")
            if name not in [one.name for one in folders_in(self._folder)]:
                raise UnreadableError("needs event, the folder of one")
            return self._act(str(name), EventFolder(self._folder / str(name)), body, rows_of_hub(results), playing)

    def _new(self, body: Mapping[str, Any]) -> Json:
        name, system, size = body.get("name"), body.get("system"), body.get("size")
        if not isinstance(name, str) or system not in SYSTEMS or not isinstance(size, int | None):
            raise UnreadableError(f"needs a name, a system out of {', '.join(SYSTEMS)}, and perhaps a size")
        folder = _NOT_OF_A_FOLDER.sub("-", name_key(name)).strip("-") or "event"
        if (self._folder / folder).exists():
            raise EventError(f"an event {folder!r} is there already. Fix: another name")
        sized = f"{_SIZES[system]} = {size}\n" if system in _SIZES and size is not None else ""
        then = 'then = "knockout"\n' if system == "groups" else ""
        # In TOML a text is written as in JSON.
        named = f'name = {json_text(name.strip())}\nsystem = "{system}"\n'
        state = State(f"{named}{sized}{then}seed = {secrets.randbelow(SEEDS)}\n")
        state.files()
        EventFolder(self._folder / folder).write(Step("new", name, state, state))
        self._changed()
        return {"event": folder, "version": state.version}

    def _act(
        self, name: str, folder: EventFolder, body: Mapping[str, Any], results: list[Row], playing: Collection[str]
    ) -> Json:
        state = folder.read()
        if body.get("version") != state.version:
            raise EventError("another desk has changed this event. Fix: read it once more, then try again")
        if body.get("what") == "publish":
            self._published(state.files(), state.files())
            return {"event": name, "version": state.version}
        state = _seeded(folder, state, body)
        step = _undone(folder, state) if body.get("what") == "undo" else _step(state, body, results)
        before = _understood(state, results)
        # What was wrong already may be put right one mistake after the other.
        after = step.after.files(results) if before is not None else _understood(step.after, results)
        if before is not None and after is not None:
            _may_change(step, before, after, playing)
        if body.get("preview"):
            found = {} if before is None or after is None else _preview(name, step, before, after, results)
            return {"event": name, "version": state.version} | found
        if body["what"] == "undo":
            folder.undo(step)
        else:
            folder.write(step)
        self._changed()
        if before is not None and after is not None and step.after.fixtures != state.fixtures:
            self._published(before, after)
        return {"event": name, "version": step.after.version}

    def _published(self, before: Files, after: Files) -> None:
        """Publishes what is drawn; of other events stands what stood."""
        names = {name_key(one.event.name) for one in (before, after)}
        self._publish(partial(_topics, names, _fixtures(after)))


# -- an act


def _seeded(folder: EventFolder, state: State, body: Mapping[str, Any]) -> State:
    """Draws the seed where the draw needs one: before its first preview, so that nobody chooses among draws."""
    if body.get("what") != "draw" or state.files().event.seed is not None:
        return state
    anew = replace(state, text=f"seed = {secrets.randbelow(SEEDS)}\n{state.text}")
    folder.write(Step("seed", "", state, anew))
    return anew


def _undone(folder: EventFolder, state: State) -> Step:
    last = folder.last(state)
    if last is None or last.what in NOT_UNDONE:
        raise EventError("there is nothing to undo")
    return Step(last.what, last.about, state, last.before)


def _step(state: State, body: Mapping[str, Any], results: list[Row]) -> Step:
    after, about = acted(state, lambda: state.files(results), body)
    return Step(str(body["what"]), about, state, after)


def _understood(state: State, results: list[Row]) -> Files | None:
    try:
        return state.files(results)
    except FilesError:
        return None


def _may_change(step: Step, before: Files, after: Files, playing: Collection[str]) -> None:
    """Refuses what would take away a match that has a result or is under way, or give it to others."""
    if step.what == "entry":
        return
    left = {name_key(one.id): one.sides for one in after.matches}
    for one in before.matches:
        key = name_key(one.id)
        if left.get(key) != one.sides and (key in playing or before.played.result(one) is not None):
            raise EventError(f"{one.id} is under way, or has been played. Fix: leave it as it is")


def _preview(name: str, step: Step, before: Files, after: Files, results: list[Row]) -> Json:
    was, now = ({one.id: one.sides for one in each.matches} for each in (before, after))
    known_left = _left(before)
    findings: Sequence[str] = ()
    if step.after.fixtures:
        proof = check(toml_table(after.text), numbered(step.after.entries), numbered(step.after.fixtures), results)
        findings = [one_line(str(one)) for one in proof.findings[:MOST_FINDINGS]]
    return {
        "shown": shown(name, after),
        "new": [key for key in now if key not in was],
        "changed": [key for key, sides in now.items() if key in was and sides != was[key]],
        "gone": [key for key in was if key not in now],
        "left": [
            {"id": key, "who": who if side == "off" else who[side], "off": side == "off"}
            for key, (side, who) in _left(after).items()
            if known_left.get(key, ("", ()))[0] != side
        ],
        "says": [*findings],
    }


def _left(files: Files) -> dict[str, tuple[Left, list[str]]]:
    """What withdrawals leave of the matches that could be played now, by id, with both sides' names."""
    gone = withdrawn(files.event, files.entries)
    return {
        one.id: (left, [" / ".join(side) for side in one.sides])
        for one in opened(files.matches, files.played)
        if (left := gone.leaves(one.round, one.sides)) is not None
    }


# -- an event as a desk has it


def _there(files: Files, entry: Entry) -> str:
    if entry.out:
        return "withdrawn"
    return "here" if entry.is_there(rounds_of(files) + 1) else "late"


def _comes(files: Files, state: State) -> str:
    """Which act comes next: the draw, a round, or none."""
    if state.fixtures is None:
        return "draw"
    return "next" if goes_on(files.event, files.entries, files.matches) else ""


# -- publishing


def _fixtures(files: Files) -> tuple[Fixture, ...]:
    return read_fixtures(spreadsheet.as_csv(*rows_of(files.event, files.matches))) if files.matches else ()


def _topics(names: Collection[str], drawn: Sequence[Fixture], stood: Payloads) -> Payloads:
    standing = [one for place, payload in stood.items() for one in fixtures_from(place, payload)]
    others = [one for one in standing if not one.pool and name_key(one.event) not in names]
    return topics_of(by_table([*others, *drawn]), stood)


def _stands(name: str, drawn: Sequence[Fixture], listed: Listed) -> bool:
    """Whether an event is published as it is drawn."""
    standing = [one for some in listed.values() for one in some if name_key(one.event) == name and not one.pool]
    return sorted(map(_typed, standing)) == sorted(map(_typed, drawn))


def _typed(one: Fixture) -> tuple[str, ...]:
    """What a sheet has of a fixture: names that results have decided since are not in it."""
    seats = [one.awaits.get(seat, player) for seat, player in sorted(one.seats.items())]
    return (one.id, one.table, one.time, one.round, one.book, one.referee, *seats)
