"""What the pages' routes say, and to whom."""

from __future__ import annotations

import http.client
import socket

import pytest

from controller.events.errors import DeviceError
from controller.web import Feed, WebServer, create_app
from tests.steady import steady
from tests.web.client import Client

pytestmark = pytest.mark.live

CALL = {"event": "call", "clause": "icf-30", "seat": "south"}


@pytest.mark.parametrize("path", ["/", "/umpire", "/board", "/stream", "/overlay", "/book"])
def test_pages_are_served_and_take_nothing_from_outside(client, path):
    answer = client.get(path)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert b"http://" not in answer.body
    assert b"https://" not in answer.body


def test_modules_are_asked_for_anew(client):
    answer = client.get("/static/live.mjs")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert client.get("/static/../app.py").status == 404


def test_the_state_is_everything_a_page_shows(client, table):
    client.login()
    said = client.get("/state").json
    assert said["score"] == table.state["score"]
    assert said["asks"] == table.state["asks"]
    assert said["pieces"] == ["white", "black", "queen"]
    assert client.get("/clauses").json["icf-66"].startswith("pocketing the striker")
    assert client.get("/calls").json[0]["clause"] == "icf-30"
    assert client.get("/geometry").json["pocket_radius_mm"] == 25.4


def test_only_the_umpires_page_is_told_what_is_flagged(client):
    assert client.get("/state").json["flags"] == []
    assert next(client.stream())[1]["flags"] == []
    client.login()
    assert [flag["clause"] for flag in client.get("/state").json["flags"]] == ["icf-30"]
    assert [flag["clause"] for flag in next(client.stream())[1]["flags"]] == ["icf-30"]


def test_fixtures_are_asked_for_with_the_rights_of_who_asks(client, table):
    table.published = [{"seats": {"south": "Asha"}}]
    assert client.get("/fixtures").json == table.published
    table.names_everybody = False
    assert client.get("/fixtures").json == []
    client.login()
    assert client.get("/fixtures").json == table.published


def test_a_page_hears_at_once_and_then_of_every_change(client, table):
    stream = client.stream()
    assert next(stream) == ("state", client.get("/state").json)
    table.state["score"]["seq"] = 15
    table.feed.push("state")
    kind, body = next(item for item in stream if item[0] != "beat")
    assert (kind, body["score"]["seq"]) == ("state", 15)
    table.feed.push("clock", {"running": True, "left": 3.0, "limit": 15.0})
    assert next(item for item in stream if item[0] != "beat") == (
        "clock",
        {"running": True, "left": 3.0, "limit": 15.0},
    )
    stream.close()


def test_a_change_is_built_once_however_many_look(client, table):
    streams = [client.stream() for _ in range(20)]
    for stream in streams:
        next(stream)
    before = table.snapshots
    table.state["score"]["seq"] = 15
    table.feed.push("state")
    for stream in streams:
        kind, body = next(item for item in stream if item[0] != "beat")
        assert (kind, body["score"]["seq"]) == ("state", 15)
    assert table.snapshots == before + 1
    for _ in range(20):
        assert client.get("/state").json["score"]["seq"] == 15
    assert table.snapshots == before + 1


def test_a_state_that_cannot_be_built_ends_no_stream(client, table, caplog):
    stream = client.stream()
    next(stream)
    whole, table.state = table.state, None
    table.feed.push("state")
    assert next(stream) == ("beat", None)
    table.state = whole
    table.feed.push("state")
    assert next(item for item in stream if item[0] != "beat")[0] == "state"
    assert "could not be told" in caplog.text


def test_a_quiet_table_still_gives_a_sign_of_life(client):
    stream = client.stream()
    next(stream)
    assert next(stream) == ("beat", None)
    stream.close()


def test_many_changes_at_once_are_told_once_and_the_latest_counts(client, table):
    stream = client.stream()
    next(stream)
    for number in range(1000):
        table.feed.push("board", {"t": number, "pieces": [], "moving": True})
    said = []
    while not said or said[-1]["t"] != 999:
        kind, body = next(stream)
        if kind == "board":
            said.append(body)
    assert len(said) < 1000
    stream.close()


