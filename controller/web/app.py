"""The routes: pages, the stream of changes, pictures, and the umpire's two doors (`/act`, `/preview`).

Everybody may read; only who gave the PIN may act. Must not know how a ruling comes about: events go to the table's
`act` as they are, and what it says is handed back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from controller.events.doors import EVENT, MOST_DIGITS, json_object, whole_number
from controller.events.errors import UnreadableError
from controller.web.answers import answer, encoded, error
from controller.web.broadcast import Broadcast
from controller.web.hosts import KnownNames
from controller.web.sessions import KNOWN_S, LASTS_S, Session, Sessions
from controller.web.tries import Tries
from controller.web.view import TableView

STATIC = Path(__file__).parent / "static"
LONGEST_CLIP = 900
CLIP_FPS = 15.0
MOST_CLIPS = 8
"""Clips that run at once: each copies fifteen pictures a second."""
COOKIE, BROWSER_COOKIE = "carrom_umpire", "carrom_browser"


def create_app(
    table: TableView,
    *,
    kept: Path | None = None,
    names: Iterable[str] = (),
    now: Callable[[], float] = time.time,
) -> Starlette:
    """Builds the pages of one table.

    `kept`: the file of the sessions; without it a restart asks for the PIN again. `names`: under which the pages are
    asked for, besides those that every table has (see `KnownNames`).
    """
    pages = _Pages(table, Sessions(table.pin, now, kept), Tries(now))
    routes = [
        Route("/", pages.page("scoreboard.html")),
        Route("/umpire", pages.page("umpire.html")),
        Route("/board", pages.page("scoreboard.html")),
        Route("/stream", pages.page("scoreboard.html")),
        Route("/state", pages.state),
        Route("/events", pages.events),
        Route("/geometry", pages.geometry),
        Route("/clauses", pages.clauses),
        Route("/calls", pages.calls),
        Route("/books", pages.books),
        Route("/fixtures", pages.fixtures),
        Route("/stroke/{seq:number}", pages.stroke),
        Route("/picture/{number:number}", pages.picture),
        Route("/clip/{first:number}-{last:number}", pages.clip),
        Route("/me", pages.me),
        Route("/login", pages.login, methods=["POST"]),
        Route("/logout", pages.logout, methods=["POST"]),
        Route("/sessions", pages.sessions),
        Route("/sessions/end", pages.end_sessions, methods=["POST"]),
        Route("/act", pages.act, methods=["POST"]),
        Route("/preview", pages.preview, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(KnownNames, names=tuple(names))])


class _Pages:
    def __init__(self, table: TableView, sessions: Sessions, tries: Tries) -> None:
        self._table = table
        self._sessions = sessions
        self._tries = tries
        self._told = Broadcast(table.feed, lambda umpire: table.snapshot(umpire).plain())
        self._clips = _Places(MOST_CLIPS)

    # -- for everybody

    @staticmethod
    def page(name: str) -> Callable[[Request], Awaitable[Response]]:
        """Returns the route of one page."""

        async def serve(_request: Request) -> Response:
            return FileResponse(STATIC / name)

        return serve

    async def state(self, request: Request) -> Response:
        """The snapshot."""
        return encoded(await self._told.state(self._who(request) is not None))

    async def events(self, request: Request) -> Response:
        """The stream of changes (server-sent events): `state`, `board`, `clock`, `beat`."""
        if self._who(request) is None:
            return self._told.stream()
        return self._told.stream(umpire=True, holds=lambda: self._who(request) is not None)

    async def geometry(self, _request: Request) -> Response:
        """The board's millimetres."""
        return answer(await to_thread.run_sync(self._table.geometry))

    async def clauses(self, _request: Request) -> Response:
        """The book's clauses in words."""
        return answer(dict(await to_thread.run_sync(self._table.clauses)))

    async def calls(self, _request: Request) -> Response:
        """The book's calls."""
        return answer(list(await to_thread.run_sync(self._table.calls)))

    async def books(self, _request: Request) -> Response:
        """The books a match can be played by."""
        return answer(list(await to_thread.run_sync(self._table.books)))

    async def fixtures(self, _request: Request) -> Response:
        """What is to be played on this table today."""
        return answer(list(await to_thread.run_sync(self._table.fixtures)))

    async def picture(self, request: Request) -> Response:
        """One JPEG; 404 when it is gone."""
        jpeg = await to_thread.run_sync(self._table.picture, request.path_params["number"])
        if jpeg is None:
            return error(404, "this picture is no longer kept")
        return Response(jpeg, media_type="image/jpeg", headers={"cache-control": "private, max-age=60"})

    async def clip(self, request: Request) -> Response:
        """Pictures first to last as one moving picture (motion JPEG), over and over while somebody looks."""
        first, last = request.path_params["first"], request.path_params["last"]
        if not 0 <= last - first < LONGEST_CLIP:
            return error(400, f"a clip runs from a picture to a later one, at most {LONGEST_CLIP}")
        kept = [n for n in range(first, last + 1) if await to_thread.run_sync(self._table.picture, n) is not None]
        if not kept:
            return error(404, "these pictures are no longer kept")
        return _Clip(
            self._clips,
            self._moving(kept),
            media_type="multipart/x-mixed-replace; boundary=frame",
            headers={"cache-control": "no-store"},
        )

    # -- for the umpire

    async def me(self, request: Request) -> Response:
        """Whether this browser may act."""
        return answer({"umpire": self._who(request) is not None})

    async def login(self, request: Request) -> Response:
        """`{"pin": "…"}` in, a cookie out; 403 for a wrong PIN, 429 after too many."""
        body = await _body(request)
        if isinstance(body, Response):
            return body
        address = request.client.host if request.client else "?"
        browser = request.cookies.get(BROWSER_COOKIE)
        known = self._sessions.knows(browser)
        who = f"browser {browser}" if known else address
        if (wait := self._tries.wait_s(who, known=known)) > 0:
            seconds = ceil(wait)
            return error(429, f"too many tries; wait {seconds} s", {"retry-after": str(seconds)})
        self._tries.begin(who, known=known)
        token = self._sessions.open(str(body.get("pin", "")), address, request.headers.get("user-agent", ""))
        if token is None:
            return error(403, "this is not the PIN")
        self._tries.right(who, known=known)
        response = answer({"umpire": True})
        _set_cookie(request, response, COOKIE, token, LASTS_S)
        _set_cookie(request, response, BROWSER_COOKIE, self._sessions.remember(browser), KNOWN_S)
        return response

    async def logout(self, request: Request) -> Response:
        """Ends the session."""
        body = await _body(request)
        if isinstance(body, Response):
            return body
        if (session := self._who(request)) is not None:
            self._sessions.end(session.id)
        response = answer({"umpire": False})
        response.delete_cookie(COOKIE)
        return response

    async def stroke(self, request: Request) -> Response:
        """A stroke's event, to be corrected: the umpire's alone, since suspected fouls stand in it."""
        if self._who(request) is None:
            return _NOT_THE_UMPIRE
        event = await to_thread.run_sync(self._table.stroke, request.path_params["seq"])
        return error(404, "there is no stroke of that number in this match") if event is None else answer(event)

    async def sessions(self, request: Request) -> Response:
        """Who has given the PIN, oldest first, and whether strangers are guessing it."""
        mine = self._who(request)
        if mine is None:
            return _NOT_THE_UMPIRE
        listed = [
            {name: getattr(one, name) for name in ("id", "began", "seen", "until", "address", "browser")}
            | {"here": one is mine}
            for one in self._sessions.listed()
        ]
        return answer({"sessions": listed, "guessing": self._tries.loud()})

    async def end_sessions(self, request: Request) -> Response:
        """`{"id": "…"}` ends one session, `{"others": true}` all but this one."""
        mine = self._who(request)
        if mine is None:
            return _NOT_THE_UMPIRE
        body = await _body(request)
        if isinstance(body, Response):
            return body
        listed = [one.id for one in self._sessions.listed()]
        ended = [one for one in listed if one != mine.id] if body.get("others") is True else [body.get("id")]
        if any(one not in listed for one in ended):
            return error(404, "there is no such session")
        self._sessions.end(*(str(one) for one in ended))
        return answer({"ended": len(ended)})

    async def act(self, request: Request) -> Response:
        """An umpire's event in, the ruling or the error out (409)."""
        session = self._who(request)
        if session is None:
            return _NOT_THE_UMPIRE
        body = await _body(request)
        if isinstance(body, Response):
            return body
        with self._told.giving_way():
            said = await to_thread.run_sync(self._table.act, body, f"web:{session.id}")
        return answer(said, 409 if "error" in said else 200)

    async def preview(self, request: Request) -> Response:
        """An event in, what it would change out; nothing is done."""
        if self._who(request) is None:
            return _NOT_THE_UMPIRE
        body = await _body(request)
        if isinstance(body, Response):
            return body
        said = await to_thread.run_sync(self._table.preview, body)
        return answer(said, 409 if "error" in said else 200)

    # -- inside

    def _who(self, request: Request) -> Session | None:
        return self._sessions.who(request.cookies.get(COOKIE))

    async def _moving(self, numbers: list[int]) -> AsyncIterator[bytes]:
        while True:
            shown = 0
            for number in numbers:
                jpeg = await to_thread.run_sync(self._table.picture, number)
                if jpeg is not None:
                    shown += 1
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    yield head.encode() + jpeg + b"\r\n"
                await asyncio.sleep(1 / CLIP_FPS)
            if not shown:
                return


