"""The demo's count: the umpire's strokes held against the truth's. Pure; JSON values in, a summary out.

A *silent error* is a ruling that differs from the truth's, with no question open on it and not noticed by the next
rest. A *false foul* is ruled, but not in the truth. A ruling is *unwatched* where it differs only because of facts that
by the umpire's word nobody watches: a webcam calls no lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.events.facts import Described
from controller.events.match import FACTS

Json = Mapping[str, Any]

RULED = (
    "turn", "turn_kept", "queen", "queen_side", "left", "in_hand", "owed", "score", "games",
    "void", "game_over", "match_over", "winner",
)  # fmt: skip
"""The parts of a ruling that are what was decided (the rest is how it was published)."""


@dataclass(frozen=True)
class Stroke:
    """One stroke, judged. `wrong` names facts of the shot, `ruled` parts of the ruling that differ."""

    number: int
    wrong: tuple[str, ...]
    ruled: tuple[str, ...]
    asked: bool
    noticed: bool
    false_fouls: tuple[str, ...]
    missed: bool = False
    unwatched: bool = False

    @property
    def silent(self) -> bool:
        """Whether a wrong ruling went by unasked and unnoticed, and not for facts that were declared unseen."""
        return bool(self.ruled or self.missed) and not (self.asked or self.noticed or self.unwatched)


@dataclass
class Tally:
    """The running count. `phantoms`: strokes that were ruled on and never played, each by the stroke before it.
    `umpired`: strokes played since a person umpires, None while nobody does; none of them is held against the truth.
    """

    strokes: list[Stroke] = field(default_factory=list)
    phantoms: list[Stroke] = field(default_factory=list)
    questions: int = 0
    answers: int = 0
    corrections: int = 0
    set_to_truth: int = 0
    umpired: int | None = None

    @property
    def played(self) -> int:
        """All strokes played, whoever umpired."""
        return len(self.strokes) + (self.umpired or 0)

    @property
    def agreeing(self) -> int:
        """Strokes whose shot event is right in every fact that matters."""
        return sum(not stroke.wrong and not stroke.missed for stroke in self.strokes)

    @property
    def silent(self) -> int:
        """Silent errors."""
        return sum(stroke.silent for stroke in (*self.strokes, *self.phantoms))

    @property
    def false_fouls(self) -> int:
        """False fouls, questions answered or not."""
        return sum(len(stroke.false_fouls) for stroke in (*self.strokes, *self.phantoms))


def judge(
    number: int,
    truth: Json,
    truth_ruling: Json,
    seen: Json | None,
    ruling: Json | None,
    *,
    noticed: bool,
    watched: Json | None = None,
) -> Stroke:
    """Holds one stroke against the truth. `seen` and `ruling` are None where the umpire missed the stroke.

    `watched`: the ruling on the truth without what by the umpire's word nobody watched, where there is any.
    """
    if seen is None or ruling is None:
        return Stroke(number, ("missed",), (), asked=False, noticed=noticed, false_fouls=(), missed=True)
    true_fouls = {foul["clause"] for foul in truth_ruling.get("fouls", ()) if foul["status"] == "ruled"}
    ruled_fouls = {foul["clause"] for foul in ruling.get("fouls", ()) if foul["status"] == "ruled"}
    ruled = differing(truth_ruling, ruling)
    return Stroke(
        number,
        wrong=wrong_facts(truth, seen),
        ruled=ruled,
        asked=bool(ruling.get("asks")) or bool(ruling.get("provisional")),
        noticed=noticed,
        false_fouls=tuple(sorted(ruled_fouls - true_fouls)),
        unwatched=bool(ruled) and watched is not None and not differing(watched, ruling),
    )


def phantom(after: int, ruling: Json, *, noticed: bool) -> Stroke:
    """A stroke that was ruled on and never played, `after` the stroke of that number."""
    asked = bool(ruling.get("asks")) or bool(ruling.get("provisional"))
    fouls = tuple(sorted(_ruled_fouls(ruling)))
    return Stroke(after, ("never played",), ("shot",), asked=asked, noticed=noticed, false_fouls=fouls)


def wrong_facts(truth: Json, seen: Json) -> tuple[str, ...]:
    """Names the facts of a shot that matter and differ. What the umpire declared unseen is not wrong."""
    unseen = set(seen.get("unseen", ()))
    facts = {name: (what(truth), what(seen)) for name, what in _FACTS.items()}
    return tuple(name for name, (true, said) in facts.items() if true != said and name.split(".")[0] not in unseen)


def _as_told(one: Described) -> Callable[[Json], Any]:
    whole, part = one.split

    def what(shot: Json) -> Any:
        return (shot.get(whole) or {}).get(part, one.in_order) if part else shot.get(whole, one.in_order)

    return what


_FACTS: dict[str, Callable[[Json], Any]] = {
    **{path: _as_told(one) for path, one in FACTS.items() if one.values},
    "pocketed": lambda shot: Counter((fell["piece"], fell.get("pocket")) for fell in shot.get("pocketed", ())),
    "off_board": lambda shot: Counter(shot.get("off_board", ())),
    "contacts": lambda shot: (
        any(met["with"] != "cushion" for met in shot["contacts"]) if shot.get("contacts") is not None else True
    ),
}


def differing(truth: Json, ruling: Json) -> tuple[str, ...]:
    """Names the parts in which two rulings decide differently."""
    parts = [name for name in RULED if truth.get(name) != ruling.get(name)]
    if _ruled_fouls(truth) != _ruled_fouls(ruling):
        parts.append("fouls")
    for name, key in (("returned", ("piece", "side")), ("dues", ("side", "pieces", "owed"))):
        if _bag(truth.get(name, ()), key) != _bag(ruling.get(name, ()), key):
            parts.append(name)
    board, board_ruled = truth.get("board", {}), ruling.get("board", {})
    parts += [
        f"board.{name}" for name in ("number", "over", "winner", "points") if board.get(name) != board_ruled.get(name)
    ]
    return tuple(parts)


def _ruled_fouls(ruling: Json) -> set[str]:
    return {foul["clause"] for foul in ruling.get("fouls", ()) if foul["status"] == "ruled"}


def _bag(rows: Any, keys: tuple[str, ...]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.get(key) for key in keys) for row in rows)
