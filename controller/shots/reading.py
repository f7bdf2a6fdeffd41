"""One stroke read: every fact of the shot with its source, what nobody saw, what stays in doubt, and the evidence.

The facts come from `facts`, `contacts`, `flags`, `placement` (camera) and `fusion` (camera and beams); here they are
put together. Must not know which strokes there are or when one may be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from math import hypot

from calibration.board import SEATS, Board, board_to_seat
from controller.events.expectation import Expectation
from controller.events.match import FACTS, Doubt, RestPiece, Shot
from controller.events.observation import BoardSeen, Sample, SeenPiece, StrikerSeen, StrokeSeen
from controller.events.words import Flag, Piece, Seat
from controller.shots import confident, facts, flags
from controller.shots.board_vs_book import change
from controller.shots.contacts import contacts_of
from controller.shots.fusion import FusionInput, Hypothesis, JointHypothesis, joint_hypotheses
from controller.shots.grades import flags_not_observable_at, observable_at
from controller.shots.handled import ran_under_hand
from controller.shots.limits import MS, Limits
from controller.shots.missing import Interval, explained, to_explain
from controller.shots.odds import COINS, WHOLLY_SEEN, Count
from controller.shots.outcome import doubts_of, outcomes_of, pocketed
from controller.shots.outputs import Evidence, PulseNote, ShotRead, Source
from controller.shots.placement import judge, seat_odds
from controller.shots.pulses import Pulse
from controller.shots.state import ShotState

CAMERA: Mapping[str, Callable[[facts.StrokeContext], facts.Call]] = {**facts.CAMERA, "contacts": contacts_of}
SINCE_THE_TURN_BEGAN = ("elapsed", "flags.replaced")
"""Facts that nobody knows who has not seen the whole turn."""
_ELSEWHERE = frozenset({"seat", "elapsed", "placement", "pocketed", "off_board", "flags", "rest"})
"""Facts that are read here, from more than the stroke's pictures."""
_CALLED = tuple(path for path in FACTS if "." not in path and path not in _ELSEWHERE)
"""What the camera is asked for: a fact that is described and that no function tells is unseen, never in order."""

_NO_BOOK = Expectation(turn=None, on_board=(), book_pieces=())
"""What is asked of the facts while there is no book."""


def explain(
    state: ShotState, interval: Interval, expectation: Expectation | None, *, nobody_saw: bool = True
) -> tuple[FusionInput, list[JointHypothesis]]:
    """Returns what has to be explained of an interval, and what may have fallen in it, likeliest first.

    `nobody_saw`: interruptions left over may be of pieces that nobody saw go.
    """
    seen = to_explain(interval, expectation, state.board, state.limits)
    seen, joints = explained(seen, state.limits) if nobody_saw else (seen, joint_hypotheses(seen, state.limits))
    return seen, outcomes_of(joints, available(expectation, seen.priors), state.limits)


def span_ns(stroke: StrokeSeen, limits: Limits) -> tuple[int, int]:
    """Returns from when until when a beam interruption may belong to a stroke."""
    return stroke.began_ns - limits.before_ns, stroke.ended_ns + limits.after_ns


