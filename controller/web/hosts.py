"""Which names the pages answer to, where a person opens them, and the headers that every answer carries.

A page of a stranger's site, whose name was made to point at the table (DNS rebinding), is same-origin to a browser; the
name in its `Host` gives it away. Must not know what is asked for.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

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
    own = (lan_address() or "localhost") if address.is_unspecified else host
    return f"http://{_in_address(own)}:{port}/"


def reached_at(configured: str, scheme: str, asked_for: str) -> str | None:
    """Returns the address at which another device reaches the pages: the configured one, that by which they were just
    `asked_for`, or this machine's in its network; None where there is none."""
    if configured:
        return configured.rstrip("/")
    host = _without_port(asked_for)
    name = _plain(host.removeprefix("[").removesuffix("]"))
    if name != "localhost" and not _is_loopback(name):
        return f"{scheme}://{asked_for}"
    address = lan_address()
    return None if address is None else f"{scheme}://{_in_address(address)}{asked_for.removeprefix(host)}"


def lan_address() -> str | None:
    """Returns this machine's address in its network, an IPv4 one if it has any; None where it is in none."""
    return _way_out("192.0.2.1") or _own_ipv4() or _way_out("2001:db8::1") or _own_ipv6()


def _way_out(elsewhere: str) -> str | None:
    """The address from which something would be sent. Nothing is: RFC 5737 and 3849 keep the other ends free."""
    family = socket.AF_INET6 if ":" in elsewhere else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way_out:
            way_out.connect((elsewhere, 9))
            return str(way_out.getsockname()[0])
    except OSError:
        return None


def _own_ipv4() -> str | None:
    """An address of this machine where no way leads out of its network, as in a hall without the internet."""
    with suppress(OSError):
        table = Path("/proc/net/fib_trie").read_text(encoding="ascii")
        own = dict.fromkeys(re.findall(r"\|-- (\S+)\n\s+/32 host LOCAL", table))
        # What a machine gives itself, where nobody gives it one, comes last.
        found = sorted((one for one in own if not _is_loopback(one)), key=lambda one: ip_address(one).is_link_local)
        return found[0] if found else None
    return None


def _own_ipv6() -> str | None:
    with suppress(OSError):
        for row in Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines():
            address = ip_address(int(row.split()[0], 16).to_bytes(16, "big"))
            if not address.is_loopback and not address.is_link_local:
                return str(address)
    return None


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (":" not in name or name.endswith("]")) else host


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")
