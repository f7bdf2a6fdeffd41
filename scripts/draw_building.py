"""The drawings of the build guide, made from `docs/drawings/measures.toml`: SVG for people, measures for OpenSCAD.

Everything is drawn in mm at true scale within each drawing, so that a print at 100 % can be laid on the part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scripts.draw_gauge import gauge_svg
from scripts.draw_wiring import currents, nano_svg, wiring_svg
from scripts.drawing import measures, svg, words

ABOVE_LENS = 50.0
"""From a camera's lens to the middle of the tube that carries it: mount, screws and lens."""


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
        words(0, -reach - 14, "from below", "middle"),
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
        parts.append(words(*where, word))
    for angle in ring["screw_angles"]:
        x, y = ((outer + ring["flange_reach"] / 2) * f(math.radians(angle)) for f in (math.cos, math.sin))
        parts.append(f"<circle cx='{x:.2f}' cy='{y:.2f}' r='{ring['screw'] / 2:g}'/>")
    parts += [
        words(
            -reach,
            reach + 8,
            f"bore {ring['bore']:g}, outside {2 * outer:g}, flange {2 * reach:g}, 3 holes {ring['screw']:g}",
        ),
        words(
            -reach,
            reach + 14,
            f"LED side (left, top): {ring['emitter_hole']:g}; receiver side: {ring['receiver_hole']:g};",
        ),
        words(-reach, reach + 20, f"window into the bore: {ring['window']:g}, {ring['window_deep']:g} deep"),
        "</g>",
        f"<g transform='translate({3 * reach + 50:g} 40)'>",
        words(0, -20, "cut, depths below the playing surface", "middle"),
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
        parts.append(words(outer + 5, depth + 1.5, f"{word} {depth:g}"))
    bottom = top + ring["height"]
    parts += [
        f"<path class='thin' d='M{-inner:g} {bottom:g} q0 {ring['net']:g} {inner:g} {ring['net']:g} "
        f"q{inner:g} 0 {inner:g} {-ring['net']:g}'/>",
        words(0, bottom + ring["net"] / 2, "net", "middle"),
        words(0, bottom + ring["net"] / 2 + 5, f"{ring['net']:g} free", "middle"),
        words(0, bottom + ring["net"] / 2 + 10, "below the ring", "middle"),
        words(outer + 5, bottom, f"ring {ring['height']:g} high"),
        words(reach + 14, top / 2 + 1.5, f"board {ring['board']:g}"),
        "</g>",
    ]
    return svg(4 * reach + 100, 2 * reach + 110, parts)


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
        words(-118, -4, "from the playing surface downwards; the net's cord goes into the groove"),
        f"<path class='thin' d='M0 6 V{bottom + 66:g}' stroke-dasharray='4 2'/>",
        f"<path class='cut' d='M-70 {board:g} L-52 4 H88 L70 {board:g} V{board + ring['board']:g} H-70 z'/>",
        f"<path d='M-70 {board:g} H70'/>",
        _tilted(9, inner),
        words(92, 12, "playing surface, pocket's hole"),
        f"<path class='thin' d='M{screw:g} {flange:g} V{tip:g}' stroke-dasharray='2 1'/>",
        f"<path d='M{screw:g} {tip:g} v{ring['screw_long']:g} m-3 0 h6'/>",
        words(screw - 4, tip + 8, f"{len(ring['screw_angles'])} screws 3 × {ring['screw_long']:g}", "end"),
        words(screw - 4, tip + 14, "through the flange", "end"),
        *(_tilted(y, reach) for y in (flange, below)),
        f"<path d='M-{reach:g} {flange:g} V{below:g} M{reach:g} {flange:g} V{below:g}'/>",
        _tilted(flange, inner),
        f"<path class='cut' d='M-{outer:g} {below:g} V{bottom:g} {arc} 0 {outer:g} {bottom:g} V{below:g} {arc} 1 "
        f"-{outer:g} {below:g} z'/>",
        words(92, flange - 3, f"flange {2 * reach:g} wide, at the board,"),
        words(92, flange + 3, f"of a ring {ring['height']:g} high"),
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
            words(x + side * 20, y + 1.5, name, "end" if side < 0 else "start"),
        ]
    parts += [
        f"<path class='thin' d='M-{outer:g} {bottom + 18:g} q4 44 {outer:g} 44 q{outer - 4:g} 0 {outer:g} -44'/>",
        _tilted(bottom + 18, outer),
        words(92, bottom + 40, f"net, {ring['net']:g} free below the ring"),
        "</g>",
    ]
    return svg(286, bottom + 84, parts)


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
        words(10, 8, "print at 100 %; below the pocket: circles about its hole, drill the three crosses"),
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
        words(
            2 * reach + 20,
            scale - 12,
            f"{len(ring['screw_angles'])} holes {ring['pilot']:g}, {ring['pilot_deep']:g} deep",
        ),
        f"<path class='scale' d='M{2 * reach + 20:g} {scale:g} h100 m0 -2 v4 m-100 -4 v4'/>",
        words(2 * reach + 20, scale + 7, "100 long, or the printer has scaled it"),
        words(
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
        parts.append(words(x + 5, y + 1.5, f"{word} {hole:g}"))
    return svg(around + 20, top + ring["height"] + 8, parts)


def _cross(x: float, y: float, reach: float) -> list[str]:
    return [f"<path class='thin' d='M{x - reach:.2f} {y:.2f} h{2 * reach:g} M{x:.2f} {y - reach:.2f} v{2 * reach:g}'/>"]


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
        words(4, ground - camera * k, "camera, H above the surface"),
        *(
            f"<rect class='cut' x='{s * away * k - 3:g}' y='{ground - lamp * k - 4:g}' width='6' height='4'/>"
            for s in (-1, 1)
        ),
        words(away * k + 5, ground - lamp * k, "lamp, L above the surface,"),
        words(away * k + 5, ground - lamp * k + 5, "at least 385 (H + L) / H from the axis"),
        words(
            0,
            ground + 10,
            f"drawn: H {camera:g}, L {lamp:g}, lamps {away:.0f} mm from the axis; scale 1 : 10",
            "middle",
        ),
        f"<path class='tube' d='M{-away * k - 14:g} {ground - (camera + ABOVE_LENS) * k:g} H{away * k + 14:g}'/>",
        words(-away * k - 14, tube - 15, "tube, on ceiling hooks or stands on the floor, never on the table:"),
        words(-away * k - 14, tube - 9, f"its middle at the board's height above the floor + H + {ABOVE_LENS:g}"),
        *(f"<path class='thin' d='M{s * away * k:g} {tube:g} V{ground - lamp * k - 4:g}'/>" for s in (-1, 1)),
        words(away * k + 2, tube + 9, "two cords a lamp"),
        f"<path class='cord' d='M-10 {tube:g} q1 9 9 {ABOVE_LENS * k:g}'/>",
        words(-11, tube + 6, "safety cord", "end"),
        "</g>",
    ]
    return svg(280, 190, parts)


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
    "drawings/gauge.svg": gauge_svg,
    "drawings/measures.scad": measures_scad,
}
