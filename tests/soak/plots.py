"""Curves over a long run as one page that any browser shows: plain SVG, made without a library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 760, 190, 70, 24, 26


def page(title: str, says: Sequence[str], curves: Mapping[str, Sequence[tuple[float, float]]], along: str) -> str:
    """Returns the page: what it says, and a curve for each name, over the same numbers `along`."""
    lines = "".join(f"<li>{escape(line)}</li>" for line in says)
    plots = "".join(curve(name, points, along) for name, points in curves.items())
    return (
        f'<!doctype html><meta charset="utf-8"><title>{escape(title)}</title>'
        "<style>body{font:15px sans-serif;max-width:800px;margin:2em auto}svg{display:block;margin:1em 0}</style>"
        f"<h1>{escape(title)}</h1><ul>{lines}</ul>{plots}"
    )


def curve(name: str, points: Sequence[tuple[float, float]], along: str) -> str:
    """Returns one curve, from zero up, as SVG."""
    right = max((x for x, _ in points), default=1.0) or 1.0
    top = max((y for _, y in points), default=1.0) or 1.0
    wide, high = WIDTH - LEFT - 10, HEIGHT - BELOW - ABOVE

    def at(x: float, y: float) -> str:
        return f"{LEFT + wide * x / right:.1f},{ABOVE + high * (1 - y / top):.1f}"

    ticks = "".join(
        f'<path d="M{at(0, top * part)} {at(right, top * part)}" stroke="#ddd"/>'
        f'<text x="{LEFT - 6}" y="{ABOVE + high * (1 - part) + 4:.1f}" text-anchor="end">'
        f"{top * part:.3g}</text>"
        for part in (0.0, 0.5, 1.0)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-size="12" '
        f'font-family="sans-serif"><text x="{LEFT}" y="16" font-weight="bold">{escape(name)}</text>{ticks}'
        f'<polyline fill="none" stroke="#1668a8" stroke-width="1.5" points="{" ".join(at(*one) for one in points)}"/>'
        f'<text x="{WIDTH - 10}" y="{HEIGHT - 6}" text-anchor="end">{right:.0f} {escape(along)}</text></svg>'
    )
