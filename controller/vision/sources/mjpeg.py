"""A network camera: MJPEG over HTTP, as cameras and the simulated board serve it.

`X-Capture-Ns` (middle of the exposure on the table's clock) and `X-Exposure-Ns` of each part are believed when they
are there; otherwise a frame is stamped when its last byte came. With `newest_only` whatever has come is read and only
the last frame kept; without it every frame is given and the sender is held back by TCP.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import NamedTuple

from controller.events.doors import whole_number
from controller.events.errors import DeviceError, PeerError
from controller.events.reading import shown
from controller.events.tls import client_context
from controller.vision.sources.camera_address import CameraAddress, camera_address, place_of
from controller.vision.sources.frame import Frame
from controller.vision.sources.login import authorization
from controller.vision.sources.multipart import MultipartReader, Part, boundary_of

CHUNK = 256 * 1024
LET_GO_S = 1.0
"""A thread whose connection was shut down ends at once."""

ANSWER_S = 4.0
"""All of connecting, logging in and going where a camera leads: below the five seconds to its first picture."""

MOST_QUESTIONS = 8
"""To one camera until it gives pictures: four addresses, a login at each."""
ELSEWHERE = (301, 302, 303, 307, 308)


class _Answered(NamedTuple):
    connection: HTTPConnection
    channel: socket.socket
    answer: HTTPResponse


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
        answered: _Answered,
        reader: MultipartReader,
        now_ns: Callable[[], int],
        newest_only: bool,
    ) -> None:
        self._answered = answered
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
            self._answered.channel.shutdown(socket.SHUT_RDWR)
        self._thread.join(LET_GO_S)

    def _receive(self) -> None:
        ended = "closed the stream. Fix: check whether it has restarted"
        try:
            while self._wanted() and (data := self._answered.answer.read1(CHUNK)):
                self._put(self._reader.feed(data))
        except PeerError as error:
            ended = str(error)
        except (OSError, HTTPException, ValueError) as error:
            ended = f"broke off: {error}. Fix: check the cable"
        finally:
            _leave(self._answered)
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
        answer_s: float = ANSWER_S,
    ) -> None:
        self._url = url
        self._place = place_of(url)
        self._now_ns = now_ns
        self._newest_only = newest_only
        self._row_ns = row_ns
        self._answer_s = answer_s
        self._stream: _Stream | None = None
        self._last_ns = -1

    def open(self) -> None:
        """Connects and reads the answer's head, after a login and at another address where the camera wants that."""
        self.close()
        asked = camera_address(self._url)
        until_s = time.monotonic() + self._answer_s
        try:
            self._stream = self._found(asked, until_s)
        except (OSError, HTTPException) as error:
            late = time.monotonic() >= until_s
            why = f"does not answer in {self._answer_s:g} s" if late else f"does not answer: {error}"
            raise DeviceError(f"camera {asked} {why}. Fix: check the address and the cable") from error
        except PeerError as error:
            raise DeviceError(f"camera {asked}: {error}") from error

    def _found(self, asked: CameraAddress, until_s: float) -> _Stream:
        """Asks where the address leads until there are pictures."""
        at, says_who = asked, None
        for _ in range(MOST_QUESTIONS):
            answered = _asked(at, says_who, until_s, None if self._newest_only else CHUNK)
            answer, stream = answered.answer, None
            try:
                if answer.status == 200:
                    reader = MultipartReader(boundary_of(answer.getheader("Content-Type", "")))
                    # A stream has no length, whatever a camera says of it; how long it may be silent is not for us to
                    # judge.
                    answer.length = None
                    answered.channel.settimeout(None)
                    stream = _Stream(answered, reader, self._now_ns, self._newest_only)
                    return stream
                if answer.status in ELSEWHERE and (location := answer.getheader("Location")):
                    at, says_who = _onward(at, location), None
                elif answer.status == 401 and at.login is not None and says_who is None:
                    offers = answer.headers.get_all("WWW-Authenticate", [])
                    says_who = authorization(offers, at.login, at.path, secrets.token_hex(8))
                    if says_who is None:
                        raise PeerError("asks for a login of another kind. Fix: set it to Basic or Digest")
                else:
                    raise PeerError(_refused(answer, asked, at))
            finally:
                if stream is None:
                    _leave(answered)
        raise PeerError(f"leads to one address after the other, now to {at}. Fix: write the last one into camera.url")

    def read(self, timeout_s: float) -> Frame | None:
        """Returns the next frame (the newest with `newest_only`)."""
        if self._stream is None:
            raise DeviceError(f"camera {self._place} is not open. Fix: open it first")
        try:
            came = self._stream.next(timeout_s)
        except PeerError as error:
            raise DeviceError(f"camera {self._place}: {error}") from error
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


def _onward(at: CameraAddress, location: str) -> CameraAddress:
    try:
        return at.onward(location)
    except DeviceError as error:
        raise PeerError("leads to what is no http address. Fix: use its MJPEG address") from error


def _refused(answer: HTTPResponse, asked: CameraAddress, at: CameraAddress) -> str:
    """What an answer without pictures means. `at`: who gave it."""
    leads = "" if at.place == asked.place else f"leads to {at}, which "
    if answer.status != 401:
        says = shown(f"{answer.status} {answer.reason}")
        return f"{leads}answers {says}. Fix: check the path in camera.url and the rights of the camera's user"
    if at.login is not None:
        return f"{leads}refuses (401) the user or the password in camera.url. Fix: correct them"
    place = at.place.replace("://", "://USER:PASSWORD@")
    return f"{leads}wants to know who asks (401). Fix: write camera.url = {place}/PATH"


def _asked(at: CameraAddress, says_who: bytes | None, until_s: float, window: int | None) -> _Answered:
    """Connects and asks; the answer's head has been read. `window`: bytes that may be under way, where it counts."""
    channel = socket.create_connection((at.host, at.port), max(0.1, until_s - time.monotonic()))
    connection = HTTPConnection(at.host, at.port)
    try:
        if window is not None:
            # A small window, so that a simulated board is held back after a few frames and not after hundreds.
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        if at.scheme == "https":
            channel = client_context().wrap_socket(channel, server_hostname=at.host, do_handshake_on_connect=False)
        connection.sock = channel
        with _ended_at(until_s, channel):
            if isinstance(channel, ssl.SSLSocket):
                channel.do_handshake()
            headers = {"Accept": "multipart/x-mixed-replace, */*", "Connection": "close"}
            connection.request("GET", at.path, headers=headers | ({"Authorization": says_who} if says_who else {}))
            return _Answered(connection, channel, connection.getresponse())
    except BaseException:
        connection.close()
        channel.close()
        raise


@contextlib.contextmanager
def _ended_at(until_s: float, channel: socket.socket) -> Iterator[None]:
    """Shuts a connection down when the time is up: its own timeout begins anew with every byte that comes.

    Raises TimeoutError then: a header that is cut off passes for one that ends.
    """
    late = False

    def end() -> None:
        nonlocal late
        late = True
        with contextlib.suppress(OSError):
            channel.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(until_s - time.monotonic(), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if late:
        raise TimeoutError


def _leave(answered: _Answered) -> None:
    answered.answer.close()
    answered.connection.close()
