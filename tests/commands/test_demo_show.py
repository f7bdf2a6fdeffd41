"""The show's count: every stroke is held against the one that was played, and what was never played is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from controller import rules
from controller.commands.demo.show import MISSED_AFTER_S, NOTICE_S, Show
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.match import Pocketed, Shot, Start
from controller.rules.shelf import load_books
from controller.simulator.breaking import Breaking
from controller.simulator.happenings import Decision
from tests.simulator.plain_umpire import PlainUmpire

START = Start("icf", {"south": "Asha", "north": "Ben"}, first="south")


class Played:
    """A match as it is played and as it is ruled on: the table ruled on what `heard` says."""

    def __init__(self) -> None:
        self.true, _ = rules.apply(rules.begin(load_books()), START)
        self.waiting: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.told: list[dict[str, Any]] = []
        self.sets: list[dict[str, Any]] = []
        self.person = False
        self.breaking = Breaking()
        self.asked = ""
        self.health: dict[str, Any] = {}
        self.score: dict[str, Any] | None = None
        self.answered = 0
        self.table = SimpleNamespace(t_s=0.0, umpire=PlainUmpire())
        self.show = Show(self, self, self, lambda *_: None)  # type: ignore[arg-type]

    # -- as ears, and as the umpire's page

    def stroke(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        return self.waiting.pop(0) if self.waiting else None

    def alerts(self) -> list[dict[str, Any]]:
        told, self.told = self.told, []
        return told

    def state(self) -> dict[str, Any]:
        return {"ruling": self.show.truth, "asks": []}

    def leaves_it(self) -> bool:
        return self.person

    def answer_all(self, _truth: dict[str, Any], _done: Any) -> int:
        self.answered += 1
        return 0

    # -- the match

    def strike(self, t: float, *fell: str) -> tuple[Decision, dict[str, Any], dict[str, Any]]:
        """Plays a stroke. Returns the decision at its rest, and the shot and ruling as a faultless table has them."""
        seat = rules.expectation(self.true).turn
        shot = Shot(seat, t=t, pocketed=tuple(Pocketed(piece, "NE") for piece in fell))  # type: ignore[arg-type]
        self.true, ruling = rules.apply(self.true, shot)
        number = len(self.show.tally.strokes) + 1
        decision = Decision("ruling", t + 2.0, number, shot=shot, ruling=ruling)  # type: ignore[arg-type]
        return decision, event_to_json(shot), ruling_to_json(ruling)

    def rest(self, decision: Decision, after_s: float = 0.0) -> None:
        """Time comes to a decision, and `after_s` beyond."""
        self.table.t_s = decision.t_s
        self.show.decide(decision)
        self.show.shown(decision)
        self.table.t_s += after_s
        self.show.shown(decision)

    def ready(self) -> None:
        decision = Decision("ready", self.table.t_s + 1.0, 0)
        self.rest(decision, NOTICE_S)
        assert decision.released


def test_a_stroke_is_held_against_its_own_truth() -> None:
    played = Played()
    for t in (3.0, 9.0, 15.0):
        decision, shot, ruling = played.strike(t, "white")
        played.waiting.append((shot | {"t": t + 0.04}, ruling))
        played.rest(decision)
        assert decision.released
        played.ready()
    assert (played.show.tally.agreeing, played.show.tally.silent, played.show.tally.phantoms) == (3, 0, [])


def test_a_stroke_that_was_never_played_is_told_and_moves_no_other() -> None:
    played = Played()
    for t in (3.0, 9.0, 15.0):
        decision, shot, ruling = played.strike(t, "white")
        if t == 9.0:
            played.waiting.append((shot | {"t": 5.5}, ruling | {"fouls": [{"clause": "icf-32", "status": "ruled"}]}))
        played.waiting.append((shot, ruling))
        played.rest(decision)
        played.ready()
    tally = played.show.tally
    assert tally.agreeing == 3, "each was held against its own truth"
    (extra,) = tally.phantoms
    assert (extra.number, extra.silent, extra.false_fouls) == (2, True, ("icf-32",))
    assert (tally.silent, tally.false_fouls) == (1, 1)


def test_a_stroke_ruled_on_too_late_is_missed_once() -> None:
    played = Played()
    decision, shot, ruling = played.strike(3.0, "white")
    played.rest(decision, MISSED_AFTER_S / 2)
    assert not decision.released
    played.table.t_s += MISSED_AFTER_S
    played.show.shown(decision)
    assert decision.released
    played.waiting.append((shot, ruling))
    played.ready()
    decision, shot, ruling = played.strike(20.0, "white")
    played.waiting.append((shot, ruling))
    played.rest(decision)
    played.ready()
    tally = played.show.tally
    assert [stroke.missed for stroke in tally.strokes] == [True, False]
    assert tally.agreeing == 1
    assert tally.phantoms == []


def test_what_is_noticed_before_a_stroke_is_given_up_counts_for_it() -> None:
    played = Played()
    for t in (3.0, 20.0):
        decision, _, _ = played.strike(t, "white")
        if t == 3.0:
            played.told.append({"id": "board-unseen-change"})
        played.rest(decision, MISSED_AFTER_S + 0.1)
        assert decision.released
        played.ready()
    assert [(stroke.missed, stroke.noticed) for stroke in played.show.tally.strokes] == [(True, True), (True, False)]
    assert played.show.tally.silent == 1


def test_a_person_who_umpires_is_waited_for_as_long_as_they_are_there() -> None:
    played = Played()
    played.person = True
    decision, shot, ruling = played.strike(3.0, "white")
    played.waiting.append((shot, ruling))
    played.rest(decision, 100 * MISSED_AFTER_S)
    assert (decision.released, played.answered) == (False, 0)
    played.person = False  # answered, or gone
    played.show.shown(decision)
    assert (decision.released, played.answered) == (True, 1)
    played.ready()
    assert len(played.show.tally.strokes) == 1, "it was judged once"


def test_what_is_missed_while_a_visitor_has_broken_something_is_not_silent() -> None:
    for broken in (False, True):
        played = Played()
        played.breaking.set("camera", broken)
        decision, _, _ = played.strike(3.0, "white")
        played.rest(decision, MISSED_AFTER_S)
        played.ready()
        assert (played.show.tally.strokes[0].missed, played.show.tally.silent) == (True, 0 if broken else 1)


def test_players_wait_while_a_visitor_has_stopped_play_and_lay_what_the_camera_is_to_see() -> None:
    played = Played()
    decision, shot, ruling = played.strike(3.0, "white")
    played.score = {"state": "paused"}
    played.health = {"set_up": "empty"}
    played.rest(decision, 100 * MISSED_AFTER_S)
    assert (decision.released, played.asked) == (False, "empty")
    played.health = {"set_up": None}
    played.score = {"state": "playing"}
    played.waiting.append((shot, ruling))
    played.show.shown(decision)
    assert (decision.released, played.asked) == (True, "")
    played.ready()
    assert not played.show.tally.strokes[0].missed, "time that stands still is nobody's delay"
