"""The text of `docs/reference/configuration.md`, made from the typed configuration: the page cannot differ from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controller.config import Config

HEAD = """# Configuration

One TOML file for daemon, vision process and checks; `carrom init` writes a first one, `carrom check --config FILE` says
what is wrong with it, naming line and key. Every section and every key may be left out. Passwords and the PIN never
stand in it: it names files, or the service manager hands them over (`mqtt-password`, `umpire-pin`). This page is made
from the program (`make documents`).

Of the board: a measure that stands in `[board]` wins; next comes what the calibration measured, if it was made for a
surface of this size; then the preset; without `[board]` all is the calibration's. `carrom check` and the start say
where a calibration was made for another board than `[board]` says; `carrom calibrate` makes it for this one (`--config
FILE`, on a table by itself), or for what `--board PRESET` and `--side MM` say. Base lines, circles, arrows and pockets
are measured from the picture of the empty board: a preset or the side is enough. Surface, frame, pockets and pieces of
the international presets are the federation's as India's publishes them
(http://www.indiancarrom.co.in/how-to-play-carrom/). The home presets have the side that is sold and markings in
proportion, since no source says them: measure yours. `carrom demo --board PRESET` plays on one. The measures stand in
each match's `start`.
"""


def configuration_document() -> str:
    """Returns the page's text."""
    parts = [HEAD]
    for name, field in Config.model_fields.items():
        section = field.annotation
        assert isinstance(section, type)
        assert issubclass(section, BaseModel)
        parts.append(
            f"\n## `[{name}]`\n\n{section.__doc__}\n\n| key | kind | default | meaning |\n| --- | --- | --- | --- |\n"
        )
        parts += [row(key, inner) for key, inner in section.model_fields.items()]
    return "".join(parts)


def row(key: str, field: FieldInfo) -> str:
    """Returns one key's line of the table."""
    default = field.get_default(call_default_factory=True)
    shown = "needed" if field.is_required() else "–" if default is None else f"`{json.dumps(default, default=str)}`"
    return f"| `{key}` | {kind(field.annotation)} | {shown} | {field.description or ''} |\n"


def kind(annotation: Any) -> str:
    """Says in a word or two what may stand there."""
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(annotation) if word)
    if get_origin(annotation) is Annotated:
        return kind(get_args(annotation)[0])
    inner = [part for part in get_args(annotation) if part is not type(None)]
    if get_origin(annotation) in (dict, list):
        return "table" if get_origin(annotation) is dict else "list"
    if inner:
        return " or ".join(map(kind, inner))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    names = {str: "text", int: "whole number", float: "number", bool: "true, false", Path: "path"}
    return names.get(annotation, "text")
