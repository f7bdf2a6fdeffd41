"""What must hold in every book, whatever happens: random streams of events through the public interface."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands.rule import rule_line
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.errors import EventError
from controller.events.match import Event
from controller.events.ruling import Ruling
from controller.rules import MatchState, apply, begin
from tests.rules.scenes import BOOKS, shot

pytestmark = pytest.mark.long

FOUR = {"south": "A", "east": "B", "north": "C", "west": "D"}
TWO = {"south": "A", "north": "B"}
STREAMS = settings(max_examples=30, deadline=None, derandomize=True)
seeds = st.integers(min_value=0, max_value=2**32)
books = st.sampled_from(sorted(set(BOOKS)))


def opening(book: str, dice: Random) -> dict[str, Any]:
    players = BOOKS[book].players
    seats = FOUR if 4 in players and (2 not in players or dice.random() < 0.3) else TWO
    event = {"event": "start", "book": book, "seats": seats, "first": "south"}
    if seats is FOUR and BOOKS[book].teams == "named":
        event["teams"] = [["south", "north"], ["east", "west"]]
    return event


def some_shot(state: MatchState, dice: Random) -> dict[str, Any]:
    """A stroke that could be: pieces that lie there fall, now and then with a violation or out of turn."""
    play = state.play
    assert play is not None
    fresh = play.phase != "play"
    lying = ["white"] * (play.book.pieces["white"] if fresh else play.white_left)
    lying += ["black"] * (play.book.pieces["black"] if fresh else play.black_left)
    lying += ["queen"] * int(True if fresh else play.queen_in)
    dice.shuffle(lying)
    fell = lying[: dice.choice([0, 0, 1, 1, 1, 2, 3, 9])]
    rest = lying[len(fell) :]
    if dice.random() < 0.15:
        fell.insert(0, "striker")
    seat = play.seat(play.turn) if dice.random() < 0.95 and play.turn else dice.choice(list(play.chairs))
    event = shot(seat=seat) | {
        "pocketed": [{"piece": one, "pocket": dice.choice(["NE", "NW", "SE", "SW"])} for one in fell]
    }
    if dice.random() < 0.15:
        event["placement"] = {"lines": dice.choice(["one", "both"]), "circle": dice.choice(["partial", "clear"])}
    if dice.random() < 0.1:
        event["contacts"] = dice.choice([[], [{"with": "cushion"}], [{"with": "black"}]])
        event["left_baseline"] = dice.random() < 0.6
    if dice.random() < 0.1 and rest:
        event["off_board"] = rest[: dice.choice([1, 2])]
    if dice.random() < 0.1:
        event["flags"] = [dice.choice(["push", "elbow", "hand_touched_piece", "two_hands"])]
    if dice.random() < 0.3:
        event["rest"] = [
            {"piece": one, "x": dice.uniform(-100, 100), "y": dice.uniform(-100, 100)}
            for one in rest[len(event.get("off_board", ())) :]
        ]
    return event


def some_event(state: MatchState, dice: Random) -> dict[str, Any]:
    play = state.play
    assert play is not None
    seat = dice.choice(list(play.chairs))
    clause = dice.choice([one for one in play.book.clauses.values() if one.kind in ("call", "flag")] or [None])
    others: list[dict[str, Any]] = [
        {"event": "timeout", "seat": seat},
        {"event": "pass", "seat": seat},
        {"event": "drop", "piece": dice.choice(["white", "black", "queen"]), "on_rim": dice.random() < 0.6},
        {"event": "call", "clause": clause.id if clause else "none-1", "seat": seat},
        {"event": "call", "action": "wave_off", "clause": clause.id if clause else "none-1"},
        {"event": "void"},
        {"event": "pause"},
        {"event": "resume"},
        {"event": "next_board"},
        {"event": "claim", "points": 1},
        {"event": "answer", "ask": max(1, state.seq - 1), "choice": "foul"},
        {"event": "override", "seq": max(1, state.seq), "set": {"score": {"south": dice.randrange(9)}}},
        {"event": "override", "seq": max(1, state.seq - dice.randrange(3)), "set": {"turn": seat}},
        {"event": "set", "position": {"turn": seat}},
        {"event": "set", "position": {"left": {"white": dice.randrange(1, 7)}}},
    ]
    if dice.random() < 0.25:
        return dice.choice(others)
    return some_shot(state, dice)


def any_event(state: MatchState, dice: Random) -> dict[str, Any]:
    """Besides: corrections of whatever came before, doubts, unknown pieces, and answers to what was asked."""
    play = state.play
    assert play is not None
    roll = dice.random()
    if roll < 0.12 and state.seq > 2:
        return {"event": "correct", "seq": dice.randrange(2, state.seq + 1), "with": some_event(state, dice)}
    if roll < 0.3 and play.asks:
        waiting = dice.choice(play.asks)
        return {"event": "answer", "ask": waiting.ask, "choice": dice.choice(waiting.choices)}
    body = some_event(state, dice)
    if body["event"] == "shot" and roll > 0.9:
        body["doubts"] = [{"fact": "placement.lines", "choices": [["both", 0.5], ["one", 0.4]]}]
        if body["pocketed"]:
            choices = [["white", 0.5], ["black", 0.4], ["queen", 0.1]]
            body["doubts"].append({"fact": "pocketed.0.piece", "choices": choices})
    elif body["event"] == "shot" and roll > 0.85 and body["pocketed"]:
        body["pocketed"][0]["piece"] = "unknown"
    return body


def stream(book: str, seed: int, length: int, only_shots: bool = False) -> tuple[MatchState, list[Event], list[Any]]:
    dice = Random(seed)
    state, events, rulings = begin(BOOKS), [], []
    body = opening(book, dice)
    for _ in range(length):
        event = event_from_json(json.loads(json.dumps(body)))
        state, ruling = apply(state, event)
        events.append(event)
        rulings.append(ruling)
        assert state.play is not None, ruling
        if state.play.phase == "done":
            break
        body = some_shot(state, dice) if only_shots else some_event(state, dice)
    return state, events, rulings


def adds_up(state: MatchState, ruling: Ruling) -> None:
    play = state.play
    assert play is not None
    pieces = play.book.pieces
    for piece, count in ruling.left.items():
        assert 0 <= count <= (pieces[piece] if play.match.book.pieces[piece] else 0)
    if play.book.hands == "colour" and play.white is not None:
        for side, name in enumerate(play.match.sides):
            colour = play.colour(side)
            assert colour is not None
            assert ruling.in_hand[name] + ruling.left[colour] == pieces[colour]
    if play.book.hands == "pocketed" and not play.tie:
        for piece in ("white", "black"):
            held = sum(hand.count(piece) for hand in play.hands)
            assert held <= pieces[piece] - ruling.left[piece]
    for values in (ruling.owed, ruling.score, ruling.games, ruling.in_hand):
        assert all(value >= 0 for value in values.values())
    if not ruling.board.over and not play.tie:
        assert ruling.left["queen"] == int(ruling.queen == "board")
    assert (ruling.queen == "board") <= (ruling.queen_side is None)
    if ruling.queen == "pending" and not ruling.board.over:
        assert play.turn is not None
        assert play.queen_side == play.side(play.turn), "a pending queen belongs to the side on turn"
    if ruling.board.over:
        assert ruling.board.why in play.book.clauses
        assert not any(ruling.owed.values())
        assert not ruling.board.drawn or ruling.board.winner is None
    for one in (*ruling.fouls,):
        assert one.clause in play.book.clauses
    assert all(clause in play.book.clauses for clause in ruling.cites)
    assert (ruling.turn is None) == ruling.match_over


@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=150)
def test_pieces_are_conserved_and_nothing_is_negative(book: str, seed: int) -> None:
    dice = Random(seed)
    state = begin(BOOKS)
    body = opening(book, dice)
    for _ in range(40):
        before = state
        state, ruling = apply(state, event_from_json(body))
        if isinstance(ruling, Ruling):
            adds_up(state, ruling)
            json.dumps(ruling_to_json(ruling))
        else:
            assert state.play is before.play, "a refused event has changed nothing"
        assert state.play is not None
        if state.play.phase == "done":
            break
        body = any_event(state, dice)


def turn_and_strokes_are_a_players_own(state: MatchState) -> None:
    """Of every ruling as it stands now, made once or made again: strokes and tries belong to who is on turn, and
    whether the turn was kept is said of whoever made the stroke."""
    assert state.last is not None
    for entry in state.last.back():
        before, after, ruling = entry.before, entry.after, entry.ruling
        if before is None or entry.done or (before.phase, after.phase, after.rack) != ("play", "play", before.rack):
            continue
        if before.paused and entry.event.event in ("timeout", "pass"):
            assert after is before, "nobody runs out of time that stands still"
        if any(amend.kind == "override" for amend in entry.amends):
            # the umpire's word: whoever he gives the turn begins it
            continue
        struck = after.last is not None and after.last[0] == entry.seq
        player = after.last[1] if after.last is not None and struck else before.turn
        if struck and ruling.turn_kept is not None:
            assert ruling.turn_kept == (after.turn == player), (entry.event, ruling)
        if after.turn != player:
            assert (after.strokes, after.tries) == (0, 0), (entry.event, ruling)
        elif struck:
            went_on = player == before.turn
            assert after.strokes == before.strokes * went_on + 1, (entry.event, ruling)
            assert after.tries <= before.tries * went_on + 1, (entry.event, ruling)
        if ruling.void and not ruling.fouls and entry.event.event == "shot":
            assert after.turn == before.turn, "what is no stroke takes no turn"


@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=150)
def test_what_is_a_players_own_stays_his_however_often_it_is_ruled_again(book: str, seed: int) -> None:
    dice = Random(seed)
    state, _ = apply(begin(BOOKS), event_from_json(opening(book, dice)))
    for _ in range(25):
        assert state.play is not None
        if state.play.phase == "done":
            break
        state, ruling = apply(state, event_from_json(any_event(state, dice)))
        changed = ruling.changed if isinstance(ruling, Ruling) else None
        kept = [one.says for one in changed or () if one.fields.keys() == {"turn_kept"}]
        assert not any(says.startswith("shot") or "other reasons" in says for says in kept), "who kept his turn kept it"
    turn_and_strokes_are_a_players_own(state)


SWAP = {"south": "north", "north": "south"}


def as_seated(body: dict[str, Any], at: int) -> dict[str, Any]:
    """An event of a match as it comes in one in which the two changed ends after event `at`."""
    moved = dict(body)
    for number in ("seq", "ask"):
        if number in moved:
            whole, dot, part = str(moved[number]).partition(".")
            later = int(whole) > at
            moved[number] = f"{int(whole) + later}.{part}" if dot else int(whole) + later
    if body.get("seq", at + 1) <= at:
        # it speaks of an event before they changed, in whose words it is told
        return moved
    if body["event"] == "correct":
        return moved | {"with": as_seated(body["with"], at)}
    if "seat" in moved:
        moved["seat"] = SWAP[moved["seat"]]
    for named in ("set", "position"):
        if "turn" in moved.get(named, {}):
            moved[named] = moved[named] | {"turn": SWAP[moved[named]["turn"]]}
    return moved


@given(book=st.sampled_from(sorted(one for one in BOOKS if 2 in BOOKS[one].players)), seed=seeds)
@settings(STREAMS, max_examples=150)
def test_a_change_of_ends_moves_the_players_and_nothing_else(book: str, seed: int) -> None:
    dice = Random(seed)
    at = dice.randrange(1, 10)
    body = {"event": "start", "book": book, "seats": TWO, "first": "south"}
    state = moved = begin(BOOKS)
    for number in range(1, 20):
        state, ruling = apply(state, event_from_json(body))
        other, said = apply(moved, event_from_json(body if number <= at else as_seated(body, at)))
        moved = other
        assert isinstance(said, Ruling) == isinstance(ruling, Ruling), (body, said)
        if number == at:
            moved, _ = apply(moved, event_from_json({"event": "seats", "seats": {"north": "A", "south": "B"}}))
        assert state.play is not None
        assert moved.play is not None
        same = {"chairs": {}, "to_place": (), "ordered": (), "rest": None, "last": None, "asks": ()}
        assert moved.play.but(**same) == state.play.but(**same), (body, ruling, said)
        assert [one.key for one in moved.play.asks] == [one.key for one in state.play.asks]
        if state.play.phase == "done":
            break
        play = state.play
        flagged = [one for one in play.asks if one.about == "foul"]
        if flagged and dice.random() < 0.4:
            # the umpire names the seat: of whom the flag is, or of the other one
            seat = dice.choice(sorted(play.chairs))
            body = {"event": "call", "clause": dice.choice(flagged).key, "seat": seat}
            continue
        body = any_event(state, dice)
        if body["event"] == "shot" and dice.random() < 0.3:
            body["flags"] = [dice.choice(["push", "elbow", "hand_touched_piece"])]


@given(book=books, seed=seeds)
@STREAMS
def test_the_fold_is_deterministic(book: str, seed: int) -> None:
    state, events, rulings = stream(book, seed, 30)
    again = begin(BOOKS)
    for event, expected in zip(events, rulings, strict=True):
        again, ruling = apply(again, event_from_json(json.loads(json.dumps(event_to_json(event)))))
        assert ruling == expected
    assert again.play == state.play


def as_ruled(state: MatchState) -> Any:
    """The state but for what lies to be placed now, which hangs on what had been placed before somebody spoke, and but
    for the ids of questions: one that was given to another question is not given again."""
    if state.play is None:
        return None
    return state.play.but(to_place=(), asks=tuple(replace(one, ask=0) for one in state.play.asks))


def finishing(state: MatchState) -> dict[str, Any]:
    """What a player does who wants the board to end: queen and cover as soon as allowed, then own pieces."""
    play = state.play
    assert play is not None
    assert play.turn is not None
    seat = play.seat(play.turn)
    side = play.side(play.turn)
    colour = play.tie.get(play.turn) or play.colour(side)
    if colour is None:
        colour = "white" if play.white_left else "black"
    fell = [colour] if play.left(colour) else []
    if play.queen_in and (play.hand(side) or play.book.hands == "pocketed") and not (play.owed[side] and fell):
        # the last piece may not cover her in the same stroke everywhere (club-45)
        last = play.book.hands == "colour" and play.left(colour) == 1
        fell = ["queen"] if last else ["queen", *fell]
    return shot(seat=seat) | {"pocketed": [{"piece": one, "pocket": "NE" if one == "queen" else "SW"} for one in fell]}


@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=80)
def test_a_board_can_always_end(book: str, seed: int) -> None:
    state, _, _ = stream(book, seed, 15)
    for _ in range(120):
        play = state.play
        assert play is not None
        if play.phase != "play":
            return
        if play.paused:
            state, _ = apply(state, event_from_json({"event": "resume"}))
        if play.blocked:
            state, _ = apply(state, event_from_json({"event": "play"}))
        state, _ = apply(state, event_from_json(finishing(state)))
    pytest.fail("the board never ended")


@given(book=books, seed=seeds, data=st.data())
@settings(STREAMS, max_examples=80)
def test_a_correction_equals_replaying_with_the_changed_event(book: str, seed: int, data: st.DataObject) -> None:
    _, events, _ = stream(book, seed, 14, only_shots=True)
    at = data.draw(st.integers(min_value=1, max_value=max(1, len(events) - 1)))
    if at >= len(events):
        return
    dice = Random(seed)
    state = begin(BOOKS)
    for event in events[:at]:
        state, _ = apply(state, event)
    changed = event_from_json(some_shot(state, dice))
    direct, clean = state, True
    for event in [changed, *events[at + 1 :]]:
        direct, ruling = apply(direct, event)
        clean = clean and isinstance(ruling, Ruling) and not ruling.void
    if not clean:
        return
    corrected = state
    for event in events[at:]:
        corrected, ruling = apply(corrected, event)
    correct = {"event": "correct", "seq": at + 1, "with": event_to_json(changed)}
    corrected, ruling = apply(corrected, event_from_json(correct))
    assert isinstance(ruling, Ruling), ruling
    assert as_ruled(corrected) == as_ruled(direct)


@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=300)
def test_corrections_of_different_strokes_commute(book: str, seed: int) -> None:
    """Whatever each does to the turn: a stroke was in turn or out of turn when it was played, and stays so."""
    state, events, _ = stream(book, seed, 12, only_shots=True)
    dice = Random(seed)
    strokes = [number for number, event in enumerate(events, 1) if event.event == "shot" and number <= state.seq]
    if len(strokes) < 2:
        return
    corrections = []
    for seq in dice.sample(strokes, 2):
        before = begin(BOOKS)
        for event in events[: seq - 1]:
            before, _ = apply(before, event)
        corrections.append(event_from_json({"event": "correct", "seq": seq, "with": some_shot(before, dice)}))
    ends = []
    for order in (corrections, corrections[::-1]):
        end = state
        for correction in order:
            end, ruling = apply(end, correction)
            if not isinstance(ruling, Ruling):
                return
        ends.append([(one.ruling.void, one.after) for one in end.last.back() if one.seq <= state.seq])
    for (void, after), (other_void, other_after) in zip(*ends, strict=True):
        assert void == other_void
        assert replace(after, asks=()) == replace(other_after, asks=())


@given(book=books, seed=seeds)
@settings(STREAMS, max_examples=80)
def test_a_late_answer_equals_having_known_it(book: str, seed: int) -> None:
    state, _, _ = stream(book, seed, 6, only_shots=True)
    play = state.play
    assert play is not None
    if play.phase != "play" or not (play.white_left and play.black_left):
        return
    seat = play.seat(play.turn)
    known = shot("B", seat=seat)
    doubted = shot("W", seat=seat) | {
        "doubts": [{"fact": "pocketed.0.piece", "choices": [["white", 0.6], ["black", 0.4]]}]
    }
    late, ruling = apply(state, event_from_json(doubted))
    assert isinstance(ruling, Ruling)
    if not ruling.asks:
        return
    direct, _ = apply(state, event_from_json(known))
    try:
        miss = event_from_json(shot(seat=direct.play.seat(direct.play.turn)))  # type: ignore[union-attr]
    except EventError:
        return
    if late.play is None or late.play.phase != "play" or direct.play is None or direct.play.phase != "play":
        return
    same_turn = late.play.turn == direct.play.turn
    if same_turn:
        late, _ = apply(late, miss)
        direct, _ = apply(direct, miss)
    late, ruling = apply(late, event_from_json({"event": "answer", "ask": ruling.asks[0].ask, "choice": "black"}))
    assert isinstance(ruling, Ruling), ruling
    assert as_ruled(late) == as_ruled(direct)


@given(
    seed=seeds,
    junk=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "event",
                        "seat",
                        "pocketed",
                        "piece",
                        "with",
                        "seq",
                        "doubts",
                        "fact",
                        "choices",
                        "set",
                        "position",
                        "left",
                    ]
                )
                | st.text(),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
)
@settings(STREAMS, max_examples=200)
def test_malformed_events_change_nothing(seed: int, junk: Any) -> None:
    state, _, _ = stream("icf", seed, 4)
    name = Random(seed).choice(["shot", "call", "answer", "correct", "override", "set", "start", "drop", None])
    body = {"event": name, **junk} if isinstance(junk, dict) and name else junk
    after, ruling = rule_line(state, json.dumps(body), None)
    if isinstance(ruling, Ruling):
        return
    assert after.play is state.play
    assert "\n" not in ruling.error
