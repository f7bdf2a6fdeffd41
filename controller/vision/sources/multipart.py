"""Parts out of a multipart/x-mixed-replace stream, sans-IO: bytes in, parts out.

Also cuts a bare concatenation of JPEGs, as `rpicam-vid --codec mjpeg` writes it. Knows neither sockets nor pictures.
RFC 2046, section 5.1; JPEG markers: ITU T.81, annex B.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.events.doors import whole_number
from controller.events.errors import PeerError
from controller.events.reading import shown

LONGEST_HEADER = 16 * 1024
LARGEST_PART = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its headers, names in lower case, and its body."""

    headers: dict[str, str]
    body: bytes


def boundary_of(content_type: str) -> bytes:
    """Returns the boundary named by a Content-Type, without the leading dashes. Raises PeerError if it names none."""
    kind, _, rest = content_type.partition(";")
    if not kind.strip().lower().startswith("multipart/"):
        raise PeerError(f"the stream is {kind.strip() or 'of no type'}, not multipart. Mend: use the MJPEG address")
    for parameter in rest.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "boundary":
            # Many cameras put the dashes into the parameter as well.
            return value.strip().strip('"').removeprefix("--").encode("latin-1")
    raise PeerError("the multipart stream names no boundary. Mend: use another address of the camera")


class MultipartReader:
    """Feeds on bytes and gives whole parts.

    A part with a Content-Length is taken by it; one without ends at the next boundary.
    """

    def __init__(self, boundary: bytes) -> None:
        self._mark = b"--" + boundary
        self._buffer = bytearray()
        self._headers: dict[str, str] | None = None
        self._searched = 0

    def feed(self, data: bytes) -> list[Part]:
        """Takes bytes, returns the parts that are complete now. Raises PeerError on what cannot be a stream."""
        self._buffer += data
        parts = []
        while (part := self._next()) is not None:
            parts.append(part)
        return parts

    def _next(self) -> Part | None:
        if self._headers is None and not self._read_headers():
            return None
        headers = self._headers
        assert headers is not None
        length = headers.get("content-length", "")
        if length:
            size = whole_number(length)
            if not 0 <= size <= LARGEST_PART:
                raise PeerError(f"a part of the stream says it has {shown(length)} bytes. Mend: restart the camera")
            if len(self._buffer) < size:
                return None
            return self._take(size, headers)
        end = self._buffer.find(self._mark, self._searched)
        if end < 0:
            self._searched = max(0, len(self._buffer) - len(self._mark))
            if len(self._buffer) > LARGEST_PART:
                raise PeerError("a part of the stream never ends. Mend: restart the camera")
            return None
        return self._take(end, headers)

    def _take(self, length: int, headers: dict[str, str]) -> Part:
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._headers, self._searched = None, 0
        return Part(headers, body if "content-length" in headers else body.removesuffix(b"\r\n"))

    def _read_headers(self) -> bool:
        start = self._buffer.find(self._mark)
        if start < 0:
            if len(self._buffer) > LONGEST_HEADER:
                raise PeerError("the stream shows no boundary. Mend: use the MJPEG address of the camera")
            return False
        end, gap = self._buffer.find(b"\r\n\r\n", start), 4
        bare = self._buffer.find(b"\n\n", start)
        if bare >= 0 and (end < 0 or bare < end):
            end, gap = bare, 2
        if end < 0:
            if len(self._buffer) - start > LONGEST_HEADER:
                raise PeerError("a part's header never ends. Mend: use the MJPEG address of the camera")
            return False
        headers = {}
        for line in self._buffer[start:end].decode("latin-1").splitlines()[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        del self._buffer[: end + gap]
        self._headers, self._searched = headers, 0
        return True


class JpegSplitter:
    """Cuts a bare sequence of JPEGs. A picture is complete when its end marker has come."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Takes bytes, returns the pictures that are complete now. Raises PeerError if one grows beyond reason."""
        self._buffer += data
        pictures = []
        while True:
            start = self._buffer.find(b"\xff\xd8\xff")
            if start < 0:
                del self._buffer[:-2]
                break
            if start > 0:
                del self._buffer[:start]
                self._searched = 0
            # In entropy-coded data 0xFF is followed by 0x00 or a restart marker, so FFD9 is the end. Cameras write
            # no thumbnail with markers of its own into their streams.
            end = self._buffer.find(b"\xff\xd9", max(2, self._searched))
            if end < 0:
                self._searched = max(2, len(self._buffer) - 1)
                break
            pictures.append(bytes(self._buffer[: end + 2]))
            del self._buffer[: end + 2]
            self._searched = 0
        if len(self._buffer) > LARGEST_PART:
            raise PeerError("a picture of the stream never ends. Mend: restart the camera")
        return pictures
