"""A page under a stranger's name is not answered, whatever it asks for."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from controller.web import WebServer, create_app, hosts
from controller.web.hosts import KnownNames, opened_at, reached_at
from tests.patience import PATIENCE_S
from tests.web.client import Client

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


WITHOUT_INTERNET = """
import sys
from controller.web.hosts import opened_at, reached_at
print(opened_at(sys.argv[1], 8080), reached_at("", "http", "localhost:8080"))
"""


@pytest.mark.live
@pytest.mark.parametrize(
    ("addresses", "found"),
    [
        ((), ("http://localhost:8080/", "None")),
        (("192.168.44.9/24",), ("http://192.168.44.9:8080/", "http://192.168.44.9:8080")),
        (("169.254.7.8/16", "10.1.2.3/8"), ("http://10.1.2.3:8080/", "http://10.1.2.3:8080")),
        (("fe80::5/64", "fd12::9/64"), ("http://[fd12::9]:8080/", "http://[fd12::9]:8080")),
    ],
)
def test_a_network_without_a_way_out_has_addresses_all_the_same(addresses, found):
    """A hall's router without the internet. In a network of the test's own."""
    alone = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    given = "".join(f"ip addr add {one} dev lo\n" for one in addresses)
    for everywhere in ("0.0.0.0", "::"):
        script = f'ip link set lo up\n{given}exec {sys.executable} -c "$0" {everywhere}'
        done = subprocess.run([*alone, "sh", "-ec", script, WITHOUT_INTERNET], capture_output=True, text=True)
        assert tuple(done.stdout.split()) == found, done.stderr


@pytest.mark.parametrize(
    ("configured", "asked_for", "found"),
    [
        ("http://table1.local:8080/", "localhost:8080", "http://table1.local:8080"),
        ("", "10.0.0.7:8080", "https://10.0.0.7:8080"),
        ("", "[fd12::7]:8080", "https://[fd12::7]:8080"),
        ("", "localhost", "https://192.168.1.20"),
        ("", "127.0.0.1:8081", "https://192.168.1.20:8081"),
        ("", "[::1]:8081", "https://192.168.1.20:8081"),
    ],
)
def test_a_code_leads_another_device_here_and_never_to_itself(monkeypatch, configured, asked_for, found):
    monkeypatch.setattr(hosts, "lan_address", lambda: "192.168.1.20")
    assert reached_at(configured, "https", asked_for) == found


@pytest.mark.live
def test_whoever_comes_by_ipv4_is_named_so_where_both_kinds_are_served(table):
    """Limits and trust go by the address; a proxy on this machine has none."""
    server = WebServer(create_app(table), table.feed, "::", 0, most_from_one=2)
    client = Client(server.start())
    link = http.client.HTTPConnection("::1", client.port, timeout=30)
    try:
        client.login()
        (session,) = client.get("/sessions").json["sessions"]
        assert session["address"] == "127.0.0.1"
        link.request("GET", "/me")
        assert link.getresponse().status == 200
    finally:
        link.close()
        server.stop()
