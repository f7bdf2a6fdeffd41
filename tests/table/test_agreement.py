"""Shadow mode: the table sees, notes and shows nobody; what the umpire calls is held against it, with an interval."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from controller.cli import main
from controller.config import Config
from controller.journal import Entry, Journal
from controller.rules.shelf import load_books
from controller.table.match.agreement import Share, Stroke, agreement, noted, to_promote
from controller.table.match.autonomy import for_table
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire
from controller.table.outlets.broker import publish_by
from controller.table.outlets.pages import DeskView
from tests.journal.filled import fill
from tests.table.kit import run, scene
from tests.table.test_evidence import numbered
from tests.table.test_public import Client, page, traces

PUSH = "icf-33"


# -- counting


def strokes(agreed: int, alone: int = 0, missed: int = 0) -> list[Stroke]:
    said, nothing = frozenset({PUSH}), frozenset[str]()
    return [
        *(Stroke("m", number, said, said) for number in range(agreed)),
        *(Stroke("m", 1000 + number, said, nothing) for number in range(alone)),
        *(Stroke("m", 2000 + number, nothing, said) for number in range(missed)),
    ]


@pytest.mark.parametrize(
    ("agreed", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (10, 10, 0.7225, 1.0), (8, 10, 0.4902, 0.9433), (0, 5, 0.0, 0.4345)],
)
def test_the_interval_is_wilsons(agreed, of, low, high) -> None:
    assert Share(of, agreed).interval == pytest.approx((low, high), abs=1e-4)


def test_a_clause_is_earned_by_strokes_and_lost_by_one_injustice() -> None:
    for agreed, alone, earned in ((72, 0, []), (73, 0, [PUSH]), (73, 1, []), (0, 0, [])):
        found = agreement(strokes(agreed, alone), {PUSH})
        assert to_promote(found, {PUSH: "note"}) == earned
    assert to_promote(agreement(strokes(100), {PUSH}), {PUSH: "rule"}) == [], "it rules already"


def test_every_difference_is_named_and_what_nobody_watches_is_not_held_against_the_table() -> None:
    found = agreement([*strokes(1, 1, 1), Stroke("m", 9, frozenset(), frozenset({"icf-30"}), corrected=True)], {PUSH})
    assert [(one.seq, one.clause, one.who) for one in found.differences] == [
        (1000, PUSH, "table"),
        (2000, PUSH, "umpire"),
        (9, None, "umpire"),
    ]
    assert (found.strokes.agreed, found.strokes.of) == (3, 4)
    (push,) = found.clauses
    assert (push.raised.agreed, push.raised.of, push.missed) == (1, 2, 1)


def test_what_is_still_asked_has_no_verdict() -> None:
    found = agreement([Stroke("m", 1, frozenset({PUSH}), frozenset(), open=frozenset({PUSH}))], {PUSH})
    assert (found.clauses, found.differences) == ((), ())


# -- the table in the shadow


def test_in_the_shadow_whatever_would_be_asked_is_only_noted() -> None:
    book = load_books()["icf"]
    open_table = for_table(book, {"icf-30": "rule"}, cautious=True)
    shadow = for_table(book, {"icf-30": "rule"}, cautious=True, shadow=True)
    assert shadow[PUSH] == "note"
    assert shadow["icf-30"] == "rule", "what the club wants ruled is ruled"
    assert "confirm" not in {**{one.id: one.autonomy for one in book.clauses.values()}, **shadow}.values()
    assert open_table.get(PUSH, book.clauses[PUSH].autonomy) == "confirm"
    assert Config().match.shadow is False


@pytest.mark.parametrize("shadow", [False, True])
def test_a_noted_push_is_told_to_nobody_but_kept_with_its_clip(tmp_path, shadow) -> None:
    async def story() -> None:
        async with scene(tmp_path, autonomy={PUSH: "note"}) as at:
            at.desk.shown.names = replace(at.desk.shown.names, shadow=shadow)
            client = Client()
            publish_by(client, at.desk.shown)
            at.takes_pictures(range(95, 130))
            await at.arm()
            stroke, _ = at.table.stroke(())
            pushed = replace(stroke, struck=replace(stroke.struck, hand_follow_mm=200.0))
            await at.feed(numbered(pushed))
            await at.wait(600)
            assert noted(at.entries[-1].ruling) == {PUSH}
            assert traces(client.everybody) == []
            assert traces(page(at, umpire=False)) == []
            seq = at.entries[-1].seq
            for_umpire = [client.umpire, page(at, umpire=True), DeskView(at.desk, None, lambda: None).stroke(seq)]
            assert [bool(traces(told)) for told in for_umpire] == [not shadow] * 3
            await at.desk.keeping.done()
            assert at.desk.shown.shelf.get(at.desk.shown.evidence_key(seq)) is not None

    run(story())


# -- the report


def written(path, answers: list[str | None], word: str) -> None:
    """A match in which south pushes each time: the umpire calls it, answers `foul` or `no foul`, or does not."""
    umpire = Umpire(load_books(), lambda _book: {PUSH: word})
    start = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}
    entries = []

    def take(source: str, event: dict) -> None:
        taken = umpire.take(event)
        assert isinstance(taken, Taken), (event, taken)
        entries.append(Entry("m-1", taken.seq, 1_700_000_000.0 + taken.seq, source, taken.event, taken.ruling))

    take("config", start | {"position": {"turn": "south", "break_done": True}})
    for answer in answers:
        take("eyes", {"event": "shot", "seat": "south", "flags": ["push"]})
        if answer == "call":
            take("web:1", {"event": "call", "clause": PUSH, "seat": "south"})
        elif answer is not None:
            take("web:1", {"event": "answer", "ask": umpire.questions()[-1].ask, "choice": answer})
        take("web:1", {"event": "set", "position": {"turn": "south", "break_done": True}})
    with Journal(path) as journal:
        fill(journal, entries)


def report(path, capsys, *words: str) -> str:
    assert main(["agreement", str(path), *words]) == 0
    return capsys.readouterr().out


def test_the_report_of_a_shadow_names_each_difference_with_its_clip(tmp_path, capsys) -> None:
    path, clips = tmp_path / "j.sqlite", tmp_path / "kept"
    written(path, ["call", "call", None], "note")
    found = json.loads(report(path, capsys, "--json"))
    (push,) = found["clauses"]
    assert (push["clause"], push["raised"], push["missed"]) == (PUSH, {"of": 3, "agreed": 2}, 0)
    (differs,) = found["differences"]
    assert (differs["clause"], differs["who"]) == (PUSH, "table")
    config = tmp_path / "carrom.toml"
    config.write_text(f'[evidence]\nfolder = "{clips}"\n')
    (clips / f"m-1-{differs['seq']}").mkdir(parents=True)
    text = report(path, capsys, "--config", str(config))
    assert f"{PUSH} (note): raised 3, the umpire agreed with 2 of 3 (95 %: 21% to 94%)" in text
    assert f"event {differs['seq']}: {PUSH}, the table alone; clip {clips}/m-1-{differs['seq']}" in text
    assert "no clause is proposed" in text


def test_answers_to_what_is_asked_count_as_well_and_enough_of_them_promote(tmp_path, capsys) -> None:
    written(tmp_path / "a.sqlite", ["foul", "no foul", None], "confirm")
    (push,) = json.loads(report(tmp_path / "a.sqlite", capsys, "--json"))["clauses"]
    assert push["raised"] == {"of": 2, "agreed": 1}, "the one still asked has no verdict"
    written(tmp_path / "b.sqlite", ["foul"] * 73, "confirm")
    assert '"icf-33" = "rule"' in report(tmp_path / "b.sqlite", capsys)
