"""A line to a broker that can be cut."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading


class Line:
    """A line to the brokers at one port of several addresses: it listens at one of its own on each, and can be cut.

    While it is cut it refuses connections, as a router does that has no way on.
    """

    def __init__(self, there):
        self._there = there
        self._server = _Server(0, there)
        self.port = self._server.server_address[1]

    def cut(self):
        """Ends all connections and refuses new ones."""
        self._server.shutdown()
        self._server.server_close()
        self._server.end()

    def restore(self):
        """Takes connections again."""
        self._server = _Server(self.port, self._there)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads, allow_reuse_address, block_on_close = True, True, False

    def __init__(self, port, there):
        super().__init__(("0.0.0.0", port), None)
        self._there, self._links = there, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, _client_address):
        with contextlib.suppress(OSError), socket.create_connection((request.getsockname()[0], self._there)) as node:
            self._links += [request, node]
            back = threading.Thread(target=_carry, args=(node, request), daemon=True)
            back.start()
            _carry(request, node)
            back.join()

    def end(self):
        for link in self._links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)


def _carry(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