def test_the_clock_is_told_once_a_second_however_often_it_is_said(client, table):
    stream = (item for item in client.stream() if item[0] != "beat")
    next(stream)

    def clock(left):
        return {"running": True, "left": left, "limit": 15.0}

    table.feed.push("clock", clock(3.9))
    assert next(stream) == ("clock", clock(3.9))
    table.feed.push("clock", clock(3.2))
    table.feed.push("board", {"t": 1, "pieces": []})
    assert next(stream)[0] == "board"
    table.feed.push("clock", clock(2.9))
    assert next(stream) == ("clock", clock(2.9))


def test_pictures(client):
    client.login()
    answer = client.get("/picture/41")
    assert (answer.status, answer.headers["content-type"], answer.body[:2]) == (200, "image/jpeg", b"\xff\xd8")
    assert client.get("/picture/39").status == 404
    assert client.get("/picture/x").status == 404


def test_a_clip_runs_its_pictures_over_and_over(client, table):
    link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    client.login()
    link.request("GET", "/clip/38-60", headers={"cookie": client.cookie})
    response = link.getresponse()
    assert response.getheader("content-type") == "multipart/x-mixed-replace; boundary=frame"
    body = b""
    while body.count(b"--frame") < 7:
        body += response.read1(65536)
    assert table.picture(40) in body
    assert table.picture(44) in body
    link.close()
    assert client.get("/clip/1-3").status == 404
    assert client.get("/clip/44-40").status == 400
    assert client.get("/clip/0-99999").status == 400


def test_everybody_sees_the_clip_of_a_foul_that_stands_and_no_other_picture(client, table):
    table.state["replays"] = [{"seq": 14, "clip": [41, 43]}]
    for number, status in [(40, 401), (41, 200), (43, 200), (44, 401), (39, 401), (10**9, 401)]:
        assert client.get(f"/picture/{number}").status == status, number
    for path in ("/clip/40-43", "/clip/41-44", "/clip/39-44", "/clip/1-3"):
        assert client.get(path).status == 401, path
    link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    link.request("GET", "/clip/41-43")
    response = link.getresponse()
    assert response.read(7) == b"--frame"
    table.state["replays"] = []
    response.read()  # the clip ends: the foul stands no more
    link.close()
    assert client.get("/picture/42").status == 401


@pytest.mark.parametrize("path", ["/picture/41", "/clip/40-44"])
def test_who_opens_a_picture_as_a_page_is_led_to_the_console(client, path):
    link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    for accepts, status, leads in [
        ("text/html,application/xhtml+xml,*/*;q=0.8", 303, f"/umpire?see={path}"),
        ("image/avif,image/webp,*/*;q=0.8", 401, None),
    ]:
        link.request("GET", path, headers={"accept": accepts})
        response = link.getresponse()
        response.read()
        assert (response.status, response.getheader("location")) == (status, leads)
    link.close()


def test_a_clip_ends_with_the_session_of_who_looks(client):
    client.login()
    link = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    link.request("GET", "/clip/40-44", headers={"cookie": client.cookie})
    response = link.getresponse()
    assert response.read(7) == b"--frame"
    assert client.post("/logout", {}).status == 200
    response.read()
    link.close()


@pytest.mark.parametrize("path", ["/act", "/preview"])
def test_nobody_acts_without_the_pin(client, table, path):
    for cookie in (
        "",
        "carrom_umpire_table1=",
        "carrom_umpire_table1=9999999999.abcd.0000",
        "carrom_umpire_table1=é.x.y",
    ):
        client.cookie = cookie.encode().decode("latin-1")
        answer = client.post(path, CALL)
        assert answer.status == 401
        assert "PIN" in answer.json["error"]
    assert table.acted == []
    assert table.previewed == []


def test_who_gave_the_pin_acts(client, table):
    assert client.get("/me").json == {"umpire": False}
    answer = client.login()
    assert answer.status == 200
    flags = answer.headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    assert client.get("/me").json["umpire"] is True
    answer = client.post("/act", CALL)
    assert (answer.status, answer.json) == (200, table.answer)
    event, by = table.acted[0]
    assert event == CALL
    assert by.startswith("web:")
    assert client.post("/preview", CALL).json["differences"][0]["figure"] == "left"
    assert table.previewed == [CALL]


