"""The log does not grow without bound, however often something goes wrong."""

from __future__ import annotations

import io
import logging
import os
import shlex
import subprocess
import sys

import pytest

from controller.commands.log import FROM_ALL, FROM_ONE_PLACE, LONGEST, WINDOW_S, Bounded, Fields


class Log:
    """A log on a clock that the test sets."""

    def __init__(self) -> None:
        self.now, self.text = 0.0, io.StringIO()
        handler = logging.StreamHandler(self.text)
        handler.addFilter(Bounded(lambda: self.now))
        handler.setFormatter(Fields())
        self.log = logging.Logger("controller.table.desk.desk")
        self.log.addHandler(handler)

    def storm(self, times: int) -> None:
        for number in range(times):
            self.log.warning("again %d", number)

    @property
    def lines(self) -> list[str]:
        return self.text.getvalue().splitlines()

    @property
    def last(self) -> dict[str, str]:
        """The fields of the last line, as a program reads them that knows nothing but quotes."""
        return dict(word.partition("=")[::2] for word in shlex.split(self.lines[-1]))


def test_the_same_line_over_and_over_is_said_a_few_times_and_counted() -> None:
    log = Log()
    log.storm(10_000)
    log.log.warning("something else")
    assert len(log.lines) == FROM_ONE_PLACE + 1
    assert log.last["says"] == "something else"
    log.now = WINDOW_S
    log.storm(1)
    assert log.last["says"] == f"again 0 ({10_000 - FROM_ONE_PLACE} more like this were left out)"
    log.storm(1)
    assert log.last["says"] == "again 0"


def test_many_places_together_are_bounded_too() -> None:
    log = Log()
    for number in range(5 * FROM_ALL):
        record = logging.LogRecord("x", logging.WARNING, "here.py", number, "line %d", (number,), None)
        log.log.handle(record)
    assert len(log.lines) == FROM_ALL


def test_an_event_is_one_line_of_fields() -> None:
    log = Log()
    log.log.warning('%s: "%s"', "what a stranger sent", "x\nlevel=error part=table.desk says=\x1b[2J")
    assert len(log.lines) == 1
    assert (log.last["level"], log.last["part"]) == ("warning", "table.desk.desk")
    assert log.last["says"].startswith('what a stranger sent: "x ⏎ level=error')
    assert "\x1b" not in log.lines[0]
    try:
        raise ValueError("the node\nis gone")
    except ValueError:
        log.log.exception("could not be taken")
    assert len(log.lines) == 2
    assert log.last["says"] == "could not be taken"
    assert log.last["trace"].startswith("Traceback")
    assert log.last["trace"].endswith("is gone")


def test_a_long_record_loses_its_middle() -> None:
    log = Log()
    log.log.warning("begin %s end", "x" * 100_000)
    assert len(log.last["says"]) < LONGEST + 50
    assert log.last["says"].startswith("begin x")
    assert log.last["says"].endswith("x end")


@pytest.mark.live
def test_a_service_says_how_urgent_a_line_is() -> None:
    """As systemd wants it of a program whose standard error is its journal; a person at a terminal is spared it."""
    says = "import logging; from controller.commands.log import set_up_log; set_up_log(logging.INFO); "
    command = [sys.executable, "-c", says + "logging.getLogger('controller.x').error('gone')"]
    plain = {name: value for name, value in os.environ.items() if name != "JOURNAL_STREAM"}

    def said(**more: str) -> str:
        return subprocess.run(command, env=plain | more, capture_output=True, text=True, check=True).stderr

    assert said() == 'level=error part=x says="gone"\n'
    assert said(JOURNAL_STREAM="8:12") == '<3>level=error part=x says="gone"\n'
