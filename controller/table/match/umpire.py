"""The umpire of one table: the match's state, folded from its events, and what each event was ruled.

Pure: events in, rulings out, nothing written or published; no clock. A thin coat over `controller.rules` in the words
that the daemon needs: JSON both ways, what is still asked, what the board should look like.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from controller import rules
from controller.events.codec import event_from_json, event_to_json, kind_of, ruling_to_json
from controller.events.earlier import as_taken_now
from controller.events.errors import ConfigError, EventError
from controller.events.expectation import Expectation, ToPlace
from controller.events.match import Event, NextBoard, Shot, Start
from controller.events.ruling import Question, Refusal
from controller.mqtt import scoreboard
from controller.mqtt.scoreboard import MatchInfo
from controller.rules.book import Book

Json = dict[str, Any]

SET_UP = "the pack lies there and the striker is placed"
"""Why a board opens by itself."""


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that was ruled on: as it was taken just now, or as it stands after every correction."""

    seq: int
    event: Json
    ruling: Json

    @property
    def starts(self) -> bool:
        """Whether it begins a new match."""
        return bool(self.event["event"] == "start")


def published(ruling: Json, *, saved: bool) -> Json:
    """A ruling as it goes out: what is not in the journal is not sealed either."""
    return ruling | {"saved": saved, "sealed": saved and bool(ruling.get("sealed"))}


