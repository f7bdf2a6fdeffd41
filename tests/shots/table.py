"""A table in the test's hands: builds what eyes and beams would say of a stroke, and feeds it to the shots room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import cos, pi, sin

from calibration.board import DEFAULT_BOARD
from controller.events.beams import BeamEdge, BeamHealth
from controller.events.expectation import Expectation, ToPlace
from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    Hand,
    HandsSeen,
    MotionBegan,
    Sample,
    SeenPiece,
    StrikerSeen,
    StrokeSeen,
    Touch,
    Track,
    Vanished,
)
from controller.shots import ShotRead, ShotState, Tick, begin, step

MS = 1_000_000
S = 1_000_000_000
POCKETS = DEFAULT_BOARD.pockets_mm


def coin(piece, x, y, u95=0.5, **more):
    return SeenPiece(piece, x, y, u95, **more)


SPREAD = [(-150.0 + 50 * (i % 7), -90.0 + 60 * (i // 7)) for i in range(19)]
COLOURS = ["queen"] + ["white", "black"] * 9


def full_board() -> list[SeenPiece]:
    """Nineteen pieces spread over the middle of the board."""
    return [coin(piece, x, y) for piece, (x, y) in zip(COLOURS, SPREAD, strict=True)]


def rack(step=31.0, turn=0.3):
    """The opening arrangement."""
    pieces = [coin("queen", 0, 0)]
    for index in range(6):
        angle = turn + index * pi / 3
        colour = "white" if index % 2 == 0 else "black"
        pieces.append(coin(colour, step * cos(angle), step * sin(angle)))
        pieces.append(coin("white", 2 * step * cos(angle), 2 * step * sin(angle)))
        off = angle + pi / 6
        pieces.append(coin("black", step * 3**0.5 * cos(off), step * 3**0.5 * sin(off)))
    return pieces


def expects(pieces: Iterable[SeenPiece], **more) -> Expectation:
    """The book's view of a board: what lies there should lie there."""
    names = [piece.piece for piece in pieces if piece.piece != "striker"]
    counts = tuple((kind, names.count(kind)) for kind in ("white", "black", "queen"))
    given = {
        "turn": "south",
        "on_board": counts,
        "book_pieces": (("white", 9), ("black", 9), ("queen", 1)),
        "sides": (("south", "south"), ("north", "north")),
        "seq": 1,
    }
    return Expectation(**{**given, **more})


@dataclass
class Fall:
    """A piece that falls: which (its place in the list), where, how long after the strike."""

    index: int
    pocket: str
    after_ms: float = 600.0
    felt: bool = True
    how: str = "pocket"


