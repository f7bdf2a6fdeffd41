"""When a broker is asked whether it is still there, and when its answer is overdue."""

from __future__ import annotations

from controller.mqtt.answering import ASK_S, LATE_S, Answering
from controller.web.broadcast import GAP_S, SETTLE_S


def test_one_question_at_a_time_and_the_next_a_while_after_the_answer() -> None:
    broker = Answering(10.0)
    assert broker.asks(10.0)
    assert not broker.asks(10.5)
    broker.answered(10.5)
    assert not broker.asks(10.5 + ASK_S / 2)
    assert broker.wait_s(10.5) == ASK_S
    assert broker.asks(10.5 + ASK_S)


def test_an_answer_is_overdue_until_it_comes() -> None:
    broker = Answering(0.0)
    assert not broker.silent(100.0)  # nothing was asked
    assert broker.asks(0.0)
    assert not broker.silent(LATE_S - 0.01)
    assert broker.wait_s(LATE_S - 0.5) == 0.5
    assert broker.silent(LATE_S)
    assert broker.wait_s(LATE_S) > 0
    broker.answered(LATE_S + 5)
    assert not broker.silent(LATE_S + 5)


def test_everybody_knows_of_a_frozen_broker_within_three_seconds() -> None:
    assert ASK_S + LATE_S + GAP_S + SETTLE_S < 3
