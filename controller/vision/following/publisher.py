"""Decides when to publish: the board on change and every two seconds, hands at most ten times a second, health each
second, a hidden board at once.

Knows times and what was published last; must not know pictures.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.observation import BoardSeen, Hand, HandsSeen, Observation

REPUBLISH_NS = 2_000_000_000
"""An unchanged board is published this often, so that who came late knows it."""
PUBLISH_NS = 100_000_000
HEALTH_NS = 1_000_000_000


class Publisher:
    """What was published when. `rest`: the board has been published at all."""

    def __init__(self) -> None:
        self._board_ns = self._hands_ns = self._moving_ns = self._health_ns = -REPUBLISH_NS
        self._blind = False
        self._hands: tuple[int, frozenset[str | None]] = (0, frozenset())
        self.rest = False

    def health_due(self, t_ns: int, *, blind: bool) -> bool:
        """Whether health is to be published now; if so it counts as published. `blind`: the board cannot be found."""
        due = t_ns - self._health_ns >= HEALTH_NS or blind != self._blind
        if due:
            self._health_ns, self._blind = t_ns, blind
        return due

    def moving_due(self, t_ns: int) -> bool:
        """Whether moving places are to be published now; if so they count as published."""
        due = t_ns - self._moving_ns >= PUBLISH_NS
        if due:
            self._moving_ns = t_ns
        return due

    def board_due(self, t_ns: int) -> bool:
        """Whether an unchanged board is to be published again."""
        return not self.rest or t_ns - self._board_ns >= REPUBLISH_NS

    def board(self, board: BoardSeen, t_ns: int, out: list[Observation]) -> None:
        """Says the board."""
        self.rest, self._board_ns = True, t_ns
        out.append(replace(board, t_ns=t_ns))

    def hands_due(self, t_ns: int, *, any_now: bool) -> bool:
        """Whether it is worth while to describe the hands."""
        return (any_now or self._hands[0] != 0) and t_ns - self._hands_ns >= PUBLISH_NS

    def hands(self, described: tuple[Hand, ...], t_ns: int, out: list[Observation]) -> HandsSeen:
        """Publishes the hands if they changed; returns them as they would be published."""
        self._hands_ns = t_ns
        seen = HandsSeen(t_ns, described)
        key = (len(described), frozenset(hand.side for hand in described))
        if key != self._hands:
            self._hands = key
            out.append(seen)
        return seen
