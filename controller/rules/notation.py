"""A match as it stands ↔ carrom notation: the document out of the rulings, and its strokes ruled again.

A document is compared with the one that comes of its own facts (`disagreements`): one way out, and no second judge of
what a ruling is. Must not know files or clocks; times come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import Any

from controller.events.errors import EventError
from controller.events.match import Answer, Call, Drop, Event, Override, Shot, Start, Void
from controller.events.notation import (
    NOT_NOTED,
    Answered,
    BackNoted,
    BoardNoted,
    BoardPlayed,
    Called,
    DueNoted,
    FoulNoted,
    GivenNoted,
    Notation,
    Noted,
    Occasion,
    Opening,
    Outcome,
    Person,
    PlayedBy,
    RulingNoted,
)
from controller.events.ruling import Ruling
from controller.events.words import Seat
from controller.rules import progress
from controller.rules.acted import acted
from controller.rules.book import Book, Clause
from controller.rules.draft import NO_LONGER, Draft, finish
from controller.rules.entry import Amend, Entry, Played
from controller.rules.play import Play
from controller.rules.ruled import OWN_ANSWERS, as_answered, begin_next, rule_entry
from controller.rules.umpire import MatchState, as_it_stands

Books = Mapping[str, Book]
NOWHERE = Occasion()
"""Where nothing is known of what a match was part of."""

_CALLED: Mapping[str, Any] = {"confirm": "confirmed", "foul": "foul", "waive": "waved_off"}
_AMENDS = {word: kind for kind, word in _CALLED.items()}


# -- out of the rulings


def notation_of(
    state: MatchState, occasion: Occasion = NOWHERE, times_s: Mapping[int, float] | None = None, program: str = ""
) -> Notation:
    """Returns a match as it stands. `times_s`: seconds since its start by the number of the event, where known.

    Raises EventError before the first start.
    """
    if state.last is None:
        raise EventError("no match is under way: the first event is a start")
    start, *entries = reversed(list(state.last.back()))
    assert isinstance(start.event, Start)
    match = start.after.match
    book = state.books[start.event.book]
    return Notation(
        program=program or None,
        event=occasion,
        book=PlayedBy(
            book.id,
            book.title,
            book.house,
            {name: value for name, value in start.event.policy.items() if book.policy.get(name) != value},
        ),
        players=tuple(Person(player, name, match.sides[match.side_of[player]]) for player, name in match.names.items()),
        start=_opening(start.event, start),
        boards=tuple(_boards(state, start, entries, times_s or {})),
        result=_outcome(state.last.ruling, state.last.after),
    )


def _opening(event: Start, entry: Entry) -> Opening:
    given = {one.name: getattr(event, one.name) for one in fields(Opening) if one.name != "set"}
    return Opening(**given, set=_set(entry))


def _set(entry: Entry) -> tuple[Any, ...]:
    return tuple(amend.value for amend in entry.amends if amend.kind == "override")


def _boards(
    state: MatchState, start: Entry, entries: list[Entry], times_s: Mapping[int, float]
) -> Iterator[BoardPlayed]:
    """The boards in order: each set-up of the pieces, the one of the start also where nothing was played from it."""
    for (rack, trial), group in groupby([start, *entries], lambda one: (one.after.rack, _is_trial(one.after))):
        of_board = list(group)
        record, strokes = [], 0
        for entry in of_board:
            noted = _noted(state, entry, times_s.get(entry.seq))
            if noted is None:
                continue
            if isinstance(noted.facts, Shot):
                strokes += 1
                noted = replace(noted, stroke=strokes)
            record.append(noted)
        if record or rack == start.after.rack:
            yield _board(of_board[-1].after, of_board[-1].ruling, trial, tuple(record))


def _is_trial(play: Play) -> bool:
    return play.trial_from is not None


def _board(play: Play, last: Ruling, trial: bool, record: tuple[Noted, ...]) -> BoardPlayed:
    sides = play.match.sides
    colours = {side: colour for number, side in enumerate(sides) if (colour := play.colour(number)) is not None}
    board = last.board
    return BoardPlayed(
        game=play.game,
        board=board.number,
        trial=trial,
        breaks=play.breaker,
        colours=colours,
        over=board.over,
        winner=board.winner,
        points=board.points,
        drawn=board.drawn,
        why=board.why,
        queen=last.queen_side if last.queen == "covered" else None,
        score=last.score,
        record=record,
    )


def _noted(state: MatchState, entry: Entry, t_s: float | None) -> Noted | None:
    """An entry of the record; None for what is taken in elsewhere, or was taken back."""
    before = entry.before
    event = None if before is None else _standing_event(entry)
    if before is None or event is None:
        return None
    given = (amend.value for amend in entry.amends if amend.kind == "answer" and not entry.voided)
    answers = tuple(Answered(*one) for one in given)
    answered = bool(answers)
    if answers and isinstance(event, Shot | Drop) and (decided := as_answered(before, event, entry.amends)) is not None:
        event, answers = decided, ()
    stands = as_it_stands(state, entry)
    cites = _cites(stands, before.book)
    return Noted(
        seq=entry.seq,
        t=t_s,
        player=None if stands.seat is None else before.chairs.get(stands.seat),
        facts=_for_others(event, cites, before.book),
        called=() if entry.voided else _called(entry, before.book),
        answers=answers,
        as_played=_as_played(entry, before),
        # The first stands as the event where there is no stroke any more.
        set=_set(entry)[1:] if entry.voided else _set(entry),
        corrected=any(amend.kind == "was" for amend in entry.amends),
        answered=answered,
        asked=any(one.about != "foul" for one in stands.asks),
        ruling=_ruling(stands, cites),
    )


def _standing_event(entry: Entry) -> Event | None:
    """The event of an entry, where it is one that the match hangs on: not a word that another entry has taken in."""
    event, before = entry.event, entry.before
    assert before is not None
    if entry.ruling.void and any(note.startswith(NO_LONGER) for note in entry.ruling.notes):
        return None
    if entry.voided and not entry.done:
        # What the umpire set in the ruling of a stroke stays when the stroke is taken back.
        return next((Override(entry.seq, parts) for parts in _set(entry)), None)
    if entry.done:
        if entry.previous is None or entry.after.rack == entry.previous.after.rack:
            return None
        # The board was set up again. Whoever reads the document needs the clause, not the question.
        clause = next(
            (one for one in entry.ruling.cites if before.book.clauses[one].consequence == "replay_board"), None
        )
        return Void(clause) if isinstance(event, Answer) else event
    if isinstance(event, NOT_NOTED):
        return None
    if isinstance(event, Answer):
        own = any(str(one.ask) == str(event.ask) and one.about in OWN_ANSWERS for one in before.asks)
        return event if own else None
    return event


def _for_others(event: Event, cites: tuple[str, ...], book: Book) -> Event:
    """An event as it is passed on: without typed reasons, evidence, and flags of which nothing came."""
    event = replace(event, reason="")
    if not isinstance(event, Shot):
        return event
    flags = tuple(flag for flag in event.flags if any(one.id in cites for one in book.by_flag.get(flag, ())))
    return replace(event, flags=flags, doubts=tuple(replace(one, evidence=None) for one in event.doubts))


def _cites(stands: Ruling, book: Book) -> tuple[str, ...]:
    """What decided: not what is only raised against somebody, and nobody has confirmed."""
    ruled = _with_also((foul.clause for foul in stands.fouls if foul.status == "ruled"), book)
    raised = _with_also((foul.clause for foul in stands.fouls if foul.status == "to confirm"), book)
    return tuple(clause for clause in stands.cites if clause in ruled or clause not in raised)


def _with_also(clauses: Iterable[str], book: Book) -> set[str]:
    """Clauses with all that are cited with them."""
    found: set[str] = set()
    waiting = list(clauses)
    while waiting:
        if (clause := waiting.pop()) not in found:
            found.add(clause)
            waiting.extend(book.clauses[clause].also)
    return found


def _called(entry: Entry, book: Book) -> tuple[Called, ...]:
    """The last call about each clause. One that waves off what a flag alone had raised goes with the flag."""
    last = {amend.value: amend.kind for amend in entry.amends if amend.kind in _CALLED}
    if not last:
        return ()
    by_flag = {one.id for one in book.clauses.values() if one.flags and not one.detects}
    gone = by_flag if isinstance(entry.event, Shot) else set()
    return tuple(Called(one, _CALLED[kind]) for one, kind in last.items() if kind != "waive" or one not in gone)


def _as_played(entry: Entry, before: Play) -> Any:
    """What held at the table, where the state before the entry says otherwise: a correction of something earlier."""
    if entry.done:
        return "under_way" if before.phase == "done" else None
    player = _whose(before, entry.event)
    opens = before.phase == "over" and entry.after.rack != before.rack
    turn = begin_next(before).turn if opens else before.turn
    if entry.played.put_back:
        return "put_back" if player == turn else None
    return "on_turn" if player is not None and player == entry.played.turn != turn else None


def _whose(play: Play, event: Event) -> Seat | None:
    seat = getattr(event, "seat", None)
    return None if seat is None else play.chairs.get(seat)


def _ruling(stands: Ruling, cites: tuple[str, ...]) -> RulingNoted:
    board = stands.board
    same = ("void", "provisional", "turn", "turn_kept", "queen", "queen_side", "left", "in_hand", "owed")
    more = ("score", "games", "game_over", "match_over", "winner", "ranking")
    return RulingNoted(
        fouls=tuple(FoulNoted(foul.clause) for foul in stands.fouls if foul.status == "ruled"),
        cites=cites,
        returned=tuple(BackNoted(one.piece, one.why, one.side) for one in stands.returned),
        dues=tuple(DueNoted(one.side, one.pieces, one.owed, one.why) for one in stands.dues),
        board=BoardNoted(board.number, board.over, board.points, board.on_demand, board.drawn, board.winner, board.why),
        **{name: getattr(stands, name) for name in (*same, *more)},
    )


def _outcome(last: Ruling, play: Play) -> Outcome:
    given = tuple(GivenNoted(one.side, one.how, one.of, one.game, one.why) for one in play.given)
    ended = next((one.how for one in reversed(given) if one.of == "match"), None)
    return Outcome(
        how=(ended or "played") if last.match_over else "unfinished",
        winner=last.winner,
        score=last.score,
        games=last.games,
        ranking=last.ranking or (),
        given=given,
    )


# -- ruled again


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One value of a document that is another by the rules. `where`: its JSON path; `about`: in a person's words."""

    where: str
    about: str
    noted: Any
    ruled: Any


