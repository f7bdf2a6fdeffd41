"""The one table of the messages between node and host. It feeds the codec here, the C header and PROTOCOL.md's tests.

Pure data and what follows from it. Knows no ports, no clocks, no pockets.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["dec", "num", "hex2", "hex4", "hex8", "bits", "bytes8", "word"]
Sender = Literal["node", "host"]

PROTO = 1
BAUD = 250_000
BEAMS = 8
RING = 96
MAX_NODE_LINE = 176
"""Bytes of the longest line a node may send, newline included."""
MAX_HOST_LINE = 72
HOST_FIELDS = 5
"""No message of the host has more."""

BEAT_US = 250_000
RESEND_US = 100_000
RESEND_MAX_US = 1_000_000
NOISE_US = 500
"""Two edges of one beam closer than this count as noise (they are reported all the same)."""
DITHER = 389
"""Odd, so that a ping's number times it, in 1024ths of a millisecond, goes everywhere."""
GAP_SLOTS = 3
"""Places in the ring that one gap takes."""
GAP_CLEAR = 8
"""Free places at which a gap is closed and edges are taken again."""


@dataclass(frozen=True, slots=True)
class Field:
    """One named value of a message. Optional ones may be left out; unknown ones are skipped by the reader."""

    name: str
    kind: Kind
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One kind of line."""

    name: str
    sender: Sender
    fields: tuple[Field, ...]


def _message(sender: Sender, text: str) -> Message:
    """Reads `name field:kind field:kind?`, the shape in which the table below is easiest to check by eye."""
    name, *fields = text.split()
    parts = [field.rstrip("?").split(":") for field in fields]
    return Message(
        name,
        sender,
        tuple(
            Field(key, kind, field.endswith("?"))  # type: ignore[arg-type]
            for (key, kind), field in zip(parts, fields, strict=True)
        ),
    )


MESSAGES: tuple[Message, ...] = (
    _message(
        "node",
        "hello proto:dec dict:hex4 id:hex8 fw:word boot:hex4 nonce:hex4 us:dec beams:hex2 ring:dec tail:dec reset:word",
    ),
    _message("node", "beam seq:dec us:dec s:dec lvl:dec"),
    _message("node", "gap from:dec lost:dec us:dec to:dec"),
    _message("node", "pong boot:hex4 id:dec rx:dec tx:dec"),
    _message(
        "node",
        "beat boot:hex4 us:dec seq:dec buf:dec lost:dec lvl:bits noise:bytes8 stuck:hex2 use:hex2 run:dec rx_bad:dec "
        "margin:bytes8?",
    ),
    _message("node", "settings id:hex8 polarity:hex2 beams:hex2 stuck_s:dec kept:dec"),
    _message("host", "hello proto:num nonce:hex4"),
    _message("host", "resume boot:hex4 next:num"),
    _message("host", "ack boot:hex4 seq:num"),
    _message("host", "ping id:num pad:word?"),
    _message("host", "mask use:hex2"),
    _message("host", "set id:hex8? polarity:hex2? beams:hex2? stuck_s:num?"),
    _message("host", "get"),
)

SHAPES: dict[Kind, re.Pattern[str]] = {
    "dec": re.compile(r"0|[1-9][0-9]{0,19}"),
    "num": re.compile(r"0|[1-9][0-9]{0,8}"),
    "hex2": re.compile(r"[0-9a-f]{2}"),
    "hex4": re.compile(r"[0-9a-f]{4}"),
    "hex8": re.compile(r"[0-9a-f]{8}"),
    "bits": re.compile(r"[01]{8}"),
    "bytes8": re.compile(r"[0-9a-f]{16}"),
    "word": re.compile(r"[0-9a-z._+-]{1,48}"),
}
"""What the text of each kind of value looks like; the whole of it must match."""


def find_message(sender: Sender, name: str) -> Message | None:
    """Returns the message of that name from that side, or None if the table has none."""
    return _BY_NAME.get((sender, name))


_BY_NAME = {(message.sender, message.name): message for message in MESSAGES}


def table_text() -> str:
    """Returns the table as text, one message a line, in the order and spelling that `dict` is the check of."""
    lines = []
    for message in MESSAGES:
        fields = " ".join(f"{f.name}:{f.kind}{'?' if f.optional else ''}" for f in message.fields)
        lines.append(f"{message.sender} {message.name} {fields}".rstrip())
    return "\n".join(lines) + "\n"


DICT = f"{binascii.crc_hqx(table_text().encode(), 0xFFFF):04x}"
"""What a node built from this very table says in its hello."""
TABLES = (DICT, "97ef")
"""The tables that have all that this program reads and asks for: its own, and firmware 1.0.0's with a piezo besides."""
