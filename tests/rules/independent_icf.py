"""A second reading of the international laws, as plain if-rules, to hold beside the engine.

Written from the law sheet alone (sections 2.7 to 2.15, 4, 5, 6, 8.1 to 8.3, 9, 10 and 13). It knows nothing of the
engine: no rulebook, no row table, none of its classes. It covers what a stroke pocketed and how it was made, the break,
dues, the turn in singles and doubles, timeouts, passes, technical fouls, claims, boards, games and the match; trial
boards, a round's end, changes of ends, and what an umpire sets: parts of a ruling, a position, a stroke taken back.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

RIGHT = {"south": "east", "east": "north", "north": "west", "west": "south"}
IMPROPER_LINES = ("one", "none")
SET = ("left", "turn", "owed", "score")


@dataclass
class Outcome:
    """What one stroke leads to: the row of section 13 without its name."""

    queen: str | None = None
    due: int = 0
    back: int = 0
    keep: bool = False
    queen_back: bool = False
    winner: str | None = None
    points: int = 0
    demand: int = 0


def last_three(score: int) -> int:
    return 3 if score <= 21 else 1


def queen_value(score: int) -> int:
    return 3 if score <= 21 else 0


def stroke_outcome(
    *, before: str, q: bool, proper: bool, s: bool, n: int, m: int, a: int, b: int, e: bool, u: int, sp: int, so: int
) -> Outcome:
    """Section 13 for one stroke; `before` is ON, PEND, OWN or OPP, the winner is P (striking side) or O."""
    demand = int(s) + int(not proper)
    clean = proper and not s
    own_before = a + n
    entitled = u == 0 and (own_before <= 8 or e)

    if b == 0 and m > 0:
        return opponent_finished(before, q, clean, entitled, a, sp, so, demand)
    if a == 0 and n > 0:
        if before == "ON" and not q:
            return Outcome(winner="O", points=last_three(so), demand=demand)
        if clean and before == "OPP":
            return Outcome("OPP", winner="P", points=b)
        if clean and (before in ("OWN", "PEND") or entitled or (u == 0 and n == 9)):
            return Outcome("OWN", winner="P", points=b + queen_value(sp))

    out = Outcome(due=demand, back=0 if clean else n)
    if before in ("OWN", "OPP"):
        out.queen, out.keep = before, proper and n > 0
    elif before == "ON" and not q:
        out.queen, out.keep = "ON", proper and n > 0
    elif before == "PEND":
        if clean and n > 0:
            out.queen, out.keep = "OWN", True
        elif proper and s and n > 0:
            out.queen, out.keep = "PEND", True
        else:
            out.queen, out.queen_back = "ON", True
    elif entitled and own_before <= 8 and proper:
        out.keep = True
        if s:
            out.queen, out.queen_back = "ON", True
        else:
            out.queen = "OWN" if n > 0 else "PEND"
    elif proper and s and u == 0 and n > 0:
        out.queen, out.queen_back, out.keep = "ON", True, True
    elif clean and u == 0 and (n > 0 or e):
        out.queen, out.keep = ("OWN" if n >= 2 else "PEND"), True
    else:
        out.queen, out.queen_back = "ON", True
    return out


def opponent_finished(
    before: str, q: bool, clean: bool, entitled: bool, a: int, sp: int, so: int, demand: int
) -> Outcome:
    """The opponent's last piece fell in this stroke."""
    if a > 0:
        points = a if before == "OWN" else a + queen_value(so)
        return Outcome(winner="O", points=points, demand=demand)
    if before == "ON" and not q:
        return Outcome(winner="O", points=last_three(so), demand=demand)
    if before == "OWN":
        return Outcome(winner="P", points=last_three(sp)) if clean else Outcome(winner="O", points=1, demand=demand)
    if before == "OPP":
        return Outcome(winner="P", points=1) if clean else Outcome(winner="O", points=last_three(so), demand=demand)
    if clean and (before == "PEND" or entitled):
        return Outcome("OWN", winner="P", points=last_three(sp))
    return Outcome(winner="O", points=last_three(so), demand=demand)


