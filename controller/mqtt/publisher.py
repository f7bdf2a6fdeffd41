"""What a table publishes: each payload to its topic, retained or not, for everybody or for the umpire alone.

Into the outbox; how that reaches a broker is the client's. Must not know how a ruling comes about.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from controller.mqtt import discovery, payloads, scoreboard
from controller.mqtt.outbox import Outbox
from controller.mqtt.payloads import Alert, Clock, Health, History, Lying, Result, Score, stamped
from controller.mqtt.topics import Topics

RESULT_KEPT_S = 24 * 3600.0


class Publisher:
    """Publishes one table. `wake`: called when the outbox has something; `name`: what people call the table."""

    def __init__(
        self,
        table: str,
        wake: Callable[[], None],
        *,
        name: str = "",
        announce: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.topics = Topics(table)
        self._name = name or table
        self._announce = announce
        self._now = now
        self._results: dict[str, float] = {}
        self._outbox = Outbox(wake)
        if announce:
            self._outbox.adopt(self.topics.discovery, payloads.to_json(discovery.device(self.topics, self._name)))

    def publish_score(self, board: Score) -> None:
        """Publishes the scoreboard, as JSON and as bare numbers and words."""
        self._outbox.retain(self.topics.score, payloads.to_json(board))
        for last, word in scoreboard.flat(board).items():
            self._outbox.retain(self.topics.flat(last), word.encode(), only_if_new=True)
        sides = [side.name for side in board.sides]
        for gone in discovery.SEATS:
            if gone not in sides:
                self._outbox.retain(self.topics.flat(gone), b"", only_if_new=True)
        if self._announce and sides:
            body = payloads.to_json(discovery.device(self.topics, self._name, sides))
            self._outbox.retain(self.topics.discovery, body, only_if_new=True)

    def publish_clock(self, clock: Clock) -> None:
        """Publishes the stroke clock's seconds for displays; the scoreboard is left as it is."""
        self._outbox.retain(self.topics.flat("clock"), scoreboard.flat_clock(clock).encode(), only_if_new=True)

    def publish_board(self, lying: Lying) -> None:
        """Publishes where the pieces lie."""
        self._outbox.retain(self.topics.board, payloads.to_json(lying))

    def publish_shot(self, event: Mapping[str, Any], at: float, *, for_umpire: bool = False) -> None:
        """Publishes a stroke's event."""
        self._outbox.send(self._to(self.topics.shot, for_umpire), payloads.to_json(stamped(event, at)))

    def publish_ruling(self, ruling: Mapping[str, Any], at: float, *, for_umpire: bool = False) -> None:
        """Publishes a ruling."""
        self._outbox.send(self._to(self.topics.ruling, for_umpire), payloads.to_json(stamped(ruling, at)))

    def publish_history(self, history: History) -> None:
        """Publishes the latest rulings in short."""
        self._outbox.retain(self.topics.history, payloads.to_json(history))

    def publish_alert(self, alert: Alert, *, standing: bool = False, for_umpire: bool = False) -> None:
        """Publishes an alert; a standing one is also kept at `alert/<id>` until it is resolved."""
        body = payloads.to_json(alert)
        if standing:
            self._outbox.retain(self._to(self.topics.standing(alert.id), for_umpire), body)
        self._outbox.send(self._to(self.topics.alert, for_umpire), body)

    def resolve_alert(self, alert: str, *, for_umpire: bool = False) -> None:
        """Takes a standing alert away; nothing happens if there is none."""
        self._outbox.clear(self._to(self.topics.standing(alert), for_umpire))

    def _to(self, topic: str, for_umpire: bool) -> str:
        return self.topics.for_umpire(topic) if for_umpire else topic

    def publish_result(self, result: Result) -> None:
        """Publishes how a match ended; it is cleared a day after its end."""
        topic = self.topics.result(result.match)
        self._results[topic] = result.end
        self._outbox.retain(topic, payloads.to_json(result))

    def clear_result(self, match: str) -> None:
        """Takes a match's result away: the match is played on. Nothing happens if there is none."""
        topic = self.topics.result(match)
        if self._results.pop(topic, None) is not None:
            self._outbox.clear(topic)

    def publish_health(self, health: Health) -> None:
        """Publishes how well the table sees and feels."""
        self._outbox.retain(self.topics.health, payloads.to_json(health))

    def housekeeping(self) -> None:
        """Clears results that are older than a day. Done by itself now and then."""
        for topic, end in list(self._results.items()):
            if self._now() - end > RESULT_KEPT_S:
                self._results.pop(topic, None)
                self._outbox.clear(topic)
