"""Who may act: the PIN in, a cookie out; who has given it, and ending that.

Must not know what an umpire may do, nor whose pages these are: a table's and the hub's have the same door.
"""

from __future__ import annotations

from math import ceil
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from controller.events.doors import EVENT, json_object
from controller.events.errors import UnreadableError
from controller.web.answers import answer, error
from controller.web.sessions import KNOWN_S, LASTS_S, Session, Sessions
from controller.web.tries import Tries

NOT_THE_UMPIRE = error(401, "only the umpire may do this; give the PIN")


class Login:
    """The routes of the door. `cookies`: their names; a table and the hub on one machine share a browser's cookies."""

    def __init__(
        self, sessions: Sessions, tries: Tries, cookies: tuple[str, str] = ("carrom_umpire", "carrom_browser")
    ) -> None:
        self._sessions = sessions
        self._tries = tries
        self._cookie, self._browser = cookies

    def routes(self) -> list[Route]:
        """Where the door is."""
        return [
            Route("/me", self.me),
            Route("/login", self.login, methods=["POST"]),
            Route("/logout", self.logout, methods=["POST"]),
            Route("/sessions", self.sessions),
            Route("/sessions/end", self.end_sessions, methods=["POST"]),
        ]

    def who(self, request: Request) -> Session | None:
        """The session of whoever asks, None without one."""
        return self._sessions.who(request.cookies.get(self._cookie))

    async def me(self, request: Request) -> Response:
        """Whether this browser may act."""
        return answer({"umpire": self.who(request) is not None})

    async def login(self, request: Request) -> Response:
        """`{"pin": "…"}` in, a cookie out; 403 for a wrong PIN, 429 after too many."""
        body = await body_of(request)
        if isinstance(body, Response):
            return body
        address = request.client.host if request.client else "?"
        browser = request.cookies.get(self._browser)
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
        _set_cookie(request, response, self._cookie, token, LASTS_S)
        _set_cookie(request, response, self._browser, self._sessions.remember(browser), KNOWN_S)
        return response

    async def logout(self, request: Request) -> Response:
        """Ends the session."""
        body = await body_of(request)
        if isinstance(body, Response):
            return body
        if (session := self.who(request)) is not None:
            self._sessions.end(session.id)
        response = answer({"umpire": False})
        response.delete_cookie(self._cookie)
        return response

    async def sessions(self, request: Request) -> Response:
        """Who has given the PIN, oldest first, and whether strangers are guessing it."""
        mine = self.who(request)
        if mine is None:
            return NOT_THE_UMPIRE
        listed = [
            {name: getattr(one, name) for name in ("id", "began", "seen", "until", "address", "browser")}
            | {"here": one is mine}
            for one in self._sessions.listed()
        ]
        return answer({"sessions": listed, "guessing": self._tries.loud()})

    async def end_sessions(self, request: Request) -> Response:
        """`{"id": "…"}` ends one session, `{"others": true}` all but this one."""
        mine = self.who(request)
        if mine is None:
            return NOT_THE_UMPIRE
        body = await body_of(request)
        if isinstance(body, Response):
            return body
        listed = [one.id for one in self._sessions.listed()]
        ended = [one for one in listed if one != mine.id] if body.get("others") is True else [body.get("id")]
        if any(one not in listed for one in ended):
            return error(404, "there is no such session")
        self._sessions.end(*(str(one) for one in ended))
        return answer({"ended": len(ended)})


def _set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


async def body_of(request: Request) -> dict[str, Any] | Response:
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
