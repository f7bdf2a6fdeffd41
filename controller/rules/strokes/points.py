"""Family and point carrom: everybody pockets any colour and scores at once; the tie-break board of point carrom.

Pure. `case.own` counts pieces of both colours here; on a tie-break board it counts the colour that was chosen.
"""

from __future__ import annotations

from controller.rules.case import Back, Case, End, Fine, Outcome, QueenAfter


def resolve(case: Case) -> Outcome:
    """Rules on one stroke."""
    if case.tie_break:
        return _tie_break(case)
    if case.fouls or (case.striker_fell and case.live("world-12")):
        return _fouled(case)
    return _clean(case)


def drop(case: Case) -> Outcome:
    """A piece that fell by itself goes back, also on a tie-break board: nobody pocketed it."""
    if case.queen_fell:
        return Outcome(keep=True, queen="back", queen_why="world-7")
    return Outcome(
        keep=True,
        own_back=Back(case.own, "world-25") if case.own else None,
        theirs_back=Back(case.theirs, "world-25") if case.theirs else None,
    )


def _fouled(case: Case) -> Outcome:
    why = case.fouls[0] if case.fouls else "world-12"
    stays = case.policy("own_in_foul") == "stays"
    goes = case.queen_fell or case.queen == "pending"
    keep = not case.fouls and case.own > 0 and case.policy("striker_with_own") == "keep"
    return Outcome(
        keep=keep,
        queen="back" if goes else "same",
        queen_why="world-7" if goes else "",
        own_back=Back(case.own, why) if case.own and not stays else None,
        gain=_worth(case) if stays else 0,
        fines=(Fine(1, why),),
        cites=(*(["world-12"] if case.striker_fell else []), *_last_piece(case)),
    )


def _last_piece(case: Case) -> tuple[str, ...]:
    """The clause of family carrom that says which piece a due is."""
    return ("world-21",) if case.policy("queen_cover") == "same" and case.own_hand else ()


def _clean(case: Case) -> Outcome:
    cover_why = "world-20" if case.policy("queen_cover") == "same" else "world-22"
    worth_why = "world-19" if case.policy("queen_cover") == "same" else "world-22"
    # With only the queen left on the board there is nothing that could cover her.
    covers = case.own > 0 or case.own_left + case.own == 0
    queen: QueenAfter = "same"
    why = ""
    if case.queen_fell and case.own == 0 and case.own_hand == 0 and case.live("world-6"):
        queen, why = "back", "world-6"
    elif case.queen_fell and not covers:
        queen, why = ("pending", "") if case.policy("queen_cover") == "next" else ("back", cover_why)
    elif case.queen_fell or case.queen == "pending":
        queen, why = ("own", "") if covers else ("back", cover_why)
    gain = _worth(case) if case.live(worth_why) else 0
    if queen == "own":
        gain += int(case.policy("worth_queen"))
    keep = case.own > 0 or queen in ("own", "pending")
    end = _end(case, queen, gain)
    cites = [worth_why] if gain else []
    cites += [cover_why] if queen in ("own", "pending") else []
    cites += ["world-25"] if keep else ["world-5"]
    return Outcome(keep=keep and end is None, queen=queen, queen_why=why, gain=gain, end=end, cites=tuple(cites))


def _worth(case: Case) -> int:
    worth = {"white": int(case.policy("worth_white")), "black": int(case.policy("worth_black"))}
    return sum(worth.get(p.piece, 0) for p in case.fell)


def _end(case: Case, queen: QueenAfter, gain: int) -> End | None:
    target = int(case.policy("points"))
    at_once = "world-23" if case.policy("queen_cover") == "next" else "world-21"
    if target and case.scores[0] + gain >= target and case.live(at_once):
        return End("own", 0, at_once)
    gone = queen == "own" or (queen == "same" and case.queen in ("own", "theirs"))
    return End("most", 0, at_once) if case.own_left == 0 and gone else None


def _tie_break(case: Case) -> Outcome:
    """world-24: own colours; a piece of another colour counts only when the striker met a cushion first."""
    contacts = case.shot.contacts or ()
    rebound = bool(contacts) and contacts[0].touched == "cushion"
    counts = rebound or not case.sees("contacts") or not case.live("world-24")
    theirs_back = None if counts or not case.theirs else Back(case.theirs, "world-24")
    cites = ["world-24"] if case.theirs else []
    striker = case.striker_fell and case.live("world-12")
    fouled = bool(case.fouls) or striker
    why = case.fouls[0] if case.fouls else "world-12"
    if case.own and case.own_left == 0 and not fouled:
        return Outcome(keep=False, end=End("own", 0, "world-24"))
    if case.theirs and counts and case.theirs_left == 0:
        return Outcome(keep=False, end=End("theirs", 0, "world-24"), cites=("world-10",))
    if fouled:
        keep = striker and not case.fouls and case.own > 0 and case.policy("striker_with_own") == "keep"
        own_back = Back(case.own, why) if case.own else None
        return Outcome(keep=keep, own_back=own_back, theirs_back=theirs_back, fines=(Fine(1, why),), cites=tuple(cites))
    keep = case.own > 0 or (case.theirs > 0 and counts)
    return Outcome(keep=keep, theirs_back=theirs_back, cites=(*cites, "world-25" if keep else "world-5"))