class Umpire:
    """One table's match. `books`: what the rules' store loads; `autonomy`: a book → what its matches start with;
    `measures`: of the board they are played on, the laws' where none are given."""

    def __init__(
        self,
        books: Mapping[str, Book],
        autonomy: Callable[[Book], Mapping[str, str]] = lambda _book: {},
        measures: Mapping[str, Any] | None = None,
    ) -> None:
        self.measures: Mapping[str, Any] = measures or {}
        self.books = books
        self._autonomy = autonomy
        self.state = rules.begin(books)
        self.latest: Json | None = None
        self._hanging: tuple[int, tuple[str, ...]] = (-1, ())

    def restore(
        self, events: Iterable[Json], ruled: Callable[[rules.Standing], object] = lambda _now: None
    ) -> tuple[str, ...]:
        """Folds a recorded match. Returns what of it was longer than is taken now and was cut; raises ConfigError for
        an event that was taken once and is refused now. `ruled`: is called after each event with what stands then.
        """
        self.state, self.latest, self._hanging = rules.begin(self.books), None, (-1, ())
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
        self.state, self.latest = state, ruling_to_json(ruling)
        return Taken(ruling.seq, event_to_json(event), self.latest)

    @property
    def seq(self) -> int:
        """The number of the latest event, 0 before a match."""
        return int(self.latest["seq"]) if self.latest else 0

    # -- what is still open

    def expectation(self) -> Expectation | None:
        """What should be seen next; None before a match."""
        return None if self.state.play is None else rules.expectation(self.state)

    def next_board(self) -> NextBoard | None:
        """What opens the next board once it is set up. None while none is due, points may still be claimed, or a
        question is open that must be answered first."""
        board = (self.latest or {}).get("board", {})
        opens = NextBoard(reason=SET_UP)
        if not board.get("over") or board.get("on_demand") or "error" in self.preview(event_to_json(opens)):
            return None
        return opens

    def to_place(self) -> tuple[ToPlace, ...]:
        """What somebody still has to put on the board."""
        expected = self.expectation()
        return expected.to_place if expected else ()

    def questions(self) -> tuple[Question, ...]:
        """What is still asked, oldest first."""
        return rules.open_questions(self.state)

    def holds_strokes(self) -> bool:
        """Whether something is still to be decided before which a stroke may be refused: it is not lost by that."""
        now = self.standing()
        return bool(self.questions() or (now is not None and now.challenges))

    def hanging(self) -> tuple[str, ...]:
        """The figures that would be others under another answer, as paths: `turn`, `score.south`."""
        if self.latest is None or self.state.play is None or not self.state.play.asks:
            return ()
        if self._hanging[0] != self.seq:
            others = rules.alternatives(self.state)
            told = None if others is None else [ruling_to_json(ruling) for ruling in others]
            self._hanging = (self.seq, scoreboard.hanging(self.latest, told))
        return self._hanging[1]

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

    def rulings(self) -> list[Json]:
        """Every ruling as it stands now, first to last."""
        return [ruling_to_json(ruling) for _event, ruling in rules.rulings(self.state)]

    def recent(self, most: int) -> list[Taken]:
        """The latest events with their rulings as they stand now, oldest first."""
        return [taken for taken, _ in itertools.islice(self._back(), most)][::-1]

    def recent_with_info(self, most: int, table: str, match: str) -> list[tuple[Taken, MatchInfo]]:
        """The same, each with what was known of the match after it: who sat where then."""
        latest = itertools.islice(self._back(), most)
        return [(taken, self._info(then, table, match)) for taken, then in latest][::-1]

    def event(self, seq: int) -> Json:
        """An event as it stands now, after every correction; empty if there is none of that number."""
        last = self.state.last
        entries = last.back() if last is not None else iter(())
        return next((event_to_json(one.event) for one in entries if one.seq == seq), {})

    def latest_stroke(self) -> Taken | None:
        """The latest stroke as it stands now, None before the first."""
        return next((taken for taken, _ in self._back(Shot)), None)

    def _back(self, kind: type = object) -> Iterator[tuple[Taken, rules.MatchState]]:
        """Yields each event as it stands now, the latest first, with the match as it was after it."""
        state = self.state
        for one in state.last.back() if state.last is not None else ():
            if isinstance(one.event, kind):
                stands = Taken(one.seq, event_to_json(one.event), ruling_to_json(rules.as_it_stands(state, one)))
                yield stands, replace(state, last=one)

    # -- what is known of the match

    def info(self, table: str, match: str) -> MatchInfo:
        """What the scoreboard needs besides the rulings."""
        return self._info(self.state, table, match)

    def _info(self, state: rules.MatchState, table: str, match: str) -> MatchInfo:
        now = rules.standing(state)
        if now is None:
            return MatchInfo(table, match, "", {})
        return MatchInfo(
            table,
            match,
            now.book,
            {side.name: dict(zip(side.seats, side.names, strict=True)) for side in now.sides},
            {side.name: side.colour for side in now.sides if side.colour is not None},
            paused=now.paused,
            trial=now.trial,
            stroke_seconds=self.stroke_seconds(),
            fixture=now.fixture,
        )

    def standing(self) -> rules.Standing | None:
        """What stands now; None before a match."""
        return rules.standing(self.state)

    def stroke_seconds(self) -> float | None:
        """The stroke clock's limit, None where the book has none."""
        book = self.book()
        limit = float(book.policy["stroke_seconds"]) if book else 0.0
        return limit or None

    def book(self) -> Book | None:
        """The book that is played by."""
        return self.state.play.book if self.state.play else None

    def officiating(self) -> str:
        """Who decides in this match: `umpire`, `players` or `referee`."""
        book = self.book()
        return str(book.policy["officiating"]) if book else "umpire"

    def pieces(self) -> tuple[str, ...]:
        """The kinds of pieces that the book plays with."""
        book = self.book()
        return tuple(kind for kind, count in book.pieces.items() if count) if book else ("white", "black", "queen")

    def clauses(self) -> Mapping[str, str]:
        """The book's clauses in words, by id."""
        book = self.book()
        return {clause.id: clause.says for clause in book.clauses.values()} if book else {}

    def reference(self) -> Json:
        """The book with every clause as it is played; without a match no book and no clause."""
        book = self.book()
        return {**(self.book_json() or {"id": None, "title": None}), "clauses": rules.reference(book) if book else []}

    def calls(self) -> Sequence[Json]:
        """The book's call list as the console wants it."""
        book = self.book()
        if book is None:
            return []
        return [
            {
                "clause": item.clause,
                "says": item.says,
                "about": "stroke" if item.about_stroke else "conduct",
                "consequence": item.then,
                "does": item.consequence,
                "time": item.about_time,
                "seat": item.consequence not in ("draw", "replay_stroke", "replay_board", "restore", "steps", "none"),
            }
            for item in rules.call_list(book)
        ]

    def waiting_to_be_placed(self) -> list[Json]:
        """What still has to be put on the board, as the pages want it."""
        return [
            {
                "piece": waiting.piece,
                "side": waiting.by,
                "why": waiting.why,
                "at": list(waiting.at_mm) if waiting.at_mm else None,
                "within": None
                if waiting.within is None
                else dict(zip(("centre", "inner_mm", "outer_mm"), waiting.within, strict=True)),
            }
            for waiting in self.to_place()
        ]

    def book_json(self) -> Json | None:
        """The book's id and title."""
        book = self.book()
        return {"id": book.id, "title": book.title} if book else None
