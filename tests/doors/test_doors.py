"""Every door takes what could break it: it is refused in one line, nothing is lost, and what comes next is heard."""

from __future__ import annotations

import io
import json
import os
import socket
import sqlite3
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from controller.cli import main
from controller.commands.watch import read_beams, read_start
from controller.config import Config, load_config, secret_in, to_toml
from controller.events.beams import BeamEdge
from controller.events.codec import event_from_json
from controller.events.errors import ConfigError, DeviceError, EventError, PeerError
from controller.events.wire import observation_from_line
from controller.hub.tables import MOST_TABLES, MOST_WAITING, Tables
from controller.journal import Journal
from controller.mqtt.calls import Answer, CallDesk, Take
from controller.mqtt.client import Broker, TableClient
from controller.table.case import case_from_text
from controller.table.umpire import Umpire
from controller.vision.calibration_file import Calibration, load, save
from controller.vision.ring import RingReader
from controller.vision.sources.mjpeg import MjpegSource
from controller.vision.sources.multipart import MultipartReader
from controller.vision.sources.recorded import FolderSource
from tests.doors.hostile import DEEP, DEEP_OBJECT, EVENTS, SURROGATE, TURNED, UNREADABLE, nested
from tests.mqtt.broker import PATIENCE_S
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


@pytest.fixture
def pages(table, client):
    assert client.login().status == 200
    return client


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=list(UNREADABLE))
def test_every_post_refuses_what_cannot_be_read(pages, table, raw: bytes) -> None:
    for path in ("/act", "/preview", "/login"):
        answer = pages.post(path, raw)
        assert answer.status in (400, 413), path
        assert answer.json["error"]
    assert pages.get("/state").status == 200


def test_login_with_a_nested_pin(client) -> None:
    answer = client.post("/login", b'{"pin": ' + DEEP[:60_000] + b"}")
    assert answer.status == 400


@pytest.mark.parametrize("path", ["/picture/", "/clip/1-", "/stroke/"])
def test_a_number_with_too_many_digits_is_no_page(pages, path: str) -> None:
    for digits in ("9" * 20, "9" * 400, "9" * 5000, "-1", "²"):
        assert pages.get(path + digits.encode("utf-8").decode("latin-1").replace("Â²", "%C2%B2")).status == 404


def test_an_origin_that_is_no_address(pages) -> None:
    assert pages.post("/act", {"event": "pause"}, origin="http://[").status == 403


def test_a_nul_in_a_path(pages) -> None:
    for path in ("/static/%00", "/static/a%00b.css", "/static/" + LONG, "/%00"):
        assert pages.get(path).status == 404, path


