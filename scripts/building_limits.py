"""What cannot be built of `docs/drawings/measures.toml`: each with the measures that can. Pure: measures in, lines out.

All lengths are mm, depths below the playing surface.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

LEFT = 1.0
"""Of the board above a screw's tip."""
PILOT_LEFT = 2.0
"""Of the board above a drilled hole: a bit goes deeper than it is meant to."""
WALL = 1.0
"""Of plastic beside a hole."""
GROOVE = 4.0
"""The net's cord takes so much of the ring's lower end."""
BORE = (44.5, 46.0)
LEAST_DEPTH, MOST_DEPTH = 20.0, 36.0
"""A piece on the rim cuts no beam; below the lower one a net still has its depth."""
APART = (8.0, 10.0)
LEAST_NET = 90.0
STEP = 0.5


def cannot_be_built(measures: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns a line for each part that does not fit: what, where, and the measures to write instead."""
    return [*_screws(measures["ring"]), *_beams(measures["ring"]), *_mount(measures["mount"])]


def _screws(ring: Mapping[str, Any]) -> Iterator[str]:
    board = ring["board"]
    longest = board - LEFT + ring["flange"]
    if ring["screw_long"] > longest:
        yield _line(
            f"screws of {ring['screw_long']:g} through a flange of {ring['flange']:g} leave less than {LEFT:g} of a "
            f"board of {board:g}",
            "ring",
            screw_long=math.floor(longest),
        )
    if ring["pilot_deep"] > board - PILOT_LEFT:
        yield _line(
            f"holes {ring['pilot_deep']:g} deep leave less than {PILOT_LEFT:g} of a board of {board:g}",
            "ring",
            pilot_deep=board - PILOT_LEFT - LEFT,
        )


def _beams(ring: Mapping[str, Any]) -> Iterator[str]:
    half = max(ring["emitter_hole"], ring["receiver_hole"]) / 2
    upper, lower, board = ring["upper_beam"], ring["lower_beam"], ring["board"]
    if not BORE[0] <= ring["bore"] <= BORE[1]:
        yield _line(f"a bore of {ring['bore']:g} is not {BORE[0]:g} to {BORE[1]:g}", "ring", bore=45)
    if upper - half < board + ring["flange"] or upper < LEAST_DEPTH:
        fits = max(LEAST_DEPTH, board + ring["flange"] + half)
        upper = math.ceil(fits / STEP) * STEP
        yield _line(
            f"the upper beam's holes, {ring['upper_beam']:g} below the surface of a board of {board:g}, run into the "
            "flange or are too near to the rim",
            "ring",
            upper_beam=upper,
            lower_beam=upper + APART[0] + LEFT,
        )
    elif not APART[0] <= lower - upper <= APART[1]:
        yield _line(f"the beams are {lower - upper:g} apart", "ring", lower_beam=upper + APART[0] + LEFT)
    if lower > MOST_DEPTH:
        yield f"the lower beam is {lower:g} below the surface, {MOST_DEPTH:g} at most. Fix: a thinner board or flange"
    if lower + half + GROOVE > board + ring["height"]:
        yield _line(
            f"a ring of {ring['height']:g} ends above the lower beam's holes and the net's groove",
            "ring",
            height=math.ceil(lower + half + GROOVE - board),
        )
    if ring["net"] < LEAST_NET:
        yield _line(f"{ring['net']:g} of free depth hold no board's coins", "ring", net=95)


def _mount(mount: Mapping[str, Any]) -> Iterator[str]:
    across = max(mount["holes"]) + mount["screw"] + 2 * mount["wall"]
    if across > mount["plate"]:
        yield _line(
            f"the mount's screws come through the edge of its plate of {mount['plate']:g}", "mount", plate=across
        )
    widest = min(mount["holes"]) - mount["screw"] - 2 * WALL
    if mount["tube"] > widest:
        yield _line(f"a tube of {mount['tube']:g} is in the way of the mount's screws", "mount", tube=widest)
    half = mount["tube"] / 2
    reach = mount["module"][1] / 2
    roof = mount["thickness"] + half - math.sqrt(max(0.0, half**2 - reach**2))
    if mount["module_deep"] + WALL > roof:
        yield _line("the small module's screws reach the tube", "mount", module_deep=math.floor(roof - WALL))


def _line(what: str, part: str, **measures: float) -> str:
    return f"{what}. Fix: [{part}] " + ", ".join(f"{name} = {value:g}" for name, value in measures.items())
