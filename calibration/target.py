"""The lens, from pictures of a ChArUco target, and the target itself as a drawing in true size.

Arrays and text out; must not know files. The detector's pixel convention differs between versions of OpenCV by half
a pixel (0.6 mm on the board), so it is measured on a drawn target before it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats


@dataclass(frozen=True)
class Target:
    """A ChArUco target: squares across and down, their side and the markers' in mm, the marker dictionary's name."""

    across: int = 7
    down: int = 5
    square_mm: float = 40.0
    marker_mm: float = 30.0
    dictionary: str = "DICT_5X5_100"


@dataclass(frozen=True, eq=False)
class Lens:
    """A fitted lens: `K` 3×3 in px, `dist` (k1, k2, p1, p2, k3), `rms_px`, and what it was fitted on.

    `worst` is the worst picture's number and rms; `spread` the share of the picture that the corners span; `covariance`
    of (f, cx, cy, k1, k2, p1, p2), 7×7: on few pictures these make up for one another, which the spread of each hides.
    `open_share`: how far the pictures leave the focal length open, one standard deviation as a share of it: much where
    the target is held level in all of them, for then it cannot be separated from the distance.
    """

    K: Floats
    dist: Floats
    size: tuple[int, int]
    rms_px: float
    pictures: int
    covariance: Floats
    corners: int = 0
    spread: float = 1.0
    worst: tuple[int, float] = (0, 0.0)
    open_share: float = 0.0


class TargetError(ValueError):
    """The pictures do not show the target well enough; says why."""


class MirroredError(TargetError):
    """The pictures show the target, turned left for right."""

    def __init__(self) -> None:
        super().__init__(
            "the camera mirrors its pictures: the target is found in their mirror image. Fix: switch mirror (flip, "
            "selfie view) off in the camera's or the phone's settings, and take all pictures anew"
        )


LEAST_CORNERS = 8
"""Of a picture of the lens: fewer say too little of how the target is held."""


def enough_corners(luma: NDArray[np.uint8], target: Target, least: int) -> tuple[NDArray[np.int64], Floats]:
    """As `find_corners`. Raises TargetError where fewer than `least` are seen, MirroredError if only mirrored."""
    numbers, places = find_corners(luma, target)
    if len(numbers) >= least:
        return numbers, places
    if len(find_corners(np.ascontiguousarray(luma[:, ::-1]), target)[0]) >= least:
        raise MirroredError
    raise TargetError(
        f"only {len(numbers)} of the target's corners are seen, {least} are needed: all of it in the picture, "
        "in even light"
    )


def find_corners(luma: NDArray[np.uint8], target: Target) -> tuple[NDArray[np.int64], Floats]:
    """The target's inner corners in one picture: numbers (N,) and places in px (N, 2)."""
    numbers, places = _detect(luma, target)
    return numbers, places - _offset(target)


def board_corners(target: Target) -> Floats:
    """Where the inner corners lie on the target, in the order of their numbers: (N, 2) in mm."""
    return np.asarray(_board(target).getChessboardCorners(), dtype=np.float64)[:, :2]


SHARED_PX = 0.05
"""What the corners of one picture are off together: the model has fewer terms than lenses have, and blur shifts."""


