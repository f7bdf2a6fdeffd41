"""The umpire's PIN: a signed cookie for who knows it, and patience for who guesses.

A PIN is short, so guessing is slowed down: a few tries a minute from one address, and a few more from all together.
The cookie is signed with a secret of the table, so that a restart in mid-match does not ask for the PIN again.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections import deque
from collections.abc import Callable
from pathlib import Path

from controller.events.errors import DeviceError

COOKIE = "carrom_umpire"
LASTS_S = 14 * 3600
"""One long tournament day."""
TRIES, TRIES_ALL, WINDOW_S = 5, 20, 60.0


class Gate:
    """Hands out and checks cookies. `now` gives Unix seconds."""

    def __init__(self, secret: bytes, now: Callable[[], float]) -> None:
        self._secret = secret
        self._now = now
        self._wrong: dict[str, deque[float]] = {}

    def wait_s(self, address: str) -> float:
        """Returns how long this address must wait before the next try, 0 if it need not."""
        self._forget()
        mine = self._wrong.get(address, deque())
        everybody = sorted(t for times in self._wrong.values() for t in times)
        waits = [0.0]
        if len(mine) >= TRIES:
            waits.append(mine[-TRIES] + WINDOW_S - self._now())
        if len(everybody) >= TRIES_ALL:
            waits.append(everybody[-TRIES_ALL] + WINDOW_S - self._now())
        return max(waits)

    def wrong(self, address: str) -> None:
        """Remembers a wrong PIN."""
        self._wrong.setdefault(address, deque()).append(self._now())

    def right(self, address: str) -> None:
        """Forgets this address's wrong PINs."""
        self._wrong.pop(address, None)

    def issue(self) -> str:
        """Returns a cookie for somebody who knew the PIN."""
        body = f"{int(self._now()) + LASTS_S}.{secrets.token_hex(8)}"
        return f"{body}.{self._sign(body)}"

    def who(self, cookie: str | None) -> str | None:
        """Returns the short name of a cookie's session, None if it is not ours or has ended."""
        if not cookie or cookie.count(".") != 2:
            return None
        body, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(body).encode()):
            return None
        until, nonce = body.split(".")
        return nonce[:4] if self._now() < int(until) else None

    def _sign(self, body: str) -> str:
        return hmac.new(self._secret, body.encode(), hashlib.sha256).hexdigest()

    def _forget(self) -> None:
        oldest = self._now() - WINDOW_S
        for address, times in list(self._wrong.items()):
            while times and times[0] <= oldest:
                times.popleft()
            if not times:
                del self._wrong[address]


def secret_from(path: Path) -> bytes:
    """Returns the table's secret, making it on the first day. Raises DeviceError if that cannot be."""
    try:
        if path.is_file() and len(found := path.read_bytes()) >= 32:
            return found
        made = secrets.token_bytes(32)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".new")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(made)
        fresh.replace(path)
    except OSError as error:
        raise DeviceError(f"{path}: {error.strerror}. Mend: let this user write the table's state folder") from error
    return made
