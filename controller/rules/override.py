"""The umpire's override: parts of a ruling set right by hand, refused where the pieces do not add up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from controller.events.errors import EventError
from controller.events.expectation import ToPlace
from controller.events.words import Colour
from controller.rules import progress
from controller.rules.account import ring_of
from controller.rules.draft import Draft
from controller.rules.opening import has_queen, playing, whose_is_gone
from controller.rules.placing import queen_spot
from controller.rules.play import Ended, Play
from controller.rules.turns import give_turn


def override_play(play: Play, parts: Mapping[str, Any], draft: Draft) -> Play:
    """Returns the state with parts of the ruling set. Raises EventError if what results does not add up."""
    if "turn" in parts:
        play = give_turn(play, playing(play, parts["turn"], "set.turn"))
    play = _pieces(play, parts)
    if "owed" in parts:
        play = play.but(owed=_by_side(play, parts["owed"], play.owed, "owed"))
    if "score" in parts:
        play = play.but(score=_by_side(play, parts["score"], play.score, "score"))
        if play.phase == "play":
            play = play.but(opened=play.score)
    if play.queen == "pending" and play.phase == "play" and play.turn and play.queen_side != play.side(play.turn):
        raise EventError("set: a pending queen is covered by the side on turn")
    if "board" in parts:
        play = _board(play, parts["board"], draft)
    elif "score" in parts:
        play = progress.judge_again(play, draft)
    return play.but(blocked=None)


def _by_side(play: Play, values: Mapping[str, int], base: tuple[int, ...], key: str) -> tuple[int, ...]:
    found = list(base)
    for side, value in values.items():
        if side not in play.match.sides:
            raise EventError(f"set.{key}: there is no side {side}")
        found[play.match.sides.index(side)] = value
    return tuple(found)


def _pieces(play: Play, parts: Mapping[str, Any]) -> Play:
    """Pieces on the board and the queen: a queen on the board is counted in `left`, any other is not."""
    before = play
    pieces = play.book.pieces
    left = parts.get("left", {})
    for piece, count in left.items():
        if count > pieces[piece]:
            raise EventError(f"set.left.{piece}: there are {pieces[piece]}, not {count}")
    if left.get("white", play.white_left) < play.white_left or left.get("black", play.black_left) < play.black_left:
        whose_is_gone(play, "set.left: the colours are open and nobody owns what is gone; set a position with white")
    play = play.but(white_left=left.get("white", play.white_left), black_left=left.get("black", play.black_left))
    queen = parts.get("queen", play.queen)
    if "queen" in left:
        implied = left["queen"] == 1
        if "queen" not in parts and implied != (play.queen == "board"):
            if not implied:
                raise EventError("set.queen is missing: she is not on the board; pending or covered?")
            queen = "board"
        if (queen == "board") != implied:
            raise EventError(f"set: {left['queen']} queen on the board does not fit a queen that is {queen}")
    if queen != "covered" and queen != play.queen:
        has_queen(play, "set.queen")
    side = play.queen_side
    if "queen_side" in parts:
        if parts["queen_side"] not in play.match.sides:
            raise EventError(f"set.queen_side: there is no side {parts['queen_side']}")
        side = play.match.sides.index(parts["queen_side"])
    if queen == "board":
        if "queen_side" in parts:
            raise EventError("set.queen_side: a queen on the board belongs to nobody")
        side = None
    elif side is None and not play.tie:
        if queen == "pending" and play.turn is not None:
            side = play.side(play.turn)
        else:
            raise EventError(f"set.queen_side is missing: whose is the {queen} queen?")
    play = play.but(queen=queen, queen_side=side, queen_in=queen == "board" and bool(pieces["queen"]))
    play = _ordered(before, play)
    over = play.phase != "play" or parts.get("board", {}).get("over") is True
    if not over and play.finished() is not None:
        raise EventError("set.left: a side with nothing left has ended the board; set board.over too")
    for i, owed in enumerate(parts.get("owed", {}).values()):
        if owed > sum(pieces.values()):
            raise EventError(f"set.owed: {owed} is more than there are pieces ({i})")
    return play


def _ordered(before: Play, play: Play) -> Play:
    """What the umpire puts on the board lies to be placed; what he takes off does not lie to be placed any more."""
    why = play.book.role("override") or "override"
    more: list[ToPlace] = []
    for piece in get_args(Colour):
        owner = play.owner(piece)
        side = None if owner is None else play.match.sides[owner]
        change = play.left(piece) - before.left(piece)
        circle = ring_of(play.match.board)
        within = (circle.centre, circle.inner_mm, circle.outer_mm)
        more += [ToPlace(piece, why, None, None, within, side)] * change
        for _ in range(-change):
            play = play.ordered_less(piece)
    if play.queen_in and not before.queen_in:
        more.append(ToPlace("queen", why, None, queen_spot(play, play.turn)))
    elif before.queen_in and not play.queen_in:
        play = play.ordered_less("queen")
    return play.order(tuple(more))


def _board(play: Play, parts: Mapping[str, Any], draft: Draft) -> Play:
    """Number, end, winner and points of the board."""
    if "number" in parts:
        play = play.but(board=parts["number"])
    over = parts.get("over", play.ended is not None)
    if not over:
        if play.ended is not None:
            play = play.but(
                phase="play",
                ended=None,
                game_over=False,
                winner=None,
                score=play.opened,
                games=play.won_before,
                given=play.still_given(),
            )
            play = play.but(turn=play.turn or play.breaker)
        return play
    by_hand = play.book.role("override")
    ended = play.ended or Ended(None, 0, by_hand)
    if play.ended is None or {"winner", "points", "drawn", "on_demand", "why"} & set(parts):
        winner = ended.winner
        if "winner" in parts:
            named = parts["winner"]
            if named is not None and named not in play.match.sides:
                raise EventError(f"set.board.winner: there is no side {named}")
            winner = None if named is None else play.match.sides.index(named)
        if parts.get("drawn"):
            winner = None
        drawn = bool(parts.get("drawn", ended.agreed and winner is None))
        why = parts.get("why", by_hand if parts.get("drawn") else ended.why)
        if why is None and drawn:
            draft.notes.append(progress.AGREED)
        elif why is None:
            why = draft.why("override", play.book.role("board_won"))
        elif why not in play.book.clauses:
            raise EventError(f"set.board.why: {play.book.id} has no clause {why}")
        points = parts.get("points", 0 if winner is None else ended.points)
        result = Ended(winner, points, why, parts.get("on_demand", ended.demand), ended.replay, agreed=drawn)
        base = play.but(score=play.opened, games=play.won_before, phase="play", ended=None, given=play.still_given())
        play = progress.end_board(base, result, draft)
    return play
