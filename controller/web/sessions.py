"""Who was let in, by the PIN or by a one-time code: sessions that last a tournament day, are listed and can be ended,
and outlive a restart.

A browser holds a random token, the file beside the journal only its hash. A session ends with its time, by its own
logout, by another umpire's word, and when the PIN is written anew, be it the same. Must not know what an umpire may do.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from controller.events.doors import RECORD, json_object
from controller.events.reading import strictly
from controller.supervision.steady import Moment, SteadyClock

log = logging.getLogger(__name__)

LASTS_S = 14 * 3600
"""One long tournament day."""
KNOWN_S = 180 * 24 * 3600
"""So long a browser is known to have given the PIN once."""
MOST_SESSIONS, MOST_BROWSERS = 50, 200
IDLE_S = 900
"""Who has asked for nothing for so long makes room for another device, where there is none left."""


_BROWSERS = TypeAdapter(dict[str, float])


class FullError(Exception):
    """There are as many sessions as may be, and each was used lately: nobody is thrown out for another one."""

    def __init__(self) -> None:
        super().__init__(
            f"{MOST_SESSIONS} devices are logged in, all used in the last {IDLE_S // 60} minutes. "
            "Fix: end one in the list of sessions, or try again later"
        )


@dataclass(slots=True)
class Session:
    """One login. `id`: its name in lists and journal; `token`, `mark`: hashes of its token and of the PIN it was made
    with; times by the steady clock. `side`: whose players hold it; `juror`: who decides a challenge by it; both empty
    for an umpire."""

    id: str
    token: str
    mark: str
    began: float
    until: float
    address: str
    browser: str
    seen: float = 0.0
    side: str = ""
    juror: str = ""

    @property
    def is_umpires(self) -> bool:
        """Whether who holds it may do all that an umpire may."""
        return not self.side and not self.juror


def _plain(pin: str) -> bytes:
    """A PIN without what a keyboard makes of it: another country's digits, a space behind a word."""
    digits = (str(unicodedata.digit(one, one)) for one in unicodedata.normalize("NFKC", pin).strip())
    return "".join(digits).encode("utf-8", "replace")


_SESSIONS = TypeAdapter(list[Session])
_MOMENT = TypeAdapter(Moment)


class Sessions:
    """`pin`: the umpire's PIN now, None or empty where nobody may log in. `path`: where they are kept;
    in memory only if left out. `written`: what differs whenever the PIN was written, None where it is not known:
    sessions belong to that, and not to the PIN's value."""

    def __init__(
        self,
        pin: Callable[[], str | None],
        clock: SteadyClock,
        path: Path | None = None,
        written: Callable[[], object] = lambda: None,
    ) -> None:
        self._asked, self.clock, self._path, self._written = pin, clock, path, written
        self._key, self._mark = secrets.token_bytes(32), ""
        self._at: object = None
        self._sessions: dict[str, Session] = {}
        self._browsers: dict[str, float] = {}
        self._read()
        self._pin()

    def open(self, pin: str, address: str, browser: str) -> str | None:
        """Returns the token of a new session, None if this is not the PIN. Raises FullError."""
        wanted = self._pin()
        if not wanted or not hmac.compare_digest(_plain(pin), _plain(wanted)):
            return None
        return self.let_in(address, browser)

    def let_in(self, address: str, browser: str, side: str = "", juror: str = "") -> str | None:
        """Returns the token of a new session of who came by somebody else's word; None where nobody may log in.

        It ends, as all do, when the PIN is written anew. Raises FullError.
        """
        pin, now = self._pin(), self.clock.now()
        if not pin:
            return None
        token = secrets.token_urlsafe(32)
        session = Session(
            secrets.token_hex(4), _hash(token), self._mark, now, now + LASTS_S, address, browser[:200], now, side, juror
        )
        kept = self._valid()
        if len(kept) >= MOST_SESSIONS:
            idle = min(kept, key=lambda one: one.seen)
            if now - idle.seen < IDLE_S:
                raise FullError
            kept.remove(idle)
        self._sessions = {one.token: one for one in (*kept, session)}
        self._write()
        return token

    def who(self, token: str | None) -> Session | None:
        """Returns the session of a token, None if there is none or it has ended."""
        session = self._sessions.get(_hash(token)) if token else None
        if session is None or not self._holds(session):
            return None
        session.seen = self.clock.now()
        return session

    def end(self, *ids: str) -> None:
        """Ends sessions by their ids."""
        kept = {token: one for token, one in self._sessions.items() if one.id not in ids}
        if len(kept) != len(self._sessions):
            self._sessions = kept
            self._write()

    def listed(self) -> list[Session]:
        """Returns the sessions that hold, oldest first."""
        return self._valid()

    # -- browsers that have given the PIN before

    def remember(self, browser: str | None) -> str:
        """Returns the token by which a browser that has just given the PIN is known from now on."""
        token = browser if browser and self.knows(browser) else secrets.token_urlsafe(24)
        self._browsers.pop(_hash(token), None)
        self._browsers[_hash(token)] = self.clock.now()
        for old in list(self._browsers)[:-MOST_BROWSERS]:
            del self._browsers[old]
        self._write()
        return token

    def knows(self, browser: str | None) -> bool:
        """Whether a browser has given the PIN before."""
        since = self._browsers.get(_hash(browser)) if browser else None
        return since is not None and self.clock.now() - since < KNOWN_S

    # -- inside

    def _valid(self) -> list[Session]:
        return [one for one in self._sessions.values() if self._holds(one)]

    def _holds(self, session: Session) -> bool:
        return bool(self._pin()) and self.clock.now() < session.until and hmac.compare_digest(session.mark, self._mark)

    def _pin(self) -> str | None:
        """Returns the PIN now; once it was written anew no earlier session holds, even if the PIN comes back."""
        pin, at = self._asked(), self._written()
        if not pin:
            return None
        anew = None not in (at, self._at) and at != self._at
        self._at = at or self._at
        if anew or not hmac.compare_digest(self._mark, self._marked(pin)):
            self._key, self._sessions = secrets.token_bytes(32), {}
            self._mark = self._marked(pin)
            self._write()
        return pin

    def _marked(self, pin: str) -> str:
        return hmac.new(self._key, pin.encode(), hashlib.sha256).hexdigest()

    def _read(self) -> None:
        if self._path is None or not self._path.exists():
            return
        try:
            body = json_object(self._path.read_bytes(), RECORD)
            self._key, self._mark = bytes.fromhex(body["key"]), str(body["mark"])
            later = self.clock.carried(strictly(_MOMENT, body["at"]))
            for one in strictly(_SESSIONS, body["sessions"]):
                times = {name: getattr(one, name) + later for name in ("began", "until", "seen")}
                self._sessions[one.token] = replace(one, **times)
            self._browsers = {one: since + later for one, since in strictly(_BROWSERS, body["browsers"]).items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            log.warning("%s: cannot be read (%s): umpires log in anew", self._path, error)
            self._key, self._mark, self._sessions, self._browsers = secrets.token_bytes(32), "", {}, {}

    def _write(self) -> None:
        if self._path is None:
            return
        body: dict[str, Any] = {
            "key": self._key.hex(),
            "mark": self._mark,
            "at": asdict(self.clock.moment()),
            "sessions": [asdict(one) for one in self._sessions.values()],
            "browsers": self._browsers,
        }
        fresh = self._path.with_name(self._path.name + ".new")
        try:
            fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(fd, "w") as file:
                json.dump(body, file)
            fresh.replace(self._path)
        except OSError as error:
            log.warning("%s: cannot be written (%s): a restart asks for the PIN again", self._path, error)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
