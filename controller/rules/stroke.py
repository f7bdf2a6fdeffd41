"""One stroke, from its facts to the state after it. Read this to see what a stroke goes through; what it *does* in each
book is defined by the book's table or resolver (`strokes/`).

Order (law sheet 13.3): may it count at all (paused, out of turn, not struck, late) → a try to break → proper or
improper → what fell → the book's outcome → pieces back, dues, turn, board's end. Every fact of the shot is known here:
doubts have been turned into readings by `questions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from controller.events.errors import EventError
from controller.events.match import Shot
from controller.events.words import Colour, Seat
from controller.rules import progress
from controller.rules.book import Clause
from controller.rules.case import Case, QueenBefore
from controller.rules.consequence import apply_clause, own_foul
from controller.rules.draft import Draft
from controller.rules.facts import broken, gone_untouched, is_late, touched_a_piece, watched
from controller.rules.outcome import apply_outcome
from controller.rules.play import Play, changed
from controller.rules.strokes import resolver
from controller.rules.turns import lose_turn, take_turn


@dataclass(frozen=True, slots=True)
class Words:
    """People's calls about a stroke: clauses confirmed (called) and waved away.

    `fouled`: those of the confirmed that were called as a foul, whatever the clause's own consequence is.
    """

    confirmed: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    fouled: frozenset[str] = frozenset()


NOTHING_SAID = Words()


def rule_stroke(
    play: Play, seq: int, shot: Shot, words: Words, draft: Draft, as_played: bool, put_back: bool = False
) -> Play:
    """Rules on one stroke. `as_played`: the seat that struck counts as on turn (re-ruling after a correction);
    `put_back`: the stroke was void as out of turn, and stays so whoever is on turn now.

    Raises EventError, with nothing changed, for a stroke that cannot be.
    """
    if play.phase == "done":
        raise EventError("the match is over")
    if play.phase == "play":
        return _rule(play, seq, shot, words, draft, as_played, put_back)
    tried = _only_tried(play, shot, words, draft)
    if tried is not None:
        return tried
    opened = progress.open_board(play, draft)
    cited = len(draft.cites)
    after = _rule(opened, seq, shot, words, draft, as_played, put_back)
    if draft.void and after is opened:
        # a stroke that does not count opens no board
        del draft.cites[:cited]
        return play
    return after


def _only_tried(play: Play, shot: Shot, words: Words, draft: Draft) -> Play | None:
    """A stroke between two boards that somebody has confirmed to be a try: it opens none and breaks none. Else None."""
    player = play.chairs.get(shot.seat)  # type: ignore[arg-type]
    confirmed = (play.book.clauses[clause] for clause in words.confirmed)
    tried = [clause for clause in confirmed if "practice" in shot.flags and "practice" in clause.flags]
    if not tried or player is None:
        return None
    draft.void, draft.seat, draft.unseen = True, play.seat(player), shot.unseen
    for clause in tried:
        draft.foul(clause.id)
    draft.notes.append("tried between two boards: no stroke")
    return _besides_a_void_stroke(play, player, shot, words, draft)


def _rule(play: Play, seq: int, shot: Shot, words: Words, draft: Draft, as_played: bool, put_back: bool) -> Play:
    player = play.chairs.get(shot.seat)  # type: ignore[arg-type]
    if player is None:
        raise EventError(f"seat: nobody sits at {shot.seat}")
    if play.blocked is not None:
        raise EventError(f"the board cannot start: {play.book.clauses[play.blocked].says} ({play.blocked})")
    draft.about_turn, draft.seat, draft.unseen = True, play.seat(player), shot.unseen
    on_turn = player == play.turn or as_played or play.trial_from is not None
    if play.paused:
        without_it = _while_paused
    elif put_back or play.side(player) in play.out or not on_turn:
        without_it = _out_of_turn
    elif _is_none(play, shot, draft):
        without_it = _besides_a_void_stroke
    else:
        # only a stroke that counts has its turn with it: what is none gives nobody the turn
        play = take_turn(play, player, draft)
        _count(play, shot)
        return _count_stroke(play, seq, player, shot, words, draft)
    _count(play, shot)
    draft.void = True
    return without_it(play, player, shot, words, draft)


def _is_none(play: Play, shot: Shot, draft: Draft) -> bool:
    """Says whether nothing that was done counts as a stroke: a slip, a late one, one before «play»."""
    if _not_struck(play, shot):
        draft.cite_role("not_struck")
        draft.notes.append("the striker did not leave the lines: no stroke")
        return True
    if is_late(shot, play.book) and play.book.policy["late_stroke"] == "void":
        draft.cite_role("late")
        draft.notes.append("the stroke came after its time: void")
        return True
    if _before_play(play) and play.book.role("before_play") is None:
        draft.notes.append("play has not been called: void")
        return True
    return False


def _count(play: Play, shot: Shot) -> None:
    """Refuses more pieces than there are."""
    white = black = queen = striker = 0
    for fallen in shot.pocketed:
        white += fallen.piece == "white"
        black += fallen.piece == "black"
        queen += fallen.piece == "queen"
        striker += fallen.piece == "striker"
    for piece in shot.off_board:
        white += piece == "white"
        black += piece == "black"
        queen += piece == "queen"
        striker += piece == "striker"
    checks: tuple[tuple[str, int, int], ...] = (
        ("white", white, play.white_left),
        ("black", black, play.black_left),
        ("queen", queen, int(play.queen_in)),
        ("striker", striker, 1),
    )
    for name, gone, lying in checks:
        if gone > lying:
            were = "there is one striker" if name == "striker" else f"{lying} {name} lay on the board"
            raise EventError(f"pocketed, off_board: {gone} {name} left the board, but {were}")


def _while_paused(play: Play, player: Seat, shot: Shot, words: Words, draft: Draft) -> Play:
    """A stroke while play is stopped is void; in `club` it is a foul too."""
    draft.notes.append("play is stopped: void")
    clause = play.book.role("paused_stroke")
    if clause is not None:
        play = apply_clause(play, play.book.clauses[clause], player, draft)
    fined = bool(draft.dues) and play.book.policy["several_fouls"] == "one due"
    return _besides_a_void_stroke(play, player, shot, words, draft, fined)


def _out_of_turn(play: Play, player: Seat, shot: Shot, words: Words, draft: Draft) -> Play:
    """A stroke by a player who is not on turn is void; icf-51 is raised besides and loses the board if confirmed."""
    draft.put_back = True
    its_turn = player == play.turn
    draft.was_on_turn = its_turn and play.side(player) not in play.out
    draft.notes.append("played out of turn and put back: void" if its_turn else "not on turn: void")
    play = _besides_a_void_stroke(play, player, shot, words, draft)
    spelled = play.book.role("out_of_turn")
    if spelled is None:
        return play
    clause = play.book.clauses[spelled]
    if spelled in words.confirmed:
        draft.cite(spelled)
        return _called(play, clause, player, words, draft)
    if its_turn:
        return play
    draft.cite(spelled)
    if clause.consequence != "board_lost" or spelled in words.waived:
        return play
    if clause.autonomy == "rule":
        return apply_clause(play, clause, player, draft)
    if clause.autonomy == "confirm":
        draft.foul(spelled, to_confirm=True)
    return play


def _besides_a_void_stroke(
    play: Play, player: Seat, shot: Shot, words: Words, draft: Draft, fined: bool = False
) -> Play:
    """What the stroke did does not count; what somebody did besides it does."""
    called = []
    raised = [one for flag in shot.flags for one in play.book.by_flag.get(flag, ()) if watched(shot, "flags")]
    raised += [one for name in words.confirmed if (one := play.book.clauses[name]).about_stroke]
    for clause in dict.fromkeys(raised):
        if clause.id in words.waived:
            continue
        if clause.about_stroke:
            if clause.id in words.confirmed:
                draft.notes.append(f"{clause.id} was confirmed; the stroke does not count")
        elif clause.id in words.confirmed or clause.autonomy == "rule":
            called.append(clause)
        elif clause.autonomy == "confirm":
            draft.foul(clause.id, to_confirm=True)
        else:
            draft.notes.append(f"{clause.id}: {clause.says}")
    return _besides(play, called, player, words, draft, fined)


def _besides(
    play: Play, clauses: Sequence[Clause], player: Seat, words: Words, draft: Draft, fined: bool = False
) -> Play:
    """Clauses besides the stroke, one after the other. `fined`: the stroke has cost a due already."""
    for clause in clauses:
        dues = len(draft.dues)
        play = _called(play, clause, player, words, draft, fined)
        if play.book.policy["several_fouls"] == "one due":
            fined = fined or len(draft.dues) > dues
    return play


def _called(play: Play, clause: Clause, player: Seat, words: Words, draft: Draft, fined: bool = False) -> Play:
    """A clause besides the stroke: its own consequence, or a foul where it was called as one."""
    if clause.id in words.fouled:
        return own_foul(play, clause, player, draft, fined)
    if play.phase != "play" and clause.consequence in ("board_lost", "draw"):
        draft.foul(clause.id)
        draft.notes.append("the board is over already")
        return play
    return apply_clause(play, clause, player, draft, fined)


def _not_struck(play: Play, shot: Shot) -> bool:
    """The striker still touches its lines and moved nothing: no stroke was made."""
    if shot.left_baseline is not False or not watched(shot, "left_baseline"):
        return False
    if "not_struck" in play.book.roles and play.book.role("not_struck") is None:
        return False
    if play.book.policy["slip"] == "no stroke":
        return True
    moved = shot.contacts is not None and touched_a_piece(shot)
    return not moved and not shot.pocketed and not shot.off_board


def _before_play(play: Play) -> bool:
    required = play.book.policy["play_call"] == "required"
    return required and not play.ready and not play.break_done and play.trial_from is None


def _count_stroke(play: Play, seq: int, player: Seat, shot: Shot, words: Words, draft: Draft) -> Play:
    raised = broken(play.book, play.match.board, shot, play.break_done)
    stroke_fouls, others = _sort_out(play, raised, shot, words, draft)
    side = play.side(player)
    play = play.but(
        last=(seq, player),
        strokes=play.strokes + 1,
        passes=0,
        missed=changed(play.missed, side, 0) if play.missed[side] else play.missed,
        rest=shot.rest,
        to_place=(),
    )
    first = not play.break_done
    tries = play.book.policy["break_tries"]
    untouched = gone_untouched(shot)
    if first and tries and untouched:
        raise EventError(f"contacts: {untouched}: a try to break that touched nothing moves no piece. {_NAME_IT}")
    if untouched:
        draft.notes.append(f"contacts: {untouched}. {_NAME_IT}")
    if first and tries and not touched_a_piece(shot):
        failed = _try_failed(play, player, shot, stroke_fouls, draft)
        if failed is not None:
            return _besides(failed, others, player, words, draft)
    elif first:
        play = play.but(break_done=True, tries=0)
        draft.cite_role("break_made")
    case = make_case(play, player, shot, tuple(stroke_fouls), first)
    if words.waived:
        case = replace(case, waived=words.waived)
    book = play.book
    outcome = resolver(book.resolver).resolve(case)
    after = apply_outcome(play, case, outcome, player, draft)
    return _besides(after, others, player, words, draft, fined=bool(stroke_fouls or outcome.fouls))


_NAME_IT = "Name what was touched, or leave contacts out"


def _sort_out(
    play: Play, raised: list[Clause], shot: Shot, words: Words, draft: Draft
) -> tuple[list[str], list[Clause]]:
    """Sorts what was raised and called: ruled on the stroke, ruled besides the stroke, to confirm, only noted."""
    book = play.book
    # what the stroke's own facts raised is about the stroke, also where only a person may confirm it (icf-124c)
    by_fact = {clause.id for clause in raised if clause.detects and not set(clause.flags) & set(shot.flags)}
    if is_late(shot, book) and (late := book.role("late")) is not None and book.clauses[late] not in raised:
        raised.append(book.clauses[late])
    if _before_play(play) and (early := book.role("before_play")) is not None:
        raised.append(book.clauses[early])
    for spelled in words.confirmed:
        if all(clause.id != spelled for clause in raised):
            raised.append(book.clauses[spelled])
    on_stroke: list[str] = []
    besides: list[Clause] = []
    for clause in raised:
        if clause.id in words.waived or clause.id in book.off:
            continue
        autonomy = "rule" if clause.id in words.confirmed else clause.autonomy
        nothing = clause.consequence == "none" and clause.id not in words.fouled
        if autonomy == "note" or nothing:
            draft.cite(clause.id)
            draft.notes.append(f"{clause.id}: {clause.says}")
        elif autonomy == "confirm":
            draft.foul(clause.id, to_confirm=True)
        elif clause.about_stroke or clause.kind == "auto" or clause.id in by_fact or clause.id == book.role("late"):
            draft.foul(clause.id)
            on_stroke.append(clause.id)
        else:
            besides.append(clause)
    return on_stroke, besides


def _try_failed(play: Play, player: Seat, shot: Shot, fouls: list[str], draft: Draft) -> Play | None:
    """A try to break that touched nothing; None where the book rules on it as on any stroke."""
    draft.cite_role("break_failed")
    if fouls or any(fallen.piece == "striker" for fallen in shot.pocketed):
        if play.book.policy["break_fouled"] == "stroke":
            return None
        draft.cite_role("break_fouled")
        return lose_turn(play.but(tries=0), draft)
    tries = play.tries + 1
    if tries < play.book.policy["break_tries"]:
        draft.notes.append(f"try {tries} of {play.book.policy['break_tries']} to break touched nothing")
        return play.but(tries=tries)
    draft.cite_role("break_lost")
    return lose_turn(play.but(tries=0), draft)


def make_case(play: Play, player: Seat, shot: Shot, fouls: tuple[str, ...], first: bool, drop: bool = False) -> Case:
    """Builds what a resolver is given, seen from the side that struck."""
    book = play.book
    me = play.side(player)
    white = black = 0
    queen = striker = False
    opened: Colour | None = None
    for fallen in shot.pocketed:
        if fallen.piece == "white":
            white += 1
            opened = opened or "white"
        elif fallen.piece == "black":
            black += 1
            opened = opened or "black"
        elif fallen.piece == "queen":
            queen = True
        elif fallen.piece == "striker":
            striker = True
    white_left, black_left = play.white_left - white, play.black_left - black
    mine: Colour | None = play.tie.get(player) or play.colour(me)
    if book.colours == "none" and mine is None:
        own, theirs, own_left, theirs_left = white + black, 0, white_left + black_left, 0
        own_hand, theirs_hand = play.hand(me), 0
    else:
        is_white = (mine or opened or "white") == "white"
        own, theirs = (white, black) if is_white else (black, white)
        own_left, theirs_left = (white_left, black_left) if is_white else (black_left, white_left)
        own_hand = 0 if mine is None else book.pieces[mine] - own_left - own
        theirs_hand = 0 if mine is None else book.pieces["black" if is_white else "white"] - theirs_left - theirs
    before: QueenBefore = "board"
    if play.queen == "covered":
        before = "own" if play.queen_side == me else "theirs"
    elif play.queen == "pending":
        before = "pending"
    scores = play.score if book.hands == "pocketed" else play.opened
    return Case(
        book=book,
        shot=shot,
        queen=before,
        queen_fell=queen,
        striker_fell=striker,
        own=own,
        theirs=theirs,
        own_left=own_left,
        theirs_left=theirs_left,
        own_hand=own_hand,
        theirs_hand=theirs_hand,
        owed=play.owed[me],
        had_pocketed=play.had[me] or own_hand > 0,
        fouls=fouls,
        fell=shot.pocketed,
        first=first,
        scores=(scores[me], max((s for i, s in enumerate(scores) if i != me), default=0)),
        queen_pocket=play.queen_pocket,
        striker_off="striker" in shot.off_board,
        off_board=len(shot.off_board) - ("striker" in shot.off_board),
        colour_open=mine is None and book.colours == "first pocketed",
        seat=shot.seat,
        tie_break=bool(play.tie),
        own_colour=mine,
        drop=drop,
        board=play.match.board,
    )