class _Places:
    """How many of something run at once."""

    def __init__(self, most: int) -> None:
        self.free = most


class _Clip(StreamingResponse):
    """A clip, if there is a place for one."""

    def __init__(self, places: _Places, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._places.free:
            await error(503, "too many clips are running", {"retry-after": "10"})(scope, receive, send)
            return
        self._places.free -= 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._places.free += 1


_NOT_THE_UMPIRE = error(401, "only the umpire may do this; give the PIN")


def _set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


async def _body(request: Request) -> dict[str, Any] | Response:
    """Reads a JSON object that was sent by one of our own pages, or returns the refusal."""
    origin = request.headers.get("origin")
    from_elsewhere = origin is not None and _site(origin) != request.headers.get("host")
    if from_elsewhere or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return error(403, "this came from another site")
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return error(415, "send application/json")
    raw = bytearray()
    try:
        async for chunk in request.stream():
            raw += chunk
            if len(raw) > EVENT.size:
                return error(413, f"at most {EVENT.size} bytes")
    except ClientDisconnect:
        return error(400, "the request ended in the middle")
    try:
        return json_object(bytes(raw), EVENT)
    except UnreadableError as unreadable:
        return error(400, f"send one JSON object: what came {unreadable}")


def _site(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


class _Number(Convertor[int]):
    """A number in an address. Any other text is no address of ours."""

    regex = rf"[0-9]{{1,{MOST_DIGITS}}}"

    def convert(self, value: str) -> int:
        return whole_number(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("number", _Number())
