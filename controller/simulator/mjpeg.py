"""The simulated camera on the network: an MJPEG stream over HTTP, with each frame's capture time and exposure.

In step (`in_step`) every client gets every frame and the sender waits for the slowest; otherwise the newest frame
wins and a slow client misses some. Knows nothing of boards.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from controller.events.errors import DeviceError

_BOUNDARY = "frame"
_SEND_BUFFER = 64 * 1024


class MjpegServer:
    """Serves what `offer` is given at `url`. Threads of its own, one for each client."""

    def __init__(self, port: int = 0, *, in_step: bool = False) -> None:
        self.in_step = in_step
        self._lock = threading.Lock()
        self._clients: list[queue.Queue[bytes | None]] = []
        self._arrived = threading.Event()
        self._stopped = threading.Event()
        self.missed = 0
        try:
            self._server = _Server(("127.0.0.1", port), _handler(self))
        except OSError as error:
            raise DeviceError(
                f"port {port} for the simulated camera is taken ({error}). Fix: choose another"
            ) from error
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/stream.mjpg"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="mjpeg", daemon=True)

    def start(self) -> None:
        """Begins to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Ends every stream and stops listening."""
        self._stopped.set()
        with self._lock:
            for client in self._clients:
                _put_newest(client, None)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def watched(self) -> bool:
        """Whether anybody is reading."""
        with self._lock:
            return bool(self._clients)

    @property
    def idle(self) -> bool:
        """Whether every client has fetched what was offered."""
        with self._lock:
            return all(client.empty() for client in self._clients)

    def wait_for_client(self, timeout_s: float) -> bool:
        """Waits until somebody reads."""
        return self._arrived.wait(timeout_s)

    def offer(self, jpeg: bytes, t_ns: int, exposure_ns: int) -> bool:
        """Sends a frame to all clients; in step, returns once each has room for the next. False if nobody reads."""
        head = (
            f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n"
            f"X-Capture-Ns: {t_ns}\r\nX-Exposure-Ns: {exposure_ns}\r\n\r\n"
        )
        part = head.encode() + jpeg + b"\r\n"
        with self._lock:
            clients = list(self._clients)
        taken = False
        for client in clients:
            if self.in_step:
                taken |= self._put(client, part)
            else:
                self.missed += _put_newest(client, part)
                taken = True
        return taken

    def _put(self, client: queue.Queue[bytes | None], part: bytes) -> bool:
        """Waits for room with one client for as long as it is there."""
        while not self._stopped.is_set():
            with contextlib.suppress(queue.Full):
                client.put(part, timeout=0.1)
                return True
            with self._lock:
                if client not in self._clients:
                    return False
        return False

    def join(self) -> queue.Queue[bytes | None]:
        """A client has come (called by its thread)."""
        client: queue.Queue[bytes | None] = queue.Queue(maxsize=1)
        with self._lock:
            self._clients.append(client)
            self._arrived.set()
        return client

    def leave(self, client: queue.Queue[bytes | None]) -> None:
        """A client has gone (called by its thread)."""
        with self._lock:
            self._clients.remove(client)
            if not self._clients:
                self._arrived.clear()


def _put_newest(client: queue.Queue[bytes | None], part: bytes | None) -> int:
    """Puts a part in place of one that was not fetched. Returns how many were lost."""
    lost = 0
    while True:
        try:
            client.put_nowait(part)
        except queue.Full:
            with contextlib.suppress(queue.Empty):
                client.get_nowait()
                lost += 1
            continue
        return lost


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error."""


def _handler(stream: MjpegServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith("/stream"):
                self.send_error(404, "the stream is at /stream.mjpg")
                return
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.send_response(200)
            self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.flush()
            client = stream.join()
            try:
                while (part := client.get()) is not None:
                    self.wfile.write(part)
            except OSError:
                # The reader went away; it may come back.
                pass
            finally:
                stream.leave(client)
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return Handler
