"""A stroke as a case: all that camera and beams reported around it, the events before, and what was ruled in the end.

A case is one JSON file without pictures. Played again it goes through the very packages that read it, and says whether
the ruling is right now, is asked about, is noticed, or is silently wrong. Pure; must not know where cases are kept.
"""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from calibration.board import Board
from controller import rules, shots
from controller.events.beams import BeamEdge, BeamGap, BeamHealth
from controller.events.codec import event_from_json, ruling_to_json
from controller.events.doors import CASE, json_object, one_line
from controller.events.earlier import as_taken_now
from controller.events.errors import ConfigError, EventError, PeerError
from controller.events.expectation import Expectation
from controller.events.match import Shot
from controller.events.observation import Moving, Observation
from controller.events.reading import strictly
from controller.events.ruling import Refusal, Ruling
from controller.events.wire import observation_from_line, observation_to_line
from controller.rules.book import Book
from controller.shots import outputs

Json = dict[str, Any]
Verdict = Literal["right", "asked", "noticed", "wrong", "missed"]
"""How a case was read, best first; the last two are silent errors."""
Want = Verdict | Literal["nothing"]
"""The least that is wanted of reading a case; `nothing`: that no stroke was played is to be seen."""

KEPT_NS = 20_000_000_000
"""What was reported this long before now can be part of a case: a stroke, its rest, and the placing before it."""

LONGEST_NS = 3_600_000_000_000
"""No stroke lasts so long; playing a case ticks through all of it."""

REMEMBERED = 12
"""So many strokes can still become cases: as many as keep their evidence at hand."""

TICK_NS = 100_000_000
AFTER_NS = 5_000_000_000
SAME_NS = 2_000_000_000
"""A reading is of the stroke meant if they began within this of each other."""

RULED = ("turn", "turn_kept", "queen", "queen_side", "left", "in_hand", "owed", "score", "void")
"""The parts of a ruling that are what was decided."""

_PARTS: dict[str, TypeAdapter[Any]] = {
    "expectation": TypeAdapter(Expectation),
    "edge": TypeAdapter(BeamEdge),
    "gap": TypeAdapter(BeamGap),
    "beams": TypeAdapter(BeamHealth),
}
_KINDS = {Expectation: "expectation", BeamEdge: "edge", BeamGap: "gap", BeamHealth: "beams"}
_BOARD = TypeAdapter(Board)
_WANT: TypeAdapter[Want] = TypeAdapter(Want)

Row = tuple[int, shots.Input]
"""When the shots package was given something, and what."""


class Tape:
    """The latest input of the shots package, and its input around the latest strokes."""

    def __init__(self) -> None:
        self._rows: deque[Row] = deque()
        self._before: Row | None = None
        self._cut: OrderedDict[int, tuple[Row, ...]] = OrderedDict()

    def take(self, now_ns: int, said: shots.Input) -> None:
        """One more input. Live places and ticks are no part of a case: playing it makes its own ticks."""
        if isinstance(said, Moving | shots.Tick):
            return
        self._rows.append((now_ns, said))
        while now_ns - self._rows[0][0] > KEPT_NS:
            row = self._rows.popleft()
            if isinstance(row[1], Expectation):
                self._before = row

    def cut(self, began_ns: int) -> None:
        """A stroke is read: what was lately reported with what the book expected when that begins, is its case."""
        first = () if self._before is None or not self._rows else ((self._rows[0][0], self._before[1]),)
        self._cut[began_ns] = (*first, *self._rows)
        while len(self._cut) > REMEMBERED:
            self._cut.popitem(last=False)

    def rows(self, began_ns: int | None) -> tuple[Row, ...]:
        """Returns what was reported around a stroke, nothing if it is none of the latest."""
        return self._cut.get(began_ns, ()) if began_ns is not None else ()


@dataclass(frozen=True)
class Case:
    """One stroke. `began_ns` names it; `before`: the match's events; `truth`: its ruling as a person left it;
    `shot`: what did happen, where that is known; `want`: the least that is wanted of reading it again.
    """

    began_ns: int
    start_ns: int
    board: Board
    rows: tuple[Row, ...]
    before: tuple[Json, ...]
    truth: Json | None = None
    says: str = ""
    want: Want = "noticed"
    shot: Json | None = None


@dataclass(frozen=True)
class Played:
    """A case played again. `differs`: the parts of the ruling that are not the truth's."""

    verdict: Verdict
    differs: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    ruling: Json | None = None

    def as_good_as(self, want: Want) -> bool:
        """Says whether it was read at least that well."""
        order = get_args(Verdict)
        return bool(order.index(self.verdict) <= (0 if want == "nothing" else order.index(want)))


def case_text(case: Case) -> str:
    """Writes a case: one JSON object, an input a line."""
    head = {
        "case": 1,
        "says": case.says,
        "want": case.want,
        "began_ns": case.began_ns,
        "start_ns": case.start_ns,
        "board": asdict(case.board),
        "before": list(case.before),
        "truth": case.truth,
        **({"shot": case.shot} if case.shot else {}),
    }
    rows = ",\n".join(json.dumps([now_ns, *_written(said)], separators=(",", ":")) for now_ns, said in case.rows)
    return json.dumps(head, indent=1)[:-2] + ',\n "inputs": [\n' + rows + "\n]}\n"


