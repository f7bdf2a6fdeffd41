"""`python -m scripts.teach.traced.picture_set FOLDER` draws pictures with their truth, to measure any detector on.

    --first SEED    of the first table (default 900000)
    --tables N      how many tables, one seed each (default 20)
    --stills N      how many boards of each (default 5)

A table is `rig_T900000_calibration/` (pictures of the lens target, the empty board, the opening) and
`still_T900000_NN.jpg`, each with a `.json` of its truth: camera, measures, pieces, and what else is over the board.
`python -m tests.bench.eyes.score` counts what a detector says of them.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from controller.events.words import Seat
from controller.simulator.lens import View
from controller.simulator.motion import Pose
from controller.simulator.pieces import opening
from controller.simulator.stills import charuco_view
from scripts.teach.boards import random_look
from scripts.teach.traced.contents import about, measures, position
from scripts.teach.traced.develop import Light, camera_for, develop, on_another_day
from scripts.teach.traced.scene import DAYS, Scene

FIRST = 900_000
"""None of the shipped nets was trained on a table from here on."""
LENS_PICTURES = 8
ANOTHER_LIGHT = 0.5
"""How many boards lie in other light than the empty one did."""
RADIAL = (-0.12, -0.02)
"""The first coefficient of the lens's distortion, as the lenses of webcams and board cameras have it."""


