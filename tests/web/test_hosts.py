"""A page under a stranger's name is not answered, whatever it asks for."""

from __future__ import annotations

import http.client
import socket

import pytest

from controller.web.hosts import KnownNames

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
    assert b"Mend: use its address" in answer.read()
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
