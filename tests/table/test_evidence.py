"""Evidence: kept for what is asked, flagged or disputed, within a budget, with the pictures and figures to look at."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from controller.cli import main
from controller.config import EvidenceSection
from controller.events.errors import DeviceError
from controller.table.evidence.of_stroke import clip_of, clip_of_reading, shown_picture
from controller.table.evidence.settings import budget_bytes
from controller.table.evidence.store import MOST_PICTURES, Bundle, EvidenceShelf
from controller.table.outlets.pages import DeskView
from controller.vision.ring import Picture
from tests.shots.table import Fall
from tests.table.kit import MS, WHITE, S, run, scene, unsure


def ring(numbers: range, size: int = 1000):
    pictures = {number: Picture(number, number * 10 * MS, 5 * MS, bytes([number % 256]) * size) for number in numbers}
    return pictures.get, pictures


# -- the shelf


def test_pictures_outlive_the_ring() -> None:
    picture, held = ring(range(10, 20))
    shelf = EvidenceShelf(picture, None, 10**6)
    kept = shelf.keep(Bundle("m-2", 12, 15, {"placed": 12}))
    held.clear()
    assert kept.pictures == (12, 13, 14, 15)
    assert shelf.picture(13) == bytes([13]) * 1000
    assert shelf.picture(16) is None
    assert shelf.get("m-2").facts == {"placed": 12}


def test_the_oldest_goes_when_the_budget_is_full() -> None:
    picture, held = ring(range(100))
    shelf = EvidenceShelf(picture, None, 10_000)
    for first in (0, 20, 40):
        shelf.keep(Bundle(f"m-{first}", first, first + 3))
    assert shelf.get("m-0") is None
    assert shelf.get("m-20") is not None
    shelf.keep(Bundle("m-20", 20, 23))
    shelf.keep(Bundle("m-60", 60, 63))
    assert shelf.get("m-40") is None, "what was kept anew is the newest"
    assert shelf.get("m-20") is not None
    held.clear()
    assert shelf.picture(1) is None


def test_strokes_whose_pictures_are_gone_keep_to_the_budget_too() -> None:
    shelf = EvidenceShelf(lambda _number: None, None, 10_000)
    for number in range(1000):
        shelf.keep(Bundle(f"m-{number}", 1, 2, {"notes": ["no picture of it is left"]}))
    held = [number for number in range(1000) if shelf.get(f"m-{number}") is not None]
    assert held == list(range(held[0], 1000))
    assert len(held) < 10_000 // len("no picture of it is left")


@pytest.mark.parametrize(
    ("asked_mb", "folder", "memory_gb", "held_mb"),
    [
        (512, None, 8, 512),
        (512, None, 2, 256),
        (512, None, 1, 128),
        (64, None, 1, 64),
        (512, "/kept", 1, 512),
        (0, None, 8, 0),
    ],
)
def test_in_memory_it_gets_an_eighth_of_it_at_most(
    asked_mb: int, folder: str | None, memory_gb: int, held_mb: int
) -> None:
    section = EvidenceSection(folder=folder, budget_mb=asked_mb)
    assert budget_bytes(section, memory_gb * 2**30) == held_mb * 2**20


@pytest.mark.live
def test_check_says_how_much_of_what_was_asked_for_memory_gives(tmp_path, capsys) -> None:
    file = tmp_path / "carrom.toml"
    lines = (
        f'[table]\nid = "t1"\nstate = "{tmp_path}"\nruntime = "{tmp_path}"',
        '[camera]\nkind = "none"\n[pockets]\nkind = "none"\n[mqtt]\nenabled = false',
        "[evidence]\nbudget_mb = 1000000000",
    )
    file.write_text("\n".join(lines))
    main(["check", "--config", str(file)])
    (said,) = [line for line in capsys.readouterr().out.splitlines() if "evidence" in line]
    held_mb = budget_bytes(EvidenceSection(budget_mb=10**9)) // 2**20
    assert f"up to {held_mb} MB of 1000000000: an eighth of this computer's" in said


def test_a_long_stroke_is_thinned_and_its_last_picture_stays() -> None:
    picture, _ = ring(range(2000), 10)
    kept = EvidenceShelf(picture, None, 10**6).keep(Bundle("m-2", 1, 1999))
    assert len(kept.pictures) <= MOST_PICTURES + 1
    assert kept.pictures[-1] == 1999


def test_a_folder_holds_a_recording_and_is_found_again(tmp_path) -> None:
    picture, held = ring(range(10, 20))
    shelf = EvidenceShelf(picture, tmp_path / "kept", 10**6)
    texts = {"beams.jsonl": lambda began_ns: json.dumps({"t": (200 * MS - began_ns) / S}) + "\n"}
    shelf.keep(Bundle("m-2", 12, 15, {"placed": 13}, texts))
    held.clear()
    again = EvidenceShelf(picture, tmp_path / "kept", 10**6)
    again.open()
    assert again.get("m-2").pictures == (12, 13, 14, 15)
    assert again.picture(14) == bytes([14]) * 1000
    rows = [json.loads(line) for line in (tmp_path / "kept" / "m-2" / "times.jsonl").read_text().splitlines()]
    assert [row["t_ns"] for row in rows] == [120 * MS, 130 * MS, 140 * MS, 150 * MS]
    assert json.loads((tmp_path / "kept" / "m-2" / "beams.jsonl").read_text()) == {"t": 0.08}


def test_a_folder_keeps_to_its_budget_over_restarts(tmp_path) -> None:
    picture, _ = ring(range(100))
    EvidenceShelf(picture, tmp_path, 10_000).keep(Bundle("m-2", 1, 6))
    again = EvidenceShelf(picture, tmp_path, 10_000)
    again.open()
    again.keep(Bundle("m-9", 21, 26))
    assert [place.name for place in tmp_path.iterdir()] == ["m-9"]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    picture, _ = ring(range(10))
    with pytest.raises(DeviceError, match=r"evidence cannot be kept.*Fix: set evidence\.folder"):
        EvidenceShelf(picture, tmp_path / "file" / "kept", 10**6).keep(Bundle("m-2", 1, 2))


def test_the_clip_begins_a_little_before_motion_does_and_is_not_too_long() -> None:
    kept = SimpleNamespace(pictures=tuple(range(100, 2000)), facts={"placed": 100, "before": 1900})
    assert clip_of(kept, 900) == (1885, 1999)
    assert clip_of(SimpleNamespace(pictures=tuple(range(1895, 2000)), facts={"before": 1900}), 900) == (1895, 1999)
    assert clip_of(SimpleNamespace(pictures=tuple(range(100, 2000)), facts={}), 900) == (1100, 1999)
    assert clip_of_reading(SimpleNamespace(pictures=(100, 1900, 1999)), 900) == (1885, 1999)
    assert clip_of_reading(SimpleNamespace(pictures=(None, None, 1999)), 900) is None
    assert shown_picture(kept) == 100
    assert shown_picture(SimpleNamespace(pictures=(4, 5), facts={"placed": 3})) == 5


def test_three_seconds_of_rest_are_kept_and_the_first_picture_however_long_the_striker_lay() -> None:
    picture, _held = ring(range(1000))
    shelf = EvidenceShelf(picture, None, 10**7)
    kept = shelf.keep(Bundle("m-2", 5, 700, {}, rest=600, zero_ns=6_000_000_000))
    assert kept.pictures[:3] == (5, 300, 302)
    assert kept.facts["every"] == 2
    assert {600, 700} <= {*kept.pictures}
    assert kept.facts["times"][:2] == [-5.95, -3.0]
    short = shelf.keep(Bundle("m-3", 590, 620, {}, rest=600, zero_ns=0))
    assert (short.pictures[0], short.facts["every"]) == (300, 2), "also where the striker was put down just before"


# -- at the desk


def numbered(stroke):
    """The stroke with the ring's numbers of its pictures."""
    return replace(stroke, picture_placed=100, picture_before=105, picture_after=120)


