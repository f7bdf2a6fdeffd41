"""Clients that take their time, on purpose or on a bad line: they connect and say nothing, say it byte by byte, or read
nothing of what they asked for. Whoever is cut off comes back at once.

`python -m tests.web.slow_clients PORT COUNT` says `ready` and goes on until its standard input ends.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator

SLOW = {
    "says nothing": (b"", b""),
    "half a head": (b"GET /state HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ", b"x"),
    "half a body": (
        b"POST /login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{",
        b" ",
    ),
    "reads no stream": (b"GET /events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", b""),
    "reads no answer": (b"GET /static/openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", b""),
}
"""What each kind says when it connects, and then from time to time."""
FROM_ONE = 25
"""Of one address: fewer than the door lets in."""
NOW_AND_THEN_S = 0.2


class _Slow:
    def __init__(self, port: int, number: int) -> None:
        self._where = ("127.0.0.1", port)
        # This machine's own address is let in without limit: they come from elsewhere.
        self._from = (f"127.0.1.{1 + number // FROM_ONE}", 0)
        self.kind = list(SLOW)[number % len(SLOW)]
        self._link: socket.socket | None = None
        self.came = 0
        self.say()

    def say(self) -> None:
        """Connects if it is not connected, else says a little more."""
        try:
            if self._link is None:
                self._link = socket.create_connection(self._where, 30, self._from)
                self._link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                self._link.sendall(SLOW[self.kind][0])
                self._link.setblocking(False)
                self.came += 1
            elif more := SLOW[self.kind][1]:
                self._link.send(more)
            elif self._link.recv(1, socket.MSG_PEEK) == b"":
                self.leave()
        except BlockingIOError:
            pass
        except OSError:
            self.leave()

    def leave(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None


@contextlib.contextmanager
def slow_clients(port: int, count: int) -> Iterator[Counter[str]]:
    """So many are connected while it lasts, from when each has spoken twice.

    Gives how often each kind has come, told at the end.
    """
    clients = [_Slow(port, number) for number in range(count)]
    done, settled, came = threading.Event(), threading.Event(), Counter[str]()

    def go_on() -> None:
        for number, one in enumerate(itertools.cycle(clients), 1):
            if done.wait(NOW_AND_THEN_S / count):
                return
            one.say()
            if number == count:
                settled.set()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        settled.wait()
        yield came
    finally:
        done.set()
        thread.join()
        for one in clients:
            one.leave()
            came[one.kind] += one.came


if __name__ == "__main__":
    os.nice(19)  # on a real table their work is done elsewhere
    with slow_clients(int(sys.argv[1]), int(sys.argv[2])):
        print("ready", flush=True)
        sys.stdin.read()
