"""Several umpires' devices at one table: none acts on what another has just changed without having seen it.

Pure. A page says with each act which ruling it showed; an act that another device's act has overtaken is refused, with
a word to look again. What the sensors bring in between is no matter: a page shows it in a moment, and strokes are fixed
by their number. Must not know what an act does.
"""

from __future__ import annotations

from dataclasses import dataclass

ALWAYS = ("pause", "answer")
"""A table is stopped whatever else has happened; a question that was answered is open no more."""


@dataclass(frozen=True, slots=True)
class Acted:
    """An act that was taken. `by`: the session; `seq`: its ruling."""

    by: str
    seq: int


class Devices:
    """The latest act of each session."""

    def __init__(self) -> None:
        self._acts: dict[str, Acted] = {}

    @property
    def latest(self) -> Acted | None:
        """The latest act of all."""
        return max(self._acts.values(), key=lambda act: act.seq, default=None)

    def overtaken(self, by: str, seen: int, kind: str) -> bool:
        """Whether another device has acted since the ruling that this one had `seen`."""
        return kind not in ALWAYS and any(act.seq > seen for act in self._acts.values() if act.by != by)

    def acted(self, by: str, seq: int) -> None:
        """An act was taken. A lower number than before is a new match: nothing of the old one counts."""
        if self.latest is not None and seq < self.latest.seq:
            self._acts.clear()
        self._acts[by] = Acted(by, seq)
