"""Brings an older configuration up to date, line by line, so that comments and order stay as somebody wrote them.

Pure: text in, text and notes out. Must not know how the rest of the program uses a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from controller.config import VERSION, line_of
from controller.events.doors import toml_table

SYSTEM = PurePosixPath("/etc/carrom")
"""Where the services read the configuration from, and may not write."""
STATE, RUNTIME, PIN = "/var/lib/carrom", "/run/carrom", "/etc/carrom/umpire-pin"


def migrated(text: str, *, system: bool) -> tuple[str, tuple[str, ...]]:
    """Returns the text as this program's version writes it, and a note for each change; unchanged if up to date.

    `system`: whether it is the configuration of the services. Raises UnreadableError for what is no TOML.
    """
    notes: list[str] = []
    version = _version(toml_table(text))
    for step in STEPS[version:]:
        text, said = step(text, system)
        notes += said
    if version < VERSION:
        text = _stamped(text)
        notes.append(f"[format] version = {VERSION}")
    return text, tuple(notes)


def _from_0(text: str, system: bool) -> tuple[str, list[str]]:
    """Before versions were written down, `carrom init` put state and PIN where the services cannot reach them."""
    if not system:
        return text, []
    notes = []
    for section, key, place in (("table", "state", STATE), ("table", "runtime", RUNTIME), ("web", "pin_file", PIN)):
        value = _section(toml_table(text), section).get(key)
        if isinstance(value, str) and PurePosixPath(value).is_relative_to(SYSTEM) and value != place:
            text = _with_value(text, section, key, value, place)
            notes.append(f"[{section}] {key} = {place} (was {value}, which the services cannot use)")
    value = _section(toml_table(text), "camera").get("calibration")
    if isinstance(value, str) and PurePosixPath(value).is_relative_to(SYSTEM):
        place = f"{STATE}/calibration.json"
        text = _with_value(text, "camera", "calibration", value, place)
        notes.append(f"[camera] calibration = {place} (was {value}, which the services cannot use)")
    return text, notes


STEPS: tuple[Callable[[str, bool], tuple[str, list[str]]], ...] = (_from_0,)
"""Step n leads from version n to n + 1."""


def _version(values: dict[str, Any]) -> int:
    said = _section(values, "format").get("version", 0)
    # What is none is refused by the configuration's own reader, with its line.
    return said if isinstance(said, int) and 0 <= said <= VERSION else VERSION


def _section(values: dict[str, Any], name: str) -> dict[str, Any]:
    section = values.get(name)
    return section if isinstance(section, dict) else {}


def _with_value(text: str, section: str, key: str, old: str, new: str) -> str:
    lines = text.splitlines(keepends=True)
    at = line_of(text, [section, key]) - 1
    lines[at] = lines[at].replace(old, new)
    return "".join(lines)


def _stamped(text: str) -> str:
    if re.search(r"(?m)^\s*\[format\]", text):
        return re.sub(r"(?m)^(\s*version\s*=\s*)\d+", rf"\g<1>{VERSION}", text, count=1)
    lines = text.splitlines(keepends=True)
    # Below the comments at the top, above the first key or section.
    first = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), len(lines))
    return "".join([*lines[:first], f"[format]\nversion = {VERSION}\n\n", *lines[first:]])
