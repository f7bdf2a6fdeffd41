"""What a board's markings measure, from one picture of it empty, given the side of its playing surface.

The side alone gives the scale: where the surface ends at the four cushions. Pose, lens (as far as its target left it
open) and measures are solved for together, so that an error says what the picture truly tells. Arrays in, measures and
camera with errors out; must not know files, nor which measure a ruling uses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from calibration.board import SEATS, Board, seat_to_board
from calibration.camera import CameraModel, Floats
from calibration.pose import STEPS, pack, u_mm, unpack
from calibration.profiles import edge_places, read_across, stroke_ends, stroke_places, stroke_width

SHAPE = ("cushion", "outer", "inner", "along", "away", "ring", "disc", "circle", "pocket_at", "pocket")
"""What is solved for beside the camera: how far the cushions' feet and the base lines' middles lie from the middle of
the board, the base circles along and away from it, radii, the pockets' centres along x and y."""

CUSHION_MM = 0.3
"""How far off the foot of a cushion may seem to lie, all four alike: shade and a rounded edge."""

TOLD_MM = 3.0
"""How far boards differ from what is given of them: so much, and no more, does it hold the measures."""

ROUNDED_MM = 0.8
"""How far off the mouth of a pocket may seem to lie, all four alike: its edge is rounded, or hidden in the dark."""

DISC_MM, DISC_PX = 0.2, 0.3
"""The same for a disc's or a circle's edge: paint runs, and what lies a few pixels beside it draws it there."""

SEEN_MM = 0.15
"""A piece of a marking lies so near to its place at best: paint is no straighter."""

FLOOR_MM = 0.1
"""No measure is better known than this, however many pieces agree: the lens has fewer terms than lenses are bent."""

ALIKE = 3.0
"""Pieces of one marking share their errors: so many of them tell as much as one."""

SPACING_MM = 4.0
PLACES = 6
"""Places in one piece of a marking, 24 mm of it."""

RING_MM, CIRCLE_MM = 0.8, 1.0
"""How wide the circles' lines are; their diameters are given to the outside."""

LINE_MM = 0.3
"""How far that may be off for half a diameter: from a hair to 1.5 mm wide are they drawn."""

POCKET_OPEN = 1.3
"""Of a pocket's mouth so much, in radians to either side, is seen against the playing surface."""

ROUNDS = ((7.0, False, False), (3.0, True, False), (2.0, True, True), (2.0, True, True), (2.0, True, True))
"""How far across is searched; whether the small circles as well, which have another edge 3 mm away; and whether places
that are nearly what was given are taken to be so."""

AS_TOLD = ("outer", "inner", "along", "circle")
AS_TOLD_MM = 0.15
MOST_AS_TOLD = 2.5
"""Most boards are painted as they are given. Where most of these places are so, they hold the scale, which four
cushions alone leave open by a thousandth; one that differs by several times this holds nothing. Two of four may be so
by chance, and hold nothing either."""

BESIDE_CORNER_MM = 3.0
"""A pocket touches both its cushions; where it does not, something else was taken for the surface's edge. Up to 0.6 mm
on traced and drawn tables, 5 and more where the edge was misread."""

LEAST_PIECES, LEAST_SHARE = 24, 0.4
"""Pieces in all, and the share of a kind's pieces, without which nothing is reported of them."""


class MeasureError(ValueError):
    """The picture does not tell the measures; says why."""


@dataclass(frozen=True)
class Measure:
    """A measure in mm, in the order in which people write it, and one standard deviation of each number."""

    mm: tuple[float, ...]
    u_mm: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Survey:
    """What a picture tells of a board: its measures by their public names, and the `camera` above it.

    Cushions and pockets hold the camera where there is no paint. `u_mm`: as in `Fit`.
    """

    measures: dict[str, Measure]
    camera: CameraModel
    u_mm: float


