"""Every rule of a package as a switch: what decides it is counted while strokes are read, and can be held on or off.

An import hook rewrites the package as it is loaded: the test of each `if`, conditional expression and filter of a
comprehension goes through a switch, and each named constant through a scale. So a rule is ablated without touching its
code, and none can be left out of the list. Install the hook before the package is imported, in a process of its own.
Must not know what the rules are for.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]+")


@dataclass(frozen=True)
class Switch:
    """Where a rule is decided, and by what."""

    module: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.module.rpartition('.')[2]}:{self.line} «{self.text}»"


class Switchboard:
    """The switches and constants found so far, and what they did since `reset`. `held`: what a switch is held at;
    `scaled`: by what a constant, by its module and name, is multiplied."""

    def __init__(self) -> None:
        self.switches: list[Switch] = []
        self.on: Counter[int] = Counter()
        self.off: Counter[int] = Counter()
        self.used: Counter[tuple[str, str]] = Counter()
        self.held: dict[int, bool] = {}
        self.scaled: dict[tuple[str, str], float] = {}

    def reset(self) -> None:
        """Counts from nought."""
        for counted in (self.on, self.off, self.used):
            counted.clear()

    def decides(self, number: int, found: Any) -> Any:
        """What a rule's test gives: what it found, or what its switch is held at."""
        if number in self.held:
            return self.held[number]
        (self.on if found else self.off)[number] += 1
        return found

    def constant(self, module: str, name: str, value: Any) -> Any:
        """What a constant is now."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        self.used[module, name] += 1
        scale = self.scaled.get((module, name))
        return value if scale is None else type(value)(value * scale)

    def install(self, *packages: str) -> None:
        """Has the packages rewritten when they are imported. They must not have been imported yet."""
        assert not [name for name in sys.modules if name.startswith(packages)]
        builtins._switched_ = self.decides  # type: ignore[attr-defined]
        builtins._scaled_ = self.constant  # type: ignore[attr-defined]
        sys.meta_path.insert(0, _Finder(self, packages))


class _Finder(MetaPathFinder):
    def __init__(self, board: Switchboard, packages: tuple[str, ...]) -> None:
        self._board, self._packages = board, packages

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name.startswith(self._packages) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(self._board, spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, board: Switchboard, name: str, path: str) -> None:
        super().__init__(name, path)
        self._board = board

    def path_stats(self, path: str) -> Any:
        raise OSError("what was compiled before has no switches")

    def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> Any:
        source = data.decode()
        tree = _Rewritten(self._board, self.name, source).visit(ast.parse(source))
        return compile(ast.fix_missing_locations(tree), path, "exec")


class _Rewritten(ast.NodeTransformer):
    def __init__(self, board: Switchboard, module: str, source: str) -> None:
        self._board, self._module, self._source = board, module, source
        self._from: dict[str, str] = {}
        self._inside = 0

    def _switch(self, test: ast.expr) -> ast.expr:
        text = " ".join((ast.get_source_segment(self._source, test) or "").split())
        self._board.switches.append(Switch(self._module, test.lineno, text))
        number = ast.Constant(len(self._board.switches) - 1)
        call = ast.Call(ast.Name("_switched_", ast.Load()), [number, self.visit(test)], [])
        return ast.copy_location(call, test)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        self._from |= {one.asname or one.name: node.module or "" for one in node.names}
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._inside += 1
        node.body = [self.visit(one) for one in node.body]
        self._inside -= 1
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._switch(node.test)
        node.body, node.orelse = [self.visit(one) for one in node.body], [self.visit(one) for one in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test, node.body, node.orelse = self._switch(node.test), self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter, node.ifs = self.visit(node.iter), [self._switch(one) for one in node.ifs]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not (self._inside and isinstance(node.ctx, ast.Load) and CONSTANT.fullmatch(node.id)):
            return node
        owner = ast.Constant(self._from.get(node.id, self._module))
        call = ast.Call(ast.Name("_scaled_", ast.Load()), [owner, ast.Constant(node.id), node], [])
        return ast.copy_location(call, node)
