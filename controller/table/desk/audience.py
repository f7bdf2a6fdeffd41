"""What an audience is shown of a table: the umpire all that stands now, everybody what may be public.

One class for both, so that no outlet has to know what is to be left out. Must not know where anything is published.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calibration.measures import measures_of
from controller.events.ruling import Question
from controller.mqtt import scoreboard
from controller.mqtt.payloads import Alert
from controller.shots import outputs
from controller.table.desk.shown import Shown
from controller.table.match.ruled_match import Json, RuledMatch, Taken
from controller.table.public.messages import ruling_for_everybody, stroke_for_everybody

RECENT = 12
"""Rulings that a club's page of a table shows: some minutes of play."""


class Audience:
    """Everybody, or the umpires. Everybody is shown nothing that is flagged and not confirmed, players as the table
    shows them, and while a challenge waits for its verdict the match as it stood when that was made."""

    def __init__(self, shown: Shown, *, umpires: bool = False) -> None:
        self._shown, self._umpires = shown, umpires
        self._is_told = umpires and not shown.names.shadow

    @property
    def match(self) -> RuledMatch:
        """The match as this audience may know it."""
        return self._shown.umpire if self._umpires else self._shown.umpire.public

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """What stands, oldest first."""
        everybodys = self._shown.standing.alerts
        if not self._umpires:
            return everybodys
        return tuple(sorted((*everybodys, *self._shown.umpires_standing.alerts), key=lambda alert: alert.t))

    @property
    def mismatches(self) -> Mapping[str, outputs.Mismatch]:
        """In what the board is not as the book says, by the name of the question about it."""
        return self._shown.mismatches if self._umpires else self._shown.public_mismatches

    def ruled(self, ruling: Json) -> Json:
        """A ruling as this audience may see it."""
        return ruling if self._is_told else ruling_for_everybody(ruling)

    def played(self, stroke: Json) -> Json:
        """A stroke's event as this audience may see it."""
        return stroke if self._is_told else stroke_for_everybody(stroke)

    def named(self, body: Any) -> Any:
        """A JSON value with players as this audience sees them."""
        return body if self._umpires else self._shown.for_everybody(body)

    def latest(self) -> Json | None:
        """The latest ruling, with whether it is in the journal yet."""
        ruling = self.match.latest
        if ruling is None:
            return None
        if ruling["seq"] in self._shown.unsaved:
            ruling = ruling | {"saved": False, "sealed": False}
        return self.ruled(ruling)

    def questions(self) -> tuple[Question, ...]:
        """What is still asked; only the umpires are asked about what is flagged."""
        asked = self.match.questions()
        return asked if self._is_told else tuple(one for one in asked if one.clause is None)

    def score(self) -> Any:
        """The scoreboard; the umpires' also counts and names what is flagged and not confirmed."""
        shown, match, t = self._shown, self.match, self._shown.unix()
        measures = measures_of(shown.board)
        if match.latest is None:
            return scoreboard.idle(shown.names.table, t, shown.health.armed, measures)
        return scoreboard.score(
            self.ruled(match.latest),
            self.info(),
            t,
            clock=replace(shown.clock_payload(), ends=shown.clock_ends()),
            armed=shown.health.armed,
            provisional=match.hanging(),
            asks=len(self.questions()),
            measures=measures,
            round=shown.round_payload(),
            **self._challenges(),
        )

    def _challenges(self) -> dict[str, Any]:
        """The challenge that waits for its verdict, and what each side has left."""
        now = self.match.standing()
        if now is None or not now.policy["challenges"]:
            return {}
        return {"challenge": next(iter(now.challenges), None), "challenges_left": now.challenges_left}

    def recent(self, most: int) -> list[tuple[Taken, scoreboard.MatchInfo]]:
        """The latest events as they stand now, oldest first, each with who sat where after it."""
        found = self.match.recent_with_info(most, self._shown.names.table, self._shown.match)
        return [(replace(one, ruling=self.ruled(one.ruling)), self._as_shown(then)) for one, then in found]

    def rulings(self) -> Any:
        """The latest rulings, as the `history` payload."""
        ruled = [(self._shown.told_at(one.seq), one.ruling, then) for one, then in self.recent(RECENT)]
        return scoreboard.history(self.info(), ruled, self._shown.unix())

    def result(self) -> Any:
        """How the match stands, as the `result` payload."""
        # Pages ask from a thread of their own: meanwhile another ruling may come, or another match begin.
        times = {seq: told.t_unix for seq, told in enumerate(list(self._shown.history), 1)}
        ruled = [one for one in self.match.recent(sys.maxsize) if one.seq in times]
        return scoreboard.result(self.info(), [(times[one.seq], one.event, one.ruling) for one in ruled])

    def info(self) -> scoreboard.MatchInfo:
        """What is known of the match besides its rulings."""
        return self._as_shown(self.match.info(self._shown.names.table, self._shown.match))

    def _as_shown(self, info: scoreboard.MatchInfo) -> scoreboard.MatchInfo:
        return info if self._umpires else self._shown.names.players.info(info)
