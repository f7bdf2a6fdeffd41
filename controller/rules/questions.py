"""Doubts: from a shot with undecided facts to a ruling, provisional where the readings differ, and its questions.

A weighted doubt is ruled by its likeliest reading. If every reading gives the same ruling nothing is asked. A bare
`unknown` has no likeliest reading: nothing changes until it is answered. Must not know what a stroke does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, islice, product
from math import prod
from typing import Any

from controller.events.codec import event_from_json, event_to_json
from controller.events.doors import whole_number
from controller.events.errors import EventError
from controller.events.facts import UNKNOWN, Entry, by_grade
from controller.events.match import FACTS, Drop, Shot
from controller.events.reading import shown
from controller.events.ruling import Question
from controller.rules.draft import Draft
from controller.rules.facts import gone_untouched
from controller.rules.play import Play

NONE = "none of these"
REPLAY = "replay the stroke"
STAYS_VOID, COUNTS = "it was put back", "it counts"
"""What is asked about a stroke that was put back as out of turn and turned out to be on turn."""
PLAY_ON, SET_UP_ANEW = "play on", "set the board up anew"
"""What is asked where something that the camera saw would start the board again."""
HOLD_NOTHING_UP = frozenset({"foul", "put back", "seen"})
"""Questions without whose answer a board may end: until then it is ruled as if they were answered no."""
MOST_READINGS = 64
"""So many readings are all tried; of more, those that differ from the likeliest in one fact or in two."""
_MOST_WORK = 24_000
"""So much is read and ruled for one event, in entries of lists: a blink, even on a small computer. Sixteen touches of
unknown pieces stay within it; whatever could not be tried is asked."""
_A_RULING = 8
"""Ruling on one reading costs as much as reading so many entries."""


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A fact that is not decided: its path in the shot, its choices likeliest first, whether they have weights."""

    path: str
    choices: tuple[Any, ...]
    weighted: bool


Ruled = tuple[Play, Draft]
Rule = Callable[[Any], Ruled]


def not_open(ask: int | str) -> EventError:
    """The error of an answer to what is not asked, or is asked no more."""
    return EventError(f"ask: question {ask} is answered already, or nothing hangs on it any more")


def is_uncertain(event: Shot | Drop) -> bool:
    """Says quickly whether an event holds a doubt, an `unknown` or facts that contradict each other."""
    if isinstance(event, Drop):
        return event.piece == "unknown"
    if event.doubts or event.seat == "unknown" or gone_untouched(event):
        return True
    if any(_told(event, *one.split) == UNKNOWN for one in _WORDS):
        return True
    return any(next(_unknown(event, path, entry), None) is not None for path, entry in _LISTS)


_WORDS = tuple(one for path, one in FACTS.items() if one.values and path != "seat")
"""The facts that may stand undecided by themselves. Who struck is asked of those who play."""
_LISTS = tuple((one.path, one.entry) for one in by_grade(FACTS.values()) if one.entry is not None)
"""The facts of which an entry may stand undecided; what every camera can tell is asked about first."""


def _told(event: Shot, whole: str, part: str) -> Any:
    found = getattr(event, whole)
    return getattr(found, part, None) if part else found


def _unknown(event: Shot, path: str, entry: Entry) -> Iterator[int]:
    """Yields which entries of a list stand undecided."""
    return (at for at, found in enumerate(getattr(event, path) or ()) if entry.of(found) == UNKNOWN)


def uncertain_facts(play: Play, event: Shot | Drop, answered: Sequence[tuple[str, Any]]) -> list[Uncertain]:
    """Lists the facts that are still undecided: weighted doubts first, then bare unknowns in the order of the shot."""
    known = {path for path, _ in answered}
    found: list[Uncertain] = []
    if isinstance(event, Shot):
        for doubt in event.doubts:
            path = _dotted(doubt.fact)
            ordered = sorted(doubt.choices, key=lambda choice: -choice[1])
            if path not in known and not _unwatched(event, path):
                found.append(Uncertain(path, tuple(value for value, _ in ordered), True))
    doubted = known | {one.path for one in found}
    for path, choices in _blanks(play, event):
        if path not in doubted and not _unwatched(event, path):
            found.append(Uncertain(path, choices, False))
    return found


