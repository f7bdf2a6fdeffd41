"""Every command in a block of shell of README and documents is run by a test: here, or by the one that is named.

A command that is new in a document is red here until it is run somewhere.
"""

from __future__ import annotations

import ast
import json
import math
import re
import shlex
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli import main
from controller.commands.detect_drawn import PIECES
from controller.simulator.looks import LOOKS
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import load

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HERE = "here"
OPENSSL = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=league -addext "
    '"subjectAltName=DNS:n1.league.example,DNS:n2.league.example,DNS:n3.league.example" '
    "-keyout league/league.key -out league/league.crt"
)
RUNGS = "tests/commands/test_first_rungs.py::test_a_console_without_any_sensor_is_set_up_and_runs_as_the_guide_says"
DRAWN = "EVENT.toml --entries entries.csv --fixtures fixtures.csv --results results.csv"
DRAWS = (
    "carrom draw make EVENT.toml --entries entries.csv --out fixtures.csv --sheet draw.pdf",
    f"carrom draw next {DRAWN} --out fixtures.csv",
    f"carrom draw table {DRAWN}",
    f"carrom draw check {DRAWN}",
)
RUN_BY = {
    "make demo": "tests/bench/bench_clone.py::run",
    "make setup": HERE,
    "make test": HERE,
    "sudo ./install": "tests/system/stages/install.py::stage",
    "sudo carrom check": "tests/system/stages/install.py::stage",
    "sudo carrom accept --print-gauge gauge.pdf": (
        "tests/commands/acceptance/test_acceptance_record.py::test_the_table_prints_its_own_gauge"
    ),
    "sudo carrom accept --control 199.8 --strikers 41.3 41.2": (
        "tests/commands/acceptance/test_accept_live.py::test_the_whole_command_on_a_recording"
    ),
    "sudo carrom support --out support.zip": (
        "tests/commands/test_support.py::test_no_secret_is_in_it_and_what_helps_is"
    ),
    "journalctl -u carrom -u carrom-eyes -p warning": (
        "tests/commands/test_log.py::test_a_service_says_how_urgent_a_line_is"
    ),
    ".venv/bin/carrom init": RUNGS,
    ".venv/bin/carrom run --config carrom.toml": RUNGS,
    "carrom check --config carrom.toml": RUNGS,
    "carrom run --config carrom.toml": RUNGS,
    "carrom calibrate --config carrom.toml": (
        "tests/vision/eyes/test_live_calibration.py::test_the_configuration_says_where_the_calibration_goes"
    ),
    "carrom camera": HERE,
    "carrom camera gs --lens 6 --height 1250 --lamp 900": HERE,
    "carrom camera webcam --field 78x48": HERE,
    "carrom calibrate --empty empty.jpg --opening opening.jpg --out calibration.json": HERE,
    "carrom detect --calibration calibration.json opening.jpg --draw found.png": HERE,
    "carrom calibrate --print-target target.pdf": HERE,
    "carrom calibrate --lens 'lens/*.jpg' --empty empty.jpg --opening opening.jpg --out table.json --report fit.png": (
        HERE
    ),
    "make -C firmware/pocket_node flash PORT=/dev/ttyUSB0": (
        "tests/firmware/test_flash.py::test_the_old_bootloader_is_tried_where_the_new_one_does_not_answer"
    ),
    "carrom broker club.toml --out broker": HERE,
    "carrom broker --cluster league.toml --out league": (
        "tests/mqtt/test_league.py::test_what_the_page_shows_makes_a_folder_for_each_node_and_venue"
    ),
    OPENSSL: "tests/mqtt/made_league.py::made",
    "carrom league check --config hub.toml": (
        "tests/mqtt/test_nodes.py::test_the_command_names_the_node_that_lacks_what_the_others_keep"
    ),
    "sudo sh league/nodes/n1.league.example/install.sh": (
        "tests/mqtt/test_league.py::test_a_machine_is_made_a_node_as_the_page_says"
    ),
    **dict.fromkeys(DRAWS, "tests/draws/test_draw_command.py::test_an_event_is_played_from_its_entries_to_its_table"),
    "carrom hub --config hub.toml": "tests/hub/test_hub.py::test_a_hub_that_goes_on_feeds_the_watchdog",
    "carrom fixtures day.csv --config secretary.toml": (
        "tests/hub/test_day.py::test_a_file_is_published_to_its_tables_and_clears_the_others"
    ),
    "carrom fixtures open.sol.gz --tables table1,table2 --config secretary.toml": (
        "tests/hub/test_sol.py::test_a_round_is_published_from_sols_archive_and_comes_back_for_it"
    ),
    "carrom sol open.sol.gz results.sol --out back.sol.gz": (
        "tests/hub/test_sol.py::test_a_round_is_published_from_sols_archive_and_comes_back_for_it"
    ),
    "carrom season standings --config hub.toml": (
        "tests/commands/test_season.py::test_the_standings_are_shown_in_words_and_for_machines_and_of_a_period"
    ),
    "carrom season standings --from 2026-09-01 --to 2026-12-31 --config hub.toml": (
        "tests/commands/test_season.py::test_the_standings_are_shown_in_words_and_for_machines_and_of_a_period"
    ),
    'carrom season head-to-head "Asha Rao" "Ben Kim" --config hub.toml': (
        "tests/commands/test_season.py::test_two_players_are_shown_with_their_matches"
    ),
    "carrom season slams --config hub.toml": (
        "tests/commands/test_season.py::test_slams_are_a_ledger_of_the_matches_that_count"
    ),
    "carrom season export season.csv --config hub.toml": (
        "tests/commands/test_season.py::test_the_season_is_exported_for_spreadsheets_and_programs"
    ),
    "carrom season refill journal.sqlite --config hub.toml": (
        "tests/commands/test_season.py::test_a_journals_matches_are_taken_in_that_the_hub_had_missed"
    ),
    'carrom season person "Asha Rao" --config hub.toml': (
        "tests/commands/test_season.py::test_all_that_is_kept_of_a_person_is_shown_and_forgotten"
    ),
    'carrom season forget "Asha Rao" --config hub.toml': (
        "tests/commands/test_season.py::test_all_that_is_kept_of_a_person_is_shown_and_forgotten"
    ),
    'carrom season merge "Asha R" "Asha Rao" --config hub.toml': (
        "tests/commands/test_season.py::test_two_names_are_merged_and_a_match_is_struck_and_both_are_taken_back"
    ),
    'carrom season strike MATCH "a friendly" --config hub.toml': (
        "tests/commands/test_season.py::test_two_names_are_merged_and_a_match_is_struck_and_both_are_taken_back"
    ),
    "carrom journal list --config FILE": (
        "tests/commands/test_journal.py::test_matches_are_listed_in_words_and_for_machines"
    ),
    "carrom journal show --config FILE --match ID": (
        "tests/commands/test_journal.py::test_a_match_is_shown_event_by_event"
    ),
    "carrom journal export --config FILE --to FOLDER": (
        "tests/commands/test_journal.py::test_each_match_is_exported_as_a_journal_that_rules_the_same"
    ),
    "carrom journal prune --config FILE --dry-run": (
        "tests/commands/test_journal.py::test_pruning_by_policy_moves_what_is_older_and_what_stays_rules_the_same"
    ),
    **dict.fromkeys(
        ("carrom export JOURNAL --notation --out final.carrom.json", "carrom replay final.carrom.json"),
        "tests/commands/test_notation.py::test_a_match_is_written_with_its_occasion_and_ruled_again_the_same",
    ),
    "carrom protest key --config FILE": (
        "tests/commands/protest/test_protest.py::test_the_key_is_made_once_for_its_owner_alone"
    ),
    'carrom protest JOURNAL --config FILE --stroke 14 --by "Asha Rao" --out protest.zip': (
        "tests/commands/protest/test_protest.py::test_all_that_the_table_has_of_a_stroke_is_in_it"
    ),
    "carrom protest check protest.zip --key KEY": (
        "tests/commands/protest/test_check.py::test_a_file_as_it_was_written_holds_on_any_machine"
    ),
    "carrom agreement JOURNAL --config FILE": (
        "tests/table/test_agreement.py::test_the_report_of_a_shadow_names_each_difference_with_its_clip"
    ),
}


