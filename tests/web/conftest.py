from __future__ import annotations

import contextlib
import re

import pytest

from controller.web import WebServer, create_app
from tests.mqtt.broker import free_port
from tests.patience import PATIENCE_S
from tests.steady import steady
from tests.web.client import Client
from tests.web.doing import styled
from tests.web.pretend import PretendMatches, PretendTable
from tests.web.pretend_club import PretendClub

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
]
"""Chromium draws an address bar's two pop-ups for every context, out of sight, for half of what a test's page costs."""

PHONE = (390, 844)

SHORT = "--deaf: 1ms; --stays: 1ms;"
"""A new card takes taps at once, and one that was settled elsewhere goes at once."""

LINE = re.compile("/events|/shared_stream.js")


@contextlib.contextmanager
def opened(chromium, client, size=PHONE, waits=SHORT):
    """A browser of its own, at a server. `troubles`: what went wrong in its page. `waits`: a style of its times."""
    context = chromium.new_context(
        viewport=dict(zip(("width", "height"), size, strict=True)),
        base_url=f"http://127.0.0.1:{client.port}",
        locale="en-GB",
    )
    context.set_default_timeout(PATIENCE_S * 1000)
    context.add_init_script(styled(waits))
    try:
        page = context.new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        yield page
    finally:
        context.close()


@pytest.fixture
def table():
    return PretendTable()


@pytest.fixture
def past():
    return PretendMatches()


@pytest.fixture
def clock():
    return [1_000_000.0]


@pytest.fixture
def client(table, clock, past):
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    app = create_app(table, clock=steady(lambda: clock[0]), past=past, gap_s=0.0, address=address)
    server = WebServer(app, table.feed, "127.0.0.1", port)
    yield Client(server.start())
    server.stop()


@pytest.fixture(scope="session")
def browsers():
    """Playwright itself: there is one in a process."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(browsers):
    browser = browsers.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=ARGS)
    yield browser
    browser.close()


@pytest.fixture
def waits():
    """The times of a page; empty in a module that tries these times."""
    return SHORT


@pytest.fixture
def page(chromium, client, waits):
    """A phone's page of the pretended table."""
    with opened(chromium, client, waits=waits) as page:
        # The stream is hung up as a page is left; without it a page shows nothing.
        page.on("requestfailed", lambda one: None if LINE.search(one.url) else page.troubles.append(one.url))
        yield page


@pytest.fixture
def console(page, client):
    from playwright.sync_api import expect

    client.login()
    host = f"http://127.0.0.1:{client.port}"
    cookies = [one.split("=", 1) for one in client.cookie.split("; ")]
    page.context.add_cookies([{"name": name, "value": value, "url": host} for name, value in cookies])
    page.goto("/umpire")
    expect(page.locator("[data-ask]")).to_be_visible()
    return page


@pytest.fixture
def player(page, client, table):
    """The page of the side that sits in the south, where the players decide; the question waits for both sides."""
    from playwright.sync_api import expect

    table.state |= {"officiating": "players", "flags": []}
    table.state["asks"][0]["sides"] = ["south", "north"]
    client.login()
    page.goto(client.post("/invite", {"side": "south"}).json["address"])
    page.click("#go")
    expect(page.locator("[data-ask]")).to_be_visible()
    page.troubles.clear()  # what was still loading as the way in was left
    return page


@pytest.fixture
def club(tmp_path):
    one = PretendClub(tmp_path / "season.sqlite")
    yield one
    one.server.stop()


@pytest.fixture
def phone(chromium, club):
    """A phone's page of the pretended club."""
    with opened(chromium, club.client) as page:
        yield page
