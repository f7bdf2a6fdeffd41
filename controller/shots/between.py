"""Between two strokes: what somebody placed, what fell by itself, what moved, and what does not fit the book.

Compares the board at rest with the last rest that was accounted for. While a hand is over the
board, or something moves, nothing is reported. Must not rule on anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot

from controller.events.assignment import assign
from controller.events.expectation import Expectation, ToPlace
from controller.events.match import Drop, Placed, RestPiece, Seen
from controller.events.observation import BoardSeen, SeenPiece
from controller.events.words import Piece
from controller.shots import confident
from controller.shots.conclude import fell_at_the_end, waiting_for_book
from controller.shots.differences import Difference, difference, due_not_placed, worded
from controller.shots.fusion import joint_hypotheses
from controller.shots.limits import S
from controller.shots.missing import MotionWindow, to_explain
from controller.shots.odds import likeliest, odds_of
from controller.shots.opening import opening_faults
from controller.shots.outcome import Outcome, outcomes_of
from controller.shots.outputs import DropRead, Evidence, Kind, Mismatch, Output, PlacedRead, Ready, SeenRead
from controller.shots.placement import lines_touched
from controller.shots.reading import available, pulse_notes
from controller.shots.sights import sights
from controller.shots.state import Discrepancy, ShotState, Step


@dataclass(frozen=True, slots=True)
class Change:
    """How a board differs from an earlier one. `moved`: pairs of before and after."""

    added: tuple[SeenPiece, ...]
    removed: tuple[SeenPiece, ...]
    moved: tuple[tuple[SeenPiece, SeenPiece], ...]


_COUNTED: frozenset[Kind] = frozenset({"missing", "extra", "wrong_piece"})
_PLACED: frozenset[Kind] = _COUNTED | {"due_not_placed", "moved"}


def between(state: ShotState) -> Step:
    """Looks at the newest board at rest, if there is one to look at."""
    board = resting_board(state)
    if board is None or _looked_at(state, board):
        return state, ()
    state = replace(state, looked=(board, state.expectation, len(state.edges)))
    if state.reference is None:
        state = replace(state, reference=board, settled_until_ns=max(state.settled_until_ns, board.since_ns))
    state, outputs = sights(state, board)
    expectation = state.expectation
    if expectation is None or not expectation.play:
        state, more = _resolved(state, board, state.open)
        return _take(state, board), (*outputs, *more)
    if expectation.opening:
        state, more = _opening(state, board, expectation)
        return _take(state, board), (*outputs, *more)
    state, more = _changes(state, board, expectation)
    outputs = (*outputs, *more)
    state, more = _reconcile(state, board, expectation)
    return state, (*outputs, *more)


def _looked_at(state: ShotState, board: BoardSeen) -> bool:
    """Says whether nothing has changed since it was last done, and nothing waits for time to pass."""
    if state.looked is None or (state.standing is not None and not state.standing.said):
        return False
    seen, book, edges = state.looked
    return seen is board and book is state.expectation and edges == len(state.edges)


def resting_board(state: ShotState) -> BoardSeen | None:
    """Returns the newest board if it lies still, unhidden by hands, and nothing is under way."""
    if state.pending or not state.boards or waiting_for_book(state):
        return None
    board = state.boards[-1]
    if board.hands or board.since_ns < state.read_until_ns:
        return None
    hands = [seen for seen in state.hands if seen.t_ns > board.t_ns]
    if hands and hands[-1].hands:
        return None
    if state.moving_ns is not None and board.since_ns <= state.moving_ns:
        return None
    quiet = max(board.t_ns, state.liveness.eyes_until_ns) - board.since_ns
    return board if quiet >= state.limits.steady_ns else None


def change(before: BoardSeen, after: BoardSeen, same_mm: float) -> Change:
    """Matches the coins of two boards by the least way in all, each class with its own; far pairs are moves."""
    old = [piece for piece in before.pieces if piece.piece != "striker"]
    new = [piece for piece in after.pieces if piece.piece != "striker"]
    costs = {}
    for i, one in enumerate(old):
        for j, two in enumerate(new):
            apart = one.apart_mm(two)
            if one.piece == two.piece:
                costs[i, j] = apart
            elif apart <= same_mm:
                # One piece that two detections name differently, unless one of its own class lies there as well.
                costs[i, j] = apart + 2.0
    pairs = assign(costs)
    left, right = set(range(len(old))) - {i for i, _ in pairs}, set(range(len(new))) - {j for _, j in pairs}
    moved = [(old[i], new[j]) for i, j in pairs if old[i].apart_mm(new[j]) > same_mm]
    return Change(tuple(new[j] for j in sorted(right)), tuple(old[i] for i in sorted(left)), tuple(moved))


def _changes(state: ShotState, board: BoardSeen, expectation: Expectation) -> Step:
    reference = state.reference
    if reference is None or reference.t_ns >= board.t_ns:
        return state, ()
    found = change(reference, board, state.limits.nudge_mm)
    by_itself = not found.moved or _shaken(state, reference)
    if found.removed and not found.added and by_itself and all(_near_pocket(piece, state) for piece in found.removed):
        late = fell_at_the_end(state, found.removed)
        if late is not None:
            state, outputs = late
            waits = (expectation.seq, state.liveness.now_ns)
            return replace(_take(state, board), standing=None, awaiting=waits), outputs
        return _drops(state, reference, board, expectation)
    if found.added and not found.removed and expectation.to_place:
        return _placed(state, board, expectation, found)
    if not found.added and not found.removed and not found.moved:
        return _take(state, board), ()
    return state, ()


def _placed(state: ShotState, board: BoardSeen, expectation: Expectation, found: Change) -> Step:
    """Pieces came onto the board while some were waiting to be placed: reported once all of them lie there."""
    waiting = list(expectation.to_place)
    if len(found.added) != len(waiting):
        return state, ()
    notes: list[str] = []
    for piece in found.added:
        place = _place_for(piece, waiting, state)
        if place is None:
            return state, ()
        waiting.remove(place)
        notes += _off_place(piece, place, state)
    agreed = difference(board, expectation, state.limits)
    if not agreed.agrees or agreed.waiting:
        return state, ()
    for before, after in found.moved:
        notes.append(f"{before.piece} moved {before.apart_mm(after):.0f} mm meanwhile")
    lying = tuple(_lying(piece, state) for piece in board.pieces if piece.piece != "striker")
    fresh = tuple(_lying(piece, state) for piece in found.added)
    read = PlacedRead(Placed(lying), board.since_ns, fresh, tuple(notes), board.picture)
    put = (*state.put, *((one.x, one.y) for one in fresh))
    state = replace(_take(state, board), standing=None, put=put, awaiting=(expectation.seq, state.liveness.now_ns))
    return state, (read,)


def _place_for(piece: SeenPiece, waiting: Sequence[ToPlace], state: ShotState) -> ToPlace | None:
    """Returns what a piece was placed as: its class must fit, and the nearest place is meant."""
    odds = odds_of(piece.piece, piece.odds, state.limits.class_floor)
    fitting = [place for place in waiting if odds.get(place.piece, 0.0) > 0.02]
    return min(fitting, key=lambda place: (-round(odds[place.piece], 1), _off_by(piece, place)), default=None)


def _off_by(piece: SeenPiece, place: ToPlace) -> float:
    if place.at_mm is not None:
        return hypot(piece.x_mm - place.at_mm[0], piece.y_mm - place.at_mm[1])
    if place.within is not None:
        (x, y), inner, outer = place.within
        off = hypot(piece.x_mm - x, piece.y_mm - y)
        return max(0.0, inner - off, off - outer)
    return 0.0


def _off_place(piece: SeenPiece, place: ToPlace, state: ShotState) -> list[str]:
    """Returns words if a piece was put where it should not lie; a few millimetres are not nagged about."""
    radius = state.board.coin_diameter_mm / 2
    sure = piece.u95_mm
    if place.at_mm is not None:
        off = _off_by(piece, place)
        return [f"{piece.piece} lies {off:.0f} mm off its spot"] if off > state.limits.nudge_mm + sure else []
    if place.within is None:
        return []
    (x, y), inner, outer = place.within
    off = hypot(piece.x_mm - x, piece.y_mm - y)
    if off + radius > outer + sure:
        return [f"{piece.piece} lies {off + radius - outer:.1f} mm outside the circle it may be placed in"]
    if off - radius < inner - sure:
        return [f"{piece.piece} covers the centre circle by {inner - off + radius:.1f} mm"]
    return []


def _drops(state: ShotState, reference: BoardSeen, board: BoardSeen, expectation: Expectation) -> Step:
    """Pieces are gone with no stroke: a beam or the pocket's mouth says that they fell; anything else is reconciled."""
    limits = state.limits
    from_ns, until_ns = state.settled_until_ns, max(board.t_ns, state.liveness.now_ns)
    blind = state.liveness.blind(from_ns, until_ns, limits)
    tracks = tuple(track for work in state.works if work.began_ns >= reference.since_ns for track in work.tracks)
    window = MotionWindow(reference, board, tracks)
    explain = to_explain(window, state.pulses(from_ns, until_ns), blind, expectation, state.board, limits)
    outcomes = outcomes_of(
        joint_hypotheses(explain, limits), available(expectation, explain.priors), state.start_ns, limits
    )
    best = outcomes[0]
    if confident.is_ruled_out(best, explain.lay, board):
        return state, ()
    fell = [(hypothesis, piece) for hypothesis, piece in best.hypotheses if hypothesis.fate == "fell"]
    if not fell or any(hypothesis.fate in ("off", "taken") for hypothesis, _ in best.hypotheses) or best.weight < 0.9:
        return state, ()
    shaken = _shaken(state, reference)
    rims = [piece for piece in reference.pieces if piece.in_mouth is not None]
    evidence = Evidence(
        weight=best.weight,
        pulses=pulse_notes(explain.pulses, best),
        pictures=(None, reference.picture, board.picture),
        clip_ns=(from_ns, board.t_ns),
        sources=tuple(
            (f"drop.{hypothesis.name}", "camera" if hypothesis.pulse is None else "both") for hypothesis, _ in fell
        ),
    )
    outputs: list[Output] = []
    for hypothesis, piece in fell:
        on_rim = any(rim.in_mouth == hypothesis.pocket and rim.piece in (piece, "unknown") for rim in rims)
        t = None if hypothesis.t_ns is None else round((hypothesis.t_ns - state.start_ns) / 1e9, 3)
        drop = Drop(piece, hypothesis.pocket, on_rim, "shake" if shaken else "unknown", t)
        outputs.append(
            DropRead(drop, hypothesis.t_ns or board.since_ns, evidence, _what_else(outcomes, hypothesis.name))
        )
    state = replace(_take(state, board), standing=None, awaiting=(expectation.seq, state.liveness.now_ns))
    return state, tuple(outputs)


