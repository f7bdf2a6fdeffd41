"""Questions in words: what a display or a phone shows is what a person would say."""

from __future__ import annotations

import pytest

from controller.events.ruling import Question
from controller.table.match.questions import in_words, question_alert


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("white", "white"),
        ("none of these", "none of these"),
        (True, "yes"),
        (False, "no"),
        ([], "nothing"),
        (["white", "black"], "white, black"),
        ([{"piece": "queen", "pocket": "SW", "t": 3.1}], "queen in SW"),
        ({"piece": "striker"}, "striker"),
        (
            {"pocketed": [{"piece": "white", "pocket": "NE"}, {"piece": "queen", "pocket": "SW"}], "off_board": []},
            "white in NE, queen in SW; nothing left the board",
        ),
        ({"pocketed": [], "off_board": ["black"]}, "nothing fell; off the board: black"),
        ({"seat": "north"}, "seat: north"),
    ],
)
def test_a_choice_is_said_in_words(choice, says) -> None:
    assert in_words(choice) == says


def test_an_alert_holds_question_and_choices() -> None:
    choices = ({"pocketed": [], "off_board": ["black"]}, "replay the stroke")
    asked = Question(4, "What fell, and what left the board?", choices, "fact", "*", 4, "south")
    alert = question_alert(asked, 1.0, 7)
    says = "What fell, and what left the board? (nothing fell; off the board: black / replay the stroke)"
    assert (alert.says, alert.id, alert.level, alert.picture) == (says, "ask-4", "ask", 7)
