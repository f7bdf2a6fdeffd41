"""Which pictures a folder holds and an option names, with the names that people and their computers give."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.vision.pictures import pictures_named
from controller.vision.sources.recorded import FolderSource
from tests.vision.sources.streams import child_files
from tests.vision.sources.test_contract import all_of

APPLE_DOUBLE = bytes.fromhex("0005160700020000") + b"Mac OS X        " + bytes(4000)


def test_hidden_files_beside_pictures_are_passed_over(tmp_path: Path) -> None:
    """A Mac puts one beside each picture that it copies to a stick."""
    for path in child_files(tmp_path, 3):
        (tmp_path / f"._{path.name}").write_bytes(APPLE_DOUBLE)
    (tmp_path / ".trashed.jpg").write_bytes(b"")
    source = FolderSource(tmp_path)
    source.open()
    assert len(all_of(source)) == 3
    for said in (str(tmp_path), f"{tmp_path}/*.jpg", f"{tmp_path}/*"):
        assert [path.name for path in pictures_named(said)] == ["000.jpg", "001.jpg", "002.jpg"]


@pytest.mark.parametrize("folder", ["Hall [2]", "[a]", "what?*[!x]"])
def test_what_is_there_as_it_is_written_is_meant(folder: str, tmp_path: Path) -> None:
    for name in (folder, "Hall 2", "a"):
        (tmp_path / name).mkdir(exist_ok=True)
        for file in ("lens1.jpg", "lens2.jpg", "lens[1].jpg", "lens[1]a.jpg"):
            (tmp_path / name / file).touch()
    at = tmp_path / folder
    names = ["lens1.jpg", "lens2.jpg", "lens[1].jpg", "lens[1]a.jpg"]
    assert pictures_named(f"{at}/lens*.jpg") == pictures_named(str(at)) == [at / name for name in names]
    assert pictures_named(f"{at}/lens[1].jpg") == [at / "lens[1].jpg"]
    assert pictures_named(f"{at}/lens[1]?.jpg") == [at / "lens[1]a.jpg"]


def test_brackets_are_a_choice_where_no_name_has_them(tmp_path: Path) -> None:
    for name in ("a1.jpg", "a2.jpg", "b1.jpg"):
        (tmp_path / name).touch()
    assert [path.name for path in pictures_named(f"{tmp_path}/a[12].jpg")] == ["a1.jpg", "a2.jpg"]
    assert [path.name for path in pictures_named(f"{tmp_path}/[ab]1.jpg")] == ["a1.jpg", "b1.jpg"]
    assert pictures_named(f"{tmp_path}/c*.jpg") == pictures_named("x" * 5000) == pictures_named("\0") == []
