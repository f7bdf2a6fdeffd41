"""Where a book contradicts itself a policy key says which way it is played: the default, and the other choice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import play, scene, shot, start, summary


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


CLUB = [
    choice(
        "both_last",
        "club",
        "1 1 mine",
        "W B",
        "replayed: turn=south, end=drawn 0 club-44, cites=club-143",
        "drawn: turn=north, end=drawn 0 club-143, score=0 0",
    ),
    choice(
        "both_last",
        "club",
        "1 1 mine",
        "W B",
        "replayed: fouls=, due=",
        "foul: turn=north, end=, fouls=club-14, left=2 1 0, cites=club-106",
    ),
    choice("both_last", "club", "1 1", "W B", "replayed: fouls=club-14, end=", "drawn: fouls=club-14, end="),
    choice(
        "last_with_queen",
        "club",
        "1 4",
        "Q W",
        "back: turn=north, queen=board, left=1 4 1, back=queen:club-45 white:club-45",
        "covers: turn=north, queen=covered south, end=south 7 club-62, cites=club-23",
    ),
    choice(
        "last_before_queen",
        "club",
        "1 4",
        "W",
        "lose: turn=north, left=1 4 1, back=white:club-63, cites=club-64",
        "keep: turn=south, left=1 4 1, back=white:club-63, cites=club-64",
    ),
    choice("last_before_queen", "club", "1 4", "Q W", "lose: turn=north, end=", "keep: turn=north, end="),
]


COLLEGE_AND_BOX = [
    choice(
        "theirs_last",
        "campus",
        "4 1 theirs",
        "B",
        "cleared: end=north 7 campus-18, score=0 7",
        "lost: end=north 3 campus-18, score=0 3",
    ),
    choice("theirs_last", "campus", "4 1 mine", "B", "cleared: end=north 4 campus-18", "lost: end=north 3 campus-18"),
    choice("theirs_last", "campus", "4 1 mine", "S B", "cleared: end=north 4 campus-18", "lost: end=north 3 campus-18"),
    choice("theirs_last", "campus", "4 1", "B", "cleared: end=north 3 campus-18", "lost: end=north 3 campus-18"),
    choice(
        "theirs_last",
        "world",
        "4 1 theirs",
        "B",
        "cleared: end=north 7 world-10, score=0 7",
        "lost: end=north 3 world-10, score=0 3",
    ),
    choice("theirs_last", "world", "4 1 mine", "B", "cleared: end=north 4 world-10", "lost: end=north 3 world-10"),
    choice("theirs_last", "world", "4 1 mine", "S B", "cleared: end=north 4 world-10", "lost: end=north 3 world-10"),
    choice("theirs_last", "world", "4 1", "B", "cleared: end=north 3 world-10", "lost: end=north 3 world-10"),
    choice(
        "theirs_last",
        "classic",
        "4 1 theirs",
        "B",
        "cleared: end=north 7 classic-23, score=0 7",
        "lost: end=north 3 classic-23, score=0 3",
    ),
    choice("theirs_last", "classic", "4 1", "B", "cleared: end=north 3 classic-23", "lost: end=north 3 classic-23"),
    choice(
        "theirs_last", "classic", "4 1 mine", "B", "cleared: end=south 3 classic-18", "lost: end=south 3 classic-18"
    ),
    choice(
        "one_pocket",
        "campus",
        "5 4",
        "Q@NE W@NE",
        "pending: turn=south, queen=pending south, cites=campus-5",
        "back: turn=north, queen=board, back=queen:campus-5, left=4 4 1",
    ),
    choice(
        "one_pocket",
        "campus",
        "5 4",
        "Q@NE W@NE",
        "pending: turn=south, queen=pending south, cites=campus-5",
        "covers: turn=south, queen=covered south, cites=campus-14",
    ),
    choice(
        "one_pocket",
        "campus",
        "5 4",
        "Q@NE W@NE W@SW",
        "pending: turn=south, queen=covered south",
        "back: turn=south, queen=covered south",
    ),
    choice(
        "one_pocket", "campus", "1 4", "Q@NE W@NE", "pending: end=north 7 campus-19", "covers: end=south 7 campus-4"
    ),
    choice("one_pocket", "campus", "1 4", "Q@NE W@NE", "pending: end=north 7 campus-19", "back: end=north 7 campus-19"),
    choice(
        "one_pocket",
        "campus",
        "5 4 pending@NE",
        "W@NE",
        "pending: turn=north, back=queen:campus-5",
        "covers: turn=north, back=queen:campus-5",
    ),
]


FINES = [
    choice("fines_waived", "sixes", "6 6", "S", "true: owed=0 0, due=", "false: owed=1 0, due=0+1:sixes-5"),
    choice("fines_waived", "campus", "9 9", "S", "false: owed=1 0", "true: owed=0 0"),
]


@pytest.mark.parametrize(
    ("key", "book", "at", "stroke", "default", "other"), [*STRIKER_WITH_OWN, *CLUB, *COLLEGE_AND_BOX, *FINES]
)
def test_the_default_and_the_other_choice(key: str, book: str, at: str, stroke: str, default: str, other: str) -> None:
    usual, parts = read(default)
    assert told(scene(book, at, stroke), parts) == parts
    assert told(scene(book, at, stroke, policy={key: usual}), parts) == parts
    chosen, parts = read(other)
    assert told(scene(book, at, stroke, policy={key: chosen}), parts) == parts


def test_a_fine_that_sixes_does_not_waive_is_paid_by_the_same_clause() -> None:
    begin = start("sixes", "6 6", policy={"fines_waived": False})
    ruling = summary(play(begin, shot("S"), shot(seat="north"), shot("W"))[-1])
    assert (ruling["due"], ruling["owed"], ruling["left"]) == ("1+0:sixes-5", "0 0", "6 6 1")


def test_a_last_piece_that_dropped_by_itself_lost_nobody_the_board() -> None:
    begin = start("campus", "4 1 theirs", policy={"theirs_last": "lost"})
    assert summary(play(begin, {"event": "drop", "piece": "black", "on_rim": True})[-1])["end"] == "north 7 campus-18"


@pytest.mark.clause("club-119")
@pytest.mark.parametrize("call", [{"clause": "club-119"}, {"action": "forfeit"}])
def test_leaving_forfeits_the_match_or_the_game_as_the_book_says(call: dict[str, Any]) -> None:
    def left(of: str | None = None, **policy: Any) -> tuple[bool, str, str]:
        begin = start("club", policy={"games": 3} | policy)
        said = {"event": "call", "seat": "south"} | call | ({"of": of} if of else {})
        ruling = play(begin, said)[-1]
        assert (ruling["games"], ruling["game_over"]) == ({"south": 0, "north": 1}, True)
        return ruling["match_over"], ruling["given"][0]["of"], ruling["board"]["why"]

    assert left() == left(forfeits="match") == left("match", forfeits="game") == (True, "match", "club-119")
    assert left("game") == left(forfeits="game") == (False, "game", "club-119")


def read(text: str) -> tuple[str | bool, dict[str, str]]:
    """`keep: turn=south, queen=board` → the value and the parts of a ruling's summary."""
    value, _, parts = text.partition(": ")
    return {"true": True, "false": False}.get(value, value), dict(part.split("=") for part in parts.split(", "))


def told(ruling: dict[str, Any], parts: dict[str, str]) -> dict[str, str]:
    """The same parts of a ruling; of what it cites, the clause that is asked for."""
    found = summary(ruling)
    return {
        key: value if key == "cites" and value in found["cites"] else str(found[key]) for key, value in parts.items()
    }