def test_a_client_that_leaves_while_it_sends(pages, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", pages.port)) as gone:
            head = "POST /login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"
            gone.sendall(head.encode() + b'{"pin": "')
    assert pages.get("/state").status == 200
    assert "Traceback" not in caplog.text
    assert not [one for one in caplog.records if one.exc_info]


# -- files


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Runs a command in this process. Returns its one line."""
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert "Mend:" in said
    return said


@pytest.fixture
def calibration(tmp_path: Path) -> Path:
    K = np.array(((900.0, 0, 320.0), (0, 900.0, 240.0), (0, 0, 1)))
    pose = np.diag((1.0, -1.0, -1.0)), np.array((0.0, 0.0, 1100.0))
    save(tmp_path / "calibration.json", Calibration(CameraModel(K, np.zeros(5), *pose, (640, 480))))
    return tmp_path / "calibration.json"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    with Journal(path) as opened:
        opened.append("m", 1, START, {"seq": 1, "event": "start"}, 1.0)
    return path


def config(folder: Path, more: str) -> Path:
    (folder / "carrom.toml").write_text(more)
    return folder / "carrom.toml"


NAMED = {
    "calibrate": ("calibrate", "--corners", "0,0 1,0 1,1 0,1", "--out", "c.json", "--image"),
    "calibrate the lens": ("calibrate", "--out", "c.json", "--lens"),
    "calibrate a report": ("calibrate", "--out", "c.json", "--lens", "*.none", "--report"),
    "detect": ("detect", "--calibration"),
    "watch": ("watch", "--video", "v.mp4", "--calibration"),
    "support": ("support", "--config"),
    "support out": ("support", "--config", "carrom.toml", "--out"),
    "replay": ("replay",),
    "export": ("export", "--json"),
    "pockets": ("pockets", "--port"),
    "check": ("check", "--config"),
    "run": ("run", "--config"),
    "eyes": ("eyes", "--config"),
    "hub": ("hub", "--config"),
    "rule": ("rule",),
    "rule by a book": ("rule", "--book"),
    "books": ("books", "show"),
    "record": ("record", "--out", "o", "--config"),
    "init": ("init", "--yes", "--out"),
}


@pytest.mark.parametrize("command", NAMED)
@pytest.mark.parametrize("name", [NO_UTF8, LONG, LONG + ".toml"], ids=["no UTF-8", "300 characters", "300 and a kind"])
def test_names_that_no_file_can_have(
    command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config(tmp_path, "")
    refused(capsys, *NAMED[command], name)


def test_a_picture_whose_name_is_no_utf8_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It came by a pattern or in a folder, not by its name: it is read like any other."""
    blank = tmp_path / "blank.png"
    cv2.imwrite(str(blank), np.zeros((48, 64, 3), np.uint8))
    blank.rename(tmp_path / NO_UTF8)
    source = FolderSource(tmp_path)
    source.open()
    frame = source.read(1.0)
    assert frame is not None
    assert frame.bgr.shape == (48, 64, 3)
    refused(capsys, "calibrate", "--lens", str(tmp_path / "*.png"), "--out", str(tmp_path / "c.json"))


def test_support_lists_a_folder_with_any_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / NO_UTF8).touch()
    (tmp_path / "state" / "nowhere").symlink_to("gone")
    file = config(tmp_path, f'[table]\nstate = "{tmp_path}/state"\n[camera]\ncalibration = "{tmp_path}"\n')
    assert main(["support", "--config", str(file), "--out", str(tmp_path / "s.tar.gz")]) == 0


