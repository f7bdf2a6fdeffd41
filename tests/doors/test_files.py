"""Every file and stream that could break something: refused in one line that says what and where, nothing is lost."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import struct
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.commands.watch import read_beams, read_start
from controller.config import Config, load_config, secret_in, to_toml
from controller.events.beams import BeamEdge
from controller.events.errors import ConfigError, DeviceError, EventError, PeerError
from controller.events.observation import BoardSeen, EyesHealth, Observation, SeenPiece
from controller.events.orders import order_from_line
from controller.events.wire import observation_from_line, observation_to_line
from controller.journal import Journal
from controller.table.evidence.case import case_from_text
from controller.table.machine.arming import Arming
from controller.table.match.signed import Signed
from controller.vision.calibration_file import Calibration, load, save
from controller.vision.looks import looks_of
from controller.vision.ring import RingReader
from controller.vision.sources.mjpeg import MjpegSource
from controller.vision.sources.multipart import MultipartReader
from controller.vision.sources.recorded import FolderSource
from tests.doors.hostile import DEEP, EVENTS, NO_NUMBERS, UNREADABLE, nested

START = EVENTS[0]
NO_UTF8 = os.fsdecode(b"picture-\xff.png")
LONG = "a" * 300


# -- files


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Runs a command in this process. Returns its one line."""
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1, said
    assert "Fix:" in said
    return said


@pytest.fixture
def calibration(tmp_path: Path) -> Path:
    K = np.array(((900.0, 0, 320.0), (0, 900.0, 240.0), (0, 0, 1)))
    pose = np.diag((1.0, -1.0, -1.0)), np.array((0.0, 0.0, 1100.0))
    save(
        tmp_path / "calibration.json",
        Calibration(CameraModel(K, np.zeros(5), *pose, (640, 480)), board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)),
    )
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


@pytest.mark.live
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


@pytest.mark.parametrize("text", NO_NUMBERS)
@pytest.mark.parametrize(
    "path",
    [
        ("looks", "coin_diameter_mm"),
        ("board", "half_mm"),
        ("camera", "dist", 0),
        ("camera", "size", 0),
        ("residuals", "px"),
    ],
    ids=str,
)
def test_no_text_is_a_number_of_a_calibration(calibration: Path, path: tuple[Any, ...], text: str) -> None:
    content = inner = json.loads(calibration.read_text())
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = text
    calibration.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match="Fix:"):
        load(calibration)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_text_is_a_time_of_a_recording(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.jpg").touch()
    (tmp_path / "times.jsonl").write_text(json.dumps({"image": "p.jpg", "t_ns": text}) + "\n")
    with pytest.raises(DeviceError, match=r"times.jsonl:1: .* Fix:"):
        FolderSource(tmp_path).open()


@pytest.mark.parametrize("name", SPOILT)
def test_a_calibration_that_cannot_be_real(calibration: Path, name: str) -> None:
    load(calibration)
    content = json.loads(calibration.read_text())
    SPOILT[name](content)
    calibration.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match="Fix:") as error:
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
        ('[match.seats]\nsouth = "\\u3164"', "match.seats.south"),
        ('[match.seats]\nsouth = ""', "match.seats.south"),
        ('[table]\nname = "\\u2800"', "carrom.toml:2: table.name"),
        ('[match]\nbook = "\\u202eicf"', "carrom.toml:2: match.book"),
        ('[camera]\nfps = "60"', "carrom.toml:2: camera.fps"),
        ('[board]\nside_mm = "NaN"', "carrom.toml:2: board.side_mm"),
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
    with pytest.raises(ConfigError, match="Fix:"):
        secret_in(tmp_path / "secret")
    file = config(tmp_path, f'[mqtt]\npassword_file = "{tmp_path}/secret"\n')
    assert load_config(file).mqtt.password_file == tmp_path / "secret"


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


# -- texts that are no numbers

LINES = (
    EyesHealth(5, "ok", 5, "match", 60.0),
    BoardSeen(5, 4, (SeenPiece("white", 1.0, 2.0, 0.4, odds=(("white", 1.0),)),), hidden=(((0.0, 1.0),),)),
)


@pytest.mark.parametrize("text", NO_NUMBERS)
@pytest.mark.parametrize("said", LINES, ids=lambda said: said.kind)
def test_no_text_is_a_number_of_the_eyes(said: Observation, text: str) -> None:
    line = observation_to_line(said)
    assert observation_from_line(line) == said
    places = list(re.finditer(r"(?<=[:\[,])-?\d+(\.\d+)?(?=[,\]}])", line))
    assert places
    for found in places:
        with pytest.raises(PeerError):
            observation_from_line(f'{line[: found.start()]}"{text}"{line[found.end() :]}')


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_text_is_a_number_in_what_this_program_kept(text: str, tmp_path: Path) -> None:
    with pytest.raises(PeerError):
        order_from_line(f'{{"number": "{text}", "does": "take"}}')
    (tmp_path / "signed.jsonl").write_text(f'{{"began": 1.0, "signed": "{text}", "by": "umpire"}}\n')
    assert Signed(tmp_path).latest() == Arming()
    with Journal(tmp_path / "edges.sqlite") as opened:
        body = json.dumps(asdict(BeamEdge(5, "NE", "upper", True, "b", 1)) | {"t_ns": text})
        with opened.writing() as connection:
            connection.execute(
                "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                ("pockets", "b", 1, "edge", 5, 1.0, body),
            )
        with pytest.raises(ConfigError):
            opened.edges()


def test_a_signature_with_a_number_that_is_none_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "signed.jsonl").write_text('{"began": NaN, "signed": 1.0, "by": "umpire"}\n')
    assert Signed(tmp_path).latest() == Arming()


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
