"""The show's count: every stroke is held against the one that was played, and what was never played is told."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from controller import rules
from controller.commands.demo.report import RULED_IN_WORDS, summary
from controller.commands.demo.show import MISSED_AFTER_S, NOTICE_S, Show
from controller.commands.demo.tally import RULED, Stroke, Tally, differing
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.match import Pocketed, Shot, Start
from controller.rules.shelf import load_books
from controller.simulator.breaking import Breaking
from controller.simulator.happenings import Decision
from tests.simulator.plain_umpire import PlainUmpire

SCORE_OF_NINE = {"sides": [{"name": "south", "points": 9}]}
START = Start("icf", {"south": "Asha", "north": "Ben"}, first="south")


class Played:
    """A match as it is played and as it is ruled on: the table ruled on what `heard` says."""

    def __init__(self) -> None:
        self.true, _ = rules.apply(rules.begin(load_books()), START)
        self.waiting: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.told: list[dict[str, Any]] = []
        self.sets: list[dict[str, Any]] = []
        self.position: dict[str, Any] = {}
        self.person = False
        self.breaking = Breaking()
        self.asked = ""
        self.health: dict[str, Any] = {}
        self.score: dict[str, Any] | None = None
        self.answered = 0
        self.latest: dict[str, Any] | None = None
        self.umpired = False
        self.said: list[str] = []
        self.table = SimpleNamespace(t_s=0.0, umpire=PlainUmpire())
        self.show = Show(self, self, self, lambda *_: None, tell=self.said.append)  # type: ignore[arg-type]

    # -- as ears, and as the umpire's page

    def stroke(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        return self.waiting.pop(0) if self.waiting else None

    def alerts(self) -> list[dict[str, Any]]:
        told, self.told = self.told, []
        return told

    def state(self) -> dict[str, Any]:
        return {"ruling": self.position or self.show.truth, "asks": []}

    def leaves_it(self) -> bool:
        return self.person

    def has_stepped_back(self) -> bool:
        return self.umpired

    def set_to(self, truth: dict[str, Any], _reason: str) -> dict[str, Any]:
        self.sets.append(truth)
        return {}

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


def a_person_sets_the_position(played: Played) -> None:
    """As the table's listener hears it: another ruling, on an event that was not the simulated umpire's."""
    played.umpired = True
    played.position = {"turn": "west"}
    played.latest = {"event": "set"}


@pytest.mark.parametrize("person", [False, True])
def test_what_a_person_sets_is_set_back_by_nobody_and_no_later_stroke_is_held_against_the_truth(person: bool) -> None:
    played = Played()
    for number, t in enumerate((3.0, 9.0, 15.0), 1):
        if number == 2:
            a_person_sets_the_position(played)
            played.umpired = person
        decision, shot, ruling = played.strike(t, "white")
        played.waiting.append((shot, ruling if number == 1 else ruling | {"turn": "west", "score": {"south": 25}}))
        played.rest(decision)
        assert decision.released
        played.ready()
    tally = played.show.tally
    if person:
        assert (played.sets, tally.set_to_truth, tally.silent) == ([], 0, 0)
        assert (len(tally.strokes), tally.umpired, tally.played) == (1, 2, 3)
        assert played.said == [
            "A person umpires: the simulated umpire has stepped back for good, and its count ends here."
        ]
        assert played.answered == 1, "only before"
    else:
        assert (len(played.sets), tally.set_to_truth, tally.silent) == (2, 2, 2)
        assert (len(tally.strokes), tally.umpired, played.said) == (3, None, [])


def test_a_show_of_so_many_strokes_ends_whoever_umpires() -> None:
    played = Played()
    played.show.shots, played.stop = 2, lambda: None  # type: ignore[attr-defined]
    a_person_sets_the_position(played)
    for t in (3.0, 9.0):
        assert not played.show.over.is_set()
        decision, shot, ruling = played.strike(t, "white")
        played.waiting.append((shot, ruling))
        played.rest(decision)
        played.ready()
    assert played.show.over.is_set()


def test_after_a_person_has_acted_the_tour_corrects_nothing() -> None:
    played = Played()
    a_person_sets_the_position(played)
    decision, shot, ruling = played.strike(3.0, "white")
    played.waiting.append((shot, ruling))
    played.rest(decision)
    corrects = replace(decision, kind="correct", t_s=played.table.t_s + 1.0)
    played.rest(corrects)
    assert (corrects.released, played.answered, played.sets) == (True, 0, [])


def test_the_summary_counts_up_to_the_person_and_says_since_when_they_umpired() -> None:
    wrong = Stroke(1, ("pocketed",), ("left",), asked=True, noticed=False, false_fouls=())
    says = summary(Tally([wrong], umpired=16), {"score": {"south": 3}}, SCORE_OF_NINE, stopped=False)
    assert says.startswith(
        "17 strokes were played; a person umpired from stroke 2 on, and only strokes up to then are counted. The "
        "table understood 0 of 1 in every fact that matters."
    )
    assert "Nothing went wrong without being noticed." in says
    assert "The table's score is south 9, as the person had it." in says
    before = summary(Tally(umpired=2), {"score": {}}, SCORE_OF_NINE, stopped=True)
    assert before.startswith("2 strokes were played until you stopped it; a person umpired from stroke 1 on")


def test_a_stroke_that_was_not_understood_is_told_in_a_spectators_words() -> None:
    wrong = Stroke(5, ("seat", "pocketed"), ("turn", "turn_kept", "left"), asked=True, noticed=False, false_fouls=())
    missed = Stroke(6, ("missed",), (), asked=False, noticed=True, false_fouls=(), missed=True)
    says = summary(Tally([wrong, missed]), {}, None, stopped=True).splitlines()
    assert says[-3:] == [
        "The table's score is none.",
        "  stroke 5: seen otherwise: who struck, what fell; ruled otherwise: whose turn it is, pieces left (it asked)",
        "  stroke 6: not seen at all (it noticed)",
    ]


def test_every_part_that_can_differ_has_its_words() -> None:
    """A ruling that differs from an empty one in all that is compared."""
    other = {"board": dict.fromkeys(("number", "over", "winner", "points"), 1), "returned": [{}], "dues": [{}]}
    differs = differing({}, dict.fromkeys(RULED, 1) | other | {"fouls": [{"clause": "x", "status": "ruled"}]})
    assert set(differs) == set(RULED_IN_WORDS)
