"""The cameras and sensors of `cameras.toml`, typed. Must not look at the machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from controller.commands.cameras.camera_modes import Mode
from controller.events.doors import SETTINGS, text_of, toml_table

FILE = Path(__file__).with_name("cameras.toml")

Shutter = Literal["global", "rolling"]


@dataclass(frozen=True, slots=True)
class Sensor:
    """A sensor: its pixels, the side of one in µm (0 where no lens is chosen for it), its modes and its shutter."""

    pixels_px: tuple[int, int]
    pixel_um: float
    shutter: Shutter
    modes: tuple[Mode, ...]
    source: str


@dataclass(frozen=True, slots=True)
class KnownCamera:
    """A camera: `field_deg`, both angles of view of the whole sensor, where the lens is built in; else `lens_mm`.

    `listed`: its modes are those of a sensor that is known; otherwise it has one, which stands for any.
    """

    name: str
    sensor: Sensor
    field_deg: tuple[float, float] | None
    lens_mm: float | None
    listed: bool
    source: str

    def half_tan(self, part_px: tuple[float, float], lens_mm: float | None = None) -> tuple[float, float]:
        """Returns the tangents of half the angles of view of a part of the sensor, of a lens without distortion."""
        if self.field_deg is not None:
            whole, pixels = [math.tan(math.radians(angle / 2.0)) for angle in self.field_deg], self.sensor.pixels_px
            return whole[0] * part_px[0] / pixels[0], whole[1] * part_px[1] / pixels[1]
        lens = lens_mm or self.lens_mm
        assert lens is not None
        w, h = (px * self.sensor.pixel_um / 1000.0 / 2.0 / lens for px in part_px)
        return w, h


@cache
def sensors() -> Mapping[str, Sensor]:
    """Returns the sensors that are known, by the name that libcamera gives them."""
    return {
        name: Sensor(
            _pair(values["pixels"]),
            float(values.get("pixel_um", 0.0)),
            values["shutter"],
            tuple(_mode(mode) for mode in values["modes"]),
            values["source"],
        )
        for name, values in _table()["sensor"].items()
    }


@cache
def cameras() -> Mapping[str, KnownCamera]:
    """Returns the cameras that are known, by id."""
    return {name: _camera(values) for name, values in _table()["camera"].items()}


def sensor_of(model: str) -> Sensor | None:
    """Returns the sensor of a camera as libcamera names it: `imx708_wide` has an `imx708`. None if it is not known."""
    return sensors().get(model.split("_")[0])


@cache
def _table() -> Mapping[str, Any]:
    return toml_table(text_of(FILE, SETTINGS))


def _camera(values: Mapping[str, Any]) -> KnownCamera:
    listed = "sensor" in values
    if listed:
        sensor = sensors()[values["sensor"]]
    else:
        size = _pair(values["size"])
        sensor = Sensor(size, 0.0, values["shutter"], (Mode(*size, float(values["fps"])),), values["source"])
    field = values.get("field_deg")
    return KnownCamera(
        values["name"],
        sensor,
        None if field is None else (float(field[0]), float(field[1])),
        values.get("lens_mm"),
        listed,
        f"{values['source']}; {sensor.source}" if listed else values["source"],
    )


def _mode(values: Mapping[str, Any]) -> Mode:
    x, y, width, height = values["crop"]
    return Mode(*_pair(values["size"]), float(values["fps"]), (x, y, width, height))


def _pair(values: list[int]) -> tuple[int, int]:
    return values[0], values[1]
