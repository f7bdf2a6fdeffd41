"""What the build guide draws: within the limits that it gives, drawn as measured, and printable."""

from __future__ import annotations

import math
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from calibration.board import DEFAULT_BOARD
from controller.pockets.beam_map import beam_map
from scripts import building_page, write_documents
from scripts.building_limits import cannot_be_built
from scripts.building_page import GROUPS, parts, parts_document, sum_eur, worked_if
from scripts.draw_building import ABOVE_LENS, DRAWINGS, margin
from scripts.draw_wiring import NANO, currents, receiver_ends
from scripts.drawing import FOLDER, measures

RING, BEAM = measures()["ring"], measures()["beam"]


SVG = "{http://www.w3.org/2000/svg}"
A4 = (287.0, 200.0)
"""Width and height in mm that a printer reaches at 100 %, the sheet lying across."""
MM_A_LETTER = 2.25
"""The mean letter of a wide sans-serif at 4 mm."""


def _reaches(text: ET.Element, root: ET.Element) -> float:
    """How far to the right a text comes, in mm."""
    shift = 0.0
    for group in root.iter(f"{SVG}g"):
        if text in list(group):
            shift = float(re.findall(r"translate\(([-\d.]+)", group.attrib["transform"])[0])
    length = len(text.text or "") * MM_A_LETTER
    return shift + float(text.attrib["x"]) + (length / 2 if text.attrib["text-anchor"] == "middle" else length)


def test_pieces_fall_freely_and_none_past_both_beams() -> None:
    assert 44.5 <= RING["bore"] <= 46.0
    assert RING["bore"] > DEFAULT_BOARD.striker_diameter_mm + 2
    # Wherever a coin falls it covers the middle of one of two crossed beams if it is wider than the bore's half.
    assert DEFAULT_BOARD.coin_diameter_mm > RING["bore"] / 2


def test_the_beams_lie_where_the_guide_says() -> None:
    assert 20 <= RING["upper_beam"] < RING["lower_beam"] <= 30
    assert 8 <= RING["lower_beam"] - RING["upper_beam"] <= 10
    assert RING["net"] >= 90
    thickest = max(RING["emitter_hole"], RING["receiver_hole"]) / 2
    assert RING["upper_beam"] - thickest > RING["board"] + RING["flange"] * 0.5
    assert RING["lower_beam"] + thickest + 1 < RING["board"] + RING["height"]
    assert RING["lower_beam"] - RING["upper_beam"] > 2 * thickest, "a wall between the holes"


def test_what_is_drawn_can_be_built() -> None:
    assert cannot_be_built(measures()) == []


@pytest.mark.parametrize(
    ("part", "changed", "says"),
    [
        ("ring", {"board": 8.0}, "screws of 12 through a flange of 3 leave less than 1 of a board of 8"),
        ("ring", {"board": 8.0}, "holes 7 deep leave less than 2 of a board of 8"),
        ("ring", {"board": 18.0}, "the upper beam's holes, 21 below the surface of a board of 18, run into the flange"),
        ("ring", {"board": 20.0}, "the upper beam's holes, 21 below the surface of a board of 20, run into the flange"),
        ("ring", {"upper_beam": 15.0}, "too near to the rim"),
        ("ring", {"lower_beam": 25.0}, "the beams are 4 apart"),
        ("ring", {"height": 20.0}, "a ring of 20 ends above the lower beam's holes"),
        ("ring", {"bore": 46.4}, "a bore of 46.4"),
        ("ring", {"net": 60.0}, "60 of free depth"),
        ("mount", {"plate": 45.0}, "edge of its plate of 45"),
        ("mount", {"tube": 32.0}, "a tube of 32"),
        ("mount", {"module_deep": 7.0}, "reach the tube"),
    ],
)
def test_what_does_not_fit_is_refused_with_measures_that_do(part: str, changed: dict[str, float], says: str) -> None:
    """Whoever writes what the lines name gets parts that fit, within a few turns."""
    wanted = {name: dict(each) for name, each in measures().items()}
    wanted[part] |= changed
    assert [line for line in cannot_be_built(wanted) if says in line]
    for _ in range(3):
        for line in cannot_be_built(wanted):
            where = re.findall(r"\[(\w+)\]", line)[0]
            wanted[where] |= {name: float(value) for name, value in re.findall(r"(\w+) = ([\d.]+)", line)}
    assert cannot_be_built(wanted) == []
    assert wanted["ring"]["board"] == (changed if part == "ring" else RING).get("board", RING["board"])


