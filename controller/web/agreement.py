"""Where the players decide: what one side wants is done once every other side wants the same.

Pure: no clock, no threads of its own. Questions about a stroke do not come here: the rules themselves keep each side's
word and know what stands where they differ. Must not know what an event does.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]

ALONE = ("pause",)
"""What either side may do by itself: nobody plays on against the other's will."""
TOGETHER = ("answer", "next_board", "resume", "play", "call", "timeout", "pass", "claim", "correct")
"""What they do together. A position is set, and a match begun, at the umpire's console."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one side wants. `sides`: who wants it so far; `seq`: the ruling that stood when it was first asked for."""

    event: Json
    sides: tuple[str, ...]
    seq: int


class Agreement:
    """The proposals of one table."""

    def __init__(self) -> None:
        self._open: dict[str, Proposal] = {}

    def say(self, side: str, event: Json, sides: Collection[str], seq: int) -> Json | None:
        """One side wants an event. Returns it once all of `sides` do, None while somebody is awaited.

        `seq`: the latest ruling. What was wanted before another ruling came is forgotten: it was about another table.
        """
        name = json.dumps(event, sort_keys=True)
        self.forget(seq)
        before = self._open.get(name)
        wanted = tuple(dict.fromkeys((*(before.sides if before else ()), side)))
        if set(sides) <= set(wanted):
            self._open.clear()
            return event
        # A side that wants something else now wants the former no more.
        self._open = {key: one for key, one in self._open.items() if one.sides != (side,)}
        self._open[name] = Proposal(event, wanted, seq)
        return None

    def withdraw(self) -> bool:
        """A side wants none of it: neither its own proposal nor the other's. Returns whether there was one."""
        there = bool(self._open)
        self._open.clear()
        return there

    def forget(self, seq: int) -> None:
        """Forgets what was wanted before another ruling."""
        self._open = {key: one for key, one in self._open.items() if one.seq == seq}

    def open(self, seq: int) -> list[dict[str, Any]]:
        """Returns what waits for the other side: `{event, sides}`."""
        return [{"event": one.event, "sides": list(one.sides)} for one in self._open.values() if one.seq == seq]
