"""What the nets' runtime leaves behind, and whom it tells: nothing and nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

ASKED = """
import numpy as np
from controller.vision.finding import nets, views
nets.what(np.zeros((1, 12, views.PATCH, views.PATCH), dtype=np.float32))
"""


def test_the_runtime_gives_the_computer_no_number_and_tells_nobody(tmp_path: Path) -> None:
    # A clean environment: the runtime is silent by itself where it takes itself for tested.
    clean = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", ASKED], check=True, env=clean, timeout=300)
    assert [str(file) for file in tmp_path.rglob("*")] == []
