"""The text of a rulebook file → Book. Every error names file, key and line, and says how to correct it.

Text in, values out; `shelf` reads the files. Unknown keys are errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from controller.events.doors import id_of, toml_table
from controller.events.errors import ConfigError, UnreadableError
from controller.events.words import Flag
from controller.rules.book import Autonomy, Book, Clause, Consequence, Detection, Kind, PolicyKey
from controller.rules.facts import DETECTABLE, IN_TIME
from controller.rules.roles import ROLES
from controller.rules.wording import holes

_M = TypeVar("_M", bound=BaseModel)
PolicyValue = str | int | float | bool | list[str]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _clause_id(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+-[0-9]+[a-z]?", value):
        raise ValueError("must be a book's id, - and a number, perhaps with a small letter, as in house-12b")
    return value


class DetectsEntry(_Entry):
    """A fact of a stroke that breaks the clause: an entry of the clause's `detects`."""

    fact: str = Field(description="a [fact](facts.md) that has words, or `elapsed`: the time since the stroke was due")
    values: list[str | bool] = Field(alias="is", min_length=1, description="the values that break the clause")
    on: Literal["any", "break", "later"] = Field("any", description="only on the break, or only later")


class ClauseEntry(_Entry):
    """A clause. A new id is added to the parent's clauses, one of theirs replaces it.

    In `says`, `then`, `decided`, `check` and `steps`, `{points}` is a policy value,
    `{own_in_foul|stays=stay|returned=come back}` words for each value; in them `#` is the value, and words with nothing
    before the `=` are for every other value.
    """

    id: Annotated[str, AfterValidator(_clause_id)] = Field(description="a book's id, `-` and a number, as in `icf-32b`")
    kind: Kind = Field(
        description="`auto`: decided from the sensors; `flag`: raised with evidence, the umpire confirms or dismisses "
        "it; `call`: only a human can see it, it is in the call list; `steps`: a guided procedure; `setup`: on the "
        "checklist before the match"
    )
    says: str = Field(min_length=3, description="the clause in a few words")
    consequence: Consequence = Field(
        "none",
        description="what follows, [in words](clauses.md); `foul` about the stroke makes it improper, otherwise it is "
        "a foul of its own. Of what `detects` finds, and of the flags of an `auto` clause, only `foul` and `none` "
        "may follow",
    )
    then: str = Field("", description="what follows in words of its own")
    about: Literal["stroke", ""] = Field("", description="a call of it rules on the latest stroke again")
    needs: list[str] = Field([], description="facts of the stroke that it hangs on, besides those in `detects`")
    detects: list[DetectsEntry] = Field([], description="facts with the values that break it")
    flags: list[str] = Field([], description="[flags](facts.md#flags) that break it")
    seen: list[str] = Field([], description="what the event `seen` reports: `shaken`, `upright` …")
    autonomy: Autonomy | None = Field(
        None,
        description="how far the table goes by itself; by default a `flag` is confirmed, all else ruled. `off`: "
        "neither cited nor applied, and each part of an outcome that it is the reason for is dropped",
    )
    decided: str = Field("", description="our decision where the text is silent")
    check: str = Field("", description="its line of the checklist")
    steps: list[str] = Field([], description="its procedure, step by step")
    also: list[str] = Field([], description="clauses cited with it")
    policy: list[str] = Field([], description="policy keys that settle it and that its words do not name")


class DeclaredKey(_Entry):
    """A policy key of the book's own: `[declare.KEY]`. `carrom books show` lists it with the others."""

    type: Literal["int", "number", "bool", "text", "choice", "words", "outcome"] = Field(
        description="what may stand there"
    )
    value: PolicyValue = Field(description="what holds by default")
    doc: str = Field(min_length=3, description="what it means")
    choices: list[str] = Field([], description="the words of a `choice`; `words` is a list of some of them")
    min: float | None = Field(None, description="the least number")
    max: float | None = Field(None, description="the greatest number")
    clauses: list[str] = Field([], description="clauses that it settles, besides those that name it")
    format: bool = Field(False, description="says how long a match is: a tournament may set it")


class PiecesEntry(_Entry):
    """How many of each there are."""

    white: int = Field(ge=0, le=9)
    black: int = Field(ge=0, le=9)
    queen: int = Field(ge=0, le=1)


