"""Random matches by the international laws, ruled by the engine and read independently, compared field by field.

`compare(seed, length)` plays one match and says how many rulings were compared. AssertionError: one that differs.
"""

from __future__ import annotations

from random import Random
from typing import Any

from controller.events.codec import event_from_json, ruling_to_json
from controller.rules import apply, begin
from tests.rules.independent_icf import Table
from tests.rules.scenes import BOOKS

Event = dict[str, Any]
POCKETS = ("NE", "NW", "SE", "SW")
SCORES = (0, 10, 20, 21, 22, 24)
LEFT = (1, 1, 2, 3, 5, 9)


def compare(seed: int, length: int) -> int:
    """Plays a match of at most so many events; returns how many rulings were compared."""
    dice = Random(seed)
    table, opening = open_match(dice)
    state, ruling = apply(begin(BOOKS), event_from_json(opening))
    events = [opening]
    assert "error" not in ruling_to_json(ruling), (seed, opening)
    while len(events) < length and not table.match_over and not undecided(table):
        event, expected = next_event(dice, table)
        events.append(event)
        state, ruling = apply(state, event_from_json(event))
        said = ruling_to_json(ruling)
        if expected is None:
            assert "error" in said, (seed, events, said)
            continue
        assert "error" not in said, (seed, events, said)
        found = flat(said)
        wrong = {key: (value, found[key]) for key, value in expected.items() if found[key] != value}
        assert not wrong, f"seed {seed}, (read, ruled) {wrong} after {events[0]} … {events[-4:]}"
    return len(events)


def undecided(table: Table) -> bool:
    """Level after the last board: who breaks the extra board is a toss, which nobody reads off the laws."""
    return table.over and table.number >= table.boards and not table.game_over


def open_match(dice: Random) -> tuple[Table, Event]:
    """A fresh match, or one taken over in the middle of a board."""
    doubles = dice.random() < 0.25
    if doubles:
        sides = {"south": ["south", "north"], "east": ["east", "west"]}
        seats = {"south": "Asha", "east": "Ben", "north": "Cara", "west": "Dev"}
    else:
        sides = {"south": ["south"], "north": ["north"]}
        seats = {"south": "Asha", "north": "Ben"}
    first = dice.choice(list(seats))
    event: Event = {"event": "start", "book": "icf", "seats": seats, "first": first}
    best_of = 3
    if doubles:
        # who of a pair begins its second game is not said
        event["policy"] = {"games": 1}
        best_of = 1
    if dice.random() < 0.3:
        return Table(sides, first, best_of=best_of), event
    score = {side: dice.choice(SCORES) for side in sides}
    number = dice.choice((1, 2, 7, 8))
    table = Table(sides, first, score=dict(score), number=number, best_of=best_of)
    table.turn = dice.choice(list(seats))
    table.broken = True
    striking = table.side(table.turn)
    for side in sides:
        table.left[table.colour[side]] = dice.choice(LEFT)
        table.had[side] = table.hand(side) > 0
    position: Event = {"score": score, "board": number, "turn": table.turn, "break_done": True}
    position["left"] = {colour: table.left[colour] for colour in ("white", "black")}
    queen = dice.choice(("board", "board", "pending", "mine", "theirs"))
    if queen in ("mine", "theirs") or (queen == "pending" and table.hand(striking)):
        table.queen = "pending" if queen == "pending" else "covered"
        table.queen_side = table.other(striking) if queen == "theirs" else striking
        table.left["queen"] = 0
        table.strokes = int(queen == "pending")
        position |= {"queen": table.queen, "queen_side": table.queen_side, "strokes": table.strokes}
    for side in sides:
        if not table.had[side]:
            if dice.random() < 0.5:
                table.owed[side] = dice.choice((1, 2))
                position.setdefault("owed", {})[side] = table.owed[side]
            if dice.random() < 0.5:
                table.had[side] = True
                position.setdefault("had_pocketed", {})[side] = True
    return table, event | {"position": position}


