"""One drawn stroke through the shots room and the rules, beside the truth: what agrees, was asked, was silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

from calibration.board import DEFAULT_BOARD
from controller.events.beams import BeamHealth
from controller.events.match import Position, Shot, Start
from controller.events.observation import BoardSeen, EyesHealth
from controller.rules import apply, begin, expectation
from controller.rules.shelf import load_books
from controller.shots import Limits, Mismatch, ShotRead, Tick, step
from controller.shots import begin as begin_shots
from tests.shots.close_calls import as_called
from tests.shots.happenings import MS, Happening, Rates, S, draw

BOOKS = ("icf", "icf", "icf", "club", "campus", "classic", "world")
FACTS = ("seat", "placement", "left_baseline", "heading", "all_at_rest", "first contact", "pocketed", "off_board")


@dataclass
class Judged:
    """One stroke. `agrees`: fact → right, or None where it was said to be unseen. `asked`: more than the truth asks.

    `too_close`, `unwatched`: what was too close to call, or was named as unseen, is all that the ruling lacks.
    """

    happening: Happening
    book: str
    shot: Shot
    agrees: dict[str, bool | None]
    doubts: list[str]
    asked: bool
    same_ruling: bool
    noticed: bool
    too_close: bool
    unwatched: bool
    false_fouls: list[str] = field(default_factory=list)
    refused: str = ""
    again: list[str] = field(default_factory=list)
    void: bool = False

    @property
    def silent(self) -> bool:
        """The ruling differs, nothing was asked, nothing noticed by the next rest, it was no close call, and not for
        what was named as unseen."""
        return not (self.same_ruling or self.asked or self.noticed or self.too_close or self.unwatched)


class Bench:
    """Draws strokes and judges them. Repeatable by its seed."""

    def __init__(self, seed: int, rates: Rates, limits: Limits | None = None) -> None:
        self.rng = Random(seed)
        self.rates = rates
        self.limits = limits or Limits()
        self.books = load_books()

    def one(self) -> Judged:
        """Draws and judges one stroke."""
        rng = self.rng
        book = rng.choice(BOOKS)
        left = {"white": rng.randint(2, 9), "black": rng.randint(2, 9)}
        queen = rng.random() < 0.6
        turn = rng.choice(("south", "north"))
        position = Position(
            left=left, queen="board" if queen else "covered", queen_side=None if queen else "south", turn=turn,
            break_done=True,
        )  # fmt: skip
        white = "south" if book == "club" else None
        start = Start(book, {"south": "A", "north": "B"}, "south", white=white, position=position)
        state, _ = apply(begin(self.books), start)
        counts = {**left, "queen": int(queen)}
        seat = turn if rng.random() < 0.99 else {"south": "north", "north": "south"}[turn]
        drawn = draw(rng, counts, seat, self.rates)
        shot, evidence, noticed = self.read(state, drawn)
        _, true = apply(state, drawn.truth)
        _, said = apply(state, shot)
        _, watched = apply(state, replace(drawn.truth, unseen=shot.unseen))
        _, called = apply(state, as_called(drawn.truth, shot, evidence.clearances))
        asked = len(getattr(said, "asks", ())) > len(getattr(true, "asks", ()))
        fouls = {foul.clause for foul in getattr(said, "fouls", ())} - {
            foul.clause for foul in getattr(true, "fouls", ())
        }
        return Judged(
            drawn,
            book,
            shot,
            agreement(drawn.truth, shot),
            [doubt.fact for doubt in shot.doubts],
            asked,
            ruled(true) == ruled(said),
            bool(noticed),
            ruled(true) != ruled(said) == ruled(called) != ruled(watched),
            ruled(true) != ruled(said) == ruled(watched),
            sorted(fouls) if not asked else [],
            getattr(said, "error", ""),
            [one.says for one in noticed],
            bool(getattr(true, "void", False)),
        )

    def read(self, match, drawn: Happening):
        """Feeds a stroke as a live table would. Returns the last reading, its evidence, and what else was told."""
        state = begin_shots(DEFAULT_BOARD, limits=self.limits)
        book = expectation(match)
        began = drawn.stroke.began_ns
        health = [EyesHealth(began - S, "ok", began - S), BeamHealth(began - S, "up", blind=drawn.blind)]
        fed = [book, *health, drawn.stroke.before, Tick(began)]
        feed = sorted([*drawn.edges, drawn.stroke], key=lambda one: one.t_ns)
        fed += feed
        end = drawn.stroke.t_ns
        fed += [EyesHealth(end + S, "ok", end + S), BeamHealth(end + S, "up", blind=drawn.blind), Tick(end + S)]
        said, told, reads = [], [], []
        for one in fed:
            state, said = step(state, one)
            reads += [out for out in said if isinstance(out, ShotRead)]
            told += [out for out in said if isinstance(out, Mismatch)]
        read = reads[-1]
        match, ruling = apply(match, read.shot)
        if not hasattr(ruling, "error"):
            state, _ = step(state, expectation(match))
            for late in range(2, 8):
                t = end + late * S
                rest = BoardSeen(t, end + S + 500 * MS, tuple(drawn.next_rest), picture=3)
                for one in (rest, EyesHealth(t, "ok", t), BeamHealth(t, "up", blind=drawn.blind), Tick(t, t)):
                    state, said = step(state, one)
                    told += [out for out in said if isinstance(out, Mismatch)]
        return read.shot, read.evidence, told


def agreement(truth: Shot, shot: Shot) -> dict[str, bool | None]:
    """Compares fact by fact; None: said to be unseen."""
    place, true = shot.placement, truth.placement
    first = (shot.contacts or [None])[0]
    true_first = (truth.contacts or [None])[0]
    found = {
        "seat": shot.seat == truth.seat,
        "placement": place is not None
        and (place.lines, place.circle, place.arrow) == (true.lines, true.circle, true.arrow),
        "left_baseline": shot.left_baseline == truth.left_baseline,
        "heading": shot.heading == truth.heading,
        "all_at_rest": shot.all_at_rest == truth.all_at_rest,
        "first contact": (first and first.touched) == (true_first and true_first.touched),
        "pocketed": fell(shot) == fell(truth),
        "off_board": Counter(shot.off_board) == Counter(truth.off_board),
    }
    names = {"first contact": "contacts"}
    return {fact: None if names.get(fact, fact) in shot.unseen else right for fact, right in found.items()}


def fell(shot: Shot) -> Counter:
    return Counter((one.piece, one.pocket) for one in shot.pocketed)


def ruled(ruling) -> tuple:
    """What of a ruling counts."""
    if hasattr(ruling, "error"):
        return ("refused",)
    return (
        tuple(sorted(foul.clause for foul in ruling.fouls)),
        ruling.turn,
        ruling.queen,
        tuple(sorted(ruling.left.items())),
        tuple(sorted(ruling.owed.items())),
        tuple(sorted(ruling.score.items())),
        ruling.board.over,
        ruling.void,
        tuple(sorted(back.piece for back in ruling.returned)),
    )
