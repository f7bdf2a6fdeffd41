"""The show: plays the simulated board, waits at each rest for the umpire's ruling, holds it against the truth.

The director's true umpire and the table's umpire never speak to each other: what is compared comes from the broker,
what is answered goes through the umpire's page.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from controller.commands.demo.ears import Ears
from controller.commands.demo.official import Official
from controller.commands.demo.tally import Stroke, Tally, judge, phantom
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.errors import PeerError
from controller.simulator.board import SimulatedBoard
from controller.simulator.happenings import Decision, Happening

Json = dict[str, Any]

MISSED_AFTER_S = 6.0
"""Simulated seconds after a rest within which the umpire has ruled, or has missed the stroke."""

SAME_S = 2.0
"""A stroke that was ruled on is the one that was played if they were struck within so many seconds of each other."""

NOTICE_S = 1.5
"""Simulated seconds after everything was put back within which a wrong board is noticed."""


@dataclass
class Waiting:
    """A decision that the table waits at, and what has been received of it."""

    decision: Decision
    since_s: float
    judged: bool = False
    heard: tuple[Json, Json] | None = None


@dataclass
class Show:
    """Referees one demo, until a person does. `progress` is called after each stroke, `tell` once a person umpires;
    `boards`, `shots`: when it is enough; `missed_after_s`: when a stroke that was not ruled on counts as missed, in
    simulated seconds after its rest."""

    board: SimulatedBoard
    ears: Ears
    official: Official
    progress: Callable[[Tally, Json], None]
    shots: int | None = None
    boards: int | None = None
    tally: Tally = field(default_factory=Tally)
    missed_after_s: float = MISSED_AFTER_S
    tell: Callable[[str], object] = lambda says: None

    def __post_init__(self) -> None:
        self.truth: Json = {}
        self.over = threading.Event()
        self._boards_over = 0
        self._waiting: Waiting | None = None
        self._stroke: Callable[[bool], Stroke] | None = None
        self._struck_s: float | None = None
        self._heard: list[tuple[Json, Json]] = []
        self._noticed = False
        self._astray = False
        self._latest: Json | None = None

    # -- called by the simulated board, in its thread

    def decide(self, decision: Decision) -> None:
        """The table waits here."""
        self._waiting = Waiting(decision, decision.t_s)

    def shown(self, _happening: Happening) -> None:
        """Something was shown; looks whether the table may go on."""
        self._listen()
        # The players lay what the table asks for while somebody sets its camera up.
        self.board.asked = self.ears.health.get("set_up") or ""
        waiting = self._waiting
        if waiting is None or self.over.is_set():
            return
        if self._settled(waiting):
            self._waiting = None
            waiting.decision.release()

    # -- at a rest

    def _settled(self, waiting: Waiting) -> bool:
        if (self.ears.score or {}).get("state") == "paused":
            # A visitor has stopped play: time that stands still is nobody's delay.
            waiting.since_s = self.board.table.t_s
            return False
        late = self.board.table.t_s - waiting.since_s
        kind = waiting.decision.kind
        if kind == "ruling":
            if not waiting.judged:
                waiting.heard = self._of(waiting.decision)
                if waiting.heard is None and late < self.missed_after_s:
                    return False
                self._judge(waiting.decision, waiting.heard)
                waiting.judged = True
            if self.official.leaves_it():
                return False
            if not self._a_person_umpires():
                self._close_questions(waiting.decision, waiting.heard)
            self._boards_over += _ends_board(waiting.decision)
            return True
        if kind == "ready":
            return self._ready(late)
        if kind == "correct":
            if not self._a_person_umpires():
                self._put_right(waiting.decision)
            return True
        if kind == "drop":
            if self.ears.ruling("drop") is None and late < self.missed_after_s:
                return False
            assert waiting.decision.ruling is not None
            self.truth = ruling_to_json(waiting.decision.ruling)
            return True
        return late > NOTICE_S or self._noticed

    def _of(self, decision: Decision) -> tuple[Json, Json] | None:
        """Returns what was ruled on this stroke, None if nothing was (yet)."""
        assert decision.shot is not None
        for heard in self._heard:
            if self._same(heard[0], decision.shot.t):
                self._heard.remove(heard)
                return heard
        return None

    @staticmethod
    def _same(shot: Json, struck_s: float | None) -> bool:
        return struck_s is not None and abs(shot.get("t", float("inf")) - struck_s) <= SAME_S

    def _judge(self, decision: Decision, heard: tuple[Json, Json] | None) -> None:
        """Holds the stroke against the truth; whether it was noticed is known at the next rest."""
        self._close_stroke()
        assert decision.shot is not None
        assert decision.ruling is not None
        self._struck_s = decision.shot.t
        if self._a_person_umpires():
            self.tally.umpired = (self.tally.umpired or 0) + 1
            self.progress(self.tally, self.truth)
            return
        # A stroke is judged by what is ruled at once; the state is the truth's once its questions are answered.
        truth_shot, at_once = event_to_json(decision.shot), ruling_to_json(decision.ruling)
        self.truth = ruling_to_json(decision.final or decision.ruling)
        seen, ruling = heard if heard is not None else (None, None)
        unseen = tuple(seen.get("unseen", ())) if seen is not None else ()
        less = self.board.table.umpire.ruling_instead(replace(decision.shot, unseen=unseen)) if unseen else None
        watched = ruling_to_json(less) if less is not None else None
        number = decision.stroke
        self._stroke = lambda noticed: judge(
            number, truth_shot, at_once, seen, ruling, noticed=noticed, watched=watched
        )
        if ruling is not None:
            self.tally.questions += len(ruling.get("asks", ()))

    def _close_questions(self, decision: Decision, heard: tuple[Json, Json] | None) -> None:
        """What a person has left open, or all of it where none is there, is answered."""
        if decision.slip:
            self._answer_wrongly()
        else:
            self._answer()
        self._astray = heard is None or self._state_differs()

    def _ready(self, late: float) -> bool:
        """Everything has been put back: what is still wrong is noticed now or never, and set to the truth."""
        if self._astray and not self._a_person_umpires():
            if late < NOTICE_S and not self._noticed:
                return False
            self._answer()
            if self._state_differs():
                said = self.official.set_to(self.truth, "the demo sets the table to the truth after a wrong stroke")
                self.tally.set_to_truth += "error" not in said
            self._astray = False
        self._close_phantoms()
        self._close_stroke()
        enough_shots = self.shots is not None and self.tally.played >= self.shots
        enough_boards = self.boards is not None and self._boards_over >= self.boards
        if enough_shots or enough_boards:
            self.over.set()
            self.board.stop()
        return True

    def _close_stroke(self) -> None:
        if self._stroke is None:
            return
        self.tally.strokes.append(self._stroke(self._noticed))
        self._stroke = None
        # What is noticed from here on is about the next stroke, also before anybody has ruled on it.
        self._noticed = False
        self.progress(self.tally, self.truth)

    def _close_phantoms(self) -> None:
        """What was ruled on and never played; a stroke that counts as missed, ruled on after all, is none."""
        for shot, ruling in self._heard:
            if not self._a_person_umpires() and not self._same(shot, self._struck_s):
                after = len(self.tally.strokes) + (self._stroke is not None)
                self.tally.phantoms.append(phantom(after, ruling, noticed=self._noticed))
        self._heard.clear()

    # -- the umpire's part

    def _a_person_umpires(self) -> bool:
        """Whether a person has ever acted: from then on nothing is answered, put right or counted."""
        if self.tally.umpired is None and self.official.has_stepped_back():
            self.tally.umpired = 0
            self.tell("A person umpires: the simulated umpire has stepped back for good, and its count ends here.")
        return self.tally.umpired is not None

    def _answer(self) -> None:
        def done() -> None:
            self.tally.answers += 1

        self.official.answer_all(self.truth, done)

    def _answer_wrongly(self) -> None:
        """The tour's slip: one answer that the umpire gets wrong, to be corrected at the next rest."""
        for ask in self.official.state().get("asks", [])[:1]:
            right = self.official.right_answer(ask, self.truth)["choice"]
            wrong = next((choice for choice in ask["choices"] if choice != right), right)
            self.official.act({"event": "answer", "ask": ask["ask"], "choice": wrong})
            self.tally.answers += 1

    def _put_right(self, decision: Decision) -> None:
        """Corrects the latest stroke to what really happened."""
        assert decision.shot is not None
        shot = self.official.state().get("shot")
        if shot is None:
            raise PeerError("the umpire's page shows no stroke to correct")
        said = self.official.act({"event": "correct", "seq": shot["seq"], "with": event_to_json(decision.shot)})
        if "error" not in said:
            self.tally.corrections += 1
        self._astray = self._state_differs()

    def _state_differs(self) -> bool:
        ruling = self.official.state().get("ruling") or {}
        return any(
            ruling.get(part) != self.truth.get(part)
            for part in ("turn", "queen", "left", "in_hand", "owed", "score", "games")
        )

    def _listen(self) -> None:
        if self.ears.latest is not self._latest:
            self._latest = self.ears.latest
            self._a_person_umpires()
        # What a visitor breaks is said on every page: nothing that comes of it is silent.
        self._noticed |= bool(self.board.breaking.now)
        for alert in self.ears.alerts():
            if alert["id"].startswith("board-") or alert["id"] == "refused":
                self._noticed = True
        while (heard := self.ears.stroke()) is not None:
            self._heard.append(heard)


def _ends_board(decision: Decision) -> bool:
    return decision.ruling is not None and decision.ruling.board.over
