"""What a later word brings about is said: strokes that were on turn, fouls that fall, what is different now."""

from __future__ import annotations

from controller.events.codec import event_from_json
from controller.rules import apply, begin, open_questions, table_autonomy
from tests.rules.reading import Event, at, doubt, ev, north, ruled, south, start
from tests.rules.reading_books import club
from tests.rules.scenes import BOOKS

LIKELIER_BLACK = doubt("pocketed.0.piece", ("black", 0.6), ("white", 0.4))
PUT_BACK = [start(at(5, 5)), south("B", doubts=LIKELIER_BLACK), south("W"), ev("answer", ask=2, choice="white")]
SECOND_QUEEN = ev("seen", what="second_queen", at=[10, 0])


def asked(*events: Event) -> list[str]:
    state = begin(BOOKS)
    for event in events:
        state, _ = apply(state, event_from_json(event))
    return [str(one.ask) for one in open_questions(state)]


def test_a_stroke_that_was_on_turn_after_all_is_said_and_asked_about() -> None:
    answered = ruled(*PUT_BACK)[-1]
    assert any(note.startswith("shot 3 was on turn after all") for note in answered["notes"])
    [offer] = next(one for one in answered["changed"] if one["seq"] == 3)["fields"]["asks"]
    assert offer["choices"] == ["it was put back", "it counts", "none of these", "replay the stroke"]
    assert asked(*PUT_BACK) == [offer["ask"]]
    assert (answered["turn"], answered["left"]["white"]) == ("south", 4)


def test_it_counts_once_it_is_said_to() -> None:
    [ask] = asked(*PUT_BACK)
    counts = ruled(*PUT_BACK, ev("answer", ask=ask, choice="it counts"))[-1]
    assert (counts["void"], counts["turn"], counts["left"]["white"]) == (False, "south", 3)
    assert asked(*PUT_BACK, ev("answer", ask=ask, choice="it counts")) == []
    further = ruled(*PUT_BACK, ev("answer", ask=ask, choice="it counts"), south("W"))[-1]
    assert (further["void"], further["left"]["white"]) == (False, 2)


def test_it_stays_void_and_is_not_asked_again_once_it_is_said_to() -> None:
    [ask] = asked(*PUT_BACK)
    for choice in ("it was put back", "none of these"):
        said = [*PUT_BACK, ev("answer", ask=ask, choice=choice)]
        assert ruled(*said)[-1]["left"]["white"] == 4
        assert asked(*said) == []
        again = ruled(*said, ev("correct", seq=2, **{"with": south("W")}))[-1]
        assert again["left"]["white"] == 4
        assert not again["asks"]


def test_the_offer_holds_no_board_up() -> None:
    rest = [south("W"), south("W"), south("Q"), south("W W")]
    over = ruled(*PUT_BACK, *rest)[-1]
    assert over["board"]["over"], over
    assert "error" not in ruled(*PUT_BACK, *rest, ev("next_board"))[-1]


def test_a_second_queen_is_asked_about_on_a_real_table() -> None:
    cautious = table_autonomy(BOOKS["club"])
    assert cautious["club-138"] == "confirm"
    begun = [club(at(5, 4), autonomy=cautious), south(), SECOND_QUEEN]
    seen = ruled(*begun)[-1]
    assert (seen["left"]["white"], seen["fouls"], seen["turn"]) == (5, [], "north")
    assert seen["asks"][0]["choices"] == ["play on", "set the board up anew"]
    ask = seen["asks"][0]["ask"]
    on = ruled(*begun, ev("answer", ask=ask, choice="play on"), north("B"))
    assert (on[-1]["left"], asked(*begun, ev("answer", ask=ask, choice="play on"))) == (
        {"white": 5, "black": 3, "queen": 1},
        [],
    )
    anew = ruled(*begun, north("B"), ev("answer", ask=ask, choice="set the board up anew"))[-1]
    assert (anew["left"], anew["turn"]) == ({"white": 9, "black": 9, "queen": 1}, "south")
    assert anew["cites"] == ["club-138"]
    assert asked(*begun, ev("answer", ask=ask, choice="set the board up anew")) == []


def test_the_umpires_call_answers_it_too_and_a_correction_keeps_what_it_did() -> None:
    cautious = {"club-138": "confirm"}
    begun = [club(at(5, 4), autonomy=cautious), south(), SECOND_QUEEN]
    waved = ev("call", action="wave_off", clause="club-138")
    assert asked(*begun, waved) == []
    assert ruled(*begun, waved)[-1]["left"]["white"] == 5
    called = [*begun, ev("call", clause="club-138")]
    assert ruled(*called)[-1]["left"]["white"] == 9
    assert asked(*called) == []
    anew = [*begun, ev("answer", ask=3, choice="set the board up anew"), south("W")]
    assert ruled(*anew)[-1]["left"]["white"] == 8
    corrected = ruled(*anew, ev("correct", seq=2, **{"with": south("W")}))[-1]
    assert corrected["left"]["white"] == 8


def test_only_what_changed_is_said() -> None:
    won = [start(at(1, 4, queen="covered", queen_side="north")), south("W")]
    changed = ruled(*won, ev("override", seq=2, set={"board": {"why": "icf-53c"}}, reason="x"))[-1]["changed"]
    assert changed, "the reason is different now"
    for one in changed:
        assert "4 to south, not 4 to south" not in one["says"]
        assert "board: why icf-53c, not why icf-52a" in one["says"]


def test_a_confirmed_foul_that_falls_with_its_stroke_is_said() -> None:
    foul = [south("W W", flags=["elbow"]), call_of("classic-15")]
    before = [start(at(3, 5), book="classic"), south("W"), *foul]
    assert [one["clause"] for one in ruled(*before)[-1]["fouls"]] == ["classic-15"]
    corrected = ruled(*before, ev("correct", seq=2, **{"with": south("W W")}))[-1]
    assert any(
        note.startswith("shot 3: confirmed, and not ruled any more: classic-15") for note in corrected["notes"]
    ), corrected["notes"]
    assert any("shot 3: does not apply any more: pocketed" in note for note in corrected["notes"])


def test_a_confirmed_foul_about_a_stroke_that_does_not_count_is_said() -> None:
    before = [club(at(3, 5)), south("W"), call_of("club-35")]
    slipped = ruled(*before, ev("correct", seq=2, **{"with": south("W", left_baseline=False)}))[-1]
    assert slipped["void"]
    assert "club-35 was confirmed; the stroke does not count" in slipped["notes"]


def call_of(clause: str) -> Event:
    return ev("call", clause=clause, seat="south")