def read_stroke(state: ShotState, stroke: StrokeSeen, expectation: Expectation | None) -> ShotRead:
    """Reads a stroke in which the striker was struck, against what the book expected then."""
    board, limits = state.board, state.limits
    book = expectation if expectation is not None else _NO_BOOK
    struck = stroke.struck
    assert struck is not None
    seat, seat_doubt, seat_source = _seat_of(stroke, struck, board, book, limits)
    span = span_ns(stroke, limits)
    interval = Interval(
        stroke.before,
        stroke.after,
        state.pulses(*span),
        state.liveness.blind(*span, limits),
        stroke.tracks,
        facts.striker_track(stroke),
        tuple(hand for seen in stroke.hands for hand in seen.hands),
    )
    seen, outcomes = explain(state, interval, expectation)
    outcomes = confident.standing_by(outcomes, seen.lay, stroke.after)
    outcome = outcomes[0]

    unseen: list[str] = []
    sources: list[tuple[str, Source]] = [("seat", seat_source)]

    observable = observable_at(stroke.grade)
    lay = _agreed(struck.placed, stroke.before, limits) if struck.placed is not None else None
    judged = lay if "placement" in observable else None
    placed = judge(board, seat, judged, struck.gap_mm, book.circle_in_order, limits)
    unseen += placed.unseen
    sources.append(("placement", "none" if placed.placement is None else "camera"))
    fell = outcome.fell
    fallen = sum(piece != "striker" for _, piece in fell)
    context = facts.StrokeContext(board, stroke, seat, limits, book.still_on_lines, book.needs, fallen)
    calls = {fact: CAMERA[fact](context) if fact in observable & CAMERA.keys() else facts.NOT_SEEN for fact in _CALLED}
    called = {fact: call.value for fact, call in calls.items() if call.value is not None}
    sources += [(fact, "camera" if fact in called else "none") for fact in calls]
    unseen += [fact for fact in calls if fact not in called]
    elapsed = _elapsed(struck, book)
    sources.append(("elapsed", "none" if elapsed is None else "both"))
    if book.turn_began_unseen:
        unseen += [fact for fact in SINCE_THE_TURN_BEGAN if fact in observable]
    sources += [(f"pocketed.{index}", _source(hypothesis)) for index, (hypothesis, _) in enumerate(fell)]
    replaced = 0
    if book.turn_began_ns is not None:
        turn_ns = (book.turn_began_ns, struck.first_motion_ns)
        replaced = flags.times_placed(state.boards, *turn_ns, limits.same_place_mm)
    down = frozenset(hypothesis.name for hypothesis, _ in fell)
    shoved = _moved_before(state, stroke, book)
    raised = flags.flags_of(board, stroke, seat, replaced, book.replacements, elapsed, limits, down, shoved)
    raised = tuple(flag for flag in raised if f"flags.{flag}" in observable)
    unseen += flags_not_observable_at(stroke.grade)
    if struck.hand_follow_mm is None and "flags.push" in observable and "push" not in raised:
        unseen.append("flags.push")
    hidden = (f"flags.{flag}" for flag in _hidden_by_hand(stroke) if flag not in raised)
    unseen += [fact for fact in hidden if fact in observable]

    doubts = [doubt for doubt in (seat_doubt, *(call.doubt for call in calls.values())) if doubt is not None]
    doubts += doubts_of(outcomes, state.start_ns, limits)
    shot = Shot(
        seat=seat,
        t=round((struck.first_motion_ns - state.start_ns) / 1e9, 3),
        elapsed=elapsed,
        placement=placed.placement,
        pocketed=pocketed(outcome, state.start_ns),
        off_board=outcome.off_board,
        flags=raised,
        rest=rest_of(stroke.after),
        unseen=tuple(unseen),
        doubts=tuple(doubts),
        **called,
    )
    clearances = (*placed.clearances, *chain.from_iterable(call.clearances for call in calls.values()))
    notes = [found.says for found in clearances if found.in_order == "too close"]
    notes += [call.note for call in calls.values() if call.note]
    evidence = Evidence(
        sources=tuple(sources),
        weight=outcome.weight,
        clearances=clearances,
        pulses=pulse_notes(interval.pulses, outcome),
        pictures=(stroke.picture_placed, stroke.picture_before, stroke.picture_after),
        clip_ns=(stroke.began_ns - 500 * MS, stroke.ended_ns + 300 * MS),
        grade=stroke.grade,
        frames=stroke.frames,
        lost_frames=stroke.lost_frames,
        notes=tuple(notes),
        began_ns=stroke.began_ns,
        striker=None if lay is None else (seat, round(lay.x_mm, 2), round(lay.y_mm, 2), round(lay.u95_mm, 2)),
    )
    return ShotRead(shot, stroke.began_ns, stroke.ended_ns, evidence)


def _hidden_by_hand(stroke: StrokeSeen) -> Iterator[Flag]:
    """Yields the flags that nobody can tell, since a hand hid pieces that ran."""
    own = facts.striker_track(stroke)
    hidden = [track for track in stroke.tracks if ran_under_hand(track, stroke)]
    if any(track is own for track in hidden):
        yield "striker_touched"
    if any(track is not own for track in hidden):
        yield "moving_piece_removed"


def _moved_before(state: ShotState, stroke: StrokeSeen, book: Expectation) -> bool:
    """Says whether one coin lay elsewhere before the stroke than at the last rest that is accounted for.

    What waits to be placed may be put anywhere near it, and what was reported as moved is the umpire's already.
    """
    reference, before = state.reference, stroke.before
    if reference is None or reference.t_ns > before.t_ns or reference.hidden or before.hidden:
        return False
    if book.to_place or book.opening or not book.play or "moved" in state.open:
        return False
    found = change(reference, before, state.limits.restored_mm)
    return not found.added and not found.removed and [_wholly_seen(pair) for pair in found.moved] == [True]


def _wholly_seen(pieces: Iterable[SeenPiece]) -> bool:
    return all(piece.visible >= WHOLLY_SEEN for piece in pieces)


