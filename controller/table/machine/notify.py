"""Tells the service manager how we are (sd_notify): ready, alive, stopping, and a line of status.

Knows only the protocol of `NOTIFY_SOCKET`; without a service manager every call does nothing.
"""

from __future__ import annotations

import os
import socket


def notify(*assignments: str) -> bool:
    """Sends assignments such as `READY=1` or `STATUS=…`. Returns whether a service manager was reached."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        try:
            channel.connect(address)
            channel.sendall("\n".join(assignments).encode())
        except OSError:
            return False
    return True


def watchdog_seconds() -> float | None:
    """How often the service manager wants a sign of life, or None; half of it is a good rhythm."""
    interval = os.environ.get("WATCHDOG_USEC")
    watched = os.environ.get("WATCHDOG_PID")
    if not interval or (watched and watched != str(os.getpid())):
        return None
    return int(interval) / 1e6
