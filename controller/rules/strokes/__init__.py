"""What a stroke does, one module a family of books: pure functions from a `Case` to an `Outcome`.

`RESOLVERS` names them; a rulebook's `resolver` is one of these names.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from controller.events.errors import ConfigError
from controller.rules.book import Book
from controller.rules.case import Case, Outcome

RESOLVERS = (
    "icf",
    "club",
    "campus",
    "classic",
    "sixes",
    "world",
    "points",
    "shootout",
)


class Resolver(NamedTuple):
    """The functions that a resolver module offers; `drop` and `prepare` are optional there."""

    resolve: Callable[[Case], Outcome]
    drop: Callable[[Case], Outcome]
    prepare: Callable[[Book], Any]


@lru_cache
def resolver(name: str) -> Resolver:
    """Finds a resolver by its name. Raises ConfigError for an unknown one."""
    if name not in RESOLVERS:
        raise ConfigError(f"there is no stroke resolver {name!r}. Fix: use one of {', '.join(RESOLVERS)}")
    module = importlib.import_module(f"controller.rules.strokes.{name}")
    return Resolver(module.resolve, getattr(module, "drop", module.resolve), getattr(module, "prepare", _nothing))


def _nothing(_book: Book) -> None:
    return None
