"""Who may decide a challenge: where the match's policy wants another person than its referee, a jury, and not that one.

Asked when a juror is let in, and of every verdict: whoever is let in today may be the referee of the next match. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.events.doors import name_key
from controller.table.match.ruled_match import RuledMatch

START = 1
"""The number of a match's start, which names its referee."""


def why_no_juror(match: RuledMatch, name: str) -> str | None:
    """Returns why this person may not decide the challenges of a match, None who may."""
    referee = str(match.event(START).get("referee") or "")
    if not _wants_another(match) or not referee or name_key(name) != name_key(referee):
        return None
    return f"{referee} is this match's referee. Fix: in this event another person decides"


def why_no_verdict(match: RuledMatch, event: Mapping[str, Any], *, jury: bool) -> str | None:
    """Returns why who says a verdict, or puts one in another's place, may not; None who may, and of any other event.

    Nobody needs a jury to go on: "not clear" is anyone's.
    """
    given = event.get("with") if event.get("event") == "correct" else event
    if not isinstance(given, Mapping) or given.get("event") != "verdict" or not _wants_another(match):
        return None
    if jury:
        return why_no_juror(match, str(given.get("by")))
    if given.get("result") == "inconclusive":
        return None
    return "in this event a jury decides. Fix: open it on the club's referees' page, or find the challenge not clear"


def _wants_another(match: RuledMatch) -> bool:
    now = match.standing()
    return now is not None and now.policy["challenge_by"] == "another"
