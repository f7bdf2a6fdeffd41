"""The drawings of the build guide, made from `docs/drawings/measures.toml`: SVG for people, measures for OpenSCAD.

Everything is drawn in mm at true scale within each drawing, so that a print at 100 % can be laid on the part.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controller.pockets.beam_map import beam_map

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "drawings"

STYLE = (
    "<style>line,path,circle,ellipse,rect{fill:none;stroke:#111;stroke-width:.4}.beam{stroke:#c00;stroke-dasharray:2 1}"
    ".cut{fill:#eee}.thin{stroke-width:.2;stroke:#555}.dot{fill:#111}text{font:4px sans-serif}</style>"
)


ABOVE_LENS = 50.0
"""From a camera's lens to the middle of the tube that carries it: mount, screws and lens."""


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
    away_cm = (ring["bore"] + ring["window_deep"] + ring["wall"] - beam["emitter_deep"]) / 10.0
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
        f"<g transform='translate({reach + 10:g} {reach + 22:g})'>",
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
    for angle in ring["screw_angles"]:
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
        f"<g transform='translate({3 * reach + 50:g} 40)'>",
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
        _text(0, bottom + ring["net"] / 2, "net", "middle"),
        _text(0, bottom + ring["net"] / 2 + 5, f"{ring['net']:g} free", "middle"),
        _text(0, bottom + ring["net"] / 2 + 10, "below the ring", "middle"),
        _text(outer + 5, bottom, f"ring {ring['height']:g} high"),
        _text(reach + 14, top / 2 + 1.5, f"board {ring['board']:g}"),
        "</g>",
    ]
    return _svg(4 * reach + 100, 2 * reach + 110, parts)


def exploded_svg() -> str:
    """Pocket, ring, one beam's parts and net drawn apart along their axis, seen from above a little."""
    ring, beam = measures()["ring"], measures()["beam"]
    inner = ring["bore"] / 2.0
    outer = inner + ring["wall"]
    reach = outer + ring["flange_reach"]
    board, flange = 14.0, 58.0
    below, bottom = flange + ring["flange"], flange + ring["height"]
    screw, tip = -outer - ring["flange_reach"] / 2, flange + 22
    arc = f"A{outer:g} {outer * TILT:g} 0 0"
    parts = [
        "<g transform='translate(122 14)'>",
        _text(-118, -4, "from the playing surface downwards; the net's cord goes into the groove"),
        f"<path class='thin' d='M0 6 V{bottom + 66:g}' stroke-dasharray='4 2'/>",
        f"<path class='cut' d='M-70 {board:g} L-52 4 H88 L70 {board:g} V{board + ring['board']:g} H-70 z'/>",
        f"<path d='M-70 {board:g} H70'/>",
        _tilted(9, inner),
        _text(92, 12, "playing surface, pocket's hole"),
        f"<path class='thin' d='M{screw:g} {flange:g} V{tip:g}' stroke-dasharray='2 1'/>",
        f"<path d='M{screw:g} {tip:g} v{ring['screw_long']:g} m-3 0 h6'/>",
        _text(screw - 4, tip + 8, f"{len(ring['screw_angles'])} screws 3 × {ring['screw_long']:g}", "end"),
        _text(screw - 4, tip + 14, "through the flange", "end"),
        *(_tilted(y, reach) for y in (flange, below)),
        f"<path d='M-{reach:g} {flange:g} V{below:g} M{reach:g} {flange:g} V{below:g}'/>",
        _tilted(flange, inner),
        f"<path class='cut' d='M-{outer:g} {below:g} V{bottom:g} {arc} 0 {outer:g} {bottom:g} V{below:g} {arc} 1 "
        f"-{outer:g} {below:g} z'/>",
        _text(92, flange - 3, f"flange {2 * reach:g} wide, at the board,"),
        _text(92, flange + 3, f"of a ring {ring['height']:g} high"),
    ]
    y = flange + ring["upper_beam"] - ring["board"]
    for side, name, hole in (
        (-1, f"LED {beam['emitter']}", "emitter_hole"),
        (1, f"receiver {beam['receiver']}", "receiver_hole"),
    ):
        x, half = side * (outer + 16), ring[hole] / 2
        lens = f"a{half:g} {half:g} 0 0 {int(side > 0)} 0 {-2 * half:g}"
        parts += [
            f"<path class='beam' d='M{side * outer:g} {y:g} H{x:g}'/>",
            f"<path class='cut' d='M{x:g} {y - half:g} h{side * 8} v{2 * half:g} h{-side * 8} {lens}'/>",
            f"<path class='thin' d='M{x + side * 8:g} {y - 1:g} h{side * 10} m{-side * 10} 2 h{side * 10}'/>",
            _text(x + side * 20, y + 1.5, name, "end" if side < 0 else "start"),
        ]
    parts += [
        f"<path class='thin' d='M-{outer:g} {bottom + 18:g} q4 44 {outer:g} 44 q{outer - 4:g} 0 {outer:g} -44'/>",
        _tilted(bottom + 18, outer),
        _text(92, bottom + 40, f"net, {ring['net']:g} free below the ring"),
        "</g>",
    ]
    return _svg(286, bottom + 84, parts)


