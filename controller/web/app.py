"""The routes: pages, the stream of changes, pictures, and the umpire's two doors (`/act`, `/preview`).

Everybody may read; only who gave the PIN may act. Must not know how a ruling comes about: events go to the table's
`act` as they are, and what it says is handed back.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from calibration.board import DEFAULT_BOARD
from controller.web.login import COOKIE, LASTS_S, Gate
from controller.web.view import TableView

STATIC = Path(__file__).parent / "static"
LARGEST_BODY = 256 * 1024
MOST_LISTENERS = 200
LONGEST_CLIP = 900
CLIP_FPS = 15.0

_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def create_app(table: TableView, *, secret: bytes | None = None, now: Callable[[], float] = time.time) -> Starlette:
    """Builds the pages of one table.

    `secret` signs the umpire's cookie (see `secret_from`); without it a restart asks for the PIN again.
    """
    pages = _Pages(table, Gate(secret or secrets.token_bytes(32), now))
    routes = [
        Route("/", pages.page("scoreboard.html")),
        Route("/umpire", pages.page("umpire.html")),
        Route("/board", pages.page("hall.html")),
        Route("/state", pages.state),
        Route("/events", pages.events),
        Route("/geometry", pages.geometry),
        Route("/clauses", pages.clauses),
        Route("/calls", pages.calls),
        Route("/books", pages.books),
        Route("/stroke/{seq:int}", pages.stroke),
        Route("/picture/{number:int}", pages.picture),
        Route("/clip/{first:int}-{last:int}", pages.clip),
        Route("/me", pages.me),
        Route("/login", pages.login, methods=["POST"]),
        Route("/logout", pages.logout, methods=["POST"]),
        Route("/act", pages.act, methods=["POST"]),
        Route("/preview", pages.preview, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(routes=routes, middleware=[Middleware(_Headers)])


class _Pages:
    def __init__(self, table: TableView, gate: Gate) -> None:
        self._table = table
        self._gate = gate

    # -- for everybody

    @staticmethod
    def page(name: str) -> Callable[[Request], Awaitable[Response]]:
        """Returns the route of one page."""

        async def serve(_request: Request) -> Response:
            return FileResponse(STATIC / name)

        return serve

    async def state(self, request: Request) -> Response:
        """The snapshot."""
        return _json(await to_thread.run_sync(self._snapshot, self._who(request) is not None))

    async def events(self, request: Request) -> Response:
        """The stream of changes (server-sent events): `state`, `board`, `clock`, `beat`."""
        if self._table.feed.listeners >= MOST_LISTENERS:
            return _error(503, "too many pages are open")
        return StreamingResponse(
            self._stream(self._who(request) is not None),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def geometry(self, _request: Request) -> Response:
        """The board's millimetres."""
        return _json(asdict(DEFAULT_BOARD))

    async def clauses(self, _request: Request) -> Response:
        """The book's clauses in words."""
        return _json(dict(await to_thread.run_sync(self._table.clauses)))

    async def calls(self, _request: Request) -> Response:
        """The book's calls."""
        return _json(list(await to_thread.run_sync(self._table.calls)))

    async def books(self, _request: Request) -> Response:
        """The books a match can be played by."""
        return _json(list(await to_thread.run_sync(self._table.books)))

    async def picture(self, request: Request) -> Response:
        """One JPEG; 404 when it is gone."""
        jpeg = await to_thread.run_sync(self._table.picture, request.path_params["number"])
        if jpeg is None:
            return _error(404, "this picture is no longer kept")
        return Response(jpeg, media_type="image/jpeg", headers={"cache-control": "private, max-age=60"})

    async def clip(self, request: Request) -> Response:
        """Pictures first to last as one moving picture (motion JPEG), over and over while somebody looks."""
        first, last = request.path_params["first"], request.path_params["last"]
        if not 0 <= last - first < LONGEST_CLIP:
            return _error(400, f"a clip runs from a picture to a later one, at most {LONGEST_CLIP}")
        kept = [n for n in range(first, last + 1) if await to_thread.run_sync(self._table.picture, n) is not None]
        if not kept:
            return _error(404, "these pictures are no longer kept")
        return StreamingResponse(
            self._moving(kept),
            media_type="multipart/x-mixed-replace; boundary=frame",
            headers={"cache-control": "no-store"},
        )

    # -- for the umpire

    async def me(self, request: Request) -> Response:
        """Whether this browser may act."""
        return _json({"umpire": self._who(request) is not None})

    async def login(self, request: Request) -> Response:
        """`{"pin": "…"}` in, a cookie out; 403 for a wrong PIN, 429 after too many."""
        address = request.client.host if request.client else "?"
        wait = self._gate.wait_s(address)
        if wait > 0:
            seconds = int(wait) + 1
            return _error(429, f"too many tries; wait {seconds} s", {"retry-after": str(seconds)})
        body = await _body(request)
        if isinstance(body, Response):
            return body
        # Counted before it is looked at: tries sent all at once are not looked at all at once.
        self._gate.wrong(address)
        if not await to_thread.run_sync(self._table.pin_ok, str(body.get("pin", ""))):
            return _error(403, "this is not the PIN")
        self._gate.right(address)
        response = _json({"umpire": True})
        response.set_cookie(
            COOKIE,
            self._gate.issue(),
            max_age=LASTS_S,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    async def logout(self, _request: Request) -> Response:
        """Takes the cookie away."""
        response = _json({"umpire": False})
        response.delete_cookie(COOKIE)
        return response

    async def stroke(self, request: Request) -> Response:
        """A stroke's event, to be corrected: the umpire's alone, since suspected fouls stand in it."""
        if self._who(request) is None:
            return _error(401, "only the umpire may do this; give the PIN")
        event = await to_thread.run_sync(self._table.stroke, request.path_params["seq"])
        return _error(404, "there is no stroke of that number in this match") if event is None else _json(event)

    async def act(self, request: Request) -> Response:
        """An umpire's event in, the ruling or the error out (409)."""
        who = self._who(request)
        if who is None:
            return _error(401, "only the umpire may do this; give the PIN")
        body = await _body(request)
        if isinstance(body, Response):
            return body
        answer = await to_thread.run_sync(self._table.act, body, f"web:{who}")
        return _json(answer, 409 if "error" in answer else 200)

    async def preview(self, request: Request) -> Response:
        """An event in, what it would change out; nothing is done."""
        if self._who(request) is None:
            return _error(401, "only the umpire may do this; give the PIN")
        body = await _body(request)
        if isinstance(body, Response):
            return body
        answer = await to_thread.run_sync(self._table.preview, body)
        return _json(answer, 409 if "error" in answer else 200)

    # -- inside

    def _who(self, request: Request) -> str | None:
        return self._gate.who(request.cookies.get(COOKIE))

    def _snapshot(self, umpire: bool) -> dict[str, Any]:
        return self._table.snapshot(umpire).plain()

    async def _stream(self, umpire: bool) -> AsyncIterator[str]:
        # It listens before it looks: what changes in between is told twice rather than not at all.
        listener = self._table.feed.listen()
        try:
            yield _event("state", await to_thread.run_sync(self._snapshot, umpire))
            shown: object = None
            async for kind, body in listener.news():
                if kind == "clock":
                    # Ten times a second is for the table; a page shows whole seconds.
                    if _seconds(body) == shown:
                        continue
                    shown = _seconds(body)
                yield _event(kind, await to_thread.run_sync(self._snapshot, umpire) if kind == "state" else body)
        finally:
            listener.close()

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


class _Headers:
    """Puts the same safe headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _value in message["headers"]}
                # Pages and modules are asked for anew each time: an update must not meet yesterday's half.
                fresh = [] if b"cache-control" in known else [(b"cache-control", b"no-cache")]
                message["headers"] = [*message["headers"], *_ENCODED, *fresh]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


_ENCODED = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


async def _body(request: Request) -> dict[str, Any] | Response:
    """Reads a JSON object that was sent by one of our own pages, or returns the refusal."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        return _error(403, "this came from another site")
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        return _error(415, "send application/json")
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > LARGEST_BODY:
            return _error(413, f"at most {LARGEST_BODY} bytes")
    try:
        body = json.loads(raw)
    except ValueError:
        return _error(400, "this is no JSON")
    return body if isinstance(body, dict) else _error(400, "send one JSON object")


def _seconds(clock: Mapping[str, Any]) -> tuple[Any, ...]:
    left = clock.get("left")
    return (clock.get("running"), clock.get("limit"), None if left is None else ceil(left))


def _json(body: Mapping[str, Any] | list[Any], status: int = 200) -> JSONResponse:
    return JSONResponse(body, status, headers={"cache-control": "no-store"})


def _error(status: int, says: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": says}, status, headers={"cache-control": "no-store", **(headers or {})})


def _event(kind: str, body: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps(body, ensure_ascii=False, separators=(',', ':'))}\n\n"
