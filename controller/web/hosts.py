"""Which names the pages answer to, where a person opens them, and the headers that every answer carries.

A page of a stranger's site, whose name was made to point at the table (DNS rebinding), is same-origin to a browser; the
name in its `Host` gives it away. Must not know what is asked for.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.web.answers import error

_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
_ENCODED = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


ROUTERS = (".lan", ".home", ".home.arpa", ".internal", ".localdomain")
"""What routers put behind a machine's name; nobody can register a name below them."""


class KnownNames:
    """Answers only where the pages were asked for by a name of the table, with safe headers.

    Its names: IP addresses, `localhost`, `*.local` (none of which a stranger can register), the machine's own name,
    alone or as a router completes it, and `names`.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        own = socket.gethostname()
        self._names = {_plain(name) for name in (*names, own, *(own + ending for ending in ROUTERS), "localhost")}

    def knows(self, host: str) -> bool:
        """Whether a `Host` header names this table."""
        name = _plain(_without_port(host))
        if name in self._names or name.endswith(".local"):
            return True
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _value in message["headers"]}
                # Pages and modules are asked for anew each time: an update must not meet yesterday's half.
                fresh = [] if b"cache-control" in known else [(b"cache-control", b"no-cache")]
                message["headers"] = [*message["headers"], *_ENCODED, *fresh]
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if self.knows(host):
            await self._app(scope, receive, with_headers)
        else:
            says = f"this table does not go by the name {host[:80]!r}. Fix: use its address, or add it to [web] names"
            await error(421, says)(scope, receive, with_headers)


def opened_at(host: str, port: int) -> str:
    """Returns the address at which a person opens pages served on a host.

    Served on every address of the machine they have none that is all of them: it is the machine's in its network then.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return f"http://{host}:{port}/"
    if address.is_unspecified:
        return f"http://{lan_address() or 'localhost'}:{port}/"
    return f"http://[{host}]:{port}/" if address.version == 6 else f"http://{host}:{port}/"


def lan_address() -> str | None:
    """Returns this machine's address in its network; None where it is in none."""
    # Nothing is sent: the system only chooses the address from which it would be (RFC 5737 keeps the other end free).
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way_out:
        try:
            way_out.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(way_out.getsockname()[0])


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (":" not in name or name.endswith("]")) else host


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")
