"""Explains the intervals that no motion window explains: between strokes, in a camera outage, under a hand.

An interval lies between the last board accounted for and the next one at rest, with the beam interruptions since. It
goes on while a hand is over the board, or something moves. What fell in it is a drop, or a stroke that was played while
there were no pictures: beams tell where and when, the boards tell what. Must not guess a colour: what nobody saw is
`unknown`, and the umpire is asked; what was read from boards alone is reported as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from controller.events.expectation import Expectation
from controller.events.match import FACTS, Drop, Pocketed, Shot
from controller.events.observation import RAN_MM, BoardSeen, SeenPiece, StrokeSeen, Track
from controller.events.words import Piece
from controller.shots import board_vs_book, confident
from controller.shots.board_vs_book import Change, change
from controller.shots.conclude import conclude, fell_at_the_end
from controller.shots.confident import is_confident
from controller.shots.fusion import JointHypothesis
from controller.shots.missing import Interval
from controller.shots.opening import opening_faults
from controller.shots.outcome import doubts_of, pocketed
from controller.shots.outputs import Choice, DropRead, Evidence, Mismatch, Output, PulseNote, ShotRead
from controller.shots.played import lies_placed
from controller.shots.pulses import Pulse
from controller.shots.reading import explain, pulse_notes, rest_of, span_ns
from controller.shots.sights import sights
from controller.shots.state import Outage, ShotState, Step, accounted, alert, awaits_ruling, cue

UNSEEN = tuple(path for path, one in FACTS.items() if one.fact.source == "camera" and "." not in path)
"""What only pictures of the stroke itself could tell, and where everything lies."""

MOST_GONE = 6
"""Strokes hardly ever take more pieces from a board than this; people clearing up do."""

SURE_DROP = 0.9
"""A drop is ruled on without a question, so nothing else may be likely."""


def advance(state: ShotState) -> Step:
    """Explains what can be explained now: the earliest stroke that waits, else the interval up to now."""
    outputs: tuple[Output, ...] = ()
    live, limits = state.liveness, state.limits
    if not state.pending and live.no_eyes(limits):
        state, outputs = outage_begins(state, live.seen_ns)
        state, more = _felt_in_outage(state)
        return state, (*outputs, *more)
    if state.waits_for_book:
        return state, ()
    if state.pending:
        before = _outage_before(state, state.pending[0])
        return conclude(state) if before is None else before
    if not live.eyes_up(limits):
        return state, ()
    board = _resting_board(state)
    if state.outage is not None:
        if board is None or board.t_ns <= state.outage.since_ns or not _stood(state, board, state.outage):
            return state, ()
        state, outputs = _outage_ends(state, state.outage, board)
        if state.waits_for_book:
            return state, outputs
    state, unclaimed = _unclaimed(state, seen=board is not None)
    state, more = (state, ()) if board is None else _between(state, board)
    return state, (*outputs, *unclaimed, *more)


def _resting_board(state: ShotState) -> BoardSeen | None:
    """Returns the newest board if it lies still, unhidden by hands, and nothing is under way."""
    if not state.boards:
        return None
    board = state.boards[-1]
    if board.hands or board.since_ns < state.read_until_ns:
        return None
    if state.hands and state.hands[-1].t_ns > board.t_ns and state.hands[-1].hands:
        return None
    if state.moving_ns is not None and board.since_ns <= state.moving_ns:
        return None
    return board if state.rested_ns(board, board.since_ns) >= state.limits.steady_ns else None


# -- pictures on both sides


def _between(state: ShotState, board: BoardSeen) -> Step:
    """Compares the board at rest with the last one accounted for, and with the book."""
    looked = (board, state.expectation, len(state.edges))
    if state.looked is not None and (state.standing is None or state.standing.said):
        seen, book, edges = state.looked
        if seen is board and book is state.expectation and edges == len(state.edges):
            return state, ()
    state = replace(state, looked=looked)
    if state.reference is None:
        state = accounted(replace(state, felt_before=(state.settled_until_ns, board.since_ns)), board)
    state, outputs = sights(state, board)
    book = state.expectation
    if book is None or not book.play:
        state, more = board_vs_book.withdraw(accounted(state, board), board, state.open)
    elif book.opening:
        state, more = board_vs_book.opening(accounted(state, board), board, book)
    else:
        state, changed = _changes(state, board, book)
        state, differs = board_vs_book.compare(state, board, book)
        more = (*changed, *differs)
    return state, (*outputs, *more)


def _changes(state: ShotState, board: BoardSeen, book: Expectation) -> Step:
    """Accounts for the board where it is explained what went or came; where it is not, the interval goes on."""
    reference = state.reference
    if reference is None or reference.t_ns >= board.t_ns:
        return state, ()
    found = change(reference, board, state.limits.nudge_mm)
    state, asked = _left_its_line(state, reference, board)
    if asked:
        return state, asked
    if found.removed and not found.added and (not found.moved or _shaken(state, reference)):
        return _fell(state, reference, board, book, found.removed)
    if found.added and not found.removed and book.to_place:
        return board_vs_book.placed(state, board, book, found)
    return (accounted(state, board) if found == Change((), (), ()) else state), ()


def _fell(
    state: ShotState, reference: BoardSeen, board: BoardSeen, book: Expectation, removed: Sequence[SeenPiece]
) -> Step:
    """Pieces are gone from near the pockets: late in the last stroke, or by themselves, as a beam or the pocket's mouth
    says; anything else is compared with the book."""
    limits, shaken = state.limits, _shaken(state, reference)
    reach_mm = state.board.pocket_radius_mm + limits.drop_reach_mm
    if any(state.board.nearest_pocket(*piece.at)[1] > reach_mm for piece in removed):
        # One that lay out on the board was struck, seen or not.
        return state, ()
    if _ran(state, reference, board) or _was_taken_up(state, reference, board):
        # A stroke of which nobody saw enough.
        return state, ()
    late = fell_at_the_end(state, removed)
    if late is not None:
        return awaits_ruling(accounted(late[0], board)), late[1]
    if not shaken and not all(_overhangs(piece, state) for piece in removed):
        # Nothing falls by itself that lies on the board: something that nobody saw made it fall.
        return state, ()
    span = (state.settled_until_ns, max(board.t_ns, state.liveness.now_ns))
    blind = state.liveness.blind(*span, limits)
    tracks = tuple(track for work in state.works if work.began_ns >= reference.since_ns for track in work.tracks)
    interval = Interval(reference, board, state.pulses(*span), blind, tracks)
    seen, outcomes = explain(state, interval, book, nobody_saw=False)
    best = outcomes[0]
    fell = best.fell
    other = any(one.fate in ("off", "taken") for one in best.hypotheses)
    if not fell or other or best.weight < SURE_DROP or confident.is_ruled_out(best, seen.lay, board):
        return state, ()
    evidence = Evidence(
        weight=best.weight,
        pulses=pulse_notes(seen.pulses, best),
        pictures=(None, reference.picture, board.picture),
        clip_ns=(span[0], board.t_ns),
        sources=tuple((f"drop.{one.name}", "camera" if one.pulse is None else "both") for one, _ in fell),
    )
    outputs: list[Output] = []
    for one, piece in fell:
        like = [lay for lay in reference.pieces if lay.piece in (piece, "unknown")]
        rim = one.pocket is not None and any(lay.in_mouth == one.pocket for lay in like)
        t = None if one.t_ns is None else round((one.t_ns - state.start_ns) / 1e9, 3)
        drop = Drop(piece, one.pocket, rim, "shake" if shaken else "unknown", t)
        outputs.append(DropRead(drop, one.t_ns or board.since_ns, evidence, _what_else(outcomes, one.name)))
    return awaits_ruling(accounted(state, board)), tuple(outputs)


def _left_its_line(state: ShotState, reference: BoardSeen, board: BoardSeen) -> Step:
    """Asks once whether a stroke was played, where the striker lay placed and lies in the field now: none was read, but
    a hand that lies over it hides how it went."""
    since = [reference, *_since(state, reference, board)]
    lay = next((one for seen in reversed(since) for one in seen.strikers if is_confident(one)), None)
    lies = next(filter(is_confident, board.strikers), None)
    if lay is None or lies is None or not lies_placed(state.board, lay, state.seats) or lies_placed(state.board, lies):
        return state, ()
    says = "the striker lay placed and lies in the field now: was it played?"
    now = replace(reference, pieces=(*reference.coins, lies))
    return alert(replace(state, reference=now), Mismatch("unseen_change", board.t_ns, says, picture=board.picture))


def _since(state: ShotState, reference: BoardSeen, board: BoardSeen) -> list[BoardSeen]:
    return [one for one in state.boards if reference.t_ns < one.t_ns < board.t_ns]


def _striker(board: BoardSeen) -> SeenPiece | None:
    return board.strikers[0] if len(board.strikers) == 1 else None


def _ran(state: ShotState, reference: BoardSeen, board: BoardSeen) -> bool:
    """Says whether the striker lies in the field now, where it did not lie before."""
    lay, lies = _striker(reference), _striker(board)
    return lies is not None and not lies_placed(state.board, lies) and (lay is None or lies.apart_mm(lay) > RAN_MM)


def _overhangs(piece: SeenPiece, state: ShotState) -> bool:
    """Says whether a piece lies over a pocket's hole, if only with its edge."""
    board = state.board
    overlap_mm = board.pocket_radius_mm + board.radius_mm(piece.piece) - board.nearest_pocket(*piece.at)[1]
    return piece.in_mouth is not None or overlap_mm > 0.0


