"""From light to a camera's JPEG: lens blur, vignette, exposure, sensor noise, mosaic, white balance, tone, sharpening.

Linear light in, 8 bit out. One `Camera` is drawn a table; its exposure and white balance hold for all of its pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

Rng = np.random.Generator
Light = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]

FULL_WELL = 8000.0
"""Electrons at white: what a small sensor's pixel holds, to an order."""


@dataclass(frozen=True, slots=True)
class Camera:
    """`gain` brings linear light to 1 at white; `balance` what white balance leaves of the lamp's colour (b, g, r)."""

    gain: float
    balance: tuple[float, float, float]
    blur_px: float
    vignette: float
    noise: float
    mosaic: bool
    contrast: float
    sharpen: float
    sharpen_px: float
    quality: int


def camera_for(bare: Light, rng: Rng) -> Camera:
    """A camera that has seen the empty board."""
    gain, balance = _exposure(bare, rng)
    return Camera(
        gain=gain,
        balance=balance,
        blur_px=float(rng.uniform(0.3, 1.1)),
        vignette=float(rng.uniform(0.0, 0.35)),
        noise=float(np.exp(rng.uniform(np.log(0.3), np.log(4.0)))),
        mosaic=bool(rng.random() < 0.8),
        contrast=float(rng.uniform(0.0, 0.5)),
        sharpen=float(rng.choice((0.0, rng.uniform(0.2, 1.8)))),
        sharpen_px=float(rng.uniform(0.6, 1.6)),
        quality=int(rng.integers(70, 96)),
    )


def on_another_day(camera: Camera, light: Light, rng: Rng) -> Camera:
    """The same camera where it has set itself to another light, and its focus has crept."""
    gain, balance = _exposure(light, rng)
    noise = camera.noise * float(np.exp(rng.normal(0, 0.3)))
    return replace(camera, gain=gain, balance=balance, noise=noise, blur_px=float(rng.uniform(0.3, 1.1)))


def _exposure(light: Light, rng: Rng) -> tuple[float, tuple[float, float, float]]:
    """Gain and white balance: it exposes for the middle tones, now and then too bright by far."""
    level = float(np.median(light)) + 1e-6
    target = float(rng.uniform(0.08, 0.36)) if rng.random() < 0.85 else float(rng.uniform(0.36, 0.6))
    grey = light.reshape(-1, 3).mean(0) + 1e-6
    corrected = (grey.mean() / grey) ** float(rng.uniform(0.0, 0.9)) * np.exp(rng.normal(0, 0.05, 3))
    return target / level, (float(corrected[0]), float(corrected[1]), float(corrected[2]))


def develop(light: Light, camera: Camera, rng: Rng) -> Picture:
    """A picture (h, w, 3) blue-green-red of linear light (h, w, 3)."""
    h, w = light.shape[:2]
    seen = cv2.GaussianBlur(light, (0, 0), camera.blur_px)
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    seen = seen * (1.0 - camera.vignette * np.float32(0.5) * (x * x + y * y)[:, :, None]).astype(np.float32)
    seen = seen * np.float32(camera.gain)
    # Noise of light and of reading, before white is cut off, as on the sensor.
    grain = rng.standard_normal(seen.shape, dtype=np.float32) * np.float32(camera.noise)
    seen = seen + grain * np.sqrt(np.clip(seen, 0, None) / FULL_WELL + (3.0 / FULL_WELL) ** 2)
    seen = np.clip(seen * np.array(camera.balance, dtype=np.float32), 0.0, 1.0).astype(np.float32)
    if camera.mosaic:
        seen = _through_a_mosaic(seen)
    tone = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * np.power(np.clip(seen, 1e-6, 1), 1 / 2.4) - 0.055)
    tone = tone + camera.contrast * (tone * tone * (3 - 2 * tone) - tone)
    if camera.sharpen:
        # Halos at edges, as every webcam's sharpening leaves them.
        tone = tone + camera.sharpen * (tone - cv2.GaussianBlur(tone, (0, 0), camera.sharpen_px))
    made = np.asarray(np.clip(tone * 255.0 + 0.5, 0, 255), dtype=np.uint8)
    _, data = cv2.imencode(".jpg", made, (cv2.IMWRITE_JPEG_QUALITY, camera.quality))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def _through_a_mosaic(seen: Light) -> Light:
    """One colour a pixel, and the others guessed from its neighbours."""
    raw = np.empty(seen.shape[:2], dtype=np.float32)
    raw[0::2, 0::2], raw[0::2, 1::2] = seen[0::2, 0::2, 0], seen[0::2, 1::2, 1]
    raw[1::2, 0::2], raw[1::2, 1::2] = seen[1::2, 0::2, 1], seen[1::2, 1::2, 2]
    whole = cv2.demosaicing((raw * 65535.0 + 0.5).astype(np.uint16), cv2.COLOR_BayerBGGR2BGR)
    return np.asarray(whole, dtype=np.float32) / np.float32(65535.0)
