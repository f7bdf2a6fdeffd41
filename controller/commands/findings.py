"""What `carrom check` says of one part: a line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail", "none"]


@dataclass(frozen=True)
class Finding:
    """What one probe found. `warn` does not fail the check; `none`: this table has no such part."""

    part: str
    state: State
    says: str
