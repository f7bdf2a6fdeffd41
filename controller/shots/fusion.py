"""What became of every missing piece and of every beam interruption: all joint hypotheses, with their weights.

Sets are small (a stroke loses a handful of pieces), so every assignment of pieces to outcomes is weighed, the
unlikely ones dropped early. One piece is counted once; the number of pieces still on the board must fit what is seen.
Must not know of rules, seats or placement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import dist, exp, hypot, pi, sqrt
from typing import Literal

from calibration.board import Board
from controller.events.observation import SeenPiece, Vanished
from controller.events.words import Piece, Pocket
from controller.shots.limits import Limits
from controller.shots.odds import Count, Odds, joint, minus, totals
from controller.shots.pulses import Pulse

POCKETS: tuple[Pocket, ...] = ("NE", "NW", "SE", "SW")

Fate = Literal["fell", "off", "taken", "still"]


@dataclass(frozen=True, slots=True)
class Missing:
    """A piece that may be gone. `name`: the track's number, or a name of our own for one without a track.

    `hidden`: the share of belief that it lies where nothing can be seen. `start`: where it lay.
    `handled`: a hand was seen at it. `appeared`: nobody saw it lie, it came into view moving. `glimpsed`: it was seen
    to move in one picture at most.
    """

    name: str
    odds: Odds
    vanished: Vanished | None
    hidden: float = 0.0
    start: SeenPiece | None = None
    handled: bool = False
    appeared: bool = False
    glimpsed: bool = False


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What became of one piece: where and when it fell, and by which interruption (its index), if any was felt.

    `t_ns`, `u_ns`: the best time of the fall; `seen_ns`, `seen_u_ns`: the camera's own, which orders what fell
    together.
    """

    name: str
    fate: Fate
    pocket: Pocket | None = None
    pulse: int | None = None
    t_ns: int | None = None
    u_ns: int = 0
    seen_ns: int | None = None
    seen_u_ns: int = 0


@dataclass(frozen=True, slots=True)
class FusionInput:
    """What pictures and beams leave to be explained.

    `clear`: the board was wholly seen. `priors`: what may have lain there before (and what a hand brought), with
    weights: what was seen, and what the book had, where they differ. `after`: weights of which coins lie there
    now. `others`: weights of what lay there beside the pieces in `gone`.
    `other`: how likely the striker is something else than what is seen to lie there as it.
    `near`: pockets that a piece lies close to afterwards. `hands`: pockets that a hand was at. `blind`: pockets whose
    beams report nothing. `lay_seen`: what by its detections alone lay there before.
    """

    gone: tuple[Missing, ...]
    pulses: tuple[Pulse, ...]
    clear: bool
    priors: tuple[tuple[Count, float], ...]
    after: dict[Count, float]
    others: dict[Count, float] = field(default_factory=dict)
    other: float = 1.0
    near: frozenset[Pocket] = frozenset()
    hands: frozenset[Pocket] = frozenset()
    blind: frozenset[Pocket] = frozenset()
    lay_seen: Count | None = None
    board: Board = field(kw_only=True)

    @property
    def lay(self) -> Count | None:
        """What lay there before, where vision and book agree on it."""
        only = self.priors[0][0] if len(self.priors) == 1 else None
        return only if self.lay_seen in (None, only) else None


