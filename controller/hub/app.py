"""The hub's page: `/`, its rows at `/tables`, and a stream that says when they have changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles


def create_app(
    rows: Callable[[], list[dict[str, Any]]], events: Callable[[Request], Awaitable[Response]], static: Path
) -> Starlette:
    """Builds the hub's pages. `rows`: the tables now; `events`: the stream's route; `static`: the pages' files."""

    async def page(_request: Request) -> Response:
        return FileResponse(static / "hub.html")

    async def tables(_request: Request) -> Response:
        return JSONResponse(rows(), headers={"cache-control": "no-store"})

    return Starlette(
        routes=[
            Route("/", page),
            Route("/tables", tables),
            Route("/events", events),
            Mount("/static", StaticFiles(directory=static)),
        ]
    )
