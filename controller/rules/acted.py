"""What a word about earlier events brought about: which rulings are different now, and what lies to be placed now.

Pure comparison of two chains, before and after. Must not know why anything was ruled on again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from controller.events.codec import ruling_to_json
from controller.events.expectation import ToPlace
from controller.events.match import Answer, Event
from controller.events.ruling import Changed, Ruling, TakeOff
from controller.rules.draft import FALLS, NO_LONGER, laid_out
from controller.rules.entry import Entry
from controller.rules.placing import spots
from controller.rules.play import Play

_OF_THE_TELLING = frozenset({"seq", "sealed", "saved", "changed", "place_now", "take_off"})
"""Fields that say nothing about what was ruled, or that belong to the moment in which they were made."""


def acted(
    seq: int,
    event: Event,
    last: Entry,
    chain: Entry,
    ruling: Ruling,
    after: Play | None = None,
    before: Play | None = None,
) -> Entry:
    """The entry of an event that acted on earlier ones, with what it changed.

    `last`: the chain before it; `chain`: the chain ruled on again; `after`, `before`: the states, where they are not
    simply those of the two chains.
    """
    now, off = to_place_now(last.after, after or chain.after)
    after = (after or chain.after).but(to_place=now)
    pairs = _ruled_again(last, chain)
    ruling = replace(
        ruling,
        changed=tuple(_changes(pairs)),
        place_now=laid_out(now),
        take_off=off,
        notes=(*ruling.notes, *(note for pair in pairs for note in _to_heed(*pair) if note not in ruling.notes)),
    )
    return Entry(seq, event, before or last.after, after, ruling, chain, (), True)


def to_place_now(old: Play, new: Play) -> tuple[tuple[ToPlace, ...], tuple[TakeOff, ...]]:
    """What lies to be placed, and what was placed and should not have been, now that `new` stands instead of `old`.

    What `old` had ordered and does not wait for any more has been placed already.
    """
    if new.phase != "play" or new.rack != old.rack:
        return new.to_place, ()
    placed = Counter(one.piece for one in old.ordered) - Counter(one.piece for one in old.to_place)
    owners = {one.piece: one.side for one in (*old.ordered, *new.ordered)}
    now: list[ToPlace] = []
    for one in new.ordered:
        if placed[one.piece]:
            placed[one.piece] -= 1
        else:
            now.append(one)
    off = tuple(TakeOff(piece, owners[piece]) for piece in placed.elements())
    return _at_their_places(new, now), off


def _at_their_places(play: Play, waiting: list[ToPlace]) -> tuple[ToPlace, ...]:
    """Spots that were worked out for an earlier stroke are worked out again for the board as it lies now."""
    stale = [one for one in waiting if one.within is None and one not in play.to_place]
    places = iter(spots(play, len(stale), play.turn, play.white_left + play.black_left == 0))
    return tuple(replace(one, at_mm=next(places)) if one in stale else one for one in waiting)


def _ruled_again(last: Entry, chain: Entry) -> list[tuple[Entry, Entry]]:
    """The entries that were ruled on again, as they stood and as they stand, first to last."""
    now = {}
    old = {}
    for before, after in zip(last.back(), chain.back(), strict=False):
        if before is after:
            break
        old[before.seq], now[after.seq] = before, after
    return [(old[seq], now[seq]) for seq in sorted(now) if seq in old]


def _changes(pairs: Iterable[tuple[Entry, Entry]]) -> Iterator[Changed]:
    """The earlier rulings that differ between two chains, first to last."""
    for old, now in pairs:
        was, stands = ruling_to_json(old.ruling), ruling_to_json(now.ruling)
        different = [key for key in stands if key not in _OF_THE_TELLING and stands[key] != was.get(key)]
        if different:
            fields = {key: stands[key] for key in different}
            before_fields = {key: was.get(key) for key in different}
            yield Changed(now.seq, _says(now, fields, before_fields), fields, before_fields)


def _to_heed(old: Entry, now: Entry) -> Iterator[str]:
    """What nobody may overlook in an entry that was ruled on again: it has become impossible, or it was on turn.

    An answer that is not asked for any more is none of it: a correction has answered it.
    """
    for note in () if isinstance(now.event, Answer) else now.ruling.notes:
        if note.startswith((NO_LONGER, FALLS)) and note not in old.ruling.notes:
            yield f"{now.event.event} {now.seq}: {note}"
    asked = {one.about for one in old.ruling.asks}
    for one in now.ruling.asks:
        if one.about == "put back" and one.about not in asked:
            yield f"{now.event.event} {now.seq} was on turn after all; put back, it is void unless it is said to count"


def _says(entry: Entry, now: Mapping[str, Any], was: Mapping[str, Any]) -> str:
    """Says in words what is different in a ruling."""
    what = f"{entry.event.event} by {entry.ruling.seat}" if entry.ruling.seat else entry.event.event
    told = [said for key, value in now.items() if (said := _told(key, value, was[key]))]
    if not told and None not in (now.get("turn_kept"), was.get("turn_kept")):
        told = ["turn kept, not lost" if now["turn_kept"] else "turn lost, not kept"]
    return f"{what}: {'; '.join(told) or 'other reasons'}"


def _told(key: str, now: Any, was: Any) -> str | None:
    if key == "void":
        return "does not count" if now else "counts"
    if key in ("turn", "queen", "winner"):
        return f"{key} {now or 'nobody'}, not {was or 'nobody'}"
    if key == "fouls" and _listed(now) != _listed(was):
        return f"fouls {_listed(now)}, not {_listed(was)}"
    if key in _COUNTED and was is not None:
        parts = [f"{name} {value}, not {was.get(name)}" for name, value in now.items() if value != was.get(name)]
        return f"{_COUNTED[key]}: {', '.join(parts)}"
    if key == "board" and now["over"] != was["over"]:
        return "the board is over" if now["over"] else "the board is not over"
    if key == "board":
        pairs = [(f"{name} {now[name]}", f"{name} {was[name]}") for name in ("number", "on_demand", "why")]
        if now["over"]:
            pairs.insert(0, (_won(now), _won(was)))
        told = "; ".join(f"{stands}, not {stood}" for stands, stood in pairs if stands != stood)
        return f"board: {told}" if told else None
    return None


_COUNTED = {
    "left": "on the board",
    "owed": "owed",
    "score": "score",
    "games": "games",
    "challenges_left": "challenges left",
}


def _won(board: Mapping[str, Any]) -> str:
    return f"{board['points']} to {board['winner'] or 'nobody'}"


def _listed(fouls: list[Mapping[str, Any]]) -> str:
    """The fouls that were ruled: this line is for everybody, and what was only raised is the umpire's to know."""
    return ", ".join(foul["clause"] for foul in fouls if foul["status"] == "ruled") or "none"
