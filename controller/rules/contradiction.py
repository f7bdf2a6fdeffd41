"""Facts of one stroke that cannot both be: a striker that touched no piece, and pieces that left the board.

Either may be wrong, by a camera or a person: both are asked about where it makes a difference. Until somebody
answers, the stroke is ruled on as reported. Must not know what a stroke does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from controller.events.codec import event_to_json
from controller.events.errors import EventError
from controller.events.match import Drop, Shot
from controller.rules.facts import gone_untouched
from controller.rules.play import Play
from controller.rules.questions import MOST_READINGS, NONE, TOGETHER, Uncertain, uncertain_facts, with_facts


def open_facts(play: Play, event: Shot | Drop, answered: Sequence[tuple[str, Any]]) -> list[Uncertain]:
    """Lists the facts that are still undecided, and after them those that contradict each other."""
    found = uncertain_facts(play, event, answered)
    return [*found, *_contradictory(event, answered, found)] if isinstance(event, Shot) else found


def _contradictory(event: Shot, answered: Sequence[tuple[str, Any]], found: Sequence[Uncertain]) -> Iterator[Uncertain]:
    """Yields what left the board, as reported or nothing, and the touches, as reported or not seen: each unless it was
    answered. Nothing where the facts agree, may agree by another doubt, or where what left is asked about anyway.
    """
    doubted, said = _heads(one.path for one in found), _heads(path for path, _ in answered)
    told = with_facts(event, answered) if answered else event
    if doubted & _LEFT or not (told.pocketed or told.off_board):
        return
    readings = _by_contacts(told, found)
    if not all(gone_untouched(reading) for reading in chain([next(readings, told)], readings)):
        return
    body = event_to_json(told)
    if not said & _LEFT:
        gone = {fact: body[fact] for fact in TOGETHER if fact in body}
        stays = {fact: [one for one in entries if _is_striker(one)] for fact, entries in gone.items()}
        yield Uncertain("*", (gone, stays), True)
    if "contacts" not in doubted | said:
        yield Uncertain("contacts", (body["contacts"], NONE), True)


_LEFT = {"*", *TOGETHER}
"""The facts about what left the board."""


def _heads(paths: Iterable[str]) -> set[str]:
    return {path.partition(".")[0] for path in paths}


def _by_contacts(event: Shot, found: Sequence[Uncertain]) -> Iterator[Shot]:
    """Yields the stroke as each doubt about what the striker touched would have it, as far as all are tried at all."""
    doubted = (one for one in found if one.path.partition(".")[0] == "contacts")
    for path, choice in islice(((one.path, choice) for one in doubted for choice in one.choices), MOST_READINGS):
        with suppress(EventError):
            yield with_facts(event, [(path, choice)])


def _is_striker(entry: Any) -> bool:
    return bool((entry["piece"] if isinstance(entry, dict) else entry) == "striker")
