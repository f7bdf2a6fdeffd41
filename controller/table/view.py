"""The table as the pages see it: `TableView` of `controller.web`, answered from the desk.

Called from the web server's threads; events go to the desk's inbox and are answered when they have been ruled. Must
not know what a page looks like.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from controller.mqtt.payloads import Alert, Lying, plain
from controller.mqtt.scoreboard import MatchInfo, in_words
from controller.table.desk import Desk, Request
from controller.table.questions import mismatch_question
from controller.web.feed import Feed
from controller.web.view import Json, Snapshot

ACT_SECONDS = 10.0
HISTORY = 30


class DeskView:
    """One desk, as the pages see it. `pin`: None where nobody may log in."""

    def __init__(self, desk: Desk, loop: asyncio.AbstractEventLoop, pin: Callable[[], str | None]) -> None:
        self._desk = desk
        self._loop = loop
        self._pin = pin
        self.feed = Feed()

    # -- what pages read

    def snapshot(self) -> Snapshot:
        """Everything a page shows, now."""
        desk = self._desk
        umpire = desk.umpire
        history = list(desk.history)
        shot = next(((event, ruling) for _t, event, ruling in reversed(history) if event["event"] == "shot"), None)
        return Snapshot(
            score=plain(desk.score()),
            board=plain(desk.lying) if desk.lying else None,
            ruling=umpire.latest,
            asks=self._asks(),
            flags=self._flags(),
            history=[_short(t, ruling, desk.info()) for t, _event, ruling in history[-HISTORY:]],
            shot={**shot[0], "seq": shot[1]["seq"]} if shot else None,
            tracks=desk.tracks,
            to_place=umpire.waiting_to_be_placed(),
            alerts=[plain(alert) for alert in desk.standing.alerts],
            health=plain(desk.health_payload()),
            book=umpire.book_json(),
        )

    def _asks(self) -> list[Json]:
        asked: list[Json] = [
            {
                "ask": question.ask.ask,
                "question": question.ask.question,
                "choices": list(question.ask.choices),
                "seq": question.seq,
                "seat": question.seat,
                **self._pictures(question.seq),
            }
            for question in self._desk.umpire.questions()
            if question.clause is None
        ]
        mismatches = list(self._desk.mismatches.items())
        return asked + [mismatch_question(name, held) for name, held in mismatches if held.choices]

    def _flags(self) -> list[Json]:
        return [
            {
                "ask": question.ask.ask,
                "seq": question.seq,
                "clause": question.clause,
                "says": question.ask.question,
                "seat": question.seat,
                **self._pictures(question.seq),
            }
            for question in self._desk.umpire.questions()
            if question.clause is not None
        ]

    def _pictures(self, seq: int) -> dict[str, Any]:
        kept = self._desk.shelf.get(f"{self._desk.match}-{seq}")
        if kept is None or not kept.pictures:
            return {"picture": None}
        numbers = list(kept.pictures)
        placed = kept.facts.get("placed")
        return {"picture": placed if placed in kept.pictures else numbers[-1], "clip": [numbers[0], numbers[-1]]}

    def picture(self, number: int) -> bytes | None:
        """A JPEG by its number, None if it is gone."""
        return self._desk.shelf.picture(number)

    def clauses(self) -> Mapping[str, str]:
        """The book's clauses in words, by id."""
        return self._desk.umpire.clauses()

    def calls(self) -> Sequence[Json]:
        """The book's calls."""
        return self._desk.umpire.calls()

    # -- what the umpire does

    def act(self, event: dict[str, Any], by: str) -> Json:
        """An umpire's event. Returns the ruling or `{seq, event, error}`."""

        async def asked() -> Json:
            answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
            self._desk.inbox.put_nowait(Request(event, by, answer))
            return await answer

        try:
            return asyncio.run_coroutine_threadsafe(asked(), self._loop).result(ACT_SECONDS)
        except TimeoutError:
            return {
                "seq": None,
                "event": event.get("event"),
                "error": "the table did not answer in time; look before repeating",
            }

    def preview(self, event: dict[str, Any]) -> Json:
        """What an event would change, nothing being done."""
        return self._desk.umpire.preview(event)

    def pin_ok(self, pin: str) -> bool:
        """Whether this is the umpire's PIN."""
        wanted = self._pin()
        return wanted is not None and hmac.compare_digest(pin.encode(), wanted.encode())

    # -- an outlet of the desk

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """A stroke was taken in."""
        self.feed.push("state")

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Something was ruled."""
        self.feed.push("state")

    def alert(self, alert: Alert, standing: bool) -> None:
        """Something should be noticed."""
        self.feed.push("state")

    def resolve(self, alert: str) -> None:
        """A standing alert holds no more."""
        self.feed.push("state")

    def board(self, lying: Lying) -> None:
        """Where the pieces lie, or are moving."""
        self.feed.push("board", plain(lying))

    def health(self) -> None:
        """The table's health was measured anew."""
        self.feed.push("state")

    def changed(self) -> None:
        """Score or clock changed."""
        self.feed.push("clock", plain(self._desk.score().clock))


def _short(t: float, ruling: Json, info: MatchInfo) -> Json:
    return {
        "seq": ruling.get("seq"),
        "t": t,
        "event": ruling.get("event"),
        "seat": ruling.get("seat"),
        "says": in_words(ruling, info),
        "fouls": [foul["clause"] for foul in ruling.get("fouls", ()) if foul["status"] == "ruled"],
        "provisional": bool(ruling.get("provisional")),
        "void": bool(ruling.get("void")),
    }
