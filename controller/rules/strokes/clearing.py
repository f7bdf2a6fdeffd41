"""The books where the opponent's pieces stay down and own pieces of a foul come back: campus, classic, world.

They ask the same questions and differ in a few answers, which are policy values of their files, and in the clauses
that they cite (`Words`). Pure; must not know the match's state.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.rules.case import Back, Case, End, Fine, Outcome, QueenAfter


@dataclass(frozen=True, slots=True)
class Words:
    """The clauses that a book of this family cites.

    `fine`: the clause a violation's due is put to; empty: the violated clause itself. `striker_foul`: the pocketed
    striker is listed as a violation. `holder`: the side that covered the queen wins whoever cleared first (empty:
    unknown to the book). `same_pocket`: queen and cover may not share a pocket (empty: they may).
    `last_with_queen`: own last piece and queen in one stroke win.
    """

    keep: str
    lose: str
    theirs: str
    both: str
    striker: str
    striker_own: str
    early: str
    covered: str
    covered_next: str
    uncovered: str
    won: str
    points: str
    own_last: str
    theirs_last: str
    fine: str = ""
    striker_foul: bool = False
    holder: str = ""
    same_pocket: str = ""
    last_with_queen: str = ""


def queen_value(case: Case, winner: str) -> int:
    """What the queen adds to the board of the side that covered her ("own" or "theirs")."""
    limit = case.policy("queen_from")
    score = case.scores[0] if winner == "own" else case.scores[1]
    return 0 if limit and score >= limit else int(case.policy("queen_points"))


def own_back_in_foul(case: Case, why: str) -> Back | None:
    """Own pieces of a fouled stroke come back, or stay but for the last: a foul finishes no board."""
    pieces = case.own if case.policy("own_in_foul") == "returned" else int(bool(case.own) and case.own_left == 0)
    return Back(pieces, why) if pieces else None


def resolve(case: Case, words: Words, extra: tuple[str, ...] = ()) -> Outcome:
    """Rules on one stroke. `extra`: violations that the book's own module found."""
    fouls = (*case.fouls, *extra)
    striker = case.striker_fell and case.live(words.striker)
    early = case.queen_fell and case.own == 0 and case.own_hand == 0 and case.live(words.early)
    if early and case.policy("queen_too_early") == "foul":
        fouls = (*fouls, words.early)
    if fouls or striker:
        return _fouled(case, words, fouls, striker)
    return _clean(case, words, early)


def drop(case: Case, words: Words) -> Outcome:
    """A piece fell from a pocket's rim by itself: it counts for its owner, no turn changes, and nobody loses by it.

    None of the texts speaks of it. Decided as in `club` and the international laws, but that a last piece with the
    queen not covered goes to the centre: the board is lost by sinking it, and nobody did.
    """
    if case.queen_fell:
        return Outcome(keep=True, queen="back", queen_why=words.uncovered)
    if case.own_left and case.theirs_left:
        return Outcome(keep=True)
    if case.queen not in ("own", "theirs"):
        why = words.own_last
        own_back = Back(1, why, centre=True) if case.own else None
        return Outcome(keep=True, own_back=own_back, theirs_back=None if own_back else Back(1, why, centre=True))
    end = _end(case, words, case.queen)
    return Outcome(keep=True, end=end, cites=(words.points,))


def _fouled(case: Case, words: Words, fouls: tuple[str, ...], striker: bool) -> Outcome:
    made = tuple(f for f in fouls if f not in case.fouls)
    striker_why = words.striker_own if case.own else words.striker
    if striker and words.striker_foul:
        made = (*made, words.striker)
    queen_goes = case.queen_fell or case.queen == "pending"
    own_back = own_back_in_foul(case, striker_why if striker else fouls[0])
    if case.theirs and case.theirs_left == 0 and case.live(words.theirs_last):
        # What goes back counts as never pocketed; only the due is not placed before counting.
        own_left = case.own_left + (own_back.pieces if own_back else 0)
        return Outcome(
            keep=False,
            queen="back" if queen_goes else "same",
            own_back=own_back,
            fouls=made,
            end=_theirs_cleared(case, words, case.queen, own_left, fouled=True),
            cites=(striker_why, words.points) if striker else (words.points,),
        )
    cites = [words.theirs] if case.theirs else []
    keep = (
        striker
        and not fouls
        and case.own > 0
        and case.theirs == 0
        and case.policy("striker_with_own") == "keep"
        and case.live(words.striker_own)
    )
    fine_why = words.fine or (fouls[0] if fouls else striker_why)
    return Outcome(
        keep=keep,
        queen="back" if queen_goes else "same",
        queen_why=words.uncovered if queen_goes else "",
        own_back=own_back,
        fines=(Fine(1, fine_why),),
        fouls=made,
        cites=(*cites, striker_why) if striker else tuple(cites),
    )


