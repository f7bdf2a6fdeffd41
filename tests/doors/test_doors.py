"""Every door takes what could break it: it is refused in one line, nothing is lost, and what comes next is heard."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.events.codec import event_from_json, ruling_to_json
from controller.events.errors import EventError
from controller.events.ruling import Refusal
from controller.hub.tables import MOST_TABLES, MOST_WAITING, Tables
from controller.mqtt.calls import Answer, CallDesk, Take
from controller.mqtt.client import Broker, TableClient
from controller.table.match.umpire import Umpire
from controller.web.answers import answer
from controller.web.broadcast import _event
from tests.doors.hostile import DEEP, DEEP_OBJECT, EVENTS, NO_NUMBERS, SURROGATE, TURNED, UNREADABLE, UNSEEN, nested
from tests.patience import PATIENCE_S
from tests.table.kit import run, scene

START = EVENTS[0]
NO_UTF8 = os.fsdecode(b"picture-\xff.png")
LONG = "a" * 300


# -- events, whoever hands them over


@pytest.mark.parametrize("value", [10**400, -(10**400), 2**63, float("nan"), float("inf"), True, "1"])
@pytest.mark.parametrize("where", ["t", "elapsed"])
def test_a_time_that_is_no_number_is_refused(where: str, value: Any) -> None:
    with pytest.raises(EventError):
        event_from_json({"event": "shot", "seat": "south", where: value})


@pytest.mark.parametrize(
    "event",
    [
        {"event": "pause", "reason": "cut " + SURROGATE},
        {"event": "pause", "reason": "x" * 501},
        {"event": "pause", "reason": TURNED},
        {"event": "pause", "note": SURROGATE},
        {"event": "pause", SURROGATE: 1},
        {"event": "pause", "note": nested(200)},
        {"event": "answer", "ask": 2, "choice": SURROGATE},
        {"event": "answer", "ask": SURROGATE, "choice": "white"},
        {"event": "start", **START, "seats": {"south": "Asha " + SURROGATE}},
        {"event": "start", **START, "seats": {"south": "x" * 61}},
        {"event": "start", **START, "seats": {"south": "A\nsha"}},
        {"event": "start", **START, "policy": {"points": 10**400}},
        {"event": "start", **START, "policy": {"points": float("nan")}},
        {"event": "seats", "seats": {"south": TURNED}},
    ],
    ids=str,
)
def test_texts_and_numbers_of_an_event_that_nobody_could_write_down(event: dict[str, Any]) -> None:
    with pytest.raises(EventError):
        event_from_json(event)


@pytest.mark.parametrize("name", ["", *UNSEEN])
def test_a_player_whom_nobody_can_read_is_refused(name: str) -> None:
    for event in ({**START, "seats": {"south": "Ben", "north": name}}, {"event": "seats", "seats": {"north": name}}):
        with pytest.raises(EventError, match=r"^seats\.north .*(can|cannot) be seen"):
            event_from_json(event)


def test_the_desk_refuses_them_and_goes_on_and_the_journal_has_the_rest(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            for bad in (
                {"event": "pause", "reason": "cut " + SURROGATE},
                {"event": "seats", "seats": {"south": SURROGATE}},
            ):
                assert "error" in await at.say(dict(bad))
            said = await at.say({"event": "pause", "reason": "a fallen lamp"})
            assert said["saved"] is True
            assert [entry.event["event"] for entry in at.entries] == ["start", "pause"]

    run(story())


# -- the command line: carrom rule


def ruled(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], raw: bytes) -> list[dict[str, Any]]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    assert main(["rule"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_rule_answers_each_line_with_one_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [raw for raw in UNREADABLE.values() if raw]
    lines = [json.dumps(START).encode(), *bad, json.dumps({"event": "pause"}).encode()]
    said = ruled(monkeypatch, capsys, b"\n".join(lines))
    assert [("error" in one) for one in said] == [False, *(True for _ in bad), False]
    assert said[-1]["seq"] == len(lines)


def test_rule_takes_a_mark_before_the_stream_and_names_the_line_that_it_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        json.dumps(START),
        "",
        '{"event": "pause", "event": "resume"}',
        "{",
        '{"event": "shot"}',
        '{"event": "resume"}',
    ]
    said = ruled(monkeypatch, capsys, "\n".join(["\ufeff" + lines[0], *lines[1:]]).encode())
    assert "error" not in said[0], "a byte order mark is no part of the first event"
    assert [one["error"].partition(":")[0] for one in said[1:]] == [f"line {number}" for number in (3, 4, 5, 6)]
    assert "names the key 'event' twice" in said[1]["error"]


def test_rule_reads_no_further_than_a_line_may_be_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = json.dumps(START).encode()
    said = ruled(monkeypatch, capsys, start + b"\n" + b"x" * 3_000_000 + b"\n" + start)
    assert [one["event"] for one in said if "error" not in one] == ["start", "start"]
    assert all("too long" in one["error"] for one in said if "error" in one)


# -- MQTT


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=list(UNREADABLE))
def test_a_call_that_cannot_be_read_is_answered(raw: bytes) -> None:
    said = CallDesk().judge(raw, 1000.0)
    assert isinstance(said, Answer)
    assert "error" in said.body


@pytest.mark.parametrize("t", ["NaN", "-Infinity", "1e999", "1" + "0" * 400, "true", '"1000"', "null"])
def test_no_time_gets_past_the_ten_second_rule(t: str) -> None:
    raw = f'{{"event": "pause", "id": "a", "t": {t}}}'.encode()
    assert isinstance(CallDesk().judge(raw, 1000.0), Answer)


@pytest.mark.parametrize("name", [SURROGATE, "a\0", "a\nb", TURNED, "", "x" * 129, 1, None])
def test_a_call_needs_an_id_that_can_be_written_down(name: object) -> None:
    raw = json.dumps({"event": "pause", "id": name, "t": 1000.0}).encode()
    assert isinstance(CallDesk().judge(raw, 1000.0), Answer)


def test_after_all_of_them_a_call_is_still_taken() -> None:
    desk = CallDesk()
    for raw in UNREADABLE.values():
        desk.judge(raw, 1000.0)
    assert isinstance(desk.judge(b'{"event": "pause", "id": "now", "t": 1000}', 1000.0), Take)


@pytest.mark.broker
def test_the_thread_of_calls_lives_on(mosquitto, listen) -> None:
    acted: list[dict[str, Any]] = []

    def act(event: dict[str, Any], by: str) -> dict[str, Any]:
        acted.append(event)
        return {"seq": len(acted), "event": "pause"}

    ear = listen("carrom/#")
    # What others have left retained is read too: a result that is none must not end the thread that connects.
    for number, raw in enumerate((DEEP_OBJECT, b'{"end": 1' + b"0" * 400 + b"}", b'{"end": NaN}')):
        ear.publish(f"carrom/hall-3/result/{number}", raw, retain=True)
    table = TableClient(Broker("127.0.0.1", mosquitto.port), "hall-3", on_call=act, now=lambda: 1000.0)
    table.start()
    try:
        assert table.wait_for(lambda state: state.connected, PATIENCE_S)
        for number, raw in enumerate(UNREADABLE.values()):
            ear.publish("carrom/hall-3/call", raw, reply=f"carrom/hall-3/reply/{number}")
        ear.publish("carrom/hall-3/call", b"x" * 2**21, reply="carrom/hall-3/reply/large")
        ear.publish("carrom/hall-3/call", {"event": "pause", "id": "z", "t": 1000}, reply="carrom/hall-3/reply/last")
        ear.wait_for("carrom/hall-3/reply/last")
    finally:
        table.stop()
    # The broker keeps to itself what is larger than any message of ours.
    assert ear.texts("carrom/hall-3/reply/large") == []
    assert acted == [{"event": "pause"}]


# -- the hub


def test_a_hub_with_old_rows_hears_what_comes_after_rubbish() -> None:
    tables = Tables()
    tables.heard("carrom/a/score", b'{"turn": "south"}')
    for kind in ("score", "health", "alert/x"):
        for raw in UNREADABLE.values():
            if raw:
                assert not tables.heard(f"carrom/a/{kind}", raw)
    assert tables.heard("carrom/a/score", b'{"turn": "north"}')
    (row,) = tables.plain()
    assert row["turn"] == "north"
    assert json.dumps(tables.plain()).encode()


SAID = {
    "score": {"t": 1.5, "game": 1, "asks": 0, "sides": [{"name": "south", "points": 3}], "measures": {"side_mm": 740}},
    "health": {"t": 1.5, "seen": 2},
    "board": {"pieces": [{"piece": "white", "x": 1, "y": 2.5}]},
    "history": {"rulings": [{"seq": 2, "at": 1.5}]},
    "alert/ask-1": {"t": 5, "picture": 3, "clip": [1, 2]},
    "result/m1": {"match": "m1", "start": 1, "end": 2.5, "boards": [{"points": 3, "drawn": False}]},
}
"""By topic: what a table says with numbers."""


def numbers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, item in items for found in numbers(item, (*path, key))]
    return [path] if isinstance(value, int | float) else []


PLACES = [(topic, path) for topic, said in SAID.items() for path in numbers(said) if "measures" not in path]


@pytest.mark.parametrize("text", NO_NUMBERS)
@pytest.mark.parametrize(("topic", "path"), PLACES, ids=str)
def test_no_text_is_a_number_to_the_hub(topic: str, path: tuple[Any, ...], text: str) -> None:
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    body = json.loads(json.dumps(SAID[topic]))
    inner = body
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = text
    before = tables.plain(), tables.one("a")
    tables.heard(f"carrom/a/{topic}", json.dumps(body).encode())
    assert (tables.plain(), tables.one("a")) == before
    assert tables.heard(f"carrom/a/{topic}", json.dumps(SAID[topic]).encode())
    assert json.dumps([tables.plain(), tables.one("a")], allow_nan=False)


@pytest.mark.parametrize("name", [*UNSEEN, TURNED])
def test_the_hub_leaves_out_names_that_nobody_may_show_and_says_so(name: str, caplog: pytest.LogCaptureFixture) -> None:
    tables = Tables()
    side = {"name": "south", "seats": {"south": "Asha"}}
    assert tables.heard("carrom/a/score", json.dumps({"sides": [side]}).encode())
    for said in ({"sides": [side | {"seats": {"south": name}}]}, {"sides": [side | {"name": name}]}):
        assert not tables.heard("carrom/a/score", json.dumps(said).encode())
    assert not tables.heard("carrom/a/health", json.dumps({"name": name}).encode())
    assert len(caplog.messages) == 3
    assert all(one.startswith("table a: ") and "Fix: " in one for one in caplog.messages)
    assert tables.heard("carrom/a/alert/x", json.dumps({"says": "beam\u202e dirty"}).encode())
    assert tables.plain()[0]["waiting"][0]["says"] == "beam dirty"


def test_names_that_somebody_makes_up_do_not_fill_the_hub() -> None:
    tables = Tables()
    for number in range(MOST_TABLES + 50):
        tables.heard(f"carrom/t{number}/availability", b"online")
    for number in range(MOST_WAITING + 50):
        tables.heard(f"carrom/t1/alert/a{number}", b'{"level": "ask"}')
    assert not tables.heard(f"carrom/{TURNED}/availability", b"online")
    rows = tables.plain()
    assert len(rows) == MOST_TABLES
    assert max(len(row["waiting"]) for row in rows) == MOST_WAITING


# -- HTTP


def test_an_answer_and_the_stream_have_no_number_that_json_has_not() -> None:
    sick = {"t": float("nan"), "of": [float("inf")]}
    assert answer(sick).body == b'{"t":null,"of":[null]}'
    assert _event("state", sick) == b'event: state\ndata: {"t":null,"of":[null]}\n\n'


@pytest.fixture
def pages(table, client):
    assert client.login().status == 200
    return client


@pytest.mark.live
@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=list(UNREADABLE))
def test_every_post_refuses_what_cannot_be_read(pages, table, raw: bytes) -> None:
    for path in ("/act", "/preview", "/login"):
        answer = pages.post(path, raw)
        assert answer.status in (400, 413), path
        assert answer.json["error"]
    assert pages.get("/state").status == 200


@pytest.mark.live
def test_login_with_a_nested_pin(client) -> None:
    answer = client.post("/login", b'{"pin": ' + DEEP[:60_000] + b"}")
    assert answer.status == 400


@pytest.mark.live
@pytest.mark.parametrize("path", ["/picture/", "/clip/1-", "/stroke/"])
def test_a_number_with_too_many_digits_is_no_page(pages, path: str) -> None:
    for digits in ("9" * 20, "9" * 400, "9" * 5000, "-1", "²"):
        assert pages.get(path + digits.encode("utf-8").decode("latin-1").replace("Â²", "%C2%B2")).status == 404


@pytest.mark.live
def test_an_origin_that_is_no_address(pages) -> None:
    assert pages.post("/act", {"event": "pause"}, origin="http://[").status == 403


@pytest.mark.live
def test_a_nul_in_a_path(pages) -> None:
    for path in ("/static/%00", "/static/a%00b.css", "/static/" + LONG, "/%00"):
        assert pages.get(path).status == 404, path


@pytest.mark.live
def test_a_client_that_leaves_while_it_sends(pages, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", pages.port)) as gone:
            head = "POST /login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"
            gone.sendall(head.encode() + b'{"pin": "')
    assert pages.get("/state").status == 200
    assert "Traceback" not in caplog.text
    assert not [one for one in caplog.records if one.exc_info]


# -- facts and names


@pytest.mark.parametrize("part", ["²", "٣", "9" * 5000, "-1"])
@pytest.mark.parametrize("fact", ["pocketed.{}.piece", "contacts.{}", "rest.{}.x", "off_board.{}"])
def test_a_fact_that_no_stroke_has(
    fact: str, part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = [["white", 0.5], ["black", 0.5]]
    shot = {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]}
    doubtful = shot | {"doubts": [{"fact": fact.format(part), "choices": choices}]}
    unseen = shot | {"unseen": [fact.format(part)]}
    lines = [json.dumps(one).encode() for one in (START, doubtful, unseen, {"event": "pause"})]
    said = ruled(monkeypatch, capsys, b"\n".join(lines))
    assert "error" in said[1]
    assert "error" not in said[3]


def test_a_terminal_that_cannot_show_a_name_ends_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", shown)
    assert main(["books", "clauses", "icf"]) == 0
    shown.flush()
    assert b"\\u2192" in shown.buffer.getvalue()


def test_an_answer_does_not_hold_what_it_refuses() -> None:
    """The answers to the latest thousand calls are remembered: each must be small whatever was asked."""
    large = ["x" * 4000] * 50
    for bad in ({"event": large}, {"event": "x" * 4000}, {"event": "pause", "y": large}, {"event": "pass"}):
        said = Umpire({}).take(bad)
        assert isinstance(said, Refusal)
        assert len(json.dumps(ruling_to_json(said))) < 1000
