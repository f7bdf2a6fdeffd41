"""The season's page in a browser: who stands where, on a phone too, in Hindi, and what axe finds."""

from __future__ import annotations

import threading
import time

import pytest
from playwright.sync_api import expect

from controller.config import HubSection
from controller.hub.app import create_app
from controller.hub.season_file import SeasonFile
from controller.hub.season_writer import NOT_KEPT, SeasonWriter
from controller.hub.tables import Tables
from controller.web import Feed, WebServer
from controller.web.app import STATIC
from controller.web.broadcast import Broadcast
from controller.web.login import Login
from controller.web.sessions import Sessions
from controller.web.tries import Tries
from tests.hub.seasons import SEASON, ended, filled
from tests.patience import PATIENCE_S
from tests.web.pretend_club import SMALL
from tests.web.test_accessibility import found

LONG = ended("m6", "Venkatanarasimharajuvaripeta Ramanathan-Subrahmanyam", "Ben Kim", (25, 4), day=5)


class PretendHub:
    """The hub's pages with no table and what a season's file holds."""

    def __init__(self) -> None:
        self.told, self.feed, guard = NOT_KEPT, Feed(), threading.Lock()
        tables = Tables()

        def read(asked):
            with guard:
                return asked(tables)

        told = Broadcast(self.feed, lambda _referee: [], gap_s=0.0, umpires_first=False)
        login = Login(Sessions(lambda: None, time.time), Tries(time.time))
        app = create_app(read, told, login, STATIC, HubSection(), lambda: self.told)
        self.server = WebServer(app, self.feed, "127.0.0.1", 0)
        self.port = self.server.start()

    def tell(self, file: SeasonFile) -> None:
        """A season is kept, and something has come."""
        self.told = SeasonWriter(file).plain()
        self.feed.push("state")


@pytest.fixture
def hub():
    one = PretendHub()
    yield one
    one.server.stop()


@pytest.fixture
def phone(chromium, hub):
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, base_url=f"http://127.0.0.1:{hub.port}", locale="en-GB"
    )
    context.set_default_timeout(PATIENCE_S * 1000)
    opened = context.new_page()
    opened.troubles = []
    opened.on("pageerror", lambda error: opened.troubles.append(str(error)))
    yield opened
    context.close()


WIDTHS = """() => [document.documentElement, ...document.querySelectorAll('section, .hub-season td')]
  .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"""


@pytest.mark.browser
def test_the_seasons_page_is_found_from_the_hubs_top_and_read_on_a_phone_in_both_languages(phone, hub, tmp_path):
    phone.goto("/")
    phone.get_by_role("link", name="Season").click()
    expect(phone.locator("#standings")).to_have_text("This club keeps no season ([hub] season).")
    hub.tell(filled(tmp_path / "season.sqlite", (*SEASON, ("t1", LONG))))
    rows = phone.locator("#standings tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first.locator("td")).to_have_text(
        ["1", "asha  rao", "3", "2", "1", "0", "0", "3 : 0", "40 : 25", "1135 ?"]
    )
    expect(phone.get_by_text("? provisional: not sure yet.")).to_be_visible()
    expect(phone.locator("#count")).to_have_text("5 matches count.")
    for language, won in (("en", "Won"), ("hi", "जीते")):
        phone.goto(f"/season?lang={language}")
        expect(rows).to_have_count(4)
        assert rows.first.locator("td").nth(3).get_attribute("data-title") == won
        assert phone.evaluate(WIDTHS) == []
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        assert phone.evaluate(SMALL) == []
        assert found(phone) == []
    phone.set_viewport_size({"width": 1280, "height": 800})
    expect(phone.get_by_role("columnheader", name="जीते")).to_be_visible()
    assert phone.troubles == []


@pytest.mark.browser
def test_the_page_says_that_the_file_cannot_be_read(phone, hub, tmp_path):
    (tmp_path / "season.sqlite").write_text("a letter")
    hub.tell(SeasonFile(tmp_path / "season.sqlite"))
    phone.goto("/season")
    expect(phone.get_by_role("alert")).to_have_text("The season cannot be read or written; the hub's log says why.")
    expect(phone.locator("#standings")).to_have_text("")
