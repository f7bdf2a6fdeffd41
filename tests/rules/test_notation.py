"""Carrom notation: what is written is read back, ruled again it is the same, and what was changed by hand is found."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from controller.events.doors import LONGEST_NAME
from controller.events.errors import EventError, UnreadableError
from controller.events.match import Override, Shot, Void
from controller.events.notation import Notation, notation_text, read_notation
from controller.rules.notation import disagreements, notation_of
from controller.rules.shelf import load_books
from scripts.write_schemas import FOLDER
from tests.doors.hostile import DEEP_OBJECT, TURNED, UNREADABLE, change
from tests.rules.notated import fold, matches
from tests.rules.scenes import BOOKS, shot, start

Json = dict[str, Any]
SCHEMA = jsonschema.Draft202012Validator(json.loads((FOLDER / "notation.json").read_text(encoding="utf-8")))


def there_and_back(seed: int, boards: int) -> None:
    """Random matches until so many boards are written, read and ruled again."""
    played = 0
    for state in matches(seed):
        document = notation_of(state, times_s={number: number / 2 for number in range(state.seq + 1)})
        text = notation_text(document)
        assert read_notation(text) == document
        found = disagreements(document, BOOKS)
        assert found == (), (found[0], text)
        if played % 5 == 0:
            SCHEMA.validate(json.loads(text))
        played += len(document.boards)
        if played >= boards:
            return


def test_forty_boards_come_back_and_rule_the_same() -> None:
    there_and_back(1, 40)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
def test_a_thousand_boards_come_back_and_rule_the_same(seed: int) -> None:
    there_and_back(seed, 250)


# -- what is written


def written(*events: Json) -> Notation:
    document = notation_of(fold(*events))
    assert read_notation(notation_text(document)) == document
    assert disagreements(document, BOOKS) == ()
    return document


def strokes(document: Notation) -> list[Any]:
    return [entry for _where, _board, entry in document.entries() if isinstance(entry.facts, Shot)]


def test_a_correction_is_taken_in_and_the_turn_stays_as_it_was_played() -> None:
    missed = {"event": "correct", "seq": 2, "with": shot()}
    first, second = strokes(written(start("icf"), shot("W@NE"), shot("W@SE"), missed))
    assert (first.corrected, first.facts.pocketed, first.ruling.turn) == (True, (), "north")
    assert (second.stroke, second.as_played, second.ruling.void) == (2, "on_turn", False)


def test_a_stroke_that_was_put_back_stays_so_when_a_correction_gives_its_player_the_turn() -> None:
    missed = {"event": "correct", "seq": 2, "with": shot()}
    _first, second = strokes(written(start("icf"), shot("W@NE"), shot(seat="north"), missed))
    assert (second.as_played, second.ruling.void, second.asked) == ("put_back", True, True)


def test_a_stroke_that_was_taken_back_is_out_and_the_numbers_of_strokes_have_no_gap() -> None:
    first, second = strokes(written(start("icf"), shot("W@NE"), shot("B@SE"), {"event": "void"}, shot("W@SW")))
    assert [(one.seq, one.stroke) for one in (first, second)] == [(2, 1), (5, 2)]


def test_what_was_set_in_a_stroke_stays_when_the_stroke_is_taken_back() -> None:
    given = {"event": "override", "seq": 2, "set": {"score": {"south": 5}}}
    document = written(start("icf"), shot("W@NE"), given, {"event": "void"})
    ((_where, _board, entry),) = document.entries()
    assert isinstance(entry.facts, Override)
    assert document.result.score == {"south": 5, "north": 0}


def test_a_board_that_was_set_up_again_is_a_board_of_its_own() -> None:
    first, second = written(start("icf"), shot("W@NE"), {"event": "void", "clause": "icf-140"}, shot("W@SE")).boards
    assert (first.board, first.over, first.record) == (1, False, ())
    assert (second.board, isinstance(second.record[0].facts, Void), second.record[1].stroke) == (1, True, 1)


def test_a_board_that_a_lost_stroke_had_opened_is_set_up_again_under_its_number() -> None:
    first, second = written(
        start("icf", "1 3 mine"), shot("W@NE"), shot("W@NE", seat="north"), {"event": "void", "clause": "icf-140"}
    ).boards
    assert (first.board, first.over, second.board, second.breaks) == (1, True, 2, "north")


def test_a_board_that_a_question_set_up_again_has_the_clause_for_it() -> None:
    (clause,) = (one.id for one in BOOKS["club"].by_seen["second_queen"])
    anew = {"event": "answer", "ask": 3, "choice": "set the board up anew"}
    seen = {"event": "seen", "what": "second_queen"}
    document = written(start("club", autonomy={clause: "confirm"}), shot("W@NE"), seen, anew)
    assert document.boards[-1].record[0].facts == Void(clause)


def test_calls_and_answers_stand_with_their_stroke() -> None:
    call = {"event": "call", "clause": "icf-30", "seat": "south"}
    (stroke,) = strokes(written(start("icf"), shot("W@NE"), call))
    assert [(one.clause, one.how) for one in stroke.called] == [("icf-30", "confirmed")]
    assert [foul.clause for foul in stroke.ruling.fouls] == ["icf-30"]
    doubt = {"doubts": [{"fact": "pocketed.0.piece", "choices": [["white", 0.6], ["black", 0.4]], "evidence": 7}]}
    (open_one,) = strokes(written(start("icf"), shot("W@NE", **doubt)))
    assert (open_one.asked, open_one.ruling.provisional, open_one.facts.doubts[0].evidence) == (True, True, None)
    answer = {"event": "answer", "ask": 2, "choice": "black"}
    (decided,) = strokes(written(start("icf"), shot("W@NE", **doubt), answer))
    assert (decided.answered, decided.asked, decided.facts.pocketed[0].piece) == (True, False, "black")
    assert decided.facts.doubts == ()


def test_one_answer_of_two_stands_beside_the_doubt_that_is_left() -> None:
    doubts = [
        {"fact": "pocketed.0.piece", "choices": [["white", 0.6], ["black", 0.4]]},
        {"fact": "placement.lines", "choices": [["both", 0.6], ["one", 0.4]]},
    ]
    answer = {"event": "answer", "ask": 2, "choice": "black"}
    (stroke,) = strokes(written(start("icf"), shot("W@NE", doubts=doubts), answer))
    assert [(one.fact, one.choice) for one in stroke.answers] == [("pocketed.0.piece", "black")]
    assert stroke.asked


def test_a_flag_of_which_no_foul_was_made_is_nobody_elses_business_and_neither_is_a_reason() -> None:
    flagged = shot(flags=["hand_touched_piece"], reason="he leaned on the board")
    (clause,) = (one.id for one in BOOKS["icf"].by_flag["hand_touched_piece"])
    (open_one,) = strokes(written(start("icf"), flagged))
    assert (open_one.facts.flags, open_one.facts.reason, open_one.ruling.fouls) == ((), "", ())
    waved = {"event": "call", "action": "wave_off", "clause": clause, "seat": "south"}
    assert strokes(written(start("icf"), flagged, waved))[0].called == ()
    (fouled,) = strokes(written(start("icf"), flagged, {"event": "call", "clause": clause, "seat": "south"}))
    assert (fouled.facts.flags, [one.clause for one in fouled.ruling.fouls]) == (("hand_touched_piece",), [clause])


def test_doubles_that_change_ends_keep_their_names() -> None:
    four = {"south": "Asha", "east": "Ben", "north": "Cara", "west": "Dev"}
    turned = {"east": "Asha", "north": "Ben", "west": "Cara", "south": "Dev"}
    moved = {"event": "seats", "seats": turned}
    document = written(start("icf", seats=four), shot("W@NE"), moved, shot("W@SE", seat="east"))
    assert [(one.seat, one.side) for one in document.players] == [
        ("south", "south"), ("east", "east"), ("north", "south"), ("west", "east"),
    ]  # fmt: skip
    last = strokes(document)[-1]
    assert (last.facts.seat, last.player) == ("east", "south")


def test_a_tie_break_board_keeps_the_colours_that_were_chosen() -> None:
    level = {"in_hand": {"south": ["white"], "north": ["white", "black"]}, "score": {"south": 1, "north": 2}}
    begin = start("world-point", "0 1 theirs", position=level)
    colour = {"event": "answer", "ask": 2, "choice": "white"}
    document = written(begin, shot("B"), colour, {"event": "next_board"}, shot("B", seat="north"))
    first, second = document.boards
    assert (first.over, first.winner, [one.facts.event for one in first.record]) == (True, None, ["shot", "answer"])
    assert second.colours == {"south": "white", "north": "black"}
    body = json.loads(notation_text(document))
    entry(body, 1)["facts"]["ask"] = 99
    assert disagreements(read_notation(json.dumps(body)), BOOKS) == (), "questions are numbered by whoever asks"


def test_a_forfeited_match_says_how_it_ended() -> None:
    document = written(start("icf"), shot("W@NE"), {"event": "call", "action": "forfeit", "seat": "south"})
    assert (document.result.how, document.result.winner) == ("forfeit", "north")
    assert [(one.side, one.how, one.of) for one in document.result.given] == [("south", "forfeit", "match")]
    assert written(start("icf"), shot()).result.how == "unfinished"


def test_a_house_book_is_named_by_its_id_and_ruled_by_whoever_has_it(tmp_path) -> None:
    page = tmp_path / "house.toml"
    page.write_text('id = "our-hall"\ntitle = "Our hall"\nextends = "icf"\n[policy]\npoints = 5\n')
    books = load_books([page])
    document = read_notation(notation_text(written(start("icf"), shot("W@NE"))))
    ours = replace(document, book=replace(document.book, id="our-hall"))
    assert disagreements(ours, books) == ()
    with pytest.raises(EventError, match="there is no book 'our-hall'"):
        disagreements(ours, BOOKS)


def test_only_the_policy_that_differs_from_the_book_is_written() -> None:
    points = BOOKS["icf"].policy["points"]
    assert written(start("icf", policy={"points": points, "games": 1}), shot()).book.policy == {"games": 1}


# -- what was changed by hand


def played() -> Json:
    """A short match as a document's JSON."""
    at = {"position": {"score": {"south": 10, "north": 10}}}
    document = written(start("icf", "2 3 mine", **at), shot("W@NE"), shot(), shot("B@SW", seat="north"))
    return json.loads(notation_text(document))


