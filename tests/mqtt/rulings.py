"""Rulings as the engine writes them, for tests that only show them."""

from __future__ import annotations

from controller.mqtt.scoreboard import MatchInfo

INFO = MatchInfo(
    table="table1",
    match="m-1",
    book="icf",
    sides={"south": {"south": "Asha"}, "north": {"north": "Ben"}},
    colours={"south": "white", "north": "black"},
    stroke_seconds=15.0,
)

SHOT = {"event": "shot", "seat": "south", "t": 12.4, "pocketed": [{"piece": "white", "pocket": "NE", "t": 13.1}]}


def ruling(**more):
    return {
        "seq": 2,
        "event": "shot",
        "seat": "south",
        "fouls": [],
        "cites": ["icf-61"],
        "returned": [],
        "dues": [],
        "asks": [],
        "provisional": False,
        "sealed": True,
        "saved": True,
        "unseen": [],
        "notes": [],
        "void": False,
        "turn": "south",
        "turn_kept": True,
        "queen": "board",
        "queen_side": None,
        "left": {"white": 8, "black": 9, "queen": 1},
        "in_hand": {"south": 1, "north": 0},
        "owed": {"south": 0, "north": 0},
        "board": {
            "number": 1,
            "over": False,
            "winner": None,
            "points": 0,
            "on_demand": 0,
            "drawn": False,
            "why": None,
        },
        "score": {"south": 0, "north": 0},
        "games": {"south": 0, "north": 0},
        "game_over": False,
        "match_over": False,
        "winner": None,
    } | more
