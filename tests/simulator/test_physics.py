"""Discs: conserved momentum, energy that never grows, textbook two-body results, pockets, leaps, determinism."""

from __future__ import annotations

import itertools
from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.board import DEFAULT_BOARD
from controller.simulator.motion import Motion, Pose
from controller.simulator.physics import Disc, Material, run
from controller.simulator.pieces import opening, pieces_of

SMOOTH = Material(piece_friction=0.0, cushion_friction=0.0)
SLOW = SMOOTH.slowing_mm_s2


def coin(name: int, x: float, y: float) -> Disc:
    return Disc(name, "white", x, y, 15.5, 5.4)


def striker(x: float, y: float) -> Disc:
    return Disc(0, "striker", x, y, 20.65, 15.0)


def broken(seed: int, material: Material | None = None) -> Motion:
    pieces = pieces_of(DEFAULT_BOARD)
    rng = np.random.default_rng(seed)
    discs = [pieces.disc(name, pose) for name, pose in opening(pieces, rng).items()]
    discs.append(pieces.disc(0, Pose(float(rng.uniform(-80, 80)), -252.6, 0.0, 0.0)))
    velocity = (float(rng.uniform(-300, 300)), float(rng.uniform(2200, 3600)), float(rng.normal(0, 20)))
    return run(discs, {0: velocity}, material=material, seed=seed, board=DEFAULT_BOARD)


def test_a_lone_disc_slides_as_far_as_friction_lets_it() -> None:
    motion = run([coin(1, -300, 0)], {1: (600.0, 0.0, 0.0)}, board=DEFAULT_BOARD)
    slow = Material().slowing_mm_s2
    assert motion.rest_s == pytest.approx(600.0 / slow)
    end = motion.resting()[1]
    assert end.x_mm == pytest.approx(-300 + 600.0**2 / (2 * slow))
    assert end.y_mm == 0.0
    middle = motion.sample(1, 0.2)
    assert middle is not None
    assert middle.x_mm == pytest.approx(-300 + 600 * 0.2 - 0.5 * slow * 0.04)


def test_a_full_hit_between_equals_hands_over_the_speed() -> None:
    motion = run([coin(1, -100, 0), coin(2, 0, 0)], {1: (800.0, 0.0, 0.0)}, material=SMOOTH, board=DEFAULT_BOARD)
    (hit,) = motion.hits
    at_hit = sqrt(800.0**2 - 2 * SLOW * (100 - 31))
    assert hit.speed_mm_s == pytest.approx(at_hit)
    after = hit.t_s + 1e-9
    e = SMOOTH.piece_restitution
    assert motion.velocity(2, after)[0] == pytest.approx(at_hit * (1 + e) / 2, rel=1e-6)
    assert motion.velocity(1, after)[0] == pytest.approx(at_hit * (1 - e) / 2, rel=1e-6)


def test_a_cut_sends_a_smooth_coin_along_the_line_of_centres() -> None:
    # The ghost position of the striker for a coin that shall go at 30° to its way.
    reach = 20.65 + 15.5
    motion = run(
        [striker(-200 - reach * np.cos(np.pi / 6), -reach * np.sin(np.pi / 6)), coin(2, 0, 0)],
        {0: (1500.0, 0.0, 0.0)},
        material=SMOOTH,
        board=DEFAULT_BOARD,
    )
    vx, vy = motion.velocity(2, motion.hits[0].t_s + 1e-9)
    assert vy / vx == pytest.approx(np.tan(np.pi / 6), rel=1e-6)


def test_a_cushion_turns_the_normal_speed_and_takes_its_share() -> None:
    motion = run([coin(1, 0, 300)], {1: (200.0, 900.0, 0.0)}, material=SMOOTH, board=DEFAULT_BOARD)
    hit = motion.hits[0]
    assert hit.other is None
    assert (hit.x_mm, hit.y_mm) == (pytest.approx(hit.x_mm), pytest.approx(DEFAULT_BOARD.half_mm))
    before, after = motion.velocity(1, hit.t_s - 1e-9), motion.velocity(1, hit.t_s + 1e-9)
    assert after[1] == pytest.approx(-before[1] * SMOOTH.cushion_restitution, rel=1e-5)
    assert after[0] == pytest.approx(before[0], rel=1e-5)


def energy_and_momentum(motion: Motion, t: float) -> tuple[float, np.ndarray]:
    """Kinetic energy (spin included) and momentum of everything at a time."""
    energy, momentum = 0.0, np.zeros(2)
    for i, name in enumerate(motion.names):
        mass = 15.0 if motion.pieces[i] == "striker" else 5.4
        vx, vy = motion.velocity(name, t)
        segment = motion.segments[i][max(k for k, s in enumerate(motion.segments[i]) if s.t_s <= t)]
        slow = motion.spin_slowing[i]
        spin = max(abs(segment.spin) - slow * (t - segment.t_s), 0.0)
        energy += 0.5 * mass * (vx * vx + vy * vy) + 0.25 * mass * motion.radii_mm[i] ** 2 * spin * spin
        momentum += mass * np.array((vx, vy))
    return energy, momentum


