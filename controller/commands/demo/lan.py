"""The demo in the network: the address under which phones find it, and that address as a QR code of text."""

from __future__ import annotations

import io
from ipaddress import ip_address

import segno

from controller.events.errors import ConfigError
from controller.web.hosts import lan_address

OPENS = (
    "Everybody in your network can watch at this address, and umpire with the PIN; "
    "the broker, and the page that breaks things, stay on this computer."
)
_WHITE_ON_BLACK, _PLAIN = "\033[97;40m", "\033[0m"


def address_in_network() -> str:
    """Returns this computer's address for phones. Raises ConfigError where it has none, or a public one."""
    address = lan_address()
    if address is None or ip_address(address).is_global:
        raise ConfigError(
            "--lan: this computer has no address in a network of your own. Fix: join one, or leave --lan out"
        )
    return address


def code(address: str) -> str:
    """Returns an address as a QR code for a terminal, two rows of modules to a line.

    Its colours are given with it: on a terminal of dark letters on white it would be the wrong way round.
    """
    drawn = io.StringIO()
    segno.make(address, error="m", micro=False).terminal(drawn, compact=True)
    return "\n".join(f"{_WHITE_ON_BLACK}{line}{_PLAIN}" for line in drawn.getvalue().splitlines())
