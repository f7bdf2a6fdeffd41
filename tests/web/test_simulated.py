"""A simulated table says so on every page, its own and the club's, in the reader's language; a real one does not."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.web.pretend_club import PretendClub, said
from tests.web.test_catalogues import catalogue

pytestmark = pytest.mark.browser

LANGUAGES = ("en", "hi", "mr", "ta", "si", "fr", "de")
SIZES = [(390, 844), (1366, 768)]
MARK = ".simulated"


@pytest.fixture
def opened(chromium):
    """Opens a page of a server in a window of that size."""
    contexts = []

    def at(port, path, size):
        viewport = dict(zip(("width", "height"), size, strict=True))
        context = chromium.new_context(viewport=viewport, base_url=f"http://127.0.0.1:{port}", locale="en-GB")
        contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    yield at
    for context in contexts:
        context.close()


def is_in_sight(page) -> None:
    """The mark is on the screen, whole, and pushes nothing off it."""
    expect(page.locator(MARK).first).to_be_in_viewport(ratio=1)
    wide, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= shown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", ["/", "/board", "/stream", "/umpire", "/player"])
def test_a_simulated_table_says_so_and_a_real_one_does_not(opened, client, table, path, size):
    page = opened(client.port, path, size)
    expect(page.locator("#watch b")).to_be_visible()
    expect(page.locator(MARK)).to_have_count(0)
    table.state["health"]["simulated"] = True
    table.feed.push("state")
    expect(page.locator(MARK)).to_have_text("Simulated")
    is_in_sight(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_in_the_readers_language(opened, client, table, language):
    table.state["health"] |= {"simulated": True, "camera": "blind", "armed": "degraded"}
    table.state["score"]["armed"] = "degraded"
    for size in SIZES:
        page = opened(client.port, f"/?lang={language}", size)
        expect(page.locator(MARK)).to_have_text(catalogue(language)["simulated"].strip())
        is_in_sight(page)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", ["/", "/tables/t4", "/hall", "/referee"])
def test_the_club_tells_its_simulated_tables_from_the_real_ones(opened, path, size):
    club = PretendClub()
    try:
        now = time.time()
        club.hears("t4/health", said(t=now, armed="armed", name="Demo table", simulated=True))
        page = opened(club.client.port, path, size)
        expect(page.locator(MARK)).to_have_count(1)
        expect(page.locator(":is(h1, h2)", has=page.locator(MARK))).to_contain_text("Demo table Simulated")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    finally:
        club.server.stop()