def case_from_text(text: str, where: str) -> Case:
    """Reads a case. Raises ConfigError that says what is wrong with `where`."""
    try:
        body = json_object(text, CASE)
        rows = tuple((int(now_ns), _read(kind, told)) for now_ns, kind, told in body["inputs"])
        board = strictly(_BOARD, body["board"])
        if rows and not 0 <= rows[-1][0] - rows[0][0] <= LONGEST_NS:
            raise ValueError("its inputs are not in order, or last longer than an hour")
        began, start = int(body["began_ns"]), int(body["start_ns"])
        says, want = str(body.get("says", "")), strictly(_WANT, body.get("want", "noticed"))
        return Case(began, start, board, rows, tuple(body["before"]), body.get("truth"), says, want, body.get("shot"))
    except (ValueError, KeyError, TypeError, ValidationError, PeerError) as error:
        raise ConfigError(
            f"{where}: is no case: {one_line(error)}. Fix: name a case.json that carrom record wrote"
        ) from error


def play(case: Case, books: Mapping[str, Book]) -> Played:
    """Plays a case again: reads the stroke, rules on it, and compares with the truth.

    Raises ConfigError if the events before cannot be ruled on.
    """
    said = tuple(_said(case))
    reads = [one.shot for one in said if isinstance(one, outputs.ShotRead) and _is_of(one, case)]
    told = tuple(one.says for one in said if isinstance(one, outputs.Mismatch) and _told_of(one, case))
    return judged(case, reads[-1] if reads else None, told, books)


def judged(case: Case, shot: Shot | None, told: tuple[str, ...], books: Mapping[str, Book]) -> Played:
    """Holds what was read of a case, if anything was, against its truth. `told`: what somebody reported as wrong.

    Raises ConfigError if the events before cannot be ruled on.
    """
    match = rules.begin(books)
    for body in case.before:
        try:
            match, ruled = rules.apply(match, event_from_json(as_taken_now(body)[0]))
        except EventError as error:
            raise ConfigError(f"the case's events before: {error}") from error
        if isinstance(ruled, Refusal):
            raise ConfigError(f"the case's events before: {ruled.event}: {ruled.error}")
    if shot is None:
        return Played("noticed" if told else "right" if case.want == "nothing" else "missed", told=told)
    _, ruling = rules.apply(match, shot)
    body = ruling_to_json(ruling)
    if case.want == "nothing":
        return Played("asked" if isinstance(ruling, Ruling) and ruling.asks else "wrong", told=told, ruling=body)
    if isinstance(ruling, Refusal):
        return Played("noticed", told=(*told, ruling.error), ruling=body)
    differs = _differing(case.truth or body, body)
    told += () if not differs else _named_unseen(match, shot, body, case)
    asked = ruling.asks and not (case.truth or {}).get("asks")
    verdict: Verdict = "asked" if asked else "right" if not differs else "noticed" if told else "wrong"
    return Played(verdict, differs, told, body)


def _named_unseen(match: rules.MatchState, read: Shot, ruling: Json, case: Case) -> tuple[str, ...]:
    """The facts that a reading named as unseen, if they are all that its ruling lacks."""
    happened = event_from_json(as_taken_now(case.shot)[0]) if case.shot else None
    if not isinstance(happened, Shot):
        return ()
    _, blind = rules.apply(match, replace(happened, unseen=read.unseen))
    return () if _differing(ruling_to_json(blind), ruling) else read.unseen


def _is_of(read: outputs.ShotRead, case: Case) -> bool:
    return case.want == "nothing" or abs(read.began_ns - case.began_ns) <= SAME_NS


def _told_of(said: outputs.Mismatch, case: Case) -> bool:
    return not said.resolved and said.t_ns >= case.began_ns - TICK_NS


def _said(case: Case) -> Iterator[outputs.Output]:
    state = shots.begin(case.board, start_ns=case.start_ns)
    now = case.rows[0][0] if case.rows else 0
    ruled = case.want == "nothing"
    held: list[Expectation] = []
    for at_ns, row in [*case.rows, *_after(case.rows)]:
        if isinstance(row, Expectation) and at_ns >= case.began_ns and not ruled:
            # What was expected once this stroke had been ruled on: it may be read later now than it was then.
            held.append(row)
            continue
        for seen in (*map(shots.Tick, range(now + TICK_NS, at_ns, TICK_NS)), row):
            state, said = shots.step(state, seen)
            yield from said
            if ruled or not any(isinstance(one, outputs.ShotRead) and _is_of(one, case) for one in said):
                continue
            ruled = True
            for expected in held:
                state, said = shots.step(state, expected)
                yield from said
        now = max(now, at_ns)


def _after(rows: Sequence[Row]) -> Iterable[Row]:
    end = rows[-1][0] + AFTER_NS if rows else 0
    return ((end, shots.Tick(end)),)


def _differing(truth: Json, ruling: Json) -> tuple[str, ...]:
    parts = [name for name in RULED if truth.get(name) != ruling.get(name)]
    return tuple(parts + (["fouls"] if _fouls(truth) != _fouls(ruling) else []))


def _fouls(ruling: Json) -> set[str]:
    return {foul["clause"] for foul in ruling.get("fouls", ()) if foul["status"] == "ruled"}


def _written(said: shots.Input) -> tuple[str, Any]:
    kind = _KINDS.get(type(said))
    if kind is not None:
        return kind, _PARTS[kind].dump_python(said, mode="json")
    assert isinstance(said, get_args(Observation))
    return "eyes", json.loads(observation_to_line(said))


def _read(kind: str, body: Any) -> shots.Input:
    if kind == "eyes":
        return observation_from_line(json.dumps(body))
    found: shots.Input = strictly(_PARTS[kind], body)
    return found
