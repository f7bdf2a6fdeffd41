from __future__ import annotations

import contextlib
import re
from functools import partial

import pytest

from controller.web import WebServer, create_app
from tests.mqtt.broker import free_port
from tests.patience import PATIENCE_S
from tests.steady import steady
from tests.web.client import Client
from tests.web.doing import styled
from tests.web.kept import House, Windows
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

FAILED = pytest.StashKey[bool]()
"""Noted at a test of which something has failed."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@contextlib.contextmanager
def opened(chromium, client, size=PHONE, waits=SHORT):
    """A window of its own, at a server. `troubles`: what went wrong in its page. `waits`: a style of its times."""
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
def client(request, table, clock, past):
    """Whoever asks the pretended table; to a browser it is at home in the house."""
    house = request.getfixturevalue("house") if "chromium" in request.fixturenames else None
    port = house.port if house else free_port()
    address = f"http://127.0.0.1:{port}"
    app = create_app(table, clock=steady(lambda: clock[0]), past=past, gap_s=0.0, address=address)
    server = house.server(app, table.feed) if house else WebServer(app, table.feed, "127.0.0.1", port)
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
def house():
    return House()


@pytest.fixture(scope="session")
def chromium(browsers):
    browser = browsers.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=ARGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def windows(chromium, house):
    kept = Windows(chromium, house)
    yield kept
    kept.close()


@pytest.fixture
def waits():
    """The times of a page; empty in a module that tries these times."""
    return SHORT


@pytest.fixture
def own_window():
    """Asked for by tests that set the page's clock: no window is the same afterwards."""


@pytest.fixture
def window(request, chromium, windows):
    """Opens a phone's window at the house, which is put back after the test."""

    def failed():
        return FAILED in request.node.stash

    def at(client, waits=SHORT):
        opens = partial(opened, chromium, client, waits=waits)
        return opens() if "own_window" in request.fixturenames else windows.one(waits, opens, failed)

    return at


@pytest.fixture
def page(window, client, waits):
    """A phone's page of the pretended table."""
    with window(client, waits) as page:

        def failed(request):
            # The stream is hung up as a page is left; without it a page shows nothing.
            if not LINE.search(request.url):
                page.troubles.append(request.url)

        page.on("requestfailed", failed)
        yield page
        page.remove_listener("requestfailed", failed)


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
def club(request, tmp_path):
    house = request.getfixturevalue("house") if "phone" in request.fixturenames else None
    one = PretendClub(tmp_path / "season.sqlite", house=house)
    yield one
    one.server.stop()


@pytest.fixture
def phone(window, club):
    """A phone's page of the pretended club."""
    with window(club.client) as page:
        yield page
