"""How a match begins, or is taken over at a position: `start` (and `set`) → the state of play.

Raises EventError naming the field for whatever does not add up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from calibration.measures import board_of
from controller.events.doors import name_key
from controller.events.errors import EventError
from controller.events.expectation import ToPlace
from controller.events.match import Position, Start
from controller.events.words import Seat
from controller.rules.book import Book
from controller.rules.play import ANTICLOCKWISE, Match, Play
from controller.rules.progress import fresh_board
from controller.rules.strokes import resolver
from controller.rules.turns import give_turn


def begin_match(start: Start, books: Mapping[str, Book]) -> Play:
    """Returns the state at the start of a match."""
    match = _match(start, books)
    first = _first(start, match)
    sides = len(match.sides)
    zero = (0,) * sides
    chairs = {seat: seat for seat in start.seats}
    play = Play(
        match=match,
        chairs=chairs,
        turn=first,
        breaker=first,
        game_breaker=first,
        white=None,
        white_left=0,
        black_left=0,
        queen="board",
        owed=zero,
        hands=((),) * sides,
        had=(False,) * sides,
        score=zero,
        games=zero,
        opened=zero,
        won_before=zero,
        robbed=zero,
        missed=zero,
    )
    play = fresh_board(play, first)
    position = start.position
    if position is None:
        if start.white is not None and match.book.colours == "first pocketed":
            raise EventError("white: the first piece pocketed gives the colours; only a position may say them")
        _white_agrees(play, start)
        return play
    play = _who_began(play, position)
    play = _colours(play, start, position)
    return take_position(play, position)


def ready_book(book: Book) -> Book:
    """Returns the book in the words of its policy, and with what its resolver prepares from it."""
    book = book.in_its_words()
    return replace(book, prepared=resolver(book.resolver).prepare(book))


def _match(start: Start, books: Mapping[str, Book]) -> Match:
    book = books.get(start.book)
    if book is None:
        raise EventError(f"book: there is no book {start.book!r}; use one of {', '.join(books)}")
    if start.tournament and book.house:
        raise EventError(f"book: a tournament is played by an official book, not by the house book {book.id}")
    policy, autonomy = dict(start.policy), dict(start.autonomy)
    levels = policy.pop("autonomy", {})
    if not isinstance(levels, dict) or not all(isinstance(word, str) for word in (*levels, *levels.values())):
        raise EventError("policy.autonomy must be an object: clause → off, note, confirm or rule")
    autonomy.update(levels)
    if policy or autonomy or book.prepared is None:
        official, book = book, ready_book(book.with_policy(policy).with_autonomy(autonomy))
        if start.tournament:
            _is_played_by(official, book)
    players = tuple(start.seats)
    if len(players) not in book.players:
        allowed = " or ".join(map(str, book.players))
        raise EventError(f"seats: {book.id} is played by {allowed} players, not by {len(players)}")
    _sit_opposite(book, players)
    if len(set(map(name_key, start.seats.values()))) < len(players):
        raise EventError("seats: two players have the same name")
    teams = _teams(start, book, players)
    names = tuple(team[0] for team in teams)
    side_of = {player: number for number, team in enumerate(teams) for player in team}
    try:
        board = board_of(start.board)
    except ValueError as error:
        raise EventError(f"board.{error}") from error
    fixture = start.fixture or ""
    return Match(book, names, side_of, dict(start.seats), start.tournament, start.toss, board=board, fixture=fixture)


def _sit_opposite(book: Book, seats: Collection[Seat]) -> None:
    """Refuses two players on neighbouring seats (icf-27), except where each plays for himself among up to four."""
    if len(seats) == 2 and book.teams != "each" and set(seats) not in ({"south", "north"}, {"east", "west"}):
        where = " and ".join(seats)
        raise EventError(
            f"seats: two players sit opposite each other, not at {where}; use south and north, or east and west"
        )


def _is_played_by(official: Book, book: Book) -> None:
    """Refuses what a house book is refused for in a tournament: rules of one's own, by whatever way they come."""
    fix = "Fix: leave it out, or play without tournament"
    for name, value in book.policy.items():
        if value != official.policy[name] and not official.keys[name].format:
            said = f"in {official.id} it is {official.policy[name]!r}, not {value!r}"
            raise EventError(f"policy.{name}: a tournament is played by the official book; {said}. {fix}")
    for clause in official.clauses:
        if (clause in book.off) != (clause in official.off):
            says = f"clause {clause} is {'off' if clause in book.off else 'on'} here only"
            raise EventError(f"autonomy.{clause}: a tournament is played by the official book; {says}. {fix}")