def test_a_board_for_which_nothing_fits_is_said() -> None:
    thick = {**measures(), "ring": {**RING, "board": 30.0, "upper_beam": 36.0, "lower_beam": 45.0}}
    assert [line for line in cannot_be_built(thick) if "36 at most" in line]


def test_no_document_is_written_of_what_cannot_be_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    thin = {**measures(), "ring": {**RING, "board": 8.0}}
    monkeypatch.setattr(write_documents, "measures", lambda: thin)
    monkeypatch.setattr(write_documents, "DOCUMENTS", {})
    assert write_documents.main() == 2
    assert "measures.toml: screws of 12" in capsys.readouterr().err


def test_screws_are_as_long_as_the_board_lets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "wood screws 3 × 12" in parts_document()
    monkeypatch.setattr(
        building_page, "measures", lambda: {**measures(), "ring": {**RING, "board": 8.0, "screw_long": 10.0}}
    )
    assert "wood screws 3 × 10" in parts_document()
    assert "for a board of 8" in parts_document()


def test_resistor_and_light_suffice_over_the_spread_of_parts() -> None:
    least, usual, most = currents(BEAM)
    assert 10 < least < usual < most < 0.5 * BEAM["emitter_ma_most"]
    assert (most / 1000) ** 2 * BEAM["resistor"] < BEAM["resistor_w"] / 2
    assert 4 * most < 200, "the Nano's 5 V pin on a USB port"
    assert margin(RING, BEAM) / 4 > BEAM["least_margin"], "half the light and half the receiver's current"


@pytest.mark.parametrize("name", [name for name in DRAWINGS if name.endswith(".svg")])
def test_a_drawing_is_svg_with_all_of_it_inside(name: str) -> None:
    root = ET.fromstring(DRAWINGS[name]())
    _, _, width, height = (float(v) for v in root.attrib["viewBox"].split())
    assert root.attrib["width"] == f"{width:g}mm"
    assert root.attrib["height"] == f"{height:g}mm"
    assert width <= A4[0]
    assert height <= A4[1]
    outside = [text for text in root.iter(f"{SVG}text") if _reaches(text, root) > width]
    assert [text.text for text in outside] == []
    assert [word for word in ("None", "nan", "inf") if word in DRAWINGS[name]()] == []


def test_the_ring_is_drawn_as_measured() -> None:
    root = ET.fromstring(DRAWINGS["drawings/ring.svg"]())
    radii = {float(c.attrib["r"]) for c in root.iter("{http://www.w3.org/2000/svg}circle")}
    assert {RING["bore"] / 2, RING["bore"] / 2 + RING["wall"], RING["screw"] / 2} <= radii
    texts = " ".join(t.text or "" for t in root.iter("{http://www.w3.org/2000/svg}text"))
    assert f"upper beam {RING['upper_beam']:g}" in texts
    assert f"lower beam {RING['lower_beam']:g}" in texts


def test_each_receivers_wires_end_at_collector_and_emitter() -> None:
    root = ET.fromstring(DRAWINGS["drawings/wiring.svg"]())
    wires = [line.attrib for line in root.iter(f"{SVG}line") if line.attrib.get("class") == "wire"]
    heights = [float(circle.attrib["cy"]) for circle in root.iter(f"{SVG}circle")]
    assert len(heights) == 2
    for y in heights:
        collector, emitter = receiver_ends(y)
        assert [wire for wire in wires if (float(wire["x2"]), float(wire["y2"])) == collector]
        assert [wire for wire in wires if (float(wire["x1"]), float(wire["y1"])) == emitter]
    assert len(wires) == 4, "none to the base"


def test_the_exploded_view_shows_each_part_of_a_pocket_in_its_order() -> None:
    texts = [
        (float(text.attrib["y"]), text.text or "")
        for text in ET.fromstring(DRAWINGS["drawings/exploded.svg"]()).iter(f"{SVG}text")
    ]
    order = ("playing surface", f"of a ring {RING['height']:g} high", BEAM["emitter"], "screws 3 ×", "net, ")
    heights = [next(y for y, text in texts if word in text) for word in order]
    assert heights == sorted(heights)
    assert [y for y, text in texts if BEAM["receiver"] in text] == [heights[2]], "on one beam"


