"""The second simulator keeps its word: friction as stated, holes that swallow, beams in order, all in the picture."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.bench.second.judged import Judged, from_line, shot_of
from tests.bench.second.tables import KEPT, VALIDATION, table

BOARD = table(1).board


def told(**changed):
    truth = {
        "id": "1-001", "kind": "middle", "seat": "south", "times": {"flick": 0.6}, "angle_deg": 80.0,
        "placement": {"x": 0.0, "y": -252.6, "lines": "both", "circle": "clear", "margins": {"arrow": 40.0}},
        "contacts": [], "pocketed": [], "rest": [{"piece": "striker", "x": 10.0, "y": 200.0}],
    }  # fmt: skip
    return shot_of({**truth, **changed}, BOARD)


def test_a_foreign_truth_becomes_a_shot():
    shot = told()
    assert (shot["heading"], shot["left_baseline"], shot["t"]) == ("forward", True, 0.6)
    assert told(angle_deg=260.0)["heading"] == "backward"
    assert told(seat="north", angle_deg=260.0)["heading"] == "forward"
    assert told(rest=[{"piece": "striker", "x": 2.0, "y": -250.0}])["left_baseline"] is False
    assert told(times={"flick": None}) is None
    assert told(shot={"event": "shot", "seat": "west"}) == {"event": "shot", "seat": "west"}


def test_what_was_judged_is_read_again_as_it_was():
    one = Judged("3-017", "jaws", True, False, 1, ("pocketed",), fell=("black NE",), late_s=0.01)
    assert from_line(one.line()) == one
    assert json.loads(one.line())["fell"] == ["black NE"]


def test_tables_differ_and_repeat():
    assert table(1) == table(1)
    assert len({table(seed).matter for seed in (*VALIDATION, *KEPT)}) == len({*VALIDATION, *KEPT})
    assert not {*VALIDATION} & {*KEPT}


@pytest.mark.soak
class TestPlayed:
    """What MuJoCo makes of it; not in the ordinary set-up (`requirements-second.lock`)."""

    @pytest.fixture(autouse=True)
    def _mujoco(self):
        pytest.importorskip("mujoco")

    def test_friction_and_restitution_come_out_as_asked(self):
        from tests.bench.second.physics import measured

        made = table(1)
        out = measured(made)
        assert out["friction"] == pytest.approx(made.matter.surface, rel=0.03)
        assert out["restitution_pieces"] == pytest.approx(made.matter.springs[0], abs=0.08)
        assert out["restitution_cushion"] == pytest.approx(made.matter.springs[1], abs=0.08)

    @pytest.mark.parametrize("kind", ["shove", "stopped", "twice"])
    def test_a_finger_moves_or_stops_what_it_meets(self, kind):
        from tests.bench.second import film, plans

        made = table(1)
        plan, played = next(
            (one, shown)
            for one in (plans.plan(made, n, kind) for n in range(201, 230))
            if (shown := film.play(made, one)).touched or kind == "shove"
        )
        if kind == "shove":
            number, _way, far_mm = plan.shoved
            moved = played.runs[0].poses[[0, -1], number, :2]
            assert np.hypot(*(moved[1] - moved[0])) > far_mm / 2
        else:
            free = film.play(made, replace(plan, kind="middle"))
            assert np.abs(played.runs[-1].poses[-1] - free.runs[-1].poses[-1])[:, :2].max() > 10.0

    def test_a_piece_falls_once_its_middle_is_past_what_bears_it(self):
        from tests.bench.second.physics import World, lying

        world = World(table(1), ("white", "black", "striker"))
        x, y = BOARD.pockets_mm["NE"]
        edge = BOARD.pocket_radius_mm
        run = world.run(lying(table(1), world.names, [(x - 14.0, y), (-x + edge - 2.0, y), (0.0, 0.0)]), 0.0)
        assert run.poses[-1, 0, 2] < -20.0
        assert run.poses[-1, 1, 2] == pytest.approx(BOARD.coin_thickness_mm / 2, abs=0.2)

    def test_a_striker_sent_into_a_pocket_breaks_the_upper_beam_first_and_is_in_the_truth(self):
        from tests.bench.second import film, plans, truth

        made = table(1)
        plan = next(
            p for p in (plans.plan(made, n, "own") for n in range(1, 30)) if film.play(made, p).poses(9.0)[-1, 2] < 0.0
        )
        played = film.play(made, plan)
        said, edges = truth.truth(made, played, 60.0, 1), truth.beams(made, played)
        mine = next(fell for fell in said["pocketed"] if fell["piece"] == "striker")
        first = [edge for edge in edges if edge["pocket"] == mine["pocket"] and edge["blocked"]]
        assert [edge["beam"] for edge in first[:2]] == ["upper", "lower"]
        assert first[0]["t"] == mine["t"]
        assert all(row["piece"] != "striker" for row in said["rest"])

    def test_the_board_lies_within_the_picture(self):
        from tests.bench.second import lens

        for seed in (*VALIDATION, *KEPT):
            made = table(seed)
            view, half = lens.hang(made.eye), made.board.half_mm
            corners = np.array([(x, y, 0.0) for x in (-half, half) for y in (-half, half)]) - view.centre_mm
            seen = corners @ view.turn.T
            for slope in seen[:, :2] / seen[:, 2:]:
                row, column = np.unravel_index(np.abs(view.rays - slope).sum(axis=2).argmin(), view.rays.shape[:2])
                assert 2 < row < made.eye.height - 3, seed
                assert 2 < column < made.eye.width - 3, seed
