"""One event of a match with its ruling, and the chain of them.

The chain is persistent: each entry points to the one before it, and appending costs the same however long the match
is. Corrections never change an entry; they make a new chain from the changed one on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from controller.events.match import Event
from controller.events.ruling import Ruling
from controller.events.words import Seat
from controller.rules.play import Play


@dataclass(frozen=True, slots=True)
class Amend:
    """What a later event says about this one. `source`: the seq of that later event.

    `confirm`, `waive`: a clause; `foul`: a clause confirmed as a foul whatever its own consequence is; `answer`: (path,
    value); `counts`, `stays`: what was put back as out of turn counts, or stays void; `void`: it does not count;
    `override`: parts of the ruling; `was`: (event, done) that stood here before a correction.
    """

    source: int
    kind: Literal["confirm", "foul", "waive", "answer", "counts", "stays", "void", "override", "was"]
    value: Any = None


@dataclass(frozen=True, slots=True)
class Played:
    """How an event came about at the table: fixed by its first ruling, whatever is ruled on again later.

    `turn`: the player whose turn it was then, None if nobody's: a stroke of that player counts as on turn for ever.
    `put_back`: it was out of turn: the pieces were put back, and it stays void unless it is itself corrected.
    """

    turn: Seat | None
    put_back: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One event as it was ruled on. `done`: it acts on earlier entries, and what it did is kept there as amends.

    `numbers`: question ids by what they ask, so that an id never changes its meaning.
    """

    seq: int
    event: Event
    before: Play | None
    after: Play
    ruling: Ruling
    previous: Entry | None
    amends: tuple[Amend, ...] = ()
    done: bool = False
    numbers: tuple[tuple[str, int | str], ...] = ()
    played: Played = Played(None)

    def back(self) -> Iterator[Entry]:
        """Walks from this entry to the first."""
        entry: Entry | None = self
        while entry is not None:
            yield entry
            entry = entry.previous

    @property
    def voided(self) -> bool:
        """Says whether a later event took this one back."""
        return any(amend.kind == "void" for amend in self.amends)


@dataclass(frozen=True, slots=True)
class Raw:
    """An entry taken out of its chain, to be ruled on again."""

    seq: int
    event: Event
    amends: tuple[Amend, ...]
    done: bool
    numbers: tuple[tuple[str, int | str], ...]
    played: Played
    ruling: Ruling
    """As it was ruled before."""
    anew: bool = False
    """It stands here again after a correction of it was itself corrected, and acts as a new event."""


def raw(entry: Entry) -> Raw:
    """Takes an entry out of its chain."""
    return Raw(entry.seq, entry.event, entry.amends, entry.done, entry.numbers, entry.played, entry.ruling)


def with_reason(ruling: Ruling, event: Event) -> Ruling:
    """Returns the ruling on an event with the reason that was given for it among its notes."""
    if not event.reason or event.reason in ruling.notes:
        return ruling
    return replace(ruling, notes=(*ruling.notes, event.reason))
