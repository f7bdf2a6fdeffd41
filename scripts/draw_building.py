"""The drawings of the build guide, made from `docs/drawings/measures.toml`: SVG for people, measures for OpenSCAD.

Everything is drawn in mm at true scale within each drawing, so that a print at 100 % can be laid on the part.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "drawings"

STYLE = (
    "<style>line,path,circle,rect{fill:none;stroke:#111;stroke-width:.4}.beam{stroke:#c00;stroke-dasharray:2 1}"
    ".cut{fill:#eee}.thin{stroke-width:.2;stroke:#555}.dot{fill:#111}text{font:4px sans-serif}</style>"
)


def measures() -> Mapping[str, Mapping[str, Any]]:
    """Returns the measures by part."""
    return tomllib.loads((FOLDER / "measures.toml").read_text(encoding="utf-8"))


def currents(beam: Mapping[str, Any]) -> tuple[float, float, float]:
    """Returns least, usual and most current through a pocket's two LEDs in mA, over the spread of their voltage."""
    n = beam["emitters_in_series"]
    least, usual, most = (
        (beam["supply_v"] - n * volts) / beam["resistor"] * 1000.0
        for volts in (beam["emitter_v_most"], beam["emitter_v"], beam["emitter_v_least"])
    )
    return least, usual, most


def margin(ring: Mapping[str, Any], beam: Mapping[str, Any]) -> float:
    """Returns how many times the current that pulls an input low a lit receiver lets through, with usual parts."""
    _, usual_ma, _ = currents(beam)
    away_cm = (ring["bore"] + 2.0 * ring["window_deep"]) / 10.0
    light_mw_cm2 = beam["emitter_mw_sr"] * usual_ma / 100.0 / away_cm**2
    needed_ma = beam["supply_v"] / beam["pull_up"] * 1000.0
    return float(beam["receiver_ma"] * light_mw_cm2 / needed_ma)


def ring_svg() -> str:
    """The ring: from below with its crossed beams and drilling angles, and cut through the upper beam."""
    ring = measures()["ring"]
    inner = ring["bore"] / 2.0
    outer = inner + ring["wall"]
    reach = outer + ring["flange_reach"]
    parts = [
        f"<g transform='translate({reach + 20:g} {reach + 22:g})'>",
        _text(0, -reach - 14, "from below", "middle"),
        *(f"<circle r='{r:g}'/>" for r in (inner, outer, reach)),
    ]
    for angle, word in ((0.0, "upper"), (90.0, "lower")):
        parts.append(f"<g transform='rotate({angle:g})'>")
        parts.append(f"<line class='beam' x1='{-outer - 4:g}' x2='{outer + 4:g}' y1='0' y2='0'/>")
        for side, hole in ((-1.0, ring["emitter_hole"]), (1.0, ring["receiver_hole"])):
            first, last = sorted((side * (inner + ring["window_deep"]), side * outer))
            parts.append(
                f"<rect class='cut' x='{first:g}' y='{-hole / 2:g}' width='{last - first:g}' height='{hole:g}'/>"
            )
            first, last = sorted((side * inner, side * (inner + ring["window_deep"])))
            parts.append(
                f"<rect class='thin' x='{first:g}' y='{-ring['window'] / 2:g}' width='{last - first:g}' "
                f"height='{ring['window']:g}'/>"
            )
        parts.append("</g>")
        where = (inner - 15, -2) if word == "upper" else (2, inner - 4)
        parts.append(_text(*where, word))
    for angle in (45.0, 165.0, 285.0):
        x, y = ((outer + ring["flange_reach"] / 2) * f(math.radians(angle)) for f in (math.cos, math.sin))
        parts.append(f"<circle cx='{x:.2f}' cy='{y:.2f}' r='{ring['screw'] / 2:g}'/>")
    parts += [
        _text(
            -reach,
            reach + 8,
            f"bore {ring['bore']:g}, outside {2 * outer:g}, flange {2 * reach:g}, 3 holes {ring['screw']:g}",
        ),
        _text(
            -reach,
            reach + 14,
            f"LED side (left, top): {ring['emitter_hole']:g}; receiver side: {ring['receiver_hole']:g};",
        ),
        _text(-reach, reach + 20, f"window into the bore: {ring['window']:g}, {ring['window_deep']:g} deep"),
        "</g>",
        f"<g transform='translate({3 * reach + 60:g} 40)'>",
        _text(0, -20, "cut, depths below the playing surface", "middle"),
        f"<rect class='cut' x='{-reach - 12:g}' y='0' width='{reach + 12 - inner:g}' height='{ring['board']:g}'/>",
        f"<rect class='cut' x='{inner:g}' y='0' width='{reach + 12 - inner:g}' height='{ring['board']:g}'/>",
    ]
    top = ring["board"]
    for side in (-1.0, 1.0):
        x = min(side * inner, side * outer)
        parts.append(f"<rect class='cut' x='{x:g}' y='{top:g}' width='{ring['wall']:g}' height='{ring['height']:g}'/>")
        x = min(side * outer, side * reach)
        parts.append(
            f"<rect class='cut' x='{x:g}' y='{top:g}' width='{ring['flange_reach']:g}' height='{ring['flange']:g}'/>"
        )
    for depth, word in ((ring["upper_beam"], "upper beam"), (ring["lower_beam"], "lower beam")):
        parts.append(f"<line class='beam' x1='{-outer - 3:g}' x2='{outer + 3:g}' y1='{depth:g}' y2='{depth:g}'/>")
        parts.append(_text(outer + 5, depth + 1.5, f"{word} {depth:g}"))
    bottom = top + ring["height"]
    parts += [
        f"<path class='thin' d='M{-inner:g} {bottom:g} q0 {ring['net']:g} {inner:g} {ring['net']:g} "
        f"q{inner:g} 0 {inner:g} {-ring['net']:g}'/>",
        _text(0, bottom + ring["net"] / 2, f"net, {ring['net']:g} free below the ring", "middle"),
        _text(reach + 14, top / 2 + 1.5, f"board {ring['board']:g}"),
        "</g>",
    ]
    return _svg(4 * reach + 140, 2 * reach + 110, parts)


