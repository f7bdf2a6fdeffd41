"""The routes of the matches that were played: their list, and each as a file. For umpires alone: sheets carry names.

Must not know where matches are kept, nor how a sheet is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol
from urllib.parse import quote

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.events.doors import name_of
from controller.events.errors import CarromError, UnreadableError
from controller.web.answers import FRESH, answer, error
from controller.web.login import NOT_THE_UMPIRE, HasUmpires

FORMS = {"pdf": "application/pdf", "csv": "text/csv; charset=utf-8", "json": "application/json", "png": "image/png"}
"""Score sheet, one line a stroke, everything, and the result as a card to send to a chat."""


class Matches(Protocol):
    """What the pages need of the matches that were played. May take its time; raises CarromError."""

    def listed(self) -> Sequence[Mapping[str, Any]]:
        """The latest matches, newest first: `{match, began, latest, events, place, book, seats, score, games,
        over}`."""

    def file(self, match: str, form: str) -> bytes | None:
        """A match as a file, `form` one of FORMS; None if there is no such match."""

    def protest(self, match: str, seq: int, by: str, *, names: bool) -> bytes | None:
        """A protest of event `seq` as a signed file; `by`: who protests, "" where that is written by hand; `names`:
        whether it names people. None if there is no such match."""


class MatchPages:
    """The routes. `door`: who knows an umpire."""

    def __init__(self, matches: Matches, door: HasUmpires) -> None:
        self._matches = matches
        self._door = door

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/matches", self.listed),
            Route("/matches/{match}/protest-{seq:number}.zip", self.protest),
            Route("/matches/{match}.{form}", self.file),
        ]

    async def listed(self, request: Request) -> Response:
        """The matches, newest first."""
        if self._door.who(request) is None:
            return NOT_THE_UMPIRE
        try:
            return answer(list(await to_thread.run_sync(self._matches.listed)))
        except CarromError as why:
            return error(503, str(why))

    async def file(self, request: Request) -> Response:
        """One match as a file."""
        if self._door.who(request) is None:
            return NOT_THE_UMPIRE
        match, form = request.path_params["match"], request.path_params["form"]
        if form not in FORMS:
            return error(404, f"a match comes as {', '.join(FORMS)}")
        return await _saved(lambda: self._matches.file(match, form), f"{match}.{form}", FORMS[form])

    async def protest(self, request: Request) -> Response:
        """A protest of one ruling as a signed file; `?by=NAME`: who protests, `?names=no`: letters stand for people."""
        if self._door.who(request) is None:
            return NOT_THE_UMPIRE
        match, seq = request.path_params["match"], request.path_params["seq"]
        names = request.query_params.get("names") != "no"
        try:
            by = name_of(request.query_params.get("by", ""))
        except UnreadableError as why:
            return error(400, f"by {why}. Fix: give a name on one line")
        make = partial(self._matches.protest, match, seq, by, names=names)
        return await _saved(make, f"protest-{match}-{seq}.zip", "application/zip")


async def _saved(make: Callable[[], bytes | None], name: str, kind: str) -> Response:
    """A file to be saved under a name, or why there is none."""
    try:
        body = await to_thread.run_sync(make)
    except CarromError as why:
        return error(503, str(why))
    if body is None:
        return error(404, "there is no such match in the journal")
    named = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(body, media_type=kind, headers={**FRESH, "content-disposition": named})
