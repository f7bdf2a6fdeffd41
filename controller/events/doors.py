"""The one strict reader of whatever comes from outside: every JSON, TOML, text, name and number goes through it.

HTTP, MQTT, hub, command line, journal, calibration, beam logs and configuration differ only in the `Limits` they set.
What is within them can be computed with, written down, published and shown by every room: nested no deeper than any
recursion, numbers that fit 64 bits and are finite, texts that are valid Unicode. Must not know what a value means.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO

from controller.events.errors import UnreadableError

LONGEST_NAME = 60
LONGEST_REASON = 500
LARGEST_NUMBER = 2**63 - 1
"""What SQLite, NumPy and the ring of pictures hold; nothing that is counted or measured here comes near."""

MOST_DIGITS = 19
"""Of a whole number written in decimal: as many as `LARGEST_NUMBER` has."""

FURTHEST_MM = 2000.0
"""From the board's centre, across or along: twice as far as the widest board's cushion. Beyond it nobody placed or saw
anything, and something else than millimetres was written."""

MOST_PIECES = 20
"""Of one side, or fallen in one stroke: a board has nineteen and the striker."""
MOST_LYING = 200
"""What may be reported on a board: far more than it has pieces, since other things may be taken for some."""
MOST_TOUCHES = 100
"""Of one stroke: five for each piece there is."""
MOST_FACTS = 64
"""That nobody saw, or that are in doubt: three for each piece there is."""
MOST_CHOICES = 100
"""Of one doubt: each piece a board has, and some ways that it may have gone."""

_MIB = 2**20
_ID = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one text from outside may hold: bytes in all, levels of nesting, characters of any one text in it.

    `turns`: whether a text in it may turn the direction of writing; whoever shows one that may looks at it himself.
    """

    size: int
    depth: int = 24
    text: int = 4096
    turns: bool = True


EVENT = Limits(256 * 1024)
"""An umpire's event, by whatever way in; a stroke with every contact and doubt has some ten thousand bytes."""

MESSAGE = Limits(_MIB)
"""A table's own payloads and the vision process's lines as others read them."""

RECORD = Limits(16 * _MIB, text=_MIB)
"""A line or a row that this program wrote: journal, evidence, recordings."""

SETTINGS = Limits(_MIB, text=64 * 1024, turns=False)
"""A configuration or a rulebook."""

CALIBRATION = Limits(64 * _MIB, text=48 * _MIB)
"""A calibration file; the empty board's picture stands in it as text."""

CASE = Limits(64 * _MIB)
"""A stroke with all that was reported around it."""

PROTEST = Limits(512 * _MIB)
"""A protest's file: a clip's pictures, and little besides."""

SECRET = Limits(4096, text=1024)
"""A file with one password or PIN."""

_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of what stands around them, and so make one name look like another."""

_JOINERS = frozenset("\u200c\u200d")
"""Invisible too, but Devanagari and emoji are written with them."""

_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Letters and signs that nobody sees: fillers of Hangul, the empty Braille cell, a note without a head."""


# -- texts to values


def json_value(raw: str | bytes, limits: Limits = EVENT) -> Any:
    """Reads one JSON value. Raises UnreadableError that says which limit it breaks, or why it is no JSON."""
    text = _decoded(raw, limits)
    try:
        value = json.loads(text, object_pairs_hook=_each_key_once)
    except RecursionError as error:
        raise _too_deep(limits) from error
    except UnreadableError:
        raise
    except ValueError as error:
        raise UnreadableError(f"is no JSON: {_plain(error)}") from error
    return checked(value, limits)


def json_object(raw: str | bytes, limits: Limits = EVENT) -> dict[str, Any]:
    """Reads one JSON object. Raises UnreadableError."""
    value = json_value(raw, limits)
    if not isinstance(value, dict):
        raise UnreadableError("is not one JSON object")
    return value


def toml_table(raw: str, limits: Limits = SETTINGS) -> dict[str, Any]:
    """Reads a TOML text. Raises UnreadableError."""
    text = _decoded(raw, limits)
    try:
        value = tomllib.loads(text)
    except RecursionError as error:
        raise _too_deep(limits) from error
    except ValueError as error:
        raise UnreadableError(f"is no TOML: {_plain(error)}") from error
    table: dict[str, Any] = checked(value, limits)
    return table


