"""A network camera: MJPEG over HTTP, as cameras and the simulated board serve it.

`X-Capture-Ns` (middle of the exposure on the table's clock) and `X-Exposure-Ns` of each part are believed when they
are there; otherwise a frame is stamped when its last byte came. With `newest_only` whatever has come is read and only
the last frame kept; without it every frame is given and the sender is held back by TCP.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import deque
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from controller.events.doors import host_of, whole_number
from controller.events.errors import DeviceError, PeerError
from controller.events.reading import shown
from controller.events.tls import client_context
from controller.vision.sources.frame import Frame
from controller.vision.sources.multipart import MultipartReader, Part, boundary_of

CHUNK = 256 * 1024
LET_GO_S = 1.0
"""A thread whose connection was shut down ends at once."""


def _address(url: str) -> tuple[SplitResult, str, int]:
    """Returns an address taken apart, its host and its port. Raises DeviceError for what is none."""
    try:
        where = urlsplit(url)
        host, port = host_of(where.hostname or ""), where.port or (443 if where.scheme == "https" else 80)
        fine = where.scheme in ("http", "https") and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        fine = False
    if not fine:
        raise DeviceError(f"camera.url = {shown(url)} is no http address. Fix: write http://HOST:PORT/PATH")
    return where, host, port


class _Came(NamedTuple):
    number: int
    arrived_ns: int
    part: Part


class _Stream:
    """One connection that answers with pictures.

    A thread of its own reads it: what comes in HTTP chunks may stop within a chunk's head, and who reads it waits
    there, while the picture before is complete.
    """

    def __init__(
        self,
        connection: HTTPConnection,
        channel: socket.socket,
        answer: HTTPResponse,
        reader: MultipartReader,
        now_ns: Callable[[], int],
        newest_only: bool,
    ) -> None:
        self._connection = connection
        self._channel = channel
        self._answer = answer
        self._reader = reader
        self._now_ns = now_ns
        self._newest_only = newest_only
        self._condition = threading.Condition()
        self._waiting: deque[_Came] = deque()
        self._count = 0
        self._closed = False
        self._ended = ""
        self._thread = threading.Thread(target=self._receive, name="mjpeg", daemon=True)
        self._thread.start()

    def next(self, timeout_s: float) -> _Came | None:
        """The next part (the newest with `newest_only`). Raises PeerError when no further one will come."""
        with self._condition:
            self._condition.wait_for(lambda: self._waiting or self._ended, timeout_s)
            if self._waiting:
                self._condition.notify_all()
                return self._waiting.popleft()
            if self._ended:
                raise PeerError(self._ended)
            return None

    def close(self) -> None:
        """Ends the connection."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._thread.join(LET_GO_S)

    def _receive(self) -> None:
        ended = "closed the stream. Fix: check whether it has restarted"
        try:
            while self._wanted() and (data := self._answer.read1(CHUNK)):
                self._put(self._reader.feed(data))
        except PeerError as error:
            ended = str(error)
        except (OSError, HTTPException, ValueError) as error:
            ended = f"broke off: {error}. Fix: check the cable"
        finally:
            self._answer.close()
            self._connection.close()
            with self._condition:
                self._ended = ended
                self._condition.notify_all()

    def _wanted(self) -> bool:
        """Waits, where every frame is given, until those that came have been taken. False once it is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._newest_only or self._closed or not self._waiting)
            return not self._closed

    def _put(self, parts: list[Part]) -> None:
        with self._condition:
            for part in parts:
                if self._newest_only:
                    self._waiting.clear()
                self._waiting.append(_Came(self._count, self._now_ns(), part))
                self._count += 1
            self._condition.notify_all()


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
        self._stream: _Stream | None = None
        self._last_ns = -1

    def open(self) -> None:
        """Connects and reads the answer's head."""
        self.close()
        where, host, port = _address(self._url)
        if where.scheme == "https":
            connection: HTTPConnection = HTTPSConnection(host, port, timeout=self._connect_s, context=client_context())
        else:
            connection = HTTPConnection(host, port, timeout=self._connect_s)
        try:
            self._stream = self._begin(connection, (where.path or "/") + (f"?{where.query}" if where.query else ""))
        except (OSError, HTTPException) as error:
            raise DeviceError(
                f"camera {self._url} does not answer: {error}. Fix: check the address and the cable"
            ) from error
        except PeerError as error:
            raise DeviceError(f"camera {self._url}: {error}") from error
        finally:
            if self._stream is None:
                connection.close()

    def _begin(self, connection: HTTPConnection, path: str) -> _Stream:
        connection.connect()
        channel: socket.socket = connection.sock
        if not self._newest_only:
            # A small window, so that a simulated board is held back after a few frames and not after hundreds.
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, CHUNK)
        connection.request("GET", path, headers={"Accept": "multipart/x-mixed-replace, */*", "Connection": "close"})
        answer = connection.getresponse()
        if answer.status != 200:
            says = shown(f"{answer.status} {answer.reason}")
            raise PeerError(f"answers {says}. Fix: check the path and the camera's user")
        reader = MultipartReader(boundary_of(answer.getheader("Content-Type", "")))
        # A stream has no length, whatever a camera says of it; how long it may be silent is not for us to judge.
        answer.length = None
        channel.settimeout(None)
        return _Stream(connection, channel, answer, reader, self._now_ns, self._newest_only)

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame (the newest with `newest_only`)."""
        if self._stream is None:
            raise DeviceError(f"camera {self._url} is not open. Fix: open it first")
        try:
            came = self._stream.next(timeout_s)
        except PeerError as error:
            raise DeviceError(f"camera {self._url}: {error}") from error
        if came is None:
            return None
        exposure_ns = whole_number(came.part.headers.get("x-exposure-ns"), 0)
        stamped = whole_number(came.part.headers.get("x-capture-ns"), -1)
        # Unstamped parts may come in one gulp; no two were exposed at once.
        self._last_ns = stamped if stamped >= 0 else max(came.arrived_ns, self._last_ns + 1)
        return Frame(self._last_ns, came.number, jpeg=came.part.body, exposure_ns=exposure_ns, row_ns=self._row_ns)

    def close(self) -> None:
        """Closes the connection."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None
