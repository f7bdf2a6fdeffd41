"""Sessions of umpires: they are kept over a restart, and each can be ended."""

from __future__ import annotations

import json
import os
import stat

import pytest

from controller.config import secret_written
from controller.web.sessions import IDLE_S, LASTS_S, MOST_SESSIONS, FullError, Sessions
from tests.steady import steady
from tests.web.client import Client


@pytest.fixture
def file(tmp_path):
    return tmp_path / "sessions.json"


def test_only_the_pin_opens_a_session_and_only_its_token_is_one(file):
    sessions = Sessions(lambda: "4711", steady(100.0), file)
    assert sessions.open("0000", "a", "b") is None
    assert sessions.open("\ud83d", "a", "b") is None
    token = sessions.open("4711", "10.0.0.7", "Firefox")
    assert (sessions.who(token).address, sessions.who(token).browser) == ("10.0.0.7", "Firefox")
    for other in (None, "", "x", token[:-1], token + "x", "é"):
        assert sessions.who(other) is None
    assert token not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Sessions(lambda: None, steady(100.0)).open("", "a", "b") is None
    assert Sessions(str, steady(100.0)).open("", "a", "b") is None, "an empty PIN is none"


def test_a_new_pin_ends_every_session_and_the_old_one_does_not_come_back(file):
    pin = ["4711"]
    sessions = Sessions(lambda: pin[0], steady(100.0), file)
    token = sessions.open("4711", "a", "b")
    pin[0] = "1234"
    assert sessions.who(token) is None
    assert Sessions(lambda: pin[0], steady(100.0), file).who(token) is None
    assert sessions.listed() == []
    sessions.open("1234", "a", "b")
    pin[0] = "4711"
    assert sessions.who(token) is None
    assert Sessions(lambda: pin[0], steady(100.0), file).who(token) is None


def test_a_pin_that_comes_back_brings_no_session_back(file):
    """Whoever asks meanwhile, or nobody but a restart, or nobody at all: then the file tells."""
    pin, written = ["4711"], [1]

    def begun() -> Sessions:
        return Sessions(lambda: pin[0], steady(100.0), file, lambda: written[0])

    sessions = begun()
    token = sessions.open("4711", "a", "b")
    pin[0] = "1234"
    assert begun().who(token) is None
    pin[0] = "4711"
    sessions = begun()
    assert sessions.who(token) is None
    token = sessions.open("4711", "a", "b")
    written[0] = 2
    assert sessions.who(token) is None
    token = sessions.open("4711", "a", "b")
    pin[0] = None
    assert sessions.who(token) is None
    pin[0] = "4711"
    assert sessions.who(token), "a file that cannot be read for a moment is no new PIN"
    # systemd hands the PIN over anew at each start.
    written[0] = 3
    assert begun().who(token) is not None


def test_a_secrets_file_tells_that_it_was_written(tmp_path):
    secret = tmp_path / "pin"
    assert secret_written(None) is secret_written(secret) is None
    secret.write_text("4711")
    before = secret_written(secret)
    assert before == secret_written(secret)
    os.utime(secret, ns=(5, 5))
    assert secret_written(secret) != before


@pytest.mark.parametrize(
    "rubbish", [b"", b"{", b"[1]", b'{"key": "zz"}', b'{"key": "", "sessions": [1], "browsers": {}}']
)
def test_a_file_that_cannot_be_read_asks_for_the_pin_again(file, rubbish):
    file.write_bytes(rubbish)
    sessions = Sessions(lambda: "4711", steady(100.0), file)
    token = sessions.open("4711", "a", "b")
    assert Sessions(lambda: "4711", steady(100.0), file).who(token) is not None


@pytest.mark.parametrize("where", ["began", "until", "seen"])
def test_a_session_whose_time_is_a_text_is_none(file, where):
    token = Sessions(lambda: "4711", steady(100.0), file).open("4711", "a", "b")
    body = json.loads(file.read_text())
    body["sessions"][0][where] = "1e999"
    file.write_text(json.dumps(body))
    sessions = Sessions(lambda: "4711", steady(100.0), file)
    assert sessions.who(token) is None
    assert sessions.listed() == []


def test_where_nothing_can_be_written_umpires_log_in_all_the_same(tmp_path):
    sessions = Sessions(lambda: "4711", steady(100.0), tmp_path / "nowhere" / "sessions.json")
    assert sessions.who(sessions.open("4711", "a", "b")) is not None


def test_sessions_do_not_pile_up(file):
    now = [100.0]
    sessions = Sessions(lambda: "4711", steady(lambda: now[0]), file)
    tokens = []
    for number in range(MOST_SESSIONS + 10):
        tokens.append(sessions.open("4711", str(number), "b"))
        now[0] += IDLE_S / 2
        assert sessions.who(tokens[0]), "the first one acts"
    assert len(sessions.listed()) == len(json.loads(file.read_text())["sessions"]) == MOST_SESSIONS
    assert [sessions.who(token) is None for token in tokens[:12]] == [False, *[True] * 10, False]
    assert sessions.who(tokens[-1]) is not None