CHANGES: dict[str, tuple[Callable[[Json], object], str]] = {
    "a piece": (lambda d: entry(d, 0)["facts"]["pocketed"][0].update(piece="black"), "$.boards[0].record[0].ruling"),
    "whose turn": (lambda d: entry(d, 0)["ruling"].update(turn="north"), "$.boards[0].record[0].ruling.turn"),
    "a foul": (
        lambda d: entry(d, 1)["ruling"].update(fouls=[{"clause": "icf-30"}]),
        "$.boards[0].record[1].ruling.fouls",
    ),
    "a foul that is kept back": (
        lambda d: entry(d, 1)["facts"].update(placement={"lines": "one"}),
        "$.boards[0].record[1].ruling.fouls",
    ),
    "who": (lambda d: entry(d, 1).update(player="north"), "$.boards[0].record[1].player"),
    "a score": (lambda d: entry(d, 2)["ruling"]["score"].update(south=9), "$.boards[0].record[2].ruling.score"),
    "a colour": (lambda d: d["boards"][0]["colours"].update(south="black"), "$.boards[0].colours"),
    "the result": (lambda d: d["result"].update(how="played"), "$.result.how"),
    "what cannot be": (
        lambda d: entry(d, 2)["facts"].update(pocketed=[{"piece": "queen"}]),
        "$.boards[0].record[2].facts",
    ),
}