class Table:
    """One table and its camera, whose lens bends what the path tracer draws straight."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        look = random_look(rng)
        self.board = measures(rng)
        look = replace(look, pieces=replace(look.pieces, board=self.board))
        self.scene = Scene(look, self.board, rng, aimed=True)
        straight = self.scene.view
        self.lens = replace(straight.lens, radial=(float(rng.uniform(*RADIAL)), 0.0, 0.0, 0.0, 0.0, 0.0))
        self.view = View(self.lens, straight.turn, straight.centre)
        self.look = replace(look, rig=replace(look.rig, lens=self.lens))
        u, v = np.meshgrid(np.arange(self.lens.width), np.arange(self.lens.height))
        seen = self.lens.from_pixels(np.stack((u.ravel(), v.ravel()), axis=-1).astype(np.float64))
        at = straight.lens.to_pixels(self.lens.undistort(seen)).astype(np.float32)
        self._at = at.reshape(self.lens.height, self.lens.width, 2)
        self.rng, self._seed = rng, seed
        self.bare = self.light({}, {}, 0)
        self.camera = camera_for(self.bare, rng)

    def light(self, lying: dict[int, Pose], things: dict[str, Any], number: int, day: int = 0) -> Light:
        """What reaches the sensor through the lens in one picture."""
        straight = self.scene.render(lying, things, self._seed + number, day=day)
        bent = cv2.remap(straight, self._at, None, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        return np.maximum(bent, np.float32(0.0))

    def truth(
        self, lying: dict[int, Pose], things: dict[str, Any] | None = None, seat: Seat | None = None
    ) -> dict[str, Any]:
        """What there is in the picture rendered last. Lengths in mm, `uv_px` from the centre of the first pixel."""
        pieces, shown = self.look.pieces, self.scene.shown(lying)
        over = (things or {}).items()
        told = []
        for name, pose in lying.items():
            one: dict[str, Any] = {
                "class": pieces.piece(name),
                "x_mm": round(pose.x_mm, 3),
                "y_mm": round(pose.y_mm, 3),
                "z_top_mm": pieces.thickness(name),
                "visible_fraction": round(shown[name], 3),
                "uv_px": [round(v, 2) for v in self.view.pixel(pose.x_mm, pose.y_mm, pieces.thickness(name))],
            }
            if seat is not None and one["class"] == "striker":
                radius = pieces.striker_diameter_mm / 2
                one["base_line"] = {"side": seat[0].upper(), "striker_radius_mm": radius}
            told.append(one)
        return {
            "camera": self._camera(),
            "geometry": self._geometry(),
            "pieces": told,
            "occluders": [_thing("hand_forearm", *at) for name, at in over if name.startswith("arm")],
            "things": [_thing(name, *at) for name, at in over if not name.startswith("arm")],
        }

    def _camera(self) -> dict[str, Any]:
        lens, view = self.lens, self.view
        cx, cy = lens.centre_px
        return {
            "width": lens.width,
            "height": lens.height,
            "K": [[lens.focal_px, 0, cx], [0, lens.focal_px * lens.aspect, cy], [0, 0, 1]],
            "dist": [lens.radial[0], lens.radial[1], 0.0, 0.0, lens.radial[2]],
            "R_world_to_cam": view.turn.tolist(),
            "t_mm": (-view.turn @ view.centre).tolist(),
        }

    def _geometry(self) -> dict[str, Any]:
        pieces = self.look.pieces
        sizes = ("coin_diameter_mm", "coin_thickness_mm", "striker_diameter_mm", "striker_thickness_mm")
        said: dict[str, Any] = {size: getattr(pieces, size) for size in sizes}
        return said if self.board == DEFAULT_BOARD else said | {"board": _measured(self.board)}


def write(folder: Path, seed: int, stills: int) -> None:
    """Draws one table into a folder."""
    table, name = Table(seed), f"T{seed}"
    rig = folder / f"rig_{name}_calibration"
    rig.mkdir(parents=True, exist_ok=True)
    for number in range(LENS_PICTURES):
        cv2.imwrite(str(rig / f"calib_{name}_charuco_{number:02d}.jpg"), charuco_view(table.look, table.rng))
    _save(rig / f"calib_{name}_empty", develop(table.bare, table.camera, table.rng), table.truth({}))
    lying = opening(table.look.pieces, table.rng, float(table.rng.uniform(0, 60)))
    light = table.light(lying, {}, 1)
    _save(rig / f"calib_{name}_opening", develop(light, table.camera, table.rng), table.truth(lying))
    for number in range(stills):
        lying, seat = position(table.look.pieces, table.rng)
        # A piece on its edge is left out: whether it counts as one that lies there is a matter of the rules.
        over = about(lying, table.look.pieces, table.rng).items()
        things = {name: at for name, at in over if not name.startswith("edge")}
        day = int(table.rng.integers(1, DAYS)) if table.rng.random() < ANOTHER_LIGHT else 0
        light = table.light(lying, things, 2 + number, day)
        camera = on_another_day(table.camera, light, table.rng) if day else table.camera
        picture = develop(light, camera, table.rng)
        _save(folder / f"still_{name}_{number:02d}", picture, table.truth(lying, things, seat))


def _thing(kind: str, x_mm: float, y_mm: float, angle_rad: float) -> dict[str, Any]:
    return {"type": kind, "x_mm": x_mm, "y_mm": y_mm, "angle_rad": angle_rad}


def _save(path: Path, picture: Any, truth: dict[str, Any]) -> None:
    cv2.imwrite(str(path.with_suffix(".jpg")), picture, (cv2.IMWRITE_JPEG_QUALITY, 95))
    path.with_suffix(".json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")


def _measured(board: Board) -> dict[str, float]:
    """The measures of a board that is not the laws' own, under the names that the shared tables give them."""
    (o0, o1), (i0, i1), (ar0, ar1) = board.outer_line_mm, board.inner_line_mm, board.arrow_radii_mm
    circles = {"bcr": board.base_circle_diameter_mm, "bdr": board.base_disc_diameter_mm}
    circles |= {"cr": board.centre_circle_diameter_mm, "ocr": board.outer_circle_diameter_mm}
    return {
        "half": board.half_mm, "fw": board.frame_width_mm, "fh": board.frame_height_mm, "pr": board.pocket_radius_mm,
        "o0": o0, "o1": o1, "i0": i0, "i1": i1, "bcx": board.line_half_length_mm,
        "ar0": ar0, "ar1": ar1, "al": board.arrow_line_width_mm,
    } | {name: across / 2 for name, across in circles.items()}  # fmt: skip


def main() -> None:
    """Draws what the command line asks for; a table that is there already is left as it is."""
    parser = argparse.ArgumentParser(prog="picture_set", description="pictures with their truth")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--stills", type=int, default=5)
    args = parser.parse_args()
    for seed in range(args.first, args.first + args.tables):
        if not (args.folder / f"still_T{seed}_{args.stills - 1:02d}.json").exists():
            write(args.folder, seed, args.stills)
            print(f"table {seed} is drawn", flush=True)


if __name__ == "__main__":
    main()
