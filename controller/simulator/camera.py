"""The simulated camera: a scene in, a picture with noise and its JPEG out, and the truth of what was visible.

The empty board is painted once; after that only the patches of pieces that moved are composed anew, so a frame of
1280 × 720 costs a few milliseconds. Moving pieces are averaged over the exposure, per row where the shutter rolls.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, hypot, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from controller.simulator import arms as arm_drawing
from controller.simulator.lens import View
from controller.simulator.looks import Look, Rig
from controller.simulator.marks import paint
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel, Scene
from controller.simulator.sprites import Drawn, Painter

Picture = npt.NDArray[np.uint8]
_LEVELS = 4095
_BANKS = 4
_ROLL = 64
_SPARE_PX = 5
_MOST_EXPOSURES = 10
_STEP_PX = 1.6


@dataclass(frozen=True, slots=True)
class VisiblePiece:
    """The truth about one piece in one frame, at the middle of its exposure. `visible`: share not under an arm."""

    name: int
    piece: str
    x_mm: float
    y_mm: float
    z_mm: float
    visible: float


@dataclass(frozen=True)
class Frame:
    """One exposure: picture (h, w, 3) blue-green-red, and what is true of it. `t_s`: middle of the exposure."""

    t_s: float
    exposure_s: float
    picture: Picture
    pieces: tuple[VisiblePiece, ...]
    arms: tuple[npt.NDArray[np.float64], ...]

    def jpeg(self, quality: int) -> bytes:
        """The picture as the camera sends it."""
        done, data = cv2.imencode(".jpg", self.picture, (cv2.IMWRITE_JPEG_QUALITY, quality))
        if not done:
            raise RuntimeError("the picture could not be compressed")
        return data.tobytes()


Rect = tuple[int, int, int, int]


class Camera:
    """Takes pictures of a `Reel`. One thread; keeps what it drew last, so take frames in order of time."""

    def __init__(self, look: Look, seed: int = 0) -> None:
        self.look = look
        self._seed = seed
        self._rng = np.random.default_rng(seed)
        self._swapped: int | None = None
        self._curve = _encoding()
        self.knock(View.hang(look.rig.lens, look.rig.mount))

    def knock(self, view: View) -> None:
        """The camera hangs there from now on (also after a bump of its stand): everything is painted anew."""
        look = self.look
        self.view = view
        empty = paint(view, look, self._seed)
        self._scale = view.px_per_mm()
        vignette = _vignette(look.rig.vignette, view.lens.width, view.lens.height)
        empty.image[:] *= vignette[..., None]
        empty.shade[:] *= vignette
        self._painter = Painter(empty, look, view.centre, self._scale)
        self._base = self._develop(cv2.GaussianBlur(empty.image, (0, 0), look.rig.blur_px))
        self._canvas = self._base.copy()
        self._lying: dict[int, Pose] = {}
        self._dirty: list[Rect] = []
        self._banks = noise_banks(self._rng, self._base, look.rig)

    def take(
        self, reel: Reel, t_s: float, shake_px: tuple[float, float] = (0.0, 0.0), upright: frozenset[int] = frozenset()
    ) -> Frame:
        """Exposes one frame whose middle is at `t_s`. `shake_px`: the stand trembles by that much."""
        rig = self.look.rig
        half = rig.exposure_s / 2 + rig.rolling_s / 2
        scene = reel.scene(t_s)
        moving = reel.moving(t_s - half, t_s + half)
        self._redraw(reel, scene, moving, t_s, upright)
        picture = self._canvas.copy()
        covers = self._arms(picture, reel, scene, half)
        truth = self._truth(scene, covers)
        if rig.rolling_s or self.look.light.flicker:
            self._flicker(picture, t_s)
        if shake_px != (0.0, 0.0):
            shift = np.array(((1.0, 0.0, shake_px[0]), (0.0, 1.0, shake_px[1])))
            picture = np.asarray(cv2.warpAffine(picture, shift, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE))
        picture = self._grain(picture)
        outlines = tuple(arm_drawing.outline_mm(arm) for arm in scene.arms)
        return Frame(t_s, rig.exposure_s, picture, truth, outlines)

    # -- pieces

    def swap_colour(self, *, swapped: bool) -> None:
        """From the next frame on a piece of one colour that lies there looks like one of the other, or like itself."""
        if swapped and self._swapped is None:
            kinds = {name: self.look.pieces.piece(name) for name in self._lying}
            white = next((name for name, kind in kinds.items() if kind == "white"), None)
            black = next((name for name in self.look.pieces.names if self.look.pieces.piece(name) == "black"), None)
            if white is None or black is None:
                return
            self._swapped = white
            self._painter.paint_as(white, black)
        elif not swapped and self._swapped is not None:
            self._painter.paint_as(self._swapped, self._swapped)
        if self._swapped is not None and (pose := self._lying.get(self._swapped)) is not None:
            self._dirty.append(self._rect(self._swapped, pose))
        if not swapped:
            self._swapped = None

    def _redraw(self, reel: Reel, scene: Scene, moving: set[int], t_s: float, upright: frozenset[int]) -> None:
        """Brings the canvas up to date: composes anew what changed since the last frame."""
        rig = self.look.rig
        half = rig.exposure_s / 2 + rig.rolling_s / 2
        wanted: list[Rect] = list(self._dirty)
        self._dirty = []
        for name in set(self._lying) | set(scene.pieces):
            was, now = self._lying.get(name), scene.pieces.get(name)
            if name not in moving and was == now:
                continue
            wanted += [self._rect(name, pose) for pose in (was, now) if pose is not None]
        paths = {}
        for name in moving:
            poses = [pose for k in range(5) if (pose := reel.pose(name, t_s + half * (k / 2 - 1))) is not None]
            if poses:
                box = _union([self._rect(name, pose) for pose in poses])
                paths[name] = poses
                wanted.append(box)
                self._dirty.append(box)
        self._lying = dict(scene.pieces)
        for box in _merged(wanted):
            self._compose(box, reel, scene, paths, moving, t_s, upright)

    def _compose(
        self,
        box: Rect,
        reel: Reel,
        scene: Scene,
        paths: dict[int, list[Pose]],
        moving: set[int],
        t_s: float,
        upright: frozenset[int],
    ) -> None:
        outer = self._clipped(box, _SPARE_PX)
        if outer[2] <= outer[0] or outer[3] <= outer[1]:
            return
        drawn = []
        for name, pose in scene.pieces.items():
            if name not in moving and _overlap(rect := self._rect(name, pose), outer):
                drawn.append(
                    Drawn(name, self._clipped(rect, 0), ((pose, pose, self._tight(name, pose, pose)),), name in upright)
                )
        for name, path in paths.items():
            window = self._clipped(_union([self._rect(name, pose) for pose in path]), 0)
            if _overlap(window, outer) and (poses := self._exposed(reel, name, path, t_s)):
                drawn.append(Drawn(name, window, poses, name in upright))
        soft = cv2.GaussianBlur(self._painter.compose(outer, drawn), (0, 0), self.look.rig.blur_px)
        ix0, iy0, ix1, iy1 = self._clipped(box, 1)
        inner = soft[iy0 - outer[1] : iy1 - outer[1], ix0 - outer[0] : ix1 - outer[0]]
        self._canvas[iy0:iy1, ix0:ix1] = self._develop(inner)

    def _exposed(self, reel: Reel, name: int, path: list[Pose], t_s: float) -> tuple[tuple[Pose, Pose, Rect], ...]:
        """A moving piece's poses over the exposure, as the first and last row that see it then do."""
        rig = self.look.rig
        share = rig.exposure_s / (rig.exposure_s + rig.rolling_s)
        travel = hypot(path[0].x_mm - path[-1].x_mm, path[0].y_mm - path[-1].y_mm) * share * self._scale
        steps = min(max(ceil(travel / _STEP_PX), 1), _MOST_EXPOSURES)
        found = []
        for k in range(steps):
            t = t_s + rig.exposure_s * ((k + 0.5) / steps - 0.5)
            pose = reel.pose(name, t)
            if pose is None:
                continue
            if not rig.rolling_s:
                found.append((pose, pose, self._tight(name, pose, pose)))
                continue
            row = self.view.pixel(pose.x_mm, pose.y_mm, pose.z_mm)[1] / rig.lens.height
            seen = reel.pose(name, t + (row - 0.5) * rig.rolling_s) or pose
            window = self._tight(name, seen, seen)
            a, b = (reel.pose(name, t + (edge / rig.lens.height - 0.5) * rig.rolling_s) for edge in window[1::2])
            found.append((a or seen, b or seen, window))
        return tuple(found)

    def _rect(self, name: int, pose: Pose) -> Rect:
        """The pixels that a piece and its shadow can touch."""
        pieces, light = self.look.pieces, self.look.light
        u, v = self.view.pixel(pose.x_mm, pose.y_mm, max(pose.z_mm, 0.0) + pieces.thickness(name) / 2)
        reach = pieces.radius(name) + pieces.thickness(name) * 0.6 + light.shadow_soft_mm * 1.1 + 1.0
        reach += 0.35 * max(pose.z_mm, 0.0)
        far = reach * self._scale * 1.12 * (1.0 + max(pose.z_mm, 0.0) / 600.0) + 3.0
        return int(u - far), int(v - far), ceil(u + far), ceil(v + far)

    def _tight(self, name: int, a: Pose, b: Pose) -> Rect:
        """The pixels of the piece alone."""
        pieces = self.look.pieces
        z = (a.z_mm + b.z_mm) / 2 + pieces.thickness(name) / 2
        u, v = self.view.pixel((a.x_mm + b.x_mm) / 2, (a.y_mm + b.y_mm) / 2, z)
        reach = pieces.radius(name) * 1.06 + pieces.thickness(name) * 0.3
        far = reach * self._scale * (1.0 + max(z, 0.0) / 700.0) * 1.04 + 2.0
        return self._clipped((int(u - far), int(v - far), ceil(u + far) + 1, ceil(v + far) + 1), 0)

    def _clipped(self, box: Rect, spare: int) -> Rect:
        w, h = self.look.rig.lens.width, self.look.rig.lens.height
        x0, y0 = min(max(box[0] - spare, 0), w), min(max(box[1] - spare, 0), h)
        return x0, y0, min(max(box[2] + spare, x0), w), min(max(box[3] + spare, y0), h)

    # -- arms, truth

    def _arms(
        self, picture: Picture, reel: Reel, scene: Scene, half: float
    ) -> list[tuple[Rect, npt.NDArray[np.float32]]]:
        covers = []
        before = {(arm.seat, arm.left): arm for arm in reel.scene(scene.t_s - half).arms} if scene.arms else {}
        for arm in scene.arms:
            was = before.get((arm.seat, arm.left), arm)
            smear = 2 * hypot(arm.x_mm - was.x_mm, arm.y_mm - was.y_mm) * self._scale
            shape = arm_drawing.shape(arm, self.view, self.look)
            covers.append((shape.box, arm_drawing.draw(picture, shape, self.look, self._scale, smear)))
        return covers

    def _truth(self, scene: Scene, covers: list[tuple[Rect, npt.NDArray[np.float32]]]) -> tuple[VisiblePiece, ...]:
        found = []
        for name, pose in scene.pieces.items():
            visible = self._visible(name, pose, covers) if covers else 1.0
            found.append(VisiblePiece(name, self.look.pieces.piece(name), pose.x_mm, pose.y_mm, pose.z_mm, visible))
        return tuple(found)

    def _visible(self, name: int, pose: Pose, covers: list[tuple[Rect, npt.NDArray[np.float32]]]) -> float:
        box = self._clipped(self._rect(name, pose), 0)
        if box[2] <= box[0] or box[3] <= box[1] or not any(_overlap(box, other) for other, _ in covers):
            return 1.0
        mine = self._painter.coverage(box, name, pose)
        hidden = np.zeros_like(mine)
        for other, cover in covers:
            x0, y0 = max(box[0], other[0]), max(box[1], other[1])
            x1, y1 = min(box[2], other[2]), min(box[3], other[3])
            if x1 > x0 and y1 > y0:
                part = hidden[y0 - box[1] : y1 - box[1], x0 - box[0] : x1 - box[0]]
                np.maximum(part, cover[y0 - other[1] : y1 - other[1], x0 - other[0] : x1 - other[0]], out=part)
        whole = float(mine.sum())
        return 1.0 - float((mine * hidden).sum()) / whole if whole else 1.0

    # -- sensor

    def _develop(self, image: npt.NDArray[np.float32]) -> Picture:
        """Linear light to 8 bits."""
        index = np.clip(image * np.float32(_LEVELS), 0, _LEVELS).astype(np.uint16)
        return np.asarray(self._curve[index], dtype=np.uint8)

    def _grain(self, picture: Picture) -> Picture:
        h, w = picture.shape[:2]
        bank = self._banks[int(self._rng.integers(_BANKS))]
        y, x = (int(v) for v in self._rng.integers(0, _ROLL, 2))
        return np.asarray(cv2.addWeighted(picture, 1.0, bank[y : y + h, x : x + w], 0.25, -32.0), dtype=np.uint8)

    def _flicker(self, picture: Picture, t_s: float) -> None:
        light, rig = self.look.light, self.look.rig
        if not light.flicker:
            return
        h = picture.shape[0]
        wave = 2 * light.mains_hz
        # The exposure averages part of the ripple away.
        angle = pi * wave * rig.exposure_s
        depth = light.flicker * abs(sin(angle) / angle)
        t = t_s + rig.rolling_s * (np.arange(h) / h - 0.5)
        gain = (1 + depth * np.sin(2 * pi * wave * t)).astype(np.float32)
        if rig.rolling_s:
            rows = np.repeat(gain[:, None], picture.shape[1], axis=1)
            cv2.multiply(picture, cv2.merge((rows, rows, rows)), dst=picture, dtype=cv2.CV_8U)
        else:
            cv2.convertScaleAbs(picture, dst=picture, alpha=float(gain[0]))