@dataclass(frozen=True, eq=False)
class _Part:
    """A marking in S pieces of P places: `xy` and `across` (S, P, 2) in mm, `width_mm` of its stroke, 0 for an edge,
    and `moves` (S, len(SHAPE)), how far across each number of the shape moves it. `name`: what looks alike."""

    name: str
    xy: Floats
    across: Floats
    width_mm: float
    moves: Floats


@dataclass(frozen=True, eq=False)
class _Seen:
    """Where pieces were seen: `px` (N, 2) in the picture, `xy` and `across` (N, 2) where they should be, `moves`, and
    which kind of marking each is of."""

    px: Floats
    xy: Floats
    across: Floats
    moves: Floats
    kind: NDArray[np.str_]


def measure_board(luma: NDArray[np.uint8], model: CameraModel, board: Board, lens_covariance: Floats) -> Survey:
    """The measures of the board in a picture (h, w) uint8, but for what is not seen, and the camera above it.

    `model` fits the board's given measures to some millimetres; `board.half_mm` is taken for true. `lens_covariance`
    (7, 7): of f, cx, cy, k1, k2, p1, p2. Raises MeasureError where too little is seen.
    """
    told = _shape_of(board)
    shape = _with_pockets(luma, model, board, told)
    camera, covariance = model, np.zeros((0, 0))
    parts: list[_Part] = []
    seen: _Seen | None = None
    for reach, near, settled in ROUNDS:
        if near and not any(part.name == "ring" for part in parts):
            shape = _with_circles(luma, camera, board, shape)
        parts = _parts(board, shape, near=near)
        seen = _look(luma, camera, parts, reach)
        if len(seen.px) < LEAST_PIECES or not np.count_nonzero(seen.kind == "cushion"):
            raise MeasureError("the edge of the playing surface, or most of its markings, cannot be made out")
        camera, shape, covariance = _solved(camera, model, shape, told, seen, lens_covariance, settled=settled)
    assert seen is not None
    every = {part.name: 0 for part in parts}
    for part in parts:
        every[part.name] += len(part.xy)
    told_by = {name for name, count in every.items() if np.count_nonzero(seen.kind == name) >= LEAST_SHARE * count}
    at = dict(zip(SHAPE, shape.tolist(), strict=True))
    apart = board.half_mm - at["pocket_at"] - at["pocket"]
    if "pocket" in told_by and abs(apart) > BESIDE_CORNER_MM:
        raise MeasureError(f"the pockets lie {abs(apart):.0f} mm beside the corners that the surface seems to have")
    count = len(covariance) - len(SHAPE)
    measures = _measures(luma, camera, board, shape, np.sqrt(np.diag(covariance))[count:], told_by)
    # Where heights are seen from stays, as in `settled_on_paint`.
    eye = camera.R @ model.centre_mm + camera.t
    return Survey(measures, replace(camera, eye=eye), u_mm(camera, covariance[:count, :count], board.half_mm))


def seen_size(luma: NDArray[np.uint8], model: CameraModel, board: Board) -> tuple[CameraModel, Board]:
    """The camera and the board if all lines lay nearer to the middle than given, or farther: by the ratio for which
    cushions and pockets are seen clearest, and the pose stays that of the lines.

    Where lines are given wrong by more than a search reaches, a pose is fitted to them all the same, at a wrong height.
    """
    best, found = -1.0, (model, board)
    for size in SIZES:
        camera, sized = model.posed(model.R, model.t * size), _sized(board, float(size))
        shape = _with_pockets(luma, camera, sized, _shape_of(sized))
        clear = sum(_contrast(luma, camera, _alike(sized, shape, name), RIM_MM) for name in ("cushion", "pocket"))
        if clear > best:
            best, found = clear, (camera, sized)
    return found


SIZES = np.arange(0.95, 1.0501, 0.005)
"""Ratios of lines to surface: 13 mm to either side at a base line; table R's lines lie 5 mm off the laws'."""


