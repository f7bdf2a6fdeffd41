"""The one calibration file of a table: camera model, board, looks, grade, how it was made, residuals. JSON, versioned.

Reads and writes it, and says in one line what is wrong with a file that cannot be used. Must not know how any of it
is measured.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast, get_args

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.soundness import unsound_board, unsound_model
from controller.events.doors import CALIBRATION, json_value, text_of
from controller.events.errors import ConfigError, UnreadableError
from controller.events.words import Grade
from controller.vision.looks import ANY_TONES, Look, Looks, Pixels
from controller.vision.naming_head import FEATURES, NAMES, Head
from controller.vision.pictures import picture_in

VERSION = 1
KIND = "carrom calibration"
PIECES_MM = (2.0, 80.0)
"""Thinnest and widest of coins and strikers, with room for any house's own."""

_LOOK = ("mean", "spread", "signed", "either")


@dataclass(frozen=True, eq=False)
class Calibration:
    """What a table's eyes need to know. `made` and `residuals` are words and numbers for people."""

    model: CameraModel
    board: Board
    looks: Looks
    grade: Grade = "basic"
    made: Mapping[str, Any] = field(default_factory=dict)
    residuals: Mapping[str, float] = field(default_factory=dict)


def save(path: str | Path, calibration: Calibration) -> None:
    """Writes the file. Raises ConfigError where it cannot be written."""
    looks = calibration.looks
    content = {
        "kind": KIND,
        "version": VERSION,
        "grade": calibration.grade,
        "camera": _camera_out(calibration.model),
        "board": asdict(calibration.board),
        "looks": {
            "coin_diameter_mm": looks.coin_diameter_mm,
            "coin_thickness_mm": looks.coin_thickness_mm,
            "striker_diameter_mm": looks.striker_diameter_mm,
            "striker_thickness_mm": looks.striker_thickness_mm,
            "known": looks.known,
            "sizes_known": looks.sizes_known,
            "thickness_known": looks.thickness_known,
            "sharp_edges": looks.sharp_edges,
            "tones": {name: asdict(look) for name, look in looks.tones.items()},
            "empty_camera": None if looks.empty_model is None else _camera_out(looks.empty_model),
            "empty": None if looks.empty is None else _picture_out(looks.empty),
            **({} if looks.head is None else {"head": _head_out(looks.head)}),
        },
        "made": dict(calibration.made),
        "residuals": dict(calibration.residuals),
    }
    try:
        Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}). Mend: choose another --out") from error


def load(path: str | Path) -> Calibration:
    """Reads the file. Raises ConfigError with file, key and remedy for one that cannot be used."""
    again = "Mend: make it anew with `carrom calibrate`"
    try:
        content = json_value(text_of(path, CALIBRATION), CALIBRATION)
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. {again}") from error
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise ConfigError(f'{path}: is not a calibration file (key "kind" is not "{KIND}"). {again}')
    if content.get("version") != VERSION:
        raise ConfigError(f'{path}: key "version" is {content.get("version")!r}, this program reads {VERSION}. {again}')
    try:
        sizes = content["board"]
        if not isinstance(sizes, dict):
            raise ValueError("board is no object")
        board = Board(**{f.name: _measure(sizes[f.name]) for f in fields(Board) if f.name in sizes})
        said = content["looks"]
        looks = Looks(
            coin_diameter_mm=float(said["coin_diameter_mm"]),
            coin_thickness_mm=float(said["coin_thickness_mm"]),
            striker_diameter_mm=float(said["striker_diameter_mm"]),
            striker_thickness_mm=float(said["striker_thickness_mm"]),
            tones={name: _look_in(look) for name, look in said["tones"].items()},
            known=bool(said["known"]),
            sizes_known=bool(said["sizes_known"]),
            # Files from before these were written down say nothing of them.
            thickness_known=bool(said.get("thickness_known", False)),
            sharp_edges=bool(said.get("sharp_edges", False)),
            empty=None if said["empty"] is None else _picture_in(said["empty"]),
            empty_model=None if said["empty_camera"] is None else _camera_in(said["empty_camera"]),
            head=None if said.get("head") is None else _head_in(said["head"]),
        )
        grade = content["grade"]
        if grade not in get_args(Grade):
            raise ValueError(f"grade {grade!r}")
        model = _camera_in(content["camera"])
        doubt = unsound_board(board) or unsound_model(model, board) or _unsound_looks(looks, board)
        if doubt:
            raise ValueError(doubt)
        made, residuals = dict(content["made"]), {name: float(v) for name, v in dict(content["residuals"]).items()}
        return Calibration(model, board, looks, cast(Grade, grade), made, residuals)
    except KeyError as error:
        raise ConfigError(f"{path}: key {error} is missing. {again}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: a value in it cannot be used ({error}). {again}") from error