class BookFile(_Entry):
    """A rulebook. What a book that `extends` another leaves out is as there."""

    id: Annotated[str, AfterValidator(id_of)] = Field(description="its name; a house book's path serves as well")
    title: str | None = Field(None, description="as people call it")
    extends: str | None = Field(None, description="the official book that it begins from")
    resolver: str | None = Field(
        None, description="a name in `strokes/`: a pure function `resolve(case) -> Outcome` (see `case.py`)"
    )
    pieces: PiecesEntry | None = Field(None, description="how many of `white`, `black`, `queen`")
    players: list[int] | None = Field(None, description="how many seats may be taken")
    teams: Literal["opposite", "named", "each"] | None = Field(
        None, description="who plays together on four seats where `start` names no `teams`"
    )
    rotation: Literal["right", "clockwise"] | None = Field(None, description="the order of the seats")
    colours: Literal["breaker white", "first pocketed", "none"] | None = Field(None, description="who has which colour")
    hands: Literal["colour", "pocketed"] | None = Field(
        None, description="what a side has to pay with: its own pieces in the pockets, or what it pocketed itself"
    )
    game: Literal["points", "board"] | None = Field(None, description="what decides a game: points, or one board")
    policy: dict[str, PolicyValue] = Field({}, description="[policy values](policy.md) of its own")
    declare: dict[str, DeclaredKey] = Field({}, description="policy keys of its own")
    roles: dict[str, str] = Field({}, description="a [situation](#roles) of the core, and the clause cited for it")
    autonomy: dict[str, Autonomy] = Field({}, description="a clause, and how far the table goes by itself")
    clause: list[ClauseEntry] = Field([], description="its clauses")


_INHERITED = ("title", "resolver", "players", "teams", "rotation", "colours", "hands", "game")


def read_common(text: str, name: str) -> dict[str, PolicyKey]:
    """Reads the declarations of the policy keys that every book has."""
    raw = _parse(text, name)
    return {
        key: _key(key, _checked(DeclaredKey, value, text, name, f"declare.{key}"))
        for key, value in raw["declare"].items()
    }


def read_book(
    text: str,
    name: str,
    *,
    common: Mapping[str, PolicyKey],
    parent: Callable[[str], Book],
    tables: Mapping[str, Any] | None = None,
    house: bool = False,
) -> Book:
    """Reads one rulebook.

    `name`: the file's name for errors. `parent`: gives the book that `extends` names. `tables`: outcome tables of the
    official books. Raises ConfigError with file, key and line.
    """
    file = _checked(BookFile, _parse(text, name), text, name, "")
    base = parent(file.extends) if file.extends else None
    missing = [key for key in (*_INHERITED, "pieces") if base is None and getattr(file, key) is None]
    if missing:
        raise ConfigError(f"{name}: {missing[0]} is missing. Fix: give it, or extend another book")
    keys = dict(base.keys if base else common)
    for key, declared in file.declare.items():
        keys[key] = _key(key, declared)
    clauses = dict(base.clauses) if base else {}
    for number, entry in enumerate(file.clause):
        if entry.id in clauses and (base is None or entry.id not in base.clauses):
            raise _error(name, text, f"clause {entry.id} stands twice", entry.id, "keep one of them")
        clauses[entry.id] = _clause(entry)
        _check_words(entry, name, text, number)
    for spelled, word in file.autonomy.items():
        if spelled not in clauses:
            raise _error(name, text, f"autonomy.{spelled}: there is no such clause", spelled, "use a clause id")
        clauses[spelled] = replace(clauses[spelled], autonomy=word)
    policy = {key: one.value for key, one in keys.items()} | dict(base.policy if base else {})
    policy |= {key: one.value for key, one in file.declare.items()}
    for key, value in file.policy.items():
        fault = keys[key].fault(value) if key in keys else f"{key} is not a policy key of this book"
        if fault:
            raise _error(name, text, f"policy.{fault}", key, "carrom books show lists keys and types")
        policy[key] = value
    roles = dict(base.roles if base else {}) | file.roles
    for role, clause in file.roles.items():
        if role not in ROLES:
            raise _error(name, text, f"roles.{role}: there is no such role", role, f"use {', '.join(sorted(ROLES))}")
        if clause not in clauses:
            raise _error(name, text, f"roles.{role}: there is no clause {clause}", role, "name one of its clauses")
    for key, one in keys.items():
        for clause in one.clauses:
            if clause not in clauses:
                raise _error(name, text, f"declare.{key}.clauses: there is no clause {clause}", key, "name its clauses")
    for number, entry in enumerate(file.clause):
        _check_holes(clauses[entry.id], keys, name, text, number)
    pieces = file.pieces.model_dump() if file.pieces else dict(base.pieces if base else {})
    inherited = {
        key: getattr(file, key) if getattr(file, key) is not None else getattr(base, key) for key in _INHERITED
    }
    return Book(
        id=file.id,
        pieces=pieces,
        policy=policy,
        keys=keys,
        roles=roles,
        clauses=clauses,
        house=house,
        based_on=((base.id, *base.based_on) if base else ()),
        tables={**(base.tables if base else {}), **(tables or {})},
        **{**inherited, "players": tuple(inherited["players"])},
    )


def _clause(entry: ClauseEntry) -> Clause:
    detects = tuple(Detection(d.fact, tuple(d.values), d.on) for d in entry.detects)
    default: Autonomy = "confirm" if entry.kind == "flag" else "rule"
    return Clause(
        id=entry.id,
        kind=entry.kind,
        says=entry.says,
        consequence=entry.consequence,
        then=entry.then,
        about_stroke=entry.about == "stroke",
        needs=tuple(dict.fromkeys([*entry.needs, *(d.fact for d in detects), *(f"flags.{f}" for f in entry.flags)])),
        detects=detects,
        flags=tuple(entry.flags),
        seen=tuple(entry.seen),
        autonomy=entry.autonomy or default,
        decided=entry.decided,
        check=entry.check,
        steps=tuple(entry.steps),
        also=tuple(entry.also),
        policy=tuple(entry.policy),
    )