@pytest.mark.parametrize("seed", range(4))
def test_collisions_keep_momentum_and_nothing_makes_energy(seed: int) -> None:
    motion = broken(seed)
    assert len(motion.hits) > 10
    times = sorted({hit.t_s for hit in motion.hits})
    energies = []
    for before, after in zip([0.0, *times], [*times, motion.rest_s], strict=True):
        for t in (before + 1e-9, after - 1e-9):
            if before < t < after:
                energies.append(energy_and_momentum(motion, t)[0])
    assert all(later <= earlier * (1 + 1e-9) + 1e-6 for earlier, later in itertools.pairwise(energies))
    for hit in motion.hits:
        clash = [h for h in motion.hits if abs(h.t_s - hit.t_s) < 1e-6]
        if any(h.other is None for h in clash) or any(abs(f.t_s - hit.t_s) < 1e-6 for f in motion.falls):
            continue
        _, before = energy_and_momentum(motion, hit.t_s - 2e-7)
        _, after = energy_and_momentum(motion, hit.t_s + 2e-7)
        # Friction of the surface works on in the 4e-7 s between.
        assert np.hypot(*(after - before)) < 1e-4 * max(np.hypot(*before), 1000.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(300, 3500), st.floats(0, 6.28))
def test_discs_never_overlap_nor_leave_the_board(seed: int, speed: float, heading: float) -> None:
    rng = np.random.default_rng(seed)
    discs: list[Disc] = [striker(0, 0)]
    while len(discs) < 8:
        x, y = rng.uniform(-330, 330, 2)
        if all(hypot(x - d.x_mm, y - d.y_mm) > 15.6 + d.radius_mm for d in discs):
            discs.append(coin(len(discs), float(x), float(y)))
    motion = run(discs, {0: (speed * np.cos(heading), speed * np.sin(heading), 5.0)}, board=DEFAULT_BOARD)
    for t in np.linspace(0, motion.rest_s, 60):
        here = {d.name: motion.sample(d.name, float(t)) for d in discs}
        flat = [(d, p) for d in discs if (p := here[d.name]) is not None and p.z_mm == 0.0 and not fell(motion, d, t)]
        for k, (a, pa) in enumerate(flat):
            assert max(abs(pa.x_mm), abs(pa.y_mm)) <= DEFAULT_BOARD.half_mm - a.radius_mm + 1e-3
            for b, pb in flat[k + 1 :]:
                assert hypot(pa.x_mm - pb.x_mm, pa.y_mm - pb.y_mm) >= a.radius_mm + b.radius_mm - 1e-3


def fell(motion: Motion, disc: Disc, t: float) -> bool:
    return any(fall.name == disc.name and fall.t_s <= t for fall in motion.falls)


def test_a_piece_falls_when_its_centre_passes_the_lip_and_breaks_both_beams_in_order() -> None:
    motion = run([coin(1, 200, 200)], {1: (700.0, 700.0, 0.0)}, board=DEFAULT_BOARD)
    (fall,) = motion.falls
    assert fall.pocket == "NE"
    x, y = DEFAULT_BOARD.pockets_mm["NE"]
    assert hypot(fall.x_mm - x, fall.y_mm - y) == pytest.approx(DEFAULT_BOARD.pocket_radius_mm)
    assert 1 not in motion.resting()
    upper, lower = fall.crossing_s("upper", 8.0, 31.0), fall.crossing_s("lower", 8.0, 31.0)
    assert fall.t_s < upper[0] < lower[0]
    assert all(0.005 <= out - into <= 0.06 for into, out in (upper, lower))
    assert motion.sample(1, motion.end_s + 0.5) is None


def test_a_piece_that_stops_short_of_the_lip_stays() -> None:
    slow = Material().slowing_mm_s2
    lip = hypot(347.75 - 300, 347.75 - 300) - DEFAULT_BOARD.pocket_radius_mm
    speed = sqrt(2 * slow * (lip - 0.5)) / sqrt(2)
    motion = run([coin(1, 300, 300)], {1: (speed, speed, 0.0)}, board=DEFAULT_BOARD)
    assert not motion.falls
    assert DEFAULT_BOARD.nearest_pocket(motion.resting()[1].x_mm, motion.resting()[1].y_mm)[1] == pytest.approx(22.75)


def test_hard_hits_throw_pieces_off_only_where_the_material_has_it_so() -> None:
    assert not any(broken(seed).leaps for seed in range(5))
    wild = Material(leap_odds=0.5, leap_mm_s=500.0)
    motion = broken(1, wild)
    assert motion.leaps
    assert all(leap.name not in motion.resting() and leap.gone_s > leap.t_s for leap in motion.leaps)


def test_the_same_seed_gives_the_same_run_and_another_one_another() -> None:
    wild = Material(leap_odds=0.3, leap_mm_s=500.0)
    assert broken(3, wild) == broken(3, wild)
    assert broken(3).resting() != broken(4).resting()


def test_impossible_positions_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="1 and 2 overlap"):
        run([coin(1, 0, 0), coin(2, 20, 0)], {}, board=DEFAULT_BOARD)
    with pytest.raises(ValueError, match="beyond a cushion"):
        run([coin(1, 365, 0)], {}, board=DEFAULT_BOARD)
