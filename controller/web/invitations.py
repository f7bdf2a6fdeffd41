"""One-time codes that let another device in: an umpire's, one side's, or a juror's.

A code stands in a QR picture for a few minutes, is good for one device, and is kept in memory only: a restart ends it.
Must not know what a device may do.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

LASTS_S = 300.0
"""Long enough to hand a phone over, short enough that a picture of the screen is worth nothing after the board."""
MOST = 16


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a code is good for. `side`: the side whose players it is for; `juror`: who decides a challenge with it; both
    empty for an umpire. `by`: the session that gave it: it ends with that session; empty where the club's hub did."""

    side: str
    by: str
    until: float
    juror: str = ""


class Invitations:
    """`now`: seconds that only go on; `holds(session)`: whether the session that gave a code still stands."""

    def __init__(self, now: Callable[[], float], holds: Callable[[str], bool]) -> None:
        self._now, self._holds = now, holds
        self._open: dict[str, Invitation] = {}

    def give(self, side: str, by: str, juror: str = "") -> tuple[str, Invitation]:
        """Returns a new code. Earlier ones for the same by the same session are ended: one picture, one device."""
        whose = (side, by, juror)
        kept = {hashed: one for hashed, one in self._open.items() if (one.side, one.by, one.juror) != whose}
        self._open = dict(list(kept.items())[-(MOST - 1) :])
        code = secrets.token_urlsafe(16)
        invitation = self._open[_hash(code)] = Invitation(side, by, self._now() + LASTS_S, juror)
        return code, invitation

    def take(self, code: str) -> Invitation | None:
        """Returns what a code is good for and ends it; None for one that is unknown, used or too old."""
        invitation = self._open.pop(_hash(code), None)
        if invitation is None or self._now() >= invitation.until or not self._holds(invitation.by):
            return None
        return invitation


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