@dataclass
class Table:
    """A match as the laws see it. `seats`: the players of the sides, by the seats they began on, the side's name first.

    `sits`: the seat of each player now; everything inside is said of players, `says` and the events of seats.
    """

    seats: dict[str, list[str]]
    first: str
    score: dict[str, int] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)
    number: int = 1
    points: int = 25
    boards: int = 8
    best_of: int = 3

    def __post_init__(self) -> None:
        self.score = self.score or dict.fromkeys(self.seats, 0)
        self.games = self.games or dict.fromkeys(self.seats, 0)
        self.match_over = self.game_over = False
        self.began_game = self.first if self.number % 2 else self.follows(self.first)
        self.sits = {player: player for players in self.seats.values() for player in players}
        self.trial: Table | None = None
        self.round_over = self.played = False
        self.open_board(self.first)

    def follows(self, seat: str) -> str:
        """Who plays after this seat: opposite in singles, to the right in doubles."""
        taken = [one for seats in self.seats.values() for one in seats]
        seat = RIGHT[seat]
        while seat not in taken:
            seat = RIGHT[seat]
        return seat

    def side(self, seat: str) -> str:
        return next(name for name, seats in self.seats.items() if seat in seats)

    def other(self, side: str) -> str:
        return next(name for name in self.seats if name != side)

    def open_board(self, breaker: str) -> None:
        self.breaker = self.turn = breaker
        white = self.side(breaker)
        self.colour = {white: "white", self.other(white): "black"}
        self.left = {"white": 9, "black": 9, "queen": 1}
        self.queen, self.queen_side = "board", None
        self.owed = dict.fromkeys(self.seats, 0)
        self.had = dict.fromkeys(self.seats, False)
        self.strokes = self.tries = self.passes = self.demand = 0
        self.broken = self.over = self.drawn = False
        self.score_before = dict(self.score)

    def hand(self, side: str) -> int:
        return 9 - self.left[self.colour[side]]

    def next_board(self) -> None:
        """Opens the board that follows."""
        assert self.over
        assert not self.match_over
        breaker = self.next_breaker
        if self.game_over:
            self.score = dict.fromkeys(self.seats, 0)
            self.number, self.game_over, self.began_game = 1, False, breaker
        else:
            self.number += 1
        self.open_board(breaker)

    def lose_turn(self) -> None:
        self.turn, self.strokes, self.tries = self.follows(self.turn), 0, 0

    def settle(self) -> dict[str, int]:
        """Takes out what is owed and available; says how many each side paid.

        Law 95c: whoever pocketed it, who has a piece in hand has had one, however the hand is emptied.
        """
        paid = {}
        for side, colour in self.colour.items():
            self.had[side] = self.had[side] or self.hand(side) > 0
            paid[side] = min(self.owed[side], self.hand(side))
            self.owed[side] -= paid[side]
            self.left[colour] += paid[side]
        return paid

    def says(
        self, *, kept: bool | None, paid: dict[str, int] | None = None, back: int = 0, **more: Any
    ) -> dict[str, Any]:
        """What the ruling must say now."""
        said = {
            "turn": self.sits.get(self.turn),
            "turn_kept": kept,
            "queen": self.queen,
            "queen_side": self.queen_side,
            "left": dict(self.left),
            "in_hand": {side: self.hand(side) for side in self.seats},
            "owed": dict(self.owed),
            "score": dict(self.score),
            "games": dict(self.games),
            "paid": paid or dict.fromkeys(self.seats, 0),
            "back": back,
            "number": self.number,
            "over": self.over,
            "game_over": self.game_over,
            "match_over": self.match_over,
        } | more
        if self.over:  # nothing is said of a queen that nobody can cover any more
            del said["queen"], said["queen_side"]
        return said

    def shot(self, event: dict[str, Any]) -> dict[str, Any]:
        """A stroke by the seat on turn."""
        if self.over:
            self.next_board()
        self.played = True
        side = self.side(self.turn)
        own, other = self.colour[side], self.colour[self.other(side)]
        fell = [one["piece"] for one in event.get("pocketed", [])]
        n, m, q, s = fell.count(own), fell.count(other), "queen" in fell, "striker" in fell
        fouls = self.violations(event)
        proper = not fouls
        touched = any(one["with"] != "cushion" for one in event.get("contacts", [{"with": "white"}]))
        self.passes = 0
        if not self.broken and not touched:
            return self.failed_break(proper and not s) | {"fouls": fouls}
        self.broken = True
        before = {"board": "ON", "pending": "PEND"}.get(self.queen) or ("OWN" if self.queen_side == side else "OPP")
        self.left[own] -= n
        self.left[other] -= m
        self.left["queen"] -= q
        out = stroke_outcome(
            before=before,
            q=q,
            proper=proper,
            s=s,
            n=n,
            m=m,
            a=self.left[own],
            b=self.left[other],
            e=self.had[side],
            u=self.owed[side],
            sp=self.score[side],
            so=self.score[self.other(side)],
        )
        if out.winner:
            ended = self.end_board(side if out.winner == "P" else self.other(side), out.points, out.demand)
            return ended | {"fouls": fouls}
        self.left[own] += out.back
        self.left["queen"] += out.queen_back
        self.queen = {"ON": "board", "PEND": "pending", "OWN": "covered", "OPP": "covered"}[out.queen or "ON"]
        self.queen_side = {"ON": None, "PEND": side, "OWN": side, "OPP": self.other(side)}[out.queen or "ON"]
        self.owed[side] += out.due
        paid = self.settle()
        if out.keep:
            self.strokes += 1
        else:
            self.lose_turn()
        jumped = [one for one in event.get("off_board", []) if one != "striker"]
        return self.says(kept=out.keep, paid=paid, back=out.back + out.queen_back + len(jumped), fouls=fouls)

    @staticmethod
    def violations(event: dict[str, Any]) -> list[str]:
        """The clauses that the stroke broke (3.1 to 3.4, 3.14)."""
        at = event.get("placement", {})
        found = {
            "icf-130a": at.get("lines") in IMPROPER_LINES,
            "icf-130b": at.get("circle") == "partial" or at.get("arrow"),
            "icf-50": event.get("elapsed", 0) > 15,
        }
        return sorted(clause for clause, broken in found.items() if broken)

    def failed_break(self, clean: bool) -> dict[str, Any]:
        """Nothing was touched: two more chances, or the break passes on (2.9 to 2.11)."""
        self.tries += 1
        self.strokes += 1
        if clean and self.tries < 3:
            return self.says(kept=True)
        self.lose_turn()
        return self.says(kept=False)

    def end_board(self, winner: str, points: int, demand: int) -> dict[str, Any]:
        if self.trial is not None:  # nothing of it is scored
            points = demand = 0
        points = min(points, 12)
        self.demand, self.winner = min(demand, 12 - points), winner
        self.over, self.games_before = True, dict(self.games)
        self.owed = dict.fromkeys(self.seats, 0)
        self.score[winner] += points
        self.close()
        said = self.says(kept=None, board_winner=winner, points=points, on_demand=self.demand)
        if self.trial is not None:
            del said["turn"]  # who breaks the next trial board is not said
        return said

    def close(self) -> None:
        """Is the game over, is the match over, who breaks next?"""
        a, b = self.score.values()
        last = self.number >= self.boards or self.round_over
        if self.trial is None and (max(a, b) >= self.points or (last and a != b)):
            ahead = max(self.score, key=self.score.__getitem__)
            self.games = {side: n + (side == ahead) for side, n in self.games_before.items()}
            self.game_over = True
        else:
            self.games, self.game_over = dict(self.games_before), False
        self.match_over = max(self.games.values()) > self.best_of // 2 or (self.game_over and self.round_over)
        self.next_breaker = self.follows(self.began_game if self.game_over else self.breaker)
        self.turn = None if self.match_over else self.next_breaker

    def claim(self, points: int) -> dict[str, Any] | None:
        """Extra points on demand; None when there are not so many."""
        if not self.over or not 0 < points <= self.demand:
            return None
        self.demand -= points
        self.score[self.winner] += points
        self.close()
        return {"score": dict(self.score), "games": dict(self.games), "on_demand": self.demand}

    def foul_call(self, seat: str) -> dict[str, Any]:
        """A foul by the general clause (8.1, 8.2): one piece, and the turn unless it was technical."""
        side = self.side(seat)
        self.owed[side] += 1
        costs_turn = seat == self.turn and self.strokes > 0
        back = 0
        if costs_turn:
            back = self.drop_pending()
            self.lose_turn()
        return self.says(kept=None, paid=self.settle(), back=back)

    # what else happens at a table

    def seen(self) -> dict[str, Any]:
        """The camera saw something: an umpire may act on it, by itself it changes nothing."""
        return self.says(kept=None)

    def change_seats(self, sits: dict[str, str]) -> dict[str, Any]:
        """Everybody has moved on by so many places (9.9): the turn goes with its player, sides keep their names."""
        self.sits = sits
        return self.says(kept=None)

    def begin_trial(self) -> dict[str, Any]:
        """A trial board (2.3): as any, but not scored; what was before comes back with «play»."""
        self.trial = deepcopy(self)
        self.open_board(self.breaker)
        return self.says(kept=None)

    def call_play(self) -> dict[str, Any]:
        """«Play» ends a trial board; in a board it changes nothing."""
        if self.trial is not None:
            sits, over, before = self.sits, self.round_over, self.trial
            self.__dict__.update(before.__dict__)
            self.sits, self.round_over = sits, over
        return self.says(kept=None)

    def end_round(self) -> dict[str, Any]:
        """The round's time is over: this board is the last; between boards the leader has won."""
        self.round_over = True
        if self.over and self.trial is None:
            self.close()
        return self.says(kept=None)

    def draw(self) -> dict[str, Any]:
        """The board ends level by agreement; it counts as a board."""
        self.demand, self.over, self.drawn, self.games_before = 0, True, True, dict(self.games)
        self.owed = dict.fromkeys(self.seats, 0)
        self.close()
        return self.says(kept=None, board_winner=None, points=0, on_demand=0)

    def late_foul(self) -> dict[str, Any]:
        """A foul called when the board is over: debts lapse, so there is none."""
        return self.says(kept=None)

    def played_by_the_wrong_side(self) -> dict[str, Any]:
        """A stroke out of turn is void, whatever it did (8.9); the board loss waits for the umpire."""
        return self.says(kept=False if self.over else None)

    def set_parts(self, parts: dict[str, Any]) -> dict[str, Any] | None:
        """The umpire sets parts of the latest ruling; None where the pieces do not add up."""
        queen = parts.get("queen", self.queen)
        side = parts.get("queen_side", None if queen == "board" else self.queen_side)
        turn = self.player(parts["turn"]) if "turn" in parts else self.turn
        left = {**self.left, **parts.get("left", {})}
        if "queen" in parts.get("left", {}) and left["queen"] != (queen == "board"):
            return None
        left["queen"] = int(queen == "board")
        wrong = max(left["white"], left["black"]) > 9 or min(left["white"], left["black"]) < 1
        if wrong or (queen == "board") != (side is None) or (queen == "pending" and side != self.side(turn)):
            return None
        if turn != self.turn:  # strokes "in this turn" and chances to break (2.9) are the player's own
            self.turn, self.strokes, self.tries = turn, 0, 0
        self.queen, self.queen_side, self.left = queen, side, left
        self.owed |= parts.get("owed", {})
        self.score |= parts.get("score", {})
        self.score_before = dict(self.score)
        for one in self.seats:
            self.had[one] = self.had[one] or self.hand(one) > 0
        return self.says(kept=None)

    def set_board(self, winner: str, points: int) -> dict[str, Any]:
        """The umpire sets who won the board that has just ended, and by how much."""
        self.score = dict(self.score_before)
        self.score[winner] += points
        self.winner, self.games = winner, dict(self.games_before)
        self.demand = min(self.demand, 12 - points)
        self.close()
        return self.says(kept=None, board_winner=winner, points=points)

    def take_over(self, position: dict[str, Any]) -> dict[str, Any] | None:
        """`set`: play on from here; what it does not name stays. None where it cannot be."""
        if any(won > self.best_of // 2 for won in position.get("games", {}).values()):
            return None
        queen = {key: position[key] for key in ("queen", "queen_side") if key in position}
        if queen.get("queen") == "board":
            queen["queen_side"] = None
        before = deepcopy(self.__dict__)
        self.games |= position.get("games", {})
        said = self.set_parts({key: value for key, value in position.items() if key in SET} | queen)
        if said is None:
            self.__dict__.update(before)
            return None
        self.strokes = position.get("strokes", self.strokes)
        self.number = position.get("board", self.number)
        gone = min(self.left.values()) < 1 or min(self.left["white"], self.left["black"]) < 9
        self.broken = position.get(
            "break_done", self.broken or gone or any(self.owed.values()) or any(self.had.values())
        )
        return self.says(kept=None)

    def player(self, seat: str) -> str:
        return next(player for player, sits in self.sits.items() if sits == seat)

    def timeout(self) -> dict[str, Any]:
        return self.foul_call(self.turn)

    def skip(self) -> dict[str, Any]:
        """The side on turn passes; six in a row replay the board."""
        self.passes += 1
        if self.passes == 6:
            self.open_board(self.breaker)
            return self.says(kept=None)
        back = self.drop_pending()
        passes = self.passes
        self.lose_turn()
        self.passes = passes
        return self.says(kept=False, back=back)

    def drop_pending(self) -> int:
        if self.queen != "pending":
            return 0
        self.queen, self.queen_side = "board", None
        self.left["queen"] = 1
        return 1
