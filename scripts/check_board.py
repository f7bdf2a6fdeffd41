"""`make lint`: below the wiring no module knows a board of its own; its measures come in as a `Board`.

Reads the syntax trees of the packages and names each line that reaches for the laws' board, makes one without saying
its measures, or writes one of its measures as a number. Must not import what it checks, but for the board itself.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from calibration.board import DEFAULT_BOARD, Board

CHECKED = ("calibration", "controller")
BOARDS = (Path("calibration/board.py"), Path("calibration/presets.py"), Path("controller/simulator/looks.py"))
"""Where boards, and named tables with sets of their own, are written down; nobody else may."""

WIRING = ("controller/table/", "controller/commands/", "controller/hub/app.py")
"""Who may name a board that ships."""

EVERYDAY = frozenset({1.5, 8.0, 9.0, 20.0, 25.4, 31.0, 65.0, 85.0, 170.0})
"""Measures whose numbers are also an inch, seconds, colours and counts: forbidden only under a measure's name."""

MEASURED = re.compile(
    r"(^|_)(BOARD_(HALF|SIDE)|POCKET|(OUTER|INNER)_LINE|LINE_HALF_LENGTH|BASE_(CIRCLE|DISC)|(OUTER|CENTRE)_CIRCLE|ARROW"
    r"|RACK|FRAME_(WIDTH|HEIGHT)|(COIN|STRIKER)_(RADIUS|DIAMETER|THICKNESS))(_[A-Z]+)*_MM$"
)
"""Names of measures of a board, in capitals."""


def measures(board: Board) -> frozenset[float]:
    """Every number that is a measure of a board, or half of one, or follows from several."""
    written = [getattr(board, field.name) for field in fields(board)]
    flat = [float(v) for value in written for v in (value if isinstance(value, tuple) else (value,))]
    across = [getattr(board, field.name) for field in fields(board) if field.name.endswith("_diameter_mm")]
    derived = [
        2 * board.half_mm,
        2 * board.pocket_radius_mm,
        board.pocket_centre_mm,
        board.base_circle_from_centre_mm,
        board.half_mm + board.frame_width_mm,
        board.touching_mm,
        *board.outer_line_y_mm,
        *board.inner_line_y_mm,
        *(diameter / 2 for diameter in across),
    ]
    return frozenset(round(value, 4) for value in (*flat, *derived))


FORBIDDEN = measures(DEFAULT_BOARD)


def faults(path: Path, source: str) -> Iterator[str]:
    """Yields one line for each place in a module that knows a board of its own."""
    tree = ast.parse(source)
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if says := _fault(node) or ("" if path.as_posix().startswith(WIRING) else _named_board(node)):
                line = getattr(node, "lineno", getattr(parent, "lineno", 0))
                yield f"{path}:{line}: {says}. Fix: take a Board as a parameter"


def _fault(node: ast.AST) -> str:
    if isinstance(node, ast.Name | ast.Attribute | ast.alias):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else node.name
        return "reaches for the laws' board" if name == "DEFAULT_BOARD" else ""
    if isinstance(node, ast.Call) and not node.args and not node.keywords and _is_board(node.func):
        return "makes a board of its own"
    if isinstance(node, ast.keyword) and node.arg == "default_factory" and _is_board(node.value):
        return "makes a board of its own"
    if isinstance(node, ast.Constant) and _number(node) in FORBIDDEN - EVERYDAY:
        return f"writes a measure of the board as a number ({node.value})"
    return next((f"{name} is a measure of the board, written as a number" for name in _named(node)), "")


def _named_board(node: ast.AST) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and _is(node.value, "PRESETS"):
        return f"reaches for the board {node.slice.value!r}"
    return ""


def _is_board(node: ast.expr) -> bool:
    return _is(node, Board.__name__)


def _is(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def _named(node: ast.AST) -> Iterator[str]:
    """The measures' names that a constant, field, parameter or argument gives a number to, however ordinary that is."""
    pairs: list[tuple[ast.AST, ast.expr | None]] = []
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, ast.AnnAssign):
        pairs = [(node.target, node.value)]
    elif isinstance(node, ast.arguments):
        placed = [*node.posonlyargs, *node.args]
        pairs = [*zip(placed[len(placed) - len(node.defaults) :], node.defaults, strict=True)]
        pairs += zip(node.kwonlyargs, node.kw_defaults, strict=True)
    elif isinstance(node, ast.keyword) and node.arg is not None:
        pairs = [(ast.arg(node.arg), node.value)]
    for target, value in pairs:
        if value is None or not all(isinstance(part, _PLAIN) for part in ast.walk(value)):
            continue
        if any(isinstance(part, ast.Constant) and _number(part) is not None for part in ast.walk(value)):
            names = (part.arg if isinstance(part, ast.arg) else getattr(part, "id", "") for part in ast.walk(target))
            yield from (name for name in names if MEASURED.search(name.upper()))


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