def _teams(start: Start, book: Book, players: tuple[Seat, ...]) -> list[list[Seat]]:
    """The sides in the order of their first seats."""
    if start.teams is not None:
        flat = [seat for team in start.teams for seat in team]
        if sorted(flat) != sorted(players) or any(not team for team in start.teams):
            raise EventError("teams: each player belongs to one team")
        teams = [sorted(team, key=players.index) for team in start.teams]
        if len(teams) < 2:
            raise EventError("teams: at least two are needed")
        if len({len(team) for team in teams}) > 1:
            raise EventError("teams: they must be of the same size")
        teams.sort(key=lambda team: players.index(team[0]))
    elif len(players) == 4 and book.teams == "opposite":
        upright: list[Seat] = [seat for seat in players if seat in ("south", "north")]
        across: list[Seat] = [seat for seat in players if seat in ("east", "west")]
        teams = sorted([upright, across], key=lambda team: players.index(team[0]))
    elif len(players) == 4 and book.teams == "named":
        raise EventError(f"teams: {book.id} with four players needs to know who plays with whom")
    else:
        teams = [[seat] for seat in players]
    if book.colours != "none" and len(teams) != 2:
        raise EventError(f"teams: {book.id} is played by two sides, not by {len(teams)}")
    return teams


_BREAKS = {"break": True, "strike": True, "first": True, "white": True, "side": False, "black": False, "seat": False}


def _first(start: Start, match: Match) -> Seat:
    players = tuple(start.seats)
    first = start.first
    if first is not None and first not in players:
        raise EventError(f"first: nobody sits at {first}")
    toss = start.toss
    if toss is not None:
        if toss.winner not in players:
            raise EventError(f"toss.winner: nobody sits at {toss.winner}")
        if toss.choice not in _BREAKS:
            raise EventError(f"toss.choice must be one of {', '.join(_BREAKS)}, not {toss.choice!r}")
        breaks = _BREAKS[toss.choice]
        won = match.side_of[toss.winner]
        if first is None:
            others = [seat for seat in players if match.side_of[seat] != won]
            first = toss.winner if breaks else others[0]
        elif (match.side_of[first] == won) != breaks:
            raise EventError(f"first: the toss gave the break to the other side, not to {first}")
    return players[0] if first is None else first


def _who_began(play: Play, position: Position) -> Play:
    """Who broke the first board of this game and of the match follows from the counts, by alternation."""
    board = position.board or 1
    games = _by_side(play, position.games, "games") if position.games is not None else play.games
    began = play.breaker
    for _ in range((board - 1) % len(play.chairs)):
        began = _previous(play, began)
    return play.but(board=board, game_breaker=began, games=games, won_before=games, game=sum(games) + 1)


def _previous(play: Play, player: Seat) -> Seat:
    return next(other for other in play.chairs.values() if play.next_player(other) == player)


def _white_agrees(play: Play, start: Start) -> None:
    if start.white is None:
        return
    if start.white not in play.chairs:
        raise EventError(f"white: nobody sits at {start.white}")
    if play.white is None or play.side(start.white) != play.white:
        raise EventError(f"white: in {play.book.id} the side that breaks is white")


def _colours(play: Play, start: Start, position: Position) -> Play:
    if play.book.colours != "first pocketed":
        _white_agrees(play, start)
        return play
    pieces = play.book.pieces
    left = position.left or {}
    gone = any(left.get(colour, pieces[colour]) < pieces[colour] for colour in ("white", "black"))
    if start.white is None:
        if gone:
            raise EventError("white is missing: with pieces gone the colours are fixed; name white's seat")
        return play
    if start.white not in play.chairs:
        raise EventError(f"white: nobody sits at {start.white}")
    return play.but(white=play.side(start.white))


