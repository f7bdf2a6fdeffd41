"""The routes: pages, the stream of changes, pictures, the umpire's requests (`/act`, `/preview`) and the sides' one.

Everybody may read; only umpires may act, and players for their side, as `sides` says. Must not know how a
ruling comes about: events go to the table's `act` as they are, and what it says is handed back.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from controller.events.doors import LONGEST_NAME, MOST_DIGITS, whole_number
from controller.supervision.steady import SteadyClock
from controller.web.answers import FRESH, answer, encoded, error, no_such_route
from controller.web.broadcast import GAP_S, Broadcast
from controller.web.devices import Devices
from controller.web.files import files_of
from controller.web.hosts import KnownNames
from controller.web.invitations import Invitations
from controller.web.kept_tries import KeptTries
from controller.web.login import NOT_THE_UMPIRE, Json, Login, body_of, umpires_json
from controller.web.matches import Matches, MatchPages
from controller.web.sessions import Session, Sessions
from controller.web.sides import Sides
from controller.web.view import TableView

STATIC = Path(__file__).parent / "static"
TRIES = "tries.json"
CAMERA_DOES = ("begin", "take", "turn", "cancel", "undo")
LONGEST_CLIP = 900
CLIP_FPS = 15.0
MOST_CLIPS = 8
"""Clips that run at once: each copies fifteen pictures a second."""


def create_app(
    table: TableView,
    *,
    kept: Path | None = None,
    id: str = "table1",
    address: str = "",
    names: Iterable[str] = (),
    clock: SteadyClock | None = None,
    past: Matches | None = None,
    pin_written: Callable[[], object] = lambda: None,
    gap_s: float = GAP_S,
    displayed: Callable[[int], object] = lambda _count: None,
    jury: Invitations | None = None,
) -> Starlette:
    """Builds the pages of one table.

    `kept`: the file of the sessions, beside which TRIES lies; without it a restart asks for the PIN again, and gives
    new guesses of it. `id`: the table's, which the name of its cookie ends in; `address`: where people reach the pages,
    as it is configured. `names`: under which the pages are asked for, besides those that every table has (see
    `KnownNames`). `past`: the matches that were played.
    `pin_written`: what differs whenever the PIN was written. `gap_s`: so long at least between two states sent to
    everybody. `displayed(count)`: so many of the table's own displays show its score from now on. `jury`: the codes
    of jurors.
    """
    clock = clock or SteadyClock()
    sessions = Sessions(table.pin, clock, kept, pin_written)
    tries = KeptTries(clock.now, kept and kept.with_name(TRIES))
    login = Login(sessions, tries, f"carrom_umpire_{id}", lambda: _sides_of(table), address, jury)
    pages, files = _Pages(table, login, gap_s, displayed), files_of(STATIC)
    routes = [
        Route("/", files.page("scoreboard.html")),
        Route("/umpire", files.page("umpire.html")),
        Route("/player", files.page("player.html")),
        Route("/join", files.page("join.html")),
        Route("/jury", files.page("jury.html")),
        Route("/board", files.page("scoreboard.html")),
        Route("/stream", files.page("scoreboard.html")),
        Route("/overlay", files.page("scoreboard.html")),
        Route("/state", pages.state),
        Route("/events", pages.events),
        Route("/geometry", pages.geometry),
        Route("/clauses", pages.clauses),
        Route("/book", files.page("book.html")),
        Route("/book/clauses", pages.reference),
        Route("/calls", pages.calls),
        Route("/books", pages.books),
        Route("/fixtures", pages.fixtures),
        Route("/stroke/{seq:number}", pages.stroke),
        Route("/look/{seq:number}", pages.look),
        Route("/picture/{number:number}", pages.picture),
        Route("/clip/{first:number}-{last:number}", pages.clip),
        *login.routes(),
        *(MatchPages(past, login).routes() if past is not None else []),
        Route("/act", pages.act, methods=["POST"]),
        Route("/arming", pages.arming, methods=["POST"]),
        Route("/camera", pages.camera, methods=["POST"]),
        Route("/camera/{number:number}.jpg", pages.camera_picture),
        Route("/preview", pages.preview, methods=["POST"]),
        Route("/replay", pages.replay, methods=["POST"]),
        Route("/side/act", pages.side_act, methods=["POST"]),
        Route("/jury/act", pages.jury_act, methods=["POST"]),
        Route("/jury/preview", pages.jury_preview, methods=["POST"]),
        files.routes(),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(KnownNames, names=tuple(names))],
        exception_handlers={HTTPException: no_such_route},
    )


class _Pages:
    def __init__(self, table: TableView, login: Login, gap_s: float, displayed: Callable[[int], object]) -> None:
        self._table = table
        self._login = login
        self._told = Broadcast(table.feed, self._shown, gap_s=gap_s, displayed=displayed)
        self._sides = Sides(table)
        self._devices, self._one_by_one = Devices(), asyncio.Lock()
        self._again: Counter[int] = Counter()
        self._clips = _Places(MOST_CLIPS)

    # -- for everybody

    async def state(self, request: Request) -> Response:
        """The snapshot."""
        return encoded(await self._told.state(self._decides(request)))

    async def events(self, request: Request) -> Response:
        """The stream of changes (server-sent events): `state`, `board`, `clock`, `beat`. `?display`: one of the table's
        own displays shows them.
        """
        display = "display" in request.query_params
        if not self._decides(request):
            return self._told.stream(display=display)
        return self._told.stream(umpire=True, holds=lambda: self._decides(request), display=display)

    async def geometry(self, _request: Request) -> Response:
        """The board's millimetres."""
        return answer(await to_thread.run_sync(self._table.geometry))

    async def clauses(self, _request: Request) -> Response:
        """The book's clauses in words."""
        return answer(dict(await to_thread.run_sync(self._table.clauses)))

    async def reference(self, _request: Request) -> Response:
        """The book that is played by, each clause with what follows and the policy keys that settle it."""
        return answer(await to_thread.run_sync(self._table.reference))

    async def calls(self, _request: Request) -> Response:
        """The book's calls."""
        return answer(list(await to_thread.run_sync(self._table.calls)))

    async def books(self, _request: Request) -> Response:
        """The books a match can be played by."""
        return answer(list(await to_thread.run_sync(self._table.books)))

    async def fixtures(self, request: Request) -> Response:
        """What is to be played on this table today."""
        umpire = self.who(request) is not None
        return answer(list(await to_thread.run_sync(self._table.fixtures, umpire)))

    async def picture(self, request: Request) -> Response:
        """One JPEG; 404 when it is gone."""
        number = request.path_params["number"]
        if not await self._may_see(request, number, number):
            return _by_way_of_the_console(request)
        jpeg = await to_thread.run_sync(self._table.picture, number)
        if jpeg is None:
            return error(404, "this picture is no longer kept")
        return Response(jpeg, media_type="image/jpeg", headers={"cache-control": "private, max-age=60"})

    async def clip(self, request: Request) -> Response:
        """Pictures first to last as one moving picture (motion JPEG), over and over while somebody looks."""
        first, last = request.path_params["first"], request.path_params["last"]
        if not 0 <= last - first < LONGEST_CLIP:
            return error(400, f"a clip runs from a picture to a later one, at most {LONGEST_CLIP}")
        if not await self._may_see(request, first, last):
            return _by_way_of_the_console(request)
        kept = [n for n in range(first, last + 1) if await to_thread.run_sync(self._table.picture, n) is not None]
        if not kept:
            return error(404, "these pictures are no longer kept")
        return _Clip(
            self._clips,
            self._moving(kept, lambda: self._may_see(request, first, last)),
            media_type="multipart/x-mixed-replace; boundary=frame",
            headers={"cache-control": "no-store"},
        )

    # -- for the umpire

    async def stroke(self, request: Request) -> Response:
        """A stroke's event, to be corrected: the umpire's and the jury's alone, since suspected fouls stand in it."""
        if self.who(request) is None and self._juror(request) is None:
            return NOT_THE_UMPIRE
        event = await to_thread.run_sync(self._table.stroke, request.path_params["seq"])
        return error(404, "there is no stroke of that number in this match") if event is None else answer(event)

    async def look(self, request: Request) -> Response:
        """What there is for a second look at a stroke: whoever decides may see it."""
        if not self._decides(request):
            return NOT_THE_UMPIRE
        found = await to_thread.run_sync(self._table.look, request.path_params["seq"])
        return error(404, "no pictures of this stroke are kept") if found is None else answer(found)

    @umpires_json
    async def act(self, request: Request, session: Session, body: Json) -> Response:
        """An umpire's event in, the ruling or the error out (409). `X-Carrom-Seen`: the ruling that the page shows."""
        seen = request.headers.get("x-carrom-seen", "")
        async with self._one_by_one:
            kind = str(body.get("event"))
            if _is_number(seen) and self._devices.overtaken(session.id, int(seen), kind):
                return error(409, "another umpire's device has just acted; look at what it changed, then act again")
            with self._told.giving_way():
                said = await to_thread.run_sync(self._table.act, body, f"web:{session.id}")
            if isinstance(said.get("seq"), int) and "error" not in said:
                self._devices.acted(session.id, said["seq"])
        return answer(said, 409 if "error" in said else 200)

    async def side_act(self, request: Request) -> Response:
        """What a side's device says in, the ruling, the error (409) or that the other side is awaited (202) out."""
        session = self._login.anybody(request)
        if session is None or not session.side:
            return error(401, "only a device that was let in for a side may do this; scan its code")
        body = await body_of(request)
        if isinstance(body, Response):
            return body
        with self._told.giving_way():
            said = await to_thread.run_sync(self._sides.says, session.side, body, f"web:{session.id}")
        return answer(said, 409 if "error" in said else 202 if said.get("waits") else 200)

    async def jury_act(self, request: Request) -> Response:
        """A juror's verdict in, the ruling or the error (409) out."""
        return await self._of_jury(request, self._table.decide)

    async def jury_preview(self, request: Request) -> Response:
        """A juror's verdict in, what it would change out; nothing is done."""
        return await self._of_jury(request, lambda event, _by: self._table.preview(event))

    async def _of_jury(self, request: Request, does: Callable[[Json, str], Mapping[str, Any]]) -> Response:
        juror = self._juror(request)
        if juror is None:
            return error(401, "only a jury may do this; open this table's challenge on the club's referees' page")
        body = await body_of(request)
        if isinstance(body, Response):
            return body
        if body.get("event") != "verdict":
            return error(403, "a jury gives verdicts; everything else is the umpire's")
        with self._told.giving_way():
            said = await to_thread.run_sync(does, body | {"by": juror.juror}, f"jury:{juror.id}")
        return answer(said, 409 if "error" in said else 200)

    @umpires_json
    async def arming(self, _request: Request, session: Session, body: Json) -> Response:
        """`{"do": "begin"}` tries the table before its first match, `{"do": "sign", "name": …}` signs for it."""
        does, name = body.get("do"), body.get("name", "")
        if does not in ("begin", "sign") or not isinstance(name, str) or len(name) > LONGEST_NAME:
            return error(400, f"do: begin or sign; name: at most {LONGEST_NAME} letters")
        said = await to_thread.run_sync(self._table.arming, does, name or session.id)
        return answer(said, 409 if "error" in said else 200)

    @umpires_json
    async def camera(self, _request: Request, _session: Session, body: Json) -> Response:
        """Sets the camera up anew: `{"do": "begin"}`, `{"do": "take", "step": "empty"}` (then `opening`), `turn`,
        `cancel`, `undo`."""
        does, step = body.get("do"), body.get("step", "")
        if does not in CAMERA_DOES or step not in ("", "empty", "opening"):
            return error(400, f"do: one of {', '.join(CAMERA_DOES)}; step: empty or opening")
        said = await to_thread.run_sync(self._table.camera, does, step)
        return answer(said, 409 if "error" in said else 200)

    async def camera_picture(self, request: Request) -> Response:
        """What was found while the camera was set up, the umpire's alone; the number only tells one from another."""
        if self.who(request) is None:
            return NOT_THE_UMPIRE
        jpeg = await to_thread.run_sync(self._table.camera_picture)
        return (
            error(404, "nothing is shown") if jpeg is None else Response(jpeg, media_type="image/jpeg", headers=FRESH)
        )

    @umpires_json
    async def preview(self, _request: Request, _session: Session, body: Json) -> Response:
        """An event in, what it would change out; nothing is done."""
        said = await to_thread.run_sync(self._table.preview, body)
        return answer(said, 409 if "error" in said else 200)

    @umpires_json
    async def replay(self, _request: Request, _session: Session, body: Json) -> Response:
        """`{"seq": …}` shows the clip of a foul that stands once more, wherever clips are shown by themselves."""
        seq = body.get("seq")
        if not isinstance(seq, int) or seq not in [one["seq"] for one in await to_thread.run_sync(self._table.replays)]:
            return error(409, "of this stroke nothing may be shown: no foul stands on it, or its pictures are gone")
        self._again[seq] += 1
        self._table.feed.push("state")
        return answer({"seq": seq})

    # -- inside

    def who(self, request: Request) -> Session | None:
        """The session of the umpire who asks; None for everybody else."""
        return self._login.who(request)

    def _juror(self, request: Request) -> Session | None:
        session = self._login.anybody(request)
        return session if session is not None and session.juror else None

    def _decides(self, request: Request) -> bool:
        """Whether who asks is shown what is not confirmed: umpires, jurors, and the players where they decide it."""
        session = self._login.anybody(request)
        return session is not None and (not session.side or self._sides.decide())

    async def _may_see(self, request: Request, first: int, last: int) -> bool:
        """Whether who asks may see these pictures: everybody those of a foul that stands, whoever decides all of them.

        Any other may show somebody under a suspicion that nobody has confirmed, or the table as it is just now.
        """
        if self._decides(request):
            return True
        clips = [one["clip"] for one in await to_thread.run_sync(self._table.replays)]
        return any(begins <= first and last <= ends for begins, ends in clips)

    def _shown(self, umpire: bool) -> dict[str, Any]:
        state = self._table.snapshot(umpire).plain()
        state["replays"] = [one | {"again": self._again[one["seq"]]} for one in state["replays"]]
        if not umpire:
            return state
        latest = self._devices.latest
        return state | {
            "proposed": self._sides.proposed(int(state["score"].get("seq") or 0)),
            "acted": None if latest is None else {"by": latest.by, "seq": latest.seq},
        }

    async def _moving(self, numbers: list[int], may: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
        while await may():
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


def _by_way_of_the_console(request: Request) -> Response:
    """Who opens a picture as a page (the hub's referee) is asked for the PIN first; what only fetches it is refused."""
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"/umpire?see={request.url.path}", 303, FRESH)
    return NOT_THE_UMPIRE


def _sides_of(table: TableView) -> list[str]:
    return [str(side["name"]) for side in table.snapshot(False).score["sides"]]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


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


class _Number(Convertor[int]):
    """A number in an address. Any other text is no address of ours."""

    regex = rf"[0-9]{{1,{MOST_DIGITS}}}"

    def convert(self, value: str) -> int:
        return whole_number(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("number", _Number())