def _unwatched(event: Shot | Drop, path: str) -> bool:
    if isinstance(event, Drop) or not event.unseen:
        return False
    return path in event.unseen or path.partition(".")[0] in event.unseen


def _dotted(path: str) -> str:
    return path.replace("[", ".").replace("]", "").strip(".")


def _blanks(play: Play, event: Shot | Drop) -> list[tuple[str, tuple[Any, ...]]]:
    pieces: list[Any] = [piece for piece, left in (("white", play.white_left), ("black", play.black_left)) if left]
    if play.queen_in:
        pieces.append("queen")
    if isinstance(event, Drop):
        return [("piece", tuple(pieces))] if event.piece == "unknown" else []
    found: list[tuple[str, tuple[Any, ...]]] = []
    if event.seat == "unknown":
        turn = play.seat(play.turn)
        found.append(("seat", tuple(sorted(play.chairs, key=lambda seat: seat != turn))))
    found += [(one.path, one.values) for one in _WORDS if _told(event, *one.split) == UNKNOWN]
    if not any(fallen.piece == "striker" for fallen in event.pocketed):
        pieces.append("striker")
    for path, entry in _LISTS:
        choices = tuple(piece for piece in pieces if piece in entry.words)
        found += [(f"{path}.{at}.{entry.key}".rstrip("."), choices) for at in _unknown(event, path, entry)]
    return found


def with_facts(event: Shot | Drop, facts: Sequence[tuple[str, Any]]) -> Any:
    """Returns the event with facts set by their paths; `none of these` sets a fact aside.

    Raises EventError for a path that is not there or a value that cannot be.
    """
    heads = {part for path, _ in facts for part in _heads(event, path)}
    # Only what is changed is written and read again; the rest has been read once.
    body = event_to_json(_only(event, heads))
    unseen: list[str] = list(body.get("unseen", ()))
    gone: list[tuple[list[Any], int]] = []
    for path, value in facts:
        parts = path.split(".")
        if path == "*":
            # Facts that depend on each other: what fell and what left the board, in one version or another.
            if value in (NONE, None):
                unseen += [fact for fact in TOGETHER if body.pop(fact, None) is not None]
            elif isinstance(value, dict) and value.keys() <= set(TOGETHER):
                body.update(value)
                unseen = [fact for fact in unseen if fact.partition(".")[0] not in value]
            else:
                raise EventError(f"doubts: * must say what was {' and what '.join(TOGETHER)}")
            continue
        if parts[0] == "flags" and len(parts) == 2:
            if not isinstance(value, bool) and value not in (NONE, None):
                raise EventError(f"doubts: {path} must be true or false, not {shown(value)}")
            flags = [flag for flag in body.get("flags", []) if flag != parts[1]]
            body["flags"] = [*flags, parts[1]] if value is True else flags
            continue
        if parts[0] in ("placement",) and parts[0] not in body:
            body["placement"] = {}
        holder: Any = body
        for part in parts[:-1]:
            holder = _inside(holder, part, path)
            if isinstance(holder, list) and value in (NONE, None) and FACTS[parts[0]].entry is not None:
                break
        if isinstance(holder, list):
            at = _index(holder, parts[1], path)
            if value in (NONE, None):
                gone.append((holder, at))
            else:
                holder[at] = value
        elif not isinstance(holder, dict):
            raise EventError(f"doubts: the shot has no fact {path}")
        elif value == NONE:
            unseen.append(path)
            holder.pop(parts[-1], None)
            if path == "seat":
                raise EventError("seat: somebody must have struck")
        else:
            holder[parts[-1]] = value
    for holder, at in sorted(gone, key=lambda pair: -pair[1]):
        del holder[at]
    if unseen or "unseen" in body:
        body["unseen"] = unseen
    said = event_from_json(body)
    if not isinstance(event, Shot) or not isinstance(said, Shot):
        return said
    changed = {one.name: getattr(said, one.name) for one in fields(said) if one.name in heads}
    return replace(event, **changed, unseen=said.unseen, doubts=())


