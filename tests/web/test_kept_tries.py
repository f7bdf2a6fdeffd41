"""Who guessed the PIN is known after a restart; a card is spared, and a bad file stops nobody."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from controller.web.kept_tries import MOST_KEPT, WRITE_EACH_S, WRITES_AT_ONCE, KeptTries, nameless
from controller.web.tries import FREE


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tries.json"


def wrong(tries: KeptTries, who: str, times: int = 1) -> None:
    """Wrong tries, each answered."""
    for _ in range(times):
        tries.begin(who)
        asyncio.run(tries.keep())


def test_who_was_wrong_waits_after_a_restart_whatever_the_time_is_then(file):
    wrong(KeptTries(lambda: 1e9, file), "x", FREE + 1)
    assert KeptTries(lambda: 3.0, file).wait_s("x") == 120
    assert KeptTries(lambda: 3.0, file).wait_s("x") == 120, "a start that nobody tries in changes nothing"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_flood_of_guesses_is_written_down_ten_times_and_once_a_minute(file):
    now, written = [0.0], 0
    tries = KeptTries(lambda: now[0], file)
    for number in range(600):
        now[0] += 1.0
        file.unlink(missing_ok=True)
        wrong(tries, f"10.0.{number}")
        written += file.exists()
    assert written <= WRITES_AT_ONCE + 600 / WRITE_EACH_S
    wrong(tries, "more")
    assert not file.exists()
    now[0] += WRITE_EACH_S
    wrong(tries, "later")
    kept = json.loads(file.read_text())["wrong"]
    assert (len(kept), list(kept)[-1]) == (MOST_KEPT, "later")


def test_neither_an_address_nor_a_browsers_token_stands_in_the_file(file):
    wrong(KeptTries(lambda: 0.0, file), nameless("192.0.2.7"))
    assert "192" not in file.read_text()
    assert nameless("192.0.2.7") != nameless("192.0.2.8")


@pytest.mark.parametrize(
    "rubbish", [b"", b"{", b"[1]", b"{}", b'{"wrong": {"x": "5"}}', b'{"wrong": {"x": -1}}', b"\xff" * 9]
)
def test_a_damaged_file_is_one_line_and_counts_anew(file, rubbish, caplog):
    file.write_bytes(rubbish)
    tries = KeptTries(lambda: 0.0, file)
    assert [line.levelno for line in caplog.records] == [logging.WARNING]
    assert tries.wait_s("x") == 0
    wrong(tries, "x", FREE)
    assert KeptTries(lambda: 0.0, file).wait_s("x") == 60


def test_where_nothing_can_be_written_the_limit_holds_and_the_log_has_one_line(tmp_path, caplog):
    tries = KeptTries(lambda: 0.0, tmp_path / "nowhere" / "tries.json")
    wrong(tries, "x", FREE)
    assert tries.wait_s("x") == 60
    assert len([line for line in caplog.records if "new guesses" in line.message]) == 1


def test_a_folder_in_the_files_place_stops_nothing(file, caplog):
    file.mkdir()
    assert KeptTries(lambda: 0.0, file).wait_s("x") == 0
    assert len(caplog.records) == 1


def test_without_a_place_nothing_is_written(tmp_path):
    wrong(KeptTries(lambda: 0.0), "x", FREE)
    assert list(tmp_path.iterdir()) == []
