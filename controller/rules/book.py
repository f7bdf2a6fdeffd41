"""What a rulebook is once it has been read: policy values and numbered clauses.

Values only. Must not know files (`shelf`), TOML (`schema`) or how a ruling comes about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from controller.events.errors import EventError
from controller.rules.wording import has_holes, holes, worded

_OUTCOME = re.compile(
    r"(RET|PEND|OWN|OPP|ON|-) (0|1|2|n|n\+1|n\+2) ((KEEP|LOSE)( - - -)?"
    r"|END [PO] (a|b|a\+QV\(so\)|b\+QV\(sp\)|L3\(s[po]\)|[0-9]) [-012])"
)
"""An outcome as the tables word it: queen after, own pieces out, turn, and for an end winner, points, on demand."""

Kind = Literal["auto", "flag", "call", "steps", "setup"]
Autonomy = Literal["off", "note", "confirm", "rule"]
Consequence = Literal[
    "none",
    "foul",
    "outcome",
    "score",
    "warn",
    "warn_then_foul",
    "deduct",
    "disqualify",
    "forfeit",
    "board_lost",
    "draw",
    "replay_stroke",
    "replay_board",
    "restore",
    "steps",
    "checklist",
]


@dataclass(frozen=True, slots=True)
class Detection:
    """A fact of the shot with the values that break a clause; `on`: the break, later strokes, or both."""

    fact: str
    values: tuple[Any, ...]
    on: Literal["any", "break", "later"] = "any"


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered clause: what it says in our words and what follows from it.

    `needs`: the facts of a shot it depends on. `about_stroke`: a call of it re-rules the stroke as fouled.
    `decided`: what this project decided where the text is silent. `also`: clauses that say the same or hang on it; they
    are cited with it. `policy`: policy keys that settle it besides those that its words hang on. `written`: the clause
    as the file has it, where its words hang on policy values.
    """

    id: str
    kind: Kind
    says: str
    consequence: Consequence = "none"
    then: str = ""
    about_stroke: bool = False
    needs: tuple[str, ...] = ()
    detects: tuple[Detection, ...] = ()
    flags: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    autonomy: Autonomy = "rule"
    decided: str = ""
    check: str = ""
    steps: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()
    written: Clause | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that the clause says to people."""
        return (self.says, self.then, self.decided, self.check, *self.steps)

    @property
    def hangs_on(self) -> frozenset[str]:
        """The policy keys that the clause itself names: in its words, or besides them."""
        written = self.written or self
        return frozenset((*self.policy, *(key for text in written.texts for key, _ in holes(text))))

    def worded(self, policy: Mapping[str, Any]) -> Clause:
        """Returns the clause in the words of a policy."""
        written = self.written or self
        if not any(map(has_holes, written.texts)):
            return self
        return replace(
            self,
            says=worded(written.says, policy),
            then=worded(written.then, policy),
            decided=worded(written.decided, policy),
            check=worded(written.check, policy),
            steps=tuple(worded(step, policy) for step in written.steps),
            written=written,
        )


@dataclass(frozen=True, slots=True)
class PolicyKey:
    """The declaration of a policy value: its type, its limits, what it means, the clauses it belongs to.

    The type `words`: a list of some of the choices, each once. `format`: it says how long a match is and who leads it,
    not how a stroke is ruled; a tournament may say that itself.
    """

    name: str
    type: Literal["int", "number", "bool", "text", "choice", "words", "outcome"]
    value: Any
    doc: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    clauses: tuple[str, ...] = ()
    format: bool = False

    def fault(self, value: Any) -> str | None:
        """Returns what is wrong with a value for this key, or None."""
        if self.type == "bool":
            return None if isinstance(value, bool) else f"{self.name} must be true or false, not {value!r}"
        if self.type in ("int", "number"):
            kinds = (int,) if self.type == "int" else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds):
                return f"{self.name} must be a {'whole ' if self.type == 'int' else ''}number, not {value!r}"
            if self.minimum is not None and value < self.minimum:
                return f"{self.name} must be at least {self.minimum:g}, not {value}"
            if self.maximum is not None and value > self.maximum:
                return f"{self.name} must be at most {self.maximum:g}, not {value}"
            return None
        if self.type == "words":
            some = isinstance(value, list) and all(value.count(one) == 1 and one in self.choices for one in value)
            return None if some else f"{self.name} must be a list of some of {', '.join(self.choices)}, not {value!r}"
        if not isinstance(value, str):
            return f"{self.name} must be a text, not {value!r}"
        if self.type == "outcome" and not _OUTCOME.fullmatch(value):
            return f"{self.name} must be an outcome such as 'RET n+1 LOSE' or '- 0 END O a+QV(so) 1', not {value!r}"
        if self.type == "choice" and value not in self.choices:
            return f"{self.name} must be one of {', '.join(self.choices)}, not {value!r}"
        return None


@dataclass(frozen=True)
class Book:
    """A rulebook. `house`: not one of the official books. `roles`: core situation → clause id.

    `prepared` is what the book's stroke resolver made of the policy (`strokes/…`: `prepare`), e.g. a table.
    """

    id: str
    title: str
    resolver: str
    pieces: Mapping[str, int]
    players: tuple[int, ...]
    teams: Literal["opposite", "named", "each"]
    rotation: Literal["right", "clockwise"]
    colours: Literal["breaker white", "first pocketed", "none"]
    hands: Literal["colour", "pocketed"]
    game: Literal["points", "board"]
    policy: Mapping[str, Any]
    keys: Mapping[str, PolicyKey]
    roles: Mapping[str, str]
    clauses: Mapping[str, Clause]
    house: bool = False
    based_on: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    prepared: Any = None

    @cached_property
    def settles(self) -> Mapping[str, tuple[str, ...]]:
        """The clauses that each policy key settles, in the book's order; empty where the book does not speak of it."""
        return {
            name: tuple(one.id for one in self.clauses.values() if name in one.hangs_on or one.id in key.clauses)
            for name, key in self.keys.items()
        }

    def settled_by(self, clause: str) -> tuple[str, ...]:
        """The policy keys that settle a clause, in the order of the declarations."""
        return tuple(key for key, clauses in self.settles.items() if clause in clauses)

    def in_its_words(self) -> Book:
        """Returns the book with every clause worded by its policy."""
        return replace(self, clauses={name: clause.worded(self.policy) for name, clause in self.clauses.items()})

    @cached_property
    def off(self) -> frozenset[str]:
        """The clauses that are switched off: they are neither cited nor do anything."""
        return frozenset(c.id for c in self.clauses.values() if c.autonomy == "off")

    @cached_property
    def detectors(self) -> tuple[tuple[Detection, Clause], ...]:
        """Every live detection with its clause, in the order of the book."""
        return tuple((d, c) for c in self.clauses.values() if c.autonomy != "off" for d in c.detects)

    @cached_property
    def by_flag(self) -> Mapping[str, tuple[Clause, ...]]:
        """The clauses that each flag of a shot raises."""
        return self._raised_by("flags")

    @cached_property
    def by_seen(self) -> Mapping[str, tuple[Clause, ...]]:
        """The clauses that each word of `seen.what` raises."""
        return self._raised_by("seen")

    def _raised_by(self, attribute: str) -> Mapping[str, tuple[Clause, ...]]:
        found: dict[str, tuple[Clause, ...]] = {}
        for clause in self.clauses.values():
            if clause.autonomy == "off":
                continue
            for word in getattr(clause, attribute):
                found[word] = (*found.get(word, ()), clause)
        return found

    def live(self, clause: str) -> bool:
        """Says whether the book has the clause and it is not switched off."""
        found = self.clauses.get(clause)
        return found is not None and found.autonomy != "off"

    def role(self, name: str) -> str | None:
        """Returns the clause that the core cites in a situation; None if the book has none or it is off."""
        clause = self.roles.get(name)
        return None if clause is None or clause in self.off else clause

    def find(self, spelled: str) -> Clause:
        """Finds a clause; a law with letters is found by its bare number and the other way round.

        Raises EventError when the book has no such clause.
        """
        found = self.clauses.get(spelled)
        if found is None and spelled[-1:].isalpha():
            found = self.clauses.get(spelled.rstrip("abcdefghijklmnopqrstuvwxyz"))
        if found is None and spelled[-1:].isdigit():
            found = next((self.clauses[f"{spelled}{x}"] for x in "abcdef" if f"{spelled}{x}" in self.clauses), None)
        if found is None:
            raise EventError(f"{self.id} has no clause {spelled}")
        return found

    def with_policy(self, changes: Mapping[str, Any]) -> Book:
        """Returns the book with policy values changed. Raises EventError for an unknown key or a wrong value."""
        for name, value in changes.items():
            key = self.keys.get(name)
            if key is None:
                raise EventError(f"policy: {self.id} has no key {name!r}; carrom books show {self.id} lists them")
            fault = key.fault(value)
            if fault:
                raise EventError(f"policy: {fault}")
        return replace(self, policy={**self.policy, **changes}, prepared=None) if changes else self

    def with_autonomy(self, changes: Mapping[str, str]) -> Book:
        """Returns the book with clauses' autonomy changed. Raises EventError for an unknown clause or word."""
        clauses = dict(self.clauses)
        for spelled, word in changes.items():
            if word not in ("off", "note", "confirm", "rule"):
                raise EventError(f"autonomy of {spelled} must be off, note, confirm or rule, not {word!r}")
            clause = self.find(spelled)
            clauses[clause.id] = replace(clause, autonomy=word)  # type: ignore[arg-type]
        return replace(self, clauses=clauses, prepared=None) if changes else self
