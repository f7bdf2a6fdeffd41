"""The simulated table: matches played stroke by stroke on simulated time, seen and felt as they go.

`SimulatedTable.play` is a generator of happenings in order of time: a frame is due, a beam changes, the table waits
for a decision. The truth is ruled on by the real engine. Knows no picture, no socket and no other clock.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from controller.events.match import Answer, Start
from controller.events.ruling import Ruling
from controller.events.words import Seat
from controller.simulator import hands
from controller.simulator.caretaker import DUE_FAULTS, Caretaker, colour_of, side_of
from controller.simulator.happenings import Decision, Happening, TrueRuling
from controller.simulator.motion import Pose
from controller.simulator.physics import Material
from controller.simulator.pieces import PieceSet, opening
from controller.simulator.players import break_stroke, choose, unsteady
from controller.simulator.scenario import SCENARIOS, Fault, Scenario
from controller.simulator.scene import Reel
from controller.simulator.sensors import Disturbances
from controller.simulator.strokes import Played, prepare
from controller.simulator.timeline import Timeline
from controller.simulator.tour import TOUR, Goal, Turn, reach
from controller.simulator.truth import true_shot
from controller.simulator.umpire import Umpire

_STILL_S = 0.7
"""How long everything lies still after a stroke before anybody moves."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A match to be played: the `start` event, the pieces, what they slide on, how it is played, by which seed."""

    start: Start
    pieces: PieceSet
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
    """Plays on for ever, or until `matches` matches are over. Use `play` once; read `reel` for what is to be seen."""

    def __init__(self, setting: Setting, umpire: Umpire) -> None:
        self.setting = setting
        self.umpire = umpire
        self._rng = np.random.default_rng(setting.seed)
        luck = Disturbances(setting.scenario, np.random.default_rng(setting.seed + 7919), setting.fps)
        self.time = Timeline(setting.fps, luck)
        self.keeper = Caretaker(
            self.time, umpire, setting.pieces, list(setting.start.seats), setting.scenario.odds, self._rng
        )
        self.strokes = 0
        self.latest: Performed | None = None
        self._turn_began = 0.0
        self._goals: list[Goal] = list(TOUR) if setting.scenario.tour else []
        self._goal_tries = 0
        self._in_hand: dict[Seat, int] = {}

    @property
    def t_s(self) -> float:
        """How far time has come, in seconds since the start."""
        return self.time.t_s

    @property
    def reel(self) -> Reel:
        """What is to be seen at any time from a second ago on."""
        return self.time.reel

    @property
    def lying(self) -> dict[int, Pose]:
        """Where the pieces on the board lie, the striker left out."""
        return self.keeper.lying

    @property
    def repaired(self) -> int:
        """How often board and engine had to be made to agree (see `Caretaker`)."""
        return self.keeper.repaired

    def play(self) -> Iterator[Happening]:
        """Everything that happens, in order of time."""
        for _ in range(self.setting.matches):
            yield from self._match()

    # -- a match

    def _match(self) -> Iterator[Happening]:
        setting = self.setting
        seats: list[Seat] = list(setting.start.seats)
        yield from self._rack(setting.start.first or seats[0], first=True)
        ruling = self.umpire.rule(setting.start)
        yield TrueRuling(self.t_s, setting.start, ruling)
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
            if not ruling.board.over:
                yield from self.keeper.rim_hanger(self.strokes)
        yield from self.time.wait(Decision("over", self.t_s, self.strokes, ruling=ruling))

    def _rack(self, seat: Seat, *, first: bool) -> Iterator[Happening]:
        """The opening arrangement; between boards it is built by hand."""
        rack = opening(self.setting.pieces, self._rng, float(self._rng.uniform(-8, 8)))
        self.keeper.lying, self.keeper.nets = dict(rack), {}
        if first and self.t_s == 0.0:
            for name, pose in rack.items():
                self.reel.lie(name, 0.0, pose)
            yield from self.time.until(1.0)
            return
        yield from self.time.until(hands.rack_up(self.reel, seat, rack, self.t_s + 0.2) + 0.8)

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
        for change in self.time.disturb.stroke(played.faults, played.motion, strike, run_s, self.setting.pieces):
            self.time.at(change)
        rest = run_s + played.motion.rest_s
        calm = run_s + max(played.motion.end_s, played.motion.rest_s) + _STILL_S
        yield from self.time.until(calm)
        self.strokes += 1
        shot = true_shot(
            seat,
            played.motion,
            self.setting.pieces,
            played.placed_mm,
            strike,
            strike - self._turn_began,
            played.flags,
            still_on=expects.still_on_lines,
        )
        before = dict(self.lying)
        self.keeper.take_over(played.motion)
        self.latest = Performed(played, placed, strike, run_s, self.t_s, before, dict(self.lying))
        ruling = self.umpire.rule(shot)
        yield TrueRuling(self.t_s, shot, ruling)
        final, answers = yield from self._answer(ruling)
        owes = any(place.within is not None for place in self.keeper.to_place())
        if not owes:
            played = replace(played, faults=played.faults - DUE_FAULTS)
        slip = goal is not None and goal.slip
        name = "" if goal is None else goal.name
        facts = {"stroke": self.strokes, "shot": shot, "ruling": ruling, "faults": played.faults, "goal": name}
        facts |= {"final": final, "answers": answers}
        yield from self.time.wait(Decision("ruling", self.t_s, slip=slip, **facts))  # type: ignore[arg-type]
        if slip:
            yield from self.time.until(self.t_s + 0.5)
            yield from self.time.wait(Decision("correct", self.t_s, **facts))  # type: ignore[arg-type]
        moved = yield from self.keeper.put_right(final, played, before, self.strokes)
        yield from self.time.wait(Decision("ready", self.t_s, self.strokes, ruling=ruling, final=final))
        self._turn_began = rest if final.turn == seat and not moved else self.t_s
        self._in_hand = dict(final.in_hand)
        return final

    def _answer(self, ruling: Ruling) -> Generator[Happening, None, tuple[Ruling, tuple[Answer, ...]]]:
        """The true umpire answers what its engine asks: what was flagged did happen."""
        answers: list[Answer] = []
        for question in ruling.asks:
            answer = Answer(question.ask, "foul" if "foul" in question.choices else question.choices[0])
            ruling = self.umpire.rule(answer)
            answers.append(answer)
            yield TrueRuling(self.t_s, answer, ruling)
        return ruling, tuple(answers)

    def _choose(self, seat: Seat, at_opening: bool) -> tuple[Played, Goal | None]:
        """What is played next: the tour's goal if it can be reached, else what the player would do."""
        setting, rng = self.setting, self._rng
        colour = colour_of(self.umpire, seat)
        side = side_of(self.umpire, seat)
        turn = Turn(seat, colour, self.lying, self._in_hand.get(side, 0), at_opening)
        if self._goals:
            goal = self._goals[0]
            stroke = reach(goal, turn, setting.pieces, setting.material, rng)
            self._goal_tries += 1
            if stroke is not None or self._goal_tries >= goal.patience:
                self._goals.pop(0)
                self._goal_tries = 0
            if stroke is not None:
                return prepare(stroke, self.lying, setting.pieces, setting.material, rng, goal.faults), goal
        faults = frozenset[Fault]() if self._goals else setting.scenario.draw(rng)
        if "out_of_turn" in faults:
            others = [other for other in setting.start.seats if other != seat]
            seat = others[int(rng.integers(len(others)))]
            colour = colour_of(self.umpire, seat)
        befalls = "striker pocketed" if faults & DUE_FAULTS else setting.scenario.outcome(rng)
        stroke = None
        if at_opening:
            stroke = break_stroke(seat, self.lying, setting.pieces, rng)
        elif befalls is not None and not faults - DUE_FAULTS:
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
            at, left = hands.beside(stroke, self.lying, pieces)
            hands.cover(self.reel, stroke.seat, at, placed_s, strike_s + 0.2, left=left)
        run_s = strike_s
        if played.pushed:
            run_s = hands.push(self.reel, stroke, played.motion, pieces, placed_s, strike_s)
        else:
            hands.flick(self.reel, stroke, played.motion, pieces, placed_s, strike_s)
        if played.faults & {"hand_over_pocket", "hidden_fall"}:
            fall = min(played.motion.falls, key=lambda f: f.t_s)
            others = [seat for seat in self.setting.start.seats if seat != stroke.seat] or [stroke.seat]
            spot = hands.over_pocket(pieces.board, fall.pocket)
            hands.cover(self.reel, others[0], spot, run_s + max(fall.t_s - 0.35, 0.0), run_s + fall.t_s + 0.35)
        return run_s
