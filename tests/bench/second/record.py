"""Writes tables and strokes down: `python -m tests.bench.second.record FOLDER TABLE [NUMBER …] [--kind K]`.

A table becomes `rig_SEED_calibration/` (`lens_*.jpg`, `empty.jpg`, `opening.jpg`, `table.json`), a stroke
`stroke_SEED-NUMBER/` (`frames/`, `beams.jsonl`, `start.json`, `truth.json`), as other people's strokes come.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from tests.bench.second import film as films
from tests.bench.second import lens, physics, plans, scene, sensor, truth
from tests.bench.second.film import Film
from tests.bench.second.tables import Table, table

LENS_PICTURES = 12
SQUARES, SQUARE_MM, MARKER_MM = (7, 5), 40.0, 30.0
SMEAR_PX = 2.0
MOST_PARTS = 6
"""What moves is drawn so many times within an exposure at most, a step of so many px each."""
STILL_JPEGS = 6
"""Pictures in which nothing moves differ by noise only: so many of them, in turn."""


class Studio:
    """A table's camera: takes pictures of pieces and hands."""

    def __init__(self, made: Table) -> None:
        self.table = made
        self.view = lens.hang(made.eye)
        self._names: tuple[str, ...] = ()
        self._scene: scene.Scene | None = None
        self._sensor: sensor.Sensor | None = None

    def film(self, film: Film, number: int) -> list[bytes]:
        """All the pictures of a film, as JPEGs."""
        drawn, takes = self._set(film.plan.names, number)
        eye, pictures = self.table.eye, []
        still: list[bytes] = []
        for frame in range(round(film.end_s * eye.fps)):
            t = frame / eye.fps
            parts = self._parts(film, t)
            if parts == 0 and frame:
                if len(still) < STILL_JPEGS:
                    still.append(takes.take([drawn.draw(film.poses(t), film.hands(t))], drawn.touched()))
                pictures.append(still[frame % len(still)])
                continue
            still = []
            steps = (np.arange(max(parts, 1)) + 0.5) / max(parts, 1) - 0.5
            moments = [t + eye.exposure_s * float(step) for step in steps]
            straight = [drawn.draw(film.poses(at), film.hands(at)).copy() for at in moments]
            pictures.append(takes.take(straight, drawn.touched()))
        return pictures

    def still(self, names: tuple[str, ...], poses: physics.Poses, number: int) -> bytes:
        """One picture of pieces, nobody there."""
        drawn, takes = self._set(names, number)
        return takes.take([drawn.draw(poses)], drawn.touched())

    def _set(self, names: tuple[str, ...], number: int) -> tuple[scene.Scene, sensor.Sensor]:
        if self._scene is None or names != self._names:
            self._scene, self._names = scene.Scene(self.table, names, self.view), names
        takes = sensor.Sensor(self.table.eye, self.view, self._scene.size, self.table.seed * 1000 + number)
        return self._scene, takes

    def _parts(self, film: Film, t_s: float) -> int:
        """In how many parts an exposure is drawn; 0 where nothing has moved since the frame before."""
        exposure, frame = self.table.eye.exposure_s, 1.0 / self.table.eye.fps
        moments = (t_s - exposure / 2, t_s + exposure / 2, t_s - frame)
        scale = self.table.eye.focal_px / self.table.eye.above_mm
        poses, hands = [film.poses(at)[:, :3] for at in moments], [film.hands(at) for at in moments]
        if any(one.shape != hands[0].shape for one in hands):
            return 1

        def far(a: int, b: int) -> float:
            moved = np.abs(poses[a] - poses[b]).max()
            return float(max(moved, np.abs(hands[a][:, :6] - hands[b][:, :6]).max(initial=0.0)) * scale)

        if far(1, 2) < 0.01:
            return 0
        return int(np.clip(np.ceil(far(0, 1) / SMEAR_PX), 1, MOST_PARTS))


def write_table(made: Table, folder: Path) -> Path:
    """Writes what a table is calibrated from; returns its folder."""
    place = folder / f"rig_{made.seed}_calibration"
    place.mkdir(parents=True, exist_ok=True)
    studio = Studio(made)
    rng = np.random.default_rng((made.seed, 31))
    names, spots = plans.rack(made.board, rng)
    whole = plans.Plan(
        0, "break", "south", ("south", "north"), "south", names, tuple(spots), (None,) * len(spots), (0.0, 0.0),
        90.0, 1.0, 0.5, True, 0.0, 0,
    )  # fmt: skip
    racked = films.play(made, whole).before
    gone = racked.copy()
    gone[:, 1] += 3000.0
    (place / "empty.jpg").write_bytes(studio.still(names, gone, 998))
    (place / "opening.jpg").write_bytes(studio.still(names, racked, 999))
    for number, picture in enumerate(_lens_pictures(made, studio.view, rng)):
        (place / f"lens_{number:02d}.jpg").write_bytes(picture)
    said = {
        "south": made.south, "board": made.preset, "coin_diameter_mm": made.board.coin_diameter_mm,
        "coin_thickness_mm": made.board.coin_thickness_mm, "striker_diameter_mm": made.board.striker_diameter_mm,
        "striker_thickness_mm": made.board.striker_thickness_mm, "measured": physics.measured(made),
    }  # fmt: skip
    (place / "table.json").write_text(json.dumps(said, indent=1))
    return place


