"""A phone whose browser translates pages makes Hope of Asha, unless the page says what is no word."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# Text that is a name or a clause and nothing else, and that a browser may translate.
TRANSLATED = """(names) => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const text = node.data.trim();
    const kept = node.parentElement.closest('[translate="no"]');
    if (!kept && (names.includes(text) || /^icf-\\d+[a-z]?$/.test(text))) found.push(text);
  }
  return found;
}"""
NAMES = ["Asha", "Ben", "Asha Rao", "Ben Kim"]


@pytest.mark.parametrize("where", ["/", "/board", "/stream", "/overlay"])
def test_names_on_the_scoreboards_stay_as_they_are(page, where):
    page.goto(where)
    expect(page.locator("#bands")).to_contain_text("Asha")
    assert page.evaluate(TRANSLATED, NAMES) == []


def test_names_and_clauses_on_the_console_stay_as_they_are(console):
    assert console.evaluate(TRANSLATED, NAMES) == []


@pytest.mark.parametrize("where", ["/", "/hall"])
def test_names_in_the_hall_stay_as_they_are(phone, where):
    phone.goto(where)
    expect(phone.locator("main")).to_contain_text("Asha Rao")
    assert phone.evaluate(TRANSLATED, NAMES) == []
