"""The learnt nets, run by ONNX Runtime: where something may lie, and what lies there, how far off, how sure.

They were trained on drawn boards (`scripts/teach/`); no picture that is measured on was among them. Must not know
what becomes of the answers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32
from controller.vision.grid import Roi

if TYPE_CHECKING:
    import onnxruntime

CELL_PX = 4
"""Pixels of the small board to a cell of the first net's answer."""
MOST_PLACES = 48
LEAST_HEAT = -2.0
"""A logit. None of 888 pieces on the development looks was below −1.25; in a mirror image on lacquer −1.5 was seen."""
SEEN = 64
KINDS = ("none", "white", "black", "queen", "striker")


@dataclass(frozen=True, eq=False)
class Places:
    """Where something may lie: centres (N, 2) in mm, logits that it is a coin or a striker (N, 2), likeliest first."""

    xy: Floats
    heat: Floats32


@dataclass(frozen=True, eq=False)
class Answers:
    """What lies at N places: `odds` (N, 5) for `KINDS`, `step_px` (N, 2) from the patch's middle along and across,
    `sigma_px` (N,) one standard deviation of either, `seen` (N, SEEN) what the net's last layer goes by."""

    odds: Floats
    step_px: Floats
    sigma_px: Floats
    seen: Floats32


def where(flat: Flat, view: Floats32, roi: Roi | None = None) -> Places:
    """Asks the first net about a board as `board_view` shows it, or about its part `roi`."""
    top = left = 0
    if roi is not None:
        corners = ((flat.to_grid(np.array(((roi[0], roi[3]), (roi[2], roi[1])))) + 0.5) / 2.0) / CELL_PX
        (left, top), (right, bottom) = np.clip(corners.round().astype(int), 0, view.shape[2] // CELL_PX)
        if left == right or top == bottom:
            return Places(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.float32))
        view = np.ascontiguousarray(view[:, :, top * CELL_PX : bottom * CELL_PX, left * CELL_PX : right * CELL_PX])
    answer = _answer("where", view)[0]
    heat = answer[:2].max(0)
    rows, columns = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > LEAST_HEAT))
    best = np.argsort(-heat[rows, columns])[:MOST_PLACES]
    rows, columns = rows[best], columns[best]
    small = np.stack((left + columns + answer[2, rows, columns], top + rows + answer[3, rows, columns]), 1) * CELL_PX
    return Places(flat.to_mm((small + 0.5) * 2.0 - 0.5), answer[:2, rows, columns].T)


def what(patches: Floats32) -> Answers:
    """Asks the second net about patches as `patch_views` shows them."""
    if not len(patches):
        return Answers(np.zeros((0, 5)), np.zeros((0, 2)), np.zeros(0), np.zeros((0, SEEN), dtype=np.float32))
    said, seen = _answers("what", patches)
    answer = said.astype(np.float64)
    odds = np.exp(answer[:, :5] - answer[:, :5].max(1, keepdims=True))
    odds /= odds.sum(1, keepdims=True)
    return Answers(odds, answer[:, 5:7], np.exp(np.clip(answer[:, 7], -3.0, 2.5)), seen)


def verdicts(features: Floats32) -> Floats:
    """Asks the third net about N places, (N, FEATURES) as from `weighing.features`: odds (N, 5) for `KINDS`."""
    answer = _answer("weigh", features).astype(np.float64)
    odds = np.exp(answer - answer.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), dtype=np.float64)


@cache
def fingerprint() -> str:
    """Tells the nets that name pieces from others: what was learnt upon their answers holds for them alone."""
    return sha256(b"".join(_bytes(name) for name in ("what", "weigh", "detector"))).hexdigest()[:16]


def _bytes(name: str) -> bytes:
    return files(__package__).joinpath(f"{name}.onnx").read_bytes()


def _answer(name: str, asked: Floats32) -> Floats32:
    return _answers(name, asked)[0]


def _answers(name: str, asked: Floats32) -> list[Floats32]:
    answers: list[Floats32] = _net(name).run(None, {"x": np.ascontiguousarray(asked, dtype=np.float32)})
    return answers


def run(name: str, asked: Mapping[str, NDArray[Any]]) -> list[Floats32]:
    """Asks a net by its inputs' names."""
    answers: list[Floats32] = _net(name).run(None, asked)
    return answers


@cache
def _net(name: str) -> onnxruntime.InferenceSession:
    # Asked as it is imported: else it gives this computer a number, keeps it in the home, and reports to its makers.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One core, as all else in the eyes; and no arena, which would grow with every new size of picture.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    # Processors without VNNI (x86 before 2019, AMD before Zen 4) else add products of bytes in 16 bits, which overflow.
    options.add_session_config_entry("session.x64quantprecision", "1")
    # A Pi has no graphics card to run nets on; that is no warning.
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(_bytes(name), options, providers=["CPUExecutionProvider"])