def rule_notation(document: Notation, books: Books) -> tuple[MatchState, str]:
    """Rules on all that a document holds, up to the first entry that the rules refuse; the text says why, "" for none.

    Raises EventError if the match cannot even begin.
    """
    amends = tuple(Amend(1, "override", parts) for parts in document.start.set)
    last = rule_entry(None, 1, document.start_event(), books, amends)
    refused = ""
    for _where, _board, noted in document.entries():
        try:
            last = _again(last, noted, books)
        except EventError as error:
            refused = str(error)
            break
    return MatchState(books, last, last.seq), refused


def _again(last: Entry, noted: Noted, books: Books) -> Entry:
    event: Event = noted.facts
    clause = last.after.book.find(event.clause) if isinstance(event, Void | Call) and event.clause else None
    acts = isinstance(event, Void) or (isinstance(event, Call) and event.action is None)
    if acts and clause is not None and clause.consequence == "replay_board":
        return _set_up_again(last, noted, clause)
    if isinstance(event, Void):
        raise EventError("a stroke that was taken back is left out of a record, and so is what took it back")
    if isinstance(event, Answer):
        # The numbers of questions are those of the table that asked them.
        waiting = next((one.ask for one in last.after.asks if one.about in OWN_ANSWERS), event.ask)
        event = replace(event, ask=waiting)
    return rule_entry(last, noted.seq, event, books, _amends(noted, last.after.book), (), _played(last.after, noted))