def checked(value: Any, limits: Limits = EVENT) -> Any:
    """Returns a value of texts, numbers, lists and objects as it is, if it is within the limits.

    Raises UnreadableError that names the limit. Walks without recursion: depth is what it guards against.
    """
    level: list[Any] = [value]
    for _depth in range(limits.depth + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, str):
                _check_text(item, limits)
            elif isinstance(item, dict):
                for key in item:
                    _check_text(str(key), limits)
                below.extend(item.values())
            elif isinstance(item, list | tuple):
                below.extend(item)
            elif isinstance(item, float):
                if not (isfinite(item) and abs(item) <= LARGEST_NUMBER):
                    raise UnreadableError("holds a number that is not finite, or larger than 64 bits hold")
            elif isinstance(item, int):
                if abs(item) > LARGEST_NUMBER:
                    raise UnreadableError(f"holds a whole number of more than {MOST_DIGITS} digits")
            elif item is not None:
                raise UnreadableError(f"holds a {type(item).__name__}: neither text, number, list nor object")
        if not below:
            return value
        level = below
    raise _too_deep(limits)


def json_text(value: Any, indent: int | None = None) -> str:
    """Writes a value for others as JSON, on one line or indented. What is no finite number is null: JSON has no NaN."""
    between = (",", ": ") if indent else (",", ":")
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=between)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent, separators=between)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def whole_number(text: str | None, otherwise: int = -1) -> int:
    """Reads the digits of a whole number that is not negative; `otherwise` for anything else, or for too many."""
    if text is None or len(text) > MOST_DIGITS or not (text.isascii() and text.isdigit()):
        return otherwise
    return min(int(text), LARGEST_NUMBER)


# -- files and streams


def text_of(path: str | Path, limits: Limits) -> str:
    """Reads a file of text. Raises UnreadableError, to be written after the path."""
    return _decoded(bytes_of(path, limits), limits)


def bytes_of(path: str | Path, limits: Limits) -> bytes:
    """Reads a file. Raises UnreadableError, to be written after the path.

    No more is read than the limit allows: a device or a pipe that never ends must not fill the memory. A pipe into
    which nobody writes is empty: opened as files are it would be waited for without end.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            raw = file.read(limits.size + 1)
    except FileNotFoundError as error:
        raise UnreadableError("there is no such file") from error
    except (OSError, ValueError) as error:
        raise UnreadableError(f"cannot be read: {why_not(error)}") from error
    if len(raw) > limits.size:
        raise _too_long(limits)
    return raw


def _open_at_once(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(handle, True)
    return handle


def why_not(error: OSError | ValueError) -> str:
    """Says in a few words why a path cannot be used; a path may hold what no file's name can (a NUL)."""
    return error.strerror or str(error) if isinstance(error, OSError) else "its name is none that a file can have"


def fix_of(error: OSError, otherwise: str) -> str:
    """Says what helps where nothing can be written. `otherwise`: what does where neither file system nor room are to
    blame."""
    if error.errno == errno.EROFS:
        return "another card or disk: the system makes a worn one read-only, and `dmesg` says why"
    return "make room on the disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else otherwise


def lines_of(stream: BinaryIO, limits: Limits = EVENT) -> Iterator[bytes]:
    """Yields the lines of a stream as they come; of one that is too long only what shows that it is."""
    while line := stream.readline(limits.size + 1):
        yield line
        while len(line) > limits.size and not line.endswith(b"\n"):
            line = line[-1:] + stream.readline(limits.size)
            if len(line) == 1:
                return


def one_line(text: object) -> str:
    """Writes an error, or whatever it quotes, on one line that any terminal can show."""
    return "".join(c if c.isprintable() else " " if c in "\n\r\t" else "\N{REPLACEMENT CHARACTER}" for c in str(text))


# -- names and reasons


