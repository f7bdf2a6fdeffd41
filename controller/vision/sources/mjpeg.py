"""A network camera: MJPEG over HTTP, as cameras and the simulated board serve it.

`X-Capture-Ns` (middle of the exposure on the table's clock) and `X-Exposure-Ns` of each part are believed when they
are there; otherwise a frame is stamped when its last byte came. With `newest_only` whatever is already waiting in
the socket is read and only the last frame kept; without it every frame is given and the sender is held back by TCP.
"""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from controller.events.doors import host_of, whole_number
from controller.events.errors import DeviceError, PeerError
from controller.events.reading import shown
from controller.vision.sources.frame import Frame
from controller.vision.sources.multipart import MultipartReader, Part, boundary_of

CHUNK = 256 * 1024


def _address(url: str) -> tuple[SplitResult, str, int]:
    """Returns an address taken apart, its host and its port. Raises DeviceError for what is none."""
    try:
        where = urlsplit(url)
        host, port = host_of(where.hostname or ""), where.port or (443 if where.scheme == "https" else 80)
        fine = where.scheme in ("http", "https") and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        fine = False
    if not fine:
        raise DeviceError(f"camera.url = {shown(url)} is no http address. Mend: write http://HOST:PORT/PATH")
    return where, host, port


class MjpegSource:
    """Frames of an MJPEG stream."""

    live = True

    def __init__(
        self,
        url: str,
        now_ns: Callable[[], int],
        *,
        newest_only: bool = True,
        row_ns: float = 0.0,
        connect_s: float = 3.0,
    ) -> None:
        self._url = url
        self._now_ns = now_ns
        self._newest_only = newest_only
        self._row_ns = row_ns
        self._connect_s = connect_s
        self._socket: socket.socket | None = None
        self._reader: MultipartReader | None = None
        self._waiting: deque[Part] = deque()
        self._number = 0
        self._last_ns = -1
        self.skipped = 0

    def open(self) -> None:
        """Connects and reads the answer's head."""
        self.close()
        where, host, port = _address(self._url)
        try:
            self._socket = socket.create_connection((host, port), timeout=self._connect_s)
            if where.scheme == "https":
                self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=host)
            if not self._newest_only:
                # A small window, so that a simulated board is held back after a few frames and not after hundreds.
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, CHUNK)
            path = (where.path or "/") + (f"?{where.query}" if where.query else "")
            self._socket.sendall(
                f"GET {path} HTTP/1.0\r\nHost: {where.netloc}\r\nAccept: multipart/x-mixed-replace\r\n\r\n".encode()
            )
            head = self._read_head()
        except OSError as error:
            self.close()
            raise DeviceError(
                f"camera {self._url} does not answer: {error}. Mend: check the address and the cable"
            ) from error
        self._start(head)

    def _read_head(self) -> bytes:
        assert self._socket is not None
        data = b""
        while b"\r\n\r\n" not in data:
            more = self._socket.recv(4096)
            if not more or len(data) > CHUNK:
                raise ConnectionError("it closed the connection before its answer was complete")
            data += more
        return data

    def _start(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = lines[0].split()
        if len(status) < 2 or status[1] != "200":
            self.close()
            raise DeviceError(f"camera {self._url} answers {lines[0]!r}. Mend: check the path and the camera's user")
        kinds = [line.partition(":")[2] for line in lines[1:] if line.lower().startswith("content-type:")]
        try:
            self._reader = MultipartReader(boundary_of(kinds[0] if kinds else ""))
            self._waiting.extend(self._reader.feed(body))
        except PeerError as error:
            self.close()
            raise DeviceError(f"camera {self._url}: {error}") from error

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame (the newest with `newest_only`)."""
        if self._reader is None:
            raise DeviceError(f"camera {self._url} is not open. Mend: open it first")
        deadline = time.monotonic() + timeout_s
        while True:
            left = deadline - time.monotonic()
            if self._waiting and (not self._newest_only or left <= 0 or not self._ready(0.0)):
                return self._frame()
            if not self._waiting and not self._ready(left):
                return None
            self._receive()

    def _ready(self, wait_s: float) -> bool:
        assert self._socket is not None
        if isinstance(self._socket, ssl.SSLSocket) and self._socket.pending():
            return True
        return bool(select.select([self._socket], [], [], max(0.0, wait_s))[0])

    def _receive(self) -> None:
        assert self._socket is not None
        assert self._reader is not None
        try:
            data = self._socket.recv(CHUNK)
        except OSError as error:
            raise DeviceError(f"camera {self._url} broke off: {error}. Mend: check the cable") from error
        if not data:
            raise DeviceError(f"camera {self._url} closed the stream. Mend: check whether it has restarted")
        try:
            self._waiting.extend(self._reader.feed(data))
        except PeerError as error:
            raise DeviceError(f"camera {self._url}: {error}") from error

    def _frame(self) -> Frame:
        while self._newest_only and len(self._waiting) > 1:
            self._waiting.popleft()
            self._number += 1
            self.skipped += 1
        part = self._waiting.popleft()
        exposure_ns = whole_number(part.headers.get("x-exposure-ns"), 0)
        stamped = whole_number(part.headers.get("x-capture-ns"), -1)
        # Unstamped parts may come in one gulp; no two were exposed at once.
        self._last_ns = stamped if stamped >= 0 else max(self._now_ns(), self._last_ns + 1)
        frame = Frame(
            self._last_ns,
            self._number,
            jpeg=part.body,
            exposure_ns=exposure_ns,
            row_ns=self._row_ns,
        )
        self._number += 1
        return frame

    def close(self) -> None:
        """Closes the connection."""
        if self._socket is not None:
            self._socket.close()
        self._socket, self._reader = None, None
        self._waiting.clear()
