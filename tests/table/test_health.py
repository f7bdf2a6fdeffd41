"""The table's health: one word for the display, one sentence a fault."""

from __future__ import annotations

from dataclasses import replace

from controller.events.beams import BeamHealth
from controller.events.observation import EyesHealth, SetUp
from controller.table.machine.health import Health

EYES = EyesHealth(t_ns=1, camera="ok", seen_until_ns=1, grade="club", fps=60.0)
BEAMS = BeamHealth(t_ns=1, link="up")
WHOLE = Health(broker="up").with_eyes(EYES).with_beams(BEAMS)


def test_a_whole_table_is_armed() -> None:
    assert WHOLE.armed == "armed"
    assert WHOLE.faults() == {}


def test_each_part_that_goes_degrades_and_says_what_goes_on() -> None:
    without_camera = replace(WHOLE, camera="lost")
    assert without_camera.armed == "degraded"
    assert "the umpire names the piece" in without_camera.faults()["camera"]
    without_node = WHOLE.with_beams(replace(BEAMS, link="stale"))
    assert without_node.armed == "degraded"
    assert "camera says what vanished" in without_node.faults()["node"]
    blind = WHOLE.with_beams(replace(BEAMS, blind=("NE",)))
    assert blind.armed == "degraded"
    assert set(blind.faults()) == {"beam-ne"}


def test_why_a_camera_sees_nothing_is_said_while_it_does_not() -> None:
    why = "pictures of 640 × 360, calibrated with 1280 × 720. Fix: calibrate again"
    blind = WHOLE.with_eyes(replace(EYES, camera="blind", says=why))
    assert why in blind.faults()["camera"]
    assert why in blind.payload(1.0).says
    assert "calibrated" not in replace(blind, camera="away").faults()["camera"], "who is away says nothing"
    assert blind.with_eyes(EYES).faults() == {}


def test_a_node_that_keeps_restarting_is_one_fault_that_says_how_to_fix_it_until_it_runs() -> None:
    said = "pocket node 00c0ffee keeps restarting: its cable drops out. Fix: push its plugs home"
    restarting = WHOLE.with_beams(replace(BEAMS, link="restarting", blind=("NE", "NW", "SE", "SW"), says=said))
    assert restarting.armed == "degraded"
    assert restarting.faults() == {"node": f"{said}. Until it runs steadily: the camera says what vanished"}
    assert restarting.payload(1.0).node == "restarting"
    assert restarting.payload(1.0).beams == "blind: NE, NW, SE, SW"
    lately = restarting.with_beams(replace(BEAMS, says="pocket node 00c0ffee: its clock stepped by +5.0 s"))
    assert lately.armed == "armed"
    assert lately.faults() == {}
    assert lately.warnings() == {"node-says": "pocket node 00c0ffee: its clock stepped by +5.0 s"}
    steadily = restarting.with_beams(BEAMS)
    assert (steadily.armed, steadily.faults()) == ("armed", {})


def test_no_sensors_at_all_is_a_scoreboard_by_hand() -> None:
    assert Health(camera="none", node="none").armed == "off"
    assert replace(WHOLE, camera="lost", node="down").armed == "off"


def test_a_table_built_without_a_part_is_not_degraded_by_it() -> None:
    assert replace(WHOLE, node="none", beams=None).armed == "armed"


def test_a_full_net_is_told_and_play_goes_on() -> None:
    full = WHOLE.with_beams(replace(BEAMS, full=("SW",)))
    assert full.faults() == {"net-sw": "empty the SW net: its beam stays blocked"}


def test_a_camera_that_is_being_set_up_is_no_fault_and_said() -> None:
    setting = WHOLE.with_eyes(replace(EYES, camera="setup", set_up=SetUp("empty")))
    assert setting.faults() == {}
    assert setting.armed == "degraded"
    assert (setting.payload(1.0).camera, setting.payload(1.0).set_up) == ("setup", "empty")
    assert replace(setting, camera="away").set_up is None, "who left sets nothing up"
