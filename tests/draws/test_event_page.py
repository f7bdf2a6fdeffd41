"""A club's drawn events as the hub's page has them: the bracket in its order, groups, standings, what is next."""

from __future__ import annotations

from itertools import pairwise

import pytest

from controller.cli import main
from controller.commands.draw.page import Events

SYSTEMS = {
    "knockout": 'system = "knockout"\nthird_place = true\n',
    "double": 'system = "double"\n',
    "groups": 'system = "groups"\ngroups = 2\nqualify = 1\nthen = "knockout"\n',
    "round_robin": 'system = "round_robin"\n',
    "swiss": 'system = "swiss"\nrounds = 3\n',
}


def drawn(folder, system, count=6, name="Open"):
    """Draws an event in a folder of its own."""
    folder.mkdir(parents=True)
    (folder / "event.toml").write_text(f'name = "{name}"\nbook = "icf"\nseed = 5\n{SYSTEMS[system]}')
    (folder / "entries.csv").write_text("name\n" + "".join(f"Player {number}\n" for number in range(count)))
    files = [str(folder / name) for name in ("event.toml", "entries.csv", "fixtures.csv")]
    assert main(["draw", "make", files[0], "--entries", files[1], "--out", files[2]]) == 0
    return Events(folder.parent)


def result(match, won, points=(25, 4), event="Open"):
    """As the hub exports it; `won`: the number of the side that won."""
    names = [side["text"] for side in match["sides"]]
    row = {"event": event, "id": match["id"], "winner": names[won], "round": "", "boards": [{"game": 1}]}
    return row | {f"side {n}": name for n, name in enumerate(names, 1)} | {"points 1": points[0], "points 2": points[1]}


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_event_of_each_system_stands_there_from_its_draw_on(tmp_path, system):
    events = drawn(tmp_path / "open", system)
    (shown,) = events([])
    assert (shown["id"], shown["name"], shown["key"], shown["trouble"]) == ("open", "Open", "open", False)
    assert (shown["system"], shown["entries"], shown["seed"], shown["terms"]) == (system, 6, 5, [("book", "icf")])
    assert shown["standings"] == []
    assert bool(shown["tree"]) == (system in ("knockout", "double"))
    assert [cross["name"] for cross in shown["crosses"]] == {"groups": ["A", "B"], "round_robin": [""]}.get(system, [])
    matches = [one for one in [match for some in shown["tree"] for match in some] if one]
    matches += [one for some in shown["lists"] for one in some["matches"]]
    open_ones = [one for one in matches if not any(side["waits"] for side in one["sides"])]
    if open_ones:
        (after,) = events([result(open_ones[0], 1)])
        shown_again = [*[one for some in after["tree"] for one in some if one], *after["lists"]]
        assert shown_again
        won = next(one for one in _all(after) if one["id"] == open_ones[0]["id"])
        assert ([side["won"] for side in won["sides"]], won["score"]) == ([False, True], [25, 4])


def _all(shown):
    return [
        *[one for some in shown["tree"] for one in some if one],
        *[one for some in shown["lists"] for one in some["matches"]],
    ]


def test_each_match_of_a_bracket_lies_between_the_two_that_decide_who_plays_it(tmp_path):
    (shown,) = drawn(tmp_path / "open", "knockout", count=11)([])
    rounds = shown["tree"]
    assert [len(some) for some in rounds] == [8, 4, 2, 1]
    assert sum(one is not None for one in rounds[0]) == 3
    for before, after in pairwise(rounds):
        for place, match in enumerate(after):
            for number, side in enumerate(match["sides"]):
                feeder = before[2 * place + number]
                assert side["text"] == f"winner {feeder['id']}" if feeder else not side["waits"]
    assert [(one["round"], one["beside"]) for one in shown["lists"]] == [("third", True)]


def test_a_group_shows_who_beat_whom_and_its_tie_breaks(tmp_path):
    events = drawn(tmp_path / "open", "groups")
    (before,) = events([])
    player, other = before["next"][0]["player"], before["next"][0]["against"]
    row = {"event": "Open", "id": before["next"][0]["match"], "winner": player, "side 1": player, "side 2": other}
    (after,) = events([row | {"points 1": 25, "points 2": 10, "boards 1": 4, "boards 2": 1}])
    cross = next(one for one in after["crosses"] if player in one["players"])
    at = {name: number for number, name in enumerate(cross["players"])}
    assert (cross["cells"][at[player]][at[other]], cross["cells"][at[other]][at[player]]) == ("1", "0")
    assert cross["cells"][0][0] == "—"
    table = next(one for one in after["standings"] if one["name"] == cross["name"])
    first = dict(zip(table["values"], table["rows"][0]["values"], strict=True))
    assert (table["rows"][0]["name"], first["matches"], first["boards"], first["points"]) == (player, "1", "3", "15")


def test_who_goes_on_from_a_draw_is_taken_from_the_hub(tmp_path):
    events = drawn(tmp_path / "open", "knockout", count=2)
    (shown,) = events([])
    ((match,),) = shown["tree"]
    row = result(match, 0, (12, 12)) | {"winner": "", "goes on": match["sides"][1]["text"]}
    (after,) = events([row])
    assert [side["won"] for side in after["tree"][0][0]["sides"]] == [False, True]


def test_what_cannot_be_read_is_trouble_of_that_event_alone_until_it_is_put_right(tmp_path):
    events = drawn(tmp_path / "events" / "open", "knockout")
    drawn(tmp_path / "events" / "youth", "swiss", name="Youth")
    broken = tmp_path / "events" / "open" / "entries.csv"
    good = broken.read_text()
    broken.write_text("names\nAsha\n")
    first, second = events([])
    assert (first["trouble"], second["trouble"], second["name"]) == (True, False, "Youth")
    assert "entries.csv:1: unknown column 'names'. Fix:" in first["says"][0]
    broken.write_text(good)
    assert [one["trouble"] for one in events([])] == [False, False]
    assert Events(tmp_path / "none")([]) == []


def test_before_the_draw_there_is_nothing_but_the_event(tmp_path):
    events = drawn(tmp_path / "open", "knockout")
    (tmp_path / "open" / "fixtures.csv").unlink()
    (shown,) = events([])
    assert (shown["trouble"], shown["tree"], shown["next"], shown["entries"]) == (False, [], [], 6)