def take_position(play: Play, position: Position) -> Play:
    """Returns the state with everything that a position says set; what it leaves out stays as it is.

    Raises EventError where the pieces do not add up.
    """
    pieces = play.book.pieces
    play = _whose_is_white(play, position)
    if position.tie_break is not None:
        play = _tie_break(play, position)
    left = dict(position.left or {})
    for piece, count in left.items():
        if count > pieces[piece]:
            raise EventError(f"position.left.{piece}: {play.book.id} has {pieces[piece]}, not {count}")
    white, black = left.get("white", play.white_left), left.get("black", play.black_left)
    if white < play.white_left or black < play.black_left:
        whose_is_gone(play, "position.white is missing: with pieces gone the colours are fixed; name white's seat")
    play = play.but(white_left=white, black_left=black)
    play = _queen(play, position, left.get("queen"))
    if position.score is not None:
        score = _by_side(play, position.score, "score", play.score)
        play = play.but(score=score, opened=score)
    if position.games is not None:
        games = _by_side(play, position.games, "games", play.games)
        if any(won * 2 > play.book.policy["games"] for won in games):
            raise EventError("position.games: the match is over")
        play = play.but(games=games, won_before=games, game=sum(games) + 1)
    if position.board is not None:
        play = play.but(board=position.board)
    if position.owed is not None:
        play = play.but(owed=_by_side(play, position.owed, "owed", play.owed))
    if position.turn is not None:
        play = give_turn(play, playing(play, position.turn, "position.turn"))
    play = _hands(play, position)
    had = [play.had[i] or play.hand(i) > 0 for i in range(len(play.had))]
    for seat, word in (position.had_pocketed or {}).items():
        had[_side(play, seat, "had_pocketed")] = word
    play = play.but(had=tuple(had))
    play = _break(play, position)
    _adds_up(play)
    return play


def playing(play: Play, seat: Seat, field: str) -> Seat:
    """Returns the player at a seat. Raises EventError for one who cannot be on turn on this board."""
    if seat not in play.chairs:
        raise EventError(f"{field}: nobody sits at {seat}")
    player = play.chairs[seat]
    if play.side(player) in play.out:
        raise EventError(f"{field}: {seat} is out of the match")
    if play.tie and player not in play.tie:
        at = " and ".join(seat for seat, one in play.chairs.items() if one in play.tie)
        raise EventError(f"{field}: {seat} does not play on this tie-break board. Fix: name one of {at}")
    return player


def has_queen(play: Play, field: str) -> None:
    """Refuses a queen that is on the board or waits for her cover where the board is played without her."""
    if play.tie or not play.book.pieces["queen"]:
        board = "a tie-break board" if play.tie else play.book.id
        raise EventError(f"{field}: {board} has no queen. Fix: leave her out")


def whose_is_gone(play: Play, otherwise: str) -> None:
    """Refuses, with the words given, to take pieces off the board while the colours are open: nobody owns them."""
    if play.book.colours == "first pocketed" and play.white is None:
        raise EventError(otherwise)


def _whose_is_white(play: Play, position: Position) -> Play:
    """Colours that were taken the wrong way round; where the breaking side is white, it broke this board."""
    if position.white is None:
        return play
    if play.book.colours == "none":
        raise EventError(f"position.white: in {play.book.id} nobody has a colour")
    side = _side(play, position.white, "white")
    if side == play.white:
        return play
    if play.book.colours == "breaker white":
        return play.but(white=side, breaker=play.next_player(play.breaker))
    return play.but(white=side)


def _queen(play: Play, position: Position, left: int | None) -> Play:
    state = position.queen
    if state is None and left is not None and left != int(play.queen_in):
        if left == 1:
            state = "board"
        else:
            raise EventError("position.queen: she is not on the board; say pending or covered, and queen_side")
    if state is None:
        if position.queen_side is not None and play.queen == "board":
            raise EventError("position.queen_side: the queen is on the board and belongs to nobody")
        return play
    if left is not None and left != int(state == "board"):
        raise EventError(f"position.left.queen: {left} does not fit a queen that is {state}")
    if state != "covered":
        has_queen(play, "position.queen")
    if state == "board":
        if position.queen_side is not None:
            raise EventError("position.queen_side: the queen is on the board and belongs to nobody")
        return play.but(queen="board", queen_side=None, queen_in=True, queen_pocket=None)
    seat = position.queen_side
    if seat is None and state == "pending":
        turn = play.chairs.get(position.turn) if position.turn else play.turn
        side = None if turn is None else play.side(turn)
    elif seat is not None:
        side = _side(play, seat, "queen_side")
    else:
        side = None
    if side is None:
        raise EventError(f"position.queen_side is missing: whose is the {state} queen?")
    return play.but(
        queen=state,
        queen_side=side,
        queen_in=False,
        queen_pocket=position.queen_pocket if state == "pending" else None,
    )


