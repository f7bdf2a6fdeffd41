"""What `carrom check` says of one part: a line each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["ok", "warn", "fail", "none"]


@dataclass(frozen=True)
class Finding:
    """What one probe found. `warn` does not fail the check; `none`: this table has no such part."""

    part: str
    state: State
    says: str


def unwritable(folder: Path) -> OSError | None:
    """Returns why no file can be made in this folder, None where one can."""
    probe = folder / ".carrom-check"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        return error
    return None
