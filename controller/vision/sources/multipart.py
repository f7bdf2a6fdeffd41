"""Pictures out of an MJPEG stream, sans-IO: bytes in, parts out.

Takes multipart/x-mixed-replace as servers send it, with boundary and lengths or without, and a bare sequence of JPEGs
as `rpicam-vid --codec mjpeg` writes it. Knows neither sockets nor what pictures show. RFC 2046, section 5.1; JPEG
markers: ITU T.81, annex B.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.events.doors import whole_number
from controller.events.errors import PeerError
from controller.events.reading import shown

LONGEST_HEADER = 16 * 1024
LARGEST_PART = 64 * 1024 * 1024
MOST_RUBBISH = 4 * 1024 * 1024
"""Bytes between two pictures: who comes into the middle of one sees its rest first, and some send padding."""

BEGIN, END = b"\xff\xd8\xff", b"\xff\xd9"
SCAN, ALONE = 0xDA, range(0xD0, 0xDA)
"""The marker at which a picture's data begin, and those that no segment follows."""
PADDING = b"\0\r\n"
NO_STREAM = ("text/", "application/json", "application/xml", "application/xhtml", "image/")
"""What certainly is no stream of JPEGs: a page, an error, a single picture."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its headers, names in lower case, and its body."""

    headers: dict[str, str]
    body: bytes


def boundary_of(content_type: str) -> bytes:
    """Returns the boundary named by a Content-Type, without the leading dashes; empty if it names none.

    Raises PeerError for what is no stream of pictures; of other types (`application/octet-stream`, none at all) it is
    seen by the pictures in it.
    """
    kind, _, rest = content_type.partition(";")
    kind = kind.strip().lower()
    if kind.startswith(NO_STREAM):
        raise PeerError(f"answers with {shown(kind)}, no stream of pictures. Fix: use its MJPEG address")
    for parameter in rest.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "boundary":
            # Many cameras put the dashes into the parameter as well.
            return value.strip().strip('"').removeprefix("--").encode("latin-1")
    return b""


class MultipartReader:
    """Feeds on bytes and gives whole parts, each as soon as its last byte has come.

    A part begins with a boundary and its header, or with a JPEG where there is none. It ends by its Content-Length; a
    JPEG without one, or with one that is wrong, by its own end marker; anything else at the next boundary.
    """

    def __init__(self, boundary: bytes = b"") -> None:
        self._mark = b"--" + boundary if boundary else b""
        self._buffer = bytearray()
        self._headers: dict[str, str] | None = None
        self._searched = 0
        self._walked = 2
        self._rubbish = 0

    def feed(self, data: bytes) -> list[Part]:
        """Takes bytes, returns the parts that are complete now. Raises PeerError on what cannot be a stream."""
        self._buffer += data
        parts = []
        while (part := self._next()) is not None:
            parts.append(part)
        return parts

    def _next(self) -> Part | None:
        if self._headers is None:
            self._headers = self._begun()
            self._searched, self._walked = 0, 2
        if self._headers is None:
            return None
        end = self._end(self._headers)
        if end < 0:
            if len(self._buffer) > LARGEST_PART:
                raise PeerError("a part of the stream never ends. Fix: restart the camera")
            return None
        part = Part(self._headers, bytes(self._buffer[:end]))
        del self._buffer[:end]
        self._headers, self._rubbish = None, 0
        return part

    def _begun(self) -> dict[str, str] | None:
        """Cuts off what comes before the next part's body; its headers, or None if it has not begun."""
        buffer, picture, at = self._buffer, self._buffer.find(BEGIN), self._find_mark(0)
        if at < 0 and picture < 0:
            # A header may come before a picture without a boundary.
            surplus = len(buffer) - LONGEST_HEADER
            if surplus > 0:
                self._rubbish += surplus
                del buffer[:surplus]
            if self._rubbish > MOST_RUBBISH:
                raise PeerError("the stream shows no boundary and no JPEG. Fix: use the camera's MJPEG address")
            return None
        if at < 0 or 0 <= picture < at:
            return self._cut(max(0, picture - LONGEST_HEADER), picture, picture)
        ends = [(found, found + len(gap)) for gap in (b"\r\n\r\n", b"\n\n") if (found := buffer.find(gap, at)) >= 0]
        if picture >= 0:
            ends.append((picture, picture))
        if ends:
            return self._cut(at, *min(ends))
        if len(buffer) - at > LONGEST_HEADER:
            raise PeerError("a part's header never ends. Fix: use the MJPEG address of the camera")
        return None

    def _cut(self, start: int, end: int, body: int) -> dict[str, str]:
        headers = {}
        for line in self._buffer[start:end].decode("latin-1").splitlines():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        del self._buffer[:body]
        return headers

    def _find_mark(self, start: int) -> int:
        return self._buffer.find(self._mark, start) if self._mark else -1

    def _end(self, headers: dict[str, str]) -> int:
        """Where the part's body ends in the buffer; -1 if that has not come."""
        length = headers.get("content-length", "")
        size = whole_number(length) if length else 0
        if not 0 <= size <= LARGEST_PART:
            raise PeerError(f"a part of the stream says it has {shown(length)} bytes. Fix: restart the camera")
        if len(self._buffer) < max(size, len(BEGIN)):
            return -1
        jpeg = self._buffer.startswith(BEGIN)
        if size and (not jpeg or self._buffer[:size].rstrip(PADDING).endswith(END)):
            return size
        ends = [self._jpeg_end()] if jpeg else []
        mark = self._find_mark(max(0, self._searched - len(self._mark)))
        if mark >= 0:
            ends.append(len(self._buffer[:mark].removesuffix(b"\n").removesuffix(b"\r")))
        self._searched = len(self._buffer)
        return min((end for end in ends if end >= 0), default=-1)

    def _jpeg_end(self) -> int:
        """Behind the end marker of the JPEG at the buffer's beginning; -1 if that has not come.

        Up to its scan a picture is gone through segment by segment: a thumbnail in one has markers of its own. In a
        scan 0xFF is followed by 0x00 or a restart marker, so that the end marker is the end.
        """
        buffer = self._buffer
        while (at := buffer.find(b"\xff", self._walked)) >= 0 and at + 4 <= len(buffer):
            marker = buffer[at + 1]
            if marker == SCAN:
                self._walked = at
                end = buffer.find(END, max(at, self._searched - 1))
                return end + len(END) if end >= 0 else -1
            # Bytes that belong to nothing are passed over, and 0xFF that only fills.
            skipped = 0xC0 <= marker < 0xFF and marker not in ALONE
            self._walked = at + (2 + int.from_bytes(buffer[at + 2 : at + 4], "big") if skipped else 1)
        return -1
