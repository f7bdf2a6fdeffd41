"""What a withdrawal decides: the others win what is open, and what counts in a table is not played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from controller.draws.entries import Entry
from controller.draws.event import Event
from controller.draws.results import is_group_round
from controller.events.doors import name_key

Left = Literal[0, 1, "off"]
"""What is left of a match: the number of the side that wins it, or that nobody plays it."""
LAST = ("F", "GF", "GF2", "third")
"""Rounds after which nobody goes on; in a consolation as `C-F`."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Who has left an event, by the `name_key` of each player. `round_robin`: whether all of it is one table."""

    of_player: Mapping[str, Entry] = field(default_factory=dict)
    round_robin: bool = False

    def leaves(self, round_name: str, sides: Sequence[Sequence[str]]) -> Left | None:
        """Returns what is left of a match that has no result, by its round and the names of its two sides; None where
        all of them are there. What is open in a table is not played: the table says what a withdrawal is worth.

        Of two who have both left the first goes on, and gives the next match too: so nobody waits for them.
        """
        out = [any(self._is_out(player, round_name) for player in side) for side in sides]
        if not any(out):
            return None
        in_table = self.round_robin or is_group_round(round_name)
        if in_table or (all(out) and round_name.removeprefix("C-") in LAST):
            return "off"
        return 1 if out == [True, False] else 0

    def _is_out(self, player: str, round_name: str) -> bool:
        entry = self.of_player.get(name_key(player))
        return entry is not None and entry.out_in(round_name)


def withdrawn(event: Event, entries: Sequence[Entry]) -> Withdrawn:
    """Returns who has left an event."""
    gone = {name_key(player): one for one in entries if one.out for player in one.players}
    return Withdrawn(gone, event.system == "round_robin")