def test_the_template_is_drilled_where_the_ring_has_its_holes() -> None:
    root = ET.fromstring(DRAWINGS["drawings/template.svg"]())
    outer = RING["bore"] / 2 + RING["wall"]
    circles = [circle.attrib for circle in root.iter(f"{SVG}circle")]
    (flange,) = [c for c in circles if float(c["r"]) == outer + RING["flange_reach"]]
    pilots = [c for c in circles if c.get("class") == "pilot"]
    away = [(float(c["cx"]) - float(flange["cx"]), float(c["cy"]) - float(flange["cy"])) for c in pilots]
    assert [round(math.degrees(math.atan2(y, x))) % 360 for x, y in away] == RING["screw_angles"]
    assert [math.hypot(*one) for one in away] == pytest.approx([outer + RING["flange_reach"] / 2] * 3, abs=0.01)
    (strip,) = [one.attrib for one in root.iter(f"{SVG}rect") if one.attrib.get("class") == "strip"]
    assert float(strip["width"]) == pytest.approx(2 * math.pi * outer, abs=0.01)
    bits = [
        (float(c["cx"]), float(c["cy"]) - float(strip["y"]) + RING["board"], 2 * float(c["r"]))
        for c in circles
        if c.get("class") == "bit"
    ]
    quarter = float(strip["width"]) / 4
    for (x, depth, hole), beam in zip(bits[:2], ("upper_beam", "lower_beam"), strict=True):
        (opposite,) = [b for b in bits if b[0] == pytest.approx(x + 2 * quarter, abs=0.02)]
        assert (depth, hole) == (RING[beam], RING["emitter_hole"])
        assert opposite[1:] == (RING[beam], RING["receiver_hole"])
    assert bits[1][0] - bits[0][0] == pytest.approx(quarter, abs=0.02), "crossed"
    (scale,) = [one.attrib["d"] for one in root.iter(f"{SVG}path") if one.attrib.get("class") == "scale"]
    assert "h100 " in scale


def test_the_wiring_is_the_nodes_own() -> None:
    said = re.findall(r"(\w\w) (upper|lower) D(\d)", DRAWINGS["drawings/wiring.svg"]())
    assert {(pocket, height): int(pin) - 2 for pocket, height, pin in said} == {
        place: sensor for sensor, place in beam_map().places.items()
    }


def test_each_beams_wire_goes_to_its_pin_of_the_nano() -> None:
    """The pin and the wire's name stand at one height; the order of the pins is that of Arduino's own drawing."""
    root = ET.fromstring(DRAWINGS["drawings/nano.svg"]())
    texts = [(float(text.attrib["y"]), text.text or "") for text in root.iter(f"{SVG}text")]
    wired = {}
    for sensor, place in beam_map().places.items():
        (at,) = [y for y, text in texts if text == " ".join(place)]
        wired[sensor] = [text for y, text in texts if y == at and re.fullmatch(r"D\d", text)]
    assert wired == {sensor: [f"D{sensor + 2}"] for sensor in beam_map().places}
    assert len(list(root.iter(f"{SVG}line"))) == 8 + len(("5V", "GND", "D13"))
    assert [len(row) for row in NANO] == [15, 15]


def test_the_collectors_lead_is_found_before_it_is_soldered() -> None:
    said = " ".join(text.text or "" for text in ET.fromstring(DRAWINGS["drawings/nano.svg"]()).iter(f"{SVG}text"))
    assert "cut the middle lead (base) off" in said
    assert "where it reads least the red probe is at the collector" in said
    assert "the long lead (anode)" in said


