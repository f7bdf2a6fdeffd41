"""Tests that failed once and passed alone: what the runner saw, and what `flaky.md` says of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "flaky.md"
DAYS = 14
"""So long may a test stay on the page: then its mechanism is repaired, or the test goes."""

_ROW = re.compile(r"\| `(?P<name>[^`]+)` \| (?P<mechanism>[^|]+) \| (?P<since>\d{4}-\d\d-\d\d) \|")


@dataclass(frozen=True)
class Named:
    """A row of the page."""

    name: str
    mechanism: str
    since: date


def named(page: str) -> list[Named]:
    """Returns the page's rows. Raises ValueError for one that cannot be read."""
    rows = [line for line in page.splitlines() if line.startswith("|")][2:]
    found = []
    for row in rows:
        match = _ROW.fullmatch(row.strip())
        if match is None:
            raise ValueError(f"flaky.md: {row!r} is not | `test` | mechanism | YYYY-MM-DD |")
        found.append(Named(match["name"], match["mechanism"].strip(), date.fromisoformat(match["since"])))
    return found


def remember(names: Iterable[str], folder: Path = HERE) -> None:
    """Notes in the checkout, outside the tree, which tests were flaky at which commit."""
    if (file := _seen_file(folder)) is not None:
        with file.open("a") as seen:
            seen.writelines(f"{git(folder, 'rev-parse', 'HEAD')} {name}\n" for name in names)


def unnamed(rows: Iterable[Named], folder: Path = HERE) -> list[str]:
    """Returns the tests that were flaky at an earlier commit, and that the page neither names nor has named since."""
    file, known = _seen_file(folder), {row.name for row in rows}
    if file is None or not file.exists():
        return []
    missing, here = [], git(folder, "rev-parse", "HEAD")
    for line in file.read_text().splitlines():
        commit, name = line.split(" ", 1)
        if not git(folder, "rev-parse", "-q", "--verify", f"{commit}^{{commit}}"):
            continue  # rebased away
        since = git(folder, "log", "--format=%h", f"-S{name}", f"{commit}..HEAD", "--", PAGE.name)
        if commit != here and name not in known and not since:
            missing.append(name)
    return missing


def commit_day() -> date:
    """The day of the commit under test: what is too old hangs on the commit, not on when it is tried."""
    return date.fromisoformat(git(HERE, "log", "-1", "--format=%cs") or str(date.today()))


def _seen_file(folder: Path) -> Path | None:
    place = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return Path(place, "flaky-tests") if place else None


def git(folder: Path, *arguments: str) -> str:
    """What git says; nothing outside a checkout."""
    try:
        said = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""
