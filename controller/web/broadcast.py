"""Sends each change to every open page. A message is built and encoded once, however many pages are open.

Runs in the pages' loop. Everybody's pages receive it a moment later, a few at a time: the answer to the umpire
who made it goes first. Must not know what is sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from anyio import to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from controller.events.doors import json_text
from controller.web.answers import error
from controller.web.feed import Feed

log = logging.getLogger(__name__)

BEAT_S = 1.0
"""At least so often something is sent, so that a page can tell a quiet table from a dead line."""
MOST_PAGES = 200
"""Streams of everybody's pages: more than a hall's phones, few enough for a Raspberry Pi."""
MOST_UMPIRES = 8
"""Streams of pages that gave the PIN: they have their own places, so that no crowd keeps an umpire out."""
SETTLE_S = 0.02
"""So long everybody's pages wait after a change: one stroke or act makes several."""
GAP_S = 0.25
"""So long at least between two states sent to everybody: nobody reads faster."""
AT_ONCE, BREATH_S = 5, 0.001
"""So many pages are sent to at once, and then the other threads get their turn."""
GIVE_WAY_S = 0.05
"""So long the next few pages wait for an umpire's act that is under way."""
BEFORE_ALL = -1
"""The mark that comes before every other."""
MOST_STEPS = 50
"""A page that has missed more differences is sent the whole state."""
TOLD_AT_ONCE = ("board", "clock", "day", "reach")
"""What goes out as it is pushed, beside the state."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One message as it is sent: `version`: of the feed, when it was built; `mark`: up to where in `since` it has the
    state, where that is sent by difference."""

    version: int
    event: bytes
    mark: int | None = None

    @property
    def reaches(self) -> int:
        """Up to where a page is once it has this."""
        return self.version if self.mark is None else self.mark


@dataclass(frozen=True, slots=True)
class _Step:
    """What turns the state of one mark into that of a later one."""

    after: int
    mark: int
    event: bytes


@dataclass(slots=True)
class _Steps:
    """The latest differences of one audience. `mark`: up to where in `since` they reach.

    A page's place among them is a mark as well, never a version of the feed: what has changed may be read before it is
    pushed, under the version of the change before.
    """

    mark: int
    steps: deque[_Step] = field(default_factory=lambda: deque(maxlen=MOST_STEPS))


@dataclass(eq=False, slots=True)
class _Page:
    """One open page."""

    umpire: bool
    holds: Callable[[], bool]
    display: bool
    news: asyncio.Event = field(default_factory=asyncio.Event)
    sent: dict[str, int] = field(default_factory=dict)
    left: bool = False


