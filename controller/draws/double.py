"""A double elimination: who loses once goes on at the losers' side, who loses twice is out."""

from __future__ import annotations

from controller.draws.knockout import paired
from controller.draws.matches import Match, loser, winner
from controller.draws.places import Places


def double(places: Places) -> list[Match]:
    """Returns all matches, those that decide who plays a match above it.

    `GF` is the final of both sides; `GF2` is the last line, and is played only where the losers' side wins `GF`.
    """
    played: list[list[Match]] = []
    lost = _Losers(played)
    crossed = crossings((len(places) - 1).bit_length())
    now = places
    for number, mask in enumerate(crossed, 1):
        matches, now, out = paired(now, f"W{number}", f"W{number}-")
        played.append(matches)
        lost.take(out, mask)
    (first,), second = now, lost.last()
    assert first is not None
    final = Match("GF", "GF", first, second)
    return [
        *(match for matches in played for match in matches),
        final,
        Match("GF2", "GF2", winner(final), loser(final)),
    ]


class _Losers:
    """The losers' side as it is filled, a round of the winners' side at a time."""

    def __init__(self, played: list[list[Match]]) -> None:
        self._played = played
        self._now: Places = []
        self._rounds = 0

    def take(self, out: Places, mask: int) -> None:
        """Takes in a round's losers: the first ones play each other, later ones who is left here. A part that nobody
        has come to lets who comes go on."""
        if self._now:
            crossed = [out[place ^ mask] for place in range(len(out))]
            self._now = [side for both in zip(self._now, crossed, strict=True) for side in both]
            self._play()
        else:
            self._now = out
        if len(self._now) > 1:
            self._play()

    def last(self) -> tuple[str, ...]:
        """Returns who is left."""
        (side,) = self._now
        assert side is not None
        return side

    def _play(self) -> None:
        number = self._rounds + 1
        matches, self._now, _ = paired(self._now, f"L{number}", f"L{number}-")
        if matches:
            self._rounds = number
            self._played.append(matches)


def crossings(rounds: int) -> list[int]:
    """Returns for each round of the winners' side how its losers are crossed over: the loser of match i (from 0) meets
    the part i XOR that number of the losers' side.

    Each is the one by which those who met once meet again last: the fewest can in the nearest round, then in the next
    one, and so on.
    """
    masks = [0]
    for number in range(2, rounds + 1):

        def meetings(mask: int, number: int = number) -> list[int]:
            """How many pairs of a part can meet again, by how many rounds from now on."""
            many = [0] * (rounds + 1)
            for other, before in enumerate(masks, 1):
                many[(mask ^ (before >> (number - other))).bit_length()] += 1 << (number - other)
            return many

        masks.append(min(range(1 << (rounds - number)), key=lambda mask: (meetings(mask), mask)))
    return masks