async def white_falls(at):
    """A stroke with its pictures, and all that is kept of it is on the disk."""
    at.takes_pictures(range(95, 130))
    await at.arm()
    stroke, edges = at.table.stroke((Fall(WHITE, "NE"),))
    await at.feed(*edges, numbered(stroke))
    await at.wait(600)
    await at.desk.keeping.done()


def test_an_asked_stroke_keeps_its_pictures_figures_and_beams(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, table=unsure(), evidence=tmp_path / "kept") as at:
            await white_falls(at)
            kept = at.desk.shown.shelf.get(at.desk.shown.evidence_key(2))
            assert (kept.pictures[0], kept.pictures[-1], kept.facts["placed"]) == (95, 120, 100)
            assert any("±" in one["says"] for one in kept.facts["clearances"])
            assert [edge["pocket"] for edge in kept.facts["beams"]] == ["NE"] * 4
            assert kept.facts["passages"][0]["pocket"] == "NE"
            place = tmp_path / "kept" / kept.key
            assert json.loads((place / "start.jsonl").read_text())["event"] == "start"
            assert len((place / "beams.jsonl").read_text().splitlines()) == 4
            assert at.heard.alerts("ask-2")[-1].picture == 100
            assert at.heard.alerts("ask-2")[-1].clip == (95, 120)
            (ask,) = DeskView(at.desk, None, lambda: None).snapshot(umpire=True).asks
            assert (ask["picture"], ask["clip"]) == (100, (95, 120))
            assert ask["evidence"]["notes"] == []
            look = DeskView(at.desk, None, lambda: None).look(2)
            assert [number for number, _ in look["pictures"]] == [*range(95, 121)]
            seconds = [t for _, t in look["pictures"]]
            assert np.diff(seconds) == pytest.approx(0.01), "one clock for pictures and beams"
            felt = [edge["t"] for edge in kept.facts["beams"]]
            assert sorted([beam["since"], beam["until"]] for beam in look["beams"]) == [felt[:2], felt[2:]]
            assert (look["every"], look["clearances"]) == (1, kept.facts["clearances"])
            assert DeskView(at.desk, None, lambda: None).look(1) is None

    run(story())


