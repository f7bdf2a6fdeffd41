"""The fast way past pictures: what good vision would have reported of a simulated match, errors included.

Turns the table's happenings straight into observations and beam edges, thousands of strokes a minute, for measuring
what comes after vision. The errors are drawn, not learnt from real vision; how vision works is not known here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, hypot, pi, sin
from typing import Literal

import numpy as np

from controller.events.beams import BeamEdge, BeamHealth
from controller.events.match import Shot
from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    Hand,
    HandsSeen,
    MotionBegan,
    Observation,
    Sample,
    SeenPiece,
    StrikerSeen,
    StrokeSeen,
    Touch,
    Track,
    Vanished,
)
from controller.events.words import Grade, Piece, Pocket, Seat
from controller.simulator.arms import outline_mm
from controller.simulator.clock import EPOCH_NS
from controller.simulator.director import Performed, SimulatedTable
from controller.simulator.hands import PUSH_MM, beside, over_pocket
from controller.simulator.happenings import BeamChange, Decision, FrameDue, TrueRuling
from controller.simulator.motion import Fall, Motion, Pose
from controller.simulator.pieces import STRIKER
from controller.simulator.scene import ArmPose

_STILL_NS = 250_000_000
_U95 = 2.448
"""Radius in standard deviations that holds 95 % of a round normal distribution."""
_POLYGON_MM = 55.0


@dataclass(frozen=True, slots=True)
class Eyesight:
    """How well the simulated vision works. Shares are per piece and board unless it says otherwise.

    `sigma_mm`: standard deviation of a resting piece's position, each axis; `moving_mm` of a moving one's;
    `heading_deg` of the way a striker set out. `unsure`: share with a class in doubt; `missed`: share not seen at all;
    `hidden`: share of strokes after which a part of the board is covered. `grade` decides what vision reports of
    touches.

    Confident and wrong: `swapped` takes a coin for one of another colour, `as_striker` a coin for the
    striker or the striker for a coin, `doubled` sees one more beside it, `astray` finds it up to `astray_mm` off with
    an ordinary `u95_mm`. `lasting`: the share of such errors, and of those missed, that stay while it lies there.
    """

    grade: Grade = "match"
    fps: float = 60.0
    sigma_mm: float = 0.2
    moving_mm: float = 0.6
    heading_deg: float = 0.8
    unsure: float = 0.001
    missed: float = 0.00002
    hidden: float = 0.01
    swapped: float = 0.0
    as_striker: float = 0.0
    doubled: float = 0.0
    astray: float = 0.0
    astray_mm: float = 4.0
    lasting: float = 0.5


Flaw = Literal["missed", "swapped", "as_striker", "doubled", "astray"]
_FLAW_S = 0.5
"""How long an error stays that does not last."""


Seen = Observation | BeamEdge | BeamHealth | TrueRuling | Decision


class ObservedTable:
    """Plays a table and says what is seen and felt of it, in the order in which it would be reported."""

    def __init__(self, table: SimulatedTable, eyesight: Eyesight | None = None, seed: int = 0) -> None:
        self.table = table
        self.eyesight = eyesight or Eyesight()
        self._rng = np.random.default_rng(seed + 104_729)
        self._seq = 0
        self._said_s = -1.0
        self._lost: list[float] = []
        self._since_ns = EPOCH_NS
        self._pieces = table.setting.pieces
        self._flaws: dict[tuple[int, float, float], tuple[Flaw | None, float, float]] = {}
        self.flaws = 0

    def play(self) -> Iterator[Seen]:
        """Observations, beam edges, the truth and the decisions. Whoever reads releases the decisions."""
        for happening in self.table.play():
            if isinstance(happening, FrameDue):
                if happening.lost:
                    self._lost.append(happening.t_s)
                if happening.t_s - self._said_s >= 1.0:
                    yield from self._health(happening.t_s, happening.lost)
            elif isinstance(happening, BeamChange):
                yield self._edge(happening)
            elif isinstance(happening, TrueRuling):
                if isinstance(happening.event, Shot) and self.table.latest is not None:
                    yield from self._stroke(self.table.latest)
                    yield from self._health(happening.t_s, False)
                yield happening
            elif isinstance(happening, Decision):
                if happening.kind in ("ready", "missing", "drop"):
                    yield from self._rest(happening.t_s)
                yield happening

    # -- signs of life

    def _health(self, t_s: float, stalled: bool) -> Iterator[Seen]:
        self._said_s = t_s
        t = _ns(t_s)
        sight = self.eyesight
        yield EyesHealth(t, "stalled" if stalled else "ok", t, sight.grade, sight.fps)
        yield BeamHealth(t, "up")

    def _edge(self, change: BeamChange) -> BeamEdge:
        self._seq += 1
        t = _ns(change.t_s) + int(self._rng.normal(0, 60_000))
        return BeamEdge(t, change.pocket, change.beam, change.blocked, "51d2", self._seq - 1, 60_000)

    def _rest(self, t_s: float) -> Iterator[Seen]:
        """The board as it lies between strokes, hands gone."""
        self._since_ns = _ns(t_s) - _STILL_NS
        yield HandsSeen(_ns(t_s) - _STILL_NS, ())
        yield self._board(self.table.lying, _ns(t_s), self._since_ns)
        yield from self._health(t_s, False)

    # -- one stroke

    def _stroke(self, done: Performed) -> Iterator[Seen]:
        played, motion = done.played, done.played.motion
        seat = played.stroke.seat
        struck_ns = _ns(done.strike_s)
        # An episode begins with the first thing that moves, be it a piece that a hand shoves.
        began_ns = struck_ns if played.nudge is None else _ns(done.strike_s - 0.25)
        ended_ns = _ns(done.run_s + motion.rest_s)
        said_ns = max(ended_ns + _STILL_NS, _ns(done.calm_s) - _STILL_NS)
        placed = Pose(*played.placed_mm, 0.0, 0.3)
        before = self._board({**done.before, STRIKER: placed}, struck_ns - 120_000_000, _ns(done.placed_s))
        hand = self._hand(seat, played.placed_mm)
        yield HandsSeen(_ns(done.placed_s) - 200_000_000, (hand,))
        yield before
        yield MotionBegan(struck_ns, "striker", played.placed_mm, True)
        blind = self._blind(done.strike_s - 0.3, done.run_s + motion.end_s)
        hidden, under = self._hidden(done.after)
        rest = motion.resting().get(STRIKER)
        lying = {**done.after, **({STRIKER: rest} if rest is not None else {})}
        after = self._board({n: p for n, p in lying.items() if n not in under}, said_ns, ended_ns, hidden)
        covered = (
            {fall.pocket for fall in motion.falls[:1]} if played.faults & {"hand_over_pocket", "hidden_fall"} else set()
        )
        both = [hand]
        if "two_hands" in played.faults:
            both.append(self._hand(seat, beside(played.stroke, done.before, self._pieces)[0]))
        elif "two_hands" in played.flags and played.nudge is not None:
            both.append(self._hand(seat, (played.nudge.after.x_mm, played.nudge.after.y_mm)))
        hands = [HandsSeen(struck_ns - 60_000_000, tuple(both)), HandsSeen(struck_ns + 500_000_000, ())]
        if played.nudge is not None:
            at = played.nudge.after
            hands.insert(0, HandsSeen(struck_ns - 200_000_000, (hand, self._hand(seat, (at.x_mm, at.y_mm)))))
        hands += [
            HandsSeen(
                _ns(done.run_s + motion.falls[0].t_s) - 300_000_000,
                (self._hand(_opposite(seat), over_pocket(self._pieces.board, p)),),
            )
            for p in covered
        ]
        tracks = tuple(self._tracks(done, blind, covered, under))
        frames = int((ended_ns - struck_ns) * 1e-9 * self.eyesight.fps)
        lost = sum(1 for t in self._lost if done.strike_s - 0.3 <= t <= done.run_s + motion.end_s)
        yield StrokeSeen(
            t_ns=said_ns,
            began_ns=began_ns,
            ended_ns=ended_ns,
            grade=self.eyesight.grade,
            before=before,
            after=after,
            tracks=tracks,
            touches=self._touches(motion, done.run_s, tracks) if self.eyesight.grade != "basic" else (),
            struck=self._striker(done, blind),
            hands=tuple(hands),
            touches_seen=self.eyesight.grade != "basic" and not blind,
            shake_mm=2.0 if "bump" in played.faults else 0.0,
            frames=frames,
            lost_frames=lost,
            blind=tuple((_ns(a), _ns(b)) for a, b in blind),
        )
        yield HandsSeen(said_ns, ())

    def _striker(self, done: Performed, blind: list[tuple[float, float]]) -> StrikerSeen:
        played, motion, rng = done.played, done.played.motion, self._rng
        x, y = played.placed_mm
        radius = self._pieces.radius(STRIKER)
        sight = self.eyesight.sigma_mm
        lying = dict(done.before)
        if played.nudge is not None:
            lying[played.nudge.name] = played.nudge.after
        gap = min(
            (hypot(x - p.x_mm, y - p.y_mm) - radius - self._pieces.radius(n) for n, p in lying.items()), default=1e3
        )
        vx, vy = played.stroke.velocity
        ends = [(s.x_mm, s.y_mm) for s in motion.segments[motion.names.index(STRIKER)]]
        rest = motion.resting().get(STRIKER)
        ends += [(rest.x_mm, rest.y_mm)] if rest is not None else []
        far = max(hypot(ex - x, ey - y) for ex, ey in ends)
        at_start = any(a <= done.strike_s <= b for a, b in blind)
        return StrikerSeen(
            placed=self._see(STRIKER, Pose(x, y, 0.0, 0.0)),
            gap_mm=gap + float(rng.normal(0, sight * 1.2)),
            first_motion_ns=_ns(done.strike_s) + int(rng.normal(0, 0.2e9 / self.eyesight.fps)),
            u_first_motion_ns=int(0.3e9 / self.eyesight.fps),
            heading_deg=None if at_start else degrees(atan2(vy, vx)) + float(rng.normal(0, self.eyesight.heading_deg)),
            u_heading_deg=None if at_start else self.eyesight.heading_deg,
            speed_mm_s=None if at_start else hypot(vx, vy) * (1 + float(rng.normal(0, 0.03))),
            left_by_mm=far,
            hand_follow_mm=PUSH_MM if played.pushed else abs(float(rng.normal(9, 2))),
            track=STRIKER,
        )

    def _touches(self, motion: Motion, run_s: float, tracks: tuple[Track, ...]) -> tuple[Touch, ...]:
        """The striker's touches; those closer together than a frame have no certain order.

        What was met lay as far off its true place as it was seen to lie before it moved.
        """
        starts = {track.track: track.start for track in tracks}
        u = int(0.25e9 / self.eyesight.fps)
        found: list[Touch] = []
        for hit in motion.hits:
            if STRIKER not in (hit.name, hit.other):
                continue
            other = hit.other if hit.name == STRIKER else hit.name
            t = _ns(run_s + hit.t_s) + int(self._rng.normal(0, u / 2))
            if other is None:
                found.append(Touch(t, u, "cushion", (hit.x_mm, hit.y_mm)))
                continue
            pose, lay, seen = motion.sample(other, hit.t_s), motion.sample(other, 0.0), starts.get(other)
            at = (pose.x_mm, pose.y_mm) if pose is not None else (hit.x_mm, hit.y_mm)
            if lay is not None and seen is not None:
                at = (at[0] + seen.x_mm - lay.x_mm, at[1] + seen.y_mm - lay.y_mm)
            if found and found[-1].track == other and t - found[-1].t_ns < 4 * u:
                continue
            found.append(Touch(t, u, self._pieces.piece(other), at, other))
        found.sort(key=lambda touch: touch.t_ns)
        close = [b.t_ns - a.t_ns < 2 * u for a, b in itertools.pairwise(found)]
        unsure = [near or after for near, after in zip([False, *close], [*close, False], strict=True)]
        return tuple(
            Touch(t.t_ns, t.u_ns, t.touched, t.at, t.track, certain=not doubt)
            for t, doubt in zip(found, unsure, strict=False)
        )

    def _tracks(
        self,
        done: Performed,
        blind: list[tuple[float, float]],
        covered: set[Pocket],
        under: set[int],
    ) -> Iterator[Track]:
        motion = done.played.motion
        nudge = done.played.nudge
        if nudge is not None:
            start, end = self._see(nudge.name, nudge.before), self._see(nudge.name, nudge.after)
            span = _ns(done.strike_s - 0.25), _ns(done.strike_s - 0.1)
            spots = ((start.x_mm, start.y_mm), (end.x_mm, end.y_mm))
            path = tuple(Sample(t, *spot) for t, spot in zip(span, spots, strict=True))
            yield Track(100 + nudge.name, start.piece, start, end, *span, path, by_hand=True)
        for name in motion.names:
            first = motion.first_motion_s(name)
            start_pose = motion.sample(name, 0.0)
            if first is None or start_pose is None:
                continue
            start = self._see(name, start_pose)
            gone = next((fall for fall in motion.falls if fall.name == name), None)
            leap = next((leap for leap in motion.leaps if leap.name == name), None)
            end_pose = motion.resting().get(name)
            last = self._last_motion(motion, name)
            samples = self._samples(motion, name, done.run_s, first, last, blind)
            vanished: Vanished | None = None
            if gone is not None:
                vanished = self._vanished(gone, done.run_s, blind, gone.pocket in covered)
            elif leap is not None:
                vanished = Vanished(_ns(done.run_s + leap.gone_s), 20_000_000, "frame", (leap.x_mm, leap.y_mm))
            elif name in under and end_pose is not None:
                vanished = Vanished(_ns(done.run_s + last), 50_000_000, "hand", (end_pose.x_mm, end_pose.y_mm))
            ends = self._see(name, end_pose) if end_pose is not None and vanished is None else None
            span = _ns(done.run_s + first), _ns(done.run_s + last)
            yield Track(name, start.piece, start, ends, *span, samples, vanished, odds=start.odds)

    def _vanished(self, fall: Fall, run_s: float, blind: list[tuple[float, float]], covered: bool) -> Vanished:
        t = run_s + fall.t_s
        u = int(0.5e9 / self.eyesight.fps)
        if covered:
            return Vanished(_ns(t) - 40_000_000, 60_000_000, "hand", (fall.x_mm, fall.y_mm), fall.pocket)
        if any(a <= t <= b for a, b in blind):
            return Vanished(_ns(t), int((blind[0][1] - blind[0][0]) * 1e9), "unknown", (fall.x_mm, fall.y_mm), None)
        return Vanished(_ns(t) + int(self._rng.normal(0, u / 2)), u, "pocket", (fall.x_mm, fall.y_mm), fall.pocket)

    def _samples(
        self, motion: Motion, name: int, run_s: float, first: float, last: float, blind: list[tuple[float, float]]
    ) -> tuple[Sample, ...]:
        found = []
        step = 1.0 / self.eyesight.fps
        for t in np.arange(first, last + step, step):
            pose = motion.sample(name, float(t))
            at = run_s + float(t)
            if pose is None or pose.z_mm < -1.0 or any(a <= at <= b for a, b in blind):
                continue
            dx, dy = self._rng.normal(0, self.eyesight.moving_mm, 2)
            found.append(Sample(_ns(at), pose.x_mm + float(dx), pose.y_mm + float(dy)))
        return tuple(found)

    @staticmethod
    def _last_motion(motion: Motion, name: int) -> float:
        for fall in motion.falls:
            if fall.name == name:
                return fall.t_s
        return float(motion.segments[motion.names.index(name)][-1].t_s)

    # -- boards

    def _board(
        self,
        lying: Mapping[int, Pose],
        t_ns: int,
        since_ns: int,
        hidden: tuple[tuple[tuple[float, float], ...], ...] = (),
    ) -> BoardSeen:
        seen: list[SeenPiece] = []
        for name, pose in lying.items():
            flaw, _ = self._flaw(name, pose)
            if flaw == "missed":
                continue
            piece = self._see(name, pose)
            seen.append(piece)
            if flaw == "doubled":
                turn = float(self._rng.uniform(0, 2 * pi))
                reach = self._pieces.coin_diameter_mm
                beside = (piece.x_mm + reach * cos(turn), piece.y_mm + reach * sin(turn))
                seen.append(replace(piece, x_mm=beside[0], y_mm=beside[1]))
        return BoardSeen(t_ns, since_ns, tuple(seen), hidden)

    def _flaw(self, name: int, pose: Pose) -> tuple[Flaw | None, float]:
        """What vision gets wrong of a piece that lies there, if anything, and the direction of it."""
        sight = self.eyesight
        shares: dict[Flaw, float] = {
            "missed": sight.missed,
            "swapped": sight.swapped,
            "as_striker": sight.as_striker,
            "doubled": sight.doubled,
            "astray": sight.astray,
        }
        if not any(shares.values()):
            return None, 0.0
        key = (name, round(pose.x_mm, 2), round(pose.y_mm, 2))
        known = self._flaws.get(key)
        if known is not None and self.table.t_s <= known[2]:
            return known[0], known[1]
        drawn, found = float(self._rng.random()), None
        for flaw, share in shares.items():
            drawn -= share
            if drawn < 0:
                found, self.flaws = flaw, self.flaws + 1
                break
        lasts = found is not None and self._rng.random() < sight.lasting
        until = self.table.t_s + (1e9 if lasts else _FLAW_S)
        self._flaws[key] = (found, float(self._rng.uniform(0, 2 * pi)), until)
        return self._flaws[key][:2]

    def _see(self, name: int, pose: Pose) -> SeenPiece:
        sigma = self.eyesight.sigma_mm * float(self._rng.uniform(0.7, 1.4))
        dx, dy = (float(v) for v in self._rng.normal(0, sigma, 2))
        piece = self._pieces.piece(name)
        odds: tuple[tuple[Piece, float], ...] = ()
        flaw, turn = self._flaw(name, pose)
        if flaw == "swapped" and piece != "striker":
            piece = "black" if piece == "white" else "white" if turn < pi or piece == "queen" else "queen"
        elif flaw == "as_striker":
            piece = "striker" if piece != "striker" else "white" if turn < pi else "black"
        elif flaw == "astray":
            off = 1.0 + (self.eyesight.astray_mm - 1.0) * (turn / (2 * pi))
            dx, dy = dx + off * cos(7 * turn), dy + off * sin(7 * turn)
        elif piece != "striker" and self._rng.random() < self.eyesight.unsure:
            other: Piece = {"white": "black", "black": "white", "queen": "black"}[piece]  # type: ignore[assignment]
            weight = float(self._rng.uniform(0.55, 0.97))
            # Calibrated: the likelier class is the true one as often as its weight says.
            if self._rng.random() >= weight:
                piece, other = other, piece
            odds = ((piece, weight), (other, 1 - weight))
        board = self._pieces.board
        pocket, far = board.nearest_pocket(pose.x_mm, pose.y_mm)
        mouth: Pocket | None = pocket if far < board.pocket_radius_mm + 12.0 else None  # type: ignore[assignment]
        confidence = odds[0][1] if odds else 1.0
        return SeenPiece(piece, pose.x_mm + dx, pose.y_mm + dy, sigma * _U95, confidence, in_mouth=mouth, odds=odds)

    def _hidden(self, lying: Mapping[int, Pose]) -> tuple[tuple[tuple[tuple[float, float], ...], ...], set[int]]:
        """Now and then something covers a part of the board after a stroke, and what lies there."""
        if not lying or self._rng.random() >= self.eyesight.hidden:
            return (), set()
        x, y = (float(v) for v in self._rng.uniform(-300, 300, 2))
        d = _POLYGON_MM
        polygon = ((x - d, y - d), (x + d, y - d), (x + d, y + d), (x - d, y + d))
        radius = self._pieces.coin_diameter_mm / 2
        under = {n for n, p in lying.items() if abs(p.x_mm - x) < d + radius and abs(p.y_mm - y) < d + radius}
        return (polygon,), under

    def _blind(self, from_s: float, to_s: float) -> list[tuple[float, float]]:
        """Spans of more than three frames without a picture."""
        spans: list[tuple[float, float]] = []
        step = 1.0 / self.table.setting.fps
        for t in self._lost:
            if not from_s <= t <= to_s:
                continue
            if spans and t - spans[-1][1] < 1.5 * step:
                spans[-1] = (spans[-1][0], t + step / 2)
            else:
                spans.append((t - step / 2, t + step / 2))
        self._lost = [t for t in self._lost if t > to_s - 5.0]
        return [(a, b) for a, b in spans if b - a > 3 * step]

    @staticmethod
    def _hand(seat: Seat, at: tuple[float, float]) -> Hand:
        outline = outline_mm(ArmPose(seat, *at, 10.0))
        return Hand(tuple((float(x), float(y)) for x, y in outline), seat)


def _opposite(seat: Seat) -> Seat:
    others: dict[Seat, Seat] = {"south": "north", "north": "south", "east": "west", "west": "east"}
    return others[seat]


def _ns(t_s: float) -> int:
    return EPOCH_NS + round(t_s * 1e9)
