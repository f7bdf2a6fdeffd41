"""What stands until it is resolved: open questions, unsettled mismatches, faults. Pure.

The table says at any moment what stands; this remembers what was published and says what is new and what is gone, so
that nobody has to remember to take an alert back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from controller.mqtt.payloads import Alert


class StandingAlerts:
    """The alerts that were published and not yet taken back."""

    def __init__(self) -> None:
        self._told: dict[str, Alert] = {}

    def update(self, now: Mapping[str, Alert]) -> tuple[list[Alert], list[str]]:
        """Returns the alerts to tell (new or changed in what they say) and the ids to resolve.

        An alert's time is when it first stood: a later `t` alone is no change.
        """
        fresh: list[Alert] = []
        for name, alert in now.items():
            before = self._told.get(name)
            if before is None or replace(alert, t=before.t) != before:
                fresh.append(alert)
                self._told[name] = alert
        gone = [name for name in self._told if name not in now]
        for name in gone:
            del self._told[name]
        return fresh, gone

    def __contains__(self, name: str) -> bool:
        """Says whether an alert stands."""
        return name in self._told

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Everything that stands, oldest first."""
        return tuple(self._told.values())
