"""Other devices at a table: let in by a one-time code, and umpires' devices that do not undo each other unseen."""

from __future__ import annotations

import pytest

from controller.web import WebServer, create_app
from controller.web.devices import Devices
from controller.web.invitations import LASTS_S
from tests.steady import steady
from tests.web.client import Client

pytestmark = pytest.mark.live


@pytest.fixture
def umpire(client):
    client.login()
    return client


def code_of(umpire, **body) -> str:
    said = umpire.post("/invite", body)
    assert said.status == 200, said.body
    assert said.json["picture"].startswith("data:image/svg+xml")
    address, _, code = said.json["address"].partition("#")
    assert address.endswith(f":{umpire.port}/join")
    return code


def let_in(client, code: str) -> Client:
    """Another device that comes in by a code."""
    other = Client(client.port)
    answer = other.post("/join", {"code": code})
    assert answer.status == 200, answer.body
    other.cookie = answer.headers["set-cookie"].partition(";")[0]
    return other


def test_a_code_lets_one_device_in_once_and_without_the_pin(umpire, table):
    code = code_of(umpire)
    other = let_in(umpire, code)
    assert other.get("/me").json | {"id": ""} == {"umpire": True, "side": None, "juror": None, "id": ""}
    assert other.post("/act", {"event": "pause"}).status == 200
    assert Client(umpire.port).post("/join", {"code": code}).status == 403
    assert len(umpire.get("/sessions").json["sessions"]) == 2


def test_a_code_ends_with_its_time_with_the_next_one_with_its_giver_and_with_the_pin(umpire, table, clock):
    stranger = Client(umpire.port)
    late, replaced = code_of(umpire), None
    clock[0] += LASTS_S
    assert stranger.post("/join", {"code": late}).status == 403
    replaced, newer = code_of(umpire), code_of(umpire)
    assert stranger.post("/join", {"code": replaced}).status == 403
    second = let_in(umpire, newer)
    given = code_of(second)
    me = second.get("/me").json["id"]
    assert umpire.post("/sessions/end", {"id": me}).status == 200
    assert stranger.post("/join", {"code": given}).status == 403
    code = code_of(umpire)
    table.pin_now = "1234"
    assert stranger.post("/join", {"code": code}).status == 403


@pytest.mark.parametrize("code", ["", "x", None, 7, {"a": 1}, "\ud83d", "é" * 400])
def test_what_is_no_code_lets_nobody_in(umpire, code):
    code_of(umpire)
    answer = Client(umpire.port).post("/join", {"code": code})
    assert (answer.status, "set-cookie" in answer.headers) in ((403, False), (400, False))


def test_only_an_umpire_gives_codes_and_only_for_a_side_that_plays(umpire, table):
    assert Client(umpire.port).post("/invite", {}).status == 401
    assert let_in(umpire, code_of(umpire, side="north")).post("/invite", {}).status == 401
    for side in ("east", "x", 7, ["north"]):
        assert umpire.post("/invite", {"side": side}).status == 404


def test_a_sides_device_is_no_umpires(umpire, table):
    player = let_in(umpire, code_of(umpire, side="north"))
    assert player.get("/me").json["side"] == "north"
    for path in ("/act", "/preview"):
        assert player.post(path, {"event": "pause"}).status == 401
    assert player.get("/sessions").status == player.get("/stroke/14").status == 401
    assert player.post("/sessions/end", {"others": True}).status == 401
    assert player.get("/state").json["flags"] == []
    assert umpire.post("/side/act", {"event": "pause"}).status == 401
    assert Client(umpire.port).post("/side/act", {"event": "pause"}).status == 401
    assert table.acted == []


def test_a_session_outlives_a_restart_with_its_side(table, clock, tmp_path):
    kept = tmp_path / "sessions.json"
    servers = []

    def start():
        server = WebServer(create_app(table, kept=kept, clock=steady(lambda: clock[0])), table.feed, "127.0.0.1", 0)
        servers.append(server)
        return Client(server.start())

    try:
        umpire = start()
        umpire.login()
        player = let_in(umpire, code_of(umpire, side="south"))
        again = start()
        again.cookie = player.cookie
        assert again.get("/me").json["side"] == "south"
    finally:
        for server in servers:
            server.stop()


# -- two umpires' devices


def test_an_act_that_another_devices_has_overtaken_is_refused_and_nothing_is_lost(umpire, table):
    other = let_in(umpire, code_of(umpire))
    shows = {"x-carrom-seen": "14"}
    table.answer = {"seq": 15, "event": "set"}
    assert umpire.post("/act", {"event": "set", "position": {"owed": {"south": 1}}}, **shows).status == 200
    late = other.post("/act", {"event": "set", "position": {"owed": {"south": 2}}}, **shows)
    assert (late.status, "another umpire's device" in late.json["error"]) == (409, True)
    assert len(table.acted) == 1
    # Its own acts overtake nobody; and once the page has shown the other's, it goes on.
    table.answer = {"seq": 16, "event": "set"}
    assert umpire.post("/act", {"event": "set", "position": {}}, **shows).status == 200
    assert other.post("/act", {"event": "set", "position": {}}, **{"x-carrom-seen": "16"}).status == 200
    # A table is stopped whatever has happened, and who says nothing of what it saw is taken at its word.
    assert umpire.post("/act", {"event": "pause"}, **shows).status == 200
    assert umpire.post("/act", {"event": "next_board"}).status == 200


def test_each_umpires_page_is_told_who_acted_last_and_nobody_else_is(umpire, table):
    me = umpire.get("/me").json["id"]
    table.answer = {"seq": 15, "event": "set"}
    umpire.post("/act", {"event": "pause"})
    table.feed.push("state")
    assert let_in(umpire, code_of(umpire)).get("/state").json["acted"] == {"by": me, "seq": 15}
    assert "acted" not in Client(umpire.port).get("/state").json


def test_what_was_refused_overtakes_nobody_and_a_new_match_counts_anew():
    devices = Devices()
    devices.acted("a", 30)
    assert devices.overtaken("b", 29, "set")
    assert not devices.overtaken("b", 30, "set")
    devices.acted("b", 1)
    assert not devices.overtaken("a", 1, "set")
    assert devices.overtaken("a", 0, "next_board")