@pytest.mark.parametrize("column", ["event", "ruling"])
@pytest.mark.parametrize(
    "text", ["{", "[1]", "{}" * 2, DEEP.decode(), '{"t": NaN}', '{"seats": "x"}'], ids=lambda t: t[:12]
)
def test_a_journal_row_that_cannot_be_read(
    journal: Path, text: str, column: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(journal) as writing:
        writing.execute("DROP TRIGGER events_are_kept")
        writing.execute(f"UPDATE events SET {column} = ?", (text,))
    if text == '{"seats": "x"}':
        assert main(["replay", str(journal)]) in (1, 2)
        assert "Traceback" not in capsys.readouterr().err
        return
    assert str(journal) in refused(capsys, "replay", str(journal))
    assert str(journal) in refused(capsys, "export", str(journal), "--json")


def test_an_edge_that_cannot_be_read(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.sqlite") as opened:
        opened.store_edges([BeamEdge(1, "NE", "upper", blocked=True, boot="b", seq=1)])
        with sqlite3.connect(opened.path) as writing:
            writing.execute("DROP TRIGGER observed_is_kept")
            writing.execute("UPDATE observed SET body = '{'")
        with pytest.raises(ConfigError, match="edge"):
            opened.edges()


@pytest.mark.parametrize(
    "bad",
    [
        {"event": "pause", "note": nested(100)},
        {"event": "pause", "note": nested(100_000)},
        {"event": "pause", "t": 10**30},
        {"event": "pause", "t": 10**5000},
        {"event": "pause", "t": float("nan")},
        {"event": "pause", "note": "a\0b"},
    ],
    ids=["nested", "nested deeply", "digits", "many digits", "no number", "NUL"],
)
def test_the_journal_writes_nothing_that_it_could_not_read(tmp_path: Path, bad: dict[str, Any]) -> None:
    with Journal(tmp_path / "journal.sqlite") as opened:
        with pytest.raises(EventError):
            opened.append("m", 1, bad, {}, 1.0)
        opened.append("m", 1, START, {}, 1.0)
        assert [entry.seq for entry in opened.events("m")] == [1]


SPOILT: dict[str, Callable[[dict[str, Any]], object]] = {
    "K negated": lambda c: c["camera"].update(K=(-np.array(c["camera"]["K"])).tolist()),
    "K zero": lambda c: c["camera"].update(K=np.zeros((3, 3)).tolist()),
    "K of another size": lambda c: c["camera"].update(K=(1000 * np.array(c["camera"]["K"])).tolist()),
    "K's middle": lambda c: c["camera"]["K"][0].__setitem__(2, -90_000.0),
    "dist": lambda c: c["camera"]["dist"].__setitem__(0, 1e30),
    "dist bends back": lambda c: c["camera"]["dist"].__setitem__(0, -40.0),
    "R mirrored": lambda c: c["camera"]["R_board_to_camera"][0].__setitem__(0, -1.0),
    "R scaled": lambda c: c["camera"]["R_board_to_camera"][0].__setitem__(0, 2.0),
    "below the board": lambda c: c["camera"]["t_mm"].__setitem__(2, -1100.0),
    "on the board": lambda c: c["camera"]["t_mm"].__setitem__(2, 0.0),
    "farther than any ceiling": lambda c: c["camera"]["t_mm"].__setitem__(2, 1e6),
    "beside the picture": lambda c: c["camera"]["t_mm"].__setitem__(0, 5000.0),
    "no size": lambda c: c["camera"].update(size=[0, 0]),
    "size of 400 digits": lambda c: c["camera"].update(size=[10**400, 480]),
    "half_mm": lambda c: c["board"].update(half_mm=-370.0),
    "half_mm zero": lambda c: c["board"].update(half_mm=0),
    "half_mm in cm": lambda c: c["board"].update(half_mm=37.0),
    "a pocket outside": lambda c: c["board"].update(pocket_radius_mm=900.0),
    "a line": lambda c: c["board"].update(outer_line_mm=[-1.0, 5.0]),
    "coins": lambda c: c["looks"].update(coin_diameter_mm=-31.0),
    "thickness": lambda c: c["looks"].update(coin_thickness_mm=0.0),
    "a tone": lambda c: c["looks"]["tones"].update(white={"mean": [1], "spread": [1], "signed": [], "either": []}),
    "a nested tone": lambda c: c["looks"].update(tones=nested(100)),
    "residuals": lambda c: c.update(residuals={"px": "much"}),
    "made": lambda c: c.update(made=7),
    "the board": lambda c: c.update(board=[]),
    "the picture": lambda c: c["looks"].update(empty="AAAA"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_calibration_that_cannot_be_real(calibration: Path, name: str) -> None:
    load(calibration)
    content = json.loads(calibration.read_text())
    SPOILT[name](content)
    calibration.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match="Mend:") as error:
        load(calibration)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=list(UNREADABLE))
def test_files_of_json_that_cannot_be_read(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "file.json"
    file.write_bytes(raw or b"{")
    for read in (load, read_beams, read_start, lambda path: case_from_text(path.read_bytes().decode("latin-1"), "it")):
        with pytest.raises(ConfigError) as error:
            read(file)
        assert "\n" not in str(error.value)
    (tmp_path / "p.jpg").touch()
    file.rename(tmp_path / "times.jsonl")
    with pytest.raises(DeviceError):
        FolderSource(tmp_path).open()
    if b"pause" not in raw:
        with pytest.raises(PeerError):
            observation_from_line(raw)


@pytest.mark.parametrize("t", ["1e30", "-1e9", "NaN", "true", '"1"', "1" + "0" * 400])
def test_a_beam_logs_time_is_of_this_recording(tmp_path: Path, t: str) -> None:
    (tmp_path / "beams.jsonl").write_text(f'{{"t": {t}, "pocket": "NE", "blocked": true}}\n')
    with pytest.raises(ConfigError, match=r"beams.jsonl:1: "):
        read_beams(tmp_path / "beams.jsonl")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 50_000, "carrom.toml"),
        ("[mqtt]\nport = " + "1" * 5000, "digits"),
        ("[camera]\ngain = inf", "finite"),
        ('[mqtt]\nhost = "..a"', "carrom.toml:2: mqtt.host"),
        ('[web]\nhost = "a b"', "web.host"),
        ('[table]\nstate = "a\\u0000b"', "NUL"),
        ('[table]\nname = "a\\nb"', "table.name"),
        ('[table]\nname = "' + "x" * 61 + '"', "table.name"),
        ('[match.seats]\nsouth = "\\u202e"', "match.seats.south"),
        ('["a\\nb"]\nx = 1', "unknown key"),
        ("[match.policy]\npoints = 1979-05-27", "date"),
    ],
)
def test_a_configuration_that_is_refused(
    tmp_path: Path, text: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = config(tmp_path, text)
    assert says in refused(capsys, "check", "--config", str(file))
    book = tmp_path / "house.toml"
    book.write_text(text)
    refused(capsys, "books", "show", str(book))


@pytest.mark.parametrize("body", [b"\x89PNG\xff", b"two\nlines", b"x" * 5000, b"a\0b"])
def test_a_secret_that_is_none(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "secret").write_bytes(body)
    with pytest.raises(ConfigError, match="Mend:"):
        secret_in(tmp_path / "secret")
    file = config(tmp_path, f'[mqtt]\npassword_file = "{tmp_path}/secret"\n')
    assert load_config(file).mqtt.password_file == tmp_path / "secret"


# -- streams


@pytest.mark.parametrize("length", ["9" * 5000, "²", "-1", "99999999999999999999"])
def test_a_cameras_part_says_no_length(length: str) -> None:
    reader = MultipartReader(b"b")
    with pytest.raises(PeerError):
        reader.feed(b"--b\r\ncontent-length: " + length.encode("latin-1") + b"\r\n\r\n")


@pytest.mark.parametrize("url", ["http://[", "http://..a/", "http://a:99999/", "http://a b/", "http://a/\r\nx: y", ""])
def test_a_cameras_address_that_is_none(url: str) -> None:
    with pytest.raises(DeviceError, match="no http address"):
        MjpegSource(url, lambda: 0).open()


def test_a_ring_whose_slots_hold_nothing_is_no_ring(tmp_path: Path) -> None:
    slots = 2**20
    head = struct.pack("<8sIIq", b"CARROM-R", slots, 1, 5)
    (tmp_path / "ring").write_bytes(head.ljust(64 + slots, b"\0"))
    assert RingReader(tmp_path / "ring").picture(5) is None


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


@pytest.mark.parametrize("name", ["आशा 😀", 'a "quoted" \\ name'])
def test_what_init_writes_is_read_again_whatever_the_names(name: str, tmp_path: Path) -> None:
    written = to_toml(Config.model_validate({"match": {"seats": {"south": name, "north": "Ben"}}}))
    assert load_config(config(tmp_path, written)).match.seats["south"] == name


@pytest.mark.parametrize("text", ['lines = {"NE upper" = 4611686018427387904}', 'lines = {"NE upper" = -1}'])
def test_a_line_that_no_chip_has(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "pockets.lines" in refused(capsys, "check", "--config", str(config(tmp_path, f"[pockets]\n{text}\n")))


@pytest.mark.parametrize("where", ["x", ":1", "a:0", "a:99999", "a:²", "..a:1883", "a b:1883"])
def test_an_outside_broker_that_is_nowhere(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "demo", "--headless", "--broker", where)


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
        assert isinstance(said, dict)
        assert len(json.dumps(said)) < 1000