@dataclass(frozen=True, slots=True)
class JointHypothesis:
    """One way to tell it: every piece's fate and class, and its share of all ways."""

    hypotheses: tuple[Hypothesis, ...]
    pieces: tuple[Piece, ...]
    weight: float

    def of_fate(self, fate: Fate) -> list[tuple[Hypothesis, Piece]]:
        """Returns the pieces of which this became."""
        pairs = zip(self.hypotheses, self.pieces, strict=True)
        return [(one, piece) for one, piece in pairs if one.fate == fate]

    @property
    def fell(self) -> list[tuple[Hypothesis, Piece]]:
        """What fell in order of fall: by the best times, and what fell through one pocket as the camera saw it."""
        ranked = sorted(self.of_fate("fell"), key=lambda pair: (pair[0].t_ns is None, pair[0].t_ns or 0, pair[0].name))
        for index in range(len(ranked) - 1):
            one, two = ranked[index][0], ranked[index + 1][0]
            if _together(one, two) and (one.seen_ns or 0) > (two.seen_ns or 0):
                ranked[index], ranked[index + 1] = ranked[index + 1], ranked[index]
        return ranked

    @property
    def off_board(self) -> tuple[Piece, ...]:
        """What left the board."""
        return tuple(sorted(piece for _, piece in self.of_fate("off")))

    @property
    def told(self) -> tuple[tuple[tuple[Piece, str], ...], tuple[Piece, ...]]:
        """What a rulebook distinguishes of it, but for the order of fall."""
        return tuple(sorted((piece, one.pocket or "") for one, piece in self.of_fate("fell"))), self.off_board


def _together(one: Hypothesis, two: Hypothesis) -> bool:
    """Says whether only the camera can tell which of two fell first: one interruption, or one of them not felt."""
    if one.seen_ns is None or two.seen_ns is None or one.pocket != two.pocket:
        return False
    return one.pulse == two.pulse or None in (one.pulse, two.pulse)


@dataclass(frozen=True, slots=True)
class _Partial:
    hypotheses: tuple[Hypothesis, ...]
    used: frozenset[int]
    weight: float
    key: tuple[tuple[str, str, str, int], ...] = ()
    """Settles between equal weights."""


_GONE_OTHERWISE: tuple[Fate, ...] = ("off", "taken", "still")

_LEAST = 1e-6
"""Accounts this much less likely than the best are below any doubt's floor."""

_KEPT = 200
"""Partial joint hypotheses kept at each piece; beyond that the weights are far below any doubt's floor."""


def joint_hypotheses(seen: FusionInput, limits: Limits) -> list[JointHypothesis]:
    """Returns the joint hypotheses with their weights, likeliest first; never empty."""
    partials = [_Partial((), frozenset(), 1.0)]
    for gone in sorted(seen.gone, key=_order):
        grown = [
            _Partial((*partial.hypotheses, hypothesis), used, partial.weight * weight, (*partial.key, _key(hypothesis)))
            for partial in partials
            for hypothesis, used, weight in _fates(gone, partial, seen, limits)
            if weight > 0
        ]
        grown.sort(key=lambda partial: (-partial.weight, partial.key))
        best = grown[0].weight
        partials = [partial for partial in grown[:_KEPT] if partial.weight > best * _LEAST]
    weighed: list[tuple[float, tuple[Piece, ...], _Partial]] = []
    by_name = {gone.name: gone for gone in seen.gone}
    kinds = joint([by_name[one.name].odds for one in partials[0].hypotheses], 1e-6)
    classes: dict[tuple[bool, ...], list[tuple[tuple[Piece, ...], float]]] = {}
    for partial in partials:
        weight = partial.weight * _left_over(partial.used, seen, limits)
        left = tuple(hypothesis.fate != "still" for hypothesis in partial.hypotheses)
        if left not in classes:
            classes[left] = _classes(kinds, partial.hypotheses, left, seen, limits)
        weighed += [(weight * share, pieces, partial) for pieces, share in classes[left]]
    most = max((weight for weight, _, _ in weighed), default=0.0)
    weighed = [one for one in weighed if one[0] > most * _LEAST]
    total = sum(weight for weight, _, _ in weighed)
    if not total:
        return [JointHypothesis((), (), 1.0)]
    weighed.sort(key=lambda one: (-one[0] / total, one[1], one[2].key))
    return [JointHypothesis(partial.hypotheses, pieces, weight / total) for weight, pieces, partial in weighed]


def _order(gone: Missing) -> tuple[int, int, str]:
    known = 0 if gone.vanished is not None and gone.vanished.how == "pocket" else 1
    return (known, gone.vanished.t_ns if gone.vanished is not None else 0, gone.name)


def _key(hypothesis: Hypothesis) -> tuple[str, str, str, int]:
    return (
        hypothesis.name,
        hypothesis.fate,
        hypothesis.pocket or "",
        -1 if hypothesis.pulse is None else hypothesis.pulse,
    )