def entry(document: Json, number: int) -> Json:
    found: Json = document["boards"][0]["record"][number]
    return found


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_the_first_that_is_named(what: str) -> None:
    document = played()
    alter, where = CHANGES[what]
    alter(document)
    found = disagreements(read_notation(json.dumps(document)), BOOKS)
    assert found[0].where.startswith(where), found


def test_what_a_file_leaves_out_is_not_compared() -> None:
    document = played()
    for one in document["boards"][0]["record"]:
        one["ruling"] = {"turn": one["ruling"]["turn"]}
        del one["player"]
    document["boards"][0] = {key: document["boards"][0][key] for key in ("game", "board", "record")}
    document["result"] = {"how": "unfinished"}
    assert disagreements(read_notation(json.dumps(document)), BOOKS) == ()


# -- what cannot be read


def changed(path: str, value: Any) -> bytes:
    document = played()
    *heads, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner: Any = document
    for part in heads:
        inner = inner[part]
    inner[last] = value
    return json.dumps(document).encode()


R = "boards.0.record"
HOSTILE: dict[str, tuple[bytes, str]] = {
    "a newer version": (changed("notation", 2), "$.notation is version 2, and this program reads up to 1. Fix: update"),
    "true for a version": (
        changed("notation", True),
        "$.notation must be the number of a version, 1 or more, not True",
    ),
    "no version": (changed("notation", None), "$.notation must be the number of a version"),
    "a list for a match": (changed("boards", {}), "$.boards must be a list, not {}"),
    "a text for a number": (changed(f"{R}.0.seq", "2"), "$.boards[0].record[0].seq must be a whole number, not '2'"),
    "a piece that is none": (
        changed(f"{R}.0.facts.pocketed", [{"piece": "blue"}]),
        "$.boards[0].record[0].facts cannot be read: pocketed[0].piece must be one of white, black",
    ),
    "a fact that is none": (changed(f"{R}.0.facts.speed", 3), "record[0].facts cannot be read: unknown field speed"),
    "a start in a record": (
        changed(f"{R}.0.facts", {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}}),
        "record[0].facts cannot be start",
    ),
    "no event": (changed(f"{R}.0.facts", 7), "record[0].facts cannot be read: an event is a JSON object"),
    "a stroke twice": (changed(f"{R}.1.stroke", 1), "record[1].stroke must be 2, the board's next stroke, not 1"),
    "a number twice": (changed(f"{R}.1.seq", 2), "record[1].seq must be more than 2"),
    "a seat twice": (changed("players.1.seat", "south"), "$.players[1].seat has two players at south"),
    "a name twice": (changed("players.1.name", "asha"), "$.players[1].name has two players named asha"),
    "a name that rings": (changed("players.0.name", "As\x07ha"), "$.players[0].name holds a character that cannot be"),
    "a name turned round": (changed("players.0.name", TURNED), "$.players[0].name holds a character that turns"),
    "a long name": (changed("players.0.name", "x" * 61), f"has 61 characters, at most {LONGEST_NAME} are taken"),
    "a side of nobody": (changed("players.1.side", "west"), "$.players[1].side must be north, the side's first seat"),
    "a stranger's score": (changed("result.score", {"east": 1}), "$.result names east, which is no side of $.players"),
    "a stranger's stroke": (changed(f"{R}.0.player", "west"), "record[0].player names west, which is no player"),
    "no date": (changed("event", {"began": "yesterday"}), "$.event.began must be a date or a time as 2026-"),
    "one player": (changed("players", []), "$.players must be a list of at least"),
    "deep": (b'{"notation": 1, "boards": ' + DEEP_OBJECT + b"}", "nested deeper than"),
    "no number": (notation_text(read_notation(json.dumps(played()))).replace("10}", "NaN}").encode(), "not finite"),
    **{f"{name} (as everywhere)": (raw, "Fix: ") for name, raw in UNREADABLE.items()},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_cannot_be_read_is_one_line_with_place_and_way_out(what: str) -> None:
    raw, says = HOSTILE[what]
    with pytest.raises(UnreadableError) as error:
        read_notation(raw)
    text = str(error.value)
    assert says in text
    assert ". Fix: " in text
    assert text.isprintable()
    assert len(text) < 400


