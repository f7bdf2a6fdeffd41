"""The LED display's configuration as ESPHome itself reads it; ESPHOME names the program (`make test-compat`)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "firmware" / "table_display"
ESPHOME = os.environ.get("ESPHOME", "")
pytestmark = [pytest.mark.soak, pytest.mark.skipif(not ESPHOME, reason="make test-compat brings ESPHome")]


def test_esphome_takes_the_displays_configuration(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "table_display.yaml", tmp_path)
    shutil.copy(FOLDER / "secrets.example.yaml", tmp_path / "secrets.yaml")
    command = [ESPHOME, "config", "table_display.yaml"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert said.returncode == 0, said.stdout[-2000:] + said.stderr[-2000:]
