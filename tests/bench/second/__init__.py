"""A second simulator for the benches, by other people's software: MuJoCo moves the discs and draws the pictures.

It shares nothing with `controller/simulator` and nothing with what sees: only the board's millimetres
(`calibration/board.py`) and the formats of recordings. What it draws by seed is said in `tables` and `plans`.
"""

import os

# MuJoCo reads it when it is first imported.
os.environ.setdefault("MUJOCO_GL", "egl")