def wiring_svg() -> str:
    """One pocket's wires to the node, and which input is which."""
    beam = measures()["beam"]
    parts = [
        _text(
            10,
            10,
            f"one pocket of four: +{beam['supply_v']:g} V - {beam['resistor']:g} ohm - {beam['emitter']} upper - "
            f"{beam['emitter']} lower - GND",
        ),
        "<line x1='15' y1='25' x2='40' y2='25'/>",
        _text(8, 23, "+5 V"),
        "<rect x='40' y='22' width='18' height='6'/>",
        _text(42, 20, f"R {beam['resistor']:g}"),
        "<line x1='58' y1='25' x2='75' y2='25'/>",
        _led(75, 25),
        _text(72, 17, "LED upper"),
        "<line x1='83' y1='25' x2='105' y2='25'/>",
        _led(105, 25),
        _text(102, 17, "LED lower"),
        "<line x1='113' y1='25' x2='140' y2='25'/>",
        _text(142, 26, "GND"),
    ]
    for y, word in ((50, "upper"), (70, "lower")):
        parts += [
            f"<line x1='15' y1='{y}' x2='60' y2='{y}'/>",
            _text(8, y - 2, f"D, {word}"),
            f"<circle cx='66' cy='{y}' r='6'/><line x1='62' y1='{y - 4}' x2='62' y2='{y + 4}'/>",
            f"<path d='M60 {y} H62 M62 {y - 2} L70 {y - 6} M62 {y + 2} L70 {y + 6} l-3 -.5 M70 {y + 6} l-1.5 -2.5'/>",
            f"<line x1='72' y1='{y}' x2='140' y2='{y}'/>",
            _text(142, y + 1, "GND"),
            _text(78, y - 3, f"{beam['receiver']} {word}: collector to D, emitter to GND, base cut off"),
        ]
    north = "NE upper D2, NE lower D3, NW upper D4, NW lower D5"
    south = "SE upper D6, SE lower D7, SW upper D8, SW lower D9"
    parts += [
        _text(10, 88, f"{north}: the node pulls them up itself, lit reads low"),
        _text(10, 94, south),
        _text(10, 100, "four wires a pocket: +5 V, GND, D upper, D lower. Pi - USB cable - Nano."),
    ]
    return _svg(200, 104, parts)


def stand_svg() -> str:
    """Camera, board and lamps from the side, with what may be where."""
    board, camera, lamp = 385.0, 1250.0, 900.0
    away = board * (camera + lamp) / camera
    k = 0.1
    ground = 150.0
    parts = ["<g transform='translate(120 10)'>"]
    parts += [
        f"<rect class='cut' x='{-board * k:g}' y='{ground:g}' width='{2 * board * k:g}' height='3'/>",
        f"<path class='beam' d='M{-board * k:g} {ground:g} L0 {ground - camera * k:g} L{board * k:g} {ground:g}'/>",
        f"<path class='thin' d='M{board * k:g} {ground:g} L{away * k:g} {ground - lamp * k:g}'/>",
        f"<circle class='dot' cx='0' cy='{ground - camera * k:g}' r='2'/>",
        _text(4, ground - camera * k, "camera, H above the surface"),
        *(
            f"<rect class='cut' x='{s * away * k - 3:g}' y='{ground - lamp * k - 4:g}' width='6' height='4'/>"
            for s in (-1, 1)
        ),
        _text(away * k + 5, ground - lamp * k, "lamp, L above the surface,"),
        _text(away * k + 5, ground - lamp * k + 5, "at least 385 (H + L) / H from the axis"),
        _text(
            0,
            ground + 10,
            f"drawn: H {camera:g}, L {lamp:g}, lamps {away:.0f} mm from the axis; scale 1 : 10",
            "middle",
        ),
        f"<path d='M{-board * k - 20:g} {ground - camera * k - 6:g} H{board * k + 20:g}'/>",
        _text(-board * k - 20, ground - camera * k - 9, "ceiling, or a stand on the floor: never on the table"),
        "</g>",
    ]
    return _svg(290, 175, parts)


def measures_scad() -> str:
    """The measures as OpenSCAD reads them."""
    lines = ["// Made from measures.toml by `make documents`; change that file."]
    for part in ("ring", "mount"):
        lines += [f"{part}_{name} = {value};" for name, value in measures()[part].items()]
    return "\n".join(lines) + "\n"


DRAWINGS = {
    "drawings/ring.svg": ring_svg,
    "drawings/wiring.svg": wiring_svg,
    "drawings/stand.svg": stand_svg,
    "drawings/measures.scad": measures_scad,
}


def _svg(width: float, height: float, parts: list[str]) -> str:
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:g}mm' height='{height:g}mm' "
        f"viewBox='0 0 {width:g} {height:g}'>"
    )
    back = f"<rect width='{width:g}' height='{height:g}' style='fill:#fff;stroke:none'/>"
    return "\n".join([head, STYLE, back, *parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}'>{text}</text>"


def _led(x: float, y: float) -> str:
    return f"<path d='M{x:g} {y - 4:g} v8 l8 -4 z M{x + 8:g} {y - 4:g} v8'/>"