def test_what_the_table_refuses_is_handed_on_in_its_words(client, table):
    client.login()
    table.answer = {"seq": 15, "event": "call", "error": "club-132: too late"}
    answer = client.post("/act", CALL)
    assert (answer.status, answer.json) == (409, table.answer)


def test_a_stroke_is_the_umpires_to_read_since_suspicions_stand_in_it(client):
    assert client.get("/stroke/14").status == 401
    client.login()
    assert client.get("/stroke/14").json["flags"] == ["elbow"]
    assert client.get("/stroke/15").status == 404


def test_the_books_come_with_what_the_table_configured(client):
    assert [book["id"] for book in client.get("/books").json] == ["icf", "sixes"]


def test_a_session_ends_and_a_restart_does_not_end_it(client, table, clock, tmp_path):
    client.login()
    clock[0] += 15 * 3600
    assert client.get("/me").json == {"umpire": False}
    cookie = ""
    for _ in range(2):
        app = create_app(table, kept=tmp_path / "sessions.json", clock=steady(lambda: clock[0]))
        server = WebServer(app, Feed(), "127.0.0.1", 0)
        again = Client(server.start())
        if cookie:
            again.cookie = cookie
        else:
            again.login()
            cookie = again.cookie
        assert again.get("/me").json["umpire"] is True
        server.stop()


def test_leaving_ends_the_session_and_not_only_its_cookie(client, table):
    client.login()
    assert client.post("/logout", {}, origin="http://evil.example").status == 403
    assert client.get("/me").json["umpire"] is True
    answer = client.post("/logout", {})
    assert 'carrom_umpire_table1=""' in answer.headers["set-cookie"]
    # The cookie as somebody may have copied it before.
    assert client.get("/me").json == {"umpire": False}
    assert client.post("/act", CALL).status == 401


def test_guessing_is_slow(client, clock):
    for _ in range(5):
        assert client.login("0000").status == 403
    answer = client.login("4711")
    assert answer.status == 429
    assert 0 < int(answer.headers["retry-after"]) <= 61
    clock[0] += 61
    assert client.login("4711").status == 200


def test_a_restart_gives_no_new_guesses(table, clock, tmp_path):
    """The power is cut as soon as a guess is answered, and the wall's clock is days ahead afterwards."""
    kept, days = tmp_path / "sessions.json", 0

    def started() -> tuple[WebServer, Client]:
        running = steady(lambda: clock[0], lambda: clock[0] + days * 86_400)
        server = WebServer(create_app(table, kept=kept, clock=running), Feed(), "127.0.0.1", 0)
        return server, Client(server.start())

    said = []
    for pin in ["0000"] * 5 + ["4711"] * 2:
        server, client = started()
        clock[0] += 20
        answer = client.login(pin)
        said.append((answer.status, answer.headers.get("retry-after")))
        clock[0] += 39
        server.stop()
        days += 30
    # Five times wrong, each in a run of its own: then even the PIN waits, after each start for the whole minute.
    assert said == [(403, None)] * 5 + [(429, "40")] * 2
    server, client = started()
    clock[0] += 61
    assert client.login("4711").status == 200
    server.stop()
    server, client = started()
    assert client.login("4711").status == 200, "forgotten once it was right"
    server.stop()


def test_other_sites_and_forms_are_refused(client, table):
    client.login()
    assert client.post("/act", CALL, origin="http://evil.example").status == 403
    assert client.post("/act", CALL, origin=f"http://127.0.0.1:{client.port}").status == 200
    assert client.post("/act", b"event=pause", **{"content-type": "application/x-www-form-urlencoded"}).status == 415
    assert client.post("/act", b"{not json").status == 400
    assert client.post("/act", b"[1]").status == 400
    assert client.post("/act", b" " * 300_000).status == 413
    assert len(table.acted) == 1


def test_an_occupied_port_is_one_line(table):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = WebServer(create_app(table), table.feed, "127.0.0.1", taken.getsockname()[1])
        with pytest.raises(DeviceError, match=r"Fix: stop the program") as refused:
            server.start()
    assert "\n" not in str(refused.value)


def test_stopping_ends_open_streams(table):
    server = WebServer(create_app(table), table.feed, "127.0.0.1", 0)
    client = Client(server.start())
    stream = client.stream()
    next(stream)
    server.stop()
    assert list(stream) == []
