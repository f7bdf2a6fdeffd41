"""A stand-in for the rules engine with a handful of rules: enough for the director to be driven in tests."""

from __future__ import annotations

from controller.events.expectation import Expectation, ToPlace
from controller.events.match import Drop, Shot, Start
from controller.events.ruling import BoardState, Due, Returned, Ruling, Within


class PlainUmpire:
    """Two seats; own coins keep the turn; a pocketed striker costs one coin; an unentitled queen comes back."""

    def __init__(self, board_after: int = 10_000) -> None:
        self.board_after = board_after
        self.events = []
        self.expects = None

    def rule(self, event):
        self.events.append(event)
        if isinstance(event, Start):
            self.seats = list(event.seats)
            self.turn = event.first or self.seats[0]
            self.breaker = self.turn
            self.open_board()
            return self.said(event, ())
        if isinstance(event, Drop):
            self.left[event.piece] -= 1
            return self.said(event, ())
        assert isinstance(event, Shot)
        if self.over:
            self.open_board()
        return self.shot(event)

    def ruling_instead(self, shot):
        return None

    def shot(self, shot):
        if any(c.touched != "cushion" for c in shot.contacts or ()):
            self.opening = False
        self.strokes += 1
        mine = self.colour(self.turn)
        fell = [p.piece for p in shot.pocketed]
        returned, dues = [], []
        for piece in fell:
            if piece in self.left:
                self.left[piece] -= 1
        for piece in shot.off_board:
            if piece in self.left:
                returned.append(Returned(piece, None, "icf-65", (0.0, 0.0)))
        if "queen" in fell:
            self.left["queen"] += 1
            returned.append(Returned("queen", None, "icf-90", (0.0, 0.0)))
        if "striker" in fell and self.left[mine] < 9:
            self.left[mine] += 1
            dues.append(Due(self.turn, 1, 0, "icf-75", Within((0.0, 0.0), 15.9, 85.0)))
        kept = mine in fell and "striker" not in fell
        seat = self.turn
        if not kept:
            self.turn = self.other(self.turn)
        self.over = self.strokes >= self.board_after or 0 in (self.left["white"], self.left["black"])
        if self.over:
            self.turn = self.breaker = self.other(self.breaker)
        return self.said(shot, returned, dues, seat, kept)

    def to_place(self, returned, dues):
        back = [ToPlace(r.piece, r.why, at_mm=r.to) for r in returned]
        ring = ((0.0, 0.0), 15.9, 85.0)
        return tuple(back + [ToPlace(self.colour(d.side), d.why, within=ring) for d in dues for _ in range(d.pieces)])

    def open_board(self):
        self.left = {"white": 9, "black": 9, "queen": 1}
        self.strokes, self.opening, self.over = 0, True, False

    def colour(self, seat):
        return "white" if seat == self.breaker else "black"

    def other(self, seat):
        return next(s for s in self.seats if s != seat)

    def said(self, event, returned, dues=(), seat=None, kept=None):
        self.expects = Expectation(
            turn=self.turn,
            on_board=tuple(self.left.items()),
            book_pieces=(("white", 9), ("black", 9), ("queen", 1)),
            sides=tuple((s, s) for s in self.seats),
            colours=tuple((s, self.colour(s)) for s in self.seats),
            opening=self.opening or self.over,
            to_place=self.to_place(returned, dues),
        )
        in_hand = {s: 9 - self.left[self.colour(s)] for s in self.seats}
        return Ruling(
            seq=len(self.events), event=event.event, turn=self.turn, queen="board", left=dict(self.left),
            in_hand=in_hand,
            owed=dict.fromkeys(self.seats, 0), board=BoardState(over=self.over, why="icf-52" if self.over else None),
            score=dict.fromkeys(self.seats, 0), games=dict.fromkeys(self.seats, 0), seat=seat, returned=tuple(returned),
            dues=tuple(dues), turn_kept=kept,
        )  # fmt: skip