def refuse_unreadable(shot: Shot) -> None:
    """Refuses a stroke with a doubt of which a choice is no value of its fact, however unlikely that choice is.

    Each is read alone: two that can be read need not go together.
    """
    read = set()
    for doubt in shot.doubts:
        head, *within = _dotted(doubt.fact).split(".")
        alone, fact = shot, FACTS.get(head)
        if within and fact is not None and fact.entry is not None and isinstance(entries := getattr(shot, head), tuple):
            at = whole_number(within[0])
            if not 0 <= at < len(entries):
                continue
            # one entry is read as all the others of its list are
            one: dict[str, Any] = {head: (entries[at],)}
            alone, within[0] = replace(shot, **one), "0"
        path = ".".join((head, *within))
        for value, _ in doubt.choices:
            told = (path, repr(value))
            if value not in (NONE, None) and told not in read:
                read.add(told)
                _refuse_unread(alone, path, value, doubt.fact)


def _refuse_unread(shot: Shot, path: str, value: Any, fact: str) -> None:
    try:
        with_facts(shot, [(path, value)])
    except EventError as error:
        why = f"{shown(value)} cannot be read: {error}"
        raise EventError(f"doubts: {fact}: {why}. Fix: correct that choice or leave it out") from error


TOGETHER = ("pocketed", "off_board")
"""What the fact `*` is about."""


def _heads(event: Shot | Drop, path: str) -> tuple[str, ...]:
    """The fields of an event that a fact is about. Raises EventError for a path that is none."""
    if path == "*":
        return TOGETHER
    head = path.partition(".")[0]
    if isinstance(event, Shot) and head not in _IN_DOUBT:
        raise EventError(f"doubts: the shot has no fact {path}")
    return (head,)


def _only(event: Shot | Drop, heads: Collection[str]) -> Shot | Drop:
    """The event with no more than who struck, what nobody saw and some of its fields."""
    if isinstance(event, Drop):
        return event
    kept = {head: getattr(event, head) for head in heads if head != "seat"}
    return Shot(event.seat, unseen=event.unseen, **kept)


_IN_DOUBT = frozenset(one.name for one in fields(Shot)) - {"unseen", "doubts", "reason"}
"""The fields of a shot that a doubt may be about."""


def _inside(holder: Any, part: str, path: str) -> Any:
    if isinstance(holder, list):
        return holder[_index(holder, part, path)]
    if isinstance(holder, dict) and part in holder:
        return holder[part]
    raise EventError(f"doubts: the shot has no fact {path}")


def _index(holder: list[Any], part: str, path: str) -> int:
    at = whole_number(part)
    if not 0 <= at < len(holder):
        raise EventError(f"doubts: the shot has no fact {path}")
    return at