def _clean(case: Case, words: Words, early: bool) -> Outcome:
    covers, apart = _covers(case, words)
    cites: list[str] = [words.both if case.own and case.theirs else words.theirs] if case.theirs else []
    queen: QueenAfter = "same"
    why = ""
    shared = bool(case.own) and not apart
    if shared:
        cites.append(words.same_pocket)
    if case.queen_fell:
        if early:
            queen, why = "back", words.early
        elif covers:
            queen = "own"
            cites.append(words.covered)
        elif case.theirs and (shared or case.policy("queen_with_theirs") == "back"):
            queen, why = "back", words.theirs
        elif shared and case.policy("one_pocket") == "back":
            queen, why = "back", words.same_pocket
        else:
            queen = "pending"
            cites += [] if shared else [words.covered_next]
    elif case.queen == "pending":
        if covers:
            queen = "own"
            cites.append(words.covered_next)
        else:
            queen, why = "back", words.same_pocket if shared else words.uncovered
    holder = case.queen if queen == "same" else queen
    end = _end(case, words, holder)
    if end is not None:
        cites.append(words.points)
        if end.why == words.holder and not case.theirs_left:
            cites.append(words.theirs_last)
        if case.queen_fell and end.why == words.won and end.winner == "own":
            cites.append(words.last_with_queen)
        return Outcome(keep=False, queen=queen if queen == "own" else "same", end=end, cites=tuple(cites))
    if queen == "back":
        # A queen that goes back passes the turn, whatever else fell: the cover was missed, or there can be none.
        keep = False
    elif case.theirs and case.own:
        keep = case.policy("turn_with_theirs") == "keep"
    else:
        keep = case.own > 0 or queen == "pending"
    cites.append(words.keep if keep else words.lose)
    return Outcome(keep=keep, queen=queen, queen_why=why, cites=tuple(cites))


def _covers(case: Case, words: Words) -> tuple[bool, bool]:
    """Says whether an own piece of this stroke covers the queen, and whether one fell into another pocket than she."""
    if not case.own:
        return False, True
    if not words.same_pocket or not case.live(words.same_pocket) or not case.sees("pocketed.pocket"):
        return True, True
    if case.queen_fell and case.policy("one_pocket") == "covers":
        return True, True
    where = next((p.pocket for p in case.fell if p.piece == "queen"), case.queen_pocket)
    if not (case.queen_fell or case.queen == "pending") or where is None:
        return True, True
    apart = any(p.piece == case.own_colour and p.pocket != where for p in case.fell)
    return apart, apart


def _end(case: Case, words: Words, holder: str) -> End | None:
    lost = int(case.policy("last_piece_points"))
    if case.own and case.own_left == 0:
        if holder == "own":
            return End("own", _capped(case, case.theirs_left + queen_value(case, "own")), words.won)
        if holder == "theirs" and words.holder and case.live(words.holder):
            return End("theirs", lost, words.holder)
        if holder == "theirs":
            return End("own", _capped(case, case.theirs_left), words.won)
        return End("theirs", _capped(case, lost + case.theirs_left), words.own_last)
    if case.theirs and case.theirs_left == 0 and case.live(words.theirs_last):
        return _theirs_cleared(case, words, holder, case.own_left, fouled=False)
    return None


def _theirs_cleared(case: Case, words: Words, holder: str, own_left: int, *, fouled: bool) -> End:
    lost = int(case.policy("last_piece_points"))
    if holder == "own" and words.holder and not fouled and case.live(words.holder):
        return End("own", lost, words.holder)
    if holder not in ("own", "theirs") or (case.policy("theirs_last") == "lost" and not case.drop):
        return End("theirs", lost, words.theirs_last)
    queen = queen_value(case, "theirs") if holder == "theirs" else 0
    return End("theirs", _capped(case, own_left + queen), words.theirs_last)


def _capped(case: Case, points: int) -> int:
    cap = int(case.policy("board_cap"))
    return min(points, cap) if cap else points
