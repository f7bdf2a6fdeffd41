"""The words of a clause where they hang on a policy value, so that no text contradicts the house rule it is played by.

In a rulebook file `{points}` stands for the value, `{own_in_foul|stays=stay|returned=come back}` for words by the
value; `#` in such words is the value, and words with no value before the `=` stand for every other one. Text in, text
out. Must not know books.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

_HOLE = re.compile(r"\{([a-z][a-z0-9_]*)((?:\|[^{}|]*)*)\}")


def worded(text: str, policy: Mapping[str, Any]) -> str:
    """Returns the text with the words of the policy's values in it."""
    return _HOLE.sub(lambda hole: _words(policy[hole[1]], hole[2]), text) if "{" in text else text


def has_holes(text: str) -> bool:
    """Whether the text hangs on any policy value."""
    return "{" in text and _HOLE.search(text) is not None


def holes(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields the policy keys a text hangs on, each with the values that it has words for."""
    for hole in _HOLE.finditer(text):
        yield hole[1], tuple(value for value in _by_value(hole[2]) if value)


def told(value: Any) -> str:
    """Returns a policy value as a text and a hole's words name it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _words(value: Any, choices: str) -> str:
    said = told(value)
    if not choices:
        return said
    by_value = _by_value(choices)
    return by_value.get(said, by_value.get("", "")).replace("#", said)


@lru_cache(maxsize=1024)
def _by_value(choices: str) -> Mapping[str, str]:
    """The words by the value they are for; by the empty text, those for every other value."""
    parts = (choice.partition("=") for choice in choices.split("|")[1:])
    return {value: words for value, _, words in parts}
