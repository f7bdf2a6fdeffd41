"""What a side's own device may do: ask for another look, in any match that has challenges; where the players decide,
answer for its side, own up, tell its own strokes where nothing senses the table, and agree with the other.

Questions about a stroke go to the rules with the side's seat: they keep each side's word, and what is legal stands
where the sides differ. Everything else waits until the other side wants it too. Must not know how a ruling comes about.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from controller.web.agreement import ALONE, TOGETHER, Agreement
from controller.web.view import TableView

Json = Mapping[str, Any]
OWN = ("call", "pass")
"""What a side may say of its own seat without the other: a foul that it owns up to, a turn that it gives away."""
STROKE = ("event", "seat", "pocketed")
"""What a side tells of its own stroke where nothing senses the table."""
WITHDRAW = "withdraw"
CHALLENGE = "challenge"


class Sides:
    """The sides' devices of one table. Any thread."""

    def __init__(self, table: TableView) -> None:
        self._table = table
        self._agreement = Agreement()
        self._guard = threading.Lock()

    def decide(self) -> bool:
        """Whether the players decide in this match."""
        return self._table.officiating() == "players"

    def proposed(self, seq: int) -> list[dict[str, Any]]:
        """What one side wants and another has yet to want; `seq`: of the latest ruling."""
        with self._guard:
            return self._agreement.open(seq)

    def says(self, side: str, event: dict[str, Any], by: str) -> Json:
        """A side says something. Returns the ruling, the error, or `{waits: true}` while the other is awaited."""
        kind = str(event.get("event"))
        if not self.decide() and kind != CHALLENGE:
            return _refused(kind, "in this match the umpire decides")
        state = self._table.snapshot(True)
        sides = {str(one["name"]): tuple(one["seats"]) for one in state.score["sides"]}
        if side not in sides:
            return _refused(kind, "this device's side does not play in this match; take a new code")
        if kind == CHALLENGE:
            if event.get("seat") not in sides[side]:
                return _refused(kind, "a side challenges for itself")
            return self._table.act(event, by)
        if kind == WITHDRAW:
            with self._guard:
                self._agreement.withdraw()
            self._table.feed.push("state")
            return {"seq": None, "event": kind}
        asked = next((one for one in (*state.asks, *state.flags) if str(one["ask"]) == str(event.get("ask"))), None)
        if kind == "answer" and asked is not None and asked.get("sides"):
            seat = next((seat for seat in asked["sides"] if seat in sides[side]), None)
            if seat is None:
                return _refused(kind, "your side has answered; the other has yet to")
            return self._table.act({**event, "seat": seat}, by)
        if kind == "shot":
            return self._stroke(event, sides[side], str(state.score.get("armed")), by)
        if kind in ALONE or (kind in OWN and event.get("seat") in sides[side]):
            return self._table.act(event, by)
        if kind not in TOGETHER:
            return _refused(kind, "this is done at the umpire's console")
        with self._guard:
            agreed = self._agreement.say(side, event, sides, int(state.score.get("seq") or 0))
        if agreed is None:
            self._table.feed.push("state")
            return {"seq": None, "event": kind, "waits": True}
        return self._table.act(dict(agreed), by)

    def _stroke(self, event: Mapping[str, Any], seats: Sequence[str], armed: str, by: str) -> Json:
        """A side's own stroke, entered by hand: what fell, and no more."""
        if armed != "off":
            return _refused("shot", "this table watches: strokes are told by hand only where nothing does")
        if event.get("seat") not in seats:
            return _refused("shot", "a side tells its own strokes")
        return self._table.act({name: event[name] for name in STROKE if name in event}, by)


def _refused(kind: str, why: str) -> Json:
    return {"seq": None, "event": kind, "error": why}