def blocks(page: Path) -> list[str]:
    """The lines of the page's blocks of shell, without what is remarked upon them."""
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.S)).splitlines()
    return [" ".join(line.partition(" # ")[0].split()) for line in lines if line.strip()]


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "firmware").rglob("*.md"))]
SHOWN = sorted({line for page in PAGES for line in blocks(page)})


@pytest.mark.parametrize("line", SHOWN)
def test_a_command_that_is_shown_is_run_by_a_test(line: str) -> None:
    assert line in RUN_BY, "no test runs it. Fix: run it in one, and name it here"
    if RUN_BY[line] == HERE:
        return
    file, _, name = RUN_BY[line].partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == name]
    assert found, f"{file} has no {name}"


def test_nothing_is_kept_here_that_no_page_shows() -> None:
    assert sorted(RUN_BY) == SHOWN


@pytest.mark.parametrize("target", ["setup", "test"])
def test_what_make_is_asked_for_is_there(target: str) -> None:
    """This very test is run by them."""
    assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text())


def test_what_make_installs_is_of_one_version() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    installs = [line.partition("pip install ")[2] for line in lines if "pip install " in line]
    assert installs
    assert [one for one in installs if not re.search(r"--require-hashes -r |-e \.$|==\S+$", one)] == []


@pytest.mark.parametrize("line", [line for line, by in RUN_BY.items() if by == HERE and "camera" in line])
def test_the_cameras_sums_are_done(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)[1:]) == 0
    assert "px/mm" in capsys.readouterr().out


