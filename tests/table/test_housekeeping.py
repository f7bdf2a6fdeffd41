"""What a table throws away by itself: clips after so many days by its own clock, matches at the start, never more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from controller.config import load_config
from controller.journal import Journal
from controller.table.evidence.drawn import Drawing
from controller.table.evidence.settings import shelf_of
from controller.table.evidence.store import DAY_S, Bundle, EvidenceShelf
from controller.table.process.housekeeping import tidy
from controller.table.process.seen_days import MOST, SeenDays
from controller.vision.ring import Picture
from tests.patience import PATIENCE_S
from tests.table.test_ending import until
from tests.table.test_evidence_drawn import FACTS, calibration_file


class Clock:
    """The wall's clock, by hand."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def picture(number: int) -> Picture:
    return Picture(number, number, 1, b"jpeg")


@pytest.fixture(params=["memory", "folder"])
def place(request, tmp_path):
    return tmp_path / "kept" if request.param == "folder" else None


def shelf_with(place, clock, keep_days=7.0):
    shelf = EvidenceShelf(picture, place, 10**6, keep_days=keep_days, now_unix=clock)
    shelf.open()
    return shelf


def test_a_clip_goes_after_seven_days_and_not_before(place) -> None:
    clock = Clock()
    shelf = shelf_with(place, clock)
    shelf.keep(Bundle("m-1", 1, 2))
    clock.now += 3 * DAY_S
    shelf.keep(Bundle("m-2", 5, 6))
    clock.now += 4 * DAY_S - 1
    assert shelf.tidy(clock()) == ()
    clock.now += 2
    assert shelf.tidy(clock()) == ("m-1",)
    assert (shelf.get("m-1"), shelf.get("m-2") is None) == (None, False)
    if place is not None:
        assert [kept.name for kept in place.iterdir()] == ["m-2"]
    clock.now += 3 * DAY_S
    assert shelf.tidy(clock()) == ("m-2",)


def test_restarts_keep_no_clip_alive(tmp_path) -> None:
    clock = Clock()
    shelf_with(tmp_path, clock).keep(Bundle("m-1", 1, 2))
    clock.now += 4 * DAY_S
    shelf_with(tmp_path, clock)
    clock.now += 4 * DAY_S
    assert shelf_with(tmp_path, clock).tidy(clock()) == ("m-1",)
    assert list(tmp_path.iterdir()) == []


def test_a_clip_of_a_time_still_to_come_counts_from_now(tmp_path) -> None:
    clock = Clock()
    clock.now += 1000 * DAY_S
    shelf_with(tmp_path, clock).keep(Bundle("m-1", 1, 2))
    clock.now -= 1000 * DAY_S
    assert shelf_with(tmp_path, clock).tidy(clock()) == ()
    clock.now += 8 * DAY_S
    assert shelf_with(tmp_path, clock).tidy(clock()) == ("m-1",)


def test_without_a_limit_only_the_budget_counts(place) -> None:
    clock = Clock()
    shelf = shelf_with(place, clock, keep_days=0)
    shelf.keep(Bundle("m-1", 1, 2))
    clock.now += 10_000 * DAY_S
    assert shelf.tidy(clock()) == ()
    assert shelf.get("m-1") is not None


def test_a_clip_that_was_cut_off_is_removed_at_the_next_start_and_what_is_not_ours_stays(tmp_path) -> None:
    def cut_off(_began: int) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf_with(tmp_path, Clock()).keep(Bundle("m-1", 1, 2, {}, {"beams.jsonl": cut_off}))
    assert [place.name for place in tmp_path.iterdir()] != []
    mine = tmp_path / "recording"
    mine.mkdir()
    (mine / "times.jsonl").write_text("")
    os.utime(mine, (1.0, 1.0))
    shelf = shelf_with(tmp_path, Clock())
    assert shelf.tidy(Clock()()) == ()
    assert [place.name for place in tmp_path.iterdir()] == ["recording"]


def test_a_clip_that_is_kept_anew_is_never_half_there(tmp_path) -> None:
    shelf = shelf_with(tmp_path, Clock())
    shelf.keep(Bundle("m-1", 1, 2, {"placed": 1}))

    def cut_off(_began: int) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.keep(Bundle("m-1", 1, 4, {"placed": 2}, {"beams.jsonl": cut_off}))
    again = shelf_with(tmp_path, Clock())
    assert again.get("m-1").facts == {"placed": 1}


