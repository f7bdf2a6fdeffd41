"""The one calibration file of a table: camera model, board, looks, grade, how it was made, residuals. JSON, versioned.

Reads and writes it, and says in one line what is wrong with a file that cannot be used. Must not know how any of it
is measured.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast, get_args

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel
from calibration.measures import board_of, differences
from calibration.soundness import unsound_board, unsound_model
from calibration.target import Lens
from controller.events.doors import CALIBRATION, LONGEST_REASON, json_value, text_of
from controller.events.errors import ConfigError, UnreadableError
from controller.events.reading import number
from controller.events.words import Grade
from controller.vision.looks import ANY_TONES, Look, Looks, Pixels
from controller.vision.naming_head import FEATURES, NAMES, Head
from controller.vision.pictures import picture_in

VERSION = 1
KIND = "carrom calibration"
PIECES_MM = (2.0, 80.0)
"""Thinnest and widest of coins and strikers, with room for any house's own."""

MOST_ERROR_MM = 10.0

GOES_ON_S = 120.0
"""A calibration that has reported nothing for so long was given up: its longest step takes 30 s on a busy Pi."""

_LOOK = ("mean", "spread", "signed", "either")


@dataclass(frozen=True, eq=False)
class Calibration:
    """What a table's vision needs to know. `made` and `residuals` are words and numbers for people.

    `measured`: what of the board was measured, by its public name, and stands in `board`; `measured_u95`: its errors.
    `lens`: what pictures of the target gave of it, None where there were none: with it the camera may be hung anew.
    """

    model: CameraModel
    board: Board
    looks: Looks
    grade: Grade = "basic"
    made: Mapping[str, Any] = field(default_factory=dict)
    residuals: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)
    measured_u95: Mapping[str, Any] = field(default_factory=dict)
    lens: Lens | None = None


def before(path: Path) -> Path:
    """Where the calibration that was in force before is kept."""
    return path.with_name(path.name + ".before")


def put_in_force(path: Path, calibration: Calibration) -> None:
    """Writes the file and keeps the one it replaces as `before`; whenever the power goes, `path` is a whole one.

    Raises ConfigError where it cannot be written.
    """
    try:
        if path.is_file():
            _whole(before(path), path.read_bytes())
    except OSError as error:
        raise _unwritable(path, error) from error
    save(path, calibration)


def put_back(path: Path) -> None:
    """Exchanges the file for the one `before`. Raises ConfigError where there is none, or it cannot be written."""
    try:
        now, earlier = path.read_bytes(), before(path).read_bytes()
        _whole(path, earlier)
        _whole(before(path), now)
    except OSError as error:
        raise _unwritable(path, error) from error


def told_making(path: Path, says: str) -> None:
    """Notifies a vision process that waits for this file. What cannot be sent is not missed."""
    with contextlib.suppress(OSError):
        _making(path).write_text(says, encoding="utf-8")


def being_made(path: Path) -> str | None:
    """How far the making of a calibration has got; None where nobody is at it, or has not gone on for long."""
    try:
        if time.time() - _making(path).stat().st_mtime > GOES_ON_S:
            return None
        return _making(path).read_text(encoding="utf-8", errors="replace")[:LONGEST_REASON]
    except OSError:
        return None


def _making(path: Path) -> Path:
    return path.with_name(path.name + ".making")


def _whole(path: Path, content: bytes) -> None:
    """Writes a file so that under its name there is the old one or the new one, never a part."""
    path = path.resolve()
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"{path}: cannot be written ({error.strerror}). Fix: choose another --out, or [camera] calibration"
    )


