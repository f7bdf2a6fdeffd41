"""What every drawing of the build guide is made with: the measures, a sheet in mm, words on it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "drawings"

STYLE = (
    "<style>line,path,circle,ellipse,rect{fill:none;stroke:#111;stroke-width:.4}.beam{stroke:#c00;stroke-dasharray:2 1}"
    ".cut{fill:#eee}.thin{stroke-width:.2;stroke:#555}.dot{fill:#111}text{font:4px sans-serif}</style>"
)


def measures() -> Mapping[str, Mapping[str, Any]]:
    """Returns the measures by part."""
    return tomllib.loads((FOLDER / "measures.toml").read_text(encoding="utf-8"))


def svg(width: float, height: float, parts: list[str]) -> str:
    """Returns a sheet of so many mm with these parts on white."""
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:g}mm' height='{height:g}mm' "
        f"viewBox='0 0 {width:g} {height:g}'>"
    )
    back = f"<rect width='{width:g}' height='{height:g}' style='fill:#fff;stroke:none'/>"
    return "\n".join([head, STYLE, back, *parts, "</svg>"]) + "\n"


def words(x: float, y: float, text: str, anchor: str = "start") -> str:
    """Returns words of 4 mm whose start, middle or end (`anchor`) is at x, y in mm."""
    return f"<text x='{x:g}' y='{y:g}' text-anchor='{anchor}'>{text}</text>"
