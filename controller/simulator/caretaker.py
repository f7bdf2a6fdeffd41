"""Between strokes: whose pieces lie where, and the hands that put everything as the engine wants it.

Takes the striker off, undoes void strokes, places what comes back and what is due (or forgets to). Knows the words of
the engine's expectation, never its rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from math import cos, hypot, pi, sin
from typing import cast

import numpy as np

from controller.events.expectation import ToPlace
from controller.events.match import Drop
from controller.events.ruling import Ruling
from controller.events.words import Colour, Piece, Pocket, Seat
from controller.simulator import hands
from controller.simulator.happenings import Decision, Happening, TrueRuling
from controller.simulator.motion import Fall, Motion, Pose
from controller.simulator.pieces import STRIKER, PieceSet, free_near, is_free
from controller.simulator.scenario import Fault
from controller.simulator.scene import PoseAt
from controller.simulator.strokes import Played
from controller.simulator.timeline import Timeline
from controller.simulator.umpire import Umpire

DUE_FAULTS: frozenset[Fault] = frozenset({"due_forgotten", "due_wrong_colour"})
_STRAY_MM = 3.0


class Caretaker:
    """Keeps the pieces of one table: `lying` on the board, `nets` in the pockets (None: off the board).

    `repaired` counts how often the pieces on the board were not those that the engine believes there, after everything
    had been put right; then they are made to agree by hand. With a sound engine it stays 0.
    """

    def __init__(
        self,
        time: Timeline,
        umpire: Umpire,
        pieces: PieceSet,
        seats: Sequence[Seat],
        odds: Mapping[Fault, float],
        rng: np.random.Generator,
    ) -> None:
        self._time = time
        self._umpire = umpire
        self._pieces = pieces
        self._seats = list(seats)
        self._odds = odds
        self._rng = rng
        self.lying: dict[int, Pose] = {}
        self.nets: dict[int, Pocket | None] = {}
        self.repaired = 0

    def take_over(self, motion: Motion) -> None:
        """Everything lies where a run has left it."""
        self.lying = {name: pose for name, pose in motion.resting().items() if name != STRIKER}
        for fall in motion.falls:
            self.nets[fall.name] = fall.pocket
        for leap in motion.leaps:
            self.nets[leap.name] = None

    def put_right(
        self, final: Ruling, played: Played, before: dict[int, Pose], stroke: int
    ) -> Generator[Happening, None, bool]:
        """The striker is taken off; a void stroke is undone; what comes back and what is due is placed.

        Returns whether anything was placed.
        """
        seat = played.stroke.seat
        rest = played.motion.resting().get(STRIKER)
        t = self._time.t_s + 0.1
        if rest is not None:
            t = hands.take_away(self._time.reel, seat, STRIKER, (rest.x_mm, rest.y_mm), t)
        self.nets.pop(STRIKER, None)
        if final.board.over or final.match_over:
            yield from self._time.until(t + 0.3)
            return False
        other = next((s for s in self._seats if side_of(self._umpire, s) != side_of(self._umpire, seat)), seat)
        undo, placing = self._undoing(before)
        places = self.to_place() if placing else ()
        if undo:
            t = hands.put_back(self._time.reel, other, self.lying, before, t)
            self.lying = dict(before)
            self.nets = {name: pocket for name, pocket in self.nets.items() if name not in before}
        for wanted in places:
            by = wanted.by if wanted.by in self._seats else other
            if wanted.within is None:
                t = self._place(wanted.piece, wanted.at_mm or (0.0, 0.0), by or other, t)
                continue
            wish = self._within(*wanted.within)
            if played.faults & DUE_FAULTS and wanted.piece in ("white", "black"):
                t = yield from self._bad_due(wanted.piece, wish, by or other, t, played.faults, stroke)
            else:
                t = self._place(wanted.piece, wish, by or other, t)
        t = self._agree(other, t)
        yield from self._time.until(t + 0.45)
        return undo or bool(places)

    def to_place(self) -> tuple[ToPlace, ...]:
        """What the engine wants placed."""
        expects = self._umpire.expects
        return () if expects is None else expects.to_place

    def _undoing(self, before: dict[int, Pose]) -> tuple[bool, bool]:
        """Whether the engine wants the position from before the stroke back, and whether pieces are to be placed then.

        What a void stroke found already placed still stands among the pieces to place: it is not placed twice.
        """
        expects = self._umpire.expects
        if expects is None:
            return False, False
        kinds = self._pieces
        full = +Counter(dict(expects.on_board))
        placing = Counter(place.piece for place in expects.to_place)
        now, then = (Counter(kinds.piece(name) for name in lying) for lying in (self.lying, before))
        if now + placing != full:
            return (True, False) if then == full else (then + placing == full, True)
        stray = sum(
            all(kinds.piece(n) != piece or hypot(p.x_mm - x, p.y_mm - y) > _STRAY_MM for n, p in self.lying.items())
            for piece, x, y in expects.rest_mm
        )
        return stray > sum(placing.values()) and then + placing == full, True

    def _agree(self, seat: Seat, t: float) -> float:
        """Makes the board's pieces those that the engine believes there. Returns when done."""
        expects = self._umpire.expects
        counts = dict(expects.on_board) if expects is not None else {}
        for piece, count in counts.items():
            here = [name for name in self.lying if self._pieces.piece(name) == piece]
            self.repaired += len(here) != count
            for name in here[count:]:
                pose = self.lying.pop(name)
                self.nets[name] = None
                t = hands.take_away(self._time.reel, seat, name, (pose.x_mm, pose.y_mm), t)
            for _ in range(count - len(here)):
                t = self._place(piece, (0.0, 0.0), seat, t)
        return t

    def _place(self, piece: Piece, wish: tuple[float, float], seat: Seat, t: float) -> float:
        """A hand takes a piece out of the nets and puts it as near to a wish as there is room. Returns when done."""
        name = next((n for n in self.nets if self._pieces.piece(n) == piece), None)
        if name is None:
            return t
        del self.nets[name]
        radius = self._pieces.radius(name)
        spot = wish if is_free(*wish, radius, self.lying, self._pieces, -0.01) else None
        x, y = spot or free_near(*wish, radius, self.lying, self._pieces)
        pose = Pose(x, y, 0.0, float(self._rng.uniform(0, 2 * pi)))
        self.lying[name] = pose
        return hands.put_down(self._time.reel, seat, name, pose, t)

    def _bad_due(
        self, colour: Colour, wish: tuple[float, float], seat: Seat, t: float, faults: frozenset[Fault], stroke: int
    ) -> Generator[Happening, None, float]:
        """A due that is forgotten, or paid in the wrong colour, until somebody says so. Returns when it is right."""
        wrong: Colour = "black" if colour == "white" else "white"
        held = [n for n in self.nets if self._pieces.piece(n) == wrong]
        if "due_wrong_colour" in faults and held:
            t = self._place(wrong, wish, seat, t)
            yield from self._time.until(t + 1.2)
            yield from self._time.wait(Decision("missing", self._time.t_s, stroke, faults=faults))
            at = self.lying.pop(held[0])
            self.nets[held[0]] = None
            t = hands.take_away(self._time.reel, seat, held[0], (at.x_mm, at.y_mm), self._time.t_s + 0.1)
        else:
            yield from self._time.until(t + 1.2)
            yield from self._time.wait(Decision("missing", self._time.t_s, stroke, faults=faults))
            t = self._time.t_s + 0.1
        return self._place(colour, wish, seat, t)

    def _within(self, centre: tuple[float, float], inner: float, outer: float) -> tuple[float, float]:
        """A free spot in a ring, or its middle where there is none."""
        radius = self._pieces.coin_diameter_mm / 2
        for _ in range(300):
            r = float(self._rng.uniform(inner, max(outer - radius, inner + 1.0)))
            a = float(self._rng.uniform(0, 2 * pi))
            x, y = centre[0] + r * cos(a), centre[1] + r * sin(a)
            if is_free(x, y, radius, self.lying, self._pieces, 2.0):
                return x, y
        return centre

    def rim_hanger(self, stroke: int) -> Iterator[Happening]:
        """A piece that hangs over a rim may fall by itself between strokes, where the scenario has it so."""
        odds = self._odds.get("rim_hanger_falls", 0.0)
        if not odds or self._rng.random() >= odds:
            return
        board = self._pieces.board
        for name, pose in list(self.lying.items()):
            pocket, far = board.nearest_pocket(pose.x_mm, pose.y_mm)
            if far > board.pocket_radius_mm + 6.0:
                continue
            cx, cy = board.pockets_mm[pocket]
            piece = self._pieces.piece(name)
            pull = ((cx - pose.x_mm) * 6, (cy - pose.y_mm) * 6)
            fall = Fall(0.0, name, piece, cast(Pocket, pocket), pose.x_mm, pose.y_mm, *pull, board)
            at = self._time.t_s + 0.3
            self._time.reel.follow(name, at, _toppling(fall, at, pose.angle_rad))
            self._time.reel.away(name, at + 0.4)
            for change in self._time.disturb.falls([fall], at, self._pieces):
                self._time.at(change)
            del self.lying[name]
            self.nets[name] = fall.pocket
            yield from self._time.until(at + 1.2)
            drop = Drop(fall.piece, fall.pocket, True, "vibration", round(at, 3))
            ruling = self._umpire.rule(drop)
            yield TrueRuling(self._time.t_s, drop, ruling)
            yield from self._time.wait(Decision("drop", self._time.t_s, stroke, ruling=ruling, event=drop))
            # Some books put such a piece back, where it was or on a spot.
            t = self._time.t_s + 0.1
            for back in ruling.returned:
                t = self._place(back.piece, back.to or (pose.x_mm, pose.y_mm), self._seats[0], t)
            yield from self._time.until(self._agree(self._seats[0], t) + 0.45)
            return


def side_of(umpire: Umpire, seat: Seat) -> Seat:
    """The side that a seat plays for."""
    expects = umpire.expects
    return dict(expects.sides).get(seat, seat) if expects is not None else seat


def colour_of(umpire: Umpire, seat: Seat) -> Colour:
    """A seat's colour, or its side's; before colours are fixed the breaker's is white."""
    expects = umpire.expects
    colours: dict[Seat, Colour] = dict(expects.colours) if expects is not None else {}
    return colours.get(seat) or colours.get(side_of(umpire, seat)) or "white"


def _toppling(fall: Fall, at_s: float, angle_rad: float) -> PoseAt:
    return lambda t: fall.pose(t - at_s, angle_rad)
