"""The page of flaky tests says what must be said, and no longer than it may."""

from __future__ import annotations

import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests import flaky

pytestmark = pytest.mark.live
"""It asks git."""


@pytest.mark.live
def test_each_flaky_test_is_named_with_a_mechanism_and_not_for_long():
    rows = flaky.named(flaky.PAGE.read_text())
    root = flaky.HERE.parent
    assert [row.name for row in rows if not Path(root, row.name.split("::")[0]).exists()] == []
    last = flaky.commit_day() - timedelta(days=flaky.DAYS)
    assert [row.name for row in rows if row.since < last] == [], "fix it, or take the test out"
    assert flaky.unnamed(rows) == [], "it failed once and passed alone: say in tests/flaky.md why"


def test_a_row_that_cannot_be_read_is_said():
    head = "| test | mechanism | since |\n| --- | --- | --- |\n"
    assert flaky.named(head + "| `a.py::b` | a port | 2026-01-02 |") == [
        flaky.Named("a.py::b", "a port", date(2026, 1, 2))
    ]
    with pytest.raises(ValueError, match=r"a\.py"):
        flaky.named(head + "| a.py::b | a port | 2026-01-02 |")


def test_what_was_flaky_is_named_by_the_next_commit_and_may_go_later(tmp_path):
    page = tmp_path / "flaky.md"

    def commit(text):
        page.write_text(text)
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        for words in (("add", "flaky.md"), (*who, "commit", "-qm", "x", "--allow-empty")):
            subprocess.run(["git", "-C", tmp_path, *words], check=True)

    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    commit("none")
    flaky.remember(["a.py::b[c d]"], tmp_path)
    assert flaky.unnamed([], tmp_path) == [], "the next commit names it"
    commit("still none")
    assert flaky.unnamed([], tmp_path) == ["a.py::b[c d]"]
    row = flaky.Named("a.py::b[c d]", "a port", date(2026, 1, 2))
    assert flaky.unnamed([row], tmp_path) == []
    commit("| `a.py::b[c d]` |")
    commit("repaired")
    assert flaky.unnamed([], tmp_path) == []
