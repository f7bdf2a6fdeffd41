"""What the tests in a browser hand on from one to the next: an address, and a window that is put back.

Most of what a page's load costs is to ask for its files and to compile them, in a process begun for it. A window that
is kept has them already; what a test did to it is undone.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.web import Feed, WebServer
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

FIRST_PORT, PORTS = 20_000, 10_000
REST = "/at-rest"
"""A page of nobody's, where a window waits for its next test."""
KEPT = (b"cache-control", b"max-age=86400")
FRESH = (b"cache-control", b"no-store")
AS_NEW = """() => {
  localStorage.clear();
  sessionStorage.clear();
  return typeof globalThis.__pwClock;
}"""
"""Says `undefined` where no clock was installed: playwright cannot take one away."""


class House:
    """One address at which pretended tables and clubs are served, one after another, each by a server of its own.

    A browser is told that it may keep the pages' own files, which do not change while tests run, and nothing else, so
    that no test sees another's picture. Who is no browser gets what the table says.
    """

    def __init__(self) -> None:
        # The kernel gives no such port to who asks for any, and no other worker has it.
        self.port = FIRST_PORT + os.getpid() % PORTS
        self._answering = 0
        self._change = threading.Condition()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def server(self, app: ASGIApp, feed: Feed) -> WebServer:
        """Serves a table or club here, once it is started."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            with self._change:
                self._answering += 1
            try:
                if scope["path"] == REST:
                    await HTMLResponse("<!doctype html>")(scope, receive, send)
                elif "Chrome" in Request(scope).headers.get("user-agent", ""):
                    await app(scope, receive, _told_what_to_keep(scope["path"], send))
                else:
                    await app(scope, receive, send)
            finally:
                with self._change:
                    self._answering -= 1
                    self._change.notify_all()

        return WebServer(answer, feed, "127.0.0.1", self.port)

    def fall_quiet(self) -> None:
        """Waits until nobody is being answered: the streams of a page that was left have ended."""
        with self._change:
            assert self._change.wait_for(lambda: not self._answering, PATIENCE_S), "somebody still listens"


@dataclass
class _Window:
    """`scripts`: what a test had each document to come begin with."""

    stack: contextlib.ExitStack
    page: Page
    size: ViewportSize | None
    scripts: list[Any] = field(default_factory=list)


class Windows:
    """Windows that are kept at the house, one for each way of opening them."""

    def __init__(self, chromium: Browser, house: House) -> None:
        self._chromium, self._house = chromium, house
        self._kept: dict[str, _Window] = {}

    @contextlib.contextmanager
    def one(
        self, name: str, opens: Callable[[], contextlib.AbstractContextManager[Page]], failed: Callable[[], bool]
    ) -> Iterator[Page]:
        """A window as good as new. `opens`: makes one; `failed()`: whether the test has failed, whose window may be
        in any state and is given up."""
        if name not in self._kept:
            stack = contextlib.ExitStack()
            page = stack.enter_context(opens())
            self._kept[name] = window = _Window(stack, page, page.viewport_size)
            _note_scripts(window)
        window, as_new = self._kept[name], False
        try:
            yield window.page
            if not failed():
                self._put_back(window)
                as_new = True
        finally:
            if not as_new:
                self.close()

    def close(self) -> None:
        """Gives up every window, those that a test left open too."""
        kept, self._kept = self._kept, {}
        for window in kept.values():
            window.stack.close()
        for context in self._chromium.contexts:
            context.close()

    def _put_back(self, window: _Window) -> None:
        """State of the page, its storage, cookies, routes, scripts, media, size and mouse are those of a new window."""
        page, context = window.page, window.page.context
        page.unroute_all(behavior="ignoreErrors")
        while window.scripts:
            window.scripts.pop().close()
        for other in context.pages:
            if other is not page:
                other.close()
        page.goto(self._house.address + REST)
        assert page.evaluate(AS_NEW) == "undefined", "a test with a clock of its own asks for `own_window`"
        context.clear_cookies()
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        if page.viewport_size != window.size:
            page.set_viewport_size(window.size)
        page.mouse.move(-1, -1)
        self._house.fall_quiet()
        page.troubles.clear()


def _note_scripts(window: _Window) -> None:
    """What the window's documents begin with from now on is noted, to be taken away."""
    really = window.page.add_init_script

    def noted(*told: Any, **more: Any) -> Any:
        window.scripts.append(really(*told, **more))
        return window.scripts[-1]

    window.page.add_init_script = noted


def _told_what_to_keep(path: str, send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [one for one in message["headers"] if one[0] != b"cache-control"]
            message["headers"] = [*headers, KEPT if path.startswith("/static/") else FRESH]
        await send(message)

    return told