def _was_taken_up(state: ShotState, reference: BoardSeen, board: BoardSeen) -> bool:
    """Says whether the striker lay placed since, and lies there no more: nobody knows that it was not played."""
    since = [reference, *_since(state, reference, board)]
    lay = next((one for seen in reversed(since) for one in seen.strikers if lies_placed(state.board, one)), None)
    return lay is not None and not any(one.apart_mm(lay) <= RAN_MM for one in board.strikers)


def _shaken(state: ShotState, reference: BoardSeen) -> bool:
    return any(work.shake_mm > state.limits.shake_mm for work in state.works if work.began_ns >= reference.since_ns)


def _what_else(outcomes: Iterable[JointHypothesis], name: str) -> tuple[tuple[Piece, float], ...]:
    """Returns what else the piece of a hypothesis may have been, weighted; empty if nothing."""
    shares: dict[Piece, float] = {}
    for outcome in outcomes:
        for one, piece in outcome.fell:
            if one.name == name:
                shares[piece] = shares.get(piece, 0.0) + outcome.weight
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])
    return tuple((piece, round(share, 4)) for piece, share in ranked) if len(ranked) > 1 else ()


# -- no pictures: an outage may be as short as a vision process takes to start anew


def outage_begins(state: ShotState, last_ns: int) -> Step:
    """There are no pictures after `last_ns`; the vision process may still remember what it saw last."""
    if state.outage is not None:
        return state, ()
    return cue(replace(state, outage=Outage(last_ns)), "camera_lost", state.liveness.now_ns)


