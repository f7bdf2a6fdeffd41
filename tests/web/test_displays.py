"""Which pages count as the table's own displays, and whether one is there."""

from __future__ import annotations

import queue

import pytest
from playwright.sync_api import expect

from controller.table.machine.display import PATIENCE_S, DisplayWatch
from controller.web import WebServer, create_app
from tests.patience import PATIENCE_S as LONG_S
from tests.web.client import Client
from tests.web.conftest import opened


@pytest.fixture
def counts():
    return queue.SimpleQueue()


@pytest.fixture
def shown(table, counts):
    """The pages of a table that says how many displays follow it."""
    server = WebServer(create_app(table, gap_s=0.0, displayed=counts.put), table.feed, "127.0.0.1", 0)
    yield Client(server.start())
    server.stop()


@pytest.mark.live
def test_a_stream_that_says_so_is_a_displays_until_it_ends(shown, counts):
    plain, first, second = (shown.stream(path) for path in ("/events", "/events?display", "/events?display"))
    next(plain)
    next(first)
    assert counts.get(timeout=LONG_S) == 1
    next(second)
    assert counts.get(timeout=LONG_S) == 2
    for stream, left in ((first, 1), (second, 0)):
        stream.close()
        assert counts.get(timeout=LONG_S) == left
    plain.close()
    assert counts.empty()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("host", "path", "display"),
    [
        ("127.0.0.1", "/board", True),
        ("localhost", "/", True),
        ("127.0.0.1", "/", False),
        ("127.0.0.1", "/stream", False),
    ],
)
def test_the_board_page_and_this_machines_own_screen_are_displays(chromium, shown, counts, host, path, display):
    with opened(chromium, shown) as page:
        page.goto(f"http://{host}:{shown.port}{path}")
        expect(page.locator("#bands")).to_contain_text("Asha")
        if display:
            assert counts.get(timeout=LONG_S) == 1
        else:
            assert counts.empty()


def test_a_display_is_missed_after_a_while_and_only_where_one_is_expected():
    now = [0.0]
    watch, unexpected = (DisplayWatch(expected, lambda: now[0]) for expected in (True, False))
    assert watch.says == "on", "it may still be starting"
    now[0] = PATIENCE_S
    assert (watch.says, unexpected.says) == ("none", None)
    watch.shown(1)
    now[0] += 1000.0
    assert watch.says == "on"
    watch.shown(0)
    assert watch.says == "on", "it may be loading anew"
    now[0] += PATIENCE_S
    assert watch.says == "none"
