"""The college tournament: queen and cover never in one pocket, pieces behind the base line only by a rebound."""

from __future__ import annotations

from calibration.board import DEFAULT_BOARD, board_to_seat
from controller.rules.case import Case, Outcome
from controller.rules.strokes import clearing

WORDS = clearing.Words(
    keep="campus-1",
    lose="",
    theirs="campus-18",
    both="campus-18",
    striker="campus-12",
    striker_own="campus-12",
    early="campus-3",
    covered="campus-14",
    covered_next="campus-3",
    uncovered="campus-3",
    won="campus-4",
    points="campus-6",
    own_last="campus-19",
    theirs_last="campus-18",
    same_pocket="campus-5",
)


def resolve(case: Case) -> Outcome:
    """Rules on one stroke by the college tournament's rules."""
    return clearing.resolve(case, WORDS, _first_touch(case))


def drop(case: Case) -> Outcome:
    """Rules on a piece that fell from a pocket's rim by itself."""
    return clearing.drop(case, WORDS)


def _first_touch(case: Case) -> tuple[str, ...]:
    """The violations that lie in what the striker met first."""
    contacts = case.shot.contacts
    if not contacts or not case.sees("contacts"):
        return ()
    first, found = contacts[0], []
    if first.touched == "cushion":
        return ()
    if first.at is not None and case.live("campus-11"):
        _, away = board_to_seat(case.shot.seat, *first.at)
        if away + DEFAULT_BOARD.coin_diameter_mm / 2 >= DEFAULT_BOARD.inner_line_y_mm[1]:
            found.append("campus-11")
    last_own = case.own_left + case.own == 1 and first.touched == case.own_colour
    if last_own and case.queen == "board" and case.live("campus-17"):
        found.append("campus-17")
    return tuple(found)