def write_stroke(made: Table, number: int, folder: Path, kind: str | None = None, studio: Studio | None = None) -> Path:
    """Plays, draws and writes one stroke; returns its folder."""
    plan = plans.plan(made, number, kind)
    film = films.play(made, plan)
    place = folder / f"stroke_{made.seed}-{number:03d}"
    frames = place / "frames"
    frames.mkdir(parents=True, exist_ok=True)
    pictures = (studio or Studio(made)).film(film, number)
    for at, picture in enumerate(pictures):
        (frames / f"{at:05d}.jpg").write_bytes(picture)
    edges = truth.beams(made, film)
    (place / "beams.jsonl").write_text("".join(json.dumps(edge) + "\n" for edge in edges))
    (place / "start.json").write_text(json.dumps(plans.start_event(plan)) + "\n")
    (place / "truth.json").write_text(json.dumps(truth.truth(made, film, made.eye.fps, len(pictures)), indent=1))
    return place


def _lens_pictures(made: Table, view: lens.View, rng: np.random.Generator) -> list[bytes]:
    """The target held before the camera at different places, as tilted as a person holds it."""
    wide, high = SQUARES[0] * SQUARE_MM, SQUARES[1] * SQUARE_MM
    margin = 10.0
    board = cv2.aruco.CharucoBoard(
        SQUARES, SQUARE_MM, MARKER_MM, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    )
    printed = board.generateImage((round(wide * 5), round(high * 5)))
    edge = round(margin * 5)
    sheet = cv2.copyMakeBorder(printed, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=255)
    left, right, top, bottom = view.window
    scale = made.eye.focal_px * 1.3
    size = scene.Size(round((right - left) * scale), round((bottom - top) * scale), view.window)
    half = ((wide / 2 + margin) / 1000.0, (high / 2 + margin) / 1000.0)
    text = f"""<mujoco><compiler balanceinertia="true"/>{scene.visual(made, size)}
<asset><texture name="target" type="2d" file="target.png"/>
<mesh name="target" inertia="shell" face="0 1 2 0 2 3" texcoord="0 1 1 1 1 0 0 0"
  vertex="{-half[0]} {-half[1]} 0 {half[0]} {-half[1]} 0 {half[0]} {half[1]} 0 {-half[0]} {half[1]} 0"/>
<material name="target" texture="target" specular="0"/></asset><worldbody>{scene.lights(made)}
<geom type="plane" size="3 3 1" pos="0 0 -.15" rgba=".4 .38 .36 1"/>
<body mocap="true"><geom type="mesh" mesh="target" material="target" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text, {"target.png": scene.png(cv2.cvtColor(sheet, cv2.COLOR_GRAY2BGR))})
    stage = scene.Stage(model, view, size, maxgeom=20)
    takes = sensor.Sensor(made.eye, view, size, made.seed * 1000 + 997)
    pictures = []
    for number in range(LENS_PICTURES):
        away = float(rng.uniform(330, 620))
        column, row = number % 4, number // 4 % 3
        x = (left + (right - left) * (0.2 + 0.2 * column)) * away + float(rng.normal(0, 15))
        y = (top + (bottom - top) * (0.26 + 0.24 * row)) * away + float(rng.normal(0, 10))
        at = view.centre_mm + view.turn.T @ np.array((x, y, away))
        turn = _held_at(view, rng)
        stage.data.mocap_pos[0] = at / 1000.0
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, turn.ravel())
        stage.data.mocap_quat[0] = quat
        whole = (0, 0, size.width, size.height)
        pictures.append(takes.take([stage.draw(whole, [])], [whole]))
    return pictures


def _held_at(view: lens.View, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """How the target is turned: its face to the camera, tilted by up to 35°, turned by any angle within 40°."""
    axis = rng.normal(0, 1, 3) * (1, 1, 0)
    tilt = cv2.Rodrigues(axis / np.linalg.norm(axis) * np.radians(rng.uniform(5, 35)))[0]
    roll = cv2.Rodrigues(np.array((0.0, 0.0, np.radians(rng.uniform(-40, 40)))))[0]
    facing = np.stack((view.turn[0], -view.turn[1], -view.turn[2]), 1)
    return np.asarray(facing @ tilt @ roll)


def main() -> int:
    """Writes a table's calibration pictures, and strokes of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("table", type=int)
    parser.add_argument("numbers", type=int, nargs="*")
    parser.add_argument("--kind", choices=tuple(plans.KINDS))
    args = parser.parse_args()
    made = table(args.table)
    print(write_table(made, args.folder))
    studio = Studio(made)
    for number in args.numbers:
        print(write_stroke(made, number, args.folder, args.kind, studio), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
