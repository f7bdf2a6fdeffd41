"""`carrom check` over a quiet table."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("state", "run", "pictures"):
        (tmp_path / name).mkdir()
    (tmp_path / "pin").write_text("4711")
    return tmp_path


def checked(folder: Path, capsys, **sections: str) -> tuple[int, str]:
    """Runs the check over a quiet table, with sections given as TOML; returns exit code and what was printed."""
    parts = {
        "table": f'state = "{folder / "state"}"\nruntime = "{folder / "run"}"',
        "camera": 'kind = "none"',
        "pockets": 'kind = "none"',
        "mqtt": "enabled = false",
        "web": f'pin_file = "{folder / "pin"}"',
    } | sections
    file = folder / "carrom.toml"
    file.write_text("".join(f"[{name}]\n{text}\n" for name, text in parts.items()))
    code = main(["check", "--config", str(file)])
    return code, capsys.readouterr().out
