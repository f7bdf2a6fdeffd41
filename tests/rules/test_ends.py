"""How boards and matches end, and what a position may say: draws, forfeits among several, take-overs, `set`."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from controller.events.codec import event_from_json
from controller.rules import apply, begin
from controller.rules.shelf import official_books
from tests.rules.reading import FOUR, TWO, at, call, case, ev, mine, north, ruled, seen, shot, south, start
from tests.rules.reading_books import club
from tests.rules.scenes import BOOKS
from tests.rules.test_properties import STREAMS, finishing, seeds, some_event

THREE = {"south": "Asha", "east": "Ben", "north": "Cara"}


def points(book: str = "world-point", seats: dict[str, str] = TWO, **position: Any) -> Any:
    event = {"event": "start", "book": book, "seats": seats, "first": "south"}
    return event | {"position": position} if position else event


def tie(white: int, black: int) -> Any:
    return points(tie_break={"south": "white", "north": "black"}, left={"white": white, "black": black}, turn="south")


def none_left(**more: Any) -> Any:
    """South (white) has no piece left in `club`, and the queen is not covered."""
    return club({"left": {"white": 0, "black": 4}, "turn": "south", "break_done": True} | more)


def forfeit(seat: str) -> Any:
    return call(None, seat, action="forfeit")


BOARDS = [
    case(
        "tie-break: the opponent's last that drops goes back",
        tie(3, 1),
        ev("drop", piece="black", on_rim=True),
        left="3 1 0",
        over=False,
    ),
    case("so does an own one", tie(1, 3), ev("drop", piece="white", on_rim=True), left="1 3 0", over=False),
    case("tie-break: a side with nothing left has finished", tie(0, 3), error=True),
    case(
        "point: an agreed draw is nobody's",
        points(),
        south("W"),
        ev("call", action="draw"),
        drawn=True,
        board_winner=None,
        winner=None,
        score="1 0",
        match_over=True,
    ),
    case(
        "family: likewise",
        points("world-family"),
        south("W"),
        ev("call", action="draw"),
        drawn=True,
        board_winner=None,
        winner=None,
    ),
    case(
        "sixes: an agreed draw is nobody's, and the match is one board",
        start(book="sixes"),
        south("W"),
        ev("call", action="draw"),
        drawn=True,
        board_winner=None,
        winner=None,
        score="0 0",
        turn=None,
        game_over=True,
        match_over=True,
        why=None,
    ),
    case(
        "sixes: by override too",
        start(book="sixes"),
        south("W"),
        ev("override", seq=2, set={"board": {"over": True, "drawn": True}}, reason="x"),
        drawn=True,
        match_over=True,
        why=None,
    ),
    case(
        "sixes: of several games the others are played",
        start(book="sixes", policy={"games": 3}),
        ev("call", action="draw"),
        ev("next_board"),
        number=2,
        match_over=False,
    ),
    case(
        "icf: a board won and then agreed drawn was not won by that law",
        start(at(1, 4, queen="covered", queen_side="south")),
        south("W"),
        ev("override", seq=2, set={"board": {"drawn": True}}, reason="x"),
        drawn=True,
        why="20",
    ),
    case(
        "icf: an agreed draw given to a side after all",
        start(),
        ev("call", action="draw"),
        ev("override", seq=2, set={"board": {"winner": "south", "points": 3}}, reason="x"),
        board_winner="south",
        why="20",
    ),
    case(
        "point: by override too",
        points(),
        south("W"),
        ev("override", seq=2, set={"board": {"over": True, "drawn": True}}, reason="x"),
        drawn=True,
        board_winner=None,
        winner=None,
    ),
    case(
        "point: an override that leaves nothing on the board",
        points(queen="covered", queen_side="south"),
        south("W"),
        ev("override", seq=2, set={"left": {"white": 0, "black": 0}}, reason="x"),
        error=True,
    ),
    case("club: none left and the queen not covered", none_left(), left="0 4 1", over=False),
    case(
        "club: she cannot be covered by who has none left",
        none_left(),
        south("Q"),
        back="queen:club-24",
        turn="north",
        over=False,
    ),
    case(
        "club: covered by the other side the board ends for who has none left",
        none_left(turn="north"),
        north("B Q"),
        over=True,
        board_winner="south",
        points=3,
    ),
    case(
        "club: also by the next stroke",
        none_left(turn="north"),
        north("Q"),
        north("B"),
        over=True,
        board_winner="south",
    ),
    case(
        "club: a last piece that covers her wins all the same",
        none_left(turn="north", left={"white": 0, "black": 1}, queen="pending", queen_side="north"),
        north("B"),
        board_winner="north",
        points=3,
    ),
    case("club: a miss goes on", none_left(), south(), turn="north", over=False),
    case("club: a due comes back from the hand", none_left(), south("S"), left="1 4 1", turn="north"),
    case("club: with the queen covered that board is over", none_left(queen="covered", queen_side="south"), error=True),
    case("club: set likewise", club(at(2, 4)), ev("set", position={"left": {"white": 0}}, reason="x"), left="0 4 1"),
    case(
        "club: override likewise",
        club(at(2, 4)),
        south(),
        ev("override", seq=2, set={"left": {"white": 0}}, reason="x"),
        left="0 4 1",
    ),
    case("club: with nothing left at all nobody can cover her", none_left(left={"white": 0, "black": 0}), error=True),
    case(
        "club: nor with her pending",
        none_left(left={"white": 0, "black": 0}, queen="pending", queen_side="south"),
        error=True,
    ),
    case(
        "club: set nothing left",
        club(at(2, 4)),
        ev("set", position={"left": {"white": 0, "black": 0}}, reason="x"),
        error=True,
    ),
    case(
        "club: override nothing left",
        club(at(2, 4)),
        south(),
        ev("override", seq=2, set={"left": {"white": 0, "black": 0}}, reason="x"),
        error=True,
    ),
    case(
        "club: set pieces gone while the colours are open",
        start(book="club"),
        ev("set", position={"left": {"white": 2}}, reason="x"),
        error=True,
    ),
    case(
        "club: with white's seat it is taken",
        start(book="club"),
        ev("set", position={"left": {"white": 2}, "white": "north"}, reason="x"),
        left="2 9 1",
        in_hand="0 7",
    ),
    case(
        "club: override likewise",
        start(book="club"),
        south(),
        ev("override", seq=2, set={"left": {"white": 2}}, reason="x"),
        error=True,
    ),
    case(
        "club: a piece that fell from the rim before fixes no colour, and the score may be set",
        start(book="club"),
        ev("drop", piece="white", on_rim=True),
        ev("set", position={"score": {"south": 2}, "left": {"white": 8}}, reason="x"),
        score="2 0",
        left="8 9 1",
    ),
    case(
        "with nobody watching what was touched the break is made",
        start(),
        south("W", unseen=["contacts"]),
        left="8 9 1",
    ),
    case(
        "a try that touched nothing and lost the striker", start(), south("S", contacts=[]), left="9 9 1", turn="north"
    ),
    case("icf: a side with nothing left has finished", start(at(0, 4)), error=True),
    case("set: games beyond the match", start(), ev("set", position={"games": {"south": 2}}, reason="x"), error=True),
    case("start: likewise", start({"games": {"south": 2}}), error=True),
    case("set: games within it", start(), ev("set", position={"games": {"south": 1}}, reason="x"), games="1 0"),
    case("unseen: placement, and given", start(), south(unseen=["placement"], placement={"lines": "both"}), error=True),
    case(
        "unseen: a part, and given", start(), south(unseen=["placement.lines"], placement={"lines": "both"}), error=True
    ),
    case(
        "unseen: a part, another given",
        start(),
        south(unseen=["placement.arrow"], placement={"lines": "both"}),
        unseen=["placement.arrow"],
    ),
    case("unseen: as by default, and given", start(), south(unseen=["left_baseline"], left_baseline=True), error=True),
    case("unseen: which pocket, and given", start(), south("W", unseen=["pocketed.pocket"]), error=True),
    case(
        "unseen: which pocket", start(), south(unseen=["pocketed.pocket"], pocketed=[{"piece": "white"}]), left="8 9 1"
    ),
    case("unseen: a flag, and raised", start(), south(unseen=["flags.push"], flags=["push"]), error=True),
    case("unseen: a flag, another raised", start(), south(unseen=["flags.push"], flags=["elbow"]), fouls="32?"),
    case("unseen: who struck is always said", start(), south("W", unseen=["seat", "contacts"]), left="8 9 1"),
]


@pytest.mark.parametrize(("events", "expected"), BOARDS)
def test_boards_and_positions(events: Any, expected: dict[str, Any]) -> None:
    found = seen(ruled(*events)[-1])
    assert {key: found.get(key) for key in expected} == expected


QUEEN_ALONE = shot("north", "Q")
HANDS = [
    case(
        "a foul call emptied it",
        start(at(9, 9)),
        south("B"),
        call("131", "north"),
        QUEEN_ALONE,
        queen="pending",
        side="north",
    ),
    case(
        "the player's own technical foul",
        start(at(9, 9)),
        south("B"),
        ev("timeout", seat="north"),
        QUEEN_ALONE,
        queen="pending",
        turn="north",
    ),
    case("never anything in it", start(at(9, 9)), south(), QUEEN_ALONE, queen="board", back="queen:95a", turn="south"),
]


@pytest.mark.parametrize(("events", "expected"), HANDS)
def test_a_hand_that_was_emptied_had_been_filled_however_it_was_emptied(events: Any, expected: dict[str, Any]) -> None:
    found = seen(ruled(*events)[-1])
    assert {key: found.get(key) for key in expected} == expected


def test_of_three_players_who_forfeits_is_out_and_the_others_play_on() -> None:
    for book in ("world-point", "world-family"):
        *_, after = rulings = ruled(
            points(book, THREE), south("W"), forfeit("south"), shot("north", "B"), shot("north"), shot("east")
        )
        out, played = rulings[2], rulings[3]
        assert (out["match_over"], out["turn"], out["winner"]) == (False, "north", None)
        assert out["ranking"] == ["east", "north", "south"], "who is out comes last, whatever he had scored"
        assert (played["void"], played["ranking"][0]) == (False, "north")
        assert after["turn"] == "north", "the turn goes round among those who still play"
        foul = {"event": "call", "action": "foul", "clause": "world-4", "seat": "south"}
        assert "error" in ruled(points(book, THREE), forfeit("south"), foul)[-1]


def test_the_result_of_several_is_a_ranking() -> None:
    four = points(seats=FOUR, left={"white": 1, "black": 0}, queen="covered", queen_side="south", turn="south",
                  in_hand={"south": ["white"] * 3, "east": ["black"] * 9, "north": ["white"] * 5},
                  score={"south": 6, "east": 9, "north": 5, "west": 0})  # fmt: skip
    *_, last = ruled(four, forfeit("east"), forfeit("west"), south("W"))
    assert (last["match_over"], last["winner"]) == (True, "south")
    assert last["ranking"] == ["south", "north", "west", "east"], "the first to leave is last"
    *_, last = ruled(four, forfeit("east"), forfeit("west"), forfeit("south"))
    assert (last["winner"], last["ranking"]) == ("north", ["north", "south", "west", "east"])
    assert "error" in ruled(four, forfeit("east"), forfeit("east"))[-1]
    assert "ranking" not in ruled(start(mine(1, 5)), south("W"))[-1]


def test_who_leaves_before_a_tie_break_board_has_no_part_in_it() -> None:
    level = points(seats=THREE, left={"white": 1, "black": 0}, queen="covered", queen_side="south", turn="south",
                   in_hand={"south": ["white"] * 6, "east": ["black"] * 9, "north": ["white"] * 2},
                   score={"south": 8, "east": 9, "north": 9})  # fmt: skip
    *_, tied = ruled(level, south("W"))
    assert (tied["board"]["over"], tied["match_over"], len(tied["asks"])) == (True, False, 1)
    *_, fewer = ruled(level, south("W"), forfeit("south"))
    assert (fewer["match_over"], len(fewer["asks"])) == (False, 1), "another player is asked for the colour"
    *_, none = ruled(level, south("W"), forfeit("south"), forfeit("east"))
    assert (none["match_over"], none["winner"], none["asks"]) == (True, "north", [])
    *_, tie_board = ruled(
        level,
        south("W"),
        ev("answer", ask=2, choice="white"),
        ev("next_board"),
        forfeit("south"),
        ev("answer", ask=5, choice="white"),
        ev("next_board"),
    )
    assert (tie_board["in_hand"], tie_board["left"]["white"]) == ({"south": 0, "east": 0, "north": 0}, 9)


def test_two_teams_of_four_are_two_sides() -> None:
    teams = points("world-family", FOUR) | {"teams": [["south", "north"], ["east", "west"]]}
    *_, last = ruled(teams, forfeit("south"))
    assert (last["match_over"], last["winner"]) == (True, "east")


@given(seed=seeds)
@settings(STREAMS, max_examples=60)
def test_a_tie_break_board_and_a_club_board_with_none_left_can_always_end(seed: int) -> None:
    dice = Random(seed)
    body = (
        tie(dice.choice((1, 3)), dice.choice((1, 3))) if seed % 2 else none_left(turn=dice.choice(("south", "north")))
    )
    state, _ = apply(begin(BOOKS), event_from_json(body))
    for _ in range(8):
        event = {"event": "drop", "piece": dice.choice(("white", "black")), "on_rim": True}
        state, _ = apply(state, event_from_json(event if dice.random() < 0.4 else some_event(state, dice)))
    for _ in range(80):
        assert state.play is not None
        if state.play.phase != "play":
            return
        for event in ({"event": "resume"}, {"event": "play"}):
            if state.play.paused or state.play.blocked:
                state, _ = apply(state, event_from_json(event))
        assert state.play is not None
        state, _ = apply(state, event_from_json(finishing(state)))
    pytest.fail("the board never ended")


@pytest.mark.parametrize("book", BOOKS)
def test_a_draw_is_agreed_by_the_clause_that_says_so_or_on_the_umpires_word(book: str) -> None:
    seats = FOUR if book == "world-team" else TWO
    drawn = ruled(start(book=book, seats=seats), call(action="draw"))[-1]
    says_so = [clause.id for clause in official_books()[book].clauses.values() if clause.consequence == "draw"]
    assert [one for one in [drawn["board"]["why"]] if one] == says_so == drawn["cites"]
    assert bool(says_so) or any("agreement" in note for note in drawn["notes"])


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("action", ["forfeit", "concede", "disqualify", "deduct"])
def test_what_the_umpire_says_cites_no_clause_about_winning(book: str, action: str) -> None:
    begin_ = start(book=book, seats=FOUR if book == "world-team" else TWO)
    said = ruled(begin_, call(None, "south", action=action))[-1]
    speaks = official_books()[book].roles.get(action)
    whys = [said["board"]["why"], *(one["why"] for one in said["given"])] if action != "deduct" else []
    assert whys == [speaks] * len(whys)
    assert said["cites"] == [speaks] * bool(speaks)
    assert speaks is None or official_books()[book].clauses[speaks].consequence != "score"
    assert (speaks is None) == any(note.startswith(f"{action} on the umpire's word") for note in said["notes"])
    other = "east" if book == "world-team" else "north"
    assert action == "deduct" or said["winner"] == said["board"]["winner"] == other
