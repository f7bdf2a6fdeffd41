"""Somebody else under our client id: when it is noticed. Times are handed in."""

from __future__ import annotations

from controller.mqtt.take_overs import SAID, SHORT_LIVED_S, STANDS_S, TakeOvers


def test_the_brokers_own_word_is_taken_at_the_first_one():
    ours = TakeOvers()
    ours.began(0.0)
    ours.ended(SAID, 5000.0)
    assert ours.noticed(5000.0)
    assert not ours.noticed(5000.0 + STANDS_S)


def test_a_connection_that_ended_as_it_began_and_is_taken_again_was_taken_over():
    ours = TakeOvers()
    ours.began(0.0)
    ours.ended("Unspecified error", 1.0)
    assert not ours.noticed(1.0), "a broker that goes away ends connections too"
    ours.began(1.5)
    assert ours.noticed(1.5)
    ours.ended("Unspecified error", 2.0)
    ours.began(3.0)
    assert ours.in_a_row == 2


def test_a_broker_that_was_away_ended_it_itself():
    ours = TakeOvers()
    ours.began(0.0)
    ours.ended("Unspecified error", 1.0)
    ours.away()
    ours.began(2.0)
    assert not ours.noticed(2.0)


def test_a_connection_that_stood_has_ended_by_chance():
    ours = TakeOvers()
    ours.began(0.0)
    ours.ended("Unspecified error", SHORT_LIVED_S)
    ours.began(SHORT_LIVED_S + 1.0)
    assert not ours.noticed(SHORT_LIVED_S + 1.0)
