"""The broker as an outlet of the desk: which of its words goes out as which message. Must not know a topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.mqtt.client import TableClient
from controller.mqtt.payloads import Alert, Lying, Score
from controller.mqtt.scoreboard import has_news, is_reset
from controller.table.desk.audience import Audience
from controller.table.desk.shown import Shown


def publish_by(client: TableClient, shown: Shown) -> None:
    """Has a client publish all that a table shows: to everybody, and to its umpires."""
    shown.outlets.append(BrokerOutlet(client, shown))
    shown.umpires.append(UmpiresBrokerOutlet(client))


class UmpiresBrokerOutlet:
    """Tells the broker what only umpires may know."""

    def __init__(self, client: TableClient) -> None:
        self._client = client

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """A stroke was taken in."""
        self._client.publish_shot(event, at, for_umpire=True)

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Something was ruled."""
        self._client.publish_ruling(ruling, at, for_umpire=True)

    def alert(self, alert: Alert, standing: bool) -> None:
        """Something should be noticed by the umpires."""
        self._client.publish_alert(alert, standing=standing, for_umpire=True)

    def resolve(self, alert: str) -> None:
        """A standing alert holds no more."""
        self._client.resolve_alert(alert, for_umpire=True)


class BrokerOutlet:
    """Tells the broker what everybody may know."""

    def __init__(self, client: TableClient, shown: Shown) -> None:
        self._client, self._shown, self._everybody = client, shown, Audience(shown)
        self._told: object = None
        self._score: Score | None = None

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """A stroke was taken in."""
        self._client.publish_shot(event, at)

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Something was ruled. The last ruling of a match brings its result; what takes its end back clears it."""
        self._client.publish_ruling(ruling, at)
        self._scoreboard()
        self._rulings()
        if self._is_over():
            self._client.publish_result(self._everybody.result())
        else:
            self._client.clear_result(self._shown.match)

    def alert(self, alert: Alert, standing: bool) -> None:
        """Something should be noticed."""
        self._client.publish_alert(alert, standing=standing)

    def resolve(self, alert: str) -> None:
        """A standing alert holds no more."""
        self._client.resolve_alert(alert)

    def board(self, lying: Lying) -> None:
        """Where the pieces lie, or are moving."""
        self._client.publish_board(lying)

    def changed(self) -> None:
        """The clock changed: its seconds go out, and a scoreboard where it runs out at another time."""
        self._client.publish_clock(self._shown.clock_payload())
        # Ten times a second: a scoreboard is not built for nothing.
        if self._score is None or is_reset(self._shown.clock_ends(), self._score.clock.ends):
            self._scoreboard()

    def health(self) -> None:
        """The table's health was measured anew."""
        if self._told is None and self._is_over():
            # The match was over when the table was started: its broker may have lost the result meanwhile.
            self._client.publish_result(self._everybody.result())
        self._client.publish_health(self._shown.health_payload())
        self._scoreboard()
        self._rulings()

    def _is_over(self) -> bool:
        return bool((self._everybody.match.latest or {}).get("match_over"))

    def _scoreboard(self) -> None:
        score = self._everybody.score()
        if self._score is None or has_news(score, self._score):
            self._score = score
            self._client.publish_score(score)

    def _rulings(self) -> None:
        """The latest rulings, where one was made or a match was taken up since they went out last."""
        state = self._everybody.match.state
        if state is not self._told:
            self._told = state
            self._client.publish_history(self._everybody.rulings())
