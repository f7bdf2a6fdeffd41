"""What lies there at the beginning is believed by the first pictures together, not by one look alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, SeenPiece, StrokeSeen
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import PICTURES, Follower
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, frames, model_of, strokes, true_finder

Change = Callable[[int, Finding], Finding]


@pytest.fixture(scope="module")
def episode() -> Episode:
    """A board on which nothing happens yet."""
    return strokes("pale", 11, 1)


def finder(episode: Episode, change: Change) -> Callable[[Frame, CameraModel | None], Finding]:
    """A finder that knows, and whose n-th answer is changed."""
    true, answers = true_finder(episode), 0

    def find(frame: Frame, model: CameraModel | None = None) -> Finding:
        nonlocal answers
        answers += 1
        return change(answers - 1, true(frame, model))

    return find


def begun(episode: Episode, change: Change, pictures: int = 6) -> BoardSeen:
    """What is said to lie there after so many pictures of the quiet board."""
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(finder(episode, change)), board=DEFAULT_BOARD))
    said = []
    for frame in list(frames(episode, 0.0, 0.3))[:pictures]:
        said += follower.step(frame)
    return next(one for one in reversed(said + follower.finish()) if isinstance(one, BoardSeen))


def places(board: BoardSeen) -> set[tuple[int, int]]:
    """Where pieces lie, to a few centimetres."""
    return {(round(piece.x_mm / 30.0), round(piece.y_mm / 30.0)) for piece in board.pieces}


def without_one(nth: int) -> Change:
    """The n-th answer misses a piece."""
    return lambda n, sight: replace(sight, pieces=sight.pieces[1:]) if n == nth else sight


def with_one(nth: int) -> Change:
    """The n-th answer has a piece that is not there."""
    false = SeenPiece("black", 333.0, -333.0, 0.5)
    return lambda n, sight: replace(sight, pieces=(*sight.pieces, false)) if n == nth else sight


def named(nth: int, kind: str) -> Change:
    """The n-th answer calls one piece by another name."""
    return lambda n, sight: (
        replace(sight, pieces=(replace(sight.pieces[0], piece=kind), *sight.pieces[1:])) if n == nth else sight
    )


@pytest.mark.parametrize("nth", range(PICTURES))
def test_a_piece_that_one_look_misses_lies_there(episode: Episode, nth: int) -> None:
    assert len(begun(episode, without_one(nth)).pieces) == len(begun(episode, lambda _, sight: sight).pieces)


@pytest.mark.parametrize("nth", range(PICTURES))
def test_a_piece_that_one_look_makes_up_does_not(episode: Episode, nth: int) -> None:
    said = begun(episode, with_one(nth))
    assert len(said.pieces) == len(begun(episode, lambda _, sight: sight).pieces)
    assert (11, -11) not in places(said)


def test_what_one_look_calls_otherwise_is_called_as_the_others_say(episode: Episode) -> None:
    true = begun(episode, lambda _, sight: sight)
    coin = true.pieces[0]
    other = "black" if coin.piece == "white" else "white"
    said = begun(episode, named(0, other))
    assert [p.piece for p in said.pieces if (p.x_mm - coin.x_mm) ** 2 + (p.y_mm - coin.y_mm) ** 2 < 9] == [coin.piece]


@pytest.mark.parametrize("pictures", range(1, PICTURES + 1))
def test_a_recording_of_few_pictures_is_told(episode: Episode, pictures: int) -> None:
    assert places(begun(episode, lambda _, sight: sight, pictures)) == places(begun(episode, lambda _, sight: sight))


def test_a_piece_that_runs_in_the_first_pictures_set_off_where_the_first_shows_it(episode: Episode) -> None:
    struck = episode.played[0].struck_s
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said = []
    for frame in frames(episode, struck - 0.004):
        said += follower.step(frame)
    stroke = next(one for one in said + follower.finish() if isinstance(one, StrokeSeen))
    strikers = [p for p in stroke.before.pieces if p.piece == "striker"]
    x, y = episode.played[0].stroke.at_mm
    assert [(p.x_mm - x) ** 2 + (p.y_mm - y) ** 2 < 25.0 for p in strikers] == [True]