def noise_banks(rng: np.random.Generator, empty: Picture, rig: Rig) -> list[Picture]:
    """Noise made in advance around 128, scaled by how bright the empty board is there."""
    h, w = empty.shape[:2]
    bright = cv2.copyMakeBorder(empty, _ROLL // 2, _ROLL // 2, _ROLL // 2, _ROLL // 2, cv2.BORDER_REFLECT)
    level = cv2.GaussianBlur(bright, (0, 0), 6.0).astype(np.float32) / 255.0
    sigma = np.sqrt(rig.noise_read**2 + rig.noise_shot**2 * level)
    banks = []
    for _ in range(_BANKS):
        field = rng.standard_normal((h + _ROLL, w + _ROLL, 3), dtype=np.float32)
        # A colour filter array is interpolated: neighbours share noise.
        field = cv2.GaussianBlur(field, (3, 3), 0.5) * np.float32(1.45)
        banks.append(np.clip(field * sigma * 4.0 + 128.0, 0, 255).astype(np.uint8))
    return banks


def _encoding() -> npt.NDArray[np.uint8]:
    """The sRGB curve as a table over linear light."""
    c = np.arange(_LEVELS + 1) / _LEVELS
    return np.asarray(
        np.round(255 * np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)), dtype=np.uint8
    )


def _vignette(depth: float, width: int, height: int) -> npt.NDArray[np.float32]:
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    r2 = ((xs - width / 2) ** 2 + (ys - height / 2) ** 2) / ((width / 2) ** 2 + (height / 2) ** 2)
    return np.asarray(1 - depth * r2, dtype=np.float32)


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _union(boxes: list[Rect]) -> Rect:
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _merged(boxes: list[Rect]) -> list[Rect]:
    """Joins boxes until none overlaps another."""
    done: list[Rect] = []
    for box in boxes:
        joined = box
        while True:
            touching = [other for other in done if _overlap(joined, other)]
            if not touching:
                break
            done = [other for other in done if other not in touching]
            joined = _union([joined, *touching])
        done.append(joined)
    return done
