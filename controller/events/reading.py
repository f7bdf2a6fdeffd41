"""JSON values that come from outside → typed values, by pydantic, with one plain line for what is wrong with them.

Here stand the types that a field of ours may have, and how an error is worded: which field, what it must be, what it
is. Must not know an event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from itertools import chain
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_type_hints

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    TypeAdapter,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from controller.events.doors import (
    FURTHEST_MM,
    LARGEST_NUMBER,
    LONGEST_NAME,
    LONGEST_REASON,
    name_of,
    one_line,
    player_of,
    reason_of,
)
from controller.events.errors import EventError

_T = TypeVar("_T")


def shown(value: Any) -> str:
    """Writes a wrong value for an error message, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _pair(what: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ValueError(f"must be {what}, not {shown(value)}")
        return value

    return check


def _no_number(value: Any) -> Any:
    # 0 equals False, and a literal asks for no more.
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError(f"must be true, false or unknown, not {shown(value)}")
    return value


def _up_to(longest: int, least: int = 0) -> Any:
    # Said in the schema; the check itself is the door's, which words it.
    return Field(json_schema_extra={"maxLength": longest, **({"minLength": least} if least else {})})


YesNo = Annotated[bool, Strict()]
YesNoUnknown = Annotated[Literal[True, False, "unknown"], BeforeValidator(_no_number)]
"""Seen true, seen false, or seen and not decided."""
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Positive = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=0)]
Whole = Annotated[int, Strict()]
Count = Annotated[int, Strict(), Field(ge=0, le=99)]
Score = Annotated[int, Strict(), Field(ge=0, le=9999)]
Text = Annotated[str, Strict(), AfterValidator(reason_of), _up_to(LONGEST_REASON)]
"""A person's words: visible, of several lines perhaps."""
Name = Annotated[str, Strict(), AfterValidator(name_of), _up_to(LONGEST_NAME)]
"""One line of visible text."""
Player = Annotated[str, Strict(), AfterValidator(player_of), _up_to(LONGEST_NAME, least=1)]
"""The same, of a person: there has to be one."""
Millimetre = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=-FURTHEST_MM, le=FURTHEST_MM)]
"""One coordinate of a place, from the board's centre."""
Point = Annotated[tuple[Millimetre, Millimetre], BeforeValidator(_pair("a point [x, y] in mm"))]
Weighted = Annotated[tuple[Any, Positive], BeforeValidator(_pair("[value, weight]"))]


@dataclass(frozen=True, slots=True)
class As:
    """The note of a field that takes fewer words from outside than its type in the code has."""

    words: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.words)


def without_null(names: Collection[str]) -> BeforeValidator:
    """The note of an object whose fields of these names are as left out where they are null."""

    def said(value: Any) -> Any:
        return {key: item for key, item in value.items() if item is not None or key not in names}

    return BeforeValidator(lambda value: said(_object(value)))


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"must be an object, not {shown(value)}")
    return value


class FromJson:
    """Base of the dataclasses that are read from JSON: no unknown field, and null is as left out where a field may be.

    `also_taken`: fields that may stand there and say nothing. A field's name in JSON is its alias, if it has one.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    also_taken: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        """The dataclass's own schema behind a look at what is left out."""
        names = json_names(cls)
        optional = {
            names[field.name]
            for field in fields(cls)  # type: ignore[arg-type]
            if field.default is not MISSING or field.default_factory is not MISSING
        }
        dropped = cls.also_taken - set(names.values())

        def said(value: Any) -> Any:
            # Most objects have nothing to leave out, and a stroke has fifty of them.
            if None not in _object(value).values() and dropped.isdisjoint(value):
                return value
            return {
                key: item
                for key, item in value.items()
                if (item is not None or key not in optional) and key not in dropped
            }

        return core_schema.no_info_before_validator_function(said, handler(source))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The dataclass's own schema with what is also taken."""
        body = handler.resolve_ref_schema(handler(schema))
        body["properties"] = {**{name: {} for name in sorted(cls.also_taken)}, **body.get("properties", {})}
        return body


