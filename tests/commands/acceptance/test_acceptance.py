"""A table proves itself on drawn pictures: a shifted calibration, a lost coin are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.commands.acceptance.certificate import gauge_pdf
from controller.commands.acceptance.gauge import CONTROL_MM, LENGTH_MM, SHEET_MM, WIDTH_MM, drawn, laid_mm, place_mm
from controller.commands.acceptance.plan import Step, steps_of
from controller.commands.acceptance.sensors import Looker
from controller.commands.acceptance.session import LOOKS, Acceptance, Guidance, Seen
from controller.commands.acceptance.verdict import verdict_of
from controller.events.words import GRADES
from controller.vision.calibration_file import Calibration
from tests.commands.acceptance.drawn_table import drawn_table, shifted
from tests.commands.acceptance.person import BARE, MM, PLAN, exact, fall, go, judged


def drawn_looks(calibration: Calibration) -> Callable[[Step], Seen]:
    table, looker = drawn_table(), Looker(calibration)
    return lambda step: looker.look(table.dark() if step.kind == "lamps off" else table.picture(step.spots))


def test_a_table_is_asked_for_what_it_must_prove() -> None:
    spots = [spot for step in PLAN for spot in step.spots]
    for seat in ("south", "east", "north", "west"):
        of_seat = [spot for spot in spots if spot.seat == seat]
        assert len({(spot.side, spot.half, spot.mark) for spot in of_seat}) == len(of_seat) == 20
        assert {spot.striker for spot in of_seat if spot.side == "near"} == {"A", "B"}
        assert sum(spot.striker == "A" for spot in of_seat) == 10
    assert [step.pocket for step in PLAN if step.kind == "coins"] == ["NE", "NW", "SE", "SW"]
    assert (PLAN[0].kind, PLAN[-1].kind) == ("lamps on", "lamps off")
    assert not [step for step in steps_of(DEFAULT_BOARD, (MM,), 1.0, beams=False) if step.kind == "coins"]


def test_the_gauge_puts_the_strikers_rim_on_the_paint() -> None:
    board = DEFAULT_BOARD
    x, y = place_mm(board, "south", "near", "left", 1, MM, 1.0)
    assert board.half_mm + (y - MM / 2) == pytest.approx(board.outer_line_mm[0])
    assert x == pytest.approx(-board.base_circle_along_mm)
    x, y = place_mm(board, "north", "far", "left", 3, MM, 1.01)
    assert board.half_mm - (y - MM / 2) == pytest.approx(board.inner_line_mm[1])
    assert x == pytest.approx(board.base_circle_along_mm - 2 * 48 * 1.01)


def test_the_gauge_lies_beside_the_paint_and_the_striker_touches_it() -> None:
    for seat, side, half in (("south", "near", "left"), ("east", "far", "right"), ("north", "far", "left")):
        corners = np.array(laid_mm(DEFAULT_BOARD, seat, side, half))  # type: ignore[arg-type]
        low, high = corners.min(axis=0), corners.max(axis=0)
        assert sorted(high - low) == pytest.approx([WIDTH_MM, LENGTH_MM])
        for mark in (1, 5):
            at = np.array(place_mm(DEFAULT_BOARD, seat, side, half, mark, MM, 1.0))  # type: ignore[arg-type]
            assert np.linalg.norm(at - np.clip(at, low, high)) == pytest.approx(MM / 2)


def test_the_gauge_fits_on_a4_and_has_its_control_length() -> None:
    strokes, _ = drawn(DEFAULT_BOARD)
    assert all(0 < value < most for one in strokes for value, most in zip(
        (one.x0_mm, one.y0_mm, one.x1_mm, one.y1_mm), SHEET_MM * 2, strict=True))  # fmt: skip
    level = [one for one in strokes if one.y0_mm == one.y1_mm and not one.cut]
    assert [one.x1_mm - one.x0_mm for one in level] == [pytest.approx(CONTROL_MM)]
    cuts = [one.y0_mm for one in strokes if one.cut]
    assert cuts[1] - cuts[0] == WIDTH_MM
    assert SHEET_MM[0] > LENGTH_MM
    assert gauge_pdf(DEFAULT_BOARD).startswith(b"%PDF")


@pytest.mark.slow
def test_a_good_table_is_match_on_drawn_pictures() -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance, drawn_looks(drawn_table().calibration))
    verdict = judged(acceptance)
    assert verdict.refused == ()
    assert (verdict.grade, verdict.placements, verdict.holds) == ("match", 80, True)
    assert verdict.worst_mm is not None
    assert verdict.worst_mm < 0.6


@pytest.mark.long
@pytest.mark.slow
def test_a_calibration_shifted_by_a_millimetre_and_a_half_is_refused() -> None:
    acceptance = Acceptance(PLAN, {})
    said = go(acceptance, drawn_looks(shifted(drawn_table().calibration, 1.5)))
    verdict = judged(acceptance)
    assert verdict.grade == "club"
    assert verdict.refused[0].startswith("a placement is off by 1.")
    assert "once more" in " ".join(one.says for one in said)


def test_match_ends_at_one_millimetre_and_club_at_two() -> None:
    for off_mm, grade in ((0.99, "match"), (1.01, "club"), (2.01, "basic")):
        acceptance = Acceptance(PLAN, {})
        go(acceptance, lambda step, off_mm=off_mm: exact(step, off_mm))
        assert judged(acceptance).grade == grade


def test_a_camera_of_less_is_never_made_better() -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance)
    assert verdict_of(PLAN, acceptance.measured, "basic", beams=True).grade == "basic"
    assert verdict_of(PLAN, acceptance.measured, "match", beams=False).grade == "club"


def test_a_table_holds_what_its_camera_claims() -> None:
    for off_mm, holds in ((0.5, ["match", "club", "basic"]), (1.5, ["club", "basic"]), (2.5, ["basic"])):
        acceptance = Acceptance(PLAN, {})
        go(acceptance, lambda step, off_mm=off_mm: exact(step, off_mm))
        verdicts = {camera: verdict_of(PLAN, acceptance.measured, camera, beams=True) for camera in GRADES}
        assert {camera for camera, verdict in verdicts.items() if verdict.holds} == set(holds)
    acceptance = Acceptance(PLAN, {})
    go(acceptance, coins=lambda step: 4 if step.pocket == "SE" else 5)
    assert not verdict_of(PLAN, acceptance.measured, "club", beams=True).holds
    del acceptance.measured["coins SE"]
    assert not verdict_of(PLAN, acceptance.measured, "club", beams=True).holds


@pytest.mark.parametrize("counted", [4, 6])
def test_a_coin_that_is_missed_or_counted_twice_is_refused(counted: int) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance, coins=lambda step: counted if step.pocket == "SE" else 5)
    verdict = judged(acceptance)
    assert verdict.grade == "club"
    assert [(row.step, row.says, row.tries) for row in verdict.rows if row.state == "failed"] == [
        ("coins SE", f"{counted} of 5 coins counted", 2)
    ]


def test_a_coin_felt_elsewhere_is_no_coin_of_this_pocket_and_a_hand_none_at_all() -> None:
    only = [step for step in PLAN if step.pocket == "NE"]
    acceptance = Acceptance(only, {})
    for one in (fall("NW"), fall("NE", "out"), fall("NE", "hand"), *[fall("NE")] * 5):
        acceptance.felt(one)
    (failed, _) = acceptance.press("done")
    assert failed.says == "5 of 5 coins counted, 2 elsewhere or on the way out: once more"
    for _ in range(5):
        acceptance.felt(fall("NE"))
    assert acceptance.press("done")[0].kind == "passed"
    assert acceptance.measured["coins NE"].tries == 2


def test_a_piece_detected_on_the_bare_board_is_refused() -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance, lambda step: replace(exact(step), pieces=1) if step.kind == "lamps off" else exact(step))
    (failed,) = [row for row in judged(acceptance).rows if row.state == "failed"]
    assert (failed.step, "1 pieces detected" in failed.says) == ("lamps off", True)


def test_a_beam_that_a_lamp_reaches_is_refused() -> None:
    acceptance = Acceptance(PLAN, {})
    acceptance.beams(["NE upper"])
    go(acceptance)
    failed = [row for row in judged(acceptance).rows if row.state == "failed"]
    assert [row.step for row in failed] == ["lamps on", "lamps off"]
    assert "beams not free: NE upper" in failed[0].says


def test_a_node_that_does_not_answer_fails_the_lamps() -> None:
    acceptance = Acceptance([PLAN[0], PLAN[-1]], {})
    acceptance.beams([], silent=True)
    go(acceptance)
    assert [row.says for row in judged(acceptance).rows if row.state == "failed"] == [
        "light 120 of 255, 0 pieces detected on the bare board, the pocket node does not answer",
        "light 40 of 255, 0 pieces detected on the bare board, the pocket node does not answer",
    ]


def test_what_lay_on_the_bare_board_may_be_taken_off_before_it_is_looked_at_again() -> None:
    acceptance = Acceptance(PLAN[:1], {})
    for _ in range(3 * LOOKS):
        acceptance.see(replace(BARE, pieces=16))
    assert not acceptance.measured
    assert acceptance.press("done") == ()
    for _ in range(LOOKS):
        said = acceptance.see(BARE)
    assert said[0].kind == "passed"
    assert acceptance.measured["lamps on"].tries == 2


def test_nothing_is_measured_under_the_gauge_in_a_hand_or_of_a_striker_that_moves() -> None:
    step = next(one for one in PLAN if one.spots)
    acceptance = Acceptance([step], {})
    for _ in range(LOOKS):
        assert not acceptance.measured
        said = acceptance.see(replace(exact(step), covered=True))
    for off_mm in (0.0, 0.5, 1.0, 1.5):
        acceptance.see(exact(step, off_mm))
    assert not acceptance.measured
    assert said == ()
    said = acceptance.see(Seen((), 0, covered=False, light=100.0))
    assert said[0].says == "no striker within 15 mm of mark 1"


def test_a_person_may_have_measured_what_does_not_seem_to_lie_still() -> None:
    step = next(one for one in PLAN if one.spots)
    acceptance = Acceptance([step], {})
    assert acceptance.press("done")[0].says == "no picture has come yet"
    acceptance.see(replace(exact(step, 0.2), covered=True))
    assert acceptance.press("done")[0].kind == "passed"


def test_a_striker_that_is_not_detected_has_failed() -> None:
    step = next(one for one in PLAN if one.spots)
    acceptance = Acceptance([step], {})
    for _ in range(2):
        acceptance.see(BARE)
        said = acceptance.press("done")
    assert said[0] == Guidance("failed", "B at 1: not detected, A at 2: not detected")
    assert judged(acceptance).grade == "basic"


def test_what_failed_is_not_measured_again_before_it_was_touched() -> None:
    step = next(one for one in PLAN if one.spots)
    acceptance = Acceptance([step], {})
    for _ in range(3 * LOOKS):
        acceptance.see(exact(step, 1.4))
    assert not acceptance.measured
    acceptance.see(replace(BARE, covered=True))
    for _ in range(LOOKS):
        acceptance.see(exact(step, 0.2))
    assert acceptance.measured[step.id].tries == 2


def test_lamps_that_were_not_switched_off_are_waited_for() -> None:
    acceptance = Acceptance([PLAN[0], PLAN[-1]], {})
    for _ in range(LOOKS):
        acceptance.see(BARE)
    said = acceptance.see(BARE)
    assert said[0].says == "it is not darker: 120 of 255, with lamps 120"
    assert acceptance.press("done") == said
    assert acceptance.step == PLAN[-1]
    for _ in range(LOOKS):
        acceptance.see(replace(BARE, light=50.0))
    assert acceptance.step is None


def test_what_is_skipped_is_not_tried_and_a_step_can_be_taken_again() -> None:
    acceptance = Acceptance(PLAN, {})
    assert acceptance.press("again")[0].says == "nothing was measured yet"
    for _ in range(LOOKS):
        acceptance.see(BARE)
    assert acceptance.press("again")[0].says.startswith("1 of 54")
    for _ in range(LOOKS):
        acceptance.see(BARE)
    assert acceptance.measured["lamps on"].tries == 2
    acceptance.press("skip")
    assert judged(acceptance).rows[1].state == "not tried"
    assert judged(acceptance).grade == "basic"
