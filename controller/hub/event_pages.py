"""The hub's page of drawn events: one as it stands, and what a referee does about it at the desk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response

from controller.draws.withdrawn import Withdrawn
from controller.events.doors import Limits, name_key
from controller.hub import day
from controller.hub.done import done
from controller.hub.fixtures import Fixture
from controller.hub.streams import Read
from controller.hub.tables import Tables
from controller.hub.today import Day
from controller.web.answers import answer, error
from controller.web.login import NOT_THE_UMPIRE, Json, body_of
from controller.web.sessions import Session

Results = Sequence[Mapping[str, Any]]
SHEETS = Limits(4 * 1024 * 1024, text=4 * 1024 * 1024)
"""What a desk sends: a list of entries is a workbook, perhaps."""
NO_DESK = "this hub has no events ([hub] events)"


class Events(Protocol):
    """The events that were drawn."""

    def __call__(self, results: Results) -> list[Json]:
        """Each event as it stands by these results, as the hub exports them."""

    def withdrawn(self) -> Mapping[str, Withdrawn]:
        """Who has left each event, by its key."""


class EventDesk(Protocol):
    """What is done about them."""

    def shown(self, name: str, results: Results, listed: Mapping[str, Sequence[Fixture]]) -> Json:
        """What a desk needs of an event."""

    def act(self, body: Mapping[str, Any], results: Results, playing: Collection[str]) -> Json:
        """Does an act, or tries it."""


class EventPages:
    """`who`: the session of a referee who asks; `day`: as it is now; `called`: what of a day is still to be played,
    `results`: what has been, as the page of the day has both."""

    def __init__(
        self,
        events: Events | None,
        desk: EventDesk | None,
        club: str,
        read: Read,
        who: Callable[[Request], Session | None],
        day: Callable[[], Day],
        called: Callable[[Day], list[Json]],
        results: Callable[[Day], list[Json]],
    ) -> None:
        self._events, self._desk, self._club, self._read, self._who = events, desk, club, read, who
        self._day, self._called, self._results = day, called, results

    def state(self, request: Request) -> Response:
        """The events that have been drawn, and one of them as it stands: `?event=` names it, or it is the first. To a
        referee what the desk needs of it, too."""
        now, referee = self._day(), self._who(request) is not None
        rows = day.as_rows(now.done)
        found = self._events(rows) if self._events is not None else []
        wanted = request.query_params.get("event")
        shown = next((one for one in found if one["id"] == wanted), None if wanted else next(iter(found), None))
        if wanted and shown is None:
            return error(404, "no event of this name is drawn")
        if shown is not None:
            calls = {one["id"]: one for one in self._called(now) if one["id"] and _is_of(one, shown)}
            shown = shown | {"calls": calls, "says": shown["says"] if referee else []}
        listed = [{"id": one["id"], "name": one["name"]} for one in found]
        state = {"club": self._club, "titles": self._read(Tables.titles), "events": listed, "shown": shown}
        state |= {"may": self._desk is not None}
        if referee and self._desk is not None and shown is not None:
            desk = self._desk.shown(shown["id"], rows, self._read(Tables.listed))
            done = {one["id"]: one for one in self._results(now) if one["id"] and _is_of(one, shown)}
            state["desk"] = desk | {"results": done, "free": now.free}
        return answer(state)

    async def act(self, request: Request) -> Response:
        """The desk's act in, with the version of the event that it has seen; `event` and `version` out, of a preview
        what would be there, or why it is not done (400, 409, 503)."""
        if self._who(request) is None:
            return NOT_THE_UMPIRE
        body = await body_of(request, SHEETS)
        if isinstance(body, Response):
            return body
        if self._desk is None:
            return error(404, NO_DESK)
        desk = self._desk
        return await done(lambda: self._acted(desk, body))

    def _acted(self, desk: EventDesk, body: Json) -> Json:
        now = self._day()
        found = self._events(day.as_rows(now.done)) if self._events is not None else []
        shown = next((one for one in found if one["id"] == body.get("event")), {"key": None})
        playing = {
            name_key(one.fixture.id)
            for one in now.called
            if one.stage == "playing" and name_key(one.fixture.event) == shown["key"]
        }
        return desk.act(body, day.as_rows(now.done), playing)


def _is_of(one: Json, shown: Json) -> bool:
    return bool(name_key(one["event"]) == shown["key"])
