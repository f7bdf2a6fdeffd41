"""What happened in a film, in the form in which foreign strokes come: truth, beam log, and the true `shot` event.

Computed from poses and contacts alone. Beams are two lines across each pocket at two heights below the surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.board import Board, board_to_seat, seat_to_board
from tests.bench.second.film import NO_STROKE, Film
from tests.bench.second.physics import BOARD_MM, KEPT_EVERY, STEP_S, thickness_mm
from tests.bench.second.plans import margins
from tests.bench.second.tables import Table

Json = dict[str, Any]
BEAMS = {"upper": (-23.0, 1.0), "lower": (-32.0, -1.0)}
"""How deep each beam lies, and along which diagonal it runs."""
BEAM_REACH_MM = 24.0
MOVED_MM = 1.0


def truth(table: Table, film: Film, fps: float, frames: int) -> Json:
    """The truth of a film, as JSON."""
    plan, board = film.plan, table.board
    last = film.poses(film.end_s)
    near = margins(board, plan.seat, plan.placed)
    falls = fallen(table, film)
    gone = {row["index"] for row in falls}
    off = [i for i, pose in enumerate(last) if i not in gone and _beyond(board, pose) and _was_on(table, film, i)]
    said: Json = {
        "id": f"{table.seed}-{plan.number:03d}", "kind": plan.kind, "rig": str(table.seed), "seat": plan.seat,
        "fps": fps, "frames": frames,
        "times": {"put": film.set_s, "flick": film.struck_s, "away": film.away_s, "end": film.end_s},
        "speed": plan.speed_m_s, "angle_deg": plan.direction_deg, "mu": table.matter.surface,
        "placement": {
            "x": round(plan.placed[0], 4), "y": round(plan.placed[1], 4), "margins": near,
            "lines": _lines(near), "circle": _circle(near),
        },
        "contacts": contacts(film),
        "pocketed": [{key: row[key] for key in ("piece", "pocket", "t")} for row in falls],
        "off_board": [plan.names[i] for i in off],
        "rest": [
            {"piece": name, "x": round(float(pose[0]), 3), "y": round(float(pose[1]), 3)}
            for name, pose in zip(plan.names, last, strict=True) if pose[2] > 0.0 and not _beyond(board, pose)
        ],
        "flags": _flags(film),
    }  # fmt: skip
    said["shot"] = None if plan.kind in NO_STROKE else shot(table, film, said)
    return said


def _flags(film: Film) -> list[str]:
    if film.touched:
        return ["striker_touched" if film.touched == "striker" else "moving_piece_removed"]
    return {"push": ["push"], "shove": ["piece_moved_before"]}.get(film.plan.kind, [])


def shot(table: Table, film: Film, said: Json) -> Json:
    """The `shot` event that is true of a stroke."""
    plan, board = film.plan, table.board
    ahead = np.array(seat_to_board(plan.seat, 0.0, -1.0))
    before = film.poses((film.struck_s or 0.0) - 1e-6)
    crossed = 0
    for i, name in enumerate(plan.names[:-1]):
        path = film.runs[-1].poses[:, i, :3]
        if plan.spots[i] is None or np.abs(path[:, :2] - before[i, :2]).max() < MOVED_MM:
            continue
        line = board.inner_line_y_mm[0] - board.radius_mm(name)
        crossed += bool(np.abs(path[:, :2]).max() >= line)
    gap = min(
        (np.hypot(*(pose[:2] - plan.placed)) - board.touching_mm for pose in before[:-1] if pose[2] > 0.0), default=99.0
    )
    return {
        "event": "shot", "seat": plan.seat, "t": film.struck_s,
        "placement": {
            "x": plan.placed[0], "y": plan.placed[1], "lines": said["placement"]["lines"],
            "circle": said["placement"]["circle"], "arrow": said["placement"]["margins"]["arrow"] < 0.0,
            "touching": bool(gap < 0.05),
        },
        "left_baseline": _left(board, film),
        "heading": "forward" if float(ahead @ plan.direction) > 0.0 else "backward",
        "all_at_rest": True,
        "contacts": [{"with": row["with"], "at": row["at"]} for row in said["contacts"]],
        "pocketed": said["pocketed"], "off_board": said["off_board"], "crossed_baseline": crossed,
        "flags": said["flags"], "rest": [row for row in said["rest"] if row["piece"] != "striker"],
    }  # fmt: skip


def contacts(film: Film) -> list[Json]:
    """What the striker met in the stroke, in order."""
    if film.struck_s is None:
        return []
    return [
        {
            "with": "cushion" if touch.met < 0 else film.plan.names[touch.met], "t": round(touch.t_s, 4),
            "index": touch.met, "centre": list(touch.centre_mm),
            "at": [round(touch.at_mm[0], 2), round(touch.at_mm[1], 2)],
        }
        for touch in film.runs[-1].touches
    ]  # fmt: skip


def fallen(table: Table, film: Film) -> list[Json]:
    """What fell in the film, in order, with its pocket and when it first broke a beam.

    The upper one, where it broke that; one that fell past both is timed by when its middle was below the board.
    """
    rows = []
    for i, name in enumerate(film.plan.names):
        for run in film.runs:
            if run.poses[0, i, 2] > -BOARD_MM and run.poses[-1, i, 2] < -BOARD_MM:
                pocket = table.board.nearest_pocket(*(float(v) for v in run.poses[-1, i, :2]))[0]
                path = run.poses[:, i]
                ways = [_blocks(table, name, path, pocket, beam) for beam in BEAMS]
                first = next(np.flatnonzero(way)[0] for way in (*ways, path[:, 2] < -BOARD_MM) if way.any())
                t = round(run.t_s + float(first) * STEP_S * KEPT_EVERY, 4)
                rows.append({"index": i, "piece": name, "pocket": pocket, "t": t})
    return sorted(rows, key=lambda row: float(row["t"]))


def beams(table: Table, film: Film) -> list[Json]:
    """The beam log: every edge, in order."""
    edges = []
    for run in film.runs:
        deep = np.flatnonzero((run.poses[:, :, 2] < 0.0).any(axis=0))
        for pocket in table.board.pockets_mm:
            for beam in BEAMS:
                blocked = np.zeros(len(run.poses), dtype=bool)
                for i in deep:
                    blocked |= _blocks(table, film.plan.names[i], run.poses[:, i], pocket, beam)
                for at in np.flatnonzero(np.diff(blocked.astype(int))) + 1:
                    t = round(run.t_s + float(at) * STEP_S * KEPT_EVERY, 4)
                    edges.append({"t": t, "pocket": pocket, "beam": beam, "blocked": bool(blocked[at])})
    return sorted(edges, key=lambda edge: edge["t"])


def _blocks(table: Table, name: str, path: npt.NDArray[np.float32], pocket: str, beam: str) -> npt.NDArray[np.bool_]:
    """When a piece on its path (T, 7) lies across a beam."""
    depth, way = BEAMS[beam]
    cx, cy = table.board.pockets_mm[pocket]
    radius, half = table.board.radius_mm(name), thickness_mm(table, name) / 2.0
    out = np.zeros(len(path), dtype=bool)
    near = np.flatnonzero(
        (np.hypot(path[:, 0] - cx, path[:, 1] - cy) < 60.0) & (np.abs(path[:, 2] - depth) < radius + half)
    )
    if not len(near):
        return out
    along = np.linspace(-BEAM_REACH_MM, BEAM_REACH_MM, 41) / 2**0.5
    points = np.stack((cx + along, cy + way * along, np.full_like(along, depth)), 1)
    away = points[None] - path[near, None, :3]
    w, x, y, z = (path[near, i].astype(np.float64) for i in (3, 4, 5, 6))
    axis = np.stack((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)), 1)
    up = np.einsum("tpk,tk->tp", away, axis)
    across = np.linalg.norm(away - up[..., None] * axis[:, None], axis=2)
    out[near] = ((np.abs(up) < half) & (across < radius)).any(axis=1)
    return out


def _lines(near: Json) -> str:
    return ("none", "one", "both")[(near["outer"] > 0) + (near["inner"] > 0)]


def _circle(near: Json) -> str:
    if near["circle"] > 0:
        return "clear"
    return "covered" if near["cover"] > 0 else "partial"


def _beyond(board: Board, pose: npt.NDArray[np.float64]) -> bool:
    return bool(np.abs(pose[:2]).max() > board.half_mm and pose[2] > -BOARD_MM)


def _was_on(table: Table, film: Film, number: int) -> bool:
    return any(not _beyond(table.board, run.poses[0, number].astype(np.float64)) for run in film.runs[-1:])


def _left(board: Board, film: Film) -> bool:
    """Whether the striker ever lay off its base line's both paints, or fell."""
    r = board.striker_diameter_mm / 2
    for x, y, z in film.runs[-1].poses[:, -1, :3]:
        across, back = board_to_seat(film.plan.seat, float(x), float(y))
        away = board.half_mm - back
        passed = away - r > board.inner_line_mm[1] or away + r < board.outer_line_mm[0]
        if z < 0 or passed or abs(across) > board.line_half_length_mm + r:
            return True
    return False
