"""Who acts as umpire at the demo's table, as its journal has it: a person, or only the simulated umpire.

Whichever way an act came (the console, a call over MQTT, a side's device), the journal names it. Must not know what
the act was.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from controller.journal.journal import Journal
from controller.table.match.ruled_strokes import PERSON


class Persons:
    """`journal`: the table's. What was read once is not read again."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._read, self._acted = 0, False

    def acted(self, simulated: Set[str]) -> bool:
        """Whether a person has ever acted. `simulated`: the sessions of the simulated umpire, by their ids.

        Raises CarromError where the journal cannot be read.
        """
        if not self._acted:
            with Journal(self._journal, read_only=True) as journal:
                new = journal.sources(self._read)
            known = {f"{PERSON}:web:{session}" for session in simulated}
            self._acted = any(source.startswith(f"{PERSON}:") and source not in known for _, source in new)
            self._read = max((place for place, _ in new), default=self._read)
        return self._acted