def json_names(model: type) -> dict[str, str]:
    """Returns the name that each field of a dataclass has in JSON."""
    hints = get_type_hints(model, include_extras=True)
    found = {}
    for field in fields(model):
        notes = getattr(hints[field.name], "__metadata__", ())
        aliases = [note.alias for note in notes if isinstance(note, FieldInfo) and note.alias]
        found[field.name] = aliases[0] if aliases else field.name
    return found


def longest_lists(*models: type) -> dict[str, int]:
    """Returns how many entries each list of some dataclasses may have, by the names of their fields."""
    hints = (hint for model in models for hint in get_type_hints(model, include_extras=True).items())
    return {name: most for name, hint in hints if (most := _most_entries(hint)) is not None}


def _most_entries(hint: Any) -> int | None:
    notes = (note for note in getattr(hint, "__metadata__", ()) if isinstance(note, FieldInfo))
    own = (limit.max_length for note in notes for limit in note.metadata if hasattr(limit, "max_length"))
    return next(chain(own, filter(None, map(_most_entries, get_args(hint)))), None)


def read_as(hint: Any) -> Any:
    """Returns the type that is taken from outside where a hint is noted to take fewer words than it has."""
    return next((note.words for note in getattr(hint, "__metadata__", ()) if isinstance(note, As)), hint)


def read(adapter: TypeAdapter[_T], value: Any, where: str = "") -> _T:
    """Reads a value. Raises EventError that names the field which is unknown, missing or wrong."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        # What it quotes (a field's name) may be anything; it is shown on pages and in logs.
        raise EventError(one_line(_worded(error, where))) from error


def strictly(adapter: TypeAdapter[_T], value: Any) -> _T:
    """Reads a JSON value as what it is: no text is taken for a number ("NaN", "1e999"), no number for true or false.

    Raises ValidationError. Only what is written as JSON is read so: among Python's values a list is no tuple.
    """
    return adapter.validate_json(json.dumps(value), strict=True)


def number(value: Any, where: str) -> float:
    """Reads a finite number."""
    found = read(_NUMBER, value, where)
    if abs(found) > LARGEST_NUMBER:
        raise EventError(f"{where} must be a number, not {shown(value)}")
    return found


_NUMBER: TypeAdapter[float] = TypeAdapter(Number)


def _worded(error: ValidationError, where: str) -> str:
    """One line about the first fault: a field that is unknown before one that is missing or wrong."""
    faults = error.errors(include_url=False)
    first = next((fault for fault in faults if fault["type"] in _UNKNOWN_FIELD), faults[0])
    path, key = where, False
    for part in first["loc"]:
        if part == "[key]":
            key = True
        elif isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else str(part)
    kind, given, limits = first["type"], first["input"], first.get("ctx", {})
    if kind in _UNKNOWN_FIELD:
        return f"unknown field {path}"
    if kind == "missing":
        return f"{path} is missing"
    path = f"a key of {path.rpartition('.')[0]}" if key else path or "the event"
    if kind == "value_error":
        return f"{path} {limits['error']}"
    if kind == "literal_error":
        return f"{path} must be {_one_of(limits['expected'])}, not {shown(given)}"
    if kind == "too_long":
        return f"{path} has {limits['actual_length'] or len(given)} entries, at most {limits['max_length']} are taken"
    if kind in _MUST_BE:
        return f"{path} must be {_MUST_BE[kind]}, not {shown(given)}"
    if kind in _LIMITS:
        return f"{path} must be {_LIMITS[kind]} {limits[next(iter(limits))]:g}, not {shown(given)}"
    return f"{path}: {first['msg'].lower()}, not {shown(given)}"


_UNKNOWN_FIELD = frozenset({"unexpected_keyword_argument", "extra_forbidden"})
_MUST_BE = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "a text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "too_short": "a list of at least one",
}
_LIMITS = {"greater_than_equal": "at least", "less_than_equal": "at most"}


def _one_of(expected: str) -> str:
    """Pydantic's list of words, as we write it."""
    words = [text or plain.lower() for text, plain in re.findall(r"'([^']*)'|\b(True|False)\b", expected)]
    if "true" in words:
        return "true or false" if len(words) == 2 else f"true, false or {words[-1]}"
    return f"one of {', '.join(words)}" if len(words) > 1 else f"{words[0]}"
