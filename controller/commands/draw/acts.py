"""What an event's desk may do: each act turns what stands in the event's files into what is to stand there. Pure.

Must not know folder, hub or page. What is wrong with an act raises EventError, or FilesError where the files would be
wrong after it; what is no act raises UnreadableError.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from controller.commands.draw.files import Files, mistakes, rows_in
from controller.commands.draw.kept import PATHS, Cells, State, filled
from controller.draws.changes import renamed, swapped
from controller.draws.entries import COLUMNS, NEEDED, Entry
from controller.draws.field import rounds_drawn
from controller.draws.making import go_on, make
from controller.draws.matches import Match
from controller.draws.results import is_of_table
from controller.events.doors import name_key
from controller.events.errors import EventError, UnreadableError
from controller.hub.sheet import sheet_of

Body = Mapping[str, Any]
Read = Callable[[], Files]
"""The files understood, for acts that need it: what is wrong in them may be what an act corrects."""
STATES = ("here", "late", "withdrawn")
"""Where an entry can be: there, not there yet, or gone."""


def acted(state: State, read: Read, body: Body) -> tuple[State, str]:
    """Does an act. Returns what is to stand in the files, and about whom it was; `body`: as the page sends it.

    `what` is `terms` (`text`: the event's file), `entry` (`cells`; `number` of the line that is corrected, from 0),
    `remove` (`number`), `sheet` (`base64`: a list of entries, whole), `check_in` (who is not ticked is not there yet),
    `state` (`number`, and `to`, one of STATES), `draw`, `next`, or `swap` (`number`, `other`).
    """
    does = _ACTS.get(str(body.get("what")))
    if does is None:
        raise UnreadableError(f"needs what, one of {', '.join(_ACTS)}")
    with mistakes(PATHS, state.text):
        return does(state, read, body)


def _terms(state: State, _read: Read, body: Body) -> tuple[State, str]:
    _before_the_draw(state)
    return replace(state, text=_text(body, "text")), ""


def _entry(state: State, read: Read, body: Body) -> tuple[State, str]:
    asked = body.get("cells")
    if not isinstance(asked, Mapping) or not all(isinstance(cell, str) for cell in asked.values()):
        raise UnreadableError("needs cells, each a text")
    cells = filled({column: text.strip() for column, text in asked.items()}, COLUMNS)
    if body.get("number") is None:
        return replace(state, entries=(*state.entries, cells | _joins(state, read))), cells.get("name", "")
    number = _number(state, body, "number")
    cells |= filled(state.entries[number], ("state",))
    anew = replace(state, entries=_with(state.entries, number, cells))
    if state.fixtures is None:
        return anew, cells.get("name", "")
    files = read()
    before, after = files.entries[number], replace(anew, fixtures=None).files().entries[number]
    if before.players != after.players:
        if len(before.players) != len(after.players):
            raise EventError(f"{before.name} is drawn as it is. Fix: correct a name, and leave who plays with whom")
        if any(files.played.result(match) for match in _matches_of(files, before)):
            says = f"{before.name} has played already. Fix: leave it; the season's page makes two names one player"
            raise EventError(says)
        anew = anew.drawn(files.event, renamed(files.matches, before, after))
    return anew, after.name


def _joins(state: State, read: Read) -> dict[str, str]:
    """What stands of somebody who was in no list before."""
    if state.fixtures is None:
        return {}
    files = read()
    if not rounds_of(files):
        raise EventError(f"{files.event.system} takes nobody once it is drawn. Fix: undo the draw first")
    return _comes(files)


def _remove(state: State, _read: Read, body: Body) -> tuple[State, str]:
    _before_the_draw(state, ". Who plays no more has withdrawn")
    number = _number(state, body, "number")
    rest = state.entries[:number] + state.entries[number + 1 :]
    return replace(state, entries=rest), state.entries[number].get("name", "")


def _sheet(state: State, _read: Read, body: Body) -> tuple[State, str]:
    _before_the_draw(state)
    try:
        sheet = sheet_of(base64.b64decode(_text(body, "base64"), validate=True))
    except binascii.Error as error:
        raise UnreadableError("needs a sheet as base64") from error
    except UnreadableError as error:
        raise EventError(f"the sheet {error}") from error
    lines = rows_in(sheet, PATHS.entries, COLUMNS, NEEDED)
    return replace(state, entries=tuple(filled(line, COLUMNS) for _, line in lines)), ""


def _check_in(state: State, _read: Read, _body: Body) -> tuple[State, str]:
    _before_the_draw(state)
    return replace(state, entries=tuple({"state": "late", **one} for one in state.entries)), ""


def _state(state: State, read: Read, body: Body) -> tuple[State, str]:
    number, to = _number(state, body, "number"), body.get("to")
    if to not in STATES:
        raise UnreadableError(f"needs to, one of {', '.join(STATES)}")
    files = read()
    entry = files.entries[number]
    cells = filled(state.entries[number], [column for column in COLUMNS if column != "state"])
    match to:
        case "late":
            cells["state"] = "late"
        case "withdrawn":
            cells["state"] = _leaves(files, entry)
        case _ if entry.comes != 1:
            # Of somebody who was there all the time nothing is written.
            cells |= _comes(files)
    return replace(state, entries=_with(state.entries, number, cells)), entry.name


def _comes(files: Files) -> dict[str, str]:
    """What stands of somebody who comes now."""
    drawn = rounds_of(files)
    return {"state": f"late {drawn + 1}"} if drawn else {}


def _leaves(files: Files, entry: Entry) -> str:
    """Who has played the last round leaves after it; who is still to play in it leaves at once."""
    drawn = rounds_of(files)
    open_ones = [one for one in _matches_of(files, entry) if files.played.result(one) is None]
    return "withdrawn" if open_ones or not drawn else f"withdrawn {drawn + 1}"


def rounds_of(files: Files) -> int:
    """Returns how many rounds are drawn, where one is drawn after the other; 0 of others, and once that is over."""
    by_rounds = files.event.system in ("swiss", "ties") and all(is_of_table(files.event, one) for one in files.matches)
    return rounds_drawn(files.matches) if by_rounds else 0


def _matches_of(files: Files, entry: Entry) -> list[Match]:
    """The matches in which an entry stands by its names."""
    names = {name_key(player) for player in entry.players}
    return [one for one in files.matches if any(name_key(player) in names for side in one.sides for player in side)]


def _draw(state: State, read: Read, _body: Body) -> tuple[State, str]:
    _before_the_draw(state)
    files = read()
    return state.drawn(files.event, make(files.event, files.entries)), ""


def _next(state: State, read: Read, _body: Body) -> tuple[State, str]:
    files = _drawn(state, read)
    matches = go_on(files.event, files.entries, files.matches, files.played)
    if len(matches) == len(files.matches):
        raise EventError("nothing comes next: all is drawn, or no pairing is left in which nobody meets anybody twice")
    return state.drawn(files.event, matches), matches[-1].round


def _swap(state: State, read: Read, body: Body) -> tuple[State, str]:
    files = _drawn(state, read)
    one, other = (files.entries[_number(state, body, name)] for name in ("number", "other"))
    if one is other or len(one.players) != len(other.players):
        raise EventError("needs two entries. Fix: choose another one")
    matches = swapped(files.event, files.matches, files.played, one, other)
    return state.drawn(files.event, matches), f"{one.name} – {other.name}"


_ACTS: Mapping[str, Callable[[State, Read, Body], tuple[State, str]]] = {
    "terms": _terms,
    "entry": _entry,
    "remove": _remove,
    "sheet": _sheet,
    "check_in": _check_in,
    "state": _state,
    "draw": _draw,
    "next": _next,
    "swap": _swap,
}


def _drawn(state: State, read: Read) -> Files:
    if state.fixtures is None:
        raise EventError("it is not drawn yet")
    return read()


def _before_the_draw(state: State, more: str = "") -> None:
    if state.fixtures is not None:
        raise EventError(f"it is drawn. Fix: undo the draw first{more}")


def _with(entries: tuple[Cells, ...], number: int, cells: Cells) -> tuple[Cells, ...]:
    return (*entries[:number], cells, *entries[number + 1 :])


def _number(state: State, body: Body, name: str) -> int:
    number = body.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(state.entries):
        raise UnreadableError(f"needs {name}, an entry's place in the list from 0")
    return number


def _text(body: Body, name: str) -> str:
    text = body.get(name)
    if not isinstance(text, str):
        raise UnreadableError(f"needs {name}, a text")
    return text
