"""Who may act: the PIN or a one-time code in, a cookie out; who has come in, and ending that.

Must not know what an umpire may do, nor whose pages these are: a table's and the hub's sign in alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from math import ceil
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import segno
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from controller.events.doors import EVENT, Limits, json_object
from controller.events.errors import UnreadableError
from controller.web.answers import answer, error
from controller.web.hosts import reached_at
from controller.web.invitations import LASTS_S as INVITED_S
from controller.web.invitations import Invitations
from controller.web.kept_tries import KeptTries, nameless
from controller.web.sessions import KNOWN_S, LASTS_S, FullError, Session, Sessions

NOT_THE_UMPIRE = error(401, "only the umpire may do this; give the PIN")

Json = dict[str, Any]


class HasUmpires(Protocol):
    """Who knows an umpire when he asks."""

    def who(self, request: Request) -> Session | None:
        """The session of the umpire who asks; None for everybody else."""


Pages = TypeVar("Pages")
UmpiresPages = TypeVar("UmpiresPages", bound=HasUmpires)


def takes_json(
    handle: Callable[[Pages, Request, Json], Awaitable[Response]],
) -> Callable[[Pages, Request], Awaitable[Response]]:
    """A route that is handed the JSON object that came; what is none is refused before."""

    @wraps(handle)
    async def route(pages: Pages, request: Request) -> Response:
        body = await body_of(request)
        return body if isinstance(body, Response) else await handle(pages, request, body)

    return route


def umpires_json(
    handle: Callable[[UmpiresPages, Request, Session, Json], Awaitable[Response]],
) -> Callable[[UmpiresPages, Request], Awaitable[Response]]:
    """The same for umpires alone, whose session is handed over, too; of a stranger's request nothing is read."""

    @wraps(handle)
    async def route(pages: UmpiresPages, request: Request) -> Response:
        session = pages.who(request)
        if session is None:
            return NOT_THE_UMPIRE
        body = await body_of(request)
        return body if isinstance(body, Response) else await handle(pages, request, session, body)

    return route


