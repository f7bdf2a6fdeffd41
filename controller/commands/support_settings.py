"""What a support archive shows of a configuration: by a list of what may be shown, so that nothing else can be.

Numbers and switches that the program knows, words of the list below, and of all else only that it is set. What is not
shown is also handed on as such, since logs may quote it. Pure: text in, text out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel

from controller.config import Config
from controller.events.doors import SETTINGS, toml_table
from controller.events.errors import UnreadableError
from controller.vision.sources.camera_address import place_of

GONE = "…"
TOLD: Mapping[str, frozenset[str]] = {
    "table": frozenset({"id", "players_shown", "runtime", "state"}),
    "match": frozenset({"book", "first", "officiating"}),
    "match.policy": frozenset({"*"}),
    "match.autonomy": frozenset({"*"}),
    "board": frozenset({"preset"}),
    "camera": frozenset({"kind", "device", "shutter", "path", "calibration"}),
    "pockets": frozenset({"kind", "port", "node", "chip"}),
    "pockets.lines": frozenset({"*"}),
    "panel": frozenset({"kind"}),
    "panel.buttons": frozenset({"*"}),
    "mqtt": frozenset({"host", "version", "ca_file", "password_file"}),
    "web": frozenset({"host", "pin_file"}),
    "journal": frozenset({"archive"}),
    "evidence": frozenset({"folder"}),
    "clock": frozenset({"file"}),
}
"""Section → keys whose words are shown as they stand; `*`: any."""
_PLAIN = re.compile(r"[^@?=\s]*")
"""What a shown word looks like: no address with a user, no query, no sentence."""
_LEAST = 4
"""Shorter words stand in any text by chance."""


def told(text: str) -> tuple[str, frozenset[str]]:
    """Returns what may be shown of a configuration, and the words of it that may be shown nowhere."""
    try:
        sections = toml_table(text, SETTINGS)
    except UnreadableError:
        # Not even where a value ends is known: only which keys there are.
        keys = re.findall(r"(?m)^\s*(\[[\w.\s-]+\]|[\w-]+(?=\s*=))", text)
        return "".join(f"{key}\n" if key.startswith("[") else f"{key} = {GONE}\n" for key in keys), frozenset()
    shown: set[str] = set()
    hidden: set[str] = set()
    lines = [line for name, values in sections.items() for line in _section(name, values, shown, hidden)]
    return "\n".join(lines) + "\n", frozenset(word for word in hidden - shown if len(word) >= _LEAST)


def _section(name: str, values: Any, shown: set[str], hidden: set[str]) -> Iterator[str]:
    if not isinstance(values, dict):
        hidden.update(_words(values))
        yield f"{name} = {GONE}"
        return
    yield f"[{name}]"
    inner = {}
    for key, value in values.items():
        if isinstance(value, dict):
            inner[f"{name}.{key}"] = value
            continue
        said, kept = _value(name, key, value)
        shown.update([said] if isinstance(said, str) else [])
        hidden.update(kept)
        yield f"{key} = {json.dumps(said, ensure_ascii=False)}"
    for path, value in inner.items():
        yield from _section(path, value, shown, hidden)


def _value(section: str, key: str, value: Any) -> tuple[Any, set[str]]:
    """What is shown of a value, and the words of it that are not."""
    may = TOLD.get(section, frozenset())
    if _is_figures(value) and (_is_known(section, key) or "*" in may):
        return value, set()
    if isinstance(value, str) and may & {key, "*"} and _PLAIN.fullmatch(value):
        return value, set()
    if (section, key) == ("camera", "url") and isinstance(value, str):
        return f"{place_of(value)}/{GONE}", set(_words(value))
    if (section, key) == ("camera", "command") and isinstance(value, list) and value:
        return [str(value[0]).rpartition("/")[2], GONE], set(_words(value[1:]))
    return GONE, set(_words(value))


def _words(value: Any) -> Iterator[str]:
    """Every word in a value that somebody could have chosen: whole, and the parts of addresses and options."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _words(one)
        return
    text = str(value)
    if isinstance(value, bool):
        return
    yield text
    option, equals, rest = text.partition("=")
    if equals and option.startswith("-"):
        yield rest
    with suppress(ValueError):
        said = urlsplit(text)
        yield from (part for part in (said.username, said.password) if part)
        yield from (part for _, part in parse_qsl(said.query))


def _is_figures(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (
        isinstance(value, list) and all(isinstance(one, int | float) for one in value)
    )


def _is_known(section: str, key: str) -> bool:
    field = Config.model_fields.get(section)
    model = field.annotation if field else None
    return isinstance(model, type) and issubclass(model, BaseModel) and key in model.model_fields
