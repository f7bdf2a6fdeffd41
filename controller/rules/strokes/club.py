"""The club rules: the opponent's pieces come back, own ones stay also in a foul, the last piece needs a covered queen.

Pure; must not know the match's state. Which side has which colour is the core's business (`colour_open`).
"""

from __future__ import annotations

from dataclasses import replace

from controller.rules.case import Back, Case, End, Fine, Outcome, QueenAfter
from controller.rules.strokes.clearing import queen_value


def resolve(case: Case) -> Outcome:
    """Rules on one stroke by the club rules."""
    outcome = _resolve(case)
    return replace(outcome, cites=(*outcome.cites, *_in_the_mouth(case)))


def _resolve(case: Case) -> Outcome:
    own_last = case.own > 0 and case.own_left == 0
    theirs_last = case.theirs > 0 and case.theirs_left == 0
    queen_safe = case.queen in ("own", "theirs")
    broken = case.fouls
    striker = case.striker_fell and case.live("club-15")
    both = case.policy("both_last")
    why = "club-44" if both == "replayed" else "club-143"
    if own_last and theirs_last and queen_safe and not broken and not striker and both != "foul" and case.live(why):
        return Outcome(keep=False, end=End(None, 0, why, replay=both == "replayed"), cites=("club-143",))
    theirs = case.theirs if case.live("club-14") else 0
    if broken or striker or theirs:
        return _fouled(case, broken, striker, own_last)
    return _clean(case, own_last, queen_safe)


def drop(case: Case) -> Outcome:
    """A piece that hung on a pocket's rim fell untouched: it counts for its owner and changes no turn."""
    if case.queen_fell:
        return Outcome(keep=True, queen="back", queen_why="club-50")
    if case.queen in ("own", "theirs"):
        if case.own and case.own_left == 0:
            end = _won(case, "own")
            return Outcome(keep=True, end=end, cites=("club-50", *_score(case, end)))
        if case.theirs and case.theirs_left == 0:
            end = _won(case, "theirs")
            return Outcome(keep=True, end=end, cites=("club-50", *_score(case, end)))
        return Outcome(keep=True, cites=("club-50",))
    return Outcome(
        keep=True,
        own_back=Back(1, "club-63", centre=True) if case.own and case.own_left == 0 else None,
        theirs_back=Back(1, "club-63", centre=True) if case.theirs and case.theirs_left == 0 else None,
        cites=("club-50", "club-163") if 0 in (case.own_left, case.theirs_left) else ("club-50",),
    )


def _fouled(case: Case, broken: tuple[str, ...], striker: bool, own_last: bool) -> Outcome:
    made: list[str] = []
    cites: list[str] = []
    if striker:
        made.append("club-15")
        cites += ["club-12", "club-53"] if case.first else ["club-12"]
        cites += ["club-16"] if case.own else []
    if case.theirs and case.live("club-14"):
        made.append("club-14")
        cites += ["club-26"] if case.own else []
    if len(broken) + striker + bool(case.theirs) > 1:
        cites.append("club-71")
    queen: QueenAfter = "same"
    queen_why = ""
    if case.queen_fell:
        queen, queen_why = "back", "club-46"
    elif case.queen == "pending":
        queen, queen_why = "back", "club-137" if case.theirs else "club-30"
        cites.append("club-19")
    own_back = None
    if own_last:
        why = "club-17" if striker else "club-106"
        own_back = Back(1 if case.policy("own_in_foul") == "stays" else case.own, why)
        cites.append("club-141")
    elif case.own and case.policy("own_in_foul") == "returned":
        own_back = Back(case.own, "club-28")
    keep = striker and not broken and case.own > 0 and case.theirs == 0 and case.policy("striker_with_own") == "keep"
    fines = [Fine(1, "club-15" if striker and not broken else "club-28")]
    if striker and "club-31" in broken and case.live("club-72"):
        fines.append(Fine(1, "club-72"))
    return Outcome(
        keep=keep,
        queen=queen,
        queen_why=queen_why,
        own_back=own_back,
        theirs_back=Back(case.theirs, "club-25") if case.theirs else None,
        fines=tuple(fines),
        fouls=tuple(made),
        cites=(*cites, "club-69"),
    )


