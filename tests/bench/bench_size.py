"""How big the rooms are: files, lines, functions, branches, named constants, numbers written in the code.

`size:controller/shots` counts one folder; without a part the two rooms a stroke is told in are counted. A branch is an
`if`, a conditional expression, a filter, a loop, a case or an `and`/`or` beyond the first operand. A named constant is
a capitalised name, or a field of `Limits`, that is given a number; a literal is any other number but 0, 1, 2 and 0.5.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.bench.figure import Figure

ROOMS = ("controller/vision/following", "controller/shots")
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]+$")
PLAIN = frozenset({0, 1, 2, 0.5})
"""Numbers that say nothing by themselves: nought, a whole, a pair, a half."""


def run(_long: bool, parts: tuple[str, ...] = ()) -> Iterable[Figure]:
    """Yields what was counted in each room."""
    for room in parts or ROOMS:
        counted = sum((count(file.read_text()) for file in sorted(Path(room).rglob("*.py"))), Counter())
        for what in ("files", "lines", "functions", "branches", "named constants", "numeric literals"):
            yield Figure(f"{room}: {what}", "host", str(counted[what]))


def count(source: str) -> Counter[str]:
    """Counts one file."""
    tree = ast.parse(source)
    named = dict(_constants(tree))
    inside = {id(node) for value in named.values() for node in ast.walk(value)}
    found = Counter({"files": 1, "lines": source.count("\n"), "named constants": len(named)})
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                found["functions"] += 1
            case ast.If() | ast.IfExp() | ast.For() | ast.While() | ast.match_case() | ast.ExceptHandler():
                found["branches"] += 1
            case ast.comprehension():
                found["branches"] += len(node.ifs)
            case ast.BoolOp():
                found["branches"] += len(node.values) - 1
            case ast.Constant() if isinstance(node.value, int | float) and not isinstance(node.value, bool):
                found["numeric literals"] += id(node) not in inside and node.value not in PLAIN
    return found


def _constants(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        body = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
        for one in body:
            target = one.targets[0] if isinstance(one, ast.Assign) else getattr(one, "target", None)
            value = getattr(one, "value", None)
            name = target.id if isinstance(target, ast.Name) else ""
            limit = isinstance(node, ast.ClassDef) and node.name == "Limits"
            if value is not None and (CONSTANT.match(name) or limit) and _is_number(value):
                yield name, value


def _is_number(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Constant) and type(node.value) in (int, float) for node in ast.walk(value))