def _shaken(state: ShotState, reference: BoardSeen) -> bool:
    return any(work.shake_mm > state.limits.shake_mm for work in state.works if work.began_ns >= reference.since_ns)


def _near_pocket(piece: SeenPiece, state: ShotState) -> bool:
    """Whether a piece could drop by itself: one that lay out on the board was struck, seen or not."""
    _, far = state.board.nearest_pocket(piece.x_mm, piece.y_mm)
    return far <= state.board.pocket_radius_mm + state.limits.drop_reach_mm


def _what_else(outcomes: Sequence[Outcome], name: str) -> tuple[tuple[Piece, float], ...]:
    shares: dict[Piece, float] = {}
    for outcome in outcomes:
        for hypothesis, piece in outcome.hypotheses:
            if hypothesis.name == name and hypothesis.fate == "fell":
                shares[piece] = shares.get(piece, 0.0) + outcome.weight
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])
    return tuple((piece, round(share, 4)) for piece, share in ranked) if len(ranked) > 1 else ()


def _reconcile(state: ShotState, board: BoardSeen, expectation: Expectation) -> Step:
    """Says what has differed from the book for long enough; takes it back when it fits again."""
    found = difference(board, expectation, state.limits)
    kind, missing, extra = "counts", found.missing, found.extra
    if found.agrees and found.waiting and _striker_down(state, board):
        kind, missing = "due", found.waiting
    elif found.agrees:
        off = _moved(board, expectation, state)
        if off:
            kind = "moved"
        else:
            return _resolved(state, board, _COUNTED if found.waiting else _PLACED)
    standing = state.standing
    if standing is None or (standing.kind, standing.missing, standing.extra) != (kind, missing, extra):
        standing = Discrepancy(kind, missing, extra, board.since_ns)
        state = replace(state, standing=standing)
    stood = max(board.t_ns, state.liveness.eyes_until_ns) - standing.since_ns
    if standing.said or stood < state.limits.persist_ns:
        return state, ()
    if kind == "due":
        said = due_not_placed(found.waiting, board.t_ns, False)
    elif kind == "moved":
        said = Mismatch("moved", board.t_ns, "; ".join(_moved(board, expectation, state)), picture=board.picture)
    else:
        said = worded(Difference(missing, extra, found.waiting), board.t_ns, board.picture, False)
    standing = replace(standing, said=True)
    return replace(state, standing=standing, open=state.open | {said.kind}), (said,)