def test_nobody_who_acts_is_thrown_out_for_another_device(file):
    now = [100.0]
    sessions = Sessions(lambda: "4711", steady(lambda: now[0]), file)
    umpire = sessions.open("4711", "a", "b")
    for _ in range(MOST_SESSIONS - 1):
        now[0] += 1
        sessions.open("4711", "a", "b")
    for let_in in (lambda: sessions.open("4711", "a", "b"), lambda: sessions.let_in("a", "b")):
        with pytest.raises(FullError, match=r"50 devices .* Fix: "):
            let_in()
    assert sessions.open("0000", "a", "b") is None
    assert sessions.who(umpire)
    assert len(sessions.listed()) == MOST_SESSIONS


def test_a_browser_is_known_by_a_token_of_its_own(file):
    now = [0.0]
    sessions = Sessions(lambda: "4711", steady(lambda: now[0]), file)
    token = sessions.remember(None)
    assert sessions.knows(token)
    assert sessions.remember(token) == token
    assert sessions.remember("made up") != "made up"
    assert Sessions(lambda: "4711", steady(lambda: now[0]), file).knows(token)
    now[0] = 200 * 24 * 3600.0
    assert not sessions.knows(token)


# -- over the pages


@pytest.mark.live
def test_the_list_shows_who_is_logged_in_and_ends_them(client, table):
    other = Client(client.port)
    assert client.get("/sessions").status == 401
    assert client.post("/sessions/end", {"others": True}).status == 401
    client.login()
    other.login()
    listed = client.get("/sessions").json
    assert [one["here"] for one in listed["sessions"]] == [True, False]
    assert listed["guessing"] is False
    assert "token" not in listed["sessions"][0]
    assert client.post("/sessions/end", {"id": "nobody"}).status == 404
    assert client.post("/sessions/end", {"id": ["x"]}).status == 404
    elsewhere = client.post("/sessions/end", {"others": True}, origin="http://evil.example")
    assert elsewhere.status == 403
    assert client.post("/sessions/end", {"id": listed["sessions"][1]["id"]}).json == {"ended": 1}
    assert other.get("/me").json == {"umpire": False}
    other.login()
    assert client.post("/sessions/end", {"others": True}).json == {"ended": 1}
    assert other.get("/me").json == {"umpire": False}
    assert client.get("/me").json["umpire"] is True


@pytest.mark.live
def test_an_ended_sessions_stream_ends_with_it(client):
    other = Client(client.port)
    client.login()
    other.login()
    stream = other.stream()
    assert next(stream)[1]["flags"] != []
    client.post("/sessions/end", {"others": True})
    assert all(kind != "state" for kind, _ in stream)
    assert next(other.stream())[1]["flags"] == []


@pytest.mark.live
def test_a_device_too_many_is_told_so_and_the_umpire_stays(client, monkeypatch):
    monkeypatch.setattr("controller.web.sessions.MOST_SESSIONS", 2)
    client.login()
    assert Client(client.port).login().status == 200
    late = Client(client.port).login()
    assert (late.status, "Fix:" in late.json["error"]) == (503, True)
    assert client.get("/me").json["umpire"] is True


@pytest.mark.live
def test_a_new_pin_ends_the_session_at_its_next_word(client, table):
    client.login()
    table.pin_now = "1234"
    assert client.get("/me").json == {"umpire": False}
    assert client.login("4711").status == 403
    assert client.login("1234").status == 200


@pytest.mark.live
def test_strangers_who_guess_do_not_lock_out_whoever_was_in_before(client):
    client.login()
    browser = client.cookie
    client.post("/logout", {})
    stranger = Client(client.port)
    for _ in range(10):
        stranger.login("0000")
    # The same address: the one that is locked.
    assert stranger.login("4711").status == 429
    client.cookie = browser
    assert client.login("4711").status == 200


@pytest.mark.parametrize("typed", ["314159", "३१४१५९", "٣١٤١٥٩", "３１４１５９", " 314159 "])
def test_a_pin_is_known_by_its_digits_whatever_keyboard_writes_them(typed):
    assert Sessions(lambda: "314159", steady(1.0)).open(typed, "a", "b")
    assert Sessions(lambda: typed, steady(1.0)).open("314159", "a", "b")
    assert not Sessions(lambda: "314158", steady(1.0)).open(typed, "a", "b")


DAY_S = 24 * 3600.0


@pytest.mark.parametrize("step", [3 * DAY_S, -2 * DAY_S])
@pytest.mark.parametrize("boot", ["same", "another"])
def test_a_clock_that_is_set_ends_no_session_and_lengthens_none(file, step, boot):
    """Whether the daemon is started anew afterwards, or the whole machine."""
    running, wall = [500.0], [1_000_000.0]

    def begun(boot: str) -> Sessions:
        return Sessions(lambda: "4711", steady(lambda: running[0], lambda: wall[0], boot), file)

    sessions = begun("same")
    token = sessions.open("4711", "a", "b")
    wall[0] += step
    assert sessions.who(token)
    assert sessions.clock.shown(sessions.who(token).began) == wall[0]
    sessions.remember(None)
    if boot == "another":
        running[0] = 20.0
    again = begun(boot)
    assert again.who(token)
    running[0] += LASTS_S + 1
    wall[0] += LASTS_S + 1
    assert again.who(token) is None