@pytest.mark.parametrize("wrong_days", [8, 4000, -4000])
def test_starts_with_the_clock_ahead_or_behind_delete_nothing(tmp_path, wrong_days) -> None:
    """However often the table is started within the day that the clock is wrong."""
    began, days = 1_700_000_000.0, SeenDays(tmp_path)
    assert days.sure(began) == 0, "nothing is known yet"
    for hour in (0, 1, 20):
        assert SeenDays(tmp_path).sure(began + wrong_days * DAY_S + hour * 3600.0) <= began
    assert days.sure(began + 60.0) <= began


def test_what_is_surely_past_lags_two_days_behind_at_most(tmp_path) -> None:
    """A table that is on for weeks, and one for an evening a week."""
    began = 1_700_000_000.0
    lags = [now - SeenDays(tmp_path).sure(now) for hour in range(24 * 30) if (now := began + hour * 3600.0)]
    assert max(lags[24:]) <= 2 * DAY_S
    weekly = [now - SeenDays(tmp_path / "club").sure(now) for week in range(9) if (now := began + week * 7 * DAY_S)]
    assert weekly[1:] == [7 * DAY_S] * 8
    assert len(json.loads((tmp_path / "days-seen.json").read_text())["seen"]) == MOST


def test_a_file_that_cannot_be_read_deletes_nothing_for_a_day(tmp_path) -> None:
    (tmp_path / "days-seen.json").write_text('{"seen": ["1e999"]}')
    days = SeenDays(tmp_path)
    assert [days.sure(9e9), days.sure(9e9 + DAY_S)] == [0, 9e9]


def test_the_configuration_says_seven_days_and_what_is_drawn(tmp_path) -> None:
    config = tmp_path / "carrom.toml"
    config.write_text(f'[table]\nstate = "{tmp_path}"\n[camera]\ncalibration = "{calibration_file(tmp_path)}"\n')
    settings = load_config(config)
    assert settings.evidence.keep_days == 7
    shelf = shelf_of(settings, picture)
    # What is drawn over a placement's picture was once left out of the wiring, and nobody noticed.
    drawing = shelf.keep(Bundle("m-1", 1, 2, FACTS)).facts["drawing"]
    assert drawing == Drawing(tmp_path / "calibration.json")(FACTS)
    tidy(settings, shelf, time.time())
    assert shelf.get("m-1") is not None


@pytest.mark.live
@pytest.mark.slow
def test_the_daemon_prunes_before_it_opens_the_journal_and_tidies_while_it_runs(tmp_path) -> None:
    state, old = tmp_path / "state", time.time() - 100 * DAY_S
    with Journal(state / "journal.sqlite", place="table1") as journal:
        for match in ("m-1", "m-2", "m-3"):
            start = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}
            journal.append(match, 1, start, {"seq": 1, "match_over": True}, old)
    clip = tmp_path / "kept" / "m-3-2"
    clip.mkdir(parents=True)
    (clip / "facts.json").write_text(json.dumps({}))
    os.utime(clip, (old, old))
    SeenDays(state).sure(time.time() - 2 * DAY_S)
    config = tmp_path / "carrom.toml"
    config.write_text(
        f'[table]\nruntime = "{tmp_path / "run"}"\nstate = "{state}"\n'
        f'[mqtt]\nenabled = false\n[pockets]\nkind = "none"\n[camera]\nkind = "none"\n'
        f'[web]\nhost = "127.0.0.1"\nport = 0\n'
        f'[journal]\nkeep_days = 30\n[evidence]\nfolder = "{tmp_path / "kept"}"\n'
    )
    command = [sys.executable, "-m", "controller.cli", "run", "--config", str(config)]
    daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until((state / "http-port").is_file, "the daemon stands")
        until(lambda: not clip.exists(), "the clip is gone")
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(PATIENCE_S) == 0
    finally:
        daemon.kill()
        daemon.wait()
    with Journal(state / "journal.sqlite", read_only=True) as journal:
        assert "m-1" not in [row.match for row in journal.matches()]
        assert [row.match for row in journal.moved()] == ["m-1"]
    assert (state / "archive" / "table1-m-1.sqlite").is_file()
