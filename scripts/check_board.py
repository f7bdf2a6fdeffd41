"""`make lint`: below the wiring no module knows a board of its own; its measures come in as a `Board`.

Reads the syntax trees of the packages and names each line that reaches for the laws' board, makes one without saying
its measures, or writes one of its measures as a number. Must not import what it checks, but for the board itself.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from calibration.board import DEFAULT_BOARD, Board

CHECKED = ("calibration", "controller")
BOARDS = (Path("calibration/board.py"), Path("calibration/presets.py"))
"""Where boards are written down; nobody else may."""

EVERYDAY = frozenset({1.5, 8.0, 9.0, 20.0, 24.0, 31.0, 65.0, 85.0, 170.0, 235.0})
"""Measures whose numbers are also seconds, colours and counts: they are forbidden only under a measure's name."""

MEASURED = ("HALF_MM", "SIDE_MM", "POCKET", "BASE_LINE", "BASE_CIRCLE", "BASE_DISC", "ARROW", "OUTER_CIRCLE",
            "CENTRE_CIRCLE", "COIN_RADIUS", "COIN_DIAMETER", "STRIKER_RADIUS", "STRIKER_DIAMETER", "RACK_MM")  # fmt: skip
"""A name with one of these in it, and a unit of length at its end, is a measure of the board."""

SPREADS = frozenset({("calibration/soundness.py", "HALF_MM"), ("controller/vision/finding/sizes.py", "DIAMETERS_MM")})
"""What bounds or searches any board's measures is no board."""


def measures(board: Board) -> frozenset[float]:
    """Every number that is a measure of a board, or half of one, or follows from several."""
    written = [getattr(board, field.name) for field in fields(board)]
    flat = [float(v) for value in written for v in (value if isinstance(value, tuple) else (value,))]
    diameters = [board.coin_diameter_mm, board.striker_diameter_mm, board.base_circle_diameter_mm,
                 board.base_disc_diameter_mm, board.outer_circle_diameter_mm, board.centre_circle_diameter_mm]  # fmt: skip
    derived = [
        2 * board.half_mm,
        2 * board.pocket_radius_mm,
        board.pocket_centre_mm,
        board.base_circle_from_centre_mm,
        board.half_mm + board.frame_width_mm,
        board.touching_mm,
        *board.outer_line_y_mm,
        *board.inner_line_y_mm,
        *(diameter / 2 for diameter in diameters),
    ]
    return frozenset(round(value, 4) for value in (*flat, *derived))


FORBIDDEN = measures(DEFAULT_BOARD)


def faults(path: Path, source: str) -> Iterator[str]:
    """Yields one line for each place in a module that knows a board of its own."""
    tree = ast.parse(source)
    numbers = {id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}
    for node in ast.walk(tree):
        says = _fault(path, node) if id(node) not in numbers else ""
        if says:
            line = getattr(node, "lineno", 0)
            yield f"{path}:{line}: {says}. Mend: take a Board as a parameter"


def _fault(path: Path, node: ast.AST) -> str:
    if isinstance(node, ast.Name | ast.Attribute | ast.alias):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else node.name
        return "reaches for the laws' board" if name == "DEFAULT_BOARD" else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Board":
        return "makes a board of its own" if not node.args and not node.keywords else ""
    if isinstance(node, ast.Constant) and _number(node) in FORBIDDEN - EVERYDAY:
        return f"writes a measure of the board as a number ({node.value})"
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.keyword | ast.arg):
        return _named(path, node)
    return ""


def _named(path: Path, node: ast.Assign | ast.AnnAssign | ast.keyword | ast.arg) -> str:
    """A number under a measure's name, however ordinary the number is."""
    if isinstance(node, ast.arg):
        return ""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    if isinstance(node, ast.keyword) and node.arg:
        names = [node.arg]
    if node.value is None:
        return ""
    values = [part for part in ast.walk(node.value) if isinstance(part, ast.Constant) and _number(part) is not None]
    plain = all(isinstance(part, _PLAIN) for part in ast.walk(node.value)) and values
    for name in names:
        said = name.upper()
        is_measure = said.endswith("_MM") and any(word in said for word in MEASURED)
        if plain and is_measure and (path.as_posix(), name) not in SPREADS:
            return f"{name} is a measure of the board, written as a number"
    return ""


_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)


def _number(node: ast.Constant) -> float | None:
    return float(node.value) if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None


def main() -> int:
    """Prints every fault; 1 if there is one."""
    modules = [path for room in CHECKED for path in sorted(Path(room).rglob("*.py")) if path not in BOARDS]
    found = [says for path in modules for says in faults(path, path.read_text(encoding="utf-8"))]
    for says in found:
        print(says, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
