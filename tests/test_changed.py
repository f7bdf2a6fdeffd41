"""A long test has to run again when what it reads, itself or through others, is another; and only then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import changed

pytestmark = pytest.mark.live
STREAMS = "tests/rules/test_properties.py"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of its own, on which every module has passed."""
    path = tmp_path / "long.json"
    monkeypatch.setattr(changed, "PAGE", path)
    changed.note(changed.long_modules())
    return path


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch):
    """Gives a file other bytes, which are not written."""
    really = changed._content

    def edited(name: str) -> None:
        other = changed.ROOT / name
        assert other.exists()
        monkeypatch.setattr(changed, "_content", lambda path: b"other" if path == other else really(path))

    return edited


@pytest.mark.parametrize(
    "name",
    [
        STREAMS,
        "controller/rules/turns.py",
        "controller/events/reading.py",
        "controller/rules/books/club.toml",
        "requirements-dev.lock",
    ],
)
def test_what_reads_an_edited_file_runs_again(page, edit, name) -> None:
    assert changed.changed([STREAMS]) == []
    edit(name)
    assert changed.changed([STREAMS]) == [STREAMS]


@pytest.mark.parametrize("name", ["controller/vision/following/tracker.py", "docs/rules.md", "tests/painted.py"])
def test_what_does_not_stays(page, edit, name) -> None:
    edit(name)
    assert changed.changed([STREAMS]) == []


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("tests/painted.py", "tests/vision/finding/test_told_board.py"),
        ("docs/photographs.md", "tests/commands/test_documented_commands.py"),
    ],
)
def test_what_stands_in_for_code_and_what_a_page_prints_are_read_too(page, edit, name, module) -> None:
    assert module in changed.long_modules()
    edit(name)
    assert module in changed.changed([module])


def test_fixtures_of_a_package_are_read_by_its_tests(page, edit) -> None:
    edit("tests/vision/finding/conftest.py")
    assert "tests/vision/finding/test_told_board.py" in changed.changed(changed.long_modules())


def test_the_page_forgets_modules_without_long_tests(page) -> None:
    page.write_text(json.dumps(changed.passed() | {"tests/gone/test_gone.py": "0"}))
    changed.note([STREAMS])
    assert sorted(json.loads(page.read_text())) == changed.long_modules()


def test_what_did_not_pass_is_not_noted(page) -> None:
    page.write_text("{}")
    changed.note([])
    assert changed.changed([STREAMS]) == [STREAMS]