@dataclass
class Table:
    """Builds and feeds. `pieces`: what lies on the board."""

    pieces: list[SeenPiece] = field(default_factory=full_board)
    state: ShotState = field(default_factory=lambda: begin(DEFAULT_BOARD))
    now: int = 10 * S
    seq: int = 0
    said: list = field(default_factory=list)

    def feed(self, *inputs):
        fresh = []
        for one in inputs:
            self.state, outputs = step(self.state, one)
            fresh += outputs
        self.said += fresh
        return fresh

    def played(self, *inputs):
        """What was seen and felt of a stroke, and that the beams have nothing more to say of it."""
        return self.feed(*inputs, BeamHealth(self.now, "up"))

    def arm(self, **book):
        """Eyes and beams are there, and the book knows the board."""
        return self.feed(expects(self.pieces, **book), *self.signs(), self.board(self.pieces, self.now), Tick(self.now))

    def signs(self, **beams):
        return [
            EyesHealth(self.now, "ok", self.now, "match"),
            BeamHealth(self.now, beams.pop("link", "up"), **beams),
        ]

    def board(self, pieces: Sequence[SeenPiece], t_ns: int, since_ns: int | None = None, **more) -> BoardSeen:
        since = t_ns - 300 * MS if since_ns is None else since_ns
        return BoardSeen(t_ns, since, tuple(pieces), picture=t_ns // (10 * MS), **more)

    def edges(self, pocket: str, t_ns: int, long_ms: float = 25.0, beams=("upper", "lower")) -> list[BeamEdge]:
        found = []
        for number, beam in enumerate(beams):
            begins = t_ns + number * 20 * MS
            for at, blocked in ((begins, True), (begins + int(long_ms * MS), False)):
                found.append(BeamEdge(at, pocket, beam, blocked, "boot", self.seq, 100_000))
                self.seq += 1
        return found

    def stroke(
        self,
        falls: Sequence[Fall] = (),
        at: tuple[float, float] = (0.0, -250.85),
        heading: float = 90.0,
        off: Sequence[int] = (),
        striker_falls: Fall | None = None,
        before: Sequence[SeenPiece] | None = None,
        touches: Sequence[Touch] | None = None,
        **more,
    ) -> tuple[StrokeSeen, list[BeamEdge]]:
        """A stroke and its edges, a second from now; `self.pieces` becomes what is left."""
        began = self.now + S
        ended = began + 2 * S
        before = list(self.pieces if before is None else before)
        gone = {fall.index for fall in falls} | set(off)
        tracks, edges = [], []
        for number, fall in enumerate(falls):
            piece = before[fall.index]
            t = began + int(fall.after_ms * MS)
            end = POCKETS[fall.pocket] if fall.how == "pocket" else (piece.x_mm, piece.y_mm)
            near = fall.pocket if fall.how == "pocket" else None
            tracks.append(
                Track(
                    number + 2,
                    piece.piece,
                    piece,
                    None,
                    t - 300 * MS,
                    t - 20 * MS,
                    (Sample(t - 300 * MS, piece.x_mm, piece.y_mm), Sample(t - 20 * MS, *end)),
                    Vanished(t, 10 * MS, fall.how, end, near),
                    odds=piece.odds,
                )
            )
            if fall.felt:
                edges += self.edges(fall.pocket, t + 15 * MS)
        for index in off:
            piece = before[index]
            t = began + 700 * MS
            tracks.append(
                Track(
                    index + 100, piece.piece, piece, None, t - 300 * MS, t, (), Vanished(t, 20 * MS, "frame", (400, 0))
                )
            )
        left = [piece for index, piece in enumerate(before) if index not in gone and piece.piece != "striker"]
        lies = coin("striker", *at)
        path = (Sample(began, *at), Sample(began + 300 * MS, at[0] * 0.2, at[1] * 0.2), Sample(ended, 0.0, 200.0))
        ends = coin("striker", 0.0, 200.0)
        if striker_falls is not None:
            t = began + int(striker_falls.after_ms * MS)
            goal = POCKETS[striker_falls.pocket]
            ends = None
            path = (*path[:2], Sample(t - 20 * MS, *goal))
            vanished = Vanished(t, 10 * MS, "pocket", goal, striker_falls.pocket)
            tracks.append(Track(1, "striker", lies, None, began, t, path, vanished))
            if striker_falls.felt:
                edges += self.edges(striker_falls.pocket, t + 15 * MS)
        else:
            tracks.append(Track(1, "striker", lies, ends, began, ended, path))
        if touches is None:
            touches = (Touch(began + 200 * MS, MS, "white", (0.0, 0.0)),)
        given = {
            "kind_of": None,
            "grade": "match",
            "struck": StrikerSeen(lies, 60.0, began, MS, heading, 2000.0, 450.0, 15.0, 1),
            "all_at_rest": True,
        }
        given.pop("kind_of")
        given.update(more)
        after = [*left, ends] if ends is not None else left
        seen = StrokeSeen(
            t_ns=ended + 250 * MS,
            began_ns=began,
            ended_ns=ended,
            before=self.board([*before, lies], began - 100 * MS),
            after=self.board(after, ended + 250 * MS, ended),
            tracks=tuple(tracks),
            touches=tuple(touches),
            **given,
        )
        self.pieces = left
        self.now = seen.t_ns
        return seen, edges

    def wait(self, ms: float, boards: bool = True, **beams):
        """Time passes; eyes and beams go on saying that they are there."""
        fresh = []
        until = self.now + int(ms * MS)
        rest_since = self.now
        while self.now < until:
            self.now = min(until, self.now + 500 * MS)
            fresh += self.feed(*self.signs(**beams))
            if boards:
                fresh += self.feed(self.board(self.pieces, self.now, rest_since))
            fresh += self.feed(Tick(self.now, self.now if boards else None))
        return fresh


def armed(pieces=None, **book) -> Table:
    """A table of which the book knows what lies there."""
    table = Table(pieces=pieces if pieces is not None else full_board())
    table.arm(**book)
    return table


def fell(shot):
    """What fell in a stroke, and where."""
    return [(one.piece, one.pocket) for one in shot.pocketed]


def of(outputs, kind):
    return [one for one in outputs if isinstance(one, kind)]


def only(outputs, kind):
    found = of(outputs, kind)
    assert len(found) == 1, f"{len(found)} × {kind.__name__}: {found}"
    return found[0]


def hand(*outline, side=None):
    return Hand(tuple(outline), side)


def read(table=None, change=None, **stroke):
    """Plays one stroke of `Table.stroke`, as `change` makes it, and returns what is read of it."""
    table = table or Table()
    if table.state.expectation is None:
        table.arm()
    said, edges = table.stroke(**stroke)
    if change is not None:
        said = change(said)
    return only([*table.feed(*edges, said), *table.wait(2500)], ShotRead)


__all__ = [
    "MS",
    "POCKETS",
    "Fall",
    "HandsSeen",
    "MotionBegan",
    "S",
    "Table",
    "ToPlace",
    "coin",
    "expects",
    "full_board",
    "hand",
    "of",
    "only",
    "rack",
    "read",
    "replace",
]
