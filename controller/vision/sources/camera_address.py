"""The address of a network camera, taken apart once. Pure.

It may hold a password, as user or in its query: who tells of a camera tells its `place`, and nothing else of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from controller.events.doors import host_of
from controller.events.errors import DeviceError

PORTS = {"http": 80, "https": 443}


class Login(NamedTuple):
    """Who may see a camera."""

    user: str
    password: str


@dataclass(frozen=True, slots=True)
class CameraAddress:
    """Where a camera's pictures are asked for. `path`: with its query. `login`: None where the address names no user.

    Its text is its place, so that no message can hold more.
    """

    scheme: str
    host: str
    port: int
    path: str
    login: Login | None = None

    @property
    def place(self) -> str:
        """Scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")

    def __str__(self) -> str:
        return self.place

    def onward(self, location: str) -> CameraAddress:
        """Where an answer from here leads to. Raises DeviceError.

        The login goes with it only to the same host and port, or from HTTP to HTTPS there: nobody else gets a password.
        """
        there = camera_address(urljoin(self.place + self.path, location))
        ports = {(self.scheme, self.port), ("https", PORTS["https"])}
        trusted = there.host == self.host and (there.scheme, there.port) in ports
        return CameraAddress(there.scheme, there.host, there.port, there.path, self.login if trusted else None)


def camera_address(url: str) -> CameraAddress:
    """Takes an address apart; percent signs in its login are decoded. Raises DeviceError, which does not quote it."""
    try:
        said = urlsplit(url)
        host, port = host_of(said.hostname or ""), said.port or PORTS[said.scheme]
        path = (said.path or "/") + (f"?{said.query}" if said.query else "")
        # Python leaves out line ends and tabs in an address; an @ behind the host's end is of a password cut in two.
        cut = "@" in url and "@" not in said.netloc
        login = None if said.username is None else Login(unquote(said.username), unquote(said.password or ""))
        fine = (
            path.isascii() and url.isprintable() and " " not in url and not cut and "".join(login or ()).isprintable()
        )
    except (ValueError, KeyError):
        fine = False
    if not fine:
        raise DeviceError(
            "camera.url is no http address. Fix: write http://HOST:PORT/PATH or http://USER:PASSWORD@HOST:PORT/PATH, "
            "in user and password %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %"
        )
    return CameraAddress(said.scheme, host, port, path, login)


def place_of(url: str) -> str:
    """Scheme, host and port of a camera's address: what may be shown of it. Empty where it is none."""
    try:
        return camera_address(url).place
    except DeviceError:
        return ""