_HOW: dict[str, dict[Fate, float]] = {
    "pocket": {"fell": 0.999, "off": 2e-4, "taken": 1e-4, "still": 5e-4},
    "frame": {"fell": 2e-3, "off": 0.99, "taken": 5e-4, "still": 5e-4},
    "hand": {"fell": 0.02, "off": 5e-3, "taken": 0.5, "still": 0.45},
    "unknown": {"fell": 0.4, "off": 0.15, "taken": 0.05, "still": 0.4},
    "no track": {"fell": 0.4, "off": 0.02, "taken": 0.15, "still": 0.4},
}
"""How a track ended → what that says of the piece, before beams and counting have their say."""

_INSIDE_MM = 100.0
_FROM_INSIDE = 0.07
"""A track lost this far from every cushion was hardly on its way off the board: tracking lost it."""

_NO_HAND = 0.02
"""A piece that no hand was seen near is taken by one this much more rarely."""

_LEAPT = 0.01
"""What lay by a pocket, and was gone a picture after it was struck, leapt over the pocket so often."""

_NO_PIECE = 0.3
"""Where a track began at no piece there was none so often."""

_HIDDEN = 0.98
"""A piece that lay where now nothing can be seen lies there still."""


def _prior(gone: Missing, board: Board) -> dict[Fate, float]:
    """Returns the weights of a piece's fates from its end, from hands seen near it, and from what hides the board."""
    vanished = gone.vanished
    how = vanished.how if vanished is not None else "no track"
    seen_go = how in ("pocket", "frame")
    weights = dict(_HOW[how])
    if vanished is not None and how == "unknown" and max(map(abs, vanished.at)) < board.half_mm - _INSIDE_MM:
        weights["off"] *= _FROM_INSIDE
    if gone.glimpsed and how == "pocket":
        weights["off"] = _LEAPT
    if not gone.handled and how != "hand":
        weights["taken"] *= _NO_HAND
    if gone.appeared:
        weights["still"] = max(weights["still"], _NO_PIECE)
    elif gone.hidden > 0.5 and not seen_go:
        weights = {fate: weight * (1 - _HIDDEN) for fate, weight in weights.items()} | {"still": _HIDDEN}
    return weights


def _fates(
    gone: Missing, partial: _Partial, seen: FusionInput, limits: Limits
) -> Iterable[tuple[Hypothesis, frozenset[int], float]]:
    vanished = gone.vanished
    prior = _prior(gone, seen.board)
    for fate in _GONE_OTHERWISE:
        yield Hypothesis(gone.name, fate), partial.used, prior[fate]
    for pocket in POCKETS:
        here = prior["fell"] * _place(gone, pocket, seen.board)
        silent = limits.beam_misses_blind if pocket in seen.blind else limits.beam_misses
        when, spread = (vanished.t_ns, vanished.u_ns) if vanished is not None else (None, 0)
        yield Hypothesis(gone.name, "fell", pocket, None, when, spread, when, spread), partial.used, here * silent
        for index, pulse in enumerate(seen.pulses):
            if pulse.pocket != pocket:
                continue
            fits = _fits_in_time(vanished, pulse, limits)
            hypothesis = Hypothesis(gone.name, "fell", pocket, index, pulse.t_ns, pulse.u_ns, when, spread)
            if index not in partial.used:
                yield hypothesis, partial.used | {index}, here * fits * (1 - silent)
            else:
                share = _shares(partial, index, vanished, pulse, limits)
                yield hypothesis, partial.used, here * min(fits, 1.0) * share


_LOST_FITS = 0.1
"""Of the pieces whose tracks were lost so many fell at any other time of the stroke."""

_LOST_MM = 60.0
"""How fast the likelihood of a pocket falls off with the distance from where a piece was lost, or where it lay."""
_ANY_POCKET = 0.02