def word_of(value: str, longest: int = LONGEST_NAME) -> str:
    """Returns a word as it is (a user, a password, an id): one line of visible text, or none at all.

    Raises UnreadableError that says what is wrong with it.
    """
    _shown_text(value, longest, allowed=frozenset())
    if value and not is_seen(value):
        raise UnreadableError(NOTHING_SEEN)
    return value


def name_of(value: str, longest: int = LONGEST_NAME) -> str:
    """Returns a name, composed: as `word_of`, but the same whichever keyboard wrote it. Raises UnreadableError."""
    return word_of(composed(value), longest)


_TYPED = str.maketrans(dict.fromkeys("‘’‛ʻʼʹ′`´＇", "'") | dict.fromkeys("‐‑‒–—―−﹣－", "-"))
"""What keyboards write for an apostrophe and for a hyphen."""


def composed(text: str) -> str:
    """Returns a text with each letter and what is written upon it as one character where there is one (NFC): what one
    machine types as `ü` another types as `u` and two dots."""
    return unicodedata.normalize("NFC", text)


def name_key(name: str) -> str:
    """Returns what all writings of one name have in common: whoever compares names compares these. A phone writes
    `’` and `–` where a spreadsheet writes `'` and `-`."""
    return composed(" ".join(composed(name).translate(_TYPED).casefold().split()))


def player_of(value: str, longest: int = LONGEST_NAME) -> str:
    """Returns a player's name, composed: as `name_of`, but there has to be one. Raises UnreadableError."""
    if not value:
        raise UnreadableError(NOTHING_SEEN)
    return name_of(value, longest)


def id_of(value: str) -> str:
    """Returns the id of a table or a book as it is. Raises UnreadableError for what may not stand in one."""
    if not _ID.fullmatch(value):
        raise UnreadableError("must be of small letters a-z, figures and - alone")
    return value


def is_seen(text: str) -> bool:
    """Returns whether anything of a text can be seen: a letter, figure or sign; marks need one that they stand on."""
    return any(unicodedata.category(character)[0] in "LNPS" and character not in _BLANKS for character in text)


def turns(text: str) -> bool:
    """Returns whether a text holds a character that turns the direction of what stands around it."""
    return not _TURNS.isdisjoint(text)


def reason_of(value: str) -> str:
    """Returns a reason as it is: visible text, of several lines perhaps. Raises UnreadableError."""
    return _shown_text(value, LONGEST_REASON, allowed=_BREAKS)


def fitting_name(value: str, longest: int = LONGEST_NAME) -> str:
    """Returns what `name_of` takes of a name that was taken before there were limits.

    One that nobody can see is spelled out: it stays another's than every other name.
    """
    fits = _fitting(composed(value), longest, allowed=frozenset())
    return fits if is_seen(fits) else (" ".join(f"U+{ord(character):04X}" for character in value) or "?")[:longest]


def fitting_reason(value: str, longest: int = LONGEST_REASON) -> str:
    """Returns what `reason_of` takes of a text that was taken before there were limits."""
    return _fitting(value, longest, allowed=_BREAKS)


def host_of(value: str) -> str:
    """Returns a host's name or address as it is. Raises UnreadableError for what no network could look up."""
    try:
        word_of(value, 253)
        fine = bool(value) and not any(c.isspace() or c in "/@" for c in value) and bool(value.encode("idna"))
    except ValueError:
        fine = False
    if not fine:
        raise UnreadableError("is no host's name or address")
    return value


_ADDRESS = re.compile(r"(?:\[(?P<six>[^\[\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>[0-9]{1,5}))?")


def address_of(value: str) -> tuple[str, int | None]:
    """Returns host and port, None where it names none. Raises UnreadableError for what is no address."""
    found = _ADDRESS.fullmatch(value)
    try:
        if found is None:
            raise ValueError
        host = host_of(found["host"]) if found["six"] is None else str(IPv6Address(found["six"]))
        port = None if found["port"] is None else int(found["port"])
        if port is not None and not 1 <= port <= 65535:
            raise ValueError
    except ValueError:
        says = 'is no address; write "10.0.0.3", "10.0.0.3:8883" or "[fd00::3]:8883"'
        raise UnreadableError(says) from None
    return host, port


