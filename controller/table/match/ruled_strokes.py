"""Which strokes have been ruled on, by when they began: nothing is ruled twice, and a person's word is not undone.

A vision process that was cut off reports its latest strokes again; beams that come late change a reading. What a person
has corrected, answered or taken back stays as that person entered it. Pure.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from controller.events.doors import whole_number
from controller.journal.journal import Entry
from controller.shots.outputs import Evidence, ShotRead

EYES = "eyes"
PERSON = "umpire"
_READ_FROM_EDGES = ("shot", "correct", "drop")
_ALIGNED_NS = 500_000_000
"""So far apart two alignments of the node's clock may tell the same fall, its way through the beams included."""

_REMEMBERED = 12
"""Evidence of so many strokes is kept at hand, in case one is disputed; the ring holds no more pictures than that."""


def source_of(began_ns: int) -> str:
    """The journal's word for who reported a stroke, and which."""
    return f"{EYES}@{began_ns}"


def read_until(entries: Iterable[Entry]) -> float:
    """Returns when (Unix seconds) what was felt was last read and ruled on: what is in the journal from before then is
    part of that ruling, and no stroke of its own. 0.0 if that never was."""
    return max((entry.t_unix for entry in entries if is_read_from_edges(entry.source, entry.event)), default=0.0)


def is_read_from_edges(source: str, event: Mapping[str, Any]) -> bool:
    """Says whether an event was read from what was seen and felt, so that what was felt before is part of it."""
    return source.partition("@")[0] == EYES and event.get("event") in _READ_FROM_EDGES


def same_but_for_times(one: Any, two: Any) -> bool:
    """Says whether two readings of a stroke differ in nothing but when a piece fell: no ruling hangs on that."""
    return bool(_timeless(one) == _timeless(two))


def _timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _timeless(one) for key, one in value.items() if key != "t"}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_timeless(one) for one in value]
    return value


def match_began(entries: Sequence[Entry], now_ns: int) -> int | None:
    """Returns when the match began on the table's clock, by its latest stroke: the wall's clock may have jumped since.

    None if there is no stroke to tell by, or the clock has begun anew. Good to a tenth of a second.
    """
    for entry in reversed(entries):
        word, _, stamp = entry.source.partition("@")
        began_ns = whole_number(stamp)
        if word == EYES and began_ns >= 0 and entry.event.get("t") is not None:
            return began_ns - round(float(entry.event["t"]) * 1e9) if began_ns <= now_ns else None
    return None


def fell_until(entries: Iterable[Entry], began_ns: int) -> int:
    """Returns until when falls have been ruled on, on the table's clock: a node that was not answered when the table
    died says them again, aligned anew."""
    falls = [
        float(fall["t"])
        for entry in entries
        if entry.source.partition("@")[0] == EYES and entry.event.get("event") == "shot"
        for fall in entry.event.get("pocketed") or ()
        if fall.get("t") is not None
    ]
    return began_ns + round(max(falls) * 1e9) + _ALIGNED_NS if falls else 0


class RuledStrokes:
    """The strokes of one match. `until_ns`: the latest beginning of a stroke that was ruled on."""

    def __init__(self, until_ns: int = 0) -> None:
        self.until_ns = until_ns
        self._seqs: dict[int, int] = {}
        self._by_person: set[int] = set()
        self._challenged: dict[int, int | None] = {}
        self._evidence: OrderedDict[int, Evidence] = OrderedDict()
        self._waiting: list[ShotRead] = []

    def restore(self, entries: Iterable[Entry], now_ns: int) -> None:
        """Reads them out of the journal. A beginning later than now is of a clock that has begun anew since."""
        for entry in entries:
            word, _, stamp = entry.source.partition("@")
            began_ns = whole_number(stamp)
            if word == EYES and 0 <= began_ns <= now_ns:
                if entry.event.get("event") == "shot":
                    self._seqs[began_ns] = entry.seq
                self.until_ns = max(self.until_ns, began_ns)
            elif entry.source.startswith(PERSON):
                self.said_by_person(entry.event, entry.seq)

    def passed_over(self, entries: Iterable[Entry], now_ns: int) -> None:
        """Strokes of an earlier match, reported again by the vision process, are not of this one."""
        before = RuledStrokes()
        before.restore(entries, now_ns)
        self.until_ns = max(self.until_ns, before.until_ns)

    def ruled(self, began_ns: int, seq: int, evidence: Evidence) -> None:
        """A stroke was ruled on, as event `seq`."""
        self._seqs[began_ns] = seq
        self.until_ns = max(self.until_ns, began_ns)
        self._evidence[seq] = evidence
        while len(self._evidence) > _REMEMBERED:
            self._evidence.popitem(last=False)

    def waits(self, read: ShotRead) -> None:
        """A stroke cannot be ruled on before a question is answered: it is not lost.

        What waits already and began within this one was read of beams alone: it is this stroke.
        """
        others = [one for one in self._waiting if not read.began_ns <= one.began_ns <= read.t_ns]
        self._waiting = [*others, read]

    def those_that_waited(self) -> list[ShotRead]:
        """Returns the strokes that waited, in the order they were played; they wait no more."""
        waited, self._waiting = self._waiting, []
        return waited

    def seq(self, began_ns: int) -> int | None:
        """Returns the number of the stroke that began then, None if it was not ruled on."""
        return self._seqs.get(began_ns)

    def part_of(self, read: ShotRead) -> int | None:
        """Returns the number of the stroke that was ruled on and began within this one: the same, read of less."""
        within = (began_ns for began_ns in self._seqs if read.began_ns <= began_ns <= read.t_ns)
        began_ns = min(within, default=None)
        return None if began_ns is None else self._seqs[began_ns]

    def evidence(self, seq: int) -> Evidence | None:
        """Returns a stroke's evidence if it is recent."""
        return self._evidence.get(seq)

    def latest(self) -> int | None:
        """Returns the number of the latest stroke."""
        return max(self._seqs.values(), default=None)

    def said_by_person(self, event: Mapping[str, Any], seq: int) -> int | None:
        """A person's event, taken as `seq`: returns the stroke that it is about, None if it is about none."""
        what = event.get("event")
        about: int | None = None
        if what in ("correct", "override"):
            about = _number(event.get("seq"))
        elif what == "answer":
            about = _number(str(event.get("ask")).partition(".")[0])
        elif what == "challenge":
            # From here on no late reading may change the stroke: until the verdict it stands as it was.
            about = self._challenged[seq] = _number(event.get("stroke"))
        elif what == "verdict":
            about = self._challenged.get(_number(event.get("challenge")) or 0)
        elif what == "set":
            # Whatever was played before: the position of now is what a person said.
            self._by_person.update(self._seqs.values())
            self._waiting.clear()
        elif what in ("void", "call"):
            about = self.latest()
        if about is not None and what != "call":
            self._by_person.add(about)
        return about

    def is_a_persons(self, seq: int) -> bool:
        """Says whether a person has put this stroke right, so that no late reading may change it."""
        return seq in self._by_person


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
