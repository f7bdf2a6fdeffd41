"""Which modules of the long tier have to run: those whose code or data is not what it was when they last passed.

`tests/long.json` holds for each module a digest of all that it reads: what it imports, directly or through others, and
the data files beside that code. `make test-long` writes it; `.ci/run` runs the modules whose digest is another now.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

from tests.flaky import git

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "tests/long.json"
PACKAGES = {"calibration": ROOT, "controller": ROOT, "installer": ROOT / "systemd", "tests": ROOT}
LONG = re.compile(r"\bpytest\.mark\.long\b")
MADE = "__pycache__"
LOCK = ROOT / "requirements-dev.lock"
"""Another version of a library may be read otherwise, too."""
STARTS = re.compile(r"controller\.cli\b|sys\.executable|MAKEFILE")
"""Starts programs of ours, which may read anything of them."""
PAGES = re.compile(r"\.md\b")
"""Reads our pages, as one does that types what they print."""
STANDS_IN = {"controller.simulator.camera": "tests.painted"}
"""Code of ours that the whole suite replaces, and by what."""
PROGRAMS = ("calibration", "controller", "firmware", "scripts", "systemd")
"""What they are made of, beside the files in the root."""


def long_modules() -> list[str]:
    """Modules with tests of the long tier, as paths from the root."""
    found = (path for path in (ROOT / "tests").rglob("test_*.py") if LONG.search(path.read_text()))
    return sorted(str(path.relative_to(ROOT)) for path in found)


def passed() -> dict[str, str]:
    """The digest of each module when it last passed."""
    known: dict[str, str] = json.loads(PAGE.read_text()) if PAGE.exists() else {}
    return known


def changed(modules: Iterable[str]) -> list[str]:
    """Those that have not passed as they are now."""
    known = passed()
    return [module for module in modules if known.get(module) != digest(module)]


def note(modules: Iterable[str]) -> None:
    """Writes down that these passed as they are; a module without long tests leaves the page."""
    known = passed() | {module: digest(module) for module in modules}
    rows = {module: known[module] for module in long_modules() if module in known}
    PAGE.write_text(json.dumps(rows, indent=1) + "\n")


def digest(module: str) -> str:
    """Of the module, of all that it imports, and of their data."""
    whole = hashlib.sha256(_content(LOCK))
    for path in sorted(read_by(module)):
        whole.update(f"{path.relative_to(ROOT)} ".encode())
        whole.update(_content(path))
    return whole.hexdigest()[:16]


def read_by(module: str) -> set[Path]:
    """The files that a test module reads."""
    graph = _graph()
    name = module.removesuffix(".py").replace("/", ".")
    left, names = [name, *_conftests(name)], set[str]()
    while left:
        one = left.pop()
        if one not in names and one in graph.modules:
            names.add(one)
            # Importing a module runs its package first.
            left += [*graph.find_modules_directly_imported_by(one), one.rpartition(".")[0], STANDS_IN.get(one, "")]
    code = {path for one in names if (path := _file(one)) is not None}
    found = code.union(*(_data(folder) for folder in {path.parent for path in code}))
    if any(_starts(path) for path in code):
        found |= _programs()
    if PAGES.search((ROOT / module).read_text()):
        found |= {path for path in _ours() if path.suffix == ".md"}
    return found & ours if (ours := _ours()) else found


def _conftests(name: str) -> Iterator[str]:
    """The fixtures of its packages; the whole suite's leave alone what a test reads, but for `STANDS_IN`."""
    package = name.rpartition(".")[0]
    while package != "tests" and package:
        yield f"{package}.conftest"
        package = package.rpartition(".")[0]


@cache
def _graph() -> grimp.ImportGraph:
    if (place := str(PACKAGES["installer"])) not in sys.path:
        sys.path.append(place)  # as pytest does
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def _file(name: str) -> Path | None:
    path = PACKAGES[name.partition(".")[0]].joinpath(*name.split("."))
    return next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.exists()), None)


@cache
def _data(folder: Path) -> frozenset[Path]:
    """Files beside code that are none, and those of the folders below that hold no code."""
    found = set[Path]()
    for path in folder.iterdir():
        if path.is_dir() and path.name != MADE and not any(path.rglob("*.py")):
            found |= {one for one in path.rglob("*") if one.is_file()}
        elif path.is_file() and path.suffix not in (".py", ".md") and path != PAGE:
            found.add(path)
    return frozenset(found)


@cache
def _starts(path: Path) -> bool:
    return bool(STARTS.search(path.read_text()))


@cache
def _programs() -> frozenset[Path]:
    found = {path for folder in PROGRAMS for path in (ROOT / folder).rglob("*") if path.is_file()}
    found |= {path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".md"}
    return frozenset(found)


@cache
def _ours() -> frozenset[Path]:
    """What git has, or would take: nothing that was only built here. Empty outside a checkout."""
    listed = git(ROOT, "ls-files", "-co", "--exclude-standard")
    return frozenset(ROOT / name for name in listed.splitlines())


@cache
def _content(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()
