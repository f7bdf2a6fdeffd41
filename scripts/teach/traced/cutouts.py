"""`python -m scripts.teach.traced.cutouts OUT FIRST COUNT` path-traces hands alone, from above, to be laid over boards.

A table takes minutes to trace and has a hand in every third picture; a hand alone takes seconds. A cutout is what a
hand covers, how bright its skin is there against white, and the shadow that it throws. Needs Mitsuba.
"""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import cv2
import mitsuba
import numpy as np
import numpy.typing as npt

from scripts.teach.boards import write_looks
from scripts.teach.traced.hands import Flesh, hand
from scripts.teach.traced.scene import UNIT_MM, Dict, flesh_mesh

Rng = np.random.Generator
Image = npt.NDArray[np.float32]

WIDE_PX, HIGH_PX, PER_MM = 720, 480, 1.5
"""A cutout's size and scale: from the finger tips to the elbow."""
MIDDLE_MM = 90.0
"""So far behind the palm lies the cutout's middle."""
ABOVE_MM = 1100.0
SAMPLES = 32
FLOOR = 0.5
SHADOW_PX = 9
"""How far a shadow is continued below what covers it."""


def cutout(seed: int) -> dict[str, Any]:
    """One hand in one light.

    `covers` (HIGH, WIDE) uint8: the hand's share of each pixel; `skin` (HIGH, WIDE, 3) uint8 blue-green-red: the square
    root of its light against a white board's; `shadow` (HIGH, WIDE, 3) uint8: the light left on the board, of 255.
    The arm comes from the right.
    """
    rng = np.random.default_rng(seed)
    skin, sleeve = hand(rng)
    tone = np.array((0.66, 0.46, 0.36)) ** float(rng.uniform(0.8, 3.2))
    bodies = [
        replace(skin, shade=np.clip(skin.shade * tone, 0.0, 0.9)),
        replace(sleeve, shade=sleeve.shade * rng.uniform(0.02, 0.75, 3)),
    ]
    rough = float(rng.uniform(0.3, 0.7))
    lamps, eye = _lamps(rng), rng.normal(0, 120, 2)
    seen, bare = (_scene(part, rough, lamps, eye, seed, floor=True) for part in (bodies, []))
    alpha = np.clip(_scene(bodies, rough, lamps, eye, seed, floor=False)[..., 3], 0, 1).astype(np.float32)
    light = (seen[..., 2::-1] / np.maximum(bare[..., 2::-1], 1e-4)).astype(np.float32)
    shadow = _continued(np.clip(light, 0, 1), alpha)
    own = FLOOR * (light - shadow * (1.0 - alpha[..., None])) / np.maximum(alpha, 0.2)[..., None]
    own = cv2.bilateralFilter(np.clip(own, 0, 1).astype(np.float32), 5, 0.06, 1.5)
    return {
        "covers": _bytes(alpha),
        "skin": _bytes(np.sqrt(own * (alpha > 0.02)[..., None])),
        "shadow": _bytes(cv2.GaussianBlur(shadow, (0, 0), 1.2)),
    }


def _scene(
    bodies: list[Flesh], rough: float, lamps: Dict, eye: npt.NDArray[np.float64], seed: int, *, floor: bool
) -> Any:
    at, aim = np.array((MIDDLE_MM + eye[0], eye[1], ABOVE_MM)), np.array((MIDDLE_MM, 0.0, 0.0))
    skin = {
        "type": "principled",
        "base_color": {"type": "mesh_attribute", "name": "vertex_color"},
        "roughness": rough,
        "specular": 0.4,
    }
    described: Dict = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 4 if floor else 2, "hide_emitters": True},
        "camera": {
            "type": "perspective",
            "fov": float(np.degrees(2 * np.arctan(WIDE_PX / PER_MM / 2 / ABOVE_MM))),
            "to_world": mitsuba.ScalarTransform4f().look_at(list(at / UNIT_MM), list(aim / UNIT_MM), [0.0, 1.0, 0.0]),
            "film": {
                "type": "hdrfilm",
                "width": WIDE_PX,
                "height": HIGH_PX,
                "rfilter": {"type": "box"},
                "pixel_format": "rgba",
            },
            "sampler": {"type": "independent"},
        },
        **lamps,
        **{f"body{k}": flesh_mesh(f"body{k}", body, skin) for k, body in enumerate(bodies)},
    }
    if floor:
        grey = {"type": "diffuse", "reflectance": {"type": "rgb", "value": [FLOOR] * 3}}
        described["floor"] = {
            "type": "rectangle",
            "to_world": mitsuba.ScalarTransform4f().scale([12.0, 12.0, 1.0]),
            "bsdf": grey,
        }
    seen = mitsuba.render(mitsuba.load_dict(described), spp=SAMPLES if floor else 8, seed=seed)
    return np.nan_to_num(np.array(seen))


def _lamps(rng: Rng) -> Dict:
    room = float(np.exp(rng.uniform(np.log(0.05), np.log(0.6))))
    lamps: Dict = {"room": {"type": "constant", "radiance": room}}
    for k in range(int(rng.integers(1, 4))):
        turn, far = float(rng.uniform(0, 2 * pi)), float(rng.uniform(0, 1600))
        at = np.array((far * cos(turn), far * sin(turn), float(rng.uniform(500, 2000))))
        size = np.exp(rng.uniform(np.log(30), np.log(900), 2))
        wanted = 1.0 if k == 0 else float(rng.uniform(0.1, 0.8))
        radiance = wanted * float(at @ at) / (float(size.prod()) * at[2] / float(np.linalg.norm(at)))
        lamps[f"lamp{k}"] = {
            "type": "rectangle",
            "to_world": mitsuba.ScalarTransform4f().look_at(list(at / UNIT_MM), [0.0, 0.0, 0.0], [0.0, 1.0, 0.3])
            @ mitsuba.ScalarTransform4f().scale([size[0] / 2 / UNIT_MM, size[1] / 2 / UNIT_MM, 1.0]),
            "emitter": {"type": "area", "radiance": radiance},
        }
    return lamps


def _continued(light: Image, alpha: Image) -> Image:
    """The light on the board, with what the hand covers filled from beside it."""
    free = (alpha < 0.02).astype(np.float32)
    near = cv2.blur(light * free[..., None], (SHADOW_PX, SHADOW_PX))
    weight = cv2.blur(free, (SHADOW_PX, SHADOW_PX))[..., None]
    return np.asarray(np.where(free[..., None] > 0, light, near / np.maximum(weight, 1e-3)), dtype=np.float32)


def _bytes(value: Image) -> npt.NDArray[np.uint8]:
    return np.asarray(np.clip(value * 255.0 + 0.5, 0, 255), dtype=np.uint8)


if __name__ == "__main__":
    write_looks(cutout)
