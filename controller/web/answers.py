"""How a route answers in JSON: what was asked for, or why not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from controller.events.doors import json_text

FRESH = {"cache-control": "no-store"}


def answer(body: Mapping[str, Any] | list[Any], status: int = 200) -> Response:
    """What was asked for."""
    return Response(json_text(body), status, headers=FRESH, media_type="application/json")


def encoded(body: bytes) -> Response:
    """What was asked for, in JSON already."""
    return Response(body, media_type="application/json", headers=FRESH)


def no_such_route(_request: Request, why: Exception) -> Response:
    """What is asked for by no address or method of ours, as every other refusal."""
    assert isinstance(why, HTTPException)
    return error(why.status_code, why.detail, why.headers)


def error(status: int, says: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Why not."""
    return JSONResponse({"error": says}, status, headers={**FRESH, **(headers or {})})
