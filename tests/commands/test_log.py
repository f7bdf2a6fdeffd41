"""The log does not grow without bound, however often something goes wrong."""

from __future__ import annotations

import io
import logging

from controller.commands.log import FROM_ALL, FROM_ONE_PLACE, LONGEST, WINDOW_S, Bounded, Short


class Log:
    """A log on a clock that the test sets."""

    def __init__(self) -> None:
        self.now, self.text = 0.0, io.StringIO()
        handler = logging.StreamHandler(self.text)
        handler.addFilter(Bounded(lambda: self.now))
        handler.setFormatter(Short("%(message)s"))
        self.log = logging.Logger("x")
        self.log.addHandler(handler)

    def storm(self, times: int) -> None:
        for number in range(times):
            self.log.warning("again %d", number)

    @property
    def lines(self) -> list[str]:
        return self.text.getvalue().splitlines()


def test_the_same_line_over_and_over_is_said_a_few_times_and_counted() -> None:
    log = Log()
    log.storm(10_000)
    log.log.warning("something else")
    assert len(log.lines) == FROM_ONE_PLACE + 1
    assert log.lines[-1] == "something else"
    log.now = WINDOW_S
    log.storm(1)
    assert log.lines[-1] == f"again 0 ({10_000 - FROM_ONE_PLACE} more like this were left out)"
    log.storm(1)
    assert log.lines[-1] == "again 0"


def test_many_places_together_are_bounded_too() -> None:
    log = Log()
    for number in range(5 * FROM_ALL):
        record = logging.LogRecord("x", logging.WARNING, "here.py", number, "line %d", (number,), None)
        log.log.handle(record)
    assert len(log.lines) == FROM_ALL


def test_a_long_record_loses_its_middle() -> None:
    log = Log()
    log.log.warning("begin %s end", "x" * 100_000)
    (line,) = log.lines
    assert len(line) < LONGEST + 50
    assert line.startswith("begin x")
    assert line.endswith("x end")