TILT = 0.22
"""A circle seen nearly from the side: its height by its width."""


def _tilted(y: float, radius: float) -> str:
    return f"<ellipse class='cut' cx='0' cy='{y:g}' rx='{radius:g}' ry='{radius * TILT:g}'/>"


def template_svg() -> str:
    """Paper to drill by: the flange's screws below the board, and the outside of a turned ring, unrolled."""
    ring = measures()["ring"]
    inner = ring["bore"] / 2
    outer = inner + ring["wall"]
    reach = outer + ring["flange_reach"]
    around = 2 * math.pi * outer
    middle = (reach + 10, reach + 16)
    parts = [
        _text(10, 8, "print at 100 %; below the pocket: circles about its hole, drill the three crosses"),
        *(f"<circle cx='{middle[0]:g}' cy='{middle[1]:g}' r='{r:g}'/>" for r in (inner, outer, reach)),
        *_cross(*middle, inner - 2),
    ]
    for angle in ring["screw_angles"]:
        x, y = ((outer + ring["flange_reach"] / 2) * f(math.radians(angle)) for f in (math.cos, math.sin))
        parts.append(
            f"<circle class='pilot' cx='{middle[0] + x:.2f}' cy='{middle[1] + y:.2f}' r='{ring['pilot'] / 2:g}'/>"
        )
        parts += _cross(middle[0] + x, middle[1] + y, 3.5)
    scale, top = middle[1], 2 * reach + 36
    parts += [
        _text(
            2 * reach + 20,
            scale - 12,
            f"{len(ring['screw_angles'])} holes {ring['pilot']:g}, {ring['pilot_deep']:g} deep",
        ),
        f"<path class='scale' d='M{2 * reach + 20:g} {scale:g} h100 m0 -2 v4 m-100 -4 v4'/>",
        _text(2 * reach + 20, scale + 7, "100 long, or the printer has scaled it"),
        _text(
            10,
            top - 4,
            f"round a turned ring, this edge at the board's underside (less {ring['flange']:g} for its flange)",
        ),
        f"<rect class='strip' x='10' y='{top:g}' width='{around:.2f}' height='{ring['height']:g}'/>",
    ]
    for quarter, (word, depth, hole) in enumerate(
        (what, ring[beam] - ring["board"], ring[hole])
        for what, hole in (("LED", "emitter_hole"), ("receiver", "receiver_hole"))
        for beam in ("upper_beam", "lower_beam")
    ):
        x, y = 10 + around * (quarter + 0.3) / 4, top + depth
        parts += [f"<circle class='bit' cx='{x:.2f}' cy='{y:g}' r='{hole / 2:g}'/>", *_cross(x, y, 4)]
        parts.append(_text(x + 5, y + 1.5, f"{word} {hole:g}"))
    return _svg(around + 20, top + ring["height"] + 8, parts)


def _cross(x: float, y: float, reach: float) -> list[str]:
    return [f"<path class='thin' d='M{x - reach:.2f} {y:.2f} h{2 * reach:g} M{x:.2f} {y - reach:.2f} v{2 * reach:g}'/>"]