def fit_lens(pictures: Sequence[NDArray[np.uint8]], target: Target) -> Lens:
    """Fits the lens to pictures (h, w) uint8 of the target.

    Raises TargetError where too few pictures show enough of it (MirroredError: turned left for right), or they differ
    in size.
    """
    if len({p.shape for p in pictures}) > 1:
        raise TargetError("the lens pictures differ in size")
    objects, images, used = [], [], []
    mirrored: MirroredError | None = None
    corners = _board(target).getChessboardCorners()
    for index, picture in enumerate(pictures):
        try:
            numbers, places = enough_corners(picture, target, LEAST_CORNERS)
        except TargetError as error:
            mirrored = error if isinstance(error, MirroredError) else mirrored
            continue
        objects.append(corners[numbers].astype(np.float32))
        images.append(places.astype(np.float32).reshape(-1, 1, 2))
        used.append(index)
    if len(used) < 4 and mirrored is not None:
        raise mirrored
    if len(used) < 4:
        raise TargetError(
            f"only {len(used)} of {len(pictures)} lens pictures show the {target.across} × {target.down} target"
        )
    height, width = pictures[0].shape
    # Square pixels, and no sixth-order term: a board fills too little of the field to tell it from noise.
    flags = cv2.CALIB_FIX_K3 | cv2.CALIB_FIX_ASPECT_RATIO
    guess = np.array(((width, 0, (width - 1) / 2), (0, width, (height - 1) / 2), (0, 0, 1)), dtype=np.float64)
    rms, K, dist, turns, moves, _, _, each = cv2.calibrateCameraExtended(
        objects, images, (width, height), guess, None, flags=flags
    )
    every = np.concatenate(images).reshape(-1, 2)
    spread = float(np.prod(np.ptp(every, axis=0)) / (width * height))
    full = np.zeros(5)
    full[: min(5, dist.size)] = dist.ravel()[:5]
    worst = int(np.argmax(each))
    covariance, told = _covariance(objects, images, turns, moves, K, full)
    # Corners of one picture share what the lens model lacks: a picture tells of it as much as one corner.
    shared_px = SHARED_PX * np.sqrt(len(every) / len(used))
    open_share = float(np.hypot(np.sqrt(covariance[0, 0]), shared_px * np.sqrt(told[0, 0])) / K[0, 0])
    return Lens(
        np.asarray(K, dtype=np.float64),
        full,
        (width, height),
        float(rms),
        len(used),
        covariance,
        len(every),
        spread,
        (used[worst], float(np.ravel(each)[worst])),
        open_share,
    )


def _covariance(
    objects: Sequence[Any], images: Sequence[Any], turns: Sequence[Any], moves: Sequence[Any], K: Any, dist: Floats
) -> tuple[Floats, Floats]:
    """What the pictures leave open of (f, cx, cy, k1, k2, p1, p2) once each picture's own pose is taken out, 7×7.

    By how far the corners lie from where they should, and for corners 1 px off.
    """
    told, misses, count = np.zeros((7, 7)), 0.0, 0
    for points, seen, turn, move in zip(objects, images, turns, moves, strict=True):
        px, slopes = cv2.projectPoints(points, turn, move, K, dist)
        pose = slopes[:, :6]
        # One focal length for both directions; columns of OpenCV: pose 6, fx, fy, cx, cy, k1, k2, p1, p2, k3.
        lens = np.column_stack((slopes[:, 6] + slopes[:, 7], slopes[:, 8:14]))
        lens = lens - pose @ np.linalg.lstsq(pose, lens, rcond=None)[0]
        told += lens.T @ lens
        misses += float(np.sum((px.reshape(-1, 2) - seen.reshape(-1, 2)) ** 2))
        count += px.size - 6
    size = np.sqrt(np.maximum(np.diag(told), 1e-12))
    covariance: Floats = np.linalg.inv(told / size / size[:, None] + 1e-9 * np.eye(7)) / size / size[:, None]
    return covariance * misses / max(count - 7, 1), covariance


SHEETS_MM = ((297, 210), (420, 297), (594, 420), (841, 594))
RULER_MM = 100.0


def drawing(target: Target, *, pdf: bool = False) -> bytes:
    """The target in true size as SVG or PDF, on the smallest sheet that holds it, with a ruler to check it by.

    Raises TargetError for an unknown dictionary or one with too few markers.
    """
    width, height = target.across * target.square_mm, target.down * target.square_mm
    fits = [sheet for sheet in SHEETS_MM if sheet[0] >= width + 10 and sheet[1] >= height + 10]
    sheet = fits[0] if fits else (round(width) + 20, round(height) + 20)
    left, top = (sheet[0] - width) / 2, (sheet[1] - height) / 2
    board, dictionary = _board(target), _dictionary(target)
    # A black square is one box, a marker many, drawn in white on its own black one.
    dark = [
        (left + column * target.square_mm, top + row * target.square_mm, target.square_mm, target.square_mm)
        for row in range(target.down)
        for column in range(target.across)
        if (row + column) % 2 == 0
    ]
    pale = []
    bits = int(dictionary.markerSize) + 2
    module = target.marker_mm / bits
    for number, corners in zip(np.ravel(board.getIds()), board.getObjPoints(), strict=True):
        x, y = float(corners[0][0]) + left, float(corners[0][1]) + top
        dark.append((x, y, target.marker_mm, target.marker_mm))
        picture = cv2.aruco.generateImageMarker(dictionary, int(number), bits, borderBits=1)
        for row, column in zip(*np.nonzero(picture > 127), strict=True):
            pale.append((x + column * module, y + row * module, module, module))
    dark.append((left, top + height + 1.8, RULER_MM, 0.4))
    said = (
        f"the line is {RULER_MM:.0f} mm long; {target.across} x {target.down} squares of {target.square_mm:g} mm, "
        f"markers {target.marker_mm:g} mm, {target.dictionary}; print at 100 %"
    )
    return (_pdf if pdf else _svg)(sheet, dark, pale, (left, top + height + 4.6), said)


