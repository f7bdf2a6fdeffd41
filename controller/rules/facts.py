"""From the facts of a shot to the clauses that it breaks, as the book's `detects` and `flags` say.

Data decides: a clause names a fact and the values that break it. What nobody watched (`unseen`) is not ruled on; what
stands as `unknown` never reaches this module. Must not know what follows from a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from calibration.board import Board, board_to_seat
from controller.events.facts import Described
from controller.events.match import FACTS, Shot
from controller.rules.book import Book, Clause


def _contacts(shot: Shot, _board: Board | None = None) -> str:
    if shot.contacts is None:
        return "piece"
    if any(contact.touched != "cushion" for contact in shot.contacts):
        return "piece"
    return "cushion" if shot.contacts else "none"


def _crossed(shot: Shot, _board: Board) -> str:
    if shot.crossed_baseline is None or shot.crossed_baseline > 0:
        return "enough"
    return "enough" if any(fallen.piece != "striker" for fallen in shot.pocketed) else "none"


def _behind_line(shot: Shot, board: Board) -> bool:
    """The first thing touched is a piece on or behind the inner base line of the seat that struck."""
    if not shot.contacts or shot.contacts[0].touched == "cushion" or shot.contacts[0].at is None:
        return False
    _, towards_player = board_to_seat(shot.seat, *shot.contacts[0].at)
    return towards_player + board.coin_diameter_mm / 2 >= board.inner_line_y_mm[1]


def _runs_back(shot: Shot, _board: Board) -> bool:
    """After a cushion the first piece touched lies in the own half of the seat that struck."""
    if not shot.contacts or shot.contacts[0].touched != "cushion":
        return False
    met = next((contact for contact in shot.contacts if contact.touched != "cushion"), None)
    return met is not None and met.at is not None and board_to_seat(shot.seat, *met.at)[1] > 0


@dataclass(frozen=True, slots=True)
class Detectable:
    """What a clause's `detects` may name: the values that it can have, and how it is read from a shot."""

    values: tuple[Any, ...]
    read: Callable[[Shot, Board], Any]


def _as_told(one: Described) -> Callable[[Shot, Board], Any]:
    """A fact that stands in the shot as it is; where its whole is left out it is in order."""
    whole, part = one.split

    def read(shot: Shot, _board: Board) -> Any:
        found = getattr(shot, whole)
        return found if not part else one.in_order if found is None else getattr(found, part)

    return read


DETECTABLE: Mapping[str, Detectable] = {
    **{path: Detectable(one.values, _as_told(one)) for path, one in FACTS.items() if one.in_order in one.values},
    "contacts": Detectable(("piece", "cushion", "none"), _contacts),
    "contacts.behind_line": Detectable((True, False), _behind_line),
    "contacts.runs_back": Detectable((True, False), _runs_back),
    "off_board.striker": Detectable((True, False), lambda shot, _board: "striker" in shot.off_board),
    "off_board.piece": Detectable(
        (True, False), lambda shot, _board: any(piece != "striker" for piece in shot.off_board)
    ),
    "crossed_baseline": Detectable(("enough", "none"), _crossed),
}
"""Every fact with a few words for values, and what follows from the others. `elapsed` is read beside the policy."""


IN_TIME = ("in_time", "late")
"""What `elapsed` is, held against the policy's limit."""


def watched(shot: Shot, fact: str) -> bool:
    """Says whether a fact was watched in this stroke."""
    return not shot.unseen or (fact not in shot.unseen and fact.partition(".")[0] not in shot.unseen)


def touched_a_piece(shot: Shot) -> bool:
    """Says whether the striker touched a piece, as far as anybody watched."""
    return not watched(shot, "contacts") or _contacts(shot) == "piece"


def gone_untouched(shot: Shot) -> str:
    """Words the contradiction of a striker that touched no piece with pieces that left the board; "" if none did."""
    if touched_a_piece(shot):
        return ""
    gone = [fallen.piece for fallen in shot.pocketed if watched(shot, "pocketed")]
    gone += [piece for piece in shot.off_board if watched(shot, "off_board")]
    pieces = [piece for piece in gone if piece != "striker"]
    return f"the striker touched no piece, and yet {', '.join(pieces)} left the board" if pieces else ""


def is_late(shot: Shot, book: Book) -> bool:
    """Says whether the stroke was made after its time."""
    limit = book.policy["stroke_seconds"]
    return bool(limit) and shot.elapsed is not None and watched(shot, "elapsed") and shot.elapsed > limit


def broken(book: Book, board: Board, shot: Shot, break_done: bool) -> list[Clause]:
    """Returns the live clauses that this shot's facts and flags raise, in the order of the book, each once."""
    found: list[Clause] = []
    for detection, clause in book.detectors:
        fact = detection.fact
        if fact == "elapsed":
            value: Any = IN_TIME[is_late(shot, book)]
        else:
            value = DETECTABLE[fact].read(shot, board)
        if (
            value in detection.values
            and (detection.on == "any" or (detection.on == "later") == break_done)
            and clause not in found
            and (not shot.unseen or watched(shot, fact))
        ):
            found.append(clause)
    if shot.flags and watched(shot, "flags"):
        for flag in shot.flags:
            found.extend(clause for clause in book.by_flag.get(flag, ()) if clause not in found)
    return found
