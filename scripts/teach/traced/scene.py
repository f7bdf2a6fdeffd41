"""A path-traced table: a board, a set, lamps, hands and things at random, and pictures of it with their truth.

The table's colours and sizes come from `boards.random_look`, as for the simulated camera; light, rounded rims, lacquer
and shadows are the path tracer's. Needs Mitsuba, which nothing else here does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan, cos, degrees, pi, sin
from typing import Any

import drjit
import mitsuba
import numpy as np
import numpy.typing as npt

from calibration.board import Board
from controller.simulator.lens import Lens, View
from controller.simulator.looks import CoinLook, Look
from controller.simulator.marks import linear, painted_wood
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER
from controller.simulator.sprites import FACE_MARGIN, top_face
from scripts.teach.added import FLESH, ON_EDGE, THING
from scripts.teach.traced.artwork import adorn
from scripts.teach.traced.bodies import Body, box, coin, turned
from scripts.teach.traced.develop import Light
from scripts.teach.traced.hands import Flesh, hand

mitsuba.set_variant("cuda_ad_rgb", "llvm_ad_rgb")

Rng = np.random.Generator
Dict = dict[str, Any]

UNIT_MM = 100.0
"""So long is one of the scene's units: path tracers are at home between centimetres and kilometres."""
TEXELS_PER_MM = 2.0
DAYS = 3
"""So many sets of lamps a table has: it is played on by day and by night."""
SAMPLES = 16
"""Paths a pixel; what noise they leave is less than a small sensor's."""
BOUNCES = 4
EDGES = (1, 2, 3, 11)
"""The queen, two whites and a black: of these a second one may stand on its edge."""
WITHIN = 0.995
"""Of half the picture: so near to its edge a corner of the playing surface may be."""
AWAY_MM = -4000.0
"""Where lies what is not in a picture: below the floor."""
GLOSSY = 0.3
"""How many boards are lacquered so that lamps are mirrored in them with an edge."""
FACE_POINTS = np.array([(r * cos(a), r * sin(a)) for r in (0.3, 0.6, 0.9) for a in np.arange(0, 6.28, 0.7854)])
"""Where a top face is asked whether the camera sees it, in radii."""


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that may lie on or over the board: its meshes by name, and how far from its place it reaches up."""

    bodies: dict[str, Body | Flesh]
    z_mm: float
    covers: int = THING


class Scene:
    """One table before its camera; `render` takes a picture of what lies on it."""

    def __init__(self, look: Look, board: Board, rng: Rng, *, aimed: bool = False) -> None:
        self.look, self.board = look, board
        self.view = _camera(look, board.half_mm, rng, aimed=aimed)
        self.pieces = {name: _piece(look, name, rng) for name in look.pieces.names}
        self.things = _things(rng) | {f"edge{name}": _edge(self.pieces[name], name) for name in EDGES}
        self._scene = mitsuba.load_dict(self._described(rng))
        self._moves = mitsuba.traverse(self._scene)

    def render(
        self, lying: dict[int, Pose], things: dict[str, tuple[float, float, float]], seed: int, *, day: int = 0
    ) -> Light:
        """Linear light (h, w, 3) blue-green-red. `things`: x, y in mm and turn by name; `day`: which lamps burn."""
        for name, body in self.pieces.items():
            pose = lying.get(name)
            at = body.moved(pose.x_mm, pose.y_mm) if pose else body.moved(0.0, 0.0, 0.0, AWAY_MM)
            self._move(f"piece{name}", at)
        for name, thing in self.things.items():
            x, y, turn = things.get(name, (0.0, 0.0, 0.0))
            for part, solid in thing.bodies.items():
                self._move(part, moved(solid.corners, x, y, turn, thing.z_mm if name in things else AWAY_MM))
        for name, value, its_day in self._burning:
            burns = its_day == day
            self._moves[name] = (
                type(self._moves[name])(value if burns else 0.0)
                if isinstance(value, float)
                else (mitsuba.Color3f(*value) if burns else mitsuba.Color3f(0.0))
            )
        self._moves["room.radiance.value"] = mitsuba.Color3f(*self._rooms[day])
        self._moves.update()
        seen = np.nan_to_num(np.array(mitsuba.render(self._scene, spp=SAMPLES, seed=seed)))
        return np.ascontiguousarray(seen[..., 2::-1], dtype=np.float32)

    def shown(self, lying: dict[int, Pose]) -> dict[int, float]:
        """The share of each piece's top that the camera sees in the picture rendered last."""
        shares = {}
        eye = self.view.centre / UNIT_MM
        for name, pose in lying.items():
            radius, high = self.look.pieces.radius(name), self.look.pieces.thickness(name) + 0.6
            xy = np.array((pose.x_mm, pose.y_mm)) + radius * FACE_POINTS
            points = np.column_stack((xy, np.full(len(xy), high))) / UNIT_MM
            ways = eye - points
            far = np.linalg.norm(ways, axis=1)
            ray = mitsuba.Ray3f(mitsuba.Point3f(*points.T), mitsuba.Vector3f(*(ways / far[:, None]).T))
            ray.maxt = mitsuba.Float(far)
            shares[name] = 1.0 - float(np.mean(np.array(self._scene.ray_test(ray))))
        return shares

    def covers(self, points_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """What the camera sees in the picture rendered last before each of N points (N, 3) in mm: FLESH, THING,
        ON_EDGE, or 0 for anything else."""
        eye = self.view.centre / UNIT_MM
        ways = points_mm / UNIT_MM - eye
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        ray = mitsuba.Ray3f(mitsuba.Point3f(*(float(c) for c in eye)), mitsuba.Vector3f(*ways.T))
        seen = drjit.reinterpret_array(mitsuba.UInt32, self._scene.ray_intersect_preliminary(ray).shape)
        shown = np.zeros(len(points_mm), dtype=np.uint8)
        for shape in self._scene.shapes():
            sort = self._sorts.get(shape.id())
            if sort:
                own = drjit.reinterpret_array(mitsuba.UInt32, mitsuba.ShapePtr(shape))
                shown[np.array(seen == own)] = sort
        return shown

    def _move(self, name: str, corners: npt.NDArray[np.float64]) -> None:
        self._moves[f"{name}.vertex_positions"] = mitsuba.Float((corners / UNIT_MM).astype(np.float32).ravel())

    def _described(self, rng: Rng) -> Dict:
        lens = self.view.lens
        turn, at = self.view.turn, np.eye(4)
        # The tracer's cameras look along z with x to the left and y up.
        at[:3, 0], at[:3, 1], at[:3, 2], at[:3, 3] = -turn[0], -turn[1], turn[2], self.view.centre / UNIT_MM
        described: Dict = {
            "type": "scene",
            "integrator": {"type": "path", "max_depth": BOUNCES, "hide_emitters": True},
            "camera": {
                "type": "perspective",
                "fov": degrees(2 * atan(lens.width / (2 * lens.focal_px))),
                "near_clip": 0.1,
                "far_clip": 1000.0,
                "to_world": mitsuba.ScalarTransform4f(at),
                # A box filter: a pixel is the mean of its own paths, whatever order they are added in.
                "film": {"type": "hdrfilm", "width": lens.width, "height": lens.height, "rfilter": {"type": "box"}},
                "sampler": {"type": "independent"},
            },
        }
        described |= self._board(rng)
        self._rooms, self._burning = [], []
        for day in range(DAYS):
            lamps = _lamps(self.view, rng)
            room = lamps.pop("room")
            self._rooms.append(room["radiance"]["value"])
            described["room"] = room
            for name, lamp in lamps.items():
                described[f"day{day}{name}"] = lamp
                if name == "sun":
                    self._burning.append((f"day{day}{name}.scale", lamp["scale"], day))
                    self._burning.append((f"day{day}{name}.sampling_weight", 1.0, day))
                else:
                    radiance = lamp["emitter"]["radiance"]["value"]
                    self._burning.append((f"day{day}{name}.emitter.radiance.value", radiance, day))
                    self._burning.append((f"day{day}{name}.emitter.sampling_weight", 1.0, day))
        for name, body in self.pieces.items():
            described[f"piece{name}"] = _mesh(f"piece{name}", body, _piece_skin(self.look, name))
        self._sorts = {}
        for thing in self.things.values():
            for part, body in thing.bodies.items():
                self._sorts[part] = thing.covers
                rough = float(rng.uniform(0.3, 0.9))
                if isinstance(body, Flesh):
                    colour: Dict = {"type": "mesh_attribute", "name": "vertex_color"}
                    described[part] = flesh_mesh(part, body, _skin(colour, rough, 0.0, 0.0), smooth=False)
                    continue
                if thing.covers == ON_EDGE:
                    described[part] = _mesh(part, body, _piece_skin(self.look, int(part.removeprefix("edge"))))
                    continue
                described[part] = _mesh(part, body, _skin(_flat(rng.uniform(0.02, 0.7, 3)), rough, 0.0, 0.0))
        return described

    def _board(self, rng: Rng) -> Dict:
        half, paint = self.board.half_mm, self.look.board
        n = round(2 * half * TEXELS_PER_MM)
        axis = ((np.arange(n) + 0.5) / TEXELS_PER_MM - half).astype(np.float32)
        points = np.stack(np.meshgrid(axis, axis), -1)
        wood = painted_wood(points, paint, rng, TEXELS_PER_MM, self.board)
        # Rows of an array run south to north here, and down the page where letters are drawn.
        wood = adorn(wood[::-1].copy(), TEXELS_PER_MM, rng)[::-1]
        lacquer = _skin(
            _texture(wood), float(rng.uniform(0.2, 0.7)), float(rng.uniform(0, 1)), float(rng.uniform(0.6, 1))
        )
        if rng.random() < GLOSSY:
            lacquer |= {
                "roughness": float(rng.uniform(0.06, 0.3)),
                "clearcoat": float(rng.uniform(0.5, 1.0)),
                "clearcoat_gloss": float(rng.uniform(0.9, 1.0)),
            }
        parts = {"board": _mesh("board", box((half, half, 5.0), (0.0, 0.0, -5.0)), lacquer)}
        wide, high = float(rng.uniform(30, 90)), float(rng.uniform(12, 28))
        frame = _skin(_flat(linear(paint.frame)), float(rng.uniform(0.2, 0.7)), float(rng.uniform(0, 1)), 0.9)
        for k, (sx, sy) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
            far = half + wide / 2
            size = (wide / 2 if sx else half + wide, wide / 2 if sy else half + wide, high / 2)
            parts[f"frame{k}"] = _mesh(f"frame{k}", box(size, (sx * far, sy * far, high / 2)), frame)
        floor = _skin(_texture(_cloth(linear(paint.around), rng)), 0.8, 0.0, 0.0)
        parts["around"] = _mesh("around", box((1500.0, 1500.0, 5.0), (0.0, 0.0, -80.0)), floor)
        hole = _skin(_flat(linear(paint.pocket) * 0.5), 0.9, 0.0, 0.0)
        radius = self.board.pocket_radius_mm
        for name, (x, y) in self.board.pockets_mm.items():
            disc = turned([(radius, 0.15), (0.0, 0.15)], radius)
            parts[f"pocket{name}"] = _mesh(f"pocket{name}", replace(disc, corners=disc.moved(x, y)), hole)
        return parts


def _camera(look: Look, half_mm: float, rng: Rng, *, aimed: bool) -> View:
    """A camera of 0.6 to 1.6 px/mm, tilted up to 12°, turned any way.

    `aimed`: as the building guide hangs it, at the middle of the board and north up, all of the playing surface in the
    picture, whose corners are `half_mm` from its axes.
    """
    above = float(rng.uniform(750, 1500))
    per_mm = float(np.exp(rng.uniform(np.log(0.6), np.log(1.6))))
    side = round(880 * per_mm / 2) * 2
    lens = Lens(side, side, per_mm * above, 1.0, ((side - 1) / 2, (side - 1) / 2))
    mount = replace(
        look.rig.mount,
        height_mm=above,
        over_mm=(0.0, 0.0) if aimed else look.rig.mount.over_mm,
        tilt_deg=float(min(abs(rng.normal(0, 5)), 12)),
        roll_deg=float((not aimed) * rng.choice((0.0, 90.0, 180.0, 270.0)) + rng.normal(0, 5)),
    )
    view = View.hang(lens, mount)
    if not aimed:
        return view
    corners = [view.pixel(x, y, 0.0) for x in (-half_mm, half_mm) for y in (-half_mm, half_mm)]
    reach = max(abs(at - (side - 1) / 2) for corner in corners for at in corner)
    focal = lens.focal_px * min(1.0, WITHIN * side / 2 / reach)
    return View.hang(replace(lens, focal_px=focal), mount)


def _piece(look: Look, name: int, rng: Rng) -> Body:
    # A set is turned alike: what is drawn here for one piece holds for its class.
    pieces, kind = look.pieces, look.pieces.piece(name)
    mine = np.random.default_rng((ord(kind[0]), round(look.coins.rings * 1e6)))
    radius, high, own = pieces.radius(name), pieces.thickness(name), name == STRIKER
    rim = float(mine.uniform(0.3, 1.4) if own else mine.uniform(0.4, 3.0))
    grooves = (
        []
        if own
        else [(at * radius, float(mine.uniform(0.1, 0.7)), float(mine.uniform(0.4, 1.3))) for at in look.coins.grooves]
    )
    dish = 0.0 if own else float(mine.choice((mine.uniform(-0.4, 0.3), mine.uniform(-1.5, -0.4)), p=(0.75, 0.25)))
    body = coin(radius, high, rim, grooves, dish, radius * FACE_MARGIN)
    return replace(body, corners=body.moved(0.0, 0.0, float(rng.uniform(0, 2 * pi))))


def _piece_skin(look: Look, name: int) -> Dict:
    kind = look.pieces.piece(name)
    mine = np.random.default_rng((ord(kind[0]), round(look.coins.rings * 1e6), 1))
    coins: CoinLook = look.coins
    face = top_face(coins, kind, name, 256)
    waxed = float(mine.uniform(0.1, 1.0)) if mine.random() < 0.6 else 0.0
    skin = _skin(_texture(face), float(mine.uniform(0.12, 0.7)), waxed, float(mine.uniform(0.7, 1.0)))
    if name == STRIKER and mine.random() < 0.3:
        # Cast resin: the lines below show through.
        return {"type": "mask", "opacity": float(mine.uniform(0.4, 0.8)), "nested": skin}
    return skin


def _things(rng: Rng) -> dict[str, Thing]:
    """Two arms, a phone, a tin, a card: what may be over or beside the board."""
    found = {}
    for k in range(2):
        flesh, sleeve = hand(rng)
        tone = np.array((0.66, 0.46, 0.36)) ** float(rng.uniform(0.8, 3.2))
        skin = replace(flesh, shade=np.clip(flesh.shade * tone, 0.0, 0.9))
        cloth = replace(sleeve, shade=sleeve.shade * rng.uniform(0.02, 0.75, 3))
        high = float(rng.choice((0.0, rng.uniform(0, 60))))
        found[f"arm{k}"] = Thing({f"skin{k}": skin, f"sleeve{k}": cloth}, high, FLESH)
    found["phone"] = Thing({"phone": box((36.0, 75.0, 4.0))}, 4.0)
    found["tin"] = Thing({"tin": turned([(0.0, 0.0), (24.0, 0.0), (24.0, 38.0), (0.0, 38.0)], 24.0)}, 0.0)
    found["card"] = Thing({"card": box((28.0, 43.0, 0.4))}, 0.5)
    return found


def _edge(piece: Body, name: int) -> Thing:
    """A piece that stands on its edge, its middle over the origin."""
    x, y, z = piece.corners.T
    thick, radius = float(z.max()), float(np.hypot(x, y).max())
    return Thing({f"edge{name}": replace(piece, corners=np.column_stack((x, z - thick / 2, y + radius)))}, 0.0, ON_EDGE)


def moved(
    corners: npt.NDArray[np.float64], x_mm: float, y_mm: float, turn: float, z_mm: float
) -> npt.NDArray[np.float64]:
    """Corners (N, 3) turned about z and moved."""
    spin = np.array(((cos(turn), -sin(turn), 0.0), (sin(turn), cos(turn), 0.0), (0.0, 0.0, 1.0)))
    return corners @ spin.T + (x_mm, y_mm, z_mm)


def _lamps(view: View, rng: Rng) -> Dict:
    """One to three lamps, what light comes from the room, and on some tables the sun through a window's panes."""
    room = float(np.exp(rng.uniform(np.log(0.02), np.log(0.35))))
    lamps: Dict = {"room": {"type": "constant", "radiance": _rgb(np.array(_tinted(rng)) * room)}}
    for k in range(int(rng.integers(1, 4))):
        turn, sort = float(rng.uniform(0, 2 * pi)), rng.random()
        if sort < 0.35:  # a pendant
            far, high, size = abs(float(rng.normal(0, 350))), float(rng.uniform(700, 2200)), rng.uniform(60, 500, 2)
        elif sort < 0.55:  # a tube or a bar of LEDs
            far, high, size = (
                float(rng.uniform(0, 800)),
                float(rng.uniform(700, 2200)),
                np.array((rng.uniform(12, 50), rng.uniform(400, 1500))),
            )
        elif sort < 0.8:  # a window or a wall
            far, high, size = float(rng.uniform(800, 2500)), float(rng.uniform(350, 1400)), rng.uniform(250, 1500, 2)
        else:  # a small lamp low at one side: hard shadows
            far, high, size = float(rng.uniform(400, 1600)), float(rng.uniform(350, 900)), rng.uniform(15, 70, 2)
        at = np.array((far * cos(turn), far * sin(turn), high))
        if far < 900:
            # Not between the camera and the board.
            at[2] = max(high, float(view.centre[2]) + 60.0)
        distance2 = float(at @ at) / UNIT_MM**2
        wanted = 1.0 if k == 0 else float(rng.uniform(0.05, 0.8))
        area = float(size[0] * size[1]) / UNIT_MM**2
        radiance = wanted * distance2 / max(area * (at[2] / np.linalg.norm(at)), 0.15 * area)
        aim = [*(rng.normal(0, 60, 2) / UNIT_MM), 0.0]
        lamps[f"lamp{k}"] = {
            "type": "rectangle",
            "to_world": mitsuba.ScalarTransform4f().look_at(list(at / UNIT_MM), aim, [0.0, 1.0, 0.3])
            @ mitsuba.ScalarTransform4f().scale([size[0] / 2 / UNIT_MM, size[1] / 2 / UNIT_MM, 1.0]),
            "emitter": {"type": "area", "radiance": _rgb(np.array(_tinted(rng)) * radiance)},
        }
    if rng.random() < 0.25:
        lamps["sun"] = _sun(rng)
    return lamps


def _sun(rng: Rng) -> Dict:
    """Light through panes: bright patches with straight edges somewhere on the board."""
    panes = np.zeros((64, 64, 3), dtype=np.float32)
    for _ in range(int(rng.integers(1, 4))):
        r, c = (int(v) for v in rng.integers(0, 48, 2))
        panes[r : r + int(rng.integers(6, 30)), c : c + int(rng.integers(4, 20))] = (1.0, 0.92, 0.8)
    turn = float(rng.uniform(0, 2 * pi))
    at = np.array((2500 * cos(turn), 2500 * sin(turn), float(rng.uniform(1200, 3500)))) / UNIT_MM
    aim = [*(rng.uniform(-250, 250, 2) / UNIT_MM), 0.0]
    return {
        "type": "projector",
        "irradiance": {"type": "bitmap", "bitmap": mitsuba.Bitmap(panes), "raw": True, "filter_type": "nearest"},
        "fov": float(rng.uniform(8, 25)),
        "scale": float(np.exp(rng.uniform(np.log(300.0), np.log(6000.0)))),
        "to_world": mitsuba.ScalarTransform4f().look_at(list(at), aim, [0.0, 0.2, 1.0]),
    }


def _cloth(colour: npt.NDArray[np.float32], rng: Rng) -> npt.NDArray[np.float32]:
    """What lies below the board: plain, tiles, stripes or a pattern of patches."""
    n, sort = 192, rng.random()
    ground = np.broadcast_to(colour, (n, n, 3)).astype(np.float32).copy()
    other = np.clip(colour * rng.uniform(0.3, 2.2, 3), 0.01, 0.9).astype(np.float32)
    step = int(rng.integers(4, 24))
    rows, columns = np.mgrid[0:n, 0:n]
    if sort < 0.2:
        ground[(rows % step == 0) | (columns % step == 0)] = other
    elif sort < 0.4:
        ground[(rows // step + columns // step) % 2 == 0] = other
    elif sort < 0.55:
        ground[columns // step % 2 == 0] = other
    elif sort < 0.7:
        ground[rng.random((n, n)) < 0.3] = other
    return ground


def _tinted(rng: Rng) -> tuple[float, float, float]:
    """A lamp's colour, red green blue."""
    warm = float(rng.uniform(-0.25, 0.35))
    return 1.0, 1.0 - 0.35 * abs(warm), 1.0 - warm


# -- the tracer's words


def _rgb(colour: npt.NDArray[np.float64]) -> Dict:
    return {"type": "rgb", "value": [float(c) for c in colour]}


def _texture(reflectance: npt.NDArray[np.float32]) -> Dict:
    """Reflectances (h, w, 3) linear blue-green-red, the first row at the south."""
    made = np.ascontiguousarray(np.clip(reflectance[:, :, ::-1], 0.0, 0.9), dtype=np.float32)
    return {"type": "bitmap", "bitmap": mitsuba.Bitmap(made), "raw": True}


def _flat(colour: npt.NDArray[Any]) -> Dict:
    return _rgb(np.clip(np.asarray(colour, dtype=np.float64)[::-1], 0.0, 0.9))


def _skin(colour: Dict, roughness: float, coat: float, coat_gloss: float) -> Dict:
    return {
        "type": "principled",
        "base_color": colour,
        "roughness": roughness,
        "specular": 0.4,
        "clearcoat": coat,
        "clearcoat_gloss": coat_gloss,
    }


def flesh_mesh(name: str, flesh: Flesh, skin: Dict, *, smooth: bool = True) -> Any:
    """A mesh whose colours are its corners' own; `skin` names them `vertex_color`. `smooth`: lit by its normals, which
    hold for where it is now."""
    mesh = mitsuba.Mesh(name, len(flesh.corners), len(flesh.faces), props=_props(skin), has_vertex_normals=smooth)
    mesh.add_attribute("vertex_color", 3, flesh.shade.astype(np.float32).ravel())
    normals = {"vertex_normals": flesh.normals} if smooth else {}
    return _filled(mesh, flesh.corners, flesh.faces, **normals)


def _mesh(name: str, body: Body, skin: Dict) -> Any:
    mesh = mitsuba.Mesh(name, len(body.corners), len(body.faces), props=_props(skin), has_vertex_texcoords=True)
    return _filled(mesh, body.corners, body.faces, vertex_texcoords=body.uv)


def _props(skin: Dict) -> Any:
    props = mitsuba.Properties()
    props["bsdf"] = mitsuba.load_dict(skin)
    return props


def _filled(mesh: Any, corners_mm: npt.NDArray[Any], faces: npt.NDArray[Any], **of_corners: npt.NDArray[Any]) -> Any:
    values = mitsuba.traverse(mesh)
    values["vertex_positions"] = mitsuba.Float((corners_mm / UNIT_MM).astype(np.float32).ravel())
    for name, value in of_corners.items():
        values[name] = mitsuba.Float(value.astype(np.float32).ravel())
    values["faces"] = mitsuba.UInt32(faces.astype(np.uint32).ravel())
    values.update()
    return mesh
