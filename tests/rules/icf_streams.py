"""Random matches by the international laws, ruled by the engine and read independently, compared field by field.

`compare(seed, length)` plays one match and says how many rulings were compared. AssertionError: one that differs.
"""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from controller.events.codec import event_from_json, ruling_to_json
from controller.rules import apply, begin
from tests.rules.independent_icf import Table
from tests.rules.scenes import BOOKS

Event = dict[str, Any]
POCKETS = ("NE", "NW", "SE", "SW")
NAMES = {"south": "Asha", "east": "Ben", "north": "Cara", "west": "Dev"}
SCORES = (0, 10, 20, 21, 22, 24)
LEFT = (1, 1, 2, 3, 5, 9)


def compare(seed: int, length: int) -> int:
    """Plays a match of at most so many events; returns how many rulings were compared."""
    dice = Random(seed)
    table, opening = open_match(dice)
    state, ruling = apply(begin(BOOKS), event_from_json(opening))
    events = [opening]
    assert "error" not in ruling_to_json(ruling), (seed, opening)
    before: Table | None = None  # the table before the latest event, if that was a stroke that counted
    while len(events) < length and not table.match_over and not undecided(table):
        earlier, was = before, deepcopy(table)
        event, expected = next_event(dice, table, len(events), earlier)
        counts = event["event"] == "shot" and expected is not None and not expected.get("void")
        before = was if counts else None
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
        seats = dict(NAMES)
    else:
        sides = {"south": ["south"], "north": ["north"]}
        seats = {seat: NAMES[seat] for seat in ("south", "north")}
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


def next_event(dice: Random, table: Table, seq: int, before: Table | None) -> tuple[Event, Event | None]:
    """Something that may happen now, and what must follow; None: it is refused.

    `seq`: the number of the latest event; `before`: the table before it, where it was a stroke that counted.
    """
    opening = not table.played and table.trial is None and not table.broken and not table.over
    if opening and dice.random() < 0.3:
        return {"event": "trial"}, unkept(table.begin_trial())
    if dice.random() < 0.25:
        found = beside_the_strokes(dice, table, seq, before)
        if found is not None:
            return found
    chance = dice.random()
    if table.trial is not None and table.over:
        return {"event": "play"}, table.call_play()
    if table.over:
        if table.demand and chance < 0.5:
            points = dice.choice((1, 1, 2, 3))
            return {"event": "claim", "points": points}, table.claim(points)
        if chance < 0.7:
            table.next_board()
            return {"event": "next_board"}, table.says(kept=None)
    elif chance < 0.03:
        return {"event": "timeout", "seat": table.sits[table.turn]}, unkept(table.timeout())
    elif chance < 0.06:
        return {"event": "pass", "seat": table.sits[table.turn]}, unkept(table.skip())
    elif chance < 0.1:
        player = dice.choice(list(table.sits))
        return {"event": "call", "clause": "icf-131", "seat": table.sits[player]}, unkept(table.foul_call(player))
    event = stroke(dice, table)
    return event, table.shot(event)


