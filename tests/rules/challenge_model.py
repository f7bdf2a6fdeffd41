"""A second reading of challenges: which words stand and what each side has left, kept apart from the engine.

Every event is a cell. A word that stands (a correction, an upheld verdict) puts another event into a cell; what it put
there goes when the word itself is replaced. The figures come from a reference match that knows strokes and corrections
alone: each word that begins or ceases to stand is one correction there.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from controller.events.codec import event_from_json
from controller.events.ruling import Ruling
from controller.rules import MatchState, apply, begin
from tests.rules.scenes import BOOKS

Json = dict[str, Any]
NOTHING: Json = {"event": "set", "position": {}}
OTHER = {"south": "north", "north": "south"}


class RefusedError(Exception):
    """The event cannot apply."""


@dataclass
class Cell:
    """One event. `words`: (number of the word's event, what it put here), in the order in which they began to stand."""

    event: Json
    words: tuple[tuple[int, Json], ...] = ()

    @property
    def stands(self) -> Json:
        return self.words[-1][1] if self.words else self.event


@dataclass
class Model:
    """A match of two players. `at`: an event's number → that of the stroke, or of the correction, in the reference."""

    most: int
    keeps: list[str]
    reference: MatchState = field(default_factory=lambda: begin(BOOKS))
    cells: dict[int, Cell] = field(default_factory=dict)
    at: dict[int, int] = field(default_factory=dict)
    swapped: bool = False

    def take(self, seq: int, event: Json) -> bool:
        """Takes an event of the match. Returns False where it is to be refused; then nothing has changed."""
        return self._tried(lambda: self._take(seq, event))

    def _tried(self, change: Callable[[], None]) -> bool:
        cells = {seq: copy(cell) for seq, cell in self.cells.items()}
        before = self.__dict__ | {"cells": cells, "at": {**self.at}}
        try:
            change()
        except RefusedError:
            self.__dict__.update(before)
            return False
        return True

    def _take(self, seq: int, event: Json) -> None:
        kind = event["event"]
        if kind == "challenge":
            self._admit(event)
        elif kind == "verdict":
            self._decide(event)
        elif kind == "correct":
            if event["seq"] not in self.cells:
                raise RefusedError
        elif kind == "shot" and self.pending():
            raise RefusedError
        self.cells[seq] = Cell(event)
        if kind in ("start", "shot", "seats"):
            self.at[seq] = self._play(event)
            self.swapped ^= kind == "seats"
        self._begin(seq, new=True)
        self._consistent()

    # -- what stands

    def pending(self) -> list[int]:
        decided = self.results()
        return [seq for seq, cell in self.cells.items() if cell.stands["event"] == "challenge" and seq not in decided]

    def results(self) -> dict[int, str]:
        """How each challenge is decided."""
        stand = [cell.stands for cell in self.cells.values()]
        return {one["challenge"]: one["result"] for one in stand if one["event"] == "verdict"}

    def left(self) -> dict[str, int]:
        results = self.results()
        lost = [self.cells[seq].stands["side"] for seq, result in results.items() if result not in self.keeps]
        return {side: max(0, self.most - lost.count(side)) for side in ("south", "north")}

    def latest(self) -> int | None:
        """The latest stroke that counts."""
        assert self.reference.play is not None
        last = self.reference.play.last
        return None if last is None else next(seq for seq, at in self.at.items() if at == last[0])

    # -- who may

    def _admit(self, event: Json) -> None:
        event["side"] = OTHER[event["seat"]] if self.swapped else event["seat"]
        if not self.most or self.pending() or not self.left()[event["side"]] or event["stroke"] != self.latest():
            raise RefusedError

    def _decide(self, event: Json) -> None:
        if event["challenge"] not in self.pending() or ("with" in event) != (event["result"] == "upheld"):
            raise RefusedError

    def _consistent(self, until: int | None = None) -> None:
        """Each verdict that stands decides a challenge before it that stands, and no other decides it too. `until`: of
        the events before that one.
        """
        stand = {seq: cell.stands for seq, cell in self.cells.items() if until is None or seq < until}
        verdicts = {seq: one for seq, one in stand.items() if one["event"] == "verdict"}
        if len({given["challenge"] for given in verdicts.values()}) < len(verdicts):
            raise RefusedError
        for seq, given in verdicts.items():
            upheld = given["result"] == "upheld"
            if given["challenge"] > seq or ("with" in given) != upheld:
                raise RefusedError
            if stand[given["challenge"]]["event"] != "challenge":
                raise RefusedError

    # -- words

    def _begin(self, seq: int, *, new: bool) -> None:
        """The word of a cell begins to stand. `new`: it has just come; else it stands again, and a correction that can
        not any more stays without effect.
        """
        word = self.cells[seq].stands
        if word["event"] == "correct" and new:
            self._put(seq, word["seq"], word["with"])
        elif word["event"] == "correct":
            self._tried(lambda: self._put(seq, word["seq"], word["with"], until=seq))
        elif word["event"] == "verdict" and "with" in word:
            self._put(seq, self.cells[word["challenge"]].event["stroke"], word["with"])

    def _put(self, seq: int, target: int, event: Json, until: int | None = None) -> None:
        """A word puts an event into a cell."""
        cell = self.cells[target]
        of_stroke = cell.event["event"] == "shot"
        if of_stroke:
            self.at[seq] = self._play({"event": "correct", "seq": self.at[target], "with": event})
        else:
            self._cease(target)
        cell.words = (*cell.words, (seq, event))
        if not of_stroke:
            self._begin(target, new=True)
        if until is not None:
            self._consistent(until)

    def _cease(self, seq: int) -> None:
        """The word of a cell stands no more."""
        for target, cell in list(self.cells.items()):
            if all(word != seq for word, _ in cell.words):
                continue
            latest = cell.words[-1][0] == seq
            if cell.event["event"] == "shot":
                self._play({"event": "correct", "seq": self.at[seq], "with": NOTHING})
            elif latest:
                self._cease(target)
            cell.words = tuple(one for one in cell.words if one[0] != seq)
            if latest and cell.event["event"] != "shot":
                self._begin(target, new=False)

    def _play(self, event: Json) -> int:
        """Plays an event of the reference; returns its number there."""
        body = {key: value for key, value in event.items() if key != "side"}
        state, ruling = apply(self.reference, event_from_json(body))
        if not isinstance(ruling, Ruling):
            raise RefusedError
        self.reference = state
        return ruling.seq