def _place(gone: Missing, pocket: Pocket, board: Board) -> float:
    """Returns how well a pocket fits what was seen of the piece's end: the pocket it ran to, or the one it was near."""
    if gone.vanished is not None:
        near, at = gone.vanished.near, gone.vanished.at
    elif gone.start is not None:
        near, at = gone.start.in_mouth, gone.start.at
    else:
        return 0.25
    if near is not None:
        return 0.9995 if near == pocket else 1.5e-4
    far = {name: dist(at, (x, y)) for name, (x, y) in board.pockets_mm.items()}
    least = min(far.values())
    weights = {name: exp(-(way - least) / _LOST_MM) + _ANY_POCKET for name, way in far.items()}
    return weights[pocket] / sum(weights.values())


def _fits_in_time(vanished: Vanished | None, pulse: Pulse, limits: Limits) -> float:
    """Returns how much likelier an interruption is at this time if this piece made it than if anything might have.

    An interruption with no piece comes at any time of the stroke; one with a piece comes when the piece vanished. One
    whose track was lost may have fallen long after, or before if what was followed in the end was another.
    """
    if vanished is None:
        return 1.0
    lost = vanished.how in ("hand", "unknown")
    sigma = hypot(vanished.u_ns, pulse.u_ns, limits.vanish_loose_ns if lost else limits.vanish_sigma_ns)
    z = (pulse.t_ns - vanished.t_ns) / sigma
    any_time = _LOST_FITS if lost else 5e-3
    return limits.stroke_ns / (sigma * sqrt(2 * pi)) * exp(-0.5 * z * z) + any_time


def _shares(partial: _Partial, index: int, vanished: Vanished | None, pulse: Pulse, limits: Limits) -> float:
    """Returns the chance that one more piece went through in the same interruption: three at most, and close
    together."""
    mates = [hypothesis for hypothesis in partial.hypotheses if hypothesis.pulse == index]
    if len(mates) > 2:
        return 0.0
    if vanished is None or mates[0].seen_ns is None:
        return limits.two_in_one / 4
    long = limits.two_in_one_ns if pulse.until_ns is None else pulse.until_ns - pulse.t_ns
    spread = (vanished.u_ns**2 + mates[0].seen_u_ns ** 2) ** 0.5
    apart = abs(vanished.t_ns - mates[0].seen_ns)
    return limits.two_in_one if apart <= min(long, limits.two_in_one_ns) + 2 * spread else 0.0


def _left_over(used: frozenset[int], seen: FusionInput, limits: Limits) -> float:
    """Returns the weight of the interruptions that no piece explains."""
    weight = 1.0
    for index, pulse in enumerate(seen.pulses):
        if index in used:
            continue
        if pulse.short:
            weight *= 0.5
        elif pulse.pocket in seen.hands or pulse.stuck(limits):
            weight *= limits.spurious_like_a_piece if pulse.like_a_piece(limits) else limits.spurious_hand
        elif pulse.pocket in seen.near and (not pulse.like_a_piece(limits) or _came_up(pulse, seen)):
            weight *= limits.thrown_back
        else:
            weight *= limits.spurious_whole if pulse.like_a_piece(limits) else limits.spurious
    return weight


_UP_AGAIN_NS = 1_000_000_000
"""What a net throws back comes up again within this."""


def _came_up(pulse: Pulse, seen: FusionInput) -> bool:
    """Says whether something came up through a pocket soon after it went down: the net threw it back."""
    return any(
        other.upward and other.pocket == pulse.pocket and 0 < other.t_ns - pulse.t_ns < _UP_AGAIN_NS
        for other in seen.pulses
    )


