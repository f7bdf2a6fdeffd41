"""The umpire: a match's state, and one function that takes it from event to event.

State is always the fold of the events. A refusal changes nothing but the count of events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from controller.events.codec import ruling_to_json
from controller.events.errors import EventError
from controller.events.match import Event, Start
from controller.events.ruling import Refusal, Ruling
from controller.rules.book import Book
from controller.rules.challenges import pending
from controller.rules.entry import Entry
from controller.rules.history import extend
from controller.rules.play import Play


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match as far as it has got. `last`: the latest entry; `seq`: how many events there were, refused ones too."""

    books: Mapping[str, Book]
    last: Entry | None = None
    seq: int = 0

    @property
    def play(self) -> Play | None:
        """The state of play, None before the first start."""
        return None if self.last is None else self.last.after


def begin(books: Mapping[str, Book]) -> MatchState:
    """Returns the state before the first event. `books`: what `shelf.load_books` returns."""
    return MatchState(books)


def apply(state: MatchState, event: Event) -> tuple[MatchState, Ruling | Refusal]:
    """Rules on one event. A refused event has changed nothing; it keeps its number if the caller keeps the state."""
    try:
        if isinstance(event, Start):
            now = MatchState(state.books, extend(None, 1, event, state.books), 1)
        else:
            seq = state.seq + 1
            now = MatchState(state.books, extend(state.last, seq, event, state.books), seq)
    except EventError as error:
        return refuse(state, event.event, str(error))
    assert now.last is not None
    return now, replace(now.last.ruling, sealed=sealed(now, now.seq))


def refuse(state: MatchState, event: str, error: str) -> tuple[MatchState, Refusal]:
    """Returns the refusal of an event that could not even be read, or could not apply. A refused start has no match."""
    if event == "start":
        return state, Refusal(1, event, error)
    return replace(state, seq=state.seq + 1), Refusal(state.seq + 1, event, error)


def rulings(state: MatchState) -> Iterator[tuple[Event, Ruling]]:
    """Yields every event with its ruling as it stands now, first to last."""
    entries = list(state.last.back()) if state.last is not None else []
    for entry in reversed(entries):
        yield entry.event, as_it_stands(state, entry)


def as_it_stands(state: MatchState, entry: Entry) -> Ruling:
    """Returns the ruling of an entry as it stands now: sealed or not, with the questions that are still open."""
    waiting = {one.ask for one in state.last.after.asks} if state.last is not None else set()
    asks = tuple(one for one in entry.ruling.asks if one.ask in waiting)
    return replace(entry.ruling, asks=asks, sealed=sealed(state, entry.seq))


def sealed(state: MatchState, seq: int) -> bool:
    """Says whether a ruling stands: no question is open and no challenge pending on it or on anything before it, whose
    answer or verdict would have it ruled again. What a person corrects later is a new event.
    """
    if (play := state.play) is None:
        return False
    return all(one.seq > seq for one in play.asks) and all(one.stroke > seq for one in pending(play))


@dataclass(frozen=True, slots=True)
class Difference:
    """One value of one ruling that an event would change."""

    seq: int
    field: str
    before: Any
    after: Any


def difference(state: MatchState, event: Event) -> list[Difference]:
    """Shows what an event (a correction, an answer, a void …) would change in earlier rulings and in the state now.

    The state now stands under the event's own number, compared with the latest ruling. Raises EventError if the event
    cannot apply. Nothing is changed.
    """
    if state.last is None or isinstance(event, Start):
        raise EventError("there is nothing to compare with")
    last = extend(state.last, state.seq + 1, event, state.books)
    now = {entry.seq: entry for entry in state.last.back()}
    found: list[Difference] = []
    for entry in last.back():
        old = now.get(entry.seq)
        if old is entry:
            break
        if old is None:
            found.extend(_compared(entry.seq, state.last.ruling, entry.ruling, _STATE))
        else:
            found.extend(_compared(entry.seq, old.ruling, entry.ruling, None))
    return sorted(found, key=lambda one: one.seq)


_OF_THE_TELLING = frozenset({"seq", "event", "sealed", "saved", "changed", "place_now", "take_off"})
_STATE = ("turn", "queen", "queen_side", "left", "in_hand", "owed", "board", "score", "games", "match_over", "winner")


def _compared(seq: int, before: Ruling, after: Ruling, only: tuple[str, ...] | None) -> Iterator[Difference]:
    old, new = ruling_to_json(before), ruling_to_json(after)
    for field, value in new.items():
        if field not in _OF_THE_TELLING and (only is None or field in only):
            was = old.get(field)
            if was != value:
                yield Difference(seq, field, was, value)