def _set_up_again(last: Entry, noted: Noted, clause: Clause) -> Entry:
    """The board starts again; the strokes that were taken back for it are in no record."""
    before = last.after
    if before.phase == "done" and noted.as_played != "under_way":
        raise EventError("the match is over")
    draft = Draft(before.book, void=True, seat=getattr(noted.facts, "seat", None))
    # A stroke that was taken back may have opened the board of this number.
    number = before.board if noted.ruling.board is None else noted.ruling.board.number
    after = progress.replay_board(before, draft, clause.id, number)
    ruling = finish(draft, noted.seq, noted.facts.event, before, after)
    return acted(noted.seq, noted.facts, last, last, ruling, after)


def _amends(noted: Noted, book: Book) -> tuple[Amend, ...]:
    over: tuple[Amend, ...] = ()
    if isinstance(noted.facts, Override):
        over = (Amend(noted.seq, "void"), Amend(noted.seq, "override", noted.facts.set))
    return (
        *over,
        *(Amend(noted.seq, _AMENDS[one.how], book.find(one.clause).id) for one in noted.called),  # type: ignore[arg-type]
        *(Amend(noted.seq, "answer", (one.fact, one.choice)) for one in noted.answers),
        *(Amend(noted.seq, "override", parts) for parts in noted.set),
    )


