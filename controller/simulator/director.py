"""The simulated table: matches played stroke by stroke on simulated time, seen and felt as they go.

`SimulatedTable.play` is a generator of happenings in order of time: a frame is due, a beam changes, the table waits
for a decision. The truth is ruled on by the real engine. Knows no picture, no socket and no other clock.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from math import hypot, pi
from typing import cast

import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.events.expectation import ToPlace
from controller.events.match import Answer, Drop, Start
from controller.events.ruling import Ruling
from controller.events.words import Colour, Piece, Pocket, Seat
from controller.simulator import hands
from controller.simulator.happenings import BeamChange, Decision, FrameDue, Happening, Knocked, Told
from controller.simulator.motion import Fall, Pose
from controller.simulator.physics import Material
from controller.simulator.pieces import STRIKER, PieceSet, free_near, is_free, opening
from controller.simulator.players import break_stroke, choose, unsteady
from controller.simulator.scenario import SCENARIOS, Fault, Scenario
from controller.simulator.scene import PoseAt, Reel
from controller.simulator.sensors import Disturbances
from controller.simulator.strokes import Played, prepare
from controller.simulator.tour import TOUR, Goal, Turn, reach
from controller.simulator.truth import true_shot
from controller.simulator.umpire import Umpire

_STILL_S = 0.7
"""How long everything lies still after a stroke before anybody moves."""
_DUE_FAULTS: frozenset[Fault] = frozenset({"due_forgotten", "due_wrong_colour"})
_STRAY_MM = 3.0
_PATIENCE = 2
"""How often a goal of the tour is tried before it is given up."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A match to be played: the `start` event, the pieces, what they slide on, how it is played, by which seed."""

    start: Start
    pieces: PieceSet = field(default_factory=PieceSet)
    material: Material = field(default_factory=Material)
    scenario: Scenario = field(default_factory=lambda: SCENARIOS["clean"])
    seed: int = 0
    fps: float = 30.0
    matches: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Performed:
    """A stroke on the time line: when the striker was put down and struck, when the physics took over, when it ended.

    `before` and `after`: where the other pieces lay, before anything touched them and at rest.
    """

    played: Played
    placed_s: float
    strike_s: float
    run_s: float
    calm_s: float
    before: dict[int, Pose]
    after: dict[int, Pose]