def _resolved(state: ShotState, board: BoardSeen, kinds: frozenset[Kind]) -> Step:
    """Withdraws the reports that hold no more."""
    taken_back = tuple(
        Mismatch(kind, board.t_ns, "board and book agree again", resolved=True, picture=board.picture)
        for kind in sorted(state.open & kinds)
    )
    return replace(state, standing=None, open=state.open - kinds), taken_back


def _moved(board: BoardSeen, expectation: Expectation, state: ShotState) -> list[str]:
    """Compares piece by piece with where the book has everything lying, once nothing waits to be placed."""
    if not expectation.rest_mm or expectation.to_place or board.hidden:
        return []
    book = BoardSeen(
        0, 0, tuple(SeenPiece(piece, x, y, 0.0) for piece, x, y in expectation.rest_mm if piece != "striker")
    )
    words = []
    for want, lies in change(book, board, state.limits.restored_mm).moved:
        if any(hypot(want.x_mm - x, want.y_mm - y) < state.limits.nudge_mm for x, y in state.put):
            continue
        words.append(
            f"{want.piece} lies {want.apart_mm(lies):.0f} mm from where it should ({want.x_mm:.0f}, {want.y_mm:.0f})"
        )
    return words


def _striker_down(state: ShotState, board: BoardSeen) -> bool:
    """Says whether a striker lies on a base line: put there, not left there by the last stroke."""
    middle = state.board.base_circle_from_centre_mm
    left = [piece for last in state.concluded[-1:] for piece in last.stroke.after.pieces if piece.piece == "striker"]
    return any(
        piece.piece == "striker"
        and abs(max(abs(piece.x_mm), abs(piece.y_mm)) - middle) < 20.0
        and not any(piece.apart_mm(lay) < state.limits.same_place_mm for lay in left)
        for piece in board.pieces
    )


