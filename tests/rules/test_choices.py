"""Where a book contradicts itself a policy key says which way it is played: the default, and the other choice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import scene, summary


def choice(key: str, book: str, at: str, stroke: str, default: str, other: str) -> Any:
    """A position and a stroke; `default`, `other`: `value: part=value, …` of what follows."""
    return pytest.param(key, book, at, stroke, default, other, id=f"{book} {key}: {at}: {stroke}: {other}")


STRIKER_WITH_OWN = [
    choice(
        "striker_with_own",
        "icf",
        "5 4",
        "S W",
        "keep: turn=south, left=6 4 1, cites=icf-73",
        "lose: turn=north, left=6 4 1, cites=icf-73",
    ),
    choice(
        "striker_with_own", "icf", "5 4", "S W B", "keep: turn=south, cites=icf-75", "lose: turn=north, cites=icf-75"
    ),
    choice(
        "striker_with_own",
        "icf",
        "5 4",
        "Q S W",
        "keep: turn=south, queen=board, cites=icf-98a",
        "lose: turn=north, queen=board",
    ),
    choice(
        "striker_with_own",
        "icf",
        "5 4 pending",
        "S W",
        "keep: turn=south, queen=pending south, back=white:icf-101a",
        "lose: turn=north, queen=board, back=queen:icf-101a white:icf-101a",
    ),
    choice(
        "striker_with_own",
        "club",
        "5 4",
        "S W",
        "lose: turn=north, left=5 4 1, fouls=club-15, cites=club-16",
        "keep: turn=south, left=5 4 1, fouls=club-15, cites=club-16",
    ),
    choice("striker_with_own", "club", "5 4", "S", "lose: turn=north", "keep: turn=north"),
    choice("striker_with_own", "club", "5 4", "S W B", "lose: turn=north", "keep: turn=north"),
    choice("striker_with_own", "club", "5 4 pending", "S W", "lose: turn=north", "keep: turn=south, queen=board"),
    choice(
        "striker_with_own",
        "sixes",
        "4 4",
        "S W",
        "keep: turn=south, left=5 4 1, cites=sixes-6",
        "lose: turn=north, left=5 4 1, cites=sixes-6",
    ),
    choice("striker_with_own", "sixes", "4 4", "Q S W", "keep: turn=south, queen=board", "lose: turn=north"),
    choice("striker_with_own", "sixes", "4 4 pending", "S W", "keep: turn=south", "lose: turn=south, cites=sixes-23"),
    choice("striker_with_own", "world", "5 4", "S W", "keep: turn=south", "lose: turn=north, cites=world-12"),
    choice("striker_with_own", "campus", "5 4", "S W", "lose: turn=north", "keep: turn=south, cites=campus-12"),
    choice("striker_with_own", "classic", "5 4", "S W", "lose: turn=north", "keep: turn=south, cites=classic-13"),
]


@pytest.mark.parametrize(("key", "book", "at", "stroke", "default", "other"), STRIKER_WITH_OWN)
def test_the_default_and_the_other_choice(key: str, book: str, at: str, stroke: str, default: str, other: str) -> None:
    usual, parts = read(default)
    assert told(scene(book, at, stroke), parts) == parts
    assert told(scene(book, at, stroke, policy={key: usual}), parts) == parts
    chosen, parts = read(other)
    assert told(scene(book, at, stroke, policy={key: chosen}), parts) == parts


def read(text: str) -> tuple[str, dict[str, str]]:
    """`keep: turn=south, queen=board` → the value and the parts of a ruling's summary."""
    value, _, parts = text.partition(": ")
    return value, dict(part.split("=") for part in parts.split(", "))


def told(ruling: dict[str, Any], parts: dict[str, str]) -> dict[str, str]:
    """The same parts of a ruling; of what it cites, the clause that is asked for."""
    found = summary(ruling)
    return {
        key: value if key == "cites" and value in found["cites"] else str(found[key]) for key, value in parts.items()
    }
