"""The hub's pages: all tables, one table, the hall's screen, day, season; their JSON, and the day's results as files.

Everybody may read them; who gave the referees' PIN sees what is not yet confirmed too, and answers questions where the
hub may call to its tables, and decides about fixtures where the hub keeps a season.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from calibration.measures import measures_of
from calibration.presets import PRESETS
from controller.config import HubSection
from controller.draws.withdrawn import Withdrawn
from controller.events.errors import EventError
from controller.hub import amending, day
from controller.hub.acts import Act
from controller.hub.desk import act_of
from controller.hub.desk_keeper import DeskKeeper
from controller.hub.done import done
from controller.hub.event_pages import EventDesk, EventPages, Events
from controller.hub.forecast import Forecast, forecast
from controller.hub.lacking import lacking
from controller.hub.lengths import lengths_of
from controller.hub.progress import differing
from controller.hub.row import by_number
from controller.hub.season_store import SeasonStore
from controller.hub.season_writer import NOT_KEPT
from controller.hub.sol import as_sol
from controller.hub.streams import Read, Streams
from controller.hub.tables import Tables
from controller.hub.today import Day, House, Seen, day_of
from controller.supervision.steady import SteadyClock
from controller.web.answers import answer, error
from controller.web.files import files_of
from controller.web.login import NOT_THE_UMPIRE, Json, Login, umpires_json
from controller.web.sessions import Session

PAGES = {
    "/": "hub.html",
    "/referee": "hub_referee.html",
    "/tables/{table}": "hub_table.html",
    "/hall": "hub_hall.html",
    "/day": "hub_day.html",
    "/event": "hub_event.html",
    "/season": "hub_season.html",
}
RARELY = 10
"""A forecast is made anew after so many times as long as the last one took: at most a tenth of a core, however many
pages ask."""
NO_TABLE = "no table of this name has been heard of"
NO_SEASON = "this hub keeps no season ([hub] season), and so nothing that the desk decides"
_CALL = ("stage", "busy", "late_min", "until", "here", "after")
FILES = {"csv": "text/csv", "json": "application/json", "sol": "application/json"}


def create_app(
    read: Read,
    streams: Streams,
    login: Login,
    static: Path,
    club: HubSection,
    season: Callable[[], Mapping[str, Any]] = lambda: NOT_KEPT,
    call: Callable[[str, Json], Json] | None = None,
    desk: DeskKeeper | None = None,
    now: Callable[[], datetime] = datetime.now,
    clock: SteadyClock | None = None,
    events: Events | None = None,
    event_desk: EventDesk | None = None,
) -> Starlette:
    """Builds the hub's pages.

    `read(f)`: what `f` finds in the tables; `streams`: what pages are sent; `login`: the referees' sign-in; `static`:
    the pages' files; `season`: the standings; `call(table, event)`: calls to a table, returns its answer; None: nobody
    may here; `desk`: what was decided about fixtures; None: nothing can be kept here; `now`: the clock of the fixtures'
    times; `clock`: that of everything that lasts; `events`: the events that were drawn; None: none are; `event_desk`:
    what is done about them.
    """
    pages = _Pages(read, streams, login, club, season, call, desk, now, clock or SteadyClock(), events, event_desk)
    files = files_of(static)
    return Starlette(
        routes=[
            *(Route(path, files.page(name)) for path, name in PAGES.items()),
            Route("/clock", pages.clock),
            Route("/tables", pages.tables),
            Route("/tables/{table}/state", pages.table),
            Route("/tables/{table}/events", pages.table_events),
            Route("/tables/{table}/answer", pages.answer, methods=["POST"]),
            Route("/tables/{table}/jury", pages.jury, methods=["POST"]),
            Route("/day/state", pages.day),
            Route("/day/act", pages.act, methods=["POST"]),
            Route("/day/results.{kind}", pages.results),
            Route("/event/state", pages.event.state),
            Route("/event/act", pages.event.act, methods=["POST"]),
            Route("/season/state", pages.season),
            Route("/season/amend", pages.amendments),
            Route("/season/amend", pages.amend, methods=["POST"]),
            Route("/geometry", pages.geometry),
            Route("/events", pages.events),
            *login.routes(),
            files.routes(),
        ]
    )


class _Pages:
    def __init__(
        self,
        read: Read,
        streams: Streams,
        login: Login,
        club: HubSection,
        season: Callable[[], Mapping[str, Any]],
        call: Callable[[str, Json], Json] | None,
        desk: DeskKeeper | None,
        now: Callable[[], datetime],
        clock: SteadyClock,
        events: Events | None,
        event_desk: EventDesk | None,
    ) -> None:
        self._read, self._streams, self._login, self._club, self._season = read, streams, login, club, season
        self._call, self._desk, self._now, self._clock = call, desk, now, clock
        self._events = events
        self.event = EventPages(events, event_desk, club.club, read, self.who, self._day, self._next, self._results)
        self._foretold = -math.inf, 0.0, Forecast()

    def who(self, request: Request) -> Session | None:
        """The session of the referee who asks; None for everybody else."""
        return self._login.who(request)

    async def events(self, request: Request) -> Response:
        """The stream of changes (server-sent events): `state` (all tiles), then `tiles` (those that have changed),
        `day` (the day's sheet has), `reach` (what the hub cannot reach), `beat`."""
        if not self._referee(request):
            return self._streams.all.stream()
        return self._streams.all.stream(umpire=True, holds=lambda: self._referee(request))

    async def table_events(self, request: Request) -> Response:
        """The same of one table: `state` as its own page has it, `board`, `beat`."""
        name = request.path_params["table"]
        if self._read(lambda tables: tables.one(name)) is None:
            return error(404, NO_TABLE)
        if not self._referee(request):
            return self._streams.of(name).stream(display=True)
        return self._streams.of(name).stream(umpire=True, holds=lambda: self._referee(request), display=True)

    async def clock(self, _request: Request) -> Response:
        """The hub's clock, by which matches are called: `now` as its tables' times have it, and what is to be added to
        such a time for the day's, as if that were UTC. A screen's own clock may stand in another zone, or wrong."""
        now, shown = self._clock.now(), self._now().replace(tzinfo=UTC).timestamp()
        return answer({"now": now, "shown_later_s": shown - now})

    async def tables(self, request: Request) -> Response:
        """All tables, a tile each."""
        referee = self._referee(request)
        return answer(self._read(lambda tables: tables.plain(referee=referee)))

    async def table(self, request: Request) -> Response:
        """One table: its board, its last rulings, where its own pages are."""
        name, referee = request.path_params["table"], self._referee(request)
        found = self._read(lambda tables: tables.one(name, referee=referee))
        return error(404, NO_TABLE) if found is None else answer(found)

    @umpires_json
    async def answer(self, request: Request, _session: Session, body: Json) -> Response:
        """`{"ask", "choice"}` in, the table's ruling or why there is none (409) out."""
        event = {"event": "answer", **{name: body.get(name) for name in ("ask", "choice")}}
        return await self._called(request, event)

    @umpires_json
    async def jury(self, request: Request, _session: Session, body: Json) -> Response:
        """`{"name"}` in: who is to decide the challenge that waits at a table. `{path}` of that table's page for it, or
        why there is none (409), out."""
        return await self._called(request, {"event": "jury", "by": body.get("name")})

    async def _called(self, request: Request, event: Json) -> Response:
        if self._call is None:
            return error(404, "this hub calls nothing to its tables ([hub] answers); answer at the table's console")
        table = request.path_params["table"]
        if table not in self._read(lambda tables: tables.online()):
            return error(409, "this table is not there; answer at its console")
        said = await to_thread.run_sync(self._call, table, event)
        return answer(said, 409 if "error" in said else 200)

    def day(self, _request: Request) -> Response:
        """The day's fixtures and results; may read from the disk, and so not in the loop that serves everybody."""
        titles, now = self._read(Tables.titles), self._day()
        coming = self._coming(now)
        found = {
            "club": self._club.club,
            "titles": titles,
            "desk": self._desk is not None,
            "free": now.free,
            "closed": sorted(now.closed, key=by_number),
            "ends": f"{coming.ends:%H:%M}" if coming.ends is not None else "",
            "holds": {"what": coming.holds, "who": coming.who},
            "next": self._next(now),
            "results": self._results(now),
        }
        return answer(found)

    def _results(self, now: Day) -> list[Json]:
        """What has been played, with what a desk may decide about it."""
        names = {id(fixture): name for name, fixture in now.named.items()}
        return [
            row
            | {"walkover": one.walkover, "withdrawn": one.withdrawn}
            | {"why": [given.why for given in one.result.given or ()]}
            | {"fixture": names.get(id(one.fixture), ""), "may_be": now.may_be(one)}
            | {"goes_on": _players(one, one.result.goes_on)}
            | {"drawn": [[side.name, _players(one, side.name)] for side in one.result.sides if now.drawn(one)]}
            for row, one in zip(day.as_rows(now.done), now.done, strict=True)
        ]

    def _next(self, now: Day) -> list[Json]:
        """What is still to be played."""
        coming = self._coming(now)
        undisplayed = self._read(Tables.undisplayed)
        names = {id(fixture): name for name, fixture in now.named.items()}
        return [
            asdict(call.fixture)
            | {name: getattr(call, name) for name in _CALL}
            | {"fixture": names[id(call.fixture)], "sides": call.fixture.sides, "differing": differing(call, now)}
            | {"lacks": lacking(call, now, undisplayed)}
            | {"begins": f"{begins:%H:%M}" if (begins := coming.begins.get(names[id(call.fixture)])) else ""}
            for call in now.called
        ]

    @umpires_json
    async def act(self, _request: Request, _session: Session, body: Json) -> Response:
        """The desk's act about a fixture in (see `act_of`), `{}` or why it is not taken (400, 409, 503) out."""
        desk = self._desk
        if desk is None:
            return error(404, NO_SEASON)

        def decide() -> Json:
            known = self._day()
            said = act_of(body, known, self._now())
            if isinstance(said, str):
                raise EventError(said)
            desk.decide(said, known.acts.get(said.fixture))
            return {}

        return await done(decide)

    def results(self, request: Request) -> Response:
        """The day's results as a file."""
        kind = request.path_params["kind"]
        if kind not in FILES:
            return error(404, f"results come as {', '.join(FILES)}")
        done = self._day().done
        today = self._now().date()
        if kind == "sol":
            text = as_sol(done, self._club.club, today)
        else:
            rows = day.as_rows(done)
            text = day.as_csv(rows) if kind == "csv" else day.as_json(rows)
        headers = {"content-disposition": f'attachment; filename="results-{today}.{kind}"', "cache-control": "no-store"}
        return Response(text, media_type=FILES[kind], headers=headers)

    def season(self, _request: Request) -> Response:
        """The season's standings; read from the disk, and so not in the loop that serves everybody."""
        return answer({"club": self._club.club, **self._season()})

    async def amendments(self, request: Request) -> Response:
        """What a referee may put right in the season."""
        if not self._referee(request):
            return NOT_THE_UMPIRE
        return await self._of_season(amending.for_page)

    @umpires_json
    async def amend(self, _request: Request, _session: Session, body: Json) -> Response:
        """What is put right (see `amending.by_page`) in, `{}` or why it is not (400, 409, 503) out."""

        def put_right(store: SeasonStore) -> Json:
            amending.by_page(store, body)
            return {}

        return await self._of_season(put_right)

    async def _of_season(self, does: Callable[[SeasonStore], Json]) -> Response:
        desk = self._desk
        if desk is None:
            return error(404, NO_SEASON)
        return await done(lambda: desk.amended(does))

    async def geometry(self, _request: Request) -> Response:
        """The board of the laws, for tables that do not say theirs."""
        return answer(measures_of(PRESETS["international"]))

    def _referee(self, request: Request) -> bool:
        return self.who(request) is not None

    def _coming(self, day: Day) -> Forecast:
        """The forecast; of many matches it takes its time, and is made anew less often."""
        made_s, took_s, found = self._foretold
        began_s = time.monotonic()
        if began_s - made_s > RARELY * took_s:
            found = forecast(day, self._read(Tables.online), lengths_of(day.done), House.of(self._club), self._now())
            self._foretold = began_s, time.monotonic() - began_s, found
        return found

    def _day(self) -> Day:
        gone = self._events.withdrawn() if self._events is not None else {}
        return day_now(self._read, self._desk, self._club, self._now(), gone)


def _players(one: day.Played, side: str | None) -> str:
    return next((" & ".join(each.players) for each in one.result.sides if each.name == side), "")


def day_now(
    read: Read,
    desk: DeskKeeper | None,
    club: HubSection,
    now: datetime,
    gone: Mapping[str, Withdrawn],
    *,
    gives: bool = False,
) -> Day:
    """Returns the day as tables and desk have it at a time by the fixtures' clock.

    `gone`: who has left a drawn event, by its key; `gives`: matches of the pool are given the tables that are free;
    what is shown has only what is kept of that.
    """
    seen: Seen = read(Tables.seen)
    # Who decides nothing sees what another hub has decided on the tables' topics.
    acts = desk.acts() if desk is not None else [Act(key, "table", 0.0, table=one) for key, one in seen.given.items()]
    return day_of(seen, acts, now, replace(House.of(club), gives=gives), gone)
