"""Applies a resolver's outcome to the state: pieces, queen, dues, scores at once, turn, board's end.

Everything here is common to all books. A part of the outcome whose clause is switched off does not happen.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.errors import EventError
from controller.events.expectation import ToPlace
from controller.events.match import RestPiece
from controller.events.ruling import Returned
from controller.events.words import Colour, Piece, Seat
from controller.rules import progress
from controller.rules.account import NewDue, ring_of, settle
from controller.rules.case import Back, Case, Outcome
from controller.rules.draft import Draft
from controller.rules.leaving import other_side
from controller.rules.placing import spots
from controller.rules.play import Ended, Play, changed
from controller.rules.turns import begin_turn


def apply_outcome(play: Play, case: Case, outcome: Outcome, player: Seat, draft: Draft) -> Play:
    """Returns the state after the stroke; fills the draft with returns, dues, fouls, cites and notes."""
    off = play.book.off
    me = play.side(player)
    draft.cite(*outcome.cites)
    play = _after_the_fall(play, case, me, draft)
    for clause in outcome.fouls:
        draft.foul(clause)
    for clause in outcome.raised:
        draft.foul(clause, to_confirm=True)
    if outcome.notes:
        draft.notes.extend(outcome.notes)
    if case.striker_off:
        draft.cite_role("striker_off")
    end = outcome.end
    if end is not None and end.why not in off:
        return _finish(play, case, outcome, player, draft)
    following = play.turn
    if not outcome.keep and play.turn is not None:
        following = play.next_player(play.turn)
    play = _put_back(play, case, outcome, me, following, draft)
    if outcome.gain:
        play = play.but(score=changed(play.score, me, play.score[me] + outcome.gain))
    if outcome.fines or any(play.owed):
        waived = bool(play.book.policy["fines_waived"])
        dues = [NewDue(me, fine.pieces, fine.why, waived) for fine in outcome.fines]
        play = settle(play, dues, draft)
    play = _count_habits(play, case, me, draft)
    if outcome.keep:
        draft.cite_role("turn_kept")
        return play
    draft.cite_role("turn_lost")
    return play if following is None else begin_turn(play, following)


def _after_the_fall(play: Play, case: Case, me: int, draft: Draft) -> Play:
    """Takes what fell off the board; fixes open colours; keeps the order of what was pocketed."""
    if not case.fell:
        return play
    white = sum(fallen.piece == "white" for fallen in case.fell)
    black = sum(fallen.piece == "black" for fallen in case.fell)
    play = play.but(white_left=play.white_left - white, black_left=play.black_left - black)
    if case.queen_fell:
        pocket = next(fallen.pocket for fallen in case.fell if fallen.piece == "queen")
        play = play.but(queen_in=False, queen_pocket=pocket)
    if case.colour_open and (white or black) and not case.drop:
        first = next(fallen.piece for fallen in case.fell if fallen.piece in ("white", "black"))
        play = play.but(white=me if first == "white" else 1 - me)
        draft.cite_role("colour_fixed")
    if not play.by_colour:
        pocketed: tuple[Piece, ...] = tuple(f.piece for f in case.fell if f.piece in ("white", "black"))
        play = play.but(hands=changed(play.hands, me, play.hands[me] + pocketed))
    return play


def _finish(play: Play, case: Case, outcome: Outcome, player: Seat, draft: Draft) -> Play:
    """The stroke ends the board: nothing is placed, debts lapse.

    What the outcome sends back counts as never pocketed: it is on the board again in all figures, but nobody places it.
    """
    end = outcome.end
    assert end is not None
    me = play.side(player)
    if outcome.own_back is not None:
        play = _lay_back(play, _which(play, case, me, outcome.own_back, True), me)
    play = _queen_at_end(play, case, outcome, me)
    if outcome.gain:
        play = play.but(score=changed(play.score, me, play.score[me] + outcome.gain))
    if end.winner == "own":
        winner: int | None = me
    elif end.winner == "theirs":
        winner = other_side(play, player)
    else:
        winner = None
    ended = Ended(winner, end.points, end.why, end.demand, end.replay)
    play = progress.end_board(play, ended, draft)
    if winner is not None and not case.fouls:
        play = _with_slam(play, winner, me, draft)
    return play


def _queen_at_end(play: Play, case: Case, outcome: Outcome, me: int) -> Play:
    if outcome.queen == "own":
        return play.but(queen="covered", queen_side=me, queen_in=False)
    if outcome.queen == "theirs":
        return play.but(queen="covered", queen_side=1 - me, queen_in=False)
    if outcome.queen == "back":
        return play.but(queen="board", queen_side=None, queen_pocket=None, queen_in=True)
    if case.queen_fell:
        # she lies in the pocket and belongs to nobody: the board is over before she could be covered or go back
        return play.but(queen="pending", queen_side=me, queen_in=False)
    return play


def _with_slam(play: Play, winner: int, me: int, draft: Draft) -> Play:
    """White slam: everything in the board's first turn; black slam: all of black's pieces left in its first turn."""
    slam: Colour
    if winner == me and play.turns == 1 and play.queen == "covered" and play.queen_side == me:
        slam = "white"
        draft.notes.append("white slam")
    elif winner == me and play.turns == 2 and play.colour(me) == "black":
        slam = "black"
        draft.notes.append("black slam")
    else:
        return play
    draft.cite_role(f"{slam}_slam")
    named = play.book.role(f"{slam}_slam") is not None
    return play.but(ended=replace(play.ended, slam=slam)) if named and play.ended is not None else play


def _put_back(play: Play, case: Case, outcome: Outcome, me: int, following: Seat | None, draft: Draft) -> Play:
    """Queen, jumped pieces, pieces of this stroke: in this order, as the umpire does."""
    off = play.book.off
    lying = play.white_left + play.black_left + int(play.queen_in) - case.off_board
    centre: list[tuple[Piece, str]] = []
    ring: list[tuple[Piece, str]] = []
    play, why = _queen_after(play, case, outcome, me, draft)
    if why is not None:
        centre.append(("queen", why))
    if case.off_board:
        centre.extend(_jumped(play, case, me, draft))
    for back, own in ((outcome.own_back, True), (outcome.theirs_back, False)):
        if back is None or back.pieces <= 0 or back.why in off:
            continue
        pieces = _which(play, case, me, back, own)
        (centre if back.centre else ring).extend((piece, back.why) for piece in pieces)
        play = _lay_back(play, pieces, me)
    if not centre and not ring:
        return play
    at = spots(play, len(centre), following, alone=lying == 0) if centre else []
    if centre and at[0] not in (None, (0.0, 0.0)):
        draft.cite_role("queen_place")
    for (piece, why), spot in zip(centre, at, strict=True):
        draft.returned.append(Returned(piece, _name(play, piece, me), why, spot))
        draft.cite(why)
    for piece, why in ring:
        draft.returned.append(Returned(piece, _name(play, piece, me), why, None))
        draft.cite(why)
    circle = ring_of(play.match.board)
    within = (circle.centre, circle.inner_mm, circle.outer_mm)
    if play.rest is not None:
        known = tuple(RestPiece(piece, *spot) for (piece, _), spot in zip(centre, at, strict=True) if spot)
        play = play.but(rest=play.rest + known)
    placing = [
        ToPlace(piece, why, None, spot, None, _name(play, piece, me))
        for (piece, why), spot in zip(centre, at, strict=True)
    ]
    by = play.seat(following)
    placing += [ToPlace(piece, why, by, None, within, _name(play, piece, me)) for piece, why in ring]
    return play.order(tuple(placing))


def _queen_after(play: Play, case: Case, outcome: Outcome, me: int, draft: Draft) -> tuple[Play, str | None]:
    """What becomes of the queen; the clause that puts her back, if one does."""
    match outcome.queen:
        case "own":
            draft.cite(outcome.queen_why)
            return play.but(queen="covered", queen_side=me, queen_in=False), None
        case "theirs":
            draft.cite(outcome.queen_why)
            return play.but(queen="covered", queen_side=1 - me, queen_in=False), None
        case "pending":
            draft.cite(outcome.queen_why)
            return play.but(queen="pending", queen_side=me, queen_in=False), None
        case "back":
            why = outcome.queen_why or draft.why("queen_back")
            if not case.queen_fell and case.queen != "pending":
                raise EventError("the queen lies on the board already")
            if why in play.book.off:
                return play.but(queen="covered", queen_side=me, queen_in=False), None
            back = play.but(queen="board", queen_side=None, queen_pocket=None, queen_in=True)
            return back, why
        case "same":
            if case.queen_fell:
                return play.but(queen="pending", queen_side=me, queen_in=False), None
            return play, None


def _jumped(play: Play, case: Case, me: int, draft: Draft) -> list[tuple[Piece, str]]:
    """Jumped pieces in the order they go to the centre: queen, the striking side's, the other side's (law 65)."""
    mine = play.colour(me)
    order = {"queen": 0, mine: 1}
    pieces = [piece for piece in case.shot.off_board if piece != "striker"]
    pieces.sort(key=lambda piece: order.get(piece, 2))
    why = draft.why("jump")
    queen, colours = "queen" in pieces, {"white", "black"} <= set(pieces)
    if len(pieces) > 2:
        draft.cite_role("jump_more")
    if queen and len(pieces) > 1:
        draft.cite_role("jump_two")
    elif colours:
        draft.cite_role("jump_colours")
    return [(piece, why) for piece in pieces]


def _which(play: Play, case: Case, me: int, back: Back, own: bool) -> list[Piece]:
    """The pieces of this stroke that go back: the last ones to fall of that owner."""
    if case.own_colour is None and case.book.colours == "none":
        fell: list[Piece] = [f.piece for f in case.fell if f.piece in ("white", "black")]
    else:
        colour = case.own_colour or play.colour(me) or "white"
        wanted = colour if own else ("black" if colour == "white" else "white")
        fell = [f.piece for f in case.fell if f.piece == wanted]
    return fell[::-1][: back.pieces]


def _lay_back(play: Play, pieces: list[Piece], me: int) -> Play:
    white, black = pieces.count("white"), pieces.count("black")
    play = play.but(white_left=play.white_left + white, black_left=play.black_left + black)
    if not play.by_colour:
        hand = list(play.hands[me])
        for piece in pieces:
            at = max((i for i, one in enumerate(hand) if one == piece), default=None)
            if at is not None:
                del hand[at]
        play = play.but(hands=changed(play.hands, me, tuple(hand)))
    return play


def _name(play: Play, piece: Piece, me: int) -> Seat | None:
    if piece == "queen":
        return None
    owner = play.owner(piece)
    if owner is not None:
        return play.match.sides[owner]
    return play.match.sides[me] if play.book.hands == "pocketed" else None


def _count_habits(play: Play, case: Case, me: int, draft: Draft) -> Play:
    """Strokes with nothing pocketed (a reshuffle may be offered), strokes that took opponent's pieces (a warning)."""
    policy = play.book.policy
    quiet = 0 if (case.own or case.theirs or case.queen_fell) else play.quiet + 1
    if quiet != play.quiet:
        play = play.but(quiet=quiet)
    if policy["stalemate_turns"] and quiet >= policy["stalemate_turns"] and play.book.role("stalemate"):
        draft.cite_role("stalemate")
        draft.notes.append(f"{quiet} strokes with nothing pocketed: a reshuffle may be offered")
    if case.theirs and not case.drop:
        robbed = play.robbed[me] + 1
        play = play.but(robbed=changed(play.robbed, me, robbed))
        if policy["repeat_limit"] and robbed >= policy["repeat_limit"] and play.book.role("repeat"):
            draft.cite_role("repeat")
            draft.notes.append("opponent's pieces pocketed again: a warning is suggested")
    return play
