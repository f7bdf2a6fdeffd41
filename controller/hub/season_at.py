"""Opens a season where `[hub] season` says that it is."""

from __future__ import annotations

from pathlib import Path

from controller.events.errors import ConfigError
from controller.hub.season_file import SeasonFile
from controller.hub.season_store import SeasonStore


def season_at(where: Path | str) -> SeasonStore:
    """`where`: a file, or the address of a database. Raises ConfigError where its driver is missing."""
    if isinstance(where, Path):
        return SeasonFile(where)
    try:
        from controller.hub.season_server import SeasonServer
    except ImportError as error:
        raise ConfigError(
            "[hub] season is a database, and psycopg is missing. Fix: pip install carrom-umpire[postgres]"
        ) from error
    return SeasonServer(where)