_Boxes = list[tuple[float, float, float, float]]


def _svg(sheet: tuple[int, int], dark: _Boxes, pale: _Boxes, at: tuple[float, float], said: str) -> bytes:
    w, h = sheet
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}mm" height="{h}mm" viewBox="0 0 {w} {h}" '
        f'shape-rendering="crispEdges"><rect width="{w}" height="{h}" fill="#fff"/>'
    ]
    for colour, boxes in (("#000", dark), ("#fff", pale)):
        path = "".join(f"M{x:.4f} {y:.4f}h{a:.4f}v{b:.4f}h{-a:.4f}z" for x, y, a, b in boxes)
        parts.append(f'<path fill="{colour}" d="{path}"/>')
    parts.append(
        f'<text x="{at[0]:.2f}" y="{at[1]:.2f}" font-size="2.4" font-family="sans-serif">{said}</text></svg>\n'
    )
    return "\n".join(parts).encode()


def _pdf(sheet: tuple[int, int], dark: _Boxes, pale: _Boxes, at: tuple[float, float], said: str) -> bytes:
    """One page, in points from the bottom left; nothing but boxes and a line of text."""
    pt = 72.0 / 25.4
    w, h = sheet
    ink = []
    for grey, boxes in ((0, dark), (1, pale)):
        ink.append(f"{grey} g")
        ink += [f"{x * pt:.4f} {(h - y - b) * pt:.4f} {a * pt:.4f} {b * pt:.4f} re" for x, y, a, b in boxes]
        ink.append("f")
    ink.append(f"0 g BT /F 7 Tf {at[0] * pt:.2f} {(h - at[1]) * pt:.2f} Td ({said}) Tj ET")
    stream = "\n".join(ink).encode("ascii")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.4f %.4f]/Contents 4 0 R"
        b"/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>" % (w * pt, h * pt),
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    page = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(page))
        page += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(page))
    return bytes(page + table + trailer)


def _dictionary(target: Target) -> Any:
    number = getattr(cv2.aruco, target.dictionary, None)
    if not target.dictionary.startswith("DICT_") or number is None:
        raise TargetError(f"there is no marker dictionary named {target.dictionary}")
    return cv2.aruco.getPredefinedDictionary(number)


def _board(target: Target, *, older: bool = False) -> Any:
    board = cv2.aruco.CharucoBoard(
        (target.across, target.down), target.square_mm, target.marker_mm, _dictionary(target)
    )
    board.setLegacyPattern(older)
    return board


def _detect(luma: NDArray[np.uint8], target: Target) -> tuple[NDArray[np.int64], Floats]:
    """The corners of the pattern of which more are seen: a bought target may have the one before OpenCV 4.6.

    That one begins with a white square where the rows are even in number, and is the same where they are odd. The
    corners lie and count alike.
    """
    patterns = (False,) if target.down % 2 else (False, True)
    found = (_corners(luma, _board(target, older=older)) for older in patterns)
    return max(found, key=lambda corners: len(corners[0]))


def _corners(luma: NDArray[np.uint8], board: Any) -> tuple[NDArray[np.int64], Floats]:
    places, numbers, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(luma)
    if places is None or numbers is None:
        return np.zeros(0, dtype=np.int64), np.zeros((0, 2))
    return np.asarray(numbers, dtype=np.int64).ravel(), np.asarray(places, dtype=np.float64).reshape(-1, 2)


@lru_cache(maxsize=8)
def _offset(target: Target) -> float:
    """By how much this version of the detector says corners too far right and down, measured on a drawn target."""
    side = 60
    drawn = _board(target).generateImage((target.across * side, target.down * side), marginSize=0, borderBits=1)
    framed = cv2.copyMakeBorder(drawn, 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=255)
    numbers, places = _detect(np.asarray(cv2.GaussianBlur(framed, (0, 0), 1.0), dtype=np.uint8), target)
    if not len(numbers):
        return 0.0
    # A border between pixel 39 and pixel 40 lies at 39.5 when a pixel's centre is a whole number.
    true = _board(target).getChessboardCorners()[numbers][:, :2] / target.square_mm * side + 39.5
    return round(float(np.median(places - true)) * 2.0) / 2.0
