"""The umpire of one table: the match's state, folded from its events, and what each event was ruled.

Pure: events in, rulings out, nothing written or published; no clock. A thin coat over `controller.rules` in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from controller import rules
from controller.events.codec import event_from_json, event_to_json, kind_of, ruling_to_json
from controller.events.earlier import as_taken_now
from controller.events.errors import ConfigError, EventError
from controller.events.match import Event, NextBoard, Start
from controller.events.ruling import Refusal
from controller.rules.book import Book
from controller.table.match.ruled_match import Json, RuledMatch, Taken

SET_UP = "the pack lies there and the striker is placed"
"""Why a board opens by itself."""


def published(ruling: Json, *, saved: bool) -> Json:
    """A ruling as it goes out: what is not in the journal is not sealed either."""
    return ruling | {"saved": saved, "sealed": saved and bool(ruling.get("sealed"))}


class Umpire(RuledMatch):
    """One table's match as it stands now. `books`: what the rules' store loads; `autonomy`: a book → what its matches
    start with; `measures`: of the board they are played on, the laws' where none are given."""

    def __init__(
        self,
        books: Mapping[str, Book],
        autonomy: Callable[[Book], Mapping[str, str]] = lambda _book: {},
        measures: Mapping[str, Any] | None = None,
    ) -> None:
        self.measures: Mapping[str, Any] = measures or {}
        self.books = books
        self._autonomy = autonomy
        super().__init__(rules.begin(books), None)
        self._challenged: RuledMatch | None = None

    @property
    def public(self) -> RuledMatch:
        """The match as everybody may know it: while a challenge waits for its verdict, as it stood when that was made.

        Whatever the umpire enters meanwhile may be part of the verdict, and is public with it.
        """
        return self._challenged or self

    def restore(
        self, events: Iterable[Json], ruled: Callable[[rules.Standing], object] = lambda _now: None
    ) -> tuple[str, ...]:
        """Folds a recorded match. Returns what of it was longer than is taken now and was cut; raises ConfigError for
        an event that was taken once and is refused now. `ruled`: is called after each event with what stands then.
        """
        self._now(rules.begin(self.books), None)
        cut: list[str] = []
        for body in events:
            event, less = as_taken_now(body)
            said = self.take(event)
            cut.extend(f"event {self.seq}: {what}" for what in less)
            if not isinstance(said, Taken):
                raise ConfigError(f"cannot be ruled again: event {said.seq} ({said.event}): {said.error}")
            if (now := self.standing()) is not None:
                ruled(now)
        return tuple(cut)

    def take_again(self, body: Json) -> Taken | Refusal:
        """Rules on an event of a journal, which may be of a version that took what is refused now."""
        return self.take(as_taken_now(body)[0])

    def take(self, what: Event | Json) -> Taken | Refusal:
        """Rules on an event. Returns what was taken; after a refusal nothing has changed.

        What is ruled on is what can be read back from the journal: events of our own go through their JSON too.
        """
        body = what if isinstance(what, dict) else event_to_json(what)
        book = self.books.get(str(body.get("book"))) if body.get("event") == "start" else None
        if book is not None and "autonomy" not in body and (wishes := dict(self._autonomy(book))):
            # Written into the event, so that a later change of the configuration does not change this match.
            body = {**body, "autonomy": wishes}
        if book is not None and self.measures and "board" not in body:
            body = {**body, "board": dict(self.measures)}
        try:
            event = event_from_json(body)
        except EventError as error:
            return Refusal(self.seq, kind_of(body), str(error))
        state, ruling = rules.apply(self.state, event)
        if isinstance(ruling, Refusal):
            return ruling
        body = ruling_to_json(ruling)
        self._now(state, body)
        return Taken(ruling.seq, event_to_json(event), body)

    def _now(self, state: rules.MatchState, latest: Json | None) -> None:
        self.state, self.latest = state, latest
        if not rules.challenged(state):
            self._challenged = None
        elif self._challenged is None:
            self._challenged = RuledMatch(state, latest)

    def next_board(self) -> NextBoard | None:
        """What opens the next board once it is set up. None while none is due, points may still be claimed, or a
        question is open that must be answered first."""
        board = (self.latest or {}).get("board", {})
        opens = NextBoard(reason=SET_UP)
        if not board.get("over") or board.get("on_demand") or "error" in self.preview(event_to_json(opens)):
            return None
        return opens

    def preview(self, body: Json) -> Json:
        """What an event would change, without taking it: `{ruling, differences}`; `{error}` if it cannot apply."""
        try:
            event = event_from_json(body)
            # A new match has nothing in common with the one before that could differ.
            found = () if isinstance(event, Start) else rules.difference(self.state, event)
        except EventError as error:
            return {"error": str(error)}
        _, ruling = rules.apply(self.state, event)
        if isinstance(ruling, Refusal):
            return {"error": ruling.error}
        differences = [{"seq": one.seq, "figure": one.field, "was": one.before, "now": one.after} for one in found]
        return {"ruling": ruling_to_json(ruling), "differences": differences}
