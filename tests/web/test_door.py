"""Strangers who connect and say nothing, or never finish, take nobody's place; real sockets, deadlines made short."""

from __future__ import annotations

import contextlib
import http.client
import select
import socket

import pytest

from controller.web import WebServer, create_app
from controller.web import door as limits
from controller.web.door import KEPT_HANDLES, LEAST, MOST, places
from tests.patience import PATIENCE_S
from tests.web.client import Client

pytestmark = pytest.mark.live

STRANGER = "127.0.0.2"
"""Another address of this machine, to whom the limit of one address holds."""


@pytest.fixture
def serve(table):
    with contextlib.ExitStack() as stack:

        def start(**limits) -> Client:
            server = WebServer(create_app(table), table.feed, "127.0.0.1", 0, **limits)
            stack.callback(server.stop)
            return Client(server.start())

        yield start


@pytest.fixture
def connect():
    with contextlib.ExitStack() as stack:

        def link(client: Client, words: bytes = b"", address: str = STRANGER) -> socket.socket:
            made = socket.create_connection(("127.0.0.1", client.port), PATIENCE_S, (address, 0))
            stack.callback(made.close)
            made.sendall(words)
            return made

        yield link


def ended(link: socket.socket) -> bytes:
    """Waits until the other side has ended it; returns what it said."""
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := link.recv(65536):
            said += chunk
    return said


def answered(link: socket.socket, path: str = "/me", more: bytes = b"") -> bytes:
    """Asks on a connection and returns the first bytes of the answer."""
    link.sendall(b"GET %s HTTP/1.1\r\nhost: 127.0.0.1\r\n%s\r\n" % (path.encode(), more))
    return link.recv(12)


def test_the_places_leave_handles_for_the_rest():
    assert places(1024) == MOST == 512
    assert places(600) == 600 - KEPT_HANDLES
    assert places(64) == LEAST


def test_a_host_that_opens_many_connections_loses_its_own_oldest(serve, connect):
    client = serve(most_from_one=3)
    links = [connect(client) for _ in range(10)]
    for lost in links[:7]:
        assert ended(lost) == b""
    assert answered(links[-1]) == b"HTTP/1.1 200"
    assert client.login().status == 200


def test_when_all_is_taken_the_host_with_the_most_makes_room(serve, connect):
    client = serve(most=8, most_from_one=100)
    quiet = connect(client, address="127.0.0.3")
    links = [connect(client, b"GET /") for _ in range(20)]
    assert client.login().status == 200
    assert answered(quiet) == b"HTTP/1.1 200"
    assert ended(links[0]) == b""


def test_idle_connections_beyond_all_places_keep_nobody_out(serve, connect):
    client = serve(most=100)
    idle = [connect(client, address="127.0.0.1") for _ in range(150)]
    assert client.login().status == 200
    assert client.post("/act", {"event": "pause"}).status == 200
    assert ended(idle[0]) == b""


def test_what_is_being_answered_is_not_cut_off_for_a_newcomer(serve, connect):
    client = serve(most_from_one=2)
    streams = [connect(client) for _ in range(2)]
    for stream in streams:
        assert answered(stream, "/events") == b"HTTP/1.1 200"
    refused = connect(client)
    assert ended(refused).startswith(b"HTTP/1.1 503 ")
    for stream in streams:
        said = b""
        while b"event: " not in said:
            chunk = stream.recv(65536)
            assert chunk, "cut off"
            said += chunk


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"GET / HT",
        b"GET /me HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
        b"POST /login HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
    ],
    ids=["nothing", "half a head", "a whole request and no more", "half a body"],
)
def test_who_does_not_get_on_is_let_go(serve, connect, monkeypatch, words, caplog):
    monkeypatch.setattr(limits, "ASKED_WITHIN_S", 0.3)
    monkeypatch.setattr(limits, "SENT_WITHIN_S", 0.3)
    said = ended(connect(serve(), words))
    assert said.startswith(b"HTTP/1.1 200") if b"GET /me" in words else said == b""
    assert caplog.text == ""


def test_trickling_bytes_put_nothing_off(serve, connect, monkeypatch):
    monkeypatch.setattr(limits, "ASKED_WITHIN_S", 0.5)
    link = connect(serve(), b"GET / HTTP/1.1\r\nx: ")
    link.settimeout(0.05)
    with contextlib.suppress(ConnectionError):
        while True:
            link.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                if not link.recv(1):
                    return


def test_who_does_not_read_is_let_go(serve, connect, monkeypatch, table):
    monkeypatch.setattr(limits, "READ_WITHIN_S", 0.3)
    table.state["tracks"] = [{"piece": "white", "points": [[0, 0]] * 1_000_000}]
    link = connect(serve(), b"GET /events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
    watch = select.poll()
    watch.register(link, select.POLLHUP | select.POLLERR)
    assert watch.poll(PATIENCE_S * 1000), "it still holds its place"


def test_no_more_streams_than_places_however_many_ask_at_once(table):
    """Two hundred are let in, and umpires all the same."""
    server = WebServer(create_app(table), table.feed, "127.0.0.1", 0)
    client = Client(server.start())
    links = []
    try:
        for _ in range(230):
            link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=PATIENCE_S)
            link.request("GET", "/events")
            links.append(link)
        answers = [link.getresponse().status for link in links]
        assert sorted(answers) == [200] * 200 + [503] * 30
        client.login()
        assert next(client.stream())[0] == "state"
        assert table.snapshots < 20
    finally:
        for link in links:
            link.close()
        server.stop()


def test_clips_have_places_of_their_own(client, connect, table):
    table.state["replays"] = [{"seq": 14, "clip": [40, 44]}]
    links = [connect(client) for _ in range(9)]
    assert [answered(link, "/clip/40-44") for link in links] == [b"HTTP/1.1 200"] * 8 + [b"HTTP/1.1 503"]


def test_nothing_that_is_sent_waits_for_what_was_sent_before_to_be_acknowledged(serve, connect, monkeypatch) -> None:
    """Nagle's rule beside a browser's late acknowledgements held each answer's body back for 40 ms."""
    at_once: list[int] = []

    def enter(_door: limits.Door, link: limits.Guarded, _address: str) -> bool:
        made = link.transport.get_extra_info("socket")
        at_once.append(made.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        return True

    monkeypatch.setattr(limits.Door, "enter", enter)
    assert b"200" in answered(connect(serve()))
    assert at_once
    assert all(at_once)