def partly_watched(state: ShotState, work: StrokeSeen) -> ShotState:
    """Something moved, no striker was seen to be struck, and pictures were missing for long enough to strike one: what
    it left is read as after any outage. Where nothing of before is remembered, it lay as the vision process says."""
    without_ns = sum(until_ns - from_ns for from_ns, until_ns in work.blind)
    if without_ns < state.limits.steady_ns or work.ended_ns <= state.settled_until_ns:
        return state
    return replace(
        state,
        outage=state.outage or Outage(work.blind[0][0]),
        reference=work.before if state.reference is None else state.reference,
    )


def vision_restarts(state: ShotState, last_ns: int) -> Step:
    """The vision process has restarted: of what was moving then, nobody reports how it came to rest."""
    state, outputs = outage_begins(state, last_ns)
    assert state.outage is not None
    cut = state.moving_ns if state.outage.cut_ns is None else state.outage.cut_ns
    since = min(cut or last_ns, state.outage.since_ns)
    return replace(state, outage=Outage(since, restarted=True, cut_ns=cut)), outputs


def _felt_in_outage(state: ShotState) -> Step:
    """Without a camera a stroke is over when the beams have reported quiet for long enough. What the node kept while
    disconnected comes late, and belongs to the stroke in which it fell."""
    book, limits, outage, live = state.expectation, state.limits, state.outage, state.liveness
    if outage is None or state.waits_for_book or book is None or not book.play:
        return state, ()
    pulses = _pieces(state, _from_ns(state, outage), live.now_ns)
    if not pulses or min(live.tick_ns, live.beams_until_ns) - pulses[-1].t_ns < limits.blind_quiet_ns:
        return state, ()
    fell = (Pocketed("unknown", one.pocket, round((one.t_ns - state.start_ns) / 1e9, 3)) for one in pulses)
    shot = _unseen_shot(state, book, pulses[0].t_ns, pocketed=tuple(fell))
    evidence = Evidence(
        sources=(("pocketed", "beam"), *((fact, "none") for fact in shot.unseen)),
        pulses=tuple(PulseNote(one.pocket, one.t_ns, one.until_ns, one.beams, "a piece nobody saw") for one in pulses),
        notes=("no camera: where pieces fell is known, what fell is not",),
        began_ns=pulses[0].t_ns,
    )
    read = ShotRead(shot, pulses[0].t_ns, pulses[-1].t_ns, evidence)
    until_ns = pulses[-1].t_ns + limits.after_ns
    outage = Outage(outage.since_ns)
    return awaits_ruling(replace(state, settled_until_ns=until_ns, reference=None, outage=outage, moving_ns=None)), (
        read,
    )


