"""A match as its rulings have it at one moment: figures, what is open, who sits where, the book that is played by.

Pure, and read alone: the umpire's match goes on (`umpire`), what everybody may know of it can stand still meanwhile.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from controller import rules
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.expectation import Expectation, ToPlace
from controller.events.match import Shot
from controller.events.ruling import Question
from controller.mqtt import scoreboard
from controller.mqtt.scoreboard import MatchInfo
from controller.rules.book import Book

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that was ruled on: as it was taken just now, or as it stands after every correction and answer.

    `told`: a person has corrected or answered something of it since it was taken.
    """

    seq: int
    event: Json
    ruling: Json
    told: bool = False

    @property
    def starts(self) -> bool:
        """Whether it begins a new match."""
        return bool(self.event["event"] == "start")


class RuledMatch:
    """`state`: of the rules; `latest`: the latest ruling, None before a match."""

    def __init__(self, state: rules.MatchState, latest: Json | None) -> None:
        self.state = state
        self.latest = latest
        self._hanging: tuple[int, tuple[str, ...]] = (-1, ())

    @property
    def seq(self) -> int:
        """The number of the latest event, 0 before a match."""
        return int(self.latest["seq"]) if self.latest else 0

    def expectation(self) -> Expectation | None:
        """What should be seen next; None before a match."""
        return None if self.state.play is None else rules.expectation(self.state)

    def to_place(self) -> tuple[ToPlace, ...]:
        """What somebody still has to put on the board."""
        expected = self.expectation()
        return expected.to_place if expected else ()

    def waiting_to_be_placed(self) -> list[Json]:
        """What still has to be put on the board, as the pages want it."""
        return [
            {
                "piece": waiting.piece,
                "side": waiting.side,
                "by": waiting.by,
                "why": waiting.why,
                "at": list(waiting.at_mm) if waiting.at_mm else None,
                "within": None
                if waiting.within is None
                else dict(zip(("centre", "inner_mm", "outer_mm"), waiting.within, strict=True)),
            }
            for waiting in self.to_place()
        ]

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
        """An event as it stands now, after every correction and answer; empty if there is none of that number."""
        last = self.state.last
        entries = last.back() if last is not None else iter(())
        return next((event_to_json(rules.event_as_it_stands(one)) for one in entries if one.seq == seq), {})

    def latest_stroke(self) -> Taken | None:
        """The latest stroke as it stands now, None before the first."""
        return next((taken for taken, _ in self._back(Shot)), None)

    def _back(self, kind: type = object) -> Iterator[tuple[Taken, rules.MatchState]]:
        """Yields each event as it stands now, the latest first, with the match as it was after it."""
        state = self.state
        for one in state.last.back() if state.last is not None else ():
            if isinstance(one.event, kind):
                event = event_to_json(rules.event_as_it_stands(one))
                ruling = ruling_to_json(rules.as_it_stands(state, one))
                yield Taken(one.seq, event, ruling, bool(one.amends)), replace(state, last=one)

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

    def book_json(self) -> Json | None:
        """The book's id and title."""
        book = self.book()
        return {"id": book.id, "title": book.title} if book else None

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
