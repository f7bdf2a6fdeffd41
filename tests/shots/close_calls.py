"""What the umpire may call where it says that a place is too close to a line: the truth, with those calls as made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from controller.events.match import Shot
from controller.shots.outputs import Clearance


def as_called(truth: Shot, said: Shot, clearances: Iterable[Clearance]) -> Shot:
    """The true shot as anybody may read it who sees it as the umpire says it was seen.

    What was named as unseen is unseen, a call that was too close is as it was called (also whether the striker left its
    base lines), and a piece met too close to its line has no place. A ruling like the one on this shot needs no other
    excuse; one unlike it has none.
    """
    close = {one.fact.partition(".") for one in clearances if one.in_order == "too close"}
    placement, contacts = truth.placement, truth.contacts
    parts = {part: getattr(said.placement, part) for room, _, part in close if room == "placement" and said.placement}
    if placement is not None:
        placement = replace(placement, **parts)
    if contacts and any(room == "contacts" for room, _, _ in close):
        first = next((index for index, met in enumerate(contacts) if met.touched != "cushion"), None)
        contacts = tuple(replace(met, at=None) if index == first else met for index, met in enumerate(contacts))
    left = said.left_baseline if any(room == "left_baseline" for room, _, _ in close) else truth.left_baseline
    return replace(truth, placement=placement, contacts=contacts, left_baseline=left, unseen=said.unseen)