def beside_the_strokes(dice: Random, table: Table, seq: int, before: Table | None) -> tuple[Event, Event | None] | None:
    """What else comes in: the camera, the chairs, trial boards, the round's end, and the umpire's hand in things."""
    kind = dice.choice(("seen", "seats", "trial", "play", "round_over", "override", "set", "void", "end", "end"))
    trial = table.trial is not None
    if kind == "seen":
        what = dice.choice(("second_queen", "shaken", "upright"))
        return {"event": "seen", "what": what}, unkept(table.seen())
    if kind == "seats":
        names = {player: NAMES[player] for player in table.sits}
        order = [seat for seat in ("south", "east", "north", "west") if seat in names]
        steps = dice.randrange(1, len(order))
        sits = {player: order[(order.index(seat) + steps) % len(order)] for player, seat in table.sits.items()}
        return {"event": "seats", "seats": {sits[p]: name for p, name in names.items()}}, unkept(
            table.change_seats(sits)
        )
    if kind == "trial":
        # a trial board comes before the first stroke of the match
        if table.played and not trial:
            return {"event": "trial"}, None
        return None if trial or table.broken or table.over else ({"event": "trial"}, unkept(table.begin_trial()))
    if kind == "play":
        return ({"event": "play"}, unkept(table.call_play())) if not table.over or trial else None
    if kind == "round_over":
        # whose the match is when games have been won on both sides is not said
        late = dice.random() < 0.4 and not trial and not any(table.games.values())
        return ({"event": "round_over"}, unkept(table.end_round())) if late else None
    if kind == "void":
        if before is None:
            return None
        sits, trial_before = table.sits, table.trial
        table.__dict__.update(before.__dict__)
        table.sits, table.trial = sits, trial_before
        return {"event": "void"}, unkept(table.says(kept=None, void=True))
    if kind == "end":
        return at_the_end(dice, table, seq, before)
    if table.over or trial:
        return None
    if kind == "override":
        if before is None:
            return None
        parts = some_parts(dice, table)
        return {"event": "override", "seq": seq, "set": parts, "reason": "x"}, unkept(table.set_parts(parts))
    position = some_parts(dice, table) | ({"strokes": dice.choice((0, 1))} if dice.random() < 0.5 else {})
    if dice.random() < 0.2:
        position["games"] = {dice.choice(list(table.seats)): dice.choice((0, 2))}
    return {"event": "set", "position": position, "reason": "x"}, unkept(table.take_over(position))


def at_the_end(dice: Random, table: Table, seq: int, before: Table | None) -> tuple[Event, Event | None] | None:
    """What may come when a board is over, or ends it without a stroke."""
    if not table.over:
        agreed = dice.random() < 0.1 and table.trial is None
        return ({"event": "call", "action": "draw"}, unkept(table.draw())) if agreed else None
    player = dice.choice(list(table.sits))
    seat = table.sits[player]
    what = dice.choice(("timeout", "pass", "foul", "out of turn", "winner", "winner", "winner"))
    if what in ("timeout", "pass"):
        return {"event": what, "seat": seat}, None
    if what == "foul":
        return {"event": "call", "clause": "icf-131", "seat": seat}, unkept(table.late_foul()) | {"fouls": ["icf-131"]}
    if table.trial is not None:
        return None
    if what == "out of turn":
        others = [one for one in table.sits if one != table.turn]
        event = {"event": "shot", "seat": table.sits[dice.choice(others)]}
        return event, unkept(table.played_by_the_wrong_side()) | {"void": True}
    if before is None:
        return None
    winner, points = dice.choice(list(table.seats)), dice.randrange(0, 13)
    parts = {"board": {"winner": winner, "points": points}}
    return {"event": "override", "seq": seq, "set": parts, "reason": "x"}, unkept(table.set_board(winner, points))


def some_parts(dice: Random, table: Table) -> Event:
    """Parts of a ruling or a position, most of which add up."""
    parts: Event = {}
    if dice.random() < 0.4:
        parts["left"] = {dice.choice(("white", "black")): dice.choice((1, 2, 5, 9, 10))}
    if dice.random() < 0.3:
        parts["turn"] = dice.choice(list(table.sits.values()))
    if dice.random() < 0.3:
        parts["owed"] = {dice.choice(list(table.seats)): dice.choice((0, 1, 2))}
    if dice.random() < 0.3:
        parts["score"] = {dice.choice(list(table.seats)): dice.choice(SCORES)}
    if dice.random() < 0.3:
        parts["queen"] = dice.choice(("board", "pending", "covered"))
        if parts["queen"] != "board":
            parts["queen_side"] = dice.choice(list(table.seats))
    return parts


def unkept(expected: Event | None) -> Any:
    """Without `turn_kept`, which says something about strokes only."""
    if expected is None:
        return None
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
    event: Event = {"event": "shot", "seat": table.sits[table.turn]}
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
    off = [own] * (left[own] > n and dice.random() < 0.08) + ["queen"] * (left["queen"] > q and dice.random() < 0.05)
    off += ["striker"] * ("striker" not in fell and dice.random() < 0.05)
    if off:
        event["off_board"] = off
    if not n + m + q and not set(off) - {"striker"} and dice.random() < 0.3:
        event["contacts"] = dice.choice(([], [{"with": "cushion", "at": [0, 355]}]))
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
        "void": ruling["void"],
        **{key: board[key] for key in ("number", "over", "points", "on_demand")},
    }
