"""The book that is played by, as a page: what `carrom books clauses` prints, to be searched."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.web.daemon import bare_daemon
from tests.web.states import SMALL
from tests.web.test_accessibility import found
from tests.web.test_sizes import CUT, WIDE

pytestmark = [pytest.mark.live, pytest.mark.timeout(120)]
START = {"event": "start", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}


def shown(rows: list[dict]) -> list[dict]:
    """All but how far the table goes by itself, which is the table's own."""
    return [{key: value for key, value in row.items() if key != "autonomy"} for row in rows]


def printed(book: str) -> dict:
    command = [sys.executable, "-m", "controller.cli", "books", "clauses", book, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def test_a_real_table_serves_the_book_that_is_played_as_it_is_printed(tmp_path):
    with bare_daemon(tmp_path) as client:
        assert "error" not in client.post("/act", START | {"book": "club"}).json
        served = client.get("/book/clauses").json
        assert (served["id"], shown(served["clauses"])) == ("club", shown(printed("club")["clauses"]))
        assert served["title"]
        assert "error" not in client.post("/act", START | {"book": "icf", "policy": {"points": 15}}).json
        own = {one["id"]: one for one in client.get("/book/clauses").json["clauses"]}
        as_shipped = {one["id"]: one for one in printed("icf")["clauses"]}
        changed = [own[clause]["says"] for clause in own if own[clause]["says"] != as_shipped[clause]["says"]]
        assert changed, "a clause is worded by the match's own policy"
        assert all("15" in says for says in changed)


@pytest.mark.browser
def test_the_console_leads_to_a_page_that_finds_a_clause_by_keyboard(console):
    console.click("#tabs >> text=Table")
    link = console.get_by_role("link", name="The clauses of the book")
    link.focus()
    console.keyboard.press("Enter")
    expect(console).to_have_url(re.compile("/book$"))
    expect(console.locator("#clauses li")).to_have_count(3)
    assert "decided by the score" in console.locator("#icf-15").inner_text()
    assert "stroke_seconds" in console.locator("#icf-34a").inner_text()
    for wanted, left in (("ICF-32", "icf-32"), ("covered", "icf-15"), ("stroke_sec", "icf-34a"), ("fouled", "icf-32")):
        console.get_by_role("searchbox", name="Find a clause").fill(wanted)
        shown = console.locator("#clauses li:visible")
        expect(shown).to_have_count(1)
        expect(shown).to_have_id(left)


@pytest.mark.browser
def test_the_page_speaks_the_readers_language_and_fits_a_phone(page):
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto("/book?lang=hi")
    expect(page.locator("#clauses li")).to_have_count(3)
    expect(page.get_by_role("heading")).to_have_text("नियमों की धाराएँ")
    assert "अंकों से तय" in page.locator("#icf-15").inner_text()
    page.get_by_role("searchbox", name="धारा खोजें").fill("दोनों हाथ")
    expect(page.locator("#clauses li:visible")).to_have_id("icf-32")
    assert "दोनों हाथ लगाना फ़ाउल है" in page.locator("#icf-32").inner_text()
    page.get_by_role("searchbox", name="धारा खोजें").fill("")
    assert found(page) == []
    assert [*page.evaluate(SMALL), *page.evaluate(CUT), *page.evaluate(WIDE)] == []


@pytest.mark.browser
def test_without_a_match_the_page_says_so(page, table):
    table.reference = lambda: {"id": None, "title": None, "clauses": []}
    page.goto("/book")
    expect(page.get_by_role("status")).to_have_text("No match is under way: no book is played by.")
    expect(page.locator("#search")).to_be_hidden()