def _sized(board: Board, size: float) -> Board:
    def away(edges_mm: tuple[float, float]) -> tuple[float, float]:
        near, far = (board.half_mm - (board.half_mm - edge) * size for edge in edges_mm)
        return near, far

    low, high = board.arrow_radii_mm
    return replace(
        board,
        outer_line_mm=away(board.outer_line_mm),
        inner_line_mm=away(board.inner_line_mm),
        line_half_length_mm=board.line_half_length_mm * size,
        arrow_radii_mm=(low * size, high * size),
    )


def _shape_of(board: Board) -> Floats:
    outer, inner = (sum(edges) / 2.0 for edges in (board.outer_line_y_mm, board.inner_line_y_mm))
    return np.array(
        (
            board.half_mm,
            outer,
            inner,
            board.base_circle_along_mm,
            board.base_circle_from_centre_mm,
            (board.base_circle_diameter_mm - RING_MM) / 2.0,
            board.base_disc_diameter_mm / 2.0,
            (board.outer_circle_diameter_mm - CIRCLE_MM) / 2.0,
            board.pocket_centre_mm,
            board.pocket_radius_mm,
        )
    )


def _with_circles(luma: NDArray[np.uint8], camera: CameraModel, board: Board, shape: Floats) -> Floats:
    """The shape with the base circles where, along their lines, they look most like circles: disc, gap and line, the
    mean of all eight and all round, stand out from one another only about the true centre."""
    tries = []
    for off in np.arange(-ALONG_MM, ALONG_MM + 1e-6, 0.5):
        tries.append(shape.copy())
        tries[-1][SHAPE.index("along")] += off
    return max(tries, key=lambda tried: _contrast(luma, camera, _alike(board, tried, "ring"), ROUND_MM))


def _with_pockets(luma: NDArray[np.uint8], camera: CameraModel, board: Board, shape: Floats) -> Floats:
    """The shape with pockets of the size at whose rims the brightness changes most, in corners that they fill."""
    tries = []
    for off in np.arange(-POCKETS_MM, POCKETS_MM + 1e-6, 0.5):
        tries.append(shape.copy())
        tries[-1][SHAPE.index("pocket")] += off
        tries[-1][SHAPE.index("pocket_at")] -= off
    return max(tries, key=lambda tried: _contrast(luma, camera, _alike(board, tried, "pocket"), RIM_MM))


def _contrast(luma: NDArray[np.uint8], camera: CameraModel, parts: list[_Part], about_mm: float) -> float:
    """How much what lies across all markings of a kind differs, taken together: glare on one must not tell for all."""
    xy, across = (np.concatenate([getattr(part, key) for part in parts]) for key in ("xy", "across"))
    offsets, profiles, there = read_across(luma, camera, xy, across, 0.0)
    if not there.any():
        return 0.0
    return float(np.median(profiles[there], 0)[np.abs(offsets) <= about_mm].std())


ALONG_MM, ROUND_MM = 10.0, 6.0
"""So far along its line a base circle is searched for, and so far beside its line what is seen is compared."""

POCKETS_MM, RIM_MM = 4.0, 3.0
"""The laws alone leave a pocket's radius open by 3 mm; and what lies so near to a rim is pocket or wood."""


FAR = ("outer", "inner", "cushion", "arrow", "pocket", "circle")
NEAR = (*FAR, "ring", "disc")
"""The markings by what looks alike, without the small circles and with them."""


def _parts(board: Board, shape: Floats, *, near: bool) -> list[_Part]:
    return [part for name in (NEAR if near else FAR) for part in _alike(board, shape, name)]


