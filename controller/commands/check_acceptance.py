"""The acceptance's part of `carrom check`: when the table last proved itself, how well, whether it still holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from controller.commands.acceptance import record
from controller.commands.findings import Finding
from controller.config import Config
from controller.events.errors import ConfigError


def in_words(made: record.Record) -> str:
    """Returns a record on one line: date, grade, placements, and why it is not *match*."""
    verdict = made.verdict
    at = datetime.fromtimestamp(made.circumstances.at).astimezone()
    worst = "none" if verdict.worst_mm is None else f"worst {verdict.worst_mm:.2f} mm"
    says = f"{at:%d %B %Y, %H:%M}: grade {verdict.grade}; {verdict.placements} placements, {worst}"
    return f"{says}; not match: {verdict.refused[0]}" if verdict.refused else says


def probe_acceptance(config: Config) -> Iterator[Finding]:
    """Yields one line about the newest acceptance."""
    state = config.table.state
    file = record.latest(state)
    if file is None:
        yield Finding("acceptance", "none", "this table has not proved itself yet. Fix: carrom accept")
        return
    made = record.read(file, state)
    says = in_words(made)
    if made.signed is None:
        yield Finding(
            "acceptance", "warn", f"{says}; the table's key is lost, its signature was not tried. Fix: carrom accept"
        )
    elif not made.signed:
        yield Finding("acceptance", "fail", f"{file}: is not as this table signed it. Fix: carrom accept")
    elif _calibration_changed(made, config):
        yield Finding("acceptance", "warn", f"{says}; the calibration has changed since. Fix: carrom accept")
    else:
        yield Finding("acceptance", "ok" if made.verdict.holds else "warn", says)


def _calibration_changed(made: record.Record, config: Config) -> bool:
    try:
        return record.digest_of(config.camera.calibration) != made.circumstances.calibration
    except ConfigError:
        return True
