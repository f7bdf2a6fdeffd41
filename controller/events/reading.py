"""Small readers for JSON values that say exactly which field is wrong. Used by the codec of the events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeVar, get_args

from controller.events.doors import LARGEST_NUMBER, name_of, reason_of
from controller.events.errors import EventError, UnreadableError

_T = TypeVar("_T")
Reader = Callable[[Any, str], Any]


def shown(value: Any) -> str:
    """Writes a wrong value for an error message, on one line and not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def flag(value: Any, where: str) -> bool:
    """Reads true or false."""
    if not isinstance(value, bool):
        raise EventError(f"{where} must be true or false, not {shown(value)}")
    return value


def whole(low: int | None = None, high: int | None = None) -> Reader:
    """Makes a reader of whole numbers within limits."""

    def read(value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise EventError(f"{where} must be a whole number, not {shown(value)}")
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise EventError(f"{where} must be {limits}, not {value}")
        return value

    return read


def number(value: Any, where: str) -> float:
    """Reads a finite number."""
    fine = isinstance(value, int | float) and not isinstance(value, bool)
    # The size is asked first: a whole number of 400 digits is none that `isfinite` could be asked about.
    if not fine or not abs(value) <= LARGEST_NUMBER or not isfinite(value):
        raise EventError(f"{where} must be a number, not {shown(value)}")
    return float(value)


def positive(value: Any, where: str) -> float:
    """Reads a finite number of at least 0."""
    read = number(value, where)
    if read < 0:
        raise EventError(f"{where} must not be negative, not {shown(value)}")
    return read


def text(value: Any, where: str) -> str:
    """Reads a text: visible, and no longer than a reason may be."""
    return _text(value, where, reason_of)


def name(value: Any, where: str) -> str:
    """Reads a name: one line of visible text."""
    return _text(value, where, name_of)


def _text(value: Any, where: str, checked: Callable[[str], str]) -> str:
    if not isinstance(value, str):
        raise EventError(f"{where} must be a text, not {shown(value)}")
    try:
        return checked(value)
    except UnreadableError as error:
        raise EventError(f"{where} {error}") from error


def word(vocabulary: Any, *more: str) -> Reader:
    """Makes a reader of the words of a Literal type (and some more)."""
    words = (*get_args(vocabulary), *more)

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, str) or value not in words:
            raise EventError(f"{where} must be one of {', '.join(words)}, not {shown(value)}")
        return value

    return read


def flag_or(*words: str) -> Reader:
    """Makes a reader of true, false or some words."""

    def read(value: Any, where: str) -> Any:
        if isinstance(value, bool) or (isinstance(value, str) and value in words):
            return value
        raise EventError(f"{where} must be true, false or {', '.join(words)}, not {shown(value)}")

    return read


def point(value: Any, where: str) -> tuple[float, float]:
    """Reads a point [x, y] in mm."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise EventError(f"{where} must be a point [x, y] in mm, not {shown(value)}")
    return (number(value[0], f"{where}[0]"), number(value[1], f"{where}[1]"))


def listed(reader: Reader) -> Reader:
    """Makes a reader of lists, as tuples."""

    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise EventError(f"{where} must be a list, not {shown(value)}")
        return tuple(reader(item, f"{where}[{i}]") for i, item in enumerate(value))

    return read


def mapped(key: Reader, reader: Reader) -> Reader:
    """Makes a reader of objects whose keys are words."""

    def read(value: Any, where: str) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise EventError(f"{where} must be an object, not {shown(value)}")
        return {key(k, f"a key of {where}"): reader(v, f"{where}.{k}") for k, v in value.items()}

    return read


def anything(value: Any, _where: str) -> Any:
    """Reads whatever JSON holds."""
    return value


def obj(value: Any, where: str) -> dict[str, Any]:
    """Reads an object as it is."""
    if not isinstance(value, Mapping):
        raise EventError(f"{where} must be an object, not {shown(value)}")
    return dict(value)


class Fields:
    """A table of an object's fields: JSON name → (attribute, reader); `required` ones; `ignored` envelope fields."""

    def __init__(
        self,
        make: Callable[..., Any],
        fields: Mapping[str, Reader],
        required: tuple[str, ...] = (),
        ignored: frozenset[str] = frozenset(),
        renamed: Mapping[str, str] | None = None,
        nullable: bool = True,
    ) -> None:
        self.make = make
        self.fields = fields
        self.required = required
        self.ignored = ignored
        self.renamed = renamed or {}
        self.nullable = nullable

    def __call__(self, value: Any, where: str) -> Any:
        """Reads the object. Raises EventError naming the field that is unknown, missing or wrong."""
        if not isinstance(value, Mapping):
            raise EventError(f"{where or 'the event'} must be an object, not {shown(value)}")
        prefix = f"{where}." if where else ""
        values: dict[str, Any] = {}
        for key, item in value.items():
            reader = self.fields.get(key)
            if reader is None:
                if key in self.ignored:
                    continue
                raise EventError(f"unknown field {prefix}{key}")
            if item is None and self.nullable and key not in self.required:
                continue
            values[self.renamed.get(key, key)] = reader(item, f"{prefix}{key}")
        for key in self.required:
            if self.renamed.get(key, key) not in values:
                raise EventError(f"{prefix}{key} is missing")
        return self.make(**values)