class Broadcast:
    """`render(umpire)`: the state, the umpire's or everybody's, as a JSON value; called in a thread of its own.
    `since(umpire, mark)`: the mark of now, and what of the state has changed since a mark; None where the whole must be
    sent. With it a page is sent the whole once, and then differences as `tiles`.

    `most`: of everybody's pages at once; `gap_s`: so long at least between two states sent to them. `umpires_first`:
    who may act is sent each change at once; where nothing is acted on, together with everybody. `displayed(count)`: so
    many displays follow from now on, whenever one comes or goes.
    """

    def __init__(
        self,
        feed: Feed,
        render: Callable[[bool], Any],
        since: Callable[[bool, int], tuple[int, Any]] | None = None,
        *,
        most: int = MOST_PAGES,
        gap_s: float = GAP_S,
        umpires_first: bool = True,
        displayed: Callable[[int], object] = lambda _count: None,
    ) -> None:
        self._feed = feed
        self._displayed = displayed
        self._umpires_first = umpires_first
        self._render, self._since = render, since
        self._steps: dict[bool, _Steps] = {}
        self._most = {False: most, True: MOST_UMPIRES}
        self._gap_s = gap_s
        self._pages: dict[_Page, None] = {}
        self._news = asyncio.Event()
        self._busy = {False: asyncio.Lock(), True: asyncio.Lock()}
        self._states: dict[bool, Encoded] = {}
        self._acts, self._quiet = 0, asyncio.Event()
        self._quiet.set()
        self._told: dict[str, Encoded] = {}
        self._seconds: object = None
        self._beats = 0
        self._beat_at = 0.0
        self._settled_at: float | None = None
        self._told_at = float("-inf")
        self._state_version = 0
        self._work: asyncio.Task[None] | None = None

    def stream(
        self, umpire: bool = False, holds: Callable[[], bool] = lambda: True, *, display: bool = False
    ) -> Response:
        """The stream of changes (server-sent events): `state`, `board`, `clock`, `beat`; 503 if too many are open.

        It ends, at the latest with the next beat, when `holds` is no longer true, and tells nothing more: the page asks
        again, as whoever it is by then. `display`: it is a display's.
        """
        return _Stream(self, _Page(umpire, holds, display))

    async def state(self, umpire: bool) -> bytes:
        """Returns the state as JSON, as it is now."""
        told = await self._state(umpire, self._feed.version)
        return told.event[len(_head("state")) : -2]

    @contextlib.contextmanager
    def giving_way(self) -> Iterator[None]:
        """Around an umpire's act: the crowd is sent to between acts."""
        self._acts += 1
        self._quiet.clear()
        try:
            yield
        finally:
            self._acts -= 1
            if not self._acts:
                self._quiet.set()

    # -- one page

    async def follow(self, page: _Page) -> AsyncGenerator[bytes, None]:
        """Yields what is to be sent to a page, from now on."""
        first = await self._state(page.umpire, self._feed.version)
        page.sent = dict.fromkeys(TOLD_AT_ONCE, first.version)
        page.sent |= {"state": first.reaches, "beat": self._beats, "reach": 0}
        page.news.set()
        yield first.event
        while True:
            await page.news.wait()
            page.news.clear()
            if page.left or self._feed.closed or not page.holds():
                return
            fresh = {"state": await self._newest(page), **self._told}
            fresh = {kind: told for kind, told in fresh.items() if told.reaches > page.sent[kind]}
            page.sent |= {kind: told.reaches for kind, told in fresh.items()}
            if fresh:
                yield b"".join(told.event for told in fresh.values())

    async def _newest(self, page: _Page) -> Encoded:
        """What brings a page to the newest state: the differences that it lacks, or the whole."""
        held, sent = self._steps.get(page.umpire), page.sent["state"]
        if held is None:
            return self._states[page.umpire]
        if held.mark <= sent:
            return Encoded(0, b"", sent)
        lacks = [step for step in held.steps if step.mark > sent]
        if lacks and lacks[0].after <= sent:
            return Encoded(0, b"".join(step.event for step in lacks), held.mark)
        return await self._state(page.umpire, self._feed.version, held.mark)

    def enter(self, page: _Page) -> bool:
        """Lets a page in, if there is a place."""
        if self._feed.closed or Counter(one.umpire for one in self._pages)[page.umpire] >= self._most[page.umpire]:
            return False
        self._pages[page] = None
        self._tell_displays(page)
        if self._work is None:
            loop = asyncio.get_running_loop()

            def wake() -> None:
                # What is pushed before `_tell` takes the flag down is read after that.
                if not self._news.is_set():
                    _from_any_thread(loop, self._news.set)

            self._feed.read_by(wake)
            self._work = loop.create_task(self._tell())
        return True

    def leave(self, page: _Page) -> None:
        """Forgets a page."""
        del self._pages[page]
        if not any(other.umpire is page.umpire for other in self._pages):
            self._steps.pop(page.umpire, None)
        self._tell_displays(page)

    def _tell_displays(self, page: _Page) -> None:
        if page.display:
            self._displayed(sum(one.display for one in self._pages))

    # -- all pages

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        self._beat_at, self._state_version = loop.time() + BEAT_S, self._feed.version
        while not self._feed.closed:
            until = self._beat_at if self._settled_at is None else min(self._beat_at, self._settled_at)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), max(0.0, until - loop.time()))
            self._news.clear()
            try:
                await self._turn(loop.time())
            except Exception:
                # The next change is told again; until then the pages hear that the line stands.
                log.exception("the pages could not be told of a change")
        for page in self._pages:
            page.news.set()

    async def _turn(self, now: float) -> None:
        """Tells what is new at this moment, or that the line stands."""
        latest = self._feed.latest()
        changed = self._take_in(latest)
        version = latest.get("state", (0, None))[0]
        if version > self._state_version:
            self._state_version = version
            self._settled_at = self._settled_at or max(now + SETTLE_S, self._told_at + self._gap_s)
            if self._umpires_first and await self._built(True, version):
                await self._wake(True)
        if self._settled_at is not None and now >= self._settled_at:
            self._settled_at, self._told_at = None, now
            await self._give_way()
            changed |= await self._built(False, self._state_version)
            if not self._umpires_first:
                changed |= await self._built(True, self._state_version)
        if now >= self._beat_at and not changed:
            self._beats += 1
            self._told["beat"] = Encoded(self._beats, _BEAT)
            changed = True
        if changed:
            self._beat_at = now + BEAT_S
            await self._wake(True)
            await self._wake(False)

    def _take_in(self, latest: Mapping[Any, tuple[int, Any]]) -> bool:
        """Encodes what is new of board and clock. Returns whether anything is."""
        found = False
        for kind in TOLD_AT_ONCE:
            version, body = latest.get(kind, (0, None))
            held = self._told.get(kind)
            if (held is not None and version <= held.version) or version == 0:
                continue
            if kind == "clock" and _seconds(body) == self._seconds:
                # Ten times a second is for the table; a page shows whole seconds.
                continue
            self._seconds = _seconds(body) if kind == "clock" else self._seconds
            self._told[kind] = Encoded(version, _event(kind, body))
            found = True
        return found

    async def _built(self, umpire: bool, least: int) -> bool:
        """Builds the state for those who look, if it is older than that. Returns whether somebody looks."""
        if not any(page.umpire is umpire for page in self._pages):
            return False
        if self._since is None:
            await self._state(umpire, least)
            return True
        async with self._busy[umpire]:
            held = self._steps.get(umpire)
            mark, changed = await to_thread.run_sync(self._since, umpire, held.mark if held else BEFORE_ALL)
            if held is None or changed is None:
                self._steps[umpire] = _Steps(mark)
            elif changed:
                held.steps.append(_Step(held.mark, mark, _event("tiles", changed)))
                held.mark = mark
            return changed is None or bool(changed)

    async def _state(self, umpire: bool, least: int, least_mark: int = BEFORE_ALL) -> Encoded:
        async with self._busy[umpire]:
            held = self._states.get(umpire)
            old = held is None or held.version < least or held.reaches < least_mark
            if held is None or old or (self._since is not None and umpire not in self._steps):
                version, mark = self._feed.version, None
                if self._since is not None:
                    # Before the whole is read, so that no change falls between the two.
                    mark, _ = await to_thread.run_sync(self._since, umpire, BEFORE_ALL)
                    self._steps.setdefault(umpire, _Steps(mark))
                held = Encoded(version, await to_thread.run_sync(self._encoded, umpire), mark)
                self._states[umpire] = held
            return held

    def _encoded(self, umpire: bool) -> bytes:
        return _event("state", self._render(umpire))

    async def _wake(self, umpire: bool) -> None:
        pages = [page for page in self._pages if page.umpire is umpire]
        for number, page in enumerate(pages, 1):
            page.news.set()
            if number % AT_ONCE == 0:
                await asyncio.sleep(BREATH_S)
                await self._give_way()

    async def _give_way(self) -> None:
        if not self._quiet.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._quiet.wait(), GIVE_WAY_S)


