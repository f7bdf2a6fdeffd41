"""How soon pages show something on a slow phone in a slow network, and what they weigh.

Chromium at a quarter of its speed; "Slow 4G" as Lighthouse has it: 1.6 Mbit/s, 150 ms before each answer. First with
nothing kept, then once more; the least of the times, since what else the machine does only adds to them. The stream is
the page's own, as in browsers that share none: what a shared worker fetches Chromium would not slow down. The tables
are pretended ones, served by this process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from controller.web import WebServer, create_app
from tests.bench.figure import Figure
from tests.mqtt.broker import free_port
from tests.web.client import Client
from tests.web.conftest import ARGS, PHONE
from tests.web.pretend import PretendTable
from tests.web.pretend_club import PretendClub

SLOWER = 4
NETWORK = {"downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8, "latency": 150}
"""Bytes a second; ms."""
FIRST_S, LARGEST_S, KB = 1.5, 2.5, 200
QUIET_MS = 1500
SEEN = """
delete self.SharedWorker;
self.largest = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) self.largest = one.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
"""
SAYS = """() => [
  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0, self.largest,
  performance.getEntriesByType("resource").length,
]"""


@dataclass(frozen=True)
class Load:
    """One load of a page: seconds to the first and the largest content; requests; bytes without and of fonts."""

    first_s: float
    largest_s: float
    requests: int
    bytes: int
    fonts: int


def run(long: bool, parts: tuple[str, ...] = ()) -> Iterable[Figure]:
    """Yields the figures; `long`: more times. `parts`: of the pages' names."""
    with ExitStack() as stack:
        chromium = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=ARGS
        )
        pages = {**stack.enter_context(_table()), **stack.enter_context(_hub())}
        for name, (address, enter) in pages.items():
            if not parts or any(one in name for one in parts):
                yield from _figures(chromium, name, address, enter, 9 if long else 5)


Enter = Callable[[BrowserContext], None]
Pages = dict[str, tuple[str, Enter]]


@contextmanager
def _table() -> Iterator[Pages]:
    table, port = PretendTable(), free_port()
    table.state |= {"officiating": "players"}
    table.state["asks"][0]["sides"] = ["south", "north"]
    server = WebServer(create_app(table, address=f"http://127.0.0.1:{port}"), table.feed, "127.0.0.1", port)
    client = Client(server.start())
    client.login()
    home = f"http://127.0.0.1:{port}"

    def umpire(context: BrowserContext) -> None:
        cookies = [one.split("=", 1) for one in client.cookie.split("; ")]
        context.add_cookies([{"name": name, "value": value, "url": home} for name, value in cookies])

    def player(context: BrowserContext) -> None:
        page = context.new_page()
        page.goto(client.post("/invite", {"side": "south"}).json["address"])
        page.click("#go")
        page.wait_for_selector("[data-ask]")
        page.close()

    yield {
        "/umpire, PIN": (f"{home}/umpire", _nobody),
        "/umpire, signed in": (f"{home}/umpire", umpire),
        "/": (f"{home}/", _nobody),
        "/player": (f"{home}/player", player),
    }
    server.stop()


@contextmanager
def _hub() -> Iterator[Pages]:
    with tempfile.TemporaryDirectory() as folder:
        club = PretendClub(Path(folder) / "season.sqlite")
        home = f"http://127.0.0.1:{club.client.port}"
        yield {"hub /": (f"{home}/", _nobody), "hub /day": (f"{home}/day", _nobody)}
        club.server.stop()


def _nobody(_context: BrowserContext) -> None:
    pass


def _figures(chromium: Browser, name: str, address: str, enter: Enter, times: int) -> Iterator[Figure]:
    cold, warm = [], []
    for _ in range(times):
        context = chromium.new_context(
            viewport=dict(zip(("width", "height"), PHONE, strict=True)), locale="en-GB", is_mobile=True, has_touch=True
        )
        enter(context)
        context.add_init_script(SEEN)
        page = context.new_page()
        line = context.new_cdp_session(page)
        line.send("Network.enable")
        # What was fetched on the way in is not there.
        line.send("Network.clearBrowserCache")
        line.send("Network.emulateNetworkConditions", {"offline": False, **NETWORK})
        line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        for loads in (cold, warm):
            loads.append(_loaded(page, line, address))
        context.close()
    for how, loads in (("", cold), (", again", warm)):
        first, largest = min(one.first_s for one in loads), min(one.largest_s for one in loads)
        last = loads[-1]
        yield Figure(
            f"{name}{how}: first content; largest; without fonts; requests; fonts",
            "host",
            f"{first:.2f}; {largest:.2f} s; {last.bytes / 1000:.0f} kB; {last.requests}; {last.fonts / 1000:.0f} kB",
            f"{FIRST_S}; {LARGEST_S} s; {KB} kB",
            first <= FIRST_S and largest <= LARGEST_S and last.bytes <= KB * 1000,
        )


def _loaded(page: Page, line: Any, address: str) -> Load:
    fonts, came = set(), {}

    def answered(told: dict[str, Any]) -> None:
        if told["type"] == "Font":
            fonts.add(told["requestId"])

    def received(told: dict[str, Any]) -> None:
        came[told["requestId"]] = came.get(told["requestId"], 0) + told["encodedDataLength"]

    def begun(told: dict[str, Any]) -> None:
        came.setdefault(told["requestId"], 0)

    def ended(told: dict[str, Any]) -> None:
        came[told["requestId"]] = told["encodedDataLength"]

    def from_cache(told: dict[str, Any]) -> None:
        came.pop(told["requestId"], None)
        cached.add(told["requestId"])

    cached: set[str] = set()
    heard = {
        "Network.requestWillBeSent": begun,
        "Network.responseReceived": answered,
        "Network.dataReceived": received,
        "Network.loadingFinished": ended,
        "Network.requestServedFromCache": from_cache,
    }
    for event, does in heard.items():
        line.on(event, does)
    page.goto(address, wait_until="commit")
    before: list[float] = []
    while True:
        now = page.evaluate(SAYS)
        if now[0] and now == before:
            break
        before = now
        page.wait_for_timeout(QUIET_MS)
    for event, does in heard.items():
        line.remove_listener(event, does)
    asked = {one: size for one, size in came.items() if one not in cached}
    heavy = sum(size for one, size in asked.items() if one in fonts)
    return Load(now[0] / 1000, now[1] / 1000, len(asked), sum(asked.values()) - heavy, heavy)