_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^:,/?#@\[\]\s]*)(?::[0-9]{1,5})?"
_DATABASE = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^:/?#@\s]+)(?::[^:/?#@\s]*)?@)?"
    rf"(?P<place>{_HOST}(?:,{_HOST})*/[^/?#@\s]+)(?:\?[^#@\s]*)?"
)


def database_of(value: str) -> str:
    """Returns a PostgreSQL server's address without password and options, to be shown.

    Raises UnreadableError, which quotes nothing, for what is none: in what libpq reads otherwise than it was meant, a
    part of the password would be a host's name, and in errors.
    """
    found = _DATABASE.fullmatch(word_of(value, 1024))
    if found is None:
        raise UnreadableError(
            "is no address of a database; write postgresql://user@host/database, and a password's signs as %40 for @"
        )
    user = f"{found['user']}@" if found["user"] else ""
    return f"postgresql://{user}{found['place']}"


_BREAKS = frozenset("\n\t")
NOTHING_SEEN = "needs at least one character that can be seen"


def _shown_text(value: str, longest: int, allowed: frozenset[str]) -> str:
    if len(value) > longest:
        raise UnreadableError(f"has {len(value)} characters, at most {longest} are taken")
    for character in value:
        if says := _not_shown(character, allowed):
            raise UnreadableError(f"holds a character that {says}")
    return value


def _fitting(value: str, longest: int, allowed: frozenset[str]) -> str:
    return "".join(character for character in value if not _not_shown(character, allowed))[:longest]


def _not_shown(character: str, allowed: frozenset[str]) -> str:
    """Says why a character may not stand in a text that is shown; empty if it may."""
    if character in allowed or character in _JOINERS:
        return ""
    if character in _TURNS:
        return "turns the direction of writing"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return f"cannot be seen (U+{ord(character):04X})"
    return ""


def _check_text(text: str, limits: Limits) -> None:
    if len(text) > limits.text:
        raise UnreadableError(f"holds a text of {len(text)} characters, at most {limits.text} are taken")
    if "\0" in text:
        raise UnreadableError("holds a text with a NUL")
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UnreadableError("holds a text with half a character (a lone surrogate)") from error
    if not limits.turns and turns(text):
        raise UnreadableError("holds a text with a character that turns the direction of writing")


def _too_long(limits: Limits) -> UnreadableError:
    return UnreadableError(f"is too long; at most {limits.size} bytes are taken")


def _decoded(raw: str | bytes, limits: Limits) -> str:
    """The text, without the byte order mark that editors of other systems write before it."""
    if len(raw) > limits.size:
        raise _too_long(limits)
    try:
        return (raw if isinstance(raw, str) else raw.decode("utf-8")).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is no valid UTF-8 at byte {error.start + 1}") from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON leaves open which of two holds: whoever wrote them meant something by both.
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _count),) = Counter(name for name, _value in pairs).most_common(1)
        raise UnreadableError(f"names the key {one_line(repr(twice))[:60]} twice; leave one of them out")
    return found


def _plain(error: ValueError) -> str:
    # Python's own word about long integers is about Python.
    if "integer string conversion" in str(error):
        return f"a whole number has more than {MOST_DIGITS} digits"
    if isinstance(error, json.JSONDecodeError):
        # In a text of one line that line's number is 1, whichever line of a stream it is.
        alone = "\n" not in error.doc.strip()
        column = len(error.doc[: error.pos].strip("\r\n")) + 1 if alone else error.colno
        where = f"column {column}" if alone else f"line {error.lineno}, column {column}"
        return one_line(f"{error.msg[:1].lower()}{error.msg[1:]} at {where}")
    says = one_line(error)
    for python, plain in _OF_TOML.items():
        says = re.sub(python, plain, says)
    return says


_OF_TOML = {
    r"Cannot overwrite a value": "a key stands twice; leave one of them out",
    r"Cannot declare \((.+?),?\) twice": r"section \1 stands twice; leave one of them out",
    r"Cannot mutate immutable namespace \((.+?),?\)": r"section \1 stands twice; leave one of them out",
}
"""Python's words about what stands twice, and ours."""


def _too_deep(limits: Limits) -> UnreadableError:
    return UnreadableError(f"is nested deeper than {limits.depth} levels")
