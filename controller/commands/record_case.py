"""`carrom record --case N`: saves a stroke that was asked about, flagged or corrected, to be played again.

What the table kept of it (pictures, beams, measurements, what vision and beams reported) is copied with the calibration
and with the ruling as it stands now, after every answer and correction. Disturbs no table that runs.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.commands.recorded import umpire_for
from controller.config import Config
from controller.events import doors
from controller.events.errors import ConfigError, UnreadableError
from controller.journal import Entry, Journal
from controller.table.evidence.case import Case, case_from_text, case_text, play
from controller.table.evidence.of_stroke import CASE
from controller.table.match.umpire import Umpire
from controller.table.process.housekeeping import journal_of


def save_case(config: Config, file: Path, seq: int, out: Path) -> None:
    """Writes the case of stroke `seq` of the latest match into the new folder `out`, and plays it once.

    `file`: the configuration's. Raises ConfigError for a stroke of which there is no case.
    """
    if config.evidence.folder is None:
        raise ConfigError(f"{file}: evidence is kept in memory only. Fix: set [evidence] folder, and play")
    with Journal(journal_of(config), read_only=True) as journal:
        match = journal.latest_match()
        entries = journal.events(match) if match else ()
    if not entries:
        raise ConfigError(f"{config.table.state}: no match is recorded. Fix: name the table's configuration")
    umpire = umpire_for(entries, file)
    umpire.restore(entry.event for entry in entries)
    place = config.evidence.folder / f"{match}-{seq}"
    case = replace(_kept(place, config.evidence.folder, str(match)), **_truth(umpire, entries, seq))
    try:
        shutil.copytree(place, out, dirs_exist_ok=True)
        if config.camera.calibration.is_file():
            shutil.copyfile(config.camera.calibration, out / "calibration.json")
        (out / CASE).write_text(case_text(case), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error}. Fix: name another folder with --out") from error
    played = play(case, umpire.books)
    differs = f" ({', '.join(played.differs)})" if played.differs else ""
    print(f"{out / CASE}: {case.says}. Read again now: {played.verdict}{differs}")
    print(f"Next: copy it to tests/cases/ under a name of its own; the pictures are in {out}")


def _kept(place: Path, folder: Path, match: str) -> Case:
    try:
        return case_from_text(doors.text_of(place / CASE, doors.CASE), str(place / CASE))
    except UnreadableError as error:
        known = sorted(
            number
            for found in folder.glob(f"{match}-*/{CASE}")
            if (number := doors.whole_number(found.parent.name.rpartition("-")[2])) >= 0
        )
        there = ", ".join(map(str, known)) or "none; only strokes that were asked about, flagged or corrected are kept"
        raise ConfigError(f"{place}: no case was kept. Fix: one of these strokes: {there}") from error


def _truth(umpire: Umpire, entries: Sequence[Entry], seq: int) -> dict[str, Any]:
    """Returns the ruling on a stroke as it stands now, and who had a word in it."""
    if any(question.seq == seq for question in umpire.questions()):
        raise ConfigError(f"stroke {seq}: a question on it is open. Fix: answer it, then save the case")
    now = {one.seq: one.ruling for one in umpire.recent(len(entries))}
    words = []
    for entry in entries:
        about = entry.event.get("seq", str(entry.event.get("ask", "")).partition(".")[0])
        if entry.event["event"] in ("answer", "correct", "override") and str(about) == str(seq):
            words.append(f"{entry.event['event']} {entry.event.get('choice', '')}".strip())
    return {"truth": now[seq], "says": f"stroke {seq}: {', '.join(words) or 'as it was ruled'}"}
