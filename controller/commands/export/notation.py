"""A recorded match as carrom notation (`docs/notation.md`)."""

from __future__ import annotations

from datetime import datetime

from controller import __version__
from controller.commands.export.report import Report
from controller.events.doors import fitting_name
from controller.events.errors import ConfigError
from controller.events.notation import Occasion, notation_text
from controller.rules.notation import notation_of


def as_notation(told: Report) -> str:
    """The match as it stands. Raises ConfigError for one that the books of now refuse."""
    if told.note:
        raise ConfigError(
            f"match {told.result.match} cannot be written as notation, which holds what stands: {told.note}. "
            "Fix: use --json, which reports what was recorded"
        )
    began = told.result.start
    # The clock of a table may be set back while a match is played.
    times_s = {int(ruling["seq"]): round(max(0.0, at - began), 3) for at, _event, ruling in told.history}
    competition, named, referee, table = (
        fitting_name(name) if name else None
        for name in (told.occasion.competition, told.occasion.round, told.occasion.referee, told.result.table)
    )
    occasion = Occasion(
        competition,
        named,
        referee,
        table,
        began=datetime.fromtimestamp(began).astimezone().isoformat(timespec="seconds"),
    )
    return notation_text(notation_of(told.state, occasion, times_s, f"Carrom Umpire {__version__}"))