def wiring_svg() -> str:
    """One pocket's wires to the node, and which input is which."""
    beam = measures()["beam"]
    _, usual, _ = currents(beam)
    supply = supply_of(beam)
    parts = [
        _text(10, 10, f"one pocket of four: the two LEDs ({beam['emitter']}) in series, long leads towards {supply}"),
        "<line x1='28' y1='25' x2='40' y2='25'/>",
        _text(10, 26.5, supply),
        "<rect x='40' y='22' width='18' height='6'/>",
        _text(36, 20, f"{beam['resistor']:g} ohm, {beam['resistor_w']:g} W"),
        "<line x1='58' y1='25' x2='85' y2='25'/>",
        _led(85, 25),
        _text(80, 19, "LED upper"),
        "<line x1='93' y1='25' x2='125' y2='25'/>",
        _led(125, 25),
        _text(120, 19, "LED lower"),
        "<line x1='133' y1='25' x2='160' y2='25'/>",
        _text(162, 26.5, "GND"),
    ]
    for y, word in ((55, "upper"), (85, "lower")):
        collector, emitter = receiver_ends(y)
        parts += [
            _text(10, y - 7.5, f"D {word}"),
            f"<line class='wire' x1='28' y1='{y - 9}' x2='{collector[0]:g}' y2='{collector[1]:g}'/>",
            _receiver(y),
            _text(collector[0] + 3, y - 4.5, f"collector ({beam['receiver']} {word})"),
            _text(emitter[0] + 3, y + 7, "emitter; the middle lead, base, is cut off"),
            f"<line class='wire' x1='{emitter[0]:g}' y1='{emitter[1]:g}' x2='160' y2='{y + 9}'/>",
            _text(162, y + 10.5, "GND"),
        ]
    parts += [
        _text(10, 108, "inputs: NE upper D2, NE lower D3, NW upper D4, NW lower D5,"),
        _text(10, 114, "SE upper D6, SE lower D7, SW upper D8, SW lower D9"),
        _text(10, 120, "The node pulls its inputs up itself: lit reads low (below 1 V), blocked high."),
        _text(10, 126, f"{supply} and GND are the Nano's pins 5V and GND; its USB feeds them: {4 * usual:.0f} mA."),
        _text(10, 132, f"Four wires a pocket: {supply}, GND, D upper, D lower."),
    ]
    return _svg(200, 138, parts)


NANO = (
    ["D13", "3V3", "REF", "A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7", "5V", "RST", "GND", "VIN"],
    ["D12", "D11", "D10", "D9", "D8", "D7", "D6", "D5", "D4", "D3", "D2", "GND", "RST", "RX0", "TX1"],
)
"""The board's pins from its USB socket on, that side up and its parts towards you: the left row, the right row."""


def nano_svg() -> str:
    """Which wire goes to which of the Nano's pins, twice its size; the leads of LED and receiver."""
    beam = measures()["beam"]
    wires = {f"D{2 + sensor}": " ".join(place) for sensor, place in beam_map().places.items()}
    wires |= {"5V": f"+{beam['supply_v']:g} V, all four pockets", "GND": "GND, all four pockets"}
    wires |= {"A0": "piezo, if there is one", "D13": "lamp on the board: a beam is blocked"}
    pitch, wide, left, top = 5.08, 36.0, 92.0, 26.0
    parts = [
        _text(10, 10, "the Nano from above, USB socket up; pins without a word stay free, one GND is enough"),
        f"<rect class='cut' x='{left:g}' y='{top - 6:g}' width='{wide:g}' height='{15 * pitch + 8:g}'/>",
        f"<rect class='cut' x='{left + wide / 2 - 8:g}' y='{top - 12:g}' width='16' height='10'/>",
        _text(left + wide / 2, top - 5, "USB", "middle"),
    ]
    for row, (x, away, anchor) in enumerate(((left, -1, "end"), (left + wide, 1, "start"))):
        for number, pin in enumerate(NANO[row]):
            y = top + (number + 0.5) * pitch
            parts.append(f"<circle cx='{x - away * 2.5:g}' cy='{y:.2f}' r='1'/>")
            parts.append(_text(x - away * 5, y + 1.5, pin, "start" if away < 0 else "end"))
            if pin in wires and (pin, row) != ("GND", 1):
                parts.append(f"<line class='wire' x1='{x:g}' y1='{y:.2f}' x2='{x + away * 8:g}' y2='{y:.2f}'/>")
                parts.append(_text(x + away * 10, y + 1.5, wires[pin], anchor))
    leads = top + 15 * pitch + 24
    parts += [
        _text(10, leads - 16, "leads, lens up"),
        *_body(20, leads, (-1.27, 20.0), (1.27, 16.0)),
        _text(32, leads - 4, f"LED {beam['emitter']}: the long lead (anode) towards {supply_of(beam)};"),
        _text(32, leads + 2, "the short one, at the rim's flat side, is the cathode"),
        *_body(20, leads + 42, (-2.54, 25.0), (0.0, 6.0), (2.54, 25.0)),
        _text(
            32,
            leads + 38,
            f"receiver {beam['receiver']}: cut the middle lead (base) off. Which outer one is the collector:",
        ),
        _text(32, leads + 44, "multimeter on ohms, lens to the sun or a filament lamp, both ways round;"),
        _text(32, leads + 50, "where it reads least the red probe is at the collector: mark it, it goes to D."),
    ]
    return _svg(230, leads + 72, parts)


