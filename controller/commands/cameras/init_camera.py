"""What `carrom init` writes of a camera: the mode of the best grade among those that the camera says it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from controller.commands.cameras.asked_cameras import csi_list, listed, v4l2_modes
from controller.commands.cameras.camera_grade import best_mode, rate_of, reached
from controller.commands.cameras.camera_modes import Mode
from controller.commands.cameras.known_cameras import Shutter, sensor_of
from controller.config import CameraSection
from controller.events.errors import DeviceError

BY_HAND = 'camera.fps and, where its sheet says global shutter, camera.shutter = "global"'


@dataclass(frozen=True, slots=True)
class CameraKeys:
    """Keys of `[camera]` with their values, and one line that says what grade they reach or what to set by hand."""

    values: Mapping[str, Any]
    says: str


def camera_keys(
    camera: CameraSection,
    half_mm: float,
    ask_csi: Callable[[], str] = csi_list,
    ask_v4l2: Callable[[str], Sequence[Mode]] = v4l2_modes,
) -> CameraKeys:
    """Asks the camera for its modes and returns what to write; nothing where it does not tell.

    `half_mm`: half the side of the board that it must see. `ask_csi`, `ask_v4l2`: libcamera's list, and a device's
    modes.
    """
    if camera.kind == "mjpeg":
        return CameraKeys({}, f"a network camera does not tell its modes. Fix: set {BY_HAND}")
    if camera.kind not in ("csi", "v4l2"):
        return CameraKeys({}, "")
    try:
        if camera.kind == "csi":
            name, modes, shutter = _csi(camera.device, ask_csi())
        else:
            name, modes, shutter = camera.device, ask_v4l2(camera.device), None
        taken = {mode: values for mode in modes if (values := _values(camera, mode))}
        if not taken:
            raise DeviceError(f"{name} names no mode")
    except DeviceError as error:
        return CameraKeys({}, f"the camera told no modes ({error}). Fix: set camera.width, camera.height, {BY_HAND}")
    # Rolling is what harms least where the camera does not tell.
    mode = best_mode(list(taken), shutter or "rolling", half_mm)
    return CameraKeys(
        taken[mode] | ({"shutter": shutter} if shutter else {}),
        "; ".join(_says(name, mode, taken[mode]["fps"], shutter, half_mm)),
    )


def _csi(device: str, text: str) -> tuple[str, Sequence[Mode], Shutter | None]:
    """Model, modes and shutter of the camera of that number, the first one where the device is none."""
    number = device if device.isdecimal() else "0"
    for one in listed(text):
        if one.number == number:
            sensor = sensor_of(one.model)
            return one.model, one.modes, sensor.shutter if sensor else None
    raise DeviceError(f"rpicam-hello lists no camera {number}")


def _values(camera: CameraSection, mode: Mode) -> dict[str, Any]:
    """Size and rate as the configuration takes them; empty where it does not."""
    # A sensor gives any rate up to its mode's, a USB camera those that it names.
    fps = rate_of(mode) if mode.crop_px else mode.fps
    values = {"width": mode.width_px, "height": mode.height_px, "fps": fps}
    try:
        CameraSection.model_validate({"kind": camera.kind, **values})
    except ValidationError:
        return {}
    return values


def _says(name: str, mode: Mode, fps: float, shutter: Shutter | None, half_mm: float) -> Iterator[str]:
    grade = reached(mode, shutter or "rolling", half_mm)
    size = f"{mode.width_px} x {mode.height_px}"
    yield f"{name}, {size}, {fps:g} a second: grade {grade} where it hangs no higher than it must (carrom camera)"
    if shutter is None:
        better = reached(mode, "global", half_mm)
        gain = f": grade {better}" if better != grade else ""
        yield f'it does not tell its shutter: set camera.shutter = "global" where its sheet says so{gain}'
