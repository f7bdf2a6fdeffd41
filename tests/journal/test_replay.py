"""Replay: the same rulings compare equal, any other field is named."""

from __future__ import annotations

from controller.journal import Difference, Entry, replay


def entry(seq: int, ruling: dict) -> Entry:
    return Entry("m", seq, 1.0, "eyes", {"event": "shot", "seq_in": seq}, ruling)


RULING = {"seq": 1, "fouls": [{"clause": "icf-31"}], "score": {"south": 1}, "saved": False, "sealed": False}


def test_equal_rulings_differ_nowhere_however_they_were_delivered():
    assert replay([entry(1, RULING)], lambda event: RULING | {"saved": True, "sealed": True}) == ()


def test_every_field_that_differs_is_named():
    now = RULING | {"fouls": [{"clause": "icf-32"}], "score": {"south": 1, "north": 0}}
    assert replay([entry(1, RULING)], lambda event: now) == (
        Difference(1, "shot", "fouls.0.clause", "icf-31", "icf-32"),
        Difference(1, "shot", "score.north", None, 0),
    )
    longer = RULING | {"fouls": []}
    assert replay([entry(1, RULING)], lambda event: longer)[0].field == "fouls"


def test_events_are_handed_over_in_order():
    seen = []
    replay([entry(1, {}), entry(2, {})], lambda event: seen.append(event["seq_in"]) or {})
    assert seen == [1, 2]


def test_a_field_that_older_journals_do_not_have_is_no_difference():
    told = {"changed": [{"seq": 1}], "place_now": [], "take_off": [], "ranking": ["south", "east", "north"]}
    assert replay([entry(2, RULING)], lambda event: RULING | told) == ()
    assert replay([entry(2, RULING | {"changed": []})], lambda event: RULING | told)[0].field == "changed"
    assert replay([entry(2, RULING)], lambda event: {"error": "no"} | told)[0].field == "error"
