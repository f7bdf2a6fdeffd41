"""Lines of the node's protocol: values to bytes, and any bytes at all to values.

A damaged line is dropped and counted, never guessed at and never an exception; memory is bounded by the longest
line. Knows the table of messages, no clock and no port.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from controller.pockets.messages import (
    MAX_HOST_LINE,
    MAX_NODE_LINE,
    MESSAGES,
    SHAPES,
    Field,
    Kind,
    Message,
    Sender,
    find_message,
)

Value = int | str
_TRAILER = 7
"""`*`, two digits of length, four of the check."""
_BASE: dict[Kind, int] = {"dec": 10, "num": 10, "hex2": 16, "hex8": 16}
_WIDTH: dict[Kind, int] = {"hex2": 2, "hex8": 8}


@dataclass(frozen=True, slots=True)
class Line:
    """One line that passed every check. Numbers are ints; `boot`, `nonce`, `dict`, bits and words stay text."""

    name: str
    values: Mapping[str, Value]

    def number(self, key: str) -> int:
        """Returns a numeric field; the table says which are numbers."""
        value = self.values[key]
        assert isinstance(value, int)
        return value

    def text(self, key: str) -> str:
        """Returns a text field."""
        return str(self.values[key])


def seal(body: bytes) -> bytes:
    """Returns the body with its length, its CRC-16/CCITT-FALSE and the newline."""
    return b"%s*%02x%04x\n" % (body, len(body), binascii.crc_hqx(body, 0xFFFF))


def encode(sender: Sender, name: str, **values: Value) -> bytes:
    """Returns one line. Raises ValueError if the table has no such message, field or shape of value."""
    message = find_message(sender, name)
    if message is None:
        raise ValueError(f"no message {name} from the {sender}")
    unknown = set(values) - {field.name for field in message.fields}
    if unknown:
        raise ValueError(f"{name} has no field {sorted(unknown)[0]}")
    parts = [name]
    for field in message.fields:
        if field.name in values:
            parts.append(f"{field.name}={_written(field, values[field.name])}")
        elif not field.optional:
            raise ValueError(f"{name} needs {field.name}")
    return seal(" ".join(parts).encode("ascii"))


def _written(field: Field, value: Value) -> str:
    width = _WIDTH.get(field.kind)
    text = f"{value:0{width}x}" if isinstance(value, int) and width else str(value)
    if not SHAPES[field.kind].fullmatch(text):
        raise ValueError(f"{field.name}={text} is no {field.kind}")
    return text


class Decoder:
    """Bytes in, checked lines out. One for each direction and each opening of a port."""

    def __init__(self, sender: Sender) -> None:
        self._sender: Sender = sender
        self._longest = MAX_NODE_LINE if sender == "node" else MAX_HOST_LINE
        self._held = bytearray()
        self._skipping = False
        self.bad = 0
        """Lines that failed a check, noise and a modem's commands among them."""

    def feed(self, data: bytes) -> Iterator[Line]:
        """Takes any bytes, yields the sound lines among them in order."""
        for piece in _split(data):
            if self._skipping:
                self._skipping = not piece.endswith(b"\n")
                continue
            self._held += piece
            if self._held.endswith(b"\n"):
                line = self._read(bytes(self._held[:-1]))
                self._held.clear()
                if line is not None:
                    yield line
            elif len(self._held) >= self._longest:
                self._held.clear()
                self._skipping = True
                self.bad += 1

    def _read(self, raw: bytes) -> Line | None:
        if _is_sealed(raw, self._longest):
            usual = _usual(self._sender, raw[:-_TRAILER])
            if usual is not None:
                return usual
        values = _checked(raw, self._longest)
        if values is None:
            # An empty line is how a reader who joins in the middle clears the other's buffer; it is no damage.
            self.bad += raw not in (b"", b"\r")
            return None
        name, texts, doubled = values
        message = find_message(self._sender, name)
        if message is None:
            return None
        read: dict[str, Value] = {}
        for field in message.fields:
            text = None if field.name in doubled else texts.get(field.name)
            if text is None and field.optional and field.name not in doubled:
                continue
            if text is None or not SHAPES[field.kind].fullmatch(text):
                self.bad += 1
                return None
            read[field.name] = int(text, _BASE[field.kind]) if field.kind in _BASE else text
        return Line(name, read)


def _split(data: bytes) -> Iterator[bytes]:
    """Splits after newlines only: a carriage return is an ordinary, wrong byte."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start : end + 1]
        start = end + 1
    if start < len(data):
        yield data[start:]


def _usual(sender: Sender, body: bytes) -> Line | None:
    """Reads a line that has exactly the table's fields in the table's order, which is to say nearly all of them.

    A single match of the whole is four times as fast as taking it apart; what does not match may still be sound.
    """
    name = body.partition(b" ")[0].decode("ascii", "replace")
    plan = _PLANS.get((sender, name))
    if plan is None:
        return None
    whole, bases = plan
    found = whole.fullmatch(body.decode("ascii", "replace"))
    if found is None:
        return None
    return Line(
        name,
        {
            key: text if base == 0 else int(text, base)
            for (key, base), text in zip(bases, found.groups(), strict=True)
            if text is not None
        },
    )


def _plan(message: Message) -> tuple[re.Pattern[str], tuple[tuple[str, int], ...]]:
    pattern = re.escape(message.name)
    for field in message.fields:
        pair = f" {field.name}=({SHAPES[field.kind].pattern})"
        pattern += f"(?:{pair})?" if field.optional else pair
    return re.compile(pattern), tuple((field.name, _BASE.get(field.kind, 0)) for field in message.fields)


_PLANS = {(message.sender, message.name): _plan(message) for message in MESSAGES}


def _is_sealed(raw: bytes, longest: int) -> bool:
    body = raw[:-_TRAILER]
    if not _TRAILER < len(raw) < longest:
        return False
    return raw[-_TRAILER:] == b"*%02x%04x" % (len(body), binascii.crc_hqx(body, 0xFFFF))


def _checked(raw: bytes, longest: int) -> tuple[str, dict[str, str], set[str]] | None:
    """Returns name, texts and the keys named twice, of a line with the right length, check and grammar; else None."""
    if not _is_sealed(raw, longest):
        return None
    try:
        name, *pairs = raw[:-_TRAILER].decode("ascii").split(" ")
    except UnicodeDecodeError:
        return None
    texts: dict[str, str] = {}
    doubled: set[str] = set()
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not key or not equals or not text:
            return None
        if key in texts:
            doubled.add(key)
        texts[key] = text
    return (name, texts, doubled) if name else None