def _hands(play: Play, position: Position) -> Play:
    if position.in_hand is None:
        return play
    if play.book.hands != "pocketed":
        raise EventError(f"position.in_hand: in {play.book.id} hands follow from the pieces left")
    hands = list(play.hands)
    for seat, pieces in position.in_hand.items():
        hands[_side(play, seat, "in_hand")] = pieces
    return play.but(hands=tuple(hands))


def _break(play: Play, position: Position) -> Play:
    """Whether the break has been made: as given; else yes as soon as anything shows that the board is under way."""
    done = position.break_done
    if done is None:
        pieces = play.book.pieces
        gone = play.white_left < pieces["white"] or play.black_left < pieces["black"]
        done = play.break_done or gone or play.queen != "board" or any(play.had) or any(play.owed)
    strokes = play.strokes if position.strokes is None else position.strokes
    tries = play.tries if position.tries is None else position.tries
    turns = position.turns
    if turns is None:
        # of a board that is met under way nobody knows whether these are its first turns: no slam is recognised
        turns = play.turns + 2 if done and not play.break_done else play.turns
    return play.but(break_done=done, strokes=strokes, tries=tries, turns=turns)


def _tie_break(play: Play, position: Position) -> Play:
    assert position.tie_break is not None
    if play.book.role("tie_break") is None:
        raise EventError(f"position.tie_break: {play.book.id} has no tie-break board")
    tie = {}
    for seat, colour in position.tie_break.items():
        if seat not in play.chairs:
            raise EventError(f"position.tie_break: nobody sits at {seat}")
        tie[play.chairs[seat]] = colour
    if len(tie) != 2 or len(set(tie.values())) != 2:
        raise EventError("position.tie_break: two players with different colours")
    play = play.but(tie=tie)
    if play.queen == "board":
        play = play.but(queen="covered", queen_in=False)
    return play


def _adds_up(play: Play) -> None:
    pieces = play.book.pieces
    if play.book.hands == "pocketed":
        for piece in ("white", "black"):
            held = sum(hand.count(piece) for hand in play.hands)
            gone = pieces[piece] - (play.white_left if piece == "white" else play.black_left)
            if held > gone:
                raise EventError(f"position.in_hand: {held} {piece} in hand, but only {gone} have left the board")
    whose = play.finished()
    if whose == "pieces":
        raise EventError("position.left: nothing is left: that board is over")
    if whose is not None:
        raise EventError(f"position.left.{whose}: none is left: that board is over")
    if play.tie and play.turn is not None:
        playing(play, play.seat(play.turn) or play.turn, "position.turn")
    if play.queen == "pending" and play.turn is not None and play.queen_side != play.side(play.turn):
        raise EventError("position.queen_side: a pending queen is covered by the side on turn")


def _side(play: Play, seat: Seat, field: str) -> int:
    player = play.chairs.get(seat)
    if seat in play.match.sides:
        return play.match.sides.index(seat)
    if player is None:
        raise EventError(f"position.{field}: nobody sits at {seat}")
    return play.side(player)


def _by_side(
    play: Play, values: Mapping[Seat, int], field: str, base: tuple[int, ...] | None = None
) -> tuple[int, ...]:
    sides = list(base or (0,) * len(play.match.sides))
    for seat, value in values.items():
        sides[_side(play, seat, field)] = value
    return tuple(sides)


def rotate(play: Play, seats: Mapping[Seat, str]) -> Play:
    """Returns the state with every player on the chair that `seats` names. Raises EventError for other people."""
    players = {name_key(name): player for player, name in play.match.names.items()}
    seated = {seat: name_key(name) for seat, name in seats.items()}
    if set(seated.values()) != set(players) or len(seats) != len(players):
        known = ", ".join(play.match.names.values())
        raise EventError(f"seats: all players of this match, and nobody else, must have a seat: {known}")
    _sit_opposite(play.book, seats)
    ordered = sorted(seats, key=ANTICLOCKWISE.index)
    moved = play.but(chairs={seat: players[seated[seat]] for seat in ordered})

    def handed(waiting: tuple[ToPlace, ...]) -> tuple[ToPlace, ...]:
        return tuple(replace(one, by=moved.seat(play.chairs[one.by]) if one.by else None) for one in waiting)

    return moved.but(to_place=handed(play.to_place), ordered=handed(play.ordered))
