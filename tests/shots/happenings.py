"""Strokes that happen and what eyes and beams make of them, faults of both included: for measuring the shots room.

The truth is drawn first, the observation from it; none of its rates is read from the room it measures. Not physics:
which piece falls where is drawn, positions are random. `draw(rng, …)` is repeatable.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import cos, hypot, pi, sin
from random import Random

from calibration.board import DEFAULT_BOARD, seat_to_board
from controller.events.beams import BeamEdge
from controller.events.match import Contact, Placement, Pocketed, RestPiece, Shot
from controller.events.observation import (
    BoardSeen,
    Hand,
    HandsSeen,
    Sample,
    SeenPiece,
    StrikerSeen,
    StrokeSeen,
    Touch,
    Track,
    Vanished,
)

MS = 1_000_000
S = 1_000_000_000
POCKETS = DEFAULT_BOARD.pockets_mm
STRIKER_MM = DEFAULT_BOARD.striker_diameter_mm / 2
COIN_MM = DEFAULT_BOARD.coin_diameter_mm / 2


@dataclass(frozen=True)
class Rates:
    """How often things go wrong; shares of strokes unless it says otherwise."""

    silent_beam_a_fall: float = 0.001
    blind_pocket: float = 0.02
    insect: float = 0.005
    hand_at_pocket: float = 0.01
    one_beam_a_fall: float = 0.02
    vanished_unknown_a_fall: float = 0.03
    no_track_a_fall: float = 0.01
    hidden_after: float = 0.03
    missed_after: float = 0.001
    unsure_class_a_piece: float = 0.005
    misread_a_piece: float = 2e-6
    taken: float = 0.003
    thrown_back: float = 0.003
    off_board: float = 0.012
    into_a_lap: float = 0.3
    bad_placement: float = 0.06
    backward: float = 0.01
    slip: float = 0.005
    moving_before: float = 0.004
    unsure_order: float = 0.03
    lost_frames: float = 0.01


HEALTHY = Rates(
    silent_beam_a_fall=0, blind_pocket=0, insect=0, vanished_unknown_a_fall=0.01, no_track_a_fall=0.002,
    hidden_after=0, missed_after=0, unsure_class_a_piece=0.002, taken=0, into_a_lap=0, lost_frames=0,
)  # fmt: skip
"""Sensors that work, players with all their faults."""


@dataclass
class Happening:
    """The truth and what was seen of it. `next_rest`: the board two seconds later, seen clearly."""

    truth: Shot
    stroke: StrokeSeen
    edges: list[BeamEdge]
    blind: tuple[str, ...]
    before: list[SeenPiece]
    next_rest: list[SeenPiece]
    faults: list[str] = field(default_factory=list)


def draw(rng: Random, counts: dict[str, int], seat: str, rates: Rates, now: int = 10 * S) -> Happening:
    """Draws a stroke from `seat` on a board with `counts` coins."""
    return _Draw(rng, rates, now).happening(counts, seat)


class _Draw:
    def __init__(self, rng: Random, rates: Rates, now: int) -> None:
        self.rng, self.rates, self.began = rng, rates, now + S
        self.ended = self.began + int(rng.uniform(1.9, 2.8) * S)
        self.faults: list[str] = []
        self.edges: list[BeamEdge] = []
        self.tracks: list[Track] = []
        self.sigma = rng.uniform(0.12, 0.4)
        self.frame = rng.choice((8, 17)) * MS

    def chance(self, share: float, fault: str = "") -> bool:
        happens = self.rng.random() < share
        if happens and fault:
            self.faults.append(fault)
        return happens

    def happening(self, counts: dict[str, int], seat: str) -> Happening:
        rng = self.rng
        true = self.lay_out(counts)
        self.names = {index: piece for index, (piece, _, _) in enumerate(true)}
        blind = (rng.choice(list(POCKETS)),) if self.chance(self.rates.blind_pocket, "blind pocket") else ()
        at, placement = self.placed(seat, [(x, y) for _, x, y in true])
        seen_before = self.seen = [self.see(piece, x, y) for piece, x, y in true]
        falls = self.choose_falls(len(true))
        off = []
        free = [index for index in range(len(true)) if index not in {index for index, _, _ in falls}]
        if free and self.chance(self.rates.off_board, "off the board"):
            off = [rng.choice(free)]
        free = [index for index in free if index not in off]
        slipped = not falls and not off and self.chance(self.rates.slip, "slip")
        rest = {index: (x, y) for index, (_, x, y) in enumerate(true) if index in free}
        for index in [] if slipped else rng.sample(free, min(len(free), rng.randint(1, 4))):
            rest[index] = self.spot(list(rest.values()))
            self.moved(index, seen_before[index], rest[index])
        for index, pocket, t in falls:
            self.fell(index, seen_before[index], pocket, t, blind)
        for index in off:
            self.left(index, seen_before[index])
        taken = [index for index in free if index in rest][:1] if self.chance(self.rates.taken, "taken by hand") else []
        for index in taken:
            x, y = rest.pop(index)
            ran_off = Vanished(self.ended - 200 * MS, 20 * MS, "hand", (x, y))
            piece = seen_before[index]
            self.tracks = [one for one in self.tracks if one.track != index + 10]
            self.tracks.append(
                Track(index + 10, piece.piece, piece, None, self.began, self.ended, (), ran_off, odds=piece.odds)
            )
        striker_fall = None
        if not slipped and self.chance(0.06):
            striker_fall = (rng.choice(list(POCKETS)), self.began + int(rng.uniform(0.4, 1.7) * S))
        struck, striker_end, heading = self.strike(seat, at, slipped, striker_fall, blind, list(rest.values()))
        self.noise_of_beams(free and rest)
        contacts, touches = self.contacts(slipped, true, [index for index, _, _ in falls])
        early = self.chance(self.rates.moving_before, "moving before") and self.move_early(seen_before, rest)
        after, hidden = self.look_after(rest, striker_end)
        lost = self.chance(self.rates.lost_frames, "frames lost")
        dark = ((self.began + 200 * MS, self.began + 500 * MS),) if lost else ()
        lies = self.see("striker", *at)
        before = BoardSeen(self.began - 300 * MS, self.began - 2 * S, (*seen_before, lies), picture=1)
        said = self.ended + 250 * MS
        stroke = StrokeSeen(
            t_ns=said, began_ns=self.began, ended_ns=self.ended, grade="match", before=before,
            after=BoardSeen(said, self.ended, tuple(after), hidden, picture=2),
            tracks=tuple(self.tracks), touches=touches, struck=replace(struck, placed=lies),
            hands=(HandsSeen(self.began - 50 * MS, (self.hand(seat),)),), all_at_rest=not early, blind=dark,
        )  # fmt: skip
        fell = sorted(
            [(t, Pocketed(self.names[index], pocket)) for index, pocket, t in falls]
            + ([(striker_fall[1], Pocketed("striker", striker_fall[0]))] if striker_fall else []),
            key=lambda pair: pair[0],
        )
        truth = Shot(
            seat=seat,
            placement=placement,
            left_baseline=not slipped,
            heading=heading,
            all_at_rest=not early,
            contacts=contacts,
            pocketed=tuple(one for _, one in fell),
            off_board=tuple(self.names[index] for index in off),
            rest=tuple(RestPiece(self.names[index], x, y) for index, (x, y) in rest.items()),
        )
        next_rest = [replace(self.see(self.names[index], x, y), odds=()) for index, (x, y) in rest.items()]
        return Happening(truth, stroke, self.edges, blind, seen_before, next_rest, self.faults)

    # -- the board

    def lay_out(self, counts: dict[str, int]) -> list[tuple[str, float, float]]:
        spots: list[tuple[float, float]] = []
        names = [piece for piece, count in counts.items() for _ in range(count)]
        for _ in names:
            spots.append(self.spot(spots))
        return [(piece, x, y) for piece, (x, y) in zip(names, spots, strict=True)]

    def spot(self, taken: list[tuple[float, float]]) -> tuple[float, float]:
        while True:
            x, y = self.rng.uniform(-300, 300), self.rng.uniform(-300, 300)
            if all(hypot(x - a, y - b) > 2 * COIN_MM + 0.5 for a, b in taken):
                return (x, y)

    def see(self, piece: str, x: float, y: float) -> SeenPiece:
        rng, u95 = self.rng, self.sigma * 2.448
        name, odds = piece, ()
        if piece != "striker" and self.chance(self.rates.unsure_class_a_piece, "unsure class"):
            other = {"white": "black", "black": "white", "queen": "black"}[piece]
            weight = rng.uniform(0.5, 0.98)
            # Calibrated: the likelier class is the true one as often as its weight says.
            first, second = (piece, other) if rng.random() < weight else (other, piece)
            name, odds = first, ((first, weight), (second, 1 - weight))
        elif piece in ("white", "black") and self.chance(self.rates.misread_a_piece, "misread"):
            name = "black" if piece == "white" else "white"
        return SeenPiece(name, x + rng.gauss(0, self.sigma), y + rng.gauss(0, self.sigma), u95, odds=odds)

    def placed(self, seat: str, coins: list[tuple[float, float]]) -> tuple[tuple[float, float], Placement]:
        """Where a player puts the striker: clear of every coin by what an eye can tell."""
        bad = self.chance(self.rates.bad_placement, "bad placement")
        while True:
            along, away = self.drawn_place(self.rng.choice(("one", "none", "cut", "arrow")) if bad else "")
            at = seat_to_board(seat, along, away)
            if all(hypot(at[0] - x, at[1] - y) > STRIKER_MM + COIN_MM + 3.0 for x, y in coins):
                return at, true_placement(at, along, away)

    def drawn_place(self, kind: str) -> tuple[float, float]:
        rng = self.rng
        if kind:
            along, away = rng.uniform(-150, 150), 252.6
            away = {"one": rng.uniform(260, 270), "none": rng.uniform(285, 320)}.get(kind, away)
            if kind in ("cut", "arrow"):
                along = rng.choice((-1, 1)) * (rng.uniform(188, 212) if kind == "cut" else rng.uniform(228, 245))
            return along, away
        along = rng.choice((rng.uniform(-180, 180), rng.choice((-219.1, 219.1)) + rng.uniform(-1.5, 1.5)))
        return along, rng.uniform(245.5, 256.5) if abs(along) <= 200 else 252.6 + rng.uniform(-1.5, 1.5)

    def look_after(
        self, rest: dict[int, tuple[float, float]], striker: tuple[float, float] | None
    ) -> tuple[list[SeenPiece], tuple[tuple[tuple[float, float], ...], ...]]:
        rng = self.rng
        lying = [(self.names[index], x, y) for index, (x, y) in rest.items()]
        if striker is not None and rng.random() < 0.9:
            lying.append(("striker", *striker))
        hidden = ()
        if self.chance(self.rates.hidden_after, "hidden after"):
            x, y = rng.uniform(-250, 250), rng.uniform(-250, 250)
            hidden = (((x - 60, y - 60), (x + 60, y - 60), (x + 60, y + 60), (x - 60, y + 60)),)
            lying = [one for one in lying if abs(one[1] - x) > 60 or abs(one[2] - y) > 60]
        if len(lying) > 2 and self.chance(self.rates.missed_after, "missed after"):
            lying.remove(rng.choice(lying))
        seen = [self.see(*one) for one in lying]
        kept = {one.end for one in self.tracks if one.end is not None}
        return [self.same(one, kept) for one in seen], hidden

    def same(self, seen: SeenPiece, ends: set[SeenPiece]) -> SeenPiece:
        """A track's end is the very piece of the board after."""
        near = [
            end for end in ends if end.piece == seen.piece and hypot(end.x_mm - seen.x_mm, end.y_mm - seen.y_mm) < 5
        ]
        return near[0] if near else seen

    # -- what moved

    def choose_falls(self, pieces: int) -> list[tuple[int, str, int]]:
        rng = self.rng
        count = rng.choices((0, 1, 2, 3, 4), (55, 32, 9, 3, 1))[0]
        falls = []
        for index in rng.sample(range(pieces), min(count, pieces)):
            pocket, t = rng.choice(list(POCKETS)), self.began + int(rng.uniform(0.3, 1.1) * S)
            if falls and rng.random() < 0.15:
                pocket, t = falls[-1][1], falls[-1][2] + int(rng.uniform(2, 60) * MS)
            falls.append((index, pocket, t))
        return falls

    def moved(self, index: int, piece: SeenPiece, to: tuple[float, float]) -> None:
        end = self.see(self.names[index], *to)
        first = self.began + int(self.rng.uniform(0.15, 0.5) * S)
        path = (Sample(first, piece.x_mm, piece.y_mm), Sample(first + 50 * MS, *to))
        self.tracks.append(Track(index + 10, piece.piece, piece, end, first, self.ended - 50 * MS, path))

    def fell(self, index: int, piece: SeenPiece, pocket: str, t: int, blind: tuple[str, ...]) -> None:
        rng = self.rng
        self.felt(pocket, t, blind)
        if self.chance(self.rates.no_track_a_fall, "no track"):
            return
        error = self.frame // 2 + 4 * MS
        seen = t + int(rng.gauss(0, error)) - 10 * MS
        x, y = POCKETS[pocket]
        gone = Vanished(seen, error, "pocket", (x * 0.97, y * 0.97), pocket)
        if self.chance(self.rates.vanished_unknown_a_fall, "vanished unknown"):
            gone = Vanished(seen, 4 * error, "unknown", (x * 0.85, y * 0.85), rng.choice((pocket, None)))
        path = (Sample(t - 300 * MS, piece.x_mm, piece.y_mm), Sample(t - 20 * MS, x * 0.95, y * 0.95))
        self.tracks.append(Track(index + 10, piece.piece, piece, None, t - 300 * MS, seen, path, gone, odds=piece.odds))

    def left(self, index: int, piece: SeenPiece) -> None:
        t = self.began + int(self.rng.uniform(0.3, 1.0) * S)
        angle = self.rng.uniform(0, 2 * pi)
        at = (410 * cos(angle), 410 * sin(angle))
        how = "unknown" if self.chance(self.rates.into_a_lap, "into a lap") else "frame"
        gone = Vanished(t, self.frame, how, at)
        self.tracks.append(Track(index + 10, piece.piece, piece, None, t - 200 * MS, t, (), gone, odds=piece.odds))

    def move_early(self, seen: list[SeenPiece], rest: dict[int, tuple[float, float]]) -> bool:
        for number, track in enumerate(self.tracks):
            if track.end is not None and track.piece != "striker":
                first = self.began - 150 * MS
                path = (Sample(first, track.start.x_mm, track.start.y_mm), *track.samples)
                self.tracks[number] = replace(track, first_ns=first, samples=path)
                return True
        return False

    # -- the striker

    def strike(
        self,
        seat: str,
        at: tuple[float, float],
        slipped: bool,
        fall: tuple[str, int] | None,
        blind: tuple[str, ...],
        lying: list[tuple[float, float]],
    ) -> tuple[StrikerSeen, tuple[float, float] | None, str]:
        rng = self.rng
        lies = self.see("striker", *at)
        back = self.chance(self.rates.backward, "backward")
        forward = seat_to_board(seat, 0.0, -1.0)
        degrees = {(0, 1): 90, (0, -1): 270, (1, 0): 0, (-1, 0): 180}[round(forward[0]), round(forward[1])]
        turn = rng.uniform(-75, 75) if not back else 180 + rng.uniform(-60, 60)
        heading = "backward" if back else "forward"
        # One that comes back to where it lay is followed in more pictures than are drawn here.
        end = self.spot([*lying, at])
        if slipped:
            # One that moved less cannot be told from one that a finger only touched.
            along, across = rng.uniform(7, 12), rng.uniform(-1.5, 1.5)
            end = (at[0] + along * forward[1] + across * forward[0], at[1] - along * forward[0] + across * forward[1])
        path = [Sample(self.began, *at), Sample(self.ended, *end)]
        if not slipped:
            path.insert(1, Sample(self.began + 100 * MS, 0.5 * at[0], 0.5 * at[1]))
        gone = None
        if fall is not None:
            pocket, t = fall
            self.felt(pocket, t, blind)
            gone = Vanished(t + int(rng.gauss(0, 8 * MS)) - 10 * MS, 12 * MS, "pocket", POCKETS[pocket], pocket)
            path[-1] = Sample(t - 20 * MS, *POCKETS[pocket])
        ends = None if fall is not None else self.see("striker", *end)
        self.tracks.append(Track(1, "striker", lies, ends, self.began, self.ended, tuple(path), gone))
        struck = StrikerSeen(
            lies, 80.0, self.began, 2 * MS, (degrees + turn) % 360, 1800.0, 9.0 if slipped else 500.0, 15.0, 1
        )
        return struck, None if fall is not None else end, heading

    def hand(self, seat: str) -> Hand:
        outline = [seat_to_board(seat, x, away) for x, away in ((-30, 440), (30, 440), (30, 275), (-30, 275))]
        return Hand(tuple(outline), seat)

    def contacts(self, slipped: bool, true: list, fell: list[int]) -> tuple[tuple[Contact, ...], tuple[Touch, ...]]:
        if slipped or not self.tracks:
            return (), ()
        met = [track for track in self.tracks if track.start is not None and track.piece != "striker"][:2]
        touches, contacts = [], []
        t = self.began + 150 * MS
        unsure = len(met) == 2 and self.chance(self.rates.unsure_order, "unsure order")
        for track in met:
            index = track.track - 10
            at = (track.start.x_mm, track.start.y_mm)
            contacts.append(Contact(self.names[index], true[index][1:]))
            noise = int(self.rng.gauss(0, 5 * MS)) if unsure else 0
            touches.append(Touch(t + noise, 5 * MS if unsure else MS, track.piece, at, track.track, not unsure))
            t += 4 * MS if unsure else 60 * MS
        return tuple(contacts), tuple(sorted(touches, key=lambda touch: touch.t_ns))

    # -- the beams

    def felt(self, pocket: str, t: int, blind: tuple[str, ...]) -> None:
        if pocket in blind or self.chance(self.rates.silent_beam_a_fall, "silent beam"):
            return
        t += int(self.rng.gauss(6, 3) * MS)
        beams = ("upper", "lower")
        if self.chance(self.rates.one_beam_a_fall, "one beam"):
            beams = (self.rng.choice(beams),)
        for number, beam in enumerate(beams):
            self.broken(pocket, beam, t + number * 18 * MS, self.rng.uniform(12, 45))

    def broken(self, pocket: str, beam: str, t: int, long_ms: float) -> None:
        """A beam broken while it is broken already stays broken: what a level says, edges cannot say twice."""
        until = t + int(long_ms * MS)
        mine = [edge for edge in self.edges if edge.pocket == pocket and edge.beam == beam]
        for begin, end in zip(mine[::2], mine[1::2], strict=True):
            if begin.t_ns - MS <= until and end.t_ns + MS >= t:
                self.edges.remove(begin)
                self.edges.remove(end)
                t, until = min(t, begin.t_ns), max(until, end.t_ns)
        for at, blocked in ((t, True), (until, False)):
            self.edges.append(BeamEdge(at, pocket, beam, blocked, "boot", len(self.edges) + at % 1000, 150_000))

    def noise_of_beams(self, rest: dict[int, tuple[float, float]]) -> None:
        rng = self.rng
        if self.chance(self.rates.insect, "insect"):
            t = self.began + int(rng.uniform(0.1, 1.5) * S)
            self.broken(rng.choice(list(POCKETS)), rng.choice(("upper", "lower")), t, rng.uniform(0.2, 300))
        if rest and self.chance(self.rates.thrown_back, "thrown back"):
            pocket = rng.choice(list(POCKETS))
            index = next(iter(rest))
            x, y = POCKETS[pocket]
            rest[index] = (x * 0.93 + rng.uniform(-5, 5), y * 0.93 + rng.uniform(-5, 5))
            self.tracks = [one for one in self.tracks if one.track != index + 10]
            self.moved(index, self.seen[index], rest[index])
            self.broken(pocket, "upper", self.began + 800 * MS, 60)


def true_placement(at: tuple[float, float], along: float, away: float) -> Placement:
    """The facts of a placement by the board's millimetres, worked out on their own."""
    board = DEFAULT_BOARD

    def overlaps(near: float, far: float) -> bool:
        beside = max(0.0, abs(along) - board.line_half_length_mm)
        off = max(0.0, away - far, near - away)
        return hypot(beside, off) < STRIKER_MM

    touched = sum((overlaps(263.5, 268.5), overlaps(236.7, 238.2)))
    to_circle = hypot(abs(along) - 219.1, away - 252.6)
    circle = "covered" if to_circle + 15.9 <= STRIKER_MM else "clear" if to_circle >= 15.9 + STRIKER_MM else "partial"
    beside = abs(abs(at[0]) - abs(at[1])) / 2**0.5
    arrow = beside < STRIKER_MM + 0.75 and 152.5 < (abs(at[0]) + abs(at[1])) / 2**0.5 < 419.5
    return Placement(*at, ("none", "one", "both")[touched], circle, arrow, False)
