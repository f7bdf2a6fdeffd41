"""Which days the wall's clock has shown: nothing is deleted on the word of a clock that has only just jumped.

A table that begins with its clock a year ahead would otherwise throw away all that is kept for days.
"""

from __future__ import annotations

import logging
from pathlib import Path

from pydantic import TypeAdapter

from controller.events.doors import RECORD, json_object, json_text
from controller.events.reading import Number, strictly

log = logging.getLogger(__name__)

DAY_S = 86_400.0
MOST = 3
_DAYS: TypeAdapter[list[float]] = TypeAdapter(list[Number])


class SeenDays:
    """The days that a table has seen, in its state folder."""

    def __init__(self, state: Path) -> None:
        self._file = state / "days-seen.json"

    def sure(self, now_unix: float) -> float:
        """Returns a time that has passed beyond doubt, Unix seconds: the latest one noted on an earlier day; 0
        where there is none. What is deleted is counted from it. To be asked at each start and every hour: it notes
        the time that it is given."""
        seen = [t for t in self._read() if t <= now_unix]
        if not seen or now_unix - seen[-1] >= DAY_S:
            self._write([*seen, now_unix][-MOST:])
        return max((t for t in seen if t <= now_unix - DAY_S), default=0.0)

    def _read(self) -> list[float]:
        try:
            return strictly(_DAYS, json_object(self._file.read_bytes(), RECORD)["seen"])
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError) as error:
            log.warning("%s: %s: nothing is deleted for a day", self._file, error)
            return []

    def _write(self, seen: list[float]) -> None:
        fresh = self._file.with_name(f"{self._file.name}.new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json_text({"seen": seen}), encoding="utf-8")
            fresh.replace(self._file)
        except OSError as error:
            log.warning("%s: cannot be written (%s)", self._file, error.strerror)