def _outage_before(state: ShotState, stroke: StrokeSeen) -> Step | None:
    """Settles the outage before the first stroke that a restarted vision process followed; None if there is none.

    If it saw the board at rest before that stroke, this board shows what happened in the outage. If it began in the
    middle of a stroke, what it followed is the rest of it: the stroke is read from the boards around the outage.
    """
    outage = state.outage
    if outage is None or not outage.restarted or state.reference is None:
        return None
    if min(stroke.before.t_ns, stroke.ended_ns) <= outage.since_ns:
        return None
    if stroke.began_ns - stroke.before.since_ns >= state.limits.steady_ns:
        return _outage_ends(state, outage, stroke.before)
    cut = stroke.began_ns if outage.cut_ns is None else outage.cut_ns
    return _outage_ends(replace(state, pending=state.pending[1:]), replace(outage, cut_ns=cut), stroke.after)


def _stood(state: ShotState, board: BoardSeen, outage: Outage) -> bool:
    """Says whether a board has lain still for long enough, and the beams have spoken up to then or may not."""
    stood = state.rested_ns(board, board.since_ns)
    if outage.restarted and stood < state.limits.persist_ns:
        return False
    # Right after a start the node is still to be greeted, however long the board has lain.
    waited = min(stood, state.liveness.tick_ns - state.liveness.since_ns)
    return waited >= state.limits.never_wait_ns or state.liveness.felt_until(board.since_ns, state.limits)


def _outage_ends(state: ShotState, outage: Outage, board: BoardSeen) -> Step:
    """Compares the boards before and after an outage, with the beam interruptions between them."""
    reference, book, limits = state.reference, state.expectation, state.limits
    state, outputs = cue(replace(state, outage=None, moving_ns=None), "camera_back", state.liveness.now_ns)
    if reference is None or book is None or not book.play:
        return state, outputs
    if book.opening and not (state.racked and opening_faults(board, book, state.board) is None):
        return state, outputs
    from_ns, until_ns = _from_ns(state, outage), board.since_ns + limits.after_ns
    pulses = _pieces(state, from_ns, until_ns)
    found = change(reference, board, limits.same_place_mm)
    lay = _striker(reference)
    ran = outage.restarted and _ran(state, reference, board)
    played = bool(found.moved) or outage.cut_ns is not None or ran
    # What the beams say of it later, nothing claims.
    state = replace(state, felt_before=(until_ns if pulses else from_ns, until_ns))
    if not (pulses or found.removed or played):
        return state, outputs
    settled = max(state.settled_until_ns, until_ns)
    state = replace(state, reference=board, settled_until_ns=settled, standing=None)
    if len(found.removed) > MOST_GONE or not (pulses or played):
        # Cleared away, or something taken from the board: reported with what is missing.
        return state, outputs
    taken = lay is not None and lies_placed(state.board, lay) and not board.strikers
    began = outage.cut_ns if outage.cut_ns is not None else pulses[0].t_ns if pulses else outage.since_ns
    if not (played or found.removed or taken):
        says = f"felt in {_where(pulses)} while there was no picture, and nothing is gone: was a stroke played?"
        told = Mismatch("unseen_change", board.t_ns, says, picture=board.picture)
    elif not (pulses or found.removed):
        state, told = replace(state, racked=False), _whether_played(state, book, board, began, len(found.moved))
    else:
        striker = Track(-1, "striker", None, None, began, board.since_ns)
        hands = tuple(hand for seen in state.hands if seen.t_ns >= from_ns for hand in seen.hands)
        blind = state.liveness.blind(from_ns, board.since_ns, limits)
        interval = Interval(reference, board, pulses, blind, (striker,), striker, hands)
        outputs = (*outputs, _played(state, interval, book, began, from_ns))
        read_until_ns = max(state.read_until_ns, board.since_ns)
        state = replace(state, racked=False, read_until_ns=read_until_ns, told_at=book.seq, put=())
        state = awaits_ruling(state)
        says = (
            "a stroke was played while there was no picture: what fell is read from beams and board, its fouls are not"
        )
        told = Mismatch("unseen_change", board.t_ns, says, picture=board.picture)
    state, said = alert(state, told)
    return state, (*outputs, *said)