class Login:
    """The routes of signing in. `cookie`: the session's name, which no other table or hub of the machine has: a browser
    sends all of them to each, and knows no ports.

    `sides`: the names of the sides that may be let in by a code besides umpires; None where no codes are given.
    `address`: where people reach the pages, as it is configured. `jury`: the codes that let in who decides a challenge.
    """

    def __init__(
        self,
        sessions: Sessions,
        tries: KeptTries,
        cookie: str,
        sides: Callable[[], list[str]] | None = None,
        address: str = "",
        jury: Invitations | None = None,
    ) -> None:
        self._jury = jury
        self._sessions = sessions
        self._tries = tries
        self._cookie, self._browser = cookie, f"{cookie}_browser"
        self._sides, self._address = sides, address
        self._invitations = Invitations(
            sessions.clock.now, lambda by: any(one.id == by and one.is_umpires for one in sessions.listed())
        )

    def routes(self) -> list[Route]:
        """Where one signs in."""
        return [
            Route("/me", self.me),
            Route("/login", self.login, methods=["POST"]),
            Route("/logout", self.logout, methods=["POST"]),
            Route("/sessions", self.sessions),
            Route("/sessions/end", self.end_sessions, methods=["POST"]),
            *(
                [Route("/invite", self.invite, methods=["POST"]), Route("/join", self.join, methods=["POST"])]
                if self._sides
                else []
            ),
        ]

    def who(self, request: Request) -> Session | None:
        """The session of the umpire who asks; None for everybody else, players and jurors too."""
        session = self.anybody(request)
        return session if session is not None and session.is_umpires else None

    def anybody(self, request: Request) -> Session | None:
        """The session of whoever asks, an umpire's, a side's or a juror's; None without one."""
        return self._sessions.who(request.cookies.get(self._cookie))

    async def me(self, request: Request) -> Response:
        """Whether this browser may act, and as whom."""
        session = self.anybody(request)
        said: dict[str, Any] = {"umpire": session is not None and session.is_umpires}
        # The rest only where codes are given: there a page wants to know which device it is, and whose.
        if session is not None and self._sides is not None:
            said |= {"side": session.side or None, "juror": session.juror or None, "id": session.id}
        return answer(said)

    @umpires_json
    async def invite(self, request: Request, mine: Session, body: Json) -> Response:
        """`{"side": "south"}`, or no side for an umpire, in; an address that lets one device in, and its QR, out."""
        side = body.get("side") or ""
        if self._sides is None or side not in ("", *self._sides()):
            return error(404, "there is no such side in this match")
        pages = reached_at(self._address, request.url.scheme, request.headers.get("host", ""))
        if pages is None:
            return error(
                409, "this machine is in no network: no device reaches it. Fix: join one, or set [web] address"
            )
        code, _ = self._invitations.give(side, mine.id)
        # Behind the #: no log of a server or a proxy has it, and nothing that looks a link up beforehand uses it up.
        address = f"{pages}/join#{code}"
        picture = segno.make(address, error="m", micro=False).svg_data_uri(scale=1, border=4)
        return answer({"address": address, "picture": picture, "seconds": INVITED_S})

    @takes_json
    async def join(self, request: Request, body: Json) -> Response:
        """`{"code": "…"}` in, a cookie out; 403 for one that is unknown, used or too old, 503 for too many devices."""
        code = str(body.get("code", ""))
        invitation = self._invitations.take(code) or (self._jury.take(code) if self._jury else None)
        if invitation is None:
            return error(403, "this code has been used or is too old; ask for a new one")
        address = request.client.host if request.client else "?"
        try:
            browser = request.headers.get("user-agent", "")
            token = self._sessions.let_in(address, browser, invitation.side, invitation.juror)
        except FullError as full:
            return error(503, str(full))
        if token is None:
            return error(403, "nobody may log in at this table")
        side, juror = invitation.side or None, invitation.juror or None
        response = answer({"umpire": not side and not juror, "side": side, "juror": juror})
        _set_cookie(request, response, self._cookie, token, LASTS_S)
        return response

    @takes_json
    async def login(self, request: Request, body: Json) -> Response:
        """`{"pin": "…"}` in, a cookie out; 403 for a wrong PIN, 429 after too many, 503 for too many devices."""
        address = request.client.host if request.client else "?"
        browser = request.cookies.get(self._browser)
        known = self._sessions.knows(browser)
        who = nameless(f"browser {browser}" if known else address)
        if (wait := self._tries.wait_s(who, known=known)) > 0:
            seconds = ceil(wait)
            return error(429, f"too many tries; wait {seconds} s", {"retry-after": str(seconds)})
        self._tries.begin(who, known=known)
        try:
            token = self._sessions.open(str(body.get("pin", "")), address, request.headers.get("user-agent", ""))
        except FullError as full:
            self._tries.right(who, known=known)
            return error(503, str(full))
        if token is None:
            # Before the answer: whoever cuts the power at it has had this guess.
            await self._tries.keep()
            return error(403, "this is not the PIN")
        if self._tries.right(who, known=known):
            await self._tries.keep()
        response = answer({"umpire": True})
        _set_cookie(request, response, self._cookie, token, LASTS_S)
        _set_cookie(request, response, self._browser, self._sessions.remember(browser), KNOWN_S)
        return response

    @takes_json
    async def logout(self, request: Request, _body: Json) -> Response:
        """Ends the session."""
        if (session := self.anybody(request)) is not None:
            self._sessions.end(session.id)
        response = answer({"umpire": False})
        response.delete_cookie(self._cookie)
        return response

    async def sessions(self, request: Request) -> Response:
        """Who has given the PIN, oldest first, and whether strangers are guessing it."""
        mine = self.who(request)
        if mine is None:
            return NOT_THE_UMPIRE
        shown = self._sessions.clock.shown
        listed = [
            {name: getattr(one, name) for name in ("id", "address", "browser", "side", "juror")}
            | {name: shown(getattr(one, name)) for name in ("began", "seen", "until")}
            | {"here": one is mine}
            for one in self._sessions.listed()
        ]
        return answer({"sessions": listed, "guessing": self._tries.loud()})

    @umpires_json
    async def end_sessions(self, _request: Request, mine: Session, body: Json) -> Response:
        """`{"id": "…"}` ends one session, `{"others": true}` all but this one."""
        listed = [one.id for one in self._sessions.listed()]
        ended = [one for one in listed if one != mine.id] if body.get("others") is True else [body.get("id")]
        if any(one not in listed for one in ended):
            return error(404, "there is no such session")
        self._sessions.end(*(str(one) for one in ended))
        return answer({"ended": len(ended)})


def _set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


async def body_of(request: Request, limits: Limits = EVENT) -> Json | Response:
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
            if len(raw) > limits.size:
                return error(413, f"at most {limits.size} bytes")
    except ClientDisconnect:
        return error(400, "the request ended in the middle")
    try:
        return json_object(bytes(raw), limits)
    except UnreadableError as unreadable:
        return error(400, f"send one JSON object: what came {unreadable}")


def _site(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
