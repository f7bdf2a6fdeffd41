"""The hub's page: `/`, its rows at `/tables`, and a stream that says when they have changed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

HEADERS = {"content-security-policy": "default-src 'self'", "x-content-type-options": "nosniff"}


class News(Protocol):
    """One page's end of the feed."""

    def news(self, beat_s: float = ...) -> AsyncIterator[tuple[str, Any]]:
        """Yields (kind, body); ("beat", None) when nothing happens."""

    def close(self) -> None:
        """Hears no more."""


def create_app(rows: Callable[[], list[dict[str, Any]]], listen: Callable[[], News], static: Path) -> Starlette:
    """Builds the hub's pages. `rows`: the tables now; `listen`: a new listener; `static`: the pages' files."""

    async def page(_request: Request) -> Response:
        return FileResponse(static / "hub.html", headers={**HEADERS, "cache-control": "no-cache"})

    async def tables(_request: Request) -> Response:
        return JSONResponse(rows(), headers={**HEADERS, "cache-control": "no-store"})

    async def stream() -> AsyncIterator[str]:
        listener = listen()
        try:
            yield _event("state", rows())
            async for kind, _body in listener.news():
                yield _event(kind, rows() if kind == "state" else None)
        finally:
            listener.close()

    async def events(_request: Request) -> Response:
        return StreamingResponse(stream(), media_type="text/event-stream", headers={"cache-control": "no-store"})

    return Starlette(
        routes=[
            Route("/", page),
            Route("/tables", tables),
            Route("/events", events),
            Mount("/static", StaticFiles(directory=static)),
        ]
    )


def _event(kind: str, body: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps(body, ensure_ascii=False, separators=(',', ':'))}\n\n"
