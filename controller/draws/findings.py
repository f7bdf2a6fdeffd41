"""What is wrong with an event's files: each finding with the sheet and the line it is about, all of them at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from controller.events.errors import ConfigError

Sheet = Literal["event", "entries", "fixtures", "results"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake. `line`: of a sheet; `key`: of the event's TOML, from its table down; 0 and () where it is about the
    whole file. `says`: what is wrong and how to correct it, on one line."""

    sheet: Sheet
    says: str
    line: int = 0
    key: tuple[str, ...] = ()


class DrawError(ConfigError):
    """Nothing can be drawn from these files. `findings`: why, in the order of the files."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(f"{one.sheet}:{one.line}: {one.says}" for one in self.findings))


def refuse(findings: Iterable[Finding]) -> None:
    """Raises DrawError where there is a finding."""
    if some := tuple(findings):
        raise DrawError(some)
