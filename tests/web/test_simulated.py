"""A simulated table says so on every page, its own and the club's, in the reader's language; a real one does not."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.web.doing import resized
from tests.web.pretend_club import said
from tests.web.test_catalogues import catalogue

pytestmark = pytest.mark.browser

LANGUAGES = ("en", "hi", "mr", "ta", "si", "fr", "de")
SIZES = [(390, 844), (1366, 768)]
MARK = ".simulated"


def at(page, path, size) -> None:
    """The page in a window of that size."""
    resized(page, size)
    page.goto(path)


def is_in_sight(page) -> None:
    """The mark is on the screen, whole, and pushes nothing off it."""
    expect(page.locator(MARK).first).to_be_in_viewport(ratio=1)
    wide, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= shown


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", ["/", "/board", "/stream", "/umpire", "/player"])
def test_a_simulated_table_says_so_and_a_real_one_does_not(page, table, path, size):
    at(page, path, size)
    expect(page.locator("#watch b")).to_be_visible()
    expect(page.locator(MARK)).to_have_count(0)
    table.state["health"]["simulated"] = True
    table.feed.push("state")
    expect(page.locator(MARK)).to_have_text("Simulated")
    is_in_sight(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_in_the_readers_language(page, table, language):
    table.state["health"] |= {"simulated": True, "camera": "blind", "armed": "degraded"}
    table.state["score"]["armed"] = "degraded"
    for size in SIZES:
        at(page, f"/?lang={language}", size)
        expect(page.locator(MARK)).to_have_text(catalogue(language)["simulated"].strip())
        is_in_sight(page)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("path", ["/", "/tables/t4", "/hall", "/referee"])
def test_the_club_tells_its_simulated_tables_from_the_real_ones(phone, club, path, size):
    club.hears("t4/health", said(t=time.time(), armed="armed", name="Demo table", simulated=True))
    at(phone, path, size)
    expect(phone.locator(MARK)).to_have_count(1)
    expect(phone.locator(":is(h1, h2)", has=phone.locator(MARK))).to_contain_text("Demo table Simulated")
    assert phone.evaluate("document.documentElement.scrollWidth") <= size[0]
