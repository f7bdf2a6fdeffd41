"""What the hub's log has of a thing that fails: each trouble once, and once that it works again."""

from __future__ import annotations

import logging

from controller.hub.told import Told

LOCKED = "s.sqlite: database is locked. Fix: stop the program that holds the file (a backup, an editor)"
FULL = "s.sqlite: database or disk is full. Fix: make room on the disk"
REFUSED = "s: connection refused. Fix: check that the server runs"
STARTS = "s: the database system is starting up. Fix: check that the server runs"
NO_SPACE = "[Errno 28] No space left on device"


def test_another_trouble_is_logged_too_and_each_once_until_it_works_again(caplog):
    told = Told(logging.getLogger("hub"), "the season is not kept")
    one_by_one = ("", LOCKED, LOCKED, FULL, LOCKED, FULL, NO_SPACE, "", "", FULL, REFUSED, STARTS, "")
    flips = [told.now(trouble) for trouble in one_by_one]
    assert [line.removeprefix("the season is not kept: ") for line in caplog.messages] == [
        LOCKED, FULL, NO_SPACE, "it works again", FULL, REFUSED, "it works again",
    ]  # fmt: skip
    assert [number for number, flips_here in enumerate(flips) if flips_here] == [1, 7, 9, 12]