def _alike(board: Board, shape: Floats, name: str) -> list[_Part]:
    """All markings of a kind."""
    at = dict(zip(SHAPE, shape.tolist(), strict=True))
    if name in ("outer", "inner", "cushion"):
        return _straight(board, at, name)
    if name == "circle":
        return [_ring(name, np.zeros(2), at["circle"], CIRCLE_MM, {})]
    parts = []
    if name in ("arrow", "pocket"):
        low, high = board.arrow_radii_mm
        for sx, sy in _QUARTERS:
            way = np.array((sx, sy)) / 2**0.5
            if name == "arrow":
                xy = np.arange(low + 6.0, high - 18.0, SPACING_MM)[:, None] * way
                across = np.tile((-way[1], way[0]), (len(xy), 1))
                parts.append(_part(name, xy, across, board.arrow_line_width_mm, {}))
            else:
                place = np.array((sx, sy)) * at["pocket_at"]
                open_to = (float(np.arctan2(-sy, -sx)), POCKET_OPEN)
                parts.append(_ring(name, place, at["pocket"], 0.0, {"pocket_at": np.array((sx, sy))}, open_to))
        return parts
    for seat in SEATS:
        for side in (-1.0, 1.0):
            place = np.array(seat_to_board(seat, side * at["along"], at["away"]))
            moved = {"along": np.array(seat_to_board(seat, side, 0.0)), "away": np.array(seat_to_board(seat, 0.0, 1.0))}
            parts.append(_ring(name, place, at[name], RING_MM if name == "ring" else 0.0, moved))
    return parts


def _straight(board: Board, at: dict[str, float], name: str) -> list[_Part]:
    """The base lines, or the feet of the cushions."""
    if name == "cushion":
        # Pockets and what lies about them hide the cushions' ends.
        edges, most = (0.0, 0.0), board.half_mm - 3.0 * board.pocket_radius_mm
    else:
        edges = board.outer_line_mm if name == "outer" else board.inner_line_mm
        most = at["along"] - at["ring"] - 5.0
    along = np.arange(-most, most + 1e-6, SPACING_MM)
    parts = []
    for seat in SEATS:
        right, back = np.array(seat_to_board(seat, 1.0, 0.0)), np.array(seat_to_board(seat, 0.0, 1.0))
        xy = along[:, None] * right + at[name] * back
        parts.append(_part(name, xy, np.tile(back, (len(xy), 1)), edges[1] - edges[0], {name: np.ones(len(xy))}))
    return parts


_QUARTERS = ((1, 1), (-1, 1), (-1, -1), (1, -1))


def _ring(
    name: str,
    centre: Floats,
    radius: float,
    width_mm: float,
    moved: dict[str, Floats],
    open_to: tuple[float, float] = (0.0, float(np.pi)),
) -> _Part:
    """A circle, or what of it is open to a direction; `moved`: where each number of the shape moves its centre to."""
    middle, half = open_to
    pieces = max(round(2.0 * half * radius / (PLACES * SPACING_MM)), 6)
    turn = middle + half * (2.0 * (np.arange(pieces * PLACES) + 0.5) / (pieces * PLACES) - 1.0)
    across = np.stack((np.cos(turn), np.sin(turn)), 1)
    moves = {part: across @ to for part, to in moved.items()} | {name: np.ones(len(across))}
    return _part(name, across * radius + centre, across, width_mm, moves)


def _part(name: str, xy: Floats, across: Floats, width_mm: float, moves: dict[str, Floats]) -> _Part:
    """Cuts a marking into pieces."""
    count = len(xy) // PLACES
    cut = slice(0, count * PLACES)
    each = np.zeros((count, len(SHAPE)))
    for part, by in moves.items():
        each[:, SHAPE.index(part)] = by[cut].reshape(count, PLACES).mean(1)
    return _Part(name, xy[cut].reshape(count, PLACES, 2), across[cut].reshape(count, PLACES, 2), width_mm, each)