class _Stream(Response):
    """One page's stream, as an answer."""

    def __init__(self, pages: Broadcast, page: _Page) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        self._pages, self._page = pages, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The place is taken here and not when the stream is asked for: between the two others could ask, too.
        if not self._pages.enter(self._page):
            await error(503, "too many pages are open", {"retry-after": "10"})(scope, receive, send)
            return
        gone = asyncio.create_task(self._until_it_leaves(receive))
        try:
            headers = [(b"content-type", b"text/event-stream; charset=utf-8"), *_without_length(self.raw_headers)]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            async with contextlib.aclosing(self._pages.follow(self._page)) as told:
                async for chunk in told:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()
            self._pages.leave(self._page)

    async def _until_it_leaves(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._page.left = True
        self._page.news.set()


def _from_any_thread(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    # Where the loop has ended, the pages are gone anyway.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def _without_length(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name != b"content-length"]


def _seconds(clock: Mapping[str, Any]) -> dict[str, Any]:
    return {name: ceil(value) if isinstance(value, float) else value for name, value in clock.items()}


def _head(kind: str) -> bytes:
    return f"event: {kind}\ndata: ".encode()


def _event(kind: str, body: Any) -> bytes:
    return _head(kind) + json_text(body).encode("utf-8", "replace") + b"\n\n"


_BEAT = _event("beat", None)
