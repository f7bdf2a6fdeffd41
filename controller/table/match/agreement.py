"""How often table and umpire agreed: what the table raised by itself, held against what stood in the end.

Pure. What the umpire left as the table ruled it, or confirmed, or called as well, is agreed. Must not know where the
events come from, nor where clips lie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

Json = Mapping[str, Any]

SURE = 0.95
"""A clause is proposed for ruling unasked when this share of what the table raised was right, at the worst end of the
interval: of a hundred fouls at most five would be an injustice that nobody asked for."""

_Z = 1.959964
"""Two-sided 95 % of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """One stroke of the machine's. `raised`: clauses the table raised, however quietly; `ruled`: those that stand now
    as broken; `open`: those still asked; `corrected`: a person has corrected the stroke itself."""

    match: str
    seq: int
    raised: frozenset[str]
    ruled: frozenset[str]
    open: frozenset[str] = frozenset()
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """One stroke about which table and umpire differ. `who`: which of them alone holds it; `clause`: None where it is
    about the stroke itself."""

    match: str
    seq: int
    clause: str | None
    who: Literal["table", "umpire"]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with the 95 % interval (Wilson's)."""

    of: int
    agreed: int

    @property
    def interval(self) -> tuple[float, float]:
        """Returns the interval, 0 to 1; all of it where nothing was counted."""
        if not self.of:
            return 0.0, 1.0
        share, n = self.agreed / self.of, self.of
        middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `raised`: of what the table raised, what the umpire agreed with; `missed`: what he called alone."""

    clause: str
    raised: Share
    missed: int

    @property
    def sure(self) -> bool:
        """Whether the table may rule on it unasked."""
        return self.raised.interval[0] >= SURE


@dataclass(frozen=True, slots=True)
class Agreement:
    """All strokes, each clause, and every difference in order."""

    strokes: Share
    clauses: tuple[Clause, ...]
    differences: tuple[Difference, ...]


def agreement(strokes: Iterable[Stroke], watched: Collection[str]) -> Agreement:
    """Counts. `watched`: the clauses that the table watches: what an umpire calls by others is not held against it."""
    raised: dict[str, list[bool]] = defaultdict(list)
    missed: dict[str, int] = defaultdict(int)
    found: list[Difference] = []
    count = right = 0
    for stroke in strokes:
        count, right = count + 1, right + (not stroke.corrected)
        if stroke.corrected:
            found.append(Difference(stroke.match, stroke.seq, None, "umpire"))
        for clause in sorted(stroke.raised - stroke.open):
            agreed = clause in stroke.ruled
            raised[clause].append(agreed)
            if not agreed:
                found.append(Difference(stroke.match, stroke.seq, clause, "table"))
        for clause in sorted((stroke.ruled - stroke.raised) & set(watched)):
            missed[clause] += 1
            found.append(Difference(stroke.match, stroke.seq, clause, "umpire"))
    clauses = tuple(
        Clause(clause, Share(len(raised[clause]), sum(raised[clause])), missed[clause])
        for clause in sorted({*raised, *missed})
    )
    return Agreement(Share(count, right), clauses, tuple(found))


def raised_by(ruling: Json, silent: Collection[str]) -> frozenset[str]:
    """Returns the clauses that a ruling raises: as fouls, to be confirmed, or only noted. `silent`: clauses that cost
    nothing, which are noted whenever they apply."""
    fouls = {str(foul["clause"]) for foul in ruling.get("fouls") or ()}
    return frozenset((fouls | noted(ruling)) - set(silent))


def noted(ruling: Json) -> frozenset[str]:
    """Returns the clauses that a ruling only notes: what a table sees that umpires alone."""
    said = {str(note).partition(": ")[0] for note in ruling.get("notes") or ()}
    return frozenset(said & set(ruling.get("cites") or ()))


def broken_by(ruling: Json) -> frozenset[str]:
    """Returns the clauses that a ruling, as it stands, rules to be broken."""
    return frozenset(str(foul["clause"]) for foul in ruling.get("fouls") or () if foul["status"] == "ruled")


def asked_by(ruling: Json) -> frozenset[str]:
    """Returns the clauses that still wait for an answer."""
    return frozenset(str(foul["clause"]) for foul in ruling.get("fouls") or () if foul["status"] != "ruled")


def to_promote(found: Agreement, levels: Mapping[str, str]) -> Sequence[str]:
    """Returns the clauses that may be set to `rule`. `levels`: clause → how far the table goes by itself now."""
    return [one.clause for one in found.clauses if one.sure and levels.get(one.clause) in ("confirm", "note")]
