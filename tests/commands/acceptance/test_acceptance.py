"""A table proves itself on drawn pictures: a shifted calibration, a lost coin are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.board import DEFAULT_BOARD
from controller import cli
from controller.commands.acceptance import record
from controller.commands.acceptance.certificate import certificate_pdf, gauge_pdf
from controller.commands.acceptance.gauge import CONTROL_MM, LENGTH_MM, SHEET_MM, WIDTH_MM, drawn, place_mm
from controller.commands.acceptance.plan import Step, steps_of
from controller.commands.acceptance.sensors import Looker
from controller.commands.acceptance.session import LOOKS, Acceptance, Guidance, Seen
from controller.commands.acceptance.verdict import Verdict, verdict_of
from controller.commands.check_acceptance import probe_acceptance
from controller.config import load_config
from controller.events.beams import Beam
from controller.events.errors import ConfigError
from controller.events.words import Pocket
from controller.pockets.pulses import Passage, Pulse
from controller.vision.calibration_file import Calibration, save
from tests.commands.acceptance.drawn_table import drawn_table, shifted

MM = DEFAULT_BOARD.striker_diameter_mm
PLAN = steps_of(DEFAULT_BOARD, (MM, MM), 1.0, beams=True)
BARE = Seen((), 0, covered=False, light=120.0)
MS = 1_000_000


def fall(pocket: Pocket, direction: str = "in") -> Passage:
    beams: tuple[Beam, ...] = ("upper", "lower")
    pulses = tuple(Pulse(pocket, beam, n * MS, (n + 12) * MS, 12 * MS) for n, beam in enumerate(beams))
    return Passage(pocket, direction, 0, pulses)  # type: ignore[arg-type]


def exact(step: Step, off_mm: float = 0.0) -> Seen:
    """What a perfect camera sees, `off_mm` to the east."""
    there = tuple((spot.x_mm + off_mm, spot.y_mm) for spot in step.spots)
    return Seen(there, len(there), covered=False, light=120.0 if step.kind != "lamps off" else 40.0)


def go(
    acceptance: Acceptance,
    look: Callable[[Step], Seen] = exact,
    coins: Callable[[Step], int] = lambda step: 5,
) -> list[Guidance]:
    """A person who does what is asked for, and does it again when asked again."""
    said = list(acceptance.begin())
    while (step := acceptance.step) is not None:
        said += acceptance.see(replace(BARE, covered=True))
        if step.kind == "coins":
            assert step.pocket is not None
            for _ in range(coins(step)):
                said += acceptance.felt(fall(step.pocket))
            said += acceptance.press("done")
            continue
        seen = look(step)
        for _ in range(LOOKS):
            said += acceptance.see(seen)
    return said


def judged(acceptance: Acceptance) -> Verdict:
    return verdict_of(acceptance.steps, acceptance.measured, "match", beams=True)


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
    assert (verdict.grade, verdict.placements, verdict.passed) == ("match", 80, True)
    assert verdict.worst_mm is not None
    assert verdict.worst_mm < 0.6


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


# record, certificate, check -------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A configuration with its calibration."""
    save(tmp_path / "calibration.json", drawn_table().calibration)
    file = tmp_path / "carrom.toml"
    file.write_text(
        f'[table]\nid = "t7"\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n[mqtt]\nenabled = false\n'
        f'[pockets]\nkind = "none"\n[camera]\nkind = "folder"\npath = "{tmp_path}"\nshutter = "global"\n'
        f'calibration = "{tmp_path}/calibration.json"\n'
    )
    return file


def recorded(file: Path, acceptance: Acceptance) -> Path:
    config = load_config(file)
    digest = record.digest_of(config.camera.calibration)
    here = record.Circumstances(
        "t7", "", "0.1.0", 1_790_000_000.0, 540.0, digest, "match", "match", 1.41, 200.0, (MM, MM), 0.64
    )
    return record.written(config.table.state, here, acceptance.measured, judged(acceptance))


def test_the_record_is_signed_printed_and_shown_by_check(table: Path) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance)
    config = load_config(table)
    assert [one.state for one in probe_acceptance(config)] == ["none"]
    file = recorded(table, acceptance)
    made = record.read(file, config.table.state)
    assert made.signed is True
    assert made.verdict == judged(acceptance)
    assert certificate_pdf(made, record.key_mark(file)).startswith(b"%PDF")
    (found,) = probe_acceptance(config)
    assert found.state == "ok"
    assert "grade match; 80 placements, worst 0.00 mm" in found.says
    assert (config.table.state / "acceptance" / "key").stat().st_mode & 0o777 == 0o600


def test_a_record_that_was_changed_is_not_this_tables(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance, lambda step: exact(step, 1.5))
    file = recorded(table, acceptance)
    assert cli.main(["accept", "--config", str(table), "--verify", str(file)]) == 0
    body = json.loads(file.read_text())
    body["verdict"]["grade"] = "match"
    file.write_text(json.dumps(body))
    assert cli.main(["accept", "--config", str(table), "--verify", str(file)]) == 1
    assert "did not sign it" in capsys.readouterr().out
    (found,) = probe_acceptance(load_config(table))
    assert (found.state, "not as this table signed it" in found.says) == ("fail", True)


def test_check_says_when_the_calibration_has_changed_since(table: Path) -> None:
    acceptance = Acceptance(PLAN, {})
    go(acceptance)
    recorded(table, acceptance)
    config = load_config(table)
    save(config.camera.calibration, shifted(drawn_table().calibration, 0.5))
    (found,) = probe_acceptance(config)
    assert (found.state, "the calibration has changed since" in found.says) == ("warn", True)


def test_an_acceptance_that_was_broken_off_goes_on_and_only_with_the_same_calibration(tmp_path: Path) -> None:
    acceptance = Acceptance(PLAN, {})
    for _ in range(LOOKS):
        acceptance.see(BARE)
    asked = {"calibration": "abc", "control": 200.0, "strikers": (41.3, 41.2)}
    record.keep(tmp_path, asked, acceptance.measured, 60.0)
    measured, spent_s = record.kept(tmp_path, asked)
    later = Acceptance(PLAN, measured)
    assert (later.measured, spent_s) == (acceptance.measured, 60.0)
    assert later.step == PLAN[1]
    assert record.kept(tmp_path, asked | {"calibration": "other"}) == ({}, 0.0)
    record.forget(tmp_path)
    assert record.kept(tmp_path, asked) == ({}, 0.0)


def test_what_is_wrong_is_one_line(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.json").write_text("{}")
    for words, says in (
        (["--control", "150"], "--control 150: about 200 is wanted. Mend: print at 100 %"),
        (["--strikers", "3"], "--strikers: one or two diameters"),
        (["--verify", str(tmp_path / "other.json")], "it is no record of an acceptance"),
        (["--print-gauge", str(tmp_path / "no" / "gauge.pdf")], "name a writable file"),
    ):
        assert cli.main(["accept", "--config", str(table), *words]) == 2
        said = capsys.readouterr().err
        assert says in said
        assert "Mend:" in said
        assert said.count("\n") == 1


def test_the_table_prints_its_own_gauge(table: Path, tmp_path: Path) -> None:
    assert cli.main(["accept", "--config", str(table), "--print-gauge", str(tmp_path / "gauge.pdf")]) == 0
    assert (tmp_path / "gauge.pdf").read_bytes().startswith(b"%PDF")


def test_pictures_of_another_size_are_refused() -> None:
    table = drawn_table()
    with pytest.raises(ConfigError, match="calibrate again"):
        Looker(table.calibration).look(table.picture(())[:100])
