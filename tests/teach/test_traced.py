"""What the path tracer is given: closed bodies that face outwards, prints, and the camera's way to a picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scripts.teach.traced.artwork import adorn
from scripts.teach.traced.bodies import Body, box, coin
from scripts.teach.traced.develop import Camera, develop


def volume(body: Body) -> float:
    """The volume that a closed surface holds; negative if it faces inwards."""
    a, b, c = (body.corners[body.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def edges(body: Body) -> np.ndarray:
    """How often each edge is walked one way less than the other, by place: all zero where the surface is closed."""
    _, same = np.unique(body.corners.round(5), axis=0, return_inverse=True)
    faces, n = same.reshape(-1)[body.faces], len(body.corners)
    balance = np.zeros((n, n), dtype=int)
    for k in range(3):
        np.add.at(balance, (faces[:, k], faces[:, (k + 1) % 3]), 1)
    return balance - balance.T


@pytest.mark.parametrize(
    ("body", "least", "most"),
    [
        (coin(15.5, 8.0, 1.5, [(8.0, 0.5, 0.8)], 0.0, 17.0), 5500.0, 15.5**2 * np.pi * 8.0),
        (box((10.0, 20.0, 2.0)), 3199.0, 3201.0),
    ],
)
def test_bodies_are_closed_and_face_outwards(body: Body, least: float, most: float) -> None:
    assert not edges(body).any()
    assert least < volume(body) < most


def test_a_print_is_the_same_for_the_same_seed_and_only_paints() -> None:
    wood = np.full((400, 400, 3), 0.5, dtype=np.float32)
    boards = [adorn(wood, 0.5, np.random.default_rng(seed)) for seed in range(12)]
    again = adorn(wood, 0.5, np.random.default_rng(3))
    assert np.array_equal(boards[3], again)
    assert sum(not np.array_equal(board, wood) for board in boards) > 6
    assert all(board.min() >= 0.0 and board.max() <= 1.0 for board in boards)


def test_a_camera_keeps_grey_grey_and_halos_an_edge_only_when_it_sharpens() -> None:
    light = np.full((64, 96, 3), 0.1, dtype=np.float32)
    light[:, 48:] = 0.3
    plain = Camera(1.0, (1.0, 1.0, 1.0), 0.4, 0.0, 0.0, True, 0.0, 0.0, 1.0, 95)
    seen = develop(light, plain, np.random.default_rng(1))
    assert np.ptp(seen[32, 10].astype(int)) <= 2
    assert seen[32, 80, 1] == pytest.approx(255 * (1.055 * 0.3 ** (1 / 2.4) - 0.055), abs=2)
    halo = develop(light, replace(plain, sharpen=1.5, sharpen_px=1.2), np.random.default_rng(1))
    assert halo[:, 49:54, 1].max() > seen[:, 49:54, 1].max() + 8