class SimulatedTable:
    """Plays on for ever, or until `matches` matches are over. Use `play` once; read `reel` for what is to be seen.

    `mended` counts how often the pieces on the board were not those that the engine believes there, after everything
    had been put right; then they are made to agree by hand. With a sound engine it stays 0.
    """

    def __init__(self, setting: Setting, umpire: Umpire) -> None:
        self.setting = setting
        self.umpire = umpire
        self.reel = Reel()
        self.t_s = 0.0
        self.strokes = 0
        self.lying: dict[int, Pose] = {}
        self.nets: dict[int, Pocket | None] = {}
        self._rng = np.random.default_rng(setting.seed)
        self._disturb = Disturbances(setting.scenario, np.random.default_rng(setting.seed + 7919), setting.fps)
        self._due: list[tuple[float, int, BeamChange | Knocked]] = []
        self._order = 0
        self._frame = 0
        self._turn_began = 0.0
        self._goals: list[Goal] = list(TOUR) if setting.scenario.tour else []
        self._goal_tries = 0
        self._in_hand: dict[Seat, int] = {}
        self.mended = 0
        self.latest: Performed | None = None

    def play(self) -> Iterator[Happening]:
        """Everything that happens, in order of time."""
        for _ in range(self.setting.matches):
            yield from self._match()

    # -- time

    def _until(self, t_s: float) -> Iterator[Happening]:
        """Lets time go by: frames and beams in order."""
        step = 1.0 / self.setting.fps
        while True:
            frame_t = self._frame * step
            if self._due and self._due[0][0] <= min(frame_t, t_s):
                yield heapq.heappop(self._due)[2]
            elif frame_t <= t_s:
                lost, shake = self._disturb.frame(frame_t)
                yield FrameDue(frame_t, self._frame, lost, shake)
                self._frame += 1
            else:
                break
        self.t_s = max(self.t_s, t_s)
        self.reel.forget_before(t_s - 1.0)

    def _wait(self, decision: Decision) -> Iterator[Happening]:
        """Stands still until the driver has released the decision."""
        yield decision
        while not decision.released:
            yield from self._until(self.t_s + 1.0 / self.setting.fps)

    def _at(self, happening: BeamChange | Knocked) -> None:
        heapq.heappush(self._due, (happening.t_s, self._order, happening))
        self._order += 1

    # -- a match

    def _match(self) -> Iterator[Happening]:
        setting = self.setting
        seats: list[Seat] = list(setting.start.seats)
        yield from self._rack(setting.start.first or seats[0], first=True)
        ruling = self.umpire.rule(setting.start)
        yield Told(self.t_s, setting.start, ruling)
        expects = self.umpire.expects
        whites = dict(expects.book_pieces).get("white") if expects is not None else None
        if whites not in (None, setting.pieces.each):
            raise ValueError(f"the book is played with {whites} of each colour, the set has {setting.pieces.each}")
        self._in_hand = dict(ruling.in_hand)
        self._turn_began = self.t_s
        while not ruling.match_over:
            if ruling.board.over:
                yield from self._rack(ruling.turn or seats[0], first=False)
                self._turn_began = self.t_s
            ruling = yield from self._stroke()
            yield from self._rim_hanger()
        yield from self._wait(Decision("over", self.t_s, self.strokes, ruling=ruling))

    def _rack(self, seat: Seat, *, first: bool) -> Iterator[Happening]:
        """The opening arrangement; between boards it is built by hand."""
        rack = opening(self.setting.pieces, self._rng, float(self._rng.uniform(-8, 8)))
        self.lying, self.nets = dict(rack), {}
        if first and self.t_s == 0.0:
            for name, pose in rack.items():
                self.reel.lie(name, 0.0, pose)
            yield from self._until(1.0)
            return
        yield from self._until(hands.rack_up(self.reel, seat, rack, self.t_s + 0.2) + 0.8)

    def _stroke(self) -> Generator[Happening, None, Ruling]:
        """One stroke from thinking to everything put back. Returns its ruling."""
        expects = self.umpire.expects
        if expects is None or expects.turn is None:
            raise RuntimeError("the engine names nobody to play: a match must have begun and not be over")
        played, goal = self._choose(expects.turn, bool(expects.opening))
        seat = played.stroke.seat
        skill = self.setting.scenario.skill(list(self.setting.start.seats).index(expects.turn))
        begin = self.t_s + float(self._rng.uniform(*skill.think_s))
        placed, strike = hands.bring_striker(self.reel, played.stroke, begin, float(self._rng.uniform(0.35, 0.6)))
        run_s = self._perform(played, placed, strike)
        for change in self._disturb.stroke(played.faults, played.motion, strike, run_s, self.setting.pieces):
            self._at(change)
        rest = run_s + played.motion.rest_s
        calm = run_s + max(played.motion.end_s, played.motion.rest_s) + _STILL_S
        yield from self._until(calm)
        self.strokes += 1
        shot = true_shot(
            seat, played.motion, self.setting.pieces, played.placed_mm, strike, strike - self._turn_began, played.flags
        )
        before = dict(self.lying)
        self._keep(played)
        self.latest = Performed(played, placed, strike, run_s, self.t_s, before, dict(self.lying))
        ruling = self.umpire.rule(shot)
        yield Told(self.t_s, shot, ruling)
        final, answers = yield from self._answer(ruling)
        owes = any(place.within is not None for place in self._to_place())
        if not owes:
            played = replace(played, faults=played.faults - _DUE_FAULTS)
        slip = goal is not None and goal.slip
        name = "" if goal is None else goal.name
        facts = {"stroke": self.strokes, "shot": shot, "ruling": ruling, "faults": played.faults, "goal": name}
        facts |= {"final": final, "answers": answers}
        yield from self._wait(Decision("ruling", self.t_s, slip=slip, **facts))  # type: ignore[arg-type]
        if slip:
            yield from self._until(self.t_s + 0.5)
            yield from self._wait(Decision("correct", self.t_s, **facts))  # type: ignore[arg-type]
        moved = yield from self._put_right(final, played, before)
        yield from self._wait(Decision("ready", self.t_s, self.strokes, ruling=ruling, final=final))
        self._turn_began = rest if final.turn == seat and not moved else self.t_s
        self._in_hand = dict(final.in_hand)
        return final

    def _answer(self, ruling: Ruling) -> Generator[Happening, None, tuple[Ruling, tuple[Answer, ...]]]:
        """The true umpire answers what its engine asks: what was flagged did happen."""
        answers: list[Answer] = []
        for ask in ruling.asks:
            answer = Answer(ask.ask, "foul" if "foul" in ask.choices else ask.choices[0])
            ruling = self.umpire.rule(answer)
            answers.append(answer)
            yield Told(self.t_s, answer, ruling)
        return ruling, tuple(answers)

    def _choose(self, seat: Seat, at_opening: bool) -> tuple[Played, Goal | None]:
        """What is played next: the tour's goal if it can be reached, else what the player would do."""
        setting, rng = self.setting, self._rng
        colour = self._colour(seat)
        side = self._side(seat)
        turn = Turn(seat, colour, self.lying, self._in_hand.get(side, 0), at_opening)
        if self._goals:
            goal = self._goals[0]
            stroke = reach(goal, turn, setting.pieces, setting.material, rng)
            self._goal_tries += 1
            if stroke is not None or self._goal_tries >= _PATIENCE:
                self._goals.pop(0)
                self._goal_tries = 0
            if stroke is not None:
                return prepare(stroke, self.lying, setting.pieces, setting.material, rng, goal.faults), goal
        faults = frozenset[Fault]() if self._goals else setting.scenario.draw(rng)
        if "out_of_turn" in faults:
            others = [other for other in setting.start.seats if other != seat]
            seat = others[int(rng.integers(len(others)))]
            colour = self._colour(seat)
        befalls = "striker pocketed" if faults & _DUE_FAULTS else setting.scenario.outcome(rng)
        stroke = None
        if at_opening:
            stroke = break_stroke(seat, self.lying, setting.pieces, rng)
        elif befalls is not None and not faults - _DUE_FAULTS:
            mishap = next(goal for goal in TOUR if goal.name == befalls)
            stroke = reach(mishap, turn, setting.pieces, setting.material, rng, 60)
            if stroke is not None:
                return prepare(stroke, self.lying, setting.pieces, setting.material, rng, faults), None
        if stroke is None:
            stroke = choose(seat, colour, self.lying, setting.pieces, setting.material, rng)
        skill = setting.scenario.skill(list(setting.start.seats).index(seat))
        return prepare(unsteady(stroke, skill, rng), self.lying, setting.pieces, setting.material, rng, faults), None

    def _perform(self, played: Played, placed_s: float, strike_s: float) -> float:
        """Puts a stroke on the reel. Returns when the physics takes over."""
        stroke, pieces = played.stroke, self.setting.pieces
        if played.nudge is not None:
            hands.nudge(self.reel, stroke, played.nudge.name, played.nudge.before, played.nudge.after, strike_s - 0.25)
        if "two_hands" in played.faults:
            aside = (stroke.at_mm[0] * 0.4 + 60.0, stroke.at_mm[1] * 0.4 + 60.0)
            x, y = free_near(*aside, 30.0, self.lying, pieces)
            hands.cover(self.reel, stroke.seat, (x, y), placed_s, strike_s + 0.2, left=True)
        run_s = strike_s
        if played.pushed:
            run_s = hands.push(self.reel, stroke, played.motion, pieces, placed_s, strike_s)
        else:
            hands.flick(self.reel, stroke, played.motion, pieces, placed_s, strike_s)
        if played.faults & {"hand_over_pocket", "hidden_fall"}:
            fall = min(played.motion.falls, key=lambda f: f.t_s)
            others = [seat for seat in self.setting.start.seats if seat != stroke.seat] or [stroke.seat]
            spot = hands.over_pocket(fall.pocket)
            hands.cover(self.reel, others[0], spot, run_s + max(fall.t_s - 0.35, 0.0), run_s + fall.t_s + 0.35)
        return run_s

    def _keep(self, played: Played) -> None:
        """Takes over where everything lies after a stroke."""
        self.lying = {name: pose for name, pose in played.motion.resting().items() if name != STRIKER}
        for fall in played.motion.falls:
            self.nets[fall.name] = fall.pocket
        for leap in played.motion.leaps:
            self.nets[leap.name] = None

    # -- between strokes

    def _put_right(self, final: Ruling, played: Played, before: dict[int, Pose]) -> Generator[Happening, None, bool]:
        """The striker is taken off; a void stroke is undone; what comes back and what is due is placed.

        Returns whether anything was placed.
        """
        seat = played.stroke.seat
        rest = played.motion.resting().get(STRIKER)
        t = self.t_s + 0.1
        if rest is not None:
            t = hands.take_away(self.reel, seat, STRIKER, (rest.x_mm, rest.y_mm), t)
        self.nets.pop(STRIKER, None)
        if final.board.over or final.match_over:
            yield from self._until(t + 0.3)
            return False
        other = next((s for s in self.setting.start.seats if self._side(s) != self._side(seat)), seat)
        undo, placing = self._undoing(before)
        places = self._to_place() if placing else ()
        if undo:
            t = hands.put_back(self.reel, other, self.lying, before, t)
            self.lying = dict(before)
            self.nets = {name: pocket for name, pocket in self.nets.items() if name not in before}
        for wanted in places:
            by = wanted.by if wanted.by in self.setting.start.seats else other
            if wanted.within is None:
                t = self._place(wanted.piece, wanted.at_mm or (0.0, 0.0), by or other, t)
                continue
            wish = self._within(*wanted.within)
            if played.faults & _DUE_FAULTS and wanted.piece in ("white", "black"):
                t = yield from self._bad_due(wanted.piece, wish, by or other, t, played.faults)
            else:
                t = self._place(wanted.piece, wish, by or other, t)
        t = self._agree(other, t)
        yield from self._until(t + 0.45)
        return undo or bool(places)

    def _to_place(self) -> tuple[ToPlace, ...]:
        expects = self.umpire.expects
        return () if expects is None else expects.to_place

    def _undoing(self, before: dict[int, Pose]) -> tuple[bool, bool]:
        """Whether the engine wants the position from before the stroke back, and whether pieces are to be placed then.

        What a void stroke found already placed still stands among the pieces to place: it is not placed twice.
        """
        expects = self.umpire.expects
        if expects is None:
            return False, False
        kinds = self.setting.pieces
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
        expects = self.umpire.expects
        counts = dict(expects.on_board) if expects is not None else {}
        for piece, count in counts.items():
            here = [name for name in self.lying if self.setting.pieces.piece(name) == piece]
            self.mended += len(here) != count
            for name in here[count:]:
                pose = self.lying.pop(name)
                self.nets[name] = None
                t = hands.take_away(self.reel, seat, name, (pose.x_mm, pose.y_mm), t)
            for _ in range(count - len(here)):
                t = self._place(piece, (0.0, 0.0), seat, t)
        return t

    def _place(self, piece: Piece, wish: tuple[float, float], seat: Seat, t: float) -> float:
        """A hand takes a piece out of the nets and puts it as near to a wish as there is room. Returns when done."""
        name = next((n for n in self.nets if self.setting.pieces.piece(n) == piece), None)
        if name is None:
            return t
        del self.nets[name]
        radius = self.setting.pieces.radius(name)
        spot = wish if is_free(*wish, radius, self.lying, self.setting.pieces, -0.01) else None
        x, y = spot or free_near(*wish, radius, self.lying, self.setting.pieces)
        pose = Pose(x, y, 0.0, float(self._rng.uniform(0, 2 * pi)))
        self.lying[name] = pose
        return hands.put_down(self.reel, seat, name, pose, t)

    def _bad_due(
        self, colour: Colour, wish: tuple[float, float], seat: Seat, t: float, faults: frozenset[Fault]
    ) -> Generator[Happening, None, float]:
        """A due that is forgotten, or paid in the wrong colour, until somebody says so. Returns when it is right."""
        wrong: Colour = "black" if colour == "white" else "white"
        held = [n for n in self.nets if self.setting.pieces.piece(n) == wrong]
        if "due_wrong_colour" in faults and held:
            t = self._place(wrong, wish, seat, t)
            yield from self._until(t + 1.2)
            yield from self._wait(Decision("missing", self.t_s, self.strokes, faults=faults))
            at = self.lying.pop(held[0])
            self.nets[held[0]] = None
            t = hands.take_away(self.reel, seat, held[0], (at.x_mm, at.y_mm), self.t_s + 0.1)
        else:
            yield from self._until(t + 1.2)
            yield from self._wait(Decision("missing", self.t_s, self.strokes, faults=faults))
            t = self.t_s + 0.1
        return self._place(colour, wish, seat, t)

    def _within(self, centre: tuple[float, float], inner: float, outer: float) -> tuple[float, float]:
        """A free spot in a ring, or its middle where there is none."""
        radius = self.setting.pieces.coin_diameter_mm / 2
        for _ in range(300):
            r = float(self._rng.uniform(inner, max(outer - radius, inner + 1.0)))
            a = float(self._rng.uniform(0, 2 * pi))
            x, y = centre[0] + r * float(np.cos(a)), centre[1] + r * float(np.sin(a))
            if is_free(x, y, radius, self.lying, self.setting.pieces, 2.0):
                return x, y
        return centre

    def _rim_hanger(self) -> Iterator[Happening]:
        """A piece that hangs over a rim may fall by itself between strokes, where the scenario has it so."""
        odds = self.setting.scenario.odds.get("rim_hanger_falls", 0.0)
        if not odds or self._rng.random() >= odds:
            return
        board = DEFAULT_BOARD
        for name, pose in list(self.lying.items()):
            pocket, far = board.nearest_pocket(pose.x_mm, pose.y_mm)
            if far > board.pocket_radius_mm + 6.0:
                continue
            cx, cy = board.pockets_mm[pocket]
            piece = self.setting.pieces.piece(name)
            pull = ((cx - pose.x_mm) * 6, (cy - pose.y_mm) * 6)
            fall = Fall(0.0, name, piece, cast(Pocket, pocket), pose.x_mm, pose.y_mm, *pull)
            at = self.t_s + 0.3
            self.reel.follow(name, at, _toppling(fall, at, pose.angle_rad))
            self.reel.away(name, at + 0.4)
            for change in self._disturb.falls([fall], at, self.setting.pieces):
                self._at(change)
            del self.lying[name]
            self.nets[name] = fall.pocket
            yield from self._until(at + 1.2)
            drop = Drop(fall.piece, fall.pocket, True, "vibration", round(at, 3))
            ruling = self.umpire.rule(drop)
            yield Told(self.t_s, drop, ruling)
            yield from self._wait(Decision("drop", self.t_s, self.strokes, ruling=ruling, event=drop))
            return

    # -- words of the engine

    def _side(self, seat: Seat) -> Seat:
        expects = self.umpire.expects
        return dict(expects.sides).get(seat, seat) if expects is not None else seat

    def _colour(self, seat: Seat) -> Colour:
        """A seat's colour, by its side; before colours are fixed the breaker's is white."""
        expects = self.umpire.expects
        colours: dict[Seat, Colour] = dict(expects.colours) if expects is not None else {}
        return colours.get(seat) or colours.get(self._side(seat)) or "white"


def _toppling(fall: Fall, at_s: float, angle_rad: float) -> PoseAt:
    return lambda t: fall.pose(t - at_s, angle_rad)