def next_event(dice: Random, table: Table) -> tuple[Event, Event | None]:
    """Something that may happen now, and what must follow; None: it is refused."""
    chance = dice.random()
    if table.over:
        if table.demand and chance < 0.5:
            points = dice.choice((1, 1, 2, 3))
            return {"event": "claim", "points": points}, table.claim(points)
        if chance < 0.7:
            table.next_board()
            return {"event": "next_board"}, table.says(kept=None)
    elif chance < 0.03:
        return {"event": "timeout", "seat": table.turn}, unkept(table.timeout())
    elif chance < 0.06:
        return {"event": "pass", "seat": table.turn}, unkept(table.skip())
    elif chance < 0.1:
        seat = dice.choice([seat for seats in table.seats.values() for seat in seats])
        return {"event": "call", "clause": "icf-131", "seat": seat}, unkept(table.foul_call(seat))
    event = stroke(dice, table)
    return event, table.shot(event)


def unkept(expected: Event) -> Event:
    """Without `turn_kept`, which says something about strokes only."""
    return {key: value for key, value in expected.items() if key != "turn_kept"}


def stroke(dice: Random, table: Table) -> Event:
    """A stroke of the seat on turn, as wild as the pieces left allow."""
    if table.over:
        own, other, left = "white", "black", {"white": 9, "black": 9, "queen": 1}
    else:
        side = table.side(table.turn)
        own, other, left = table.colour[side], table.colour[table.other(side)], table.left
    n = min(dice.choice((0, 0, 0, 1, 1, 2, left[own] if dice.random() < 0.3 else 0)), left[own])
    m = min(dice.choice((0, 0, 0, 0, 1, 2, left[other] if dice.random() < 0.3 else 0)), left[other])
    q = int(left["queen"] and dice.random() < 0.25)
    fell = [own] * n + [other] * m + ["queen"] * q + ["striker"] * (dice.random() < 0.25)
    dice.shuffle(fell)
    event: Event = {"event": "shot", "seat": table.turn}
    event["pocketed"] = [{"piece": piece, "pocket": dice.choice(POCKETS)} for piece in fell]
    manner = dice.random()
    if manner < 0.08:
        event["placement"] = {"lines": dice.choice(("one", "none"))}
    elif manner < 0.11:
        event["placement"] = {"lines": "both", "circle": "partial"}
    elif manner < 0.14:
        event["placement"] = {"lines": "both", "circle": "covered", "arrow": True}
    elif manner < 0.17:
        event["elapsed"] = 15.5
    elif manner < 0.2:
        event |= {"placement": {"circle": "covered", "touching": True}, "heading": "backward", "elapsed": 15}
    if not n + m + q and dice.random() < 0.3:
        event["contacts"] = dice.choice(([], [{"with": "cushion", "at": [0, 355]}]))
    off = [own] * (left[own] > n and dice.random() < 0.08) + ["queen"] * (left["queen"] > q and dice.random() < 0.05)
    off += ["striker"] * ("striker" not in fell and dice.random() < 0.05)
    if off:
        event["off_board"] = off
    return event


def flat(ruling: Event) -> Event:
    """A ruling in the words of the second reading."""
    board, paid = ruling["board"], dict.fromkeys(ruling["owed"], 0)
    for due in ruling["dues"]:
        paid[due["side"]] += due["pieces"]
    keys = ("turn", "turn_kept", "queen", "queen_side", "left", "in_hand", "owed", "score", "games")
    return {key: ruling[key] for key in (*keys, "game_over", "match_over")} | {
        "paid": paid,
        "back": len(ruling["returned"]),
        "fouls": sorted(foul["clause"] for foul in ruling["fouls"]),
        "board_winner": board["winner"],
        **{key: board[key] for key in ("number", "over", "points", "on_demand")},
    }