def _seat_of(
    stroke: StrokeSeen, struck: StrikerSeen, board: Board, book: Expectation, limits: Limits
) -> tuple[Seat, Doubt | None, Source]:
    """Returns who struck: from the base line it was placed on, the hand, and who was on turn."""
    playing = tuple(seat for seat, _ in book.sides)
    at: tuple[float, float] | None = None
    own = facts.striker_track(stroke)
    if struck.placed is not None:
        at = struck.placed.at
    elif own is not None and own.samples and _on_a_base_line(own.samples[0], board, playing):
        at = own.samples[0].at
    hand = _striking_hand(stroke, struck)
    odds = seat_odds(board, at, hand, book.turn, playing)
    ranked = sorted(odds.items(), key=lambda pair: -pair[1])
    source: Source = "camera" if at is not None or hand is not None else "book"
    best = ranked[0][1]
    likely = [(seat, weight) for seat, weight in ranked if weight >= best * limits.doubt_floor]
    agreed = at is None and ranked[0][0] == hand == book.turn
    if len(likely) == 1 or source == "book" or agreed:
        return ranked[0][0], None, source
    total = sum(weight for _, weight in likely)
    doubt = Doubt("seat", tuple((seat, round(weight / total, 6)) for seat, weight in likely), "camera")
    return ranked[0][0], doubt, source


def _agreed(placed: SeenPiece, before: BoardSeen, limits: Limits) -> SeenPiece:
    """Returns the place of the striker, known no better than its two sights agree: at rest, and as it set out.

    A striker that was put elsewhere after the board was seen at rest has only one.
    """
    lay = next(iter(before.strikers), None)
    if lay is None:
        return placed
    apart = lay.apart_mm(placed)
    if apart <= hypot(lay.u95_mm, placed.u95_mm) or apart > limits.same_place_mm:
        return placed
    return replace(placed, u95_mm=max(placed.u95_mm, apart))


def _on_a_base_line(first: Sample, board: Board, playing: tuple[Seat, ...]) -> bool:
    """Says whether a path begins near enough to the base line of one who plays to say whose it is."""
    for seat in playing or SEATS:
        along, away = board_to_seat(seat, *first.at)
        off = abs(away - board.base_circle_from_centre_mm)
        if off < board.striker_diameter_mm and abs(along) < board.base_circle_along_mm:
            return True
    return False


def available(expectation: Expectation | None, priors: tuple[tuple[Count, float], ...]) -> dict[Piece, int]:
    """Returns how many of each piece could fall at all: what may lie there, never more than the book has."""
    found: dict[Piece, int] = {kind: max(base[index] for base, _ in priors) for index, kind in enumerate(COINS)}
    if expectation is not None:
        for piece, count in expectation.on_board:
            if piece in found:
                found[piece] = min(found[piece], count)
    found["striker"] = 1
    return {piece: max(0, min(count, 9)) for piece, count in found.items()}


def rest_of(board: BoardSeen) -> tuple[RestPiece, ...]:
    """Returns where everything but the striker lies."""
    return tuple(RestPiece(piece.piece, round(piece.x_mm, 1), round(piece.y_mm, 1)) for piece in board.coins)


def pulse_notes(pulses: tuple[Pulse, ...], outcome: JointHypothesis) -> tuple[PulseNote, ...]:
    """Returns every interruption with what it was taken for."""
    taken: dict[int, list[str]] = {}
    for hypothesis, piece in outcome.fell:
        if hypothesis.pulse is not None:
            taken.setdefault(hypothesis.pulse, []).append(piece)
    return tuple(
        PulseNote(
            pulse.pocket, pulse.t_ns, pulse.until_ns, pulse.beams, " and ".join(taken.get(index, ())) or "nothing gone"
        )
        for index, pulse in enumerate(pulses)
    )


def _source(hypothesis: Hypothesis) -> Source:
    if hypothesis.pulse is None:
        return "camera"
    return "beam" if hypothesis.name.startswith("unseen") else "both"


def _striking_hand(stroke: StrokeSeen, struck: StrikerSeen) -> Seat | None:
    known = [seen for seen in stroke.hands if seen.t_ns <= struck.first_motion_ns + 20 * MS and seen.hands]
    hands = max(known, key=lambda seen: seen.t_ns).hands if known else stroke.before.hands
    sides = {hand.side for hand in hands if hand.side is not None}
    return sides.pop() if len(sides) == 1 else None


def _elapsed(struck: StrikerSeen, book: Expectation) -> float | None:
    if book.turn_began_ns is None:
        return None
    elapsed = (struck.first_motion_ns - book.turn_began_ns) / 1e9
    return round(elapsed, 3) if elapsed >= 0 else None