def save(path: str | Path, calibration: Calibration) -> None:
    """Writes the file, all of it or nothing. Raises ConfigError where it cannot be written."""
    looks = calibration.looks
    content = {
        "kind": KIND,
        "version": VERSION,
        "grade": calibration.grade,
        "camera": _camera_out(calibration.model),
        **({} if calibration.lens is None else {"lens": _lens_out(calibration.lens)}),
        "board": asdict(calibration.board),
        "measured": dict(calibration.measured),
        "measured_u95": dict(calibration.measured_u95),
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
        _whole(Path(path), (json.dumps(content, indent=1) + "\n").encode())
        _making(Path(path)).unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(Path(path), error) from error


def load(path: str | Path) -> Calibration:
    """Reads the file. Raises ConfigError with file, key and remedy for one that cannot be used."""
    again = "Fix: make it anew with `carrom calibrate`"
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
            coin_diameter_mm=_number(said["coin_diameter_mm"]),
            coin_thickness_mm=_number(said["coin_thickness_mm"]),
            striker_diameter_mm=_number(said["striker_diameter_mm"]),
            striker_thickness_mm=_number(said["striker_thickness_mm"]),
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
        made, residuals = dict(content["made"]), {name: _number(v) for name, v in dict(content["residuals"]).items()}
        measured, errors = (dict(content.get(key, {})) for key in ("measured", "measured_u95"))
        if measured.keys() != errors.keys():
            raise ValueError("measured and measured_u95 are not of the same measures")
        if differences(board_of(measured, board), board) or not all(map(_is_error, errors.values())):
            raise ValueError("measured is not what stands in board, or its errors are none")
        lens = None if content.get("lens") is None else _lens_in(content["lens"])
        if lens is not None and lens.size != model.size:
            raise ValueError("lens.size is not camera.size")
        return Calibration(model, board, looks, cast(Grade, grade), made, residuals, measured, errors, lens)
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


def _number(said: Any) -> float:
    # float() and NumPy read the texts "NaN" and "1e999", too.
    return number(said, "a number")


def _numbers(said: Any) -> NDArray[np.float64]:
    found = np.array(said)
    if found.dtype.kind not in "iuf":
        raise ValueError("a list of numbers holds something else")
    return found.astype(np.float64)


def _look_in(said: Mapping[str, Any]) -> Look:
    parts: dict[str, Any] = {key: tuple(_number(v) for v in said[key]) for key in _LOOK}
    return Look(**parts)


def _measure(said: Any) -> Any:
    return tuple(_number(v) for v in said) if isinstance(said, list) else _number(said)


def _is_error(said: Any) -> bool:
    return all(0.0 <= _number(v) < MOST_ERROR_MM for v in (said if isinstance(said, list) else [said]))


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
    arrays = {key: _numbers(said[key]) for key in ("K", "dist", "R_board_to_camera", "t_mm")}
    shapes = {"K": (3, 3), "dist": (5,), "R_board_to_camera": (3, 3), "t_mm": (3,), "eye_mm": (3,)}
    if "eye_mm" in said:
        arrays["eye_mm"] = _numbers(said["eye_mm"])
    for key in arrays:
        shape = shapes[key]
        if arrays[key].shape != shape or not np.isfinite(arrays[key]).all():
            raise ValueError(f"camera.{key} is not {'×'.join(map(str, shape))} numbers")
    w, h = (int(_number(v)) for v in said["size"])
    eye = arrays.get("eye_mm")
    return CameraModel(arrays["K"], arrays["dist"], arrays["R_board_to_camera"], arrays["t_mm"], (w, h), eye)


def _lens_out(lens: Lens) -> dict[str, Any]:
    arrays = {"K": lens.K.tolist(), "dist": lens.dist.tolist(), "covariance": lens.covariance.tolist()}
    return {**arrays, "size": list(lens.size), "rms_px": lens.rms_px, "pictures": lens.pictures}


def _lens_in(said: Mapping[str, Any]) -> Lens:
    shapes = {"K": (3, 3), "dist": (5,), "covariance": (7, 7)}
    arrays = {key: _numbers(said[key]) for key in shapes}
    for key, shape in shapes.items():
        if arrays[key].shape != shape or not np.isfinite(arrays[key]).all():
            raise ValueError(f"lens.{key} is not {'×'.join(map(str, shape))} numbers")
    w, h = (int(_number(v)) for v in said["size"])
    rms, pictures = _number(said["rms_px"]), int(_number(said["pictures"]))
    if arrays["K"][0, 0] <= 0 or not (np.diag(arrays["covariance"]) >= 0).all() or not rms >= 0:
        raise ValueError("lens was fitted to no pictures")
    return Lens(arrays["K"], arrays["dist"], (w, h), rms, pictures, arrays["covariance"])


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
    arrays = {key: _numbers(said[key]) for key in ("mean", "scale", "weights")}
    shapes = {"mean": (FEATURES,), "scale": (FEATURES,), "weights": (FEATURES + 1, len(NAMES))}
    for key, array in arrays.items():
        if array.shape != shapes[key] or not np.isfinite(array).all():
            raise ValueError(f"looks.head.{key} is not {'×'.join(map(str, shapes[key]))} numbers")
    trust, taught = _number(said["trust"]), list(said["taught"])
    if not 0.0 <= trust < float("inf") or not (arrays["scale"] > 0).all() or not set(taught) <= set(NAMES):
        raise ValueError("looks.head was fitted to no pieces")
    there = np.array([name in taught for name in NAMES])
    return Head(str(said["nets"]), arrays["mean"], arrays["scale"], arrays["weights"], trust, there)


def _picture_out(picture: Pixels) -> str:
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 93])
    return base64.b64encode(packed.tobytes()).decode("ascii")


def _picture_in(said: str) -> Pixels:
    return picture_in(base64.b64decode(said))
