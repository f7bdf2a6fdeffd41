"""The demo's own page, beside the table's: what the camera sees and what the table makes of it, buttons that break what
is simulated, and the way to the umpire's console.

Only this machine reaches it, and only by its own page. Must not know how a breakage is played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from controller.events.errors import PeerError
from controller.simulator.breaking import BREAKAGES, Breaking
from controller.web.answers import FRESH, answer, error
from controller.web.app import STATIC
from controller.web.hosts import KnownNames
from controller.web.login import body_of

PAGE = Path(__file__).parent / "page"
POWER = "power"


class Seen(Protocol):
    """What the page shows of the inside."""

    def picture(self) -> bytes | None:
        """The newest JPEG."""

    def told(self) -> dict[str, Any]:
        """As `Sight.told`. Raises PeerError or OSError while the table does not answer."""


@dataclass(frozen=True)
class DemoDesk:
    """`table`: the address of the table's pages; `pin`: its umpire's; `cut_power()`: everything dies and comes back;
    `measures`: of the board that is played on."""

    breaking: Breaking
    table: str
    pin: str
    cut_power: Callable[[], None]
    sight: Seen
    measures: Mapping[str, Any]

    def app(self) -> Starlette:
        """Builds the page."""
        routes = [
            Route("/", self._page),
            Route("/geometry", self._geometry),
            Route("/seen", self._seen),
            Route("/now.jpg", self._picture),
            Route("/broken", self._broken),
            Route("/break", self._break, methods=["POST"]),
            Mount("/page", StaticFiles(directory=PAGE)),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        return Starlette(routes=routes, middleware=[Middleware(KnownNames)])

    async def _page(self, _request: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    async def _geometry(self, _request: Request) -> Response:
        return answer(dict(self.measures))

    async def _seen(self, _request: Request) -> Response:
        try:
            return answer(await to_thread.run_sync(self.sight.told))
        except (PeerError, OSError) as why:
            return error(503, str(why))

    async def _picture(self, _request: Request) -> Response:
        jpeg = await to_thread.run_sync(self.sight.picture)
        return error(404, "no picture yet") if jpeg is None else Response(jpeg, media_type="image/jpeg", headers=FRESH)

    async def _broken(self, _request: Request) -> Response:
        return answer(self._state())

    async def _break(self, request: Request) -> Response:
        """`{"what": "camera", "broken": true}` in, what is broken now out."""
        body = await body_of(request)
        if isinstance(body, Response):
            return body
        what = body.get("what")
        if what == POWER:
            self.cut_power()
        elif what in BREAKAGES and isinstance(body.get("broken"), bool):
            self.breaking.set(what, body["broken"])
        else:
            return error(400, f"what: one of {', '.join((*BREAKAGES, POWER))}; broken: true or false")
        return answer(self._state())

    def _state(self) -> dict[str, Any]:
        return {"broken": sorted(self.breaking.now), "table": self.table, "pin": self.pin}
