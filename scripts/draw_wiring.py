"""The wires of the build guide: one pocket's circuit, the Nano's pins, the leads of LED and receiver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.pockets.beam_map import beam_map
from scripts.drawing import measures, svg, words


def currents(beam: Mapping[str, Any]) -> tuple[float, float, float]:
    """Returns least, usual and most current through a pocket's two LEDs in mA, over the spread of their voltage."""
    n = beam["emitters_in_series"]
    least, usual, most = (
        (beam["supply_v"] - n * volts) / beam["resistor"] * 1000.0
        for volts in (beam["emitter_v_most"], beam["emitter_v"], beam["emitter_v_least"])
    )
    return least, usual, most


def wiring_svg() -> str:
    """One pocket's wires to the node, and which input is which."""
    beam = measures()["beam"]
    _, usual, _ = currents(beam)
    supply = supply_of(beam)
    parts = [
        words(10, 10, f"one pocket of four: the two LEDs ({beam['emitter']}) in series, long leads towards {supply}"),
        "<line x1='28' y1='25' x2='40' y2='25'/>",
        words(10, 26.5, supply),
        "<rect x='40' y='22' width='18' height='6'/>",
        words(36, 20, f"{beam['resistor']:g} ohm, {beam['resistor_w']:g} W"),
        "<line x1='58' y1='25' x2='85' y2='25'/>",
        _led(85, 25),
        words(80, 19, "LED upper"),
        "<line x1='93' y1='25' x2='125' y2='25'/>",
        _led(125, 25),
        words(120, 19, "LED lower"),
        "<line x1='133' y1='25' x2='160' y2='25'/>",
        words(162, 26.5, "GND"),
    ]
    for y, word in ((55, "upper"), (85, "lower")):
        collector, emitter = receiver_ends(y)
        parts += [
            words(10, y - 7.5, f"D {word}"),
            f"<line class='wire' x1='28' y1='{y - 9}' x2='{collector[0]:g}' y2='{collector[1]:g}'/>",
            _receiver(y),
            words(collector[0] + 3, y - 4.5, f"collector ({beam['receiver']} {word})"),
            words(emitter[0] + 3, y + 7, "emitter; the middle lead, base, is cut off"),
            f"<line class='wire' x1='{emitter[0]:g}' y1='{emitter[1]:g}' x2='160' y2='{y + 9}'/>",
            words(162, y + 10.5, "GND"),
        ]
    parts += [
        words(10, 108, "inputs: NE upper D2, NE lower D3, NW upper D4, NW lower D5,"),
        words(10, 114, "SE upper D6, SE lower D7, SW upper D8, SW lower D9"),
        words(10, 120, "The node pulls its inputs up itself: lit reads low (below 1 V), blocked high."),
        words(10, 126, f"{supply} and GND are the Nano's pins 5V and GND; its USB feeds them: {4 * usual:.0f} mA."),
        words(10, 132, f"Four wires a pocket: {supply}, GND, D upper, D lower."),
    ]
    return svg(200, 138, parts)


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
    wires["D13"] = "lamp on the board: a beam is blocked"
    pitch, wide, left, top = 5.08, 36.0, 92.0, 26.0
    parts = [
        words(10, 10, "the Nano from above, USB socket up; pins without a word stay free, one GND is enough"),
        f"<rect class='cut' x='{left:g}' y='{top - 6:g}' width='{wide:g}' height='{15 * pitch + 8:g}'/>",
        f"<rect class='cut' x='{left + wide / 2 - 8:g}' y='{top - 12:g}' width='16' height='10'/>",
        words(left + wide / 2, top - 5, "USB", "middle"),
    ]
    for row, (x, away, anchor) in enumerate(((left, -1, "end"), (left + wide, 1, "start"))):
        for number, pin in enumerate(NANO[row]):
            y = top + (number + 0.5) * pitch
            parts.append(f"<circle cx='{x - away * 2.5:g}' cy='{y:.2f}' r='1'/>")
            parts.append(words(x - away * 5, y + 1.5, pin, "start" if away < 0 else "end"))
            if pin in wires and (pin, row) != ("GND", 1):
                parts.append(f"<line class='wire' x1='{x:g}' y1='{y:.2f}' x2='{x + away * 8:g}' y2='{y:.2f}'/>")
                parts.append(words(x + away * 10, y + 1.5, wires[pin], anchor))
    leads = top + 15 * pitch + 24
    parts += [
        words(10, leads - 16, "leads, lens up"),
        *_body(20, leads, (-1.27, 20.0), (1.27, 16.0)),
        words(32, leads - 4, f"LED {beam['emitter']}: the long lead (anode) towards {supply_of(beam)};"),
        words(32, leads + 2, "the short one, at the rim's flat side, is the cathode"),
        *_body(20, leads + 42, (-2.54, 25.0), (0.0, 6.0), (2.54, 25.0)),
        words(
            32,
            leads + 38,
            f"receiver {beam['receiver']}: cut the middle lead (base) off. Which outer one is the collector:",
        ),
        words(32, leads + 44, "multimeter on ohms, lens to the sun or a filament lamp, both ways round;"),
        words(32, leads + 50, "where it reads least the red probe is at the collector: mark it, it goes to D."),
    ]
    return svg(230, leads + 72, parts)


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


def _led(x: float, y: float) -> str:
    return f"<path d='M{x:g} {y - 4:g} v8 l8 -4 z M{x + 8:g} {y - 4:g} v8'/>"