def _whether_played(state: ShotState, book: Expectation, board: BoardSeen, began_ns: int, moved: int) -> Mismatch:
    """Asks whether a stroke was played: nothing fell, and only a person knows whether hands did it."""
    what = f"{moved} pieces moved" if moved > 1 else "one piece moved" if moved else "the striker moved"
    says = f"{what} while there was no picture: was a stroke played?"
    shot = _unseen_shot(state, book, began_ns, rest=rest_of(board))
    choices = (Choice("yes, and nothing fell", shot), Choice("no"))
    return Mismatch("unseen_change", board.t_ns, says, question=says, choices=choices, picture=board.picture)


def _played(state: ShotState, interval: Interval, book: Expectation, began_ns: int, from_ns: int) -> ShotRead:
    """Reads a stroke that nobody saw from what fell and what is left."""
    after = interval.after
    _, outcomes = explain(state, interval, book)
    best = outcomes[0]
    shot = _unseen_shot(
        state,
        book,
        began_ns,
        pocketed=pocketed(best, state.start_ns),
        off_board=best.off_board,
        rest=rest_of(after),
        doubts=doubts_of(outcomes, state.start_ns, state.limits),
    )
    evidence = Evidence(
        sources=(("pocketed", "both"), *((fact, "none") for fact in shot.unseen)),
        weight=best.weight,
        pulses=pulse_notes(interval.pulses, best),
        pictures=(None, interval.before.picture, after.picture),
        clip_ns=(min(from_ns, began_ns), after.t_ns),
        notes=("played while there was no picture: read from what fell and what is left",),
        began_ns=began_ns,
    )
    return ShotRead(shot, began_ns, after.since_ns, evidence)


def _unseen_shot(state: ShotState, book: Expectation, began_ns: int, **known: Any) -> Shot:
    """Returns a stroke that nobody saw, with the facts that are known of it all the same."""
    t = round((began_ns - state.start_ns) / 1e9, 3)
    unseen = tuple(fact for fact in UNSEEN if fact not in known)
    return Shot(seat=book.turn or "south", t=t, placement=None, contacts=None, unseen=unseen, **known)


def _from_ns(state: ShotState, outage: Outage) -> int:
    """Returns since when interruptions belong to an outage."""
    return max(state.settled_until_ns, outage.since_ns - state.limits.after_ns)


def _pieces(state: ShotState, from_ns: int, until_ns: int) -> tuple[Pulse, ...]:
    """Returns the interruptions that may be pieces: neither dirt nor a hand."""
    limits = state.limits
    return tuple(one for one in state.pulses(from_ns, until_ns) if not one.short and not one.stuck(limits))


def _where(pulses: Iterable[Pulse]) -> str:
    return ", ".join(dict.fromkeys(pulse.pocket for pulse in pulses))


# -- the board hidden


def _unclaimed(state: ShotState, *, seen: bool) -> Step:
    """Reports a beam interruption like a piece's that no stroke and no drop has claimed for long enough.

    Where the board is `seen` only one of before the first board of all: nobody can say what is gone since. Of any later
    one what is gone is reported, and what fell of which nothing is gone was no piece.
    """
    book, limits, tick_ns = state.expectation, state.limits, state.liveness.tick_ns
    if book is None or not book.play or book.opening:
        return state, ()
    from_ns, before_ns = state.felt_before if seen else (state.settled_until_ns, tick_ns)
    from_ns, until_ns = max(from_ns, state.unclaimed_ns), min(before_ns, tick_ns - limits.claim_ns)
    if state.moving_ns is not None:
        # A stroke that is still to be published may claim them.
        until_ns = min(until_ns, max(state.moving_ns - limits.before_ns, tick_ns - limits.longest_ns))
    read = [span_ns(old.stroke, limits) for old in state.concluded]
    pulses = [
        pulse
        for pulse in state.pulses(from_ns, until_ns)
        if pulse.like_a_piece(limits) and not any(began <= pulse.t_ns <= ended for began, ended in read)
    ]
    if not pulses:
        return state, ()
    says = f"felt in {_where(pulses)} like a piece that falls, and nothing seen says what it was: look at the board"
    picture = state.boards[-1].picture if state.boards else None
    said = Mismatch("unseen_change", pulses[-1].t_ns, says, picture=picture)
    return alert(replace(state, unclaimed_ns=pulses[-1].t_ns + 1), said)