def _opening(state: ShotState, board: BoardSeen, expectation: Expectation) -> Step:
    """Says what is wrong with the opening arrangement once somebody has put it up."""
    faults = opening_faults(board, expectation, state.board)
    if faults is not None:
        state = replace(state, racked=True, broken=False)
    elif state.racked and not board.hidden and _lie_spread(board, expectation):
        return _broken_up(state, board)
    if not faults:
        state, right = _resolved(state, board, state.open if faults is not None else frozenset())
        return (state, right) if faults is None else _ready(state, board, expectation, right)
    standing = state.standing
    if standing is None or standing.kind != "opening":
        standing = Discrepancy("opening", (), (), board.since_ns)
        state = replace(state, standing=standing)
    stood = max(board.t_ns, state.liveness.eyes_until_ns) - standing.since_ns
    if standing.said or stood < 2 * S:
        return state, ()
    says = "; ".join(faults)
    state = replace(state, standing=replace(standing, said=True), open=state.open | {"not_set_up"})
    outputs: tuple[Output, ...] = (Mismatch("not_set_up", board.t_ns, says, picture=board.picture),)
    if expectation.tournament:
        outputs = (*outputs, SeenRead(Seen("wrong_rack"), board.t_ns, says, board.picture))
    return state, outputs


def _ready(state: ShotState, board: BoardSeen, expectation: Expectation, said: tuple[Output, ...]) -> Step:
    """Says once that a board may begin: the pack lies there, and whoever breaks has placed the striker."""
    seat = expectation.turn
    strikers = [piece for piece in board.pieces if piece.piece == "striker"]
    placed = seat is not None and any(lines_touched(state.board, seat, one.x_mm, one.y_mm) == 2 for one in strikers)
    if seat is None or not placed or state.ready_at == expectation.seq:
        return state, said
    return replace(state, ready_at=expectation.seq), (*said, Ready(board.since_ns, seat))


def _lie_spread(board: BoardSeen, expectation: Expectation) -> bool:
    """Says whether most of the pieces lie on the board: they were not cleared away."""
    wanted = sum(count for piece, count in expectation.on_board if piece != "striker")
    return sum(piece.piece != "striker" for piece in board.pieces) >= 0.6 * wanted


def _broken_up(state: ShotState, board: BoardSeen) -> Step:
    """The arrangement stood, now the pieces lie about, and no stroke was read in between."""
    standing = state.standing
    if standing is None or standing.kind != "broken up":
        state = replace(state, standing=Discrepancy("broken up", (), (), board.since_ns))
        return state, ()
    if standing.said or max(board.t_ns, state.liveness.eyes_until_ns) - standing.since_ns < 2 * S:
        return state, ()
    state = replace(state, standing=replace(standing, said=True), open=state.open | {"unseen_change"})
    says = "the opening arrangement is broken up and no break was counted: was it played?"
    return state, (Mismatch("unseen_change", board.t_ns, says, picture=board.picture),)


def _take(state: ShotState, board: BoardSeen) -> ShotState:
    """Accounts for a board: what lies there now is what later rests are compared with."""
    if state.reference is not None and board.t_ns < state.reference.t_ns:
        return state
    until = max(state.settled_until_ns, board.since_ns)
    works = tuple(work for work in state.works if work.ended_ns > board.since_ns)
    return replace(state, reference=board, settled_until_ns=until, works=works)


def _lying(piece: SeenPiece, state: ShotState) -> RestPiece:
    kind = likeliest(odds_of(piece.piece, piece.odds, state.limits.class_floor))
    return RestPiece(kind, round(piece.x_mm, 1), round(piece.y_mm, 1))