def _clean(case: Case, own_last: bool, queen_safe: bool) -> Outcome:
    if case.queen_fell:
        return _queen(case, own_last)
    if case.queen == "pending":
        if not case.own:
            return Outcome(keep=False, queen="back", queen_why="club-19", cites=("club-27", *_plain(case)))
        end = _covered(case, own_last)
        return Outcome(keep=end is None, queen="own", end=end, cites=("club-18", "club-136", *_score(case, end)))
    if not own_last:
        if case.own:
            cites = ["club-136"]
            return Outcome(keep=True, cites=(*cites, *_plain(case)))
        return Outcome(keep=False, cites=("club-27", *_plain(case)))
    if queen_safe or not case.live("club-63"):
        end = _won(case, "own")
        return Outcome(keep=False, end=end, cites=("club-61", *_score(case, end)))
    keep = case.policy("last_before_queen") == "keep"
    return Outcome(keep=keep, own_back=Back(1, "club-63", centre=True), cites=("club-105", "club-64"))


def _queen(case: Case, own_last: bool) -> Outcome:
    """A clean stroke in which the queen fell."""
    if case.own_hand == 0 and case.live("club-21"):
        last = Back(1, "club-63", centre=True) if own_last else None
        cites = ("club-59", "club-60", "club-105") if own_last else ("club-59", "club-60")
        return Outcome(
            keep=case.own > 0 and not own_last, queen="back", queen_why="club-21", own_back=last, cites=cites
        )
    if not case.own and not case.own_left and case.live("club-24"):
        return Outcome(keep=False, queen="back", queen_why="club-24")
    if not case.own:
        return Outcome(keep=True, queen="pending", cites=("club-18", "club-22", "club-59"))
    if own_last and case.own == 1 and case.policy("last_with_queen") == "back":
        return Outcome(
            keep=False,
            queen="back",
            queen_why="club-45",
            own_back=Back(1, "club-45", centre=True),
            cites=("club-20", "club-24", "club-105", "club-63"),
        )
    end = _covered(case, own_last)
    return Outcome(keep=end is None, queen="own", end=end, cites=("club-18", "club-22", "club-23", *_score(case, end)))


def _covered(case: Case, own_last: bool) -> End | None:
    """The queen is covered in this stroke: it ends the board for the side that has no piece left, the own one first."""
    if own_last:
        return _won(case, "own", covered_now=True)
    return None if case.theirs_left else _won(case, "theirs")


def _won(case: Case, winner: str, *, covered_now: bool = False) -> End:
    left = case.theirs_left if winner == "own" else case.own_left
    hers = covered_now or case.queen == winner
    points = left + (queen_value(case, winner) if hers else 0)
    return End("own" if winner == "own" else "theirs", points, "club-62")


def _score(case: Case, end: End | None) -> tuple[str, ...]:
    """What the board's points rest on."""
    if end is None:
        return ()
    cites = ["club-87", "club-91"]
    left = case.theirs_left if end.winner == "own" else case.own_left
    if end.points > left:
        cites.append("club-88")
    if case.queen in ("own", "theirs"):
        cites.append("club-104")
    if case.own + case.own_left == 1 and case.theirs + case.theirs_left == 1:
        cites.append("club-65")
    return tuple(cites)


def _plain(case: Case) -> tuple[str, ...]:
    """What permits an ordinary stroke, named where it was the question."""
    contacts = case.shot.contacts or ()
    found = []
    names = [c.touched for c in contacts]
    if case.first and "queen" in names:
        found.append("club-54")
    pieces = [c for c in names if c != "cushion"]
    if names[:1] == ["cushion"] and pieces:
        found.append("club-134")
    if len(pieces) > len(set(pieces)):
        found.append("club-129")
    touched = bool(pieces) or (case.shot.contacts is None and case.sees("contacts"))
    if touched and not case.own and not case.queen_fell:
        found.append("club-133")
    return tuple(found)


def _in_the_mouth(case: Case) -> tuple[str, ...]:
    """club-78: a piece that leans in a pocket's mouth at rest is on the board."""
    for piece in case.shot.rest or ():
        leans = case.board.nearest_pocket(piece.x, piece.y)[1] < case.board.pocket_radius_mm
        if leans and piece.piece != "striker":
            return ("club-78",)
    return ()