def _look(luma: NDArray[np.uint8], camera: CameraModel, parts: list[_Part], reach_mm: float) -> _Seen:
    """Looks for every piece within `reach_mm` across it."""
    px, where, ways, moves, kinds = [], [], [], [], []
    blur_mm = 0.8 / camera.px_per_mm
    for name in dict.fromkeys(part.name for part in parts):
        alike = [part for part in parts if part.name == name]
        reach = min(reach_mm, BESIDE_MM) if name in ("ring", "disc") else reach_mm
        xy, across = (np.concatenate([getattr(part, key) for part in alike]) for key in ("xy", "across"))
        offsets, profiles, there = read_across(luma, camera, xy, across, reach)
        if not there.any():
            continue
        if alike[0].width_mm:
            off, clear = stroke_places(offsets, profiles[there], alike[0].width_mm, blur_mm, reach)
        else:
            # Beyond a cushion's foot its top's edge is as clear.
            off, clear = edge_places(offsets, profiles[there], reach, first=name == "cushion")
        good = clear > 0
        middle, way = xy[there][good].mean(1), across[there][good].mean(1)
        way = way / np.hypot(*way.T)[:, None]
        # The middle of an arc lies nearer to its centre than the arc itself: what is seen is of its places.
        spots = xy[there][good] + across[there][good] * off[good, None, None]
        px.append(camera.project_plane(spots.reshape(-1, 2)).reshape(-1, PLACES, 2).mean(1))
        where.append(middle)
        ways.append(way)
        moves.append(np.concatenate([part.moves for part in alike])[there][good])
        kinds += [name] * int(np.count_nonzero(good))
    return _Seen(
        np.concatenate(px), np.concatenate(where), np.concatenate(ways), np.concatenate(moves), np.array(kinds)
    )


BESIDE_MM = 1.5
"""A base circle's line and its disc have one another's edges farther away than this."""


def _solved(
    camera: CameraModel,
    start: CameraModel,
    shape: Floats,
    told: Floats,
    seen: _Seen,
    lens_covariance: Floats,
    *,
    settled: bool,
) -> tuple[CameraModel, Floats, Floats]:
    """One robust least-squares step: the camera, the shape, and the covariance of both."""
    values, prior = pack(camera), pack(start)
    count, n = len(values), len(values) + len(SHAPE)
    gaps = np.einsum("ij,ij->i", camera.to_plane(seen.px) - seen.xy, seen.across)
    design = np.zeros((len(gaps), n))
    for k in range(count):
        nudged = values.copy()
        nudged[k] += STEPS[k]
        moved = np.einsum("ij,ij->i", unpack(nudged, camera).to_plane(seen.px) - seen.xy, seen.across)
        design[:, k] = (moved - gaps) / STEPS[k]
    design[:, count:] = -seen.moves
    off = np.array([told[SHAPE.index(name)] - shape[SHAPE.index(name)] for name in AS_TOLD])
    as_told = settled and float((1.0 / _far(off, 2.0 * AS_TOLD_MM)).sum()) > MOST_AS_TOLD
    held, wanted = np.zeros((n, n)), np.zeros(n)
    held[6:count, 6:count] = np.linalg.inv(lens_covariance)
    wanted[6:count] = (prior - values)[6:]
    for k, name in enumerate(SHAPE):
        held[count + k, count + k] = 1.0 / (CUSHION_MM if name == "cushion" else TOLD_MM) ** 2
        if as_told and name in AS_TOLD:
            held[count + k, count + k] += 1.0 / AS_TOLD_MM**2 / _far(told[k] - shape[k], AS_TOLD_MM)
        wanted[count + k] = told[k] - shape[k]
    # The base circles lie between the two lines of every board that was ever seen.
    between = np.zeros(n)
    between[[count + SHAPE.index(name) for name in ("away", "outer", "inner")]] = (1.0, -0.5, -0.5)
    step, weight, scale = np.zeros(n), np.ones(len(gaps)), 1.0
    normal = held
    for _ in range(8):
        left = gaps + design @ step
        scale = max(1.4826 * float(np.median(np.abs(left))), SEEN_MM)
        weight = 1.0 / _far(left, scale) / (ALIKE * scale**2)
        normal = (design * weight[:, None]).T @ design + held + np.outer(between, between)
        size = np.sqrt(np.diag(normal))
        right = held @ wanted - (design * weight[:, None]).T @ gaps
        step = np.linalg.solve(normal / size / size[:, None], right / size) / size
    covariance: Floats = np.linalg.inv(normal / size / size[:, None]) / size / size[:, None]
    return unpack(values + step[:count], camera), shape + step[count:], covariance