def rule_readings(
    event: Shot | Drop,
    answered: Sequence[tuple[str, Any]],
    uncertain: Sequence[Uncertain],
    rule: Rule,
    nothing: Callable[[], Ruled],
) -> tuple[Ruled, list[Uncertain]]:
    """Rules on the readings of an event.

    Returns the ruling of the likeliest reading (or, with a bare unknown that matters, of nothing) and the facts that
    make a difference, which have to be asked. Raises EventError if no reading can be.
    """
    ruled: dict[tuple[int, ...], Ruled | None] = {}
    problem: EventError | None = None

    def reading(picks: tuple[int, ...]) -> Ruled | None:
        nonlocal problem
        if picks not in ruled:
            facts = [(one.path, one.choices[pick]) for one, pick in zip(uncertain, picks, strict=True)]
            try:
                ruled[picks] = rule(with_facts(event, [*answered, *facts]))
            except EventError as error:
                problem = problem or error
                ruled[picks] = None
        return ruled[picks]

    most = max(MOST_READINGS, _MOST_WORK // (_A_RULING + _entries(event, uncertain)))
    wanted = _combinations(uncertain)
    combinations = list(islice(wanted, most))
    for picks in combinations:
        reading(picks)
    all_tried = next(wanted, None) is None
    possible = [picks for picks in combinations if ruled[picks] is not None]
    if not possible:
        if _count(uncertain) <= MOST_READINGS or all(one.weighted for one in uncertain):
            raise problem or EventError("no reading of this event can be")
        # What is likeliest cannot be, and there is too much open to try everything else.
        return nothing(), list(uncertain)
    likeliest = min(possible, key=sum)
    signs = {picks: _signature(*result) for picks in possible if (result := ruled[picks]) is not None}
    asked: list[Uncertain] = []
    for i, one in enumerate(uncertain):
        if not all_tried:
            asked.append(one)
            continue
        by_rest: dict[tuple[int, ...], set[Any]] = {}
        for picks in possible:
            by_rest.setdefault((*picks[:i], *picks[i + 1 :]), set()).add(signs[picks])
        if any(len(different) > 1 for different in by_rest.values()):
            left = tuple(choice for pick, choice in enumerate(one.choices) if any(p[i] == pick for p in possible))
            asked.append(replace(one, choices=left))
    if any(not one.weighted for one in asked):
        return nothing(), asked
    chosen = ruled[likeliest]
    assert chosen is not None
    return chosen, asked


def _entries(event: Shot | Drop, uncertain: Sequence[Uncertain]) -> int:
    """How much has to be read and compared for each reading of an event."""
    heads = {TOGETHER if one.path == "*" else (one.path.partition(".")[0],) for one in uncertain}
    lists = (getattr(event, head, None) for head in chain.from_iterable(heads))
    return len(uncertain) + sum(len(found) for found in lists if isinstance(found, tuple))


def _count(uncertain: Sequence[Uncertain]) -> int:
    """How many readings there are."""
    return prod(len(one.choices) for one in uncertain)


def _combinations(uncertain: Sequence[Uncertain]) -> Iterator[tuple[int, ...]]:
    """All readings; where there are too many, those that differ from the likeliest in one fact, then in two."""
    if _count(uncertain) <= MOST_READINGS:
        yield from product(*(range(len(one.choices)) for one in uncertain))
        return
    base = (0,) * len(uncertain)
    yield base
    for i, one in enumerate(uncertain):
        yield from ((*base[:i], pick, *base[i + 1 :]) for pick in range(1, len(one.choices)))
    yield from _pairs(base, uncertain)


def _pairs(base: tuple[int, ...], uncertain: Sequence[Uncertain]) -> Iterator[tuple[int, ...]]:
    """The readings that differ from the likeliest in two facts."""
    for j, other in enumerate(uncertain):
        for i, one in enumerate(uncertain[:j]):
            for first, second in product(range(1, len(one.choices)), range(1, len(other.choices))):
                picks = list(base)
                picks[i], picks[j] = first, second
                yield tuple(picks)


def _signature(play: Play, draft: Draft) -> tuple[Any, ...]:
    """What makes two rulings the same: everything but cites, notes and where pieces lie."""
    return (
        tuple((foul.clause, foul.status) for foul in draft.fouls),
        tuple((back.piece, back.side, back.why) for back in draft.returned),
        tuple(draft.dues),
        draft.void,
        (
            play.phase,
            play.turn,
            play.strokes,
            play.tries,
            play.break_done,
            play.white,
            play.white_left,
            play.black_left,
        ),
        (play.queen, play.queen_side, play.queen_pocket, play.owed, play.hands, play.had, play.missed, play.robbed),
        (play.score, play.games, play.ended, play.game_over, play.winner, play.board, play.blocked, play.last),
    )


def question_about(one: Uncertain, event: Shot | Drop) -> str:
    """Words the question about a fact."""
    parts = one.path.split(".")
    if parts[0] == "pocketed" and isinstance(event, Shot) and len(parts) > 1 and (at := whole_number(parts[1])) >= 0:
        pocket = event.pocketed[at].pocket if at < len(event.pocketed) else None
        return f"Which piece fell in {pocket}?" if pocket else "Which piece fell?"
    if one.path == "*" and isinstance(event, Shot) and (says := gone_untouched(event)):
        return f"{says[0].upper()}{says[1:]}. What left it?"
    described = FACTS.get(one.path)
    if described is not None and described.fact.asks:
        return described.fact.asks
    entry = FACTS.get(parts[0])
    if entry is not None and len(parts) > 1 and entry.fact.asks_one:
        return entry.fact.asks_one
    return _OF_NO_FACT.get(one.path, f"What is true of {one.path}?")


_OF_NO_FACT = {"*": "What fell, and what left the board?", "piece": "Which piece fell?"}
"""Questions about several facts at once, and about a piece that fell with no stroke."""


def ask(play: Play, draft: Draft, question: Question) -> Play:
    """Puts a question into the ruling and on the list of open ones: it is about a player, wherever he sits later."""
    if question.seat is not None:
        question = replace(question, seat=play.chairs.get(question.seat))
    draft.asks.append(question)
    return play.but(asks=(*play.asks, question))
