"""A window that is kept from test to test is as good as a new one, or given up."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.web.conftest import opened

pytestmark = pytest.mark.browser

LEFT = """() => {
  localStorage.setItem('carrom-voice', 'on');
  sessionStorage.setItem('x', '1');
  document.cookie = 'x=1';
}"""
FOUND = """() => [{ ...localStorage }, { ...sessionStorage }, document.cookie, innerWidth, innerHeight, window.left,
  ...['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', 'print']
    .map((one) => matchMedia(one).matches)]"""


def seen(page) -> list:
    page.goto("/")
    expect(page.locator("[data-points=south]")).to_have_text("12")
    return [page.context.cookies(), len(page.context.pages), page.evaluate(FOUND)]


@pytest.fixture
def at(windows, chromium, client):
    """Opens the window that is kept for these tests."""
    return partial(windows.one, "tried", partial(opened, chromium, client), lambda: False)


def test_a_window_that_was_put_back_is_as_a_new_one(at, chromium, client):
    with at() as kept:
        kept.goto("/")
        kept.evaluate(LEFT)
        kept.add_init_script("window.left = true")
        kept.route("**/geometry", lambda route: route.abort())
        kept.set_viewport_size({"width": 1366, "height": 768})
        kept.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")
        kept.context.new_page()
        kept.troubles.append("x")
        kept.reload()
        assert kept.evaluate("window.left")
    with at() as again, opened(chromium, client) as new:
        assert again is kept
        assert seen(again) == seen(new)
        assert again.troubles == new.troubles == []


def test_a_window_whose_clock_was_set_is_given_up(at):
    with pytest.raises(AssertionError, match="own_window"), at() as kept:
        kept.clock.install()
    with at() as new:
        assert new is not kept