@pytest.mark.long
def test_a_first_try_with_two_photographs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pictures = calibration_set(LOOKS["pale-club"], 1, 0)
    cv2.imwrite("empty.jpg", pictures.empty)
    cv2.imwrite("opening.jpg", pictures.opening)
    assert main(["calibrate", "--empty", "empty.jpg", "--opening", "opening.jpg", "--out", "calibration.json"]) == 0
    assert "grade basic" in capsys.readouterr().out
    (line,) = [line for line in RUN_BY if line.startswith("carrom detect --calibration")]
    assert main(shlex.split(line)[1:]) == 0
    # A first try: without lens and tones not each piece is found, and none twice.
    (said,) = capsys.readouterr().out.splitlines()
    pieces = json.loads(said)["pieces"]
    found = Counter(piece["piece"] for piece in pieces)
    assert found["queen"] == 1
    assert 12 <= found["white"] + found["black"] <= 18
    assert max(found.values()) <= 9
    # Each piece is outlined in the picture that is written, in its colour, where it lies.
    page = cv2.imread("found.png")
    assert page.shape == pictures.opening.shape
    model = load("calibration.json").model
    for piece in pieces:
        around = [(piece["x"] + 16 * math.cos(t), piece["y"] + 16 * math.sin(t)) for t in (0.0, 1.6, 3.1, 4.7)]
        for x, y in model.project_plane(np.array(around)).round().astype(int):
            near = page[y - 4 : y + 5, x - 4 : x + 5].reshape(-1, 3).astype(int)
            assert np.abs(near - PIECES[piece["piece"]]).max(1).min() < 60, piece


def test_several_photographs_are_not_drawn_over_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detect", "--calibration", "calibration.json", "a.jpg", "b.jpg", "--draw", "found.png"]) == 2
    assert "--draw found.png: is one picture, and 2 are given. Fix: " in capsys.readouterr().err


def test_the_target_is_printed_and_a_camera_calibrated_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", "--print-target", "target.pdf"]) == 0
    assert Path("target.pdf").read_bytes().startswith(b"%PDF")
    pictures = calibration_set(LOOKS["pale-club"], 1)
    Path("lens").mkdir()
    for number, picture in enumerate(pictures.lens):
        cv2.imwrite(f"lens/{number}.jpg", picture)
    cv2.imwrite("empty.jpg", pictures.empty)
    cv2.imwrite("opening.jpg", pictures.opening)
    (line,) = [line for line in RUN_BY if "--lens 'lens" in line]
    assert main(shlex.split(line)[1:]) == 0
    assert "grade club" in capsys.readouterr().out
    assert Path("table.json").is_file()
    assert cv2.imread("fit.png") is not None


def test_a_clubs_broker_is_made_from_the_list_that_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (club,) = re.findall(r"```toml\n(\[club\].*?)```", (ROOT / "docs" / "broker.md").read_text(), re.S)
    monkeypatch.chdir(tmp_path)
    Path("club.toml").write_text(club)
    assert main(["broker", "club.toml", "--out", "broker"]) == 0
    assert Path("broker/passwords").is_file()
    assert sorted(one.name for one in Path("broker/tables").iterdir()) == ["table1", "table2"]
