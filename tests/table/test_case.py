"""A stroke saved as a case and played again: what was asked or corrected stays tested. Replays all of `tests/cases`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.events.codec import event_from_json
from controller.events.match import Shot
from controller.table.evidence.case import case_from_text, case_text, judged, play
from tests.cases.reader import files, name_of, read
from tests.shots.table import Fall
from tests.table.kit import BOOKS, WHITE, S, run, scene, unsure


@pytest.mark.long
@pytest.mark.parametrize("file", files(), ids=name_of)
def test_every_saved_case_is_read_as_well_as_is_wanted_of_it(file) -> None:
    case = read(file)
    assert case.truth or case.want == "nothing", "a case without its truth tests nothing"
    assert case.want in ("right", "asked", "noticed", "nothing")
    played = play(case, BOOKS)
    assert played.as_good_as(case.want), (case.says, played)


def test_there_are_cases() -> None:
    assert len(files()) >= 200


def test_where_nothing_was_played_a_stroke_that_is_told_is_a_silent_error() -> None:
    idle = next(case for file in files() if (case := read(file)).want == "nothing")
    assert judged(idle, None, (), BOOKS).verdict == "right"
    assert judged(idle, None, ("a piece is missing",), BOOKS).verdict == "noticed"
    assert judged(idle, Shot("south"), (), BOOKS).verdict == "wrong"


def test_what_a_reading_lacks_is_noticed_only_where_it_names_it_as_unseen() -> None:
    fouled = next(case for file in files() if (case := read(file)).want == "right" and case.shot and fouls(case))
    happened = event_from_json(fouled.shot)
    assert isinstance(happened, Shot)
    assert judged(fouled, happened, (), BOOKS).verdict == "right"
    blind = replace(happened, placement=None, contacts=None, flags=(), heading="forward")
    assert judged(fouled, blind, (), BOOKS).verdict == "wrong"
    named = replace(blind, unseen=("placement", "contacts", "heading", "flags.push"))
    assert judged(fouled, named, (), BOOKS).verdict == "noticed"


def fouls(case) -> list:
    return [foul for foul in case.truth["fouls"] if foul["status"] == "ruled"]


# -- saving one


@pytest.fixture
def table(tmp_path):
    """A table's configuration over the journal and the evidence of the tests' desk."""
    (tmp_path / "carrom.toml").write_text(
        f'[table]\nruntime = "{tmp_path}"\nstate = "{tmp_path}"\n[evidence]\nfolder = "{tmp_path / "kept"}"\n'
        f'[camera]\ncalibration = "{tmp_path / "calibration.json"}"\n'
    )
    return tmp_path


def save(table: Path, stroke: int) -> int:
    config = str(table / "carrom.toml")
    return main(["record", "--config", config, "--out", str(table / "out"), "--case", str(stroke)])


def played_out(table: Path, *, answer: str | None = None, pocketed: list | None = None) -> None:
    """A stroke of which a white or a black piece fell in NE, asked about or read surely as white."""

    async def story() -> None:
        async with scene(table, table=unsure() if answer else None, evidence=table / "kept") as at:
            at.takes_pictures(range(95, 130))
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE"),))
            numbers = {"picture_placed": 100, "picture_before": 105, "picture_after": 120}
            await at.feed(*edges, replace(stroke, **numbers))
            await at.wait(600)
            if answer:
                await at.say({"event": "answer", "ask": 2, "choice": answer})
            if pocketed is not None:
                shot = at.desk.umpire.latest_stroke()
                await at.say({"event": "correct", "seq": 2, "with": {**shot.event, "pocketed": pocketed}})

    run(story())


def test_an_answered_question_is_saved_with_its_answer_and_is_asked_again(table, capsys) -> None:
    played_out(table, answer="black")
    assert save(table, 2) == 0
    assert "answer black. Read again now: asked" in capsys.readouterr().out
    text = (table / "out" / "case.json").read_text()
    case = case_from_text(text, "case.json")
    assert case.truth["left"] == {"white": 9, "black": 8, "queen": 1}
    assert (table / "out" / "000000100.jpg").is_file()
    assert case_from_text(case_text(case), "again") == case


def test_a_correction_is_saved_and_played_until_it_is_right(table, capsys) -> None:
    played_out(table, pocketed=[])
    assert save(table, 2) == 0
    assert "correct. Read again now: wrong (turn" in capsys.readouterr().out
    case = case_from_text((table / "out" / "case.json").read_text(), "case.json")
    # The eyes see it in the end: the reading follows what they say, and fits what the person said.
    rows = tuple((at_ns, said) for at_ns, said in case.rows if not hasattr(said, "beam"))
    stays = [
        replace(said, after=replace(said.before), tracks=()) if hasattr(said, "tracks") else said for _, said in rows
    ]
    repaired = replace(case, rows=tuple(zip([at_ns for at_ns, _ in rows], stays, strict=True)))
    assert play(repaired, BOOKS).verdict == "right"


def test_what_cannot_be_saved_is_one_line(table, capsys) -> None:
    played_out(table, pocketed=[])
    assert save(table, 7) == 2
    assert "no case was kept. Fix: one of these strokes: 2" in capsys.readouterr().err
    (table / "kept" / f"{only_kept(table)}" / "case.json").write_text('{"case": 1}')
    assert save(table, 2) == 2
    assert "case.json: is no case: 'inputs'" in capsys.readouterr().err
    (table / "carrom.toml").write_text(f'[table]\nruntime = "{table}"\nstate = "{table}"\n')
    assert save(table, 2) == 2
    assert "evidence is kept in memory only. Fix:" in capsys.readouterr().err


def only_kept(table: Path) -> str:
    (place,) = (table / "kept").iterdir()
    return place.name


def test_an_open_question_has_no_truth_yet(table, capsys) -> None:
    async def story() -> None:
        async with scene(table, table=unsure(), evidence=table / "kept") as at:
            at.takes_pictures(range(95, 130))
            await at.arm()
            await at.play(Fall(WHITE, "NE"), picture_placed=100, picture_before=105, picture_after=120)

    run(story())
    assert save(table, 2) == 2
    assert "a question on it is open. Fix: answer it" in capsys.readouterr().err


def test_a_case_holds_what_was_said_around_the_stroke_and_no_more(table) -> None:
    played_out(table, answer="black")
    body = json.loads((table / "kept" / only_kept(table) / "case.json").read_text())
    times = [row[0] for row in body["inputs"]]
    assert times[-1] - times[0] < 25 * S
    kinds = {row[1] for row in body["inputs"]}
    assert kinds == {"expectation", "eyes", "edge", "beams"}