def test_what_nobody_asks_is_not_kept_until_somebody_disputes_it(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await white_falls(at)
            assert at.desk.shown.shelf.get(at.desk.shown.evidence_key(2)) is None
            await at.say({"event": "call", "clause": "icf-33", "seat": "south"})
            await at.desk.keeping.done()
            assert at.desk.shown.shelf.get(at.desk.shown.evidence_key(2)).pictures[0] == 95

    run(story())


def test_evidence_that_cannot_be_kept_holds_nothing_up(tmp_path) -> None:
    (tmp_path / "file").write_text("")

    async def story() -> None:
        async with scene(tmp_path, table=unsure(), evidence=tmp_path / "file" / "kept") as at:
            await white_falls(at)
            assert len(at.heard.rulings()) == 1
            (alert,) = at.heard.alerts("evidence")
            assert "Fix:" in alert.says

    run(story())


@pytest.mark.parametrize(("beyond_mm", "asked"), [(0.2, False), (3.0, True)])
def test_a_line_call_is_asked_with_its_clearance_and_its_still_or_too_close_and_never_asked(
    tmp_path, beyond_mm, asked
) -> None:
    """The striker still touches both base lines while its centre lies no more than 258.85 mm from the middle."""

    async def story() -> None:
        async with scene(tmp_path, evidence=tmp_path / "kept", autonomy={"icf-130a": "confirm"}) as at:
            at.takes_pictures(range(95, 130))
            await at.arm()
            stroke, _ = at.table.stroke(at=(0.0, -258.85 - beyond_mm))
            await at.feed(numbered(stroke))
            await at.wait(600)
            await at.desk.keeping.done()
            (ruling,) = at.heard.rulings()
            page = DeskView(at.desk, None, lambda: None).snapshot(umpire=True)
            if not asked:
                assert (ruling["fouls"], ruling["asks"], page.flags) == ([], [], [])
                assert any("too close to call" in note for note in at.desk.rulings.strokes.evidence(2).notes)
                return
            assert [(foul["clause"], foul["status"]) for foul in ruling["fouls"]] == [("icf-130a", "to confirm")]
            (flag,) = page.flags
            assert (flag["clause"], flag["picture"]) == ("icf-130a", 100)
            says = [one["says"] for one in flag["evidence"]["clearances"]]
            assert "inner base line: not touched by 3.0 ± 0.5 mm" in says

    run(story())