def test_a_file_that_was_cut_off_is_never_taken() -> None:
    whole = notation_text(read_notation(json.dumps(played()))).encode()
    for length in range(0, len(whole) - 2, 97):
        with pytest.raises(UnreadableError, match="Fix: get the whole file again"):
            read_notation(whole[:length])


def test_fields_that_are_not_known_are_left_unread_outside_the_facts() -> None:
    document = played()
    known = read_notation(json.dumps(document))
    document["sponsor"] = "x"
    document["boards"][0]["spectators"] = 12
    document["players"][0]["club"] = "Hall"
    document["boards"][0]["record"][0]["ruling"]["mood"] = "calm"
    assert read_notation(json.dumps(document)) == known


@pytest.mark.parametrize("seed", range(4))
def test_documents_changed_at_random_are_read_or_refused_and_ruled_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    whole = json.dumps(played() | {"event": {"competition": "Cup"}})
    outcomes = Counter(outcome(altered(json.loads(whole), rng)) for _ in range(300))
    assert set(outcomes) == {"refused", "ruled"}
    assert min(outcomes.values()) > 20, outcomes


def altered(document: Json, rng: random.Random) -> Json:
    inside = [document, *document["boards"][0]["record"]]
    for _ in range(rng.choice((1, 1, 2, 3))):
        change(rng.choice(inside), rng)
    return document


def outcome(document: Json) -> str:
    """What becomes of a document; whatever is refused is so on one line with the way out."""
    try:
        found = read_notation(json.dumps(document))
    except UnreadableError as error:
        return "refused" if str(error).isprintable() and ". Fix: " in str(error) else f"refused badly: {error}"
    with suppress(EventError):
        disagreements(found, BOOKS)
    return "ruled"


def test_a_call_about_no_clause_of_the_book_is_refused_where_it_stands() -> None:
    document = played()
    entry(document, 0)["called"] = [{"clause": "none-1", "as": "foul"}]
    (found,) = disagreements(read_notation(json.dumps(document)), BOOKS)
    assert (found.where, "none-1" in found.ruled) == ("$.boards[0].record[0].facts", True)


def test_a_laws_number_without_its_letter_is_found_as_in_a_call() -> None:
    document = written(start("icf"), shot("W@NE"), {"event": "call", "clause": "icf-130", "seat": "south"})
    body = json.loads(notation_text(document))
    assert entry(body, 0)["called"] == [{"clause": "icf-130a", "as": "confirmed"}]
    entry(body, 0)["called"][0]["clause"] = "icf-130"
    assert disagreements(read_notation(json.dumps(body)), BOOKS) == ()
