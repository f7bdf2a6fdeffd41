"""Every route of a table's pages, tried by whoever has no right to it: a new route is put in one list or the other."""

from __future__ import annotations

import pytest
from starlette.routing import Route

from controller.web import create_app
from tests.web.client import Client
from tests.web.pretend import PretendMatches, PretendTable
from tests.web.test_devices import code_of, let_in

pytestmark = pytest.mark.live

EVERYBODYS = {
    "GET / /umpire /player /join /board /stream /overlay /state /events /geometry /clauses /calls /books /fixtures /me",
    "GET /jury /book /book/clauses",
    "POST /login /logout /join",
}
UMPIRES = {
    "GET /stroke/{seq:number} /camera/{number:number}.jpg /sessions /matches /matches/{match}.{form}",
    "GET /matches/{match}/protest-{seq:number}.zip",
    "POST /act /arming /camera /preview /replay /invite /sessions/end",
}
WHO_DECIDES = {"GET /picture/{number:number} /clip/{first:number}-{last:number} /look/{seq:number}"}
"""Umpires, and the players where they decide. Everybody sees the clip of a foul that stands."""
SIDES = {"POST /side/act"}
JURY = {"POST /jury/act /jury/preview"}
FILLED = {
    "{number:number}": "41",
    "{first:number}": "40",
    "{last:number}": "44",
    "{seq:number}": "14",
    "{match}": "m-1",
    "{form}": "pdf",
}
STREAMS = ("/events", "/clip")
"""They go on for as long as somebody looks; what they tell has tests of its own."""


def split(lists: set[str]) -> set[tuple[str, str]]:
    return {(line.split()[0], path) for line in lists for path in line.split()[1:]}


def tried(client: Client, method: str, path: str):
    for name, value in FILLED.items():
        path = path.replace(name, value)
    return client.get(path) if method == "GET" else client.post(path, {"event": "pause", "others": True})


def test_every_route_is_in_one_list():
    routes = [route for route in create_app(PretendTable(), past=PretendMatches()).routes if isinstance(route, Route)]
    there = {(method, route.path) for route in routes for method in route.methods or () if method != "HEAD"}
    assert there == split(EVERYBODYS) | split(UMPIRES) | split(WHO_DECIDES) | split(SIDES) | split(JURY)


def test_a_stranger_does_nothing_and_is_told_nothing_that_is_not_confirmed(client, table):
    for cookie in ("", "carrom_umpire_table1=x", "carrom_umpire_table1=" + "a" * 4000):
        client.cookie = cookie
        for method, path in split(UMPIRES) | split(WHO_DECIDES) | split(SIDES) | split(JURY):
            assert tried(client, method, path).status == 401, path
        for method, path in split(EVERYBODYS):
            if not path.startswith(STREAMS):
                said = tried(client, method, path)
                assert said.status in (200, 403, 429), path
                assert b"elbow?" not in said.body, path
                assert b"to confirm" not in said.body, path
                assert b'"picture":' not in said.body, path
    assert (table.acted, table.previewed) == ([], [])


@pytest.mark.parametrize("officiating", ["umpire", "players"])
def test_a_sides_device_has_no_right_of_an_umpires(client, table, officiating):
    client.login()
    player = let_in(client, code_of(client, side="north"))
    table.state["officiating"] = officiating
    for method, path in split(UMPIRES):
        assert tried(player, method, path).status == 401, path
    assert tried(player, "GET", "/picture/{number:number}").status == (200 if officiating == "players" else 401)
    assert tried(player, "POST", "/side/act").status == (200 if officiating == "players" else 409)
    assert len(table.acted) == (1 if officiating == "players" else 0)
    assert client.get("/me").json["umpire"], "nobody's session was ended"


@pytest.mark.parametrize("path", sorted(path for method, path in split(UMPIRES) | split(SIDES) if method == "POST"))
def test_another_site_does_nothing_with_an_umpires_cookie(client, table, path):
    client.login()
    assert client.post(path, {"event": "pause", "others": True}, origin="http://evil.example").status in (401, 403)
    assert (table.acted, table.previewed) == ([], [])