def _unsound_looks(looks: Looks, board: Board) -> str:
    """Returns what no pieces look like, "" where nothing speaks against it."""
    sizes = ("coin_diameter_mm", "coin_thickness_mm", "striker_diameter_mm", "striker_thickness_mm")
    for name in sizes:
        if not PIECES_MM[0] <= getattr(looks, name) <= PIECES_MM[1]:
            return f"looks.{name} is {getattr(looks, name):g} mm"
    for name, look in looks.tones.items():
        if name not in ANY_TONES or len(look.mean) != 3 or len(look.spread) != 3 or min(look.spread) <= 0:
            return f"looks.tones.{name} is of no piece, or not three tones with three spreads"
    if looks.empty_model is not None and (doubt := unsound_model(looks.empty_model, board)):
        return f"looks.empty_camera: {doubt}"
    return ""


def _look_in(said: Mapping[str, Any]) -> Look:
    parts: dict[str, Any] = {key: tuple(float(v) for v in said[key]) for key in _LOOK}
    return Look(**parts)


def _measure(said: Any) -> Any:
    return tuple(float(v) for v in said) if isinstance(said, list) else float(said)


def _camera_out(model: CameraModel) -> dict[str, Any]:
    return {
        "K": model.K.tolist(),
        "dist": model.dist.tolist(),
        "R_board_to_camera": model.R.tolist(),
        "t_mm": model.t.tolist(),
        "size": list(model.size),
        **({} if model.eye is None else {"eye_mm": model.eye.tolist()}),
    }


def _camera_in(said: Mapping[str, Any]) -> CameraModel:
    arrays = {key: np.array(said[key], dtype=np.float64) for key in ("K", "dist", "R_board_to_camera", "t_mm")}
    shapes = {"K": (3, 3), "dist": (5,), "R_board_to_camera": (3, 3), "t_mm": (3,), "eye_mm": (3,)}
    if "eye_mm" in said:
        arrays["eye_mm"] = np.array(said["eye_mm"], dtype=np.float64)
    for key in arrays:
        shape = shapes[key]
        if arrays[key].shape != shape or not np.isfinite(arrays[key]).all():
            raise ValueError(f"camera.{key} is not {'×'.join(map(str, shape))} numbers")
    w, h = (int(v) for v in said["size"])
    eye = arrays.get("eye_mm")
    return CameraModel(arrays["K"], arrays["dist"], arrays["R_board_to_camera"], arrays["t_mm"], (w, h), eye)


def _head_out(head: Head) -> dict[str, Any]:
    return {
        "nets": head.nets,
        "mean": head.mean.tolist(),
        "scale": head.scale.tolist(),
        "weights": head.weights.tolist(),
        "trust": head.trust,
        "taught": [name for name, there in zip(NAMES, head.taught, strict=True) if there],
    }


def _head_in(said: Mapping[str, Any]) -> Head:
    arrays = {key: np.array(said[key], dtype=np.float64) for key in ("mean", "scale", "weights")}
    shapes = {"mean": (FEATURES,), "scale": (FEATURES,), "weights": (FEATURES + 1, len(NAMES))}
    for key, array in arrays.items():
        if array.shape != shapes[key] or not np.isfinite(array).all():
            raise ValueError(f"looks.head.{key} is not {'×'.join(map(str, shapes[key]))} numbers")
    trust, taught = float(said["trust"]), list(said["taught"])
    if not 0.0 <= trust < float("inf") or not (arrays["scale"] > 0).all() or not set(taught) <= set(NAMES):
        raise ValueError("looks.head was fitted to no pieces")
    there = np.array([name in taught for name in NAMES])
    return Head(str(said["nets"]), arrays["mean"], arrays["scale"], arrays["weights"], trust, there)


def _picture_out(picture: Pixels) -> str:
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 93])
    return base64.b64encode(packed.tobytes()).decode("ascii")


def _picture_in(said: str) -> Pixels:
    return picture_in(base64.b64decode(said))
