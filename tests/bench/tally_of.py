"""Figures of refereed strokes: facts right by kind, flags' precision and recall, silence, false fouls, questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tests.bench.figure import Figure, exact, share
from tests.bench.refereed import Outcome

STROKES_A_BOARD = 30
FACTS = (
    "missed", "seat", "pocketed", "off_board", "placement.lines", "placement.circle", "placement.arrow",
    "placement.touching", "left_baseline", "contacts",
)  # fmt: skip
EYES_SEE = frozenset({"hand_touched_piece", "piece_moved_before", "two_hands", "push"})
"""Flags that the simulated players earn: the others are proven by scenario tests only."""


def figures(name: str, strokes: Sequence[Outcome], source: str = "sim") -> Iterator[Figure]:
    """Yields the figures of some strokes; those with a limit say whether it is reached."""
    n = len(strokes)
    wrong = [one for one in strokes if one.stroke.wrong]
    yield Figure(f"{name}: strokes right in every fact", source, share(n - len(wrong), n))
    facts = Counter(fact for one in wrong for fact in one.stroke.wrong)
    for fact in FACTS:
        if facts[fact]:
            yield Figure(f"{name}: {fact} right", source, share(n - facts[fact], n))
    differ = [one for one in strokes if one.stroke.ruled or one.stroke.missed]
    how = Counter(fate(one) for one in differ)
    says = ", ".join(f"{count} {word}" for word, count in how.most_common())
    yield Figure(f"{name}: rulings unlike the truth's", source, share(len(differ), n), note=says)
    silent = sum(one.silent for one in strokes)
    yield Figure(f"{name}: silent wrong rulings", source, exact(silent, n), "0", silent == 0)
    false = sum(bool(one.false_fouls) for one in strokes)
    yield Figure(f"{name}: strokes with a false foul", source, exact(false, n), "0", false == 0)
    unplayed = sum(one.unplayed for one in strokes)
    yield Figure(f"{name}: strokes ruled on that nobody played", source, str(unplayed), "0", unplayed == 0)
    asked = sum(one.questions for one in strokes)
    boards = n / STROKES_A_BOARD
    yield Figure(f"{name}: questions", source, f"{asked} in {n} strokes, {asked / max(boards, 1e-9):.2f} a board")
    needless = sum(bool(one.noticed_by) and not one.stroke.ruled and not one.stroke.missed for one in strokes)
    yield Figure(f"{name}: words about the board with nothing wrong", source, share(needless, n))
    yield from flags(name, strokes, source)


def flags(name: str, strokes: Iterable[Outcome], source: str) -> Iterator[Figure]:
    """Precision and recall, each flag and all together; and recall of what was not named as unseen."""
    right: Counter[str] = Counter()
    unseen = 0
    raised: Counter[str] = Counter()
    true: Counter[str] = Counter()
    for one in strokes:
        earned, said = set(one.truth.get("flags") or ()), set((one.said or {}).get("flags") or ())
        true.update(earned)
        raised.update(said)
        right.update(earned & said)
        untold = set((one.said or {}).get("unseen") or ())
        unseen += sum(f"flags.{flag}" in untold for flag in earned - said)
    if not true and not raised:
        return
    hits, all_raised, all_true = sum(right.values()), sum(raised.values()), sum(true.values())
    each = "; ".join(f"{flag} {right[flag]}/{raised[flag]} of {true[flag]}" for flag in sorted({*true, *raised}))
    if all_raised:
        precise = hits / all_raised >= 0.95
        yield Figure(f"{name}: flags' precision", source, share(hits, all_raised), "at least 95 %", precise, each)
    if all_true:
        yield Figure(
            f"{name}: flags' recall", source, share(hits, all_true), "at least 90 %", hits / all_true >= 0.9, each
        )
    if unseen:
        yield Figure(f"{name}: … of those not named as unseen", source, share(hits, all_true - unseen))


def fate(one: Outcome) -> str:
    """Says what became of a ruling unlike the truth's."""
    if one.stroke.asked:
        return "asked"
    if one.stroke.noticed:
        return "noticed at the next rest"
    if one.stroke.unwatched:
        return "said to be unseen"
    return "too close to call" if one.too_close else "silent"


def words(one: Outcome) -> str:
    """One line about a stroke that was not read as it was: what, how it was ruled, what became of it."""
    parts = [f"stroke {one.number}"]
    if one.faults:
        parts.append(f"with {', '.join(one.faults)}")
    if one.stroke.wrong:
        parts.append(f"wrong: {', '.join(one.stroke.wrong)}")
    if one.stroke.ruled:
        parts.append(f"ruled otherwise: {', '.join(one.stroke.ruled)}")
    if one.false_fouls:
        parts.append(f"false foul: {', '.join(one.false_fouls)}")
    earned, said = one.truth.get("flags") or [], (one.said or {}).get("flags") or []
    if earned != said:
        parts.append(f"flags {said or 'none'}, earned {earned or 'none'}")
    for fact in ("pocketed", "off_board"):
        if fact in one.stroke.wrong:
            parts.append(f"{fact}: said {_short(one.said, fact)}, was {_short(one.truth, fact)}")
    if one.stroke.ruled or one.stroke.missed:
        parts.append(fate(one).upper() if one.silent else fate(one))
    if one.unplayed:
        parts.append(f"{one.unplayed} before it that nobody played")
    if one.noticed_by:
        parts.append(f"told: {one.noticed_by[0]}")
    return "; ".join(parts)


def _short(shot: dict | None, fact: str) -> str:
    rows = (shot or {}).get(fact) or ()
    return (
        "+".join(f"{row['piece']} {row.get('pocket', '?')}" if isinstance(row, dict) else str(row) for row in rows)
        or "-"
    )


def astray(one: Outcome) -> bool:
    """Says whether there is anything to tell of a stroke."""
    earned, said = one.truth.get("flags") or [], (one.said or {}).get("flags") or []
    stroke = one.stroke
    return bool(stroke.wrong or stroke.ruled or one.false_fouls or one.unplayed or one.noticed_by or earned != said)
