"""What the table may expect to see next, in the terms of `shots`."""

from __future__ import annotations

from controller.events.expectation import Expectation
from controller.events.words import Circle, Colour, Piece, Seat
from controller.rules.book import Book
from controller.rules.challenges import pending
from controller.rules.umpire import MatchState


def expectation(state: MatchState) -> Expectation:
    """Returns the expectation for a state; before the first start nothing is expected."""
    play = state.play
    if play is None:
        return Expectation(None, (), (), play=False)
    book = play.book
    opening = play.phase == "over" or (play.phase == "play" and not play.break_done and play.tries == 0)
    pieces: tuple[tuple[Piece, int], ...] = tuple((p, book.pieces[p]) for p in ("white", "black", "queen"))
    lying: tuple[tuple[Piece, int], ...] = (
        ("white", play.white_left),
        ("black", play.black_left),
        ("queen", int(play.queen_in)),
    )
    white = play.white if play.phase == "play" or book.colours != "breaker white" else None
    if white is None and play.turn is not None and book.colours == "breaker white":
        white = play.side(play.turn)
    sides = play.match.sides
    colours: list[tuple[Seat, Colour]] = []
    tie = play.tie_next
    for seat, player in play.chairs.items():
        colour = tie.get(player)
        if colour is None and white is not None:
            colour = "white" if play.side(player) == white else "black"
        if colour is not None:
            colours.append((seat, colour))
    return Expectation(
        turn=play.seat(play.turn),
        on_board=pieces if play.phase == "over" else lying,
        book_pieces=pieces,
        sides=tuple((seat, sides[play.side(player)]) for seat, player in play.chairs.items()),
        colours=tuple(colours),
        to_place=play.to_place,
        opening=opening,
        play=play.phase != "done" and not play.paused and not pending(play),
        tournament=play.match.tournament,
        needs=needs(book),
        rest_mm=tuple((piece.piece, piece.x, piece.y) for piece in play.rest or ()),
        seq=state.seq,
        circle_in_order=_circle_in_order(book),
        still_on_lines=book.policy["still_on_lines"],
        replacements=book.policy["replacements"] or 3,
    )


def needs(book: Book) -> frozenset[str]:
    """The facts that some live clause of the book depends on."""
    return frozenset(fact for clause in book.clauses.values() if clause.autonomy != "off" for fact in clause.needs)


def _circle_in_order(book: Book) -> tuple[Circle, ...]:
    words: tuple[Circle, ...] = ("clear", "covered", "partial")
    bad = {value for detect, _ in book.detectors if detect.fact == "placement.circle" for value in detect.values}
    return tuple(word for word in words if word not in bad)
