"""The broker as an outlet of the desk: which of its words goes out as which message. Must not know a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from controller.mqtt.client import TableClient
from controller.mqtt.payloads import Alert, Lying, Score
from controller.mqtt.scoreboard import has_news, is_reset
from controller.table.desk.shown import Shown
from controller.table.public.messages import alert_is_the_umpires, ruling_for_everybody, stroke_for_everybody


class BrokerOutlet:
    """Tells the broker."""

    def __init__(self, client: TableClient, shown: Shown) -> None:
        self._client, self._shown = client, shown
        self._told: object = None
        self._score: Score | None = None

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """A stroke was taken in."""
        self._client.publish_shot(self._shown.for_everybody(stroke_for_everybody(event)), at)
        theirs = stroke_for_everybody(event) if self._shown.names.shadow else event
        self._client.publish_shot(theirs, at, for_umpire=True)

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Something was ruled; the last ruling of a match brings its result."""
        self._client.publish_ruling(self._shown.for_everybody(ruling_for_everybody(ruling)), at)
        theirs = ruling_for_everybody(ruling) if self._shown.names.shadow else ruling
        self._client.publish_ruling(theirs, at, for_umpire=True)
        self._scoreboard()
        self._rulings()
        if ruling.get("match_over"):
            self._client.publish_result(self._shown.result())

    def alert(self, alert: Alert, standing: bool) -> None:
        """Something should be noticed."""
        theirs = alert_is_the_umpires(alert)
        told = alert if theirs else replace(alert, says=self._shown.for_everybody(alert.says))
        self._client.publish_alert(told, standing=standing, for_umpire=theirs)

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
        if self._told is None and (latest := self._shown.umpire.latest) is not None and latest.get("match_over"):
            # The match was over when the table was started: its broker may have lost the result meanwhile.
            self._client.publish_result(self._shown.result())
        self._client.publish_health(self._shown.health_payload())
        self._scoreboard()
        self._rulings()

    def _scoreboard(self) -> None:
        score = self._shown.score()
        if self._score is None or has_news(score, self._score):
            self._score = score
            self._client.publish_score(score)

    def _rulings(self) -> None:
        """The latest rulings, where one was made or a match was taken up since they went out last."""
        state = self._shown.umpire.state
        if state is not self._told:
            self._told = state
            self._client.publish_history(self._shown.rulings())