def supply_of(beam: Mapping[str, Any]) -> str:
    """Returns the supply as the drawings name it."""
    return f"+{beam['supply_v']:g} V"


def _body(x: float, y: float, *leads: tuple[float, float]) -> list[str]:
    """A part with a lens and leads (distance from the middle, length), drawn twice its size."""
    body = f"<path class='cut' d='M{x - 6:g} {y:g} v-8 a6 6 0 0 1 12 0 v8 z'/>"
    return [body, *(f"<path class='lead' d='M{x + 2 * at:g} {y:g} v{length:g}'/>" for at, length in leads)]


def receiver_ends(y: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Returns where the wires to the collector and the emitter of a receiver drawn at this height end."""
    return (66.0, y - 9.0), (66.0, y + 9.0)


def _receiver(y: float) -> str:
    """A phototransistor: light from the left, no lead at its base."""
    (x, top), (_, bottom) = receiver_ends(y)
    return (
        f"<circle cx='63' cy='{y:g}' r='6'/><path d='M60 {y - 4:g} v8'/>"
        f"<path d='M60 {y - 2:g} L{x:g} {y - 5:g} V{top:g}'/>"
        f"<path d='M60 {y + 2:g} L{x:g} {y + 5:g} V{bottom:g} M{x:g} {y + 5:g} l-3 -.2 M{x:g} {y + 5:g} l-1.8 -2.4'/>"
        f"<path class='beam' d='M44 {y - 4:g} L54 {y - 1:g} M44 {y:g} L54 {y + 3:g}'/>"
    )


def stand_svg() -> str:
    """Camera, board and lamps from the side, with what may be where."""
    board, camera, lamp = 385.0, 1250.0, 900.0
    away = board * (camera + lamp) / camera
    k = 0.1
    ground = 150.0
    tube = ground - (camera + ABOVE_LENS) * k
    parts = ["<g transform='translate(115 20)'>"]
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
        f"<path class='tube' d='M{-away * k - 14:g} {ground - (camera + ABOVE_LENS) * k:g} H{away * k + 14:g}'/>",
        _text(-away * k - 14, tube - 15, "tube, on ceiling hooks or stands on the floor, never on the table:"),
        _text(-away * k - 14, tube - 9, f"its middle at the board's height above the floor + H + {ABOVE_LENS:g}"),
        *(f"<path class='thin' d='M{s * away * k:g} {tube:g} V{ground - lamp * k - 4:g}'/>" for s in (-1, 1)),
        _text(away * k + 2, tube + 9, "two cords a lamp"),
        f"<path class='cord' d='M-10 {tube:g} q1 9 9 {ABOVE_LENS * k:g}'/>",
        _text(-11, tube + 6, "safety cord", "end"),
        "</g>",
    ]
    return _svg(280, 190, parts)


def measures_scad() -> str:
    """The measures as OpenSCAD reads them."""
    lines = ["// Made from measures.toml by `make documents`; change that file."]
    for part in ("ring", "mount"):
        lines += [f"{part}_{name} = {value};" for name, value in measures()[part].items()]
    return "\n".join(lines) + "\n"


DRAWINGS = {
    "drawings/ring.svg": ring_svg,
    "drawings/exploded.svg": exploded_svg,
    "drawings/template.svg": template_svg,
    "drawings/wiring.svg": wiring_svg,
    "drawings/nano.svg": nano_svg,
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
