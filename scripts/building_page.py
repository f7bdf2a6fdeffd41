"""The text of `docs/parts.md`: what to order, what to drill, and a box for each check of the build guide.

Made from `docs/drawings/parts.toml`, the measures of the drawings, and the build guide.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scripts.drawing import FOLDER, measures

GUIDE = FOLDER.parent / "build.md"
GROUPS = {"computer": "Computer", "camera": "Camera and light", "beams": "Beams", "display": "Lamp and display"}
BOUGHT = ("computer", "camera", "beams")
"""What a table is made of; a display comes on top."""


def parts() -> Mapping[str, Any]:
    """Returns the parts, with the ring's measures in their names, the tools, and when the prices were allowed for."""
    listed = tomllib.loads((FOLDER / "parts.toml").read_text(encoding="utf-8"))
    for part in listed["part"]:
        part["name"], part["look"] = (part[key].format(**measures()["ring"]) for key in ("name", "look"))
    return listed


def sum_eur(table: str, groups: tuple[str, ...] = BOUGHT) -> tuple[int, int]:
    """Returns the least and the most to allow for a *club* or *match* table, in euro."""
    chosen = [part["eur"] for part in parts()["part"] if part["group"] in groups and part[table]]
    return sum(least for least, _ in chosen), sum(most for _, most in chosen)


def worked_if() -> list[tuple[str, str]]:
    """Returns each section of the build guide with what it says of how to know that a step worked."""
    found = []
    for section in re.split(r"(?m)^## ", GUIDE.read_text(encoding="utf-8"))[1:]:
        heading, _, text = section.partition("\n")
        for said in re.findall(r"\*It worked if\* (.+?)\.(?= [A-Z0-9*`!]|$)", " ".join(text.split())):
            found.append((heading.strip(), said))
    return found


def holes() -> Iterator[tuple[str, str, str, str]]:
    """Yields what is drilled: where, how many, the bit, how deep and where exactly."""
    ring, mount = measures()["ring"], measures()["mount"]
    deep = ring["wall"] - ring["window_deep"]
    reach = ring["bore"] / 2 + ring["wall"] + ring["flange_reach"] / 2
    heights = [ring[beam] - ring["board"] for beam in ("upper_beam", "lower_beam")]
    under = f"{heights[0]:g} (upper beam) and {heights[1]:g} (lower, turned by 90°) below the board's underside"
    angles = ", ".join(f"{angle:g}°" for angle in ring["screw_angles"])
    yield "ring: LED", "2", f"{ring['emitter_hole']:g}", f"{deep:g} deep from outside; {under}"
    yield "ring: receiver, opposite", "2", f"{ring['receiver_hole']:g}", f"{deep:g} deep from outside, same heights"
    yield "ring: window", "4", f"{ring['window']:g}", f"on through the last {ring['window_deep']:g} into the bore"
    yield (
        "ring: flange",
        f"{len(ring['screw_angles'])}",
        f"{ring['screw']:g}",
        f"{reach:g} from the middle, at {angles}",
    )
    yield (
        "board, from below",
        f"{len(ring['screw_angles'])}",
        f"{ring['pilot']:g}",
        f"{ring['pilot_deep']:g} deep, through the flange's holes: tape on the bit marks the depth",
    )
    squares = " and ".join(f"{square:g} × {square:g}" for square in mount["holes"])
    yield "camera mount: screws", f"{4 * len(mount['holes'])}", f"{mount['screw']:g}", f"through, at {squares}"
    module = " × ".join(f"{side:g}" for side in mount["module"])
    yield "camera mount: small module", "4", f"{mount['module_screw']:g}", f"{mount['module_deep']:g} deep, at {module}"


def parts_document() -> str:
    """The page: parts by group with counts and prices, tools, holes, and boxes to tick."""
    listed = parts()
    lines = [
        "# What to order, what to drill, what to tick off",
        "Made by `make documents` from [`parts.toml`](drawings/parts.toml), [`measures.toml`](drawings/measures.toml) "
        "and the [build guide](build.md); do not edit. Sizes are millimetres.",
        "## Order",
        f"Prices: what to allow for, in euro ({listed['allowed_for']}), not offers. A number is for *club* and *match* "
        "unless it names one.",
        "| part | number | allow | what to look for |\n| --- | --- | --- | --- |\n"
        + "\n".join(row for group in GROUPS for row in _rows(listed["part"], group)),
        f"Together, without a display: *club* {_range(sum_eur('club'))} €, *match* {_range(sum_eur('match'))} €; the "
        f"beams alone {_range(sum_eur('club', ('beams',)))} €.",
        "## Tools",
        "\n".join(f"- {tool}" for tool in (*listed["tools"]["to_make"], *listed["tools"]["to_have"])),
        "## Drill",
        f"For a surface {measures()['ring']['board']:g} thick and one ring of four; the mount's two plates are alike. "
        "A printed ring or mount has its holes: clean them with the bit.",
        "| where | holes | bit | how deep, where |\n| --- | --- | --- | --- |\n"
        + "\n".join(f"| {' | '.join(hole)} |" for hole in holes()),
        "## Tick off",
        "One box for each *It worked if* of the guide:",
        "\n".join(
            f"- [{heading}](build.md#{_anchor(heading)}) {'☐' * count}"
            for heading, count in Counter(heading for heading, _ in worked_if()).items()
        ),
    ]
    return "\n\n".join(lines) + "\n"


def _rows(listed: list[Mapping[str, Any]], group: str) -> Iterator[str]:
    yield f"| **{GROUPS[group]}** | | | |"
    for part in listed:
        if part["group"] == group:
            each = ", ".join(f"{part[table]} (*{table}*)" for table in ("club", "match") if part[table])
            number = part["club"] if part["club"] == part["match"] else each
            yield f"| {part['name']} | {number} | {_range(part['eur'])} | {part['look']} |"


def _range(eur: tuple[int, int] | list[int]) -> str:
    least, most = eur
    return f"{least}" if least == most else f"{least} to {most}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
