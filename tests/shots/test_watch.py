"""`carrom watch`: recorded input in, shots and rulings out; bad input is one line."""

from __future__ import annotations

import json

import pytest

from calibration.board import DEFAULT_BOARD
from controller.cli import main
from controller.commands.watch import merged, read_beams, read_start, watch
from controller.events.beams import BeamEdge, BeamHealth
from controller.events.codec import event_from_json
from controller.events.errors import ConfigError
from controller.events.match import Shot
from controller.events.observation import EyesHealth
from controller.shots import Tick, begin
from tests.shots.table import MS, Fall, Table


def seen(table, **stroke):
    """What the eyes say of one stroke, and the beam log."""
    table.now = 0
    said, edges = table.stroke(**stroke)
    return [said.before, said, table.board(table.pieces, said.t_ns + 10**9, said.ended_ns)], edges


def watched(observations, edges, before=None, rulings=False):
    return list(watch(merged(observations, edges), before, rulings, begin(board=DEFAULT_BOARD)))


def test_a_shot_comes_out_in_seconds_from_the_first_frame():
    (shot,) = watched(*seen(Table(), falls=[Fall(1, "NE")]))
    assert (shot["event"], shot["seat"], shot["t"]) == ("shot", "south", 1.0)
    assert [(one["piece"], one["pocket"], one["t"]) for one in shot["pocketed"]] == [("white", "NE", 1.615)]
    assert isinstance(event_from_json(shot), Shot)


def test_the_first_strokes_seat_is_on_turn():
    shot, ruling = watched(*seen(Table(), falls=[Fall(2, "SW")], at=(250.85, 0.0), heading=180.0), rulings=True)
    assert (shot["seat"], ruling["seat"], ruling["turn"]) == ("east", "east", "west")
    assert ruling["fouls"] == []


def test_rulings_go_by_the_start_that_was_given(tmp_path):
    start = tmp_path / "start.jsonl"
    event = {
        "event": "start", "book": "club", "seats": {"south": "Asha", "north": "Ben"}, "first": "south",
        "white": "north", "position": {"left": {"white": 9, "black": 9}, "break_done": True},
    }  # fmt: skip
    start.write_text(json.dumps(event) + "\n")
    lines = watched(*seen(Table(), falls=[Fall(1, "NE")]), before=read_start(start), rulings=True)
    assert [foul["clause"] for foul in lines[-1]["fouls"]] == ["club-14"], "white is the opponent's"


def test_without_a_beam_log_the_camera_counts_and_with_an_empty_one_it_is_doubted():
    fall = [Fall(1, "NE", felt=False)]
    (alone,) = watched(seen(Table(), falls=fall)[0], None)
    assert alone["pocketed"][0]["piece"] == "white"
    assert not alone.get("doubts")
    (silent,) = watched(seen(Table(), falls=fall)[0], [])
    assert silent["doubts"]


def test_the_stream_is_in_order_of_time_with_signs_of_life():
    observations, edges = seen(Table(), falls=[Fall(1, "NE")])
    stream = list(merged(observations, edges))
    times = [one.t_ns for one in stream if not isinstance(one, Tick)]
    assert times == sorted(times)
    assert sum(isinstance(one, BeamEdge) for one in stream) == len(edges)
    assert any(isinstance(one, BeamHealth) for one in stream)


def chatter(from_ns, until_ns, step_ms, beams):
    """Edges of a beam with a loose wire in SW: broken and free in turn."""
    found = []
    for beam in beams:
        times = range(from_ns, until_ns, int(step_ms * MS))
        found += [BeamEdge(t, "SW", beam, n % 2 == 0, "log", 1000 + n) for n, t in enumerate(times)]
    return found


@pytest.mark.parametrize("beams", [("upper",), ("lower",), ("upper", "lower")], ids="-".join)
@pytest.mark.parametrize(
    ("from_ms", "until_ms", "step_ms"), [(-250, 0, 2), (-250, 0, 35), (-50, 400, 40), (10, 2000, 99)]
)
def test_a_recording_that_ends_inside_a_beams_chatter_has_no_stroke_more(beams, from_ms, until_ms, step_ms):
    observations, edges = seen(Table(), falls=[Fall(1, "NE")])
    end = observations[-1].t_ns
    loose = chatter(end + from_ms * MS, end + until_ms * MS, step_ms, beams)
    (shot,) = watched([*observations, EyesHealth(end, "ok", end)], [*edges, *loose])
    assert [one["piece"] for one in shot["pocketed"]] == ["white"]


def test_what_falls_long_after_the_last_picture_is_told_and_its_piece_is_unknown():
    observations, edges = seen(Table())
    fell = Table().edges("NE", observations[-1].t_ns + 6 * 1000 * MS)
    _, shot = watched(observations, [*edges, *fell])
    assert [(one["piece"], one["pocket"]) for one in shot["pocketed"]] == [("unknown", "NE")]


def test_a_beam_log_is_read_with_and_without_beams_named(tmp_path):
    log = tmp_path / "beams.jsonl"
    log.write_text(
        '{"t": 0.7, "pocket": "NE", "blocked": false}\n\n'
        '{"t": 0.684, "pocket": "NE", "beam": "lower", "blocked": true}\n'
    )
    assert [(one.t_ns, one.beam, one.blocked) for one in read_beams(log)] == [
        (700_000_000, "upper", False),
        (684_000_000, "lower", True),
    ]


@pytest.mark.parametrize(
    "line",
    ["nonsense", "[1]", '{"pocket": "NE", "blocked": true}', '{"t": 1, "pocket": "N", "blocked": true}',
     '{"t": 1, "pocket": "NE", "blocked": 1}', '{"t": 1e999, "pocket": "NE", "blocked": true}'],
)  # fmt: skip
def test_a_bad_line_of_a_beam_log_is_named(tmp_path, line):
    log = tmp_path / "beams.jsonl"
    log.write_text('{"t": 0.7, "pocket": "NE", "blocked": false}\n' + line + "\n")
    with pytest.raises(ConfigError, match=r"beams\.jsonl:2: .*Fix: "):
        read_beams(log)


@pytest.mark.parametrize("text", ["", '{"event": "play"}\n', '{"event": "start"}\n', "{\n"])
def test_a_bad_start_is_named(tmp_path, text):
    start = tmp_path / "start.jsonl"
    start.write_text(text)
    with pytest.raises(ConfigError, match=r"start\.jsonl.*Fix: "):
        read_start(start)


def test_bad_input_is_one_line_and_exit_2(tmp_path, capsys):
    calibration = tmp_path / "calibration.json"
    for words in (["--fps", "0"], [], ["--beams", str(tmp_path / "none")]):
        assert main(["watch", "--calibration", str(calibration), "--video", str(tmp_path), *words]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "Fix" in said
