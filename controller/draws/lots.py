"""Lots that anybody can repeat: an order by SHA-256 of the event's seed, what is drawn, and who is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

from controller.events.doors import name_key

_T = TypeVar("_T")


def lot(seed: int, what: str, name: str) -> str:
    """Returns one lot: the hexadecimal SHA-256 of `SEED WHAT NAME` in UTF-8, the name in small letters with single
    spaces (`name_key`). The lower one is drawn first.

    `what` is a plain word, each draw's own: `draw` (order of entries), `seeds`, `places`, `spread`, `numbers` (of a
    round robin), `consolation`, `break`, `table` (the last tie-break).
    """
    return sha256(f"{seed} {what} {name_key(name)}".encode()).hexdigest()


def drawn(seed: int, what: str, them: Iterable[_T], name: Callable[[_T], str] = str) -> list[_T]:
    """Returns them in the order of their lots. `name`: what stands for each of them in its lot."""
    return sorted(them, key=lambda one: lot(seed, what, name(one)))
