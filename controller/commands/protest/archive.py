"""A protest's file: a ZIP archive that can be written in one way only, for any program to open. Pure.

Parts are stored as they are, one behind another, dated alike, with no remark and no room between them. So each byte of
the file is a part's or follows from the parts, and nothing of it can be unpacked into more than it is. Must not know
what a part holds.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping

from controller.events.doors import one_line
from controller.events.errors import UnreadableError

MOST_PARTS = 1000
"""A clip has 300 pictures at most, and there is little besides."""

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,60}(/[a-zA-Z0-9][a-zA-Z0-9._-]{0,60})?")
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\3\4", b"PK\1\2", b"PK\5\6"
_NEEDED = 10
"""What an unpacking program must be able to do: version 1.0 of the format."""
_MADE_BY = 3 << 8 | _NEEDED
"""Unix: its rights are written down."""
_RIGHTS = 0o100644 << 16
_DAY = 1 << 5 | 1
"""The first day that an archive can name, 1 January 1980."""


def is_name(name: str) -> bool:
    """Returns whether a part may have this name: plain letters, in one folder at most."""
    return _NAME.fullmatch(name) is not None


def pack(parts: Mapping[str, bytes]) -> bytes:
    """Returns the archive of some parts, in their order."""
    bodies, listed, at = [], [], 0
    for name, body in parts.items():
        stamped = (0, 0, 0, _DAY, zlib.crc32(body), len(body), len(body), len(name), 0)
        head = _LOCAL.pack(_LOCAL_MARK, _NEEDED, *stamped) + name.encode()
        listed.append(_CENTRAL.pack(_CENTRAL_MARK, _MADE_BY, _NEEDED, *stamped, 0, 0, 0, _RIGHTS, at) + name.encode())
        bodies += [head, body]
        at += len(head) + len(body)
    listing = b"".join(listed)
    end = _END.pack(_END_MARK, 0, 0, len(listed), len(listed), len(listing), at, 0)
    return b"".join((*bodies, listing, end))


def unpack(raw: bytes) -> dict[str, bytes]:
    """Returns the parts of an archive, in their order. Whether `raw` is what `pack` makes of them, the caller compares.

    Raises UnreadableError for what `pack` never writes: nothing is unpacked, and no path is followed.
    """
    parts: dict[str, bytes] = {}
    at = 0
    while raw[at : at + 4] == _LOCAL_MARK:
        if len(parts) == MOST_PARTS:
            raise UnreadableError(f"holds more than {MOST_PARTS} parts")
        try:
            _, _, flags, method, _, _, _, packed, size, letters, more = _LOCAL.unpack_from(raw, at)
        except struct.error as error:
            raise UnreadableError("ends in the middle of a part") from error
        if flags or method or more or packed != size:
            raise UnreadableError("holds a part that is compressed or encrypted, which carrom protest never writes")
        at += _LOCAL.size
        name = raw[at : at + letters].decode("ascii", "replace")
        at += letters
        if not is_name(name):
            raise UnreadableError(f"holds a part named {one_line(repr(name[:40]))}, which carrom protest never writes")
        if name in parts:
            raise UnreadableError(f"holds {name} twice")
        if at + size > len(raw):
            raise UnreadableError(f"ends in the middle of {name}")
        parts[name] = raw[at : at + size]
        at += size
    return parts
