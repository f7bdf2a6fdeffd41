"""What a secretary has put right in a season: two names are one player, a match counts for nothing. Pure.

What a table published stays as it was and may come again; amendments are laid over it when it is read, so that each can
be taken back. Must not know the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from controller.events.doors import name_key
from controller.events.errors import EventError
from controller.hub.said import ResultSaid
from controller.hub.season import Kept

Kind = Literal["player", "match"]


@dataclass(frozen=True, slots=True)
class Amendment:
    """One thing put right. Of a `player`: `subject` is a name, `says` the one that stands for it; of a `match`:
    `subject` its id, `table` where it was played, `says` why it does not count."""

    kind: Kind
    subject: str
    table: str
    says: str


@dataclass(frozen=True, slots=True)
class Amendments:
    """All that holds. `players`: a merged name's key → the name that stands for it; `struck`: (table, match) → why."""

    players: dict[str, str] = field(default_factory=dict)
    struck: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, kept: Iterable[Amendment]) -> Amendments:
        """Reads those that are kept, the latest last."""
        found = cls()
        for one in kept:
            if one.kind == "player":
                found.players[name_key(one.subject)] = one.says
            else:
                found.struck[one.table, one.subject] = one.says
        return found

    def over(self, kept: Kept) -> Kept:
        """A match as it counts now."""
        struck = self.struck.get((kept.table, kept.result.match), "")
        before = tuple(map(self._renamed, kept.replaced))
        return replace(kept, result=self._renamed(kept.result), replaced=before, struck=struck)

    def player(self, name: str) -> str:
        """Who stands for a name: itself where it was not merged."""
        return self.players.get(name_key(name), name)

    def names_of(self, key: str) -> set[str]:
        """The keys of all names that are one player, `key` among them."""
        return {key, *(merged for merged, name in self.players.items() if name_key(name) == key)}

    def merging(self, name: str, into: str) -> list[Amendment]:
        """What is to be kept so that one name stands for another. Raises EventError where both are one already."""
        player, key = self.player(into), name_key(name)
        if name_key(self.player(name)) == name_key(player):
            raise EventError(f"{name} and {into} are one player already. Fix: carrom season split NAME parts them")
        # Who was merged into it goes with it: nothing has to be followed twice.
        merged = [one for one in self.players if one in self.names_of(key) - {key}]
        return [Amendment("player", one, "", player) for one in (*merged, name)]

    def _renamed(self, result: ResultSaid) -> ResultSaid:
        keys = {name_key(name) for side in result.sides for name in side.players}
        if not keys & self.players.keys():
            return result
        sides = tuple(
            side.model_copy(update={"players": tuple(map(self.player, side.players))}) for side in result.sides
        )
        return result.model_copy(update={"sides": sides})
