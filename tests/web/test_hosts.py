"""A page under a stranger's name is not answered, whatever it asks for."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

import pytest

from controller.web.hosts import KnownNames, opened_at
from tests.patience import PATIENCE_S

OURS = [
    "127.0.0.1:8080",
    "192.168.1.20",
    "[::1]:8080",
    "[fe80::1]",
    "localhost",
    "LOCALHOST:80",
    "carrom.local:8080",
    "carrom.local.",
    "table.club.example:8080",
    socket.gethostname(),
    f"{socket.gethostname()}.lan:8080",
]
STRANGE = [
    "",
    "evil.example",
    "evil.example:8080",
    "local",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "other.lan",
    f"{socket.gethostname()}.evil.example",
]


@pytest.mark.parametrize("host", OURS)
def test_names_of_the_table_are_known(host):
    assert KnownNames(None, ["Table.club.example"]).knows(host)


@pytest.mark.parametrize("host", STRANGE)
def test_other_names_are_not(host):
    assert not KnownNames(None, ["table.club.example"]).knows(host)


@pytest.mark.live
@pytest.mark.parametrize("path", ["/", "/state", "/events", "/static/live.mjs", "/me"])
def test_a_strangers_name_gets_one_line(client, path):
    link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    link.request("GET", path, headers={"host": f"evil.example:{client.port}"})
    answer = link.getresponse()
    assert answer.status == 421
    assert b"Fix: use its address" in answer.read()
    link.close()


@pytest.mark.live
def test_a_post_under_a_strangers_name_does_nothing(client, table):
    client.login()
    name = f"evil.example:{client.port}"
    said = client.post("/act", {"event": "pause"}, host=name, origin=f"http://{name}")
    assert said.status == 421
    assert table.acted == []


@pytest.mark.live
def test_what_a_browser_says_comes_from_elsewhere_is_refused(client, table):
    client.login()
    for path in ("/act", "/preview", "/logout", "/login", "/sessions/end"):
        assert client.post(path, {"pin": "4711"}, **{"sec-fetch-site": "cross-site"}).status == 403
        assert client.post(path, {"pin": "4711"}, origin="null").status == 403
    assert table.acted == []


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080/"),
        ("table1.local", "http://table1.local:8080/"),
        ("::1", "http://[::1]:8080/"),
    ],
)
def test_pages_are_opened_where_they_are_served(host, address):
    assert opened_at(host, 8080) == address


@pytest.mark.live
@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::"])
def test_pages_that_are_served_everywhere_are_opened_at_an_address_that_answers(everywhere):
    with socket.socket(socket.AF_INET6 if ":" in everywhere else socket.AF_INET) as web:
        web.bind((everywhere, 0))
        web.listen()
        address = urlsplit(opened_at(everywhere, web.getsockname()[1]))
        assert address.hostname not in ("0.0.0.0", "::")
        socket.create_connection((address.hostname, address.port), timeout=PATIENCE_S).close()


def test_a_machine_without_a_network_is_its_own_only_visitor(monkeypatch):
    class Unplugged(socket.socket):
        def connect(self, _where):
            raise OSError("Network is unreachable")

    monkeypatch.setattr(socket, "socket", Unplugged)
    assert opened_at("0.0.0.0", 8080) == "http://localhost:8080/"
