"""What the striker touched, in which order, and whether what it met lay over a line that a clause asks about.

Too close to such a line counts as in order and is noted, as with placements. Must not know of beams, nor which book is
played: only which facts about contacts it asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist, hypot
from typing import Any

from calibration.board import board_to_seat
from controller.events.match import Contact, Doubt
from controller.events.observation import StrikerSeen, StrokeSeen, Touch
from controller.shots.facts import (
    NOT_SEEN,
    Call,
    StrokeContext,
    blind_within,
    pieces_that_moved,
    seen_to_set_out,
    striker_track,
)
from controller.shots.limits import MS, Limits
from controller.shots.odds import chance_above
from controller.shots.outputs import Clearance
from controller.shots.placement import clearance, verdict_on
from controller.shots.unique_striker import ITSELF_MM

BEHIND_LINE, RUNS_BACK = "contacts.behind_line", "contacts.runs_back"


def contacts_of(of: StrokeContext) -> Call:
    """Returns the striker's contacts in order. Touching nothing is believed only if nothing moved and nothing was
    missed.
    """
    stroke = of.stroke
    if stroke.struck is None:
        return NOT_SEEN
    if not seen_to_set_out(stroke.struck):
        return Call(None, note="the striker was not seen to set out")
    touches = tuple(touch for touch in stroke.touches if not _itself(touch, stroke.struck))
    if not stroke.touches_seen:
        if any(touch.touched != "cushion" for touch in touches):
            seen = ", ".join(touch.touched for touch in touches)
            return Call(None, note=f"not every touch can be seen; seen: {seen}")
        return NOT_SEEN
    if all(touch.touched == "cushion" for touch in touches):
        if pieces_that_moved(stroke):
            return Call(None, note="pieces moved, but no touch of the striker was seen")
        if blind_within(stroke):
            return Call(None, note="pictures are missing in the stroke")
        own = striker_track(stroke)
        if own is not None and own.vanished is not None and own.vanished.how == "frame":
            return Call(None, note="the striker left over the frame: whether it met it cannot be seen")
    order, near = _called(of, touches)
    doubt = None
    found = _open_order(touches, of.limits)
    if found is not None:
        index, first = found
        swapped = (*touches[:index], touches[index + 1], touches[index], *touches[index + 2 :])
        otherwise, more = _called(of, swapped)
        near += tuple(one for one in more if one not in near)
        weighed = sorted(((_json(order), first), (_json(otherwise), 1 - first)), key=lambda pair: -pair[1])
        doubt = Doubt("contacts", tuple((value, round(weight, 4)) for value, weight in weighed), "camera")
    return Call(order, doubt, clearances=near)


def _itself(touch: Touch, struck: StrikerSeen) -> bool:
    """Says whether what was touched is the striker where it lay, followed there as one of its own."""
    lay = struck.placed
    return touch.touched == "striker" and lay is not None and dist(touch.at, lay.at) < ITSELF_MM + lay.u95_mm


def _contact(touch: Touch) -> Contact:
    # A second striker is a piece that was taken for one; that something was touched stands all the same.
    touched = "unknown" if touch.touched == "striker" else touch.touched
    return Contact(touched, (round(touch.at[0], 1), round(touch.at[1], 1)))


def _called(of: StrokeContext, touches: Sequence[Touch]) -> tuple[tuple[Contact, ...], tuple[Clearance, ...]]:
    """Returns the contacts in this order; the first piece met stands without its place if that is too close to call.

    A book may ask that a piece met before any cushion does not reach the own inner base line, and that one met after a
    cushion does not lie in the own half.
    """
    board, limits = of.board, of.limits
    contacts = [_contact(touch) for touch in touches]
    index = next((i for i, touch in enumerate(touches) if touch.touched != "cushion"), None)
    fact = RUNS_BACK if index else BEHIND_LINE
    if index is None or fact not in of.needs:
        return tuple(contacts), ()
    met = touches[index]
    _, towards_player = board_to_seat(of.seat, *met.at)
    reach = 0.0 if index else board.inner_line_y_mm[1] - board.coin_diameter_mm / 2
    margin, u95 = reach - towards_player, _u95_mm(of.stroke, met, limits)
    if abs(margin) > max(board.coin_diameter_mm, limits.foul_sigmas * u95):
        return tuple(contacts), ()
    verdict = verdict_on(margin, u95, limits)
    side, line = "short of" if margin >= 0 else "over", "the middle line" if index else "the base line"
    if verdict == "too close":
        contacts[index] = replace(contacts[index], at=None)
    return tuple(contacts), (clearance(fact, margin, u95, verdict, f"{met.touched}, met first: {side} {line}"),)


def _u95_mm(stroke: StrokeSeen, met: Touch, limits: Limits) -> float:
    """Returns how well the place of a met piece is known: as it was seen before the stroke moved it."""
    start = next((track.start for track in stroke.tracks if track.track == met.track and met.track is not None), None)
    return start.u95_mm if start is not None else limits.placement_u95_mm


NO_ORDER_NS = 1 * MS
"""Two touches this near to each other have no certain order, whoever says so: between two pictures, 8 ms apart at best,
a time is fitted, and a millimetre's error of a place is a millisecond at a metre a second."""


def _open_order(touches: tuple[Touch, ...], limits: Limits) -> tuple[int, float] | None:
    """Finds two touches within their errors, no piece certainly touched before: which, and how likely in this order."""
    for index, (one, two) in enumerate(pairwise(touches)):
        if any(touch.touched != "cushion" and touch.certain for touch in touches[:index]):
            return None
        apart_ns = two.t_ns - one.t_ns
        if one.touched == two.touched == "cushion" or ((one.certain or two.certain) and apart_ns > NO_ORDER_NS):
            continue
        first = chance_above(apart_ns, max(hypot(one.u_ns, two.u_ns), NO_ORDER_NS))
        if min(first, 1 - first) >= limits.doubt_floor:
            return index, first
    return None


def _json(contacts: tuple[Contact, ...]) -> list[dict[str, Any]]:
    return [
        {"with": found.touched} if found.at is None else {"with": found.touched, "at": list(found.at)}
        for found in contacts
    ]