def _key(name: str, one: DeclaredKey) -> PolicyKey:
    return PolicyKey(
        name, one.type, one.value, one.doc, tuple(one.choices), one.min, one.max, tuple(one.clauses), one.format
    )


FACTS: Mapping[str, tuple[Any, ...]] = {
    **{fact: one.values for fact, one in DETECTABLE.items()},
    "elapsed": IN_TIME,
}
"""The facts that a `detects` may name, with their values."""


RULED_UNASKED = ("foul", "none")
"""What may follow from what is detected: anything else is for a person to decide."""


def _check_words(entry: ClauseEntry, name: str, text: str, number: int) -> None:
    for detect in entry.detects:
        known = FACTS.get(detect.fact)
        if known is None:
            raise _error(
                name, text, f"clause.{number}.detects: no fact {detect.fact!r}", entry.id, f"use {', '.join(FACTS)}"
            )
        for value in detect.values:
            if value not in known:
                words = ", ".join(str(v) for v in known)
                raise _error(name, text, f"{entry.id}: {detect.fact} is never {value!r}", entry.id, f"use {words}")
    if (entry.detects or (entry.kind == "auto" and entry.flags)) and entry.consequence not in RULED_UNASKED:
        what = f"clause.{number}.consequence: what is detected is ruled as a foul, not as {entry.consequence!r}"
        fix = f"use {' or '.join(RULED_UNASKED)}, or make it a call"
        raise _error(name, text, what, entry.id, fix)
    flags = get_args(Flag)
    for flag in entry.flags:
        if flag not in flags:
            raise _error(name, text, f"{entry.id}: there is no flag {flag!r}", entry.id, f"use {', '.join(flags)}")


def _check_holes(clause: Clause, keys: Mapping[str, PolicyKey], name: str, text: str, number: int) -> None:
    """Refuses a clause that names a policy key which the book has not, or hangs on a value which it never has."""
    named: list[tuple[str, tuple[str, ...]]] = [(key, ()) for key in clause.policy]
    for key, values in (*named, *(hole for said in clause.texts for hole in holes(said))):
        if key not in keys:
            known = ", ".join(sorted(keys))
            raise _error(name, text, f"clause.{number}: there is no policy key {key}", clause.id, f"use {known}")
        allowed = ("true", "false") if keys[key].type == "bool" else keys[key].choices
        for value in values:
            if allowed and value not in allowed:
                words = ", ".join(allowed)
                raise _error(name, text, f"clause.{number}: {key} is never {value}", clause.id, f"use {words}")


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        return toml_table(text)
    except UnreadableError as error:
        raise ConfigError(f"{name}: {error}. Fix: correct it") from error


def _checked(model: type[_M], value: Any, text: str, name: str, under: str) -> _M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        path = [str(part) for part in first["loc"] if not str(part).startswith("function")]
        said = (
            "there is no such key"
            if first["type"] == "extra_forbidden"
            else first["msg"].removeprefix("Value error, ").lower()
        )
        where = ".".join([under, *path] if under else path)
        fix = "correct it; docs/reference/books.md shows every key"
        raise ConfigError(f"{name}{_line(text, path)}: {where}: {said}. Fix: {fix}") from error


def _line(text: str, path: list[str]) -> str:
    """Finds the line of a key path: entries of arrays of tables are counted, then the key is searched for."""
    lines = text.splitlines()
    begin, wanted = 0, path[-1] if path else ""
    if len(path) >= 2 and path[0] == "clause" and path[1].isdigit():
        heads = [i for i, line in enumerate(lines) if line.strip() == "[[clause]]"]
        if int(path[1]) < len(heads):
            begin = heads[int(path[1])]
            wanted = path[2] if len(path) > 2 else ""
    elif len(path) >= 2 and path[0] in ("declare", "policy", "roles", "autonomy"):
        heads = [i for i, line in enumerate(lines) if line.strip() in (f"[{path[0]}]", f"[{path[0]}.{path[1]}]")]
        begin = heads[0] if heads else 0
        wanted = next((p for p in reversed(path) if not p.isdigit()), "")
    if not wanted:
        return f":{begin + 1}"
    for i in range(begin, len(lines)):
        if re.match(rf"\s*\[*\"?{re.escape(wanted)}\"?\b", lines[i]):
            return f":{i + 1}"
    return f":{begin + 1}"


def _error(name: str, text: str, what: str, wanted: str, fix: str) -> ConfigError:
    lines = text.splitlines()
    found = next((i for i, line in enumerate(lines) if re.search(rf"\b{re.escape(wanted)}\b", line)), None)
    where = "" if found is None else f":{found + 1}"
    return ConfigError(f"{name}{where}: {what}. Fix: {fix}")