@pytest.mark.live
@pytest.mark.parametrize("name", ["ring", "camera_mount"])
def test_it_can_be_printed(name: str, tmp_path: Path) -> None:
    out = tmp_path / "part.csg"
    done = subprocess.run(["openscad", "-o", str(out), str(FOLDER / f"{name}.scad")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert f"r1 = {RING['bore'] / 2:g}" in out.read_text() or name != "ring"


@pytest.mark.live
def test_the_mounts_plates_clamp_the_tube_and_hold_every_screw(tmp_path: Path) -> None:
    mount = measures()["mount"]
    out = tmp_path / "part.csg"
    subprocess.run(["openscad", "-o", str(out), str(FOLDER / "camera_mount.scad")], check=True, capture_output=True)
    sizes = [
        [float(size) for size in found]
        for found in re.findall(r"cube\(size = \[(.+?), (.+?), (.+?)\]", out.read_text())
    ]
    _, width, height = max(sizes, key=lambda size: size[2])
    assert 0.5 <= mount["thickness"] + mount["tube"] / 2 - height <= 1, "a gap between the plates"
    for square in mount["holes"]:
        assert square / 2 + mount["screw"] / 2 + 2 <= width / 2, "a wall outside each screw"
        assert square / 2 - mount["screw"] / 2 - 1 >= mount["tube"] / 2, "and one beside the tube"
    assert width <= mount["plate"]


def test_the_guides_sums_are_the_drawings_own() -> None:
    text = " ".join((FOLDER.parent / "build.md").read_text("utf-8").split())
    least, usual, most = currents(BEAM)
    ring = RING["bore"] / 2 + RING["wall"]
    away = RING["bore"] + RING["window_deep"] + RING["wall"] - BEAM["emitter_deep"]
    for said in (
        f"{BEAM['resistor']:g} Ω = {usual:.0f} mA, {least:.0f} to {most:.0f} mA",
        f"{4 * usual:.0f} mA for all four",
        f"{4 * most:.0f} at most",
        f"Over {away:g} mm",
        f"{round(margin(RING, BEAM)):d}".replace("9", "nine") + " times enough",
        f"the flange reaches {ring + RING['flange_reach']:g} from its middle, the ring {ring:g}",
        f"with {RING['height'] + RING['net'] + 2:g} or more of free height",
    ):
        assert said in text


def test_a_small_modules_screws_end_below_the_tube() -> None:
    mount = measures()["mount"]
    half = mount["module"][1] / 2
    tube = mount["thickness"] + mount["tube"] / 2 - ((mount["tube"] / 2) ** 2 - half**2) ** 0.5
    assert mount["module_deep"] + 1 < tube


def test_what_hangs_over_heads_is_tied_twice() -> None:
    said = " ".join(text.text or "" for text in ET.fromstring(DRAWINGS["drawings/stand.svg"]()).iter(f"{SVG}text"))
    guide = " ".join((FOLDER.parent / "build.md").read_text("utf-8").split())
    assert "safety cord" in said
    assert f"above the floor + H + {ABOVE_LENS:g}" in said
    assert f"above the floor + H + {ABOVE_LENS:g}: {700 + 1250 + ABOVE_LENS:g} for a board at 700 and H 1250" in guide
    assert "Tie what hangs over heads a second time" in guide
    (stand,) = [part for part in parts()["part"] if part["name"] == "stand"]
    assert "steel cord" in stand["look"]


def test_the_parts_are_enough_for_four_pockets() -> None:
    for part in parts()["part"]:
        if "per_pocket" in part:
            assert part["club"] == part["match"] == 4 * part["per_pocket"], part["name"]
    named = " ".join(part["name"] for part in parts()["part"])
    assert BEAM["emitter"] in named
    assert BEAM["receiver"] in named
    assert f"resistor {BEAM['resistor']:g} Ω, {BEAM['resistor_w']:g} W" in named
    counts = {part["name"].split()[0]: part.get("per_pocket") for part in parts()["part"]}
    assert counts["infrared"] == BEAM["emitters_in_series"]
    assert counts["wood"] == len(RING["screw_angles"])


def test_every_part_has_its_least_and_most() -> None:
    for part in parts()["part"]:
        least, most = part["eur"]
        assert 0 <= least <= most, part["name"]
        assert part["group"] in GROUPS
        assert part["club"] or part["match"]


def test_the_readme_says_what_a_table_costs() -> None:
    text = " ".join((FOLDER.parents[1] / "README.md").read_text("utf-8").split())
    said = re.findall(r"(\d+) to (\d+) € \(\*(club|match)\*\)", text)
    assert {table: (int(least), int(most)) for least, most, table in said} == {
        table: tuple(10 * round(eur / 10) for eur in sum_eur(table)) for table in ("club", "match")
    }


def test_each_rung_of_the_guide_says_how_to_know_that_it_worked() -> None:
    rungs = re.findall(r"(?m)^## (Rung \d.*)$", (FOLDER.parent / "build.md").read_text("utf-8"))
    assert len(rungs) == 6
    assert {heading for heading, _ in worked_if()} == {*rungs, "The computer", "Acceptance"}
    said = " ".join((FOLDER.parent / "build.md").read_text("utf-8").split()).count("*It worked if*")
    assert len(worked_if()) == said, "a sentence that was not read to its end"
