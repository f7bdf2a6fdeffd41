"""A fact of a stroke is described once: whatever `match.Shot` says of it, codec, schema, grades and form say too."""

from __future__ import annotations

import json
from typing import Any, get_args

import jsonschema
import pytest

from controller.events.codec import event_from_json, event_to_json
from controller.events.errors import EventError
from controller.events.match import FACTS
from controller.events.words import FLAGS, Flag
from controller.rules import apply, begin
from controller.rules.schema import FACTS as DETECTABLE
from controller.shots.grades import observable_at
from scripts.write_schemas import form, schemas
from tests.rules.scenes import BOOKS

SCHEMA = jsonschema.Draft202012Validator(schemas()["event"])
WORDS = [(path, value) for path, one in FACTS.items() for value in one.values]
ASKED = [path for path, one in FACTS.items() if one.values and path != "seat"]


def shot(path: str, value: Any) -> dict[str, Any]:
    whole, _, part = path.partition(".")
    return {"event": "shot", "seat": "south", "t": 1.0, whole: {part: value} if part else value}


@pytest.mark.parametrize(("path", "value"), WORDS)
def test_every_word_of_a_fact_is_taken_and_written_back(path: str, value: Any) -> None:
    event = event_from_json(shot(path, value))
    assert event_from_json(event_to_json(event)) == event
    assert SCHEMA.is_valid(shot(path, value))


@pytest.mark.parametrize("path", ASKED)
def test_no_other_word_is_taken_and_the_line_names_field_words_and_value(path: str) -> None:
    with pytest.raises(EventError) as refused:
        event_from_json(shot(path, "sideways"))
    says = str(refused.value)
    assert says.startswith(f"{path} must be ")
    assert says.endswith("not 'sideways'")
    assert all(json.dumps(word).strip('"') in says for word in (*FACTS[path].values, "unknown"))
    for wrong in (0, 1, 2.5, [], {}):
        with pytest.raises(EventError, match=rf"^{path} must be .*, not "):
            event_from_json(shot(path, wrong))
    assert not SCHEMA.is_valid(shot(path, "sideways"))


@pytest.mark.parametrize("path", ASKED)
def test_an_undecided_fact_is_asked_in_its_own_words_or_makes_no_difference(path: str) -> None:
    asked = set()
    for book in ("icf", "club", "campus", "world"):
        state = begin(BOOKS)
        start = {"event": "start", "book": book, "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}
        for body in (start, shot(path, "unknown") | {"pocketed": [{"piece": "white", "pocket": "NE"}]}):
            state, ruling = apply(state, event_from_json(body))
        asked |= {ask.question for ask in ruling.asks}  # type: ignore[union-attr]
    assert asked == {FACTS[path].fact.asks}


def test_a_clause_may_detect_every_word() -> None:
    for path in ASKED:
        assert DETECTABLE[path] == FACTS[path].values


def test_flags_are_described_one_by_one_and_everything_told_is_told_at_the_best_grade() -> None:
    assert set(FLAGS) == set(get_args(Flag))
    for path, one in FACTS.items():
        assert one.fact.grade is None or path in observable_at("match")
        assert not one.fact.label or f'"{one.fact.label}"' in form()
    assert observable_at("basic") < observable_at("club") <= observable_at("match")


def test_a_fact_that_is_told_cannot_be_unseen_too() -> None:
    with pytest.raises(EventError, match="the shot says heading"):
        event_from_json(shot("heading", "forward") | {"unseen": ["heading"]})
    with pytest.raises(EventError, match=r"unseen\[0\] must name a fact, not 'colour'"):
        event_from_json({"event": "shot", "seat": "south", "unseen": ["colour"]})