def _played(before: Play, noted: Noted) -> Played | None:
    if noted.as_played not in ("on_turn", "put_back"):
        return None
    return Played(_whose(before, noted.facts), put_back=noted.as_played == "put_back")


def disagreements(document: Notation, books: Books) -> tuple[Disagreement, ...]:
    """Returns what of a document is other than its facts make it by the rules; what it leaves out is not compared.

    An entry that the rules refuse is the last that is named. Raises EventError if the match cannot even begin.
    """
    state, refused = rule_notation(document, books)
    ours = notation_of(state)
    ruled = {entry.seq: entry for _where, _board, entry in ours.entries()}
    found: list[Disagreement] = []
    for where, board, noted in document.entries():
        about = f"game {board.game} board {board.board} {_in_words(noted)}"
        if noted.seq not in ruled:
            why = f"refused: {refused}; what follows was not compared"
            return (*found, Disagreement(f"{where}.facts", f"{about}: facts", "taken", why))
        again = ruled[noted.seq]
        found.extend(_compared(noted.ruling, again.ruling, f"{where}.ruling", about))
        if noted.player not in (None, again.player):
            found.append(Disagreement(f"{where}.player", f"{about}: player", noted.player, again.player))
    if len(document.boards) != len(ours.boards):
        return (*found, Disagreement("$.boards", "number of boards", len(document.boards), len(ours.boards)))
    for number, (board, other) in enumerate(zip(document.boards, ours.boards, strict=True)):
        found.extend(_compared(board, other, f"$.boards[{number}]", f"game {board.game} board {board.board}"))
    found.extend(_compared(document.result, ours.result, "$.result", "result"))
    return tuple(found)


def _compared(one: Any, other: Any, where: str, about: str) -> Iterator[Disagreement]:
    for field in fields(one):
        noted, ruled = getattr(one, field.name), getattr(other, field.name)
        # An empty list of a ruling says that there is none.
        left_out = noted is None or (noted in ({}, ()) and not isinstance(one, RulingNoted))
        if isinstance(noted, BoardNoted) and ruled is not None:
            yield from _compared(noted, ruled, f"{where}.{field.name}", f"{about}: {field.name}")
        elif field.name != "record" and not left_out and noted != ruled:
            yield Disagreement(f"{where}.{field.name}", f"{about}: {field.name}", noted, ruled)


def _in_words(noted: Noted) -> str:
    return f"{f'stroke {noted.stroke}' if noted.stroke else noted.facts.event} (event {noted.seq})"