def _classes(
    kinds: Sequence[tuple[tuple[Piece, ...], float]],
    hypotheses: tuple[Hypothesis, ...],
    left: tuple[bool, ...],
    seen: FusionInput,
    limits: Limits,
) -> list[tuple[tuple[Piece, ...], float]]:
    """Returns what the pieces may be, weighted: the detection of each (`kinds`), what is left, and what else lay there
    must all fit.
    """
    by_name = {gone.name: gone for gone in seen.gone}
    # What is hidden makes vision count too few, never too many.
    few, many = limits.miscount if seen.clear else limits.miscount_hidden, limits.miscount
    doubted = sum(weight for _, weight in seen.priors[1:]) > limits.doubt_floor
    if doubted and seen.lay_seen != seen.priors[0][0]:
        # Vision and book did not agree before: one of them counts less well than it should.
        few, many = max(few, limits.miscount_unsure), limits.miscount_unsure
    lie = totals(seen.after).items()

    @cache
    def by_count(unseen: int) -> dict[Count, float]:
        """What may have lain there, weighed by how well the number of coins seen now fits."""
        return {
            base: weight * sum(share * _slips(sum(base) - unseen - count, few, many) for count, share in lie)
            for base, weight in seen.priors
        }

    everything = [_count(pieces, (True,) * len(hypotheses)) for pieces, _ in kinds]
    lay = {
        (base, whole): _lay_fits(minus(base, whole), seen, limits)
        for base, _ in seen.priors
        for whole in set(everything)
    }
    known: dict[tuple[Count, Count], float] = {}
    for base, _ in seen.priors:
        # A prior's weight says already how well it agrees with all that was seen to lie there.
        normal = sum(share * lay[base, whole] for (_, share), whole in zip(kinds, everything, strict=True))
        known |= {(base, whole): lay[base, whole] / normal for whole in everything if normal}
    one_striker = (1.0, seen.other, 0.0)
    remains: dict[tuple[Count, Count], float] = {}
    found: list[tuple[tuple[Piece, ...], float]] = []
    for (pieces, share), whole in zip(kinds, everything, strict=True):
        # What is gone counts as a coin; the struck piece only where it is one.
        unseen = sum(
            (went or by_name[one.name].hidden > 0.5) and (one.name != "striker" or piece != "striker")
            for one, piece, went in zip(hypotheses, pieces, left, strict=True)
        )
        gone = _count(pieces, left)
        fits = 0.0
        for base, weight in by_count(unseen).items():
            if (base, gone) not in remains:
                remains[base, gone] = _remain_fits(base, gone, seen, limits)
            fits += weight * known.get((base, whole), 0.0) * remains[base, gone]
        strikers = sum(piece == "striker" and went for piece, went in zip(pieces, left, strict=True))
        found.append((pieces, share * fits * one_striker[min(2, strikers)]))
    most = max((weight for _, weight in found), default=0.0)
    return [(pieces, weight) for pieces, weight in found if weight > most * _LEAST]


def _slips(short: int, few: float, many: float) -> float:
    """Returns the chance that vision counts so many too few (below 0: too many)."""
    return few**short if short >= 0 else many**-short


def _lay_fits(beside: Count, seen: FusionInput, limits: Limits) -> float:
    """Returns how well what must have lain there beside all that may be gone fits what was seen to."""
    if not seen.others:
        return 1.0
    return sum(chance * limits.misread ** _swaps(beside, count) for count, chance in seen.others.items())


def _remain_fits(base: Count, gone: Count, seen: FusionInput, limits: Limits) -> float:
    """Returns how well the classes of what remains fit what is seen of it.

    Pieces that were misclassified before the stroke are so after it: that says nothing new of what is gone.
    """
    remain = minus(base, gone)
    misread = 0 if seen.lay_seen is None else _swaps(base, seen.lay_seen)
    fits = limits.misread ** -sum(min(0, n) for n in remain)
    return fits * sum(
        chance * limits.misread ** max(0, _swaps(remain, count) - misread) for count, chance in seen.after.items()
    )


def _count(pieces: Sequence[Piece], counted: Sequence[bool]) -> Count:
    names = [piece for piece, counts in zip(pieces, counted, strict=True) if counts]
    return (names.count("white"), names.count("black"), names.count("queen"))


def _swaps(left: Count, right: Count) -> int:
    """Returns how many pieces would have to change their class; how many there are is weighed elsewhere."""
    # Asked most of all in this room, by millions for what a fuzzer makes up: plain arithmetic is three times as fast.
    white, black, queen = left[0] - right[0], left[1] - right[1], left[2] - right[2]
    return (abs(white) + abs(black) + abs(queen) - abs(white + black + queen)) // 2