def _far(off: Floats, scale: float) -> Floats:
    """How much less counts what is off by so much: 1 for nothing."""
    less: Floats = (1.0 + (np.asarray(off) / (3.0 * scale)) ** 2) ** 2
    return less


def _measures(
    luma: NDArray[np.uint8], camera: CameraModel, board: Board, shape: Floats, u: Floats, kinds: set[str]
) -> dict[str, Measure]:
    """The shape in the words of people, with the strokes' widths."""
    at, unsure = (dict(zip(SHAPE, v.tolist(), strict=True)) for v in (shape, u))
    half = board.half_mm
    out: dict[str, Measure] = {}
    widths = _widths(luma, camera, _parts(board, shape, near=True))
    for name in ("outer", "inner"):
        if name in kinds and name in widths:
            width, u_width = widths[name]
            middle, u_edge = half - at[name], hypot(unsure[name], FLOOR_MM, u_width / 2.0)
            out[f"{name}_line_mm"] = Measure((middle - width / 2.0, middle + width / 2.0), (u_edge, u_edge))
    beside = hypot(DISC_MM, DISC_PX / camera.px_per_mm)
    for name, kind, factor, more, blur in (
        ("line_half_length_mm", "along", 1.0, 0.0, 0.0),
        ("base_circle_mm", "ring", 2.0, RING_MM, beside),
        ("outer_circle_mm", "circle", 2.0, CIRCLE_MM, LINE_MM),
        ("pocket_radius_mm", "pocket", 1.0, 0.0, ROUNDED_MM),
    ):
        if kind in kinds or (kind == "along" and {"ring", "disc"} & kinds):
            out[name] = Measure((factor * at[kind] + more,), (factor * hypot(unsure[kind], FLOOR_MM, blur),))
    ends = stroke_ends(luma, camera, _QUARTERS, board.arrow_radii_mm)
    if "arrow" in kinds and "arrow" in widths and ends is not None:
        width, u_width = widths["arrow"]
        out["arrow_mm"] = Measure((*ends[0], width), (*ends[1], u_width))
    return out


def _widths(luma: NDArray[np.uint8], camera: CameraModel, parts: list[_Part]) -> dict[str, tuple[float, float]]:
    """Width and one standard deviation of the straight strokes, by kind. The widest tells how dark the paint is."""
    paint: tuple[float, float] | None = None
    out = {}
    for name in ("outer", "inner", "arrow"):
        each = []
        for part in (part for part in parts if part.name == name):
            found = stroke_width(luma, camera, part.xy, part.across, part.width_mm, paint)
            if found is not None:
                each.append(found)
        if len(each) < 2:
            continue
        width = np.array([one[0] for one in each])
        spread = 1.4826 * float(np.median(np.abs(width - np.median(width))))
        blurred = THIN_PX / camera.px_per_mm if float(np.median(width)) * camera.px_per_mm < RESOLVED_PX else 0.0
        out[name] = (float(np.median(width)), hypot(spread / len(each) ** 0.5, WIDTH_MM, blurred))
        if paint is None:
            paint = (float(np.median([one[1] for one in each])), float(np.median([one[2] for one in each])))
    return out


WIDTH_MM = 0.1
"""A stroke's width is known no better: how soft the camera draws is known from the same strokes."""

RESOLVED_PX, THIN_PX = 2.5, 0.3
"""A thinner stroke shows how much paint there is, not its edges: thin paint and worn paint look alike."""
