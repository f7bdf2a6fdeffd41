"""A show that tests can interrupt: between strokes, in the middle of one, or just when it comes to rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from controller.commands.demo import play
from controller.commands.demo.house import House
from controller.commands.demo.show import Show, Waiting
from controller.simulator.happenings import BeamChange, Decision, Happening

Between = Callable[[House, "InterruptedShow"], Iterator[None]]
"""Something that happens between two strokes: yields while pictures go on, until play may."""

PATIENCE_S = 90.0
FIGURES = ("turn", "queen", "left", "in_hand", "owed", "score", "games")


class InterruptedShow(Show):
    """A show in which something happens after each stroke, when everything has been put back, or at any happening."""

    between: Callable[[], Iterator[None]] = staticmethod(lambda: iter(()))
    at: Callable[[Happening], None] = staticmethod(lambda _happening: None)
    _happening: Iterator[None] | None = None

    def shown(self, happening: Happening) -> None:
        self.at(happening)
        super().shown(happening)

    def _settled(self, waiting: Waiting) -> bool:
        # Whoever sits at the umpire's page waits as well while the table is away.
        return self.ears.online and super()._settled(waiting)

    def _ready(self, late: float) -> bool:
        if self._happening is None:
            if not super()._ready(late):
                return False
            if self.over.is_set():
                return True
            self._happening = self.between()
        for _ in self._happening:
            return False
        self._happening = None
        return True


def perform(
    house: House,
    shots: int,
    between: Between | None = None,
    at: Callable[[Happening], None] | None = None,
    missed_after_s: float | None = None,
) -> InterruptedShow:
    """Plays some strokes in a house, with something happening between or in them. Returns the show with its tally."""
    show = InterruptedShow(house.board, house.ears, house.official, lambda *_: None, shots=shots)
    if between is not None:
        show.between = lambda: between(house, show)
    if at is not None:
        show.at = at
    if missed_after_s is not None:
        show.missed_after_s = missed_after_s
    play(house, show)
    return show


def until(holds: Callable[[], bool], what: str) -> Iterator[None]:
    """Lets pictures go on until something holds."""
    patience = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < patience, f"{what}: not in {PATIENCE_S:.0f} s"
        yield


def figures(ruling: dict) -> dict:
    """What a ruling says of the match."""
    return {name: ruling[name] for name in FIGURES}


@dataclass
class EyesKiller:
    """Kills the eyes between strokes, so many times in each pause, and waits until they see again.

    `back_s`: how long each took, from the kill to the table being armed again, on the machine's clock.
    """

    times: int
    in_each_pause: int = 1
    back_s: list[float] = field(default_factory=list)

    def __call__(self, stands: House, _show: InterruptedShow) -> Iterator[None]:
        for _ in range(min(self.in_each_pause, self.times - len(self.back_s))):
            said = len(stands.ears.words)
            began = time.monotonic()
            stands.stage.kill("eyes")
            yield from until(lambda said=said: "degraded" in stands.ears.words[said:], "degraded is shown")
            told = said + stands.ears.words[said:].index("degraded")
            yield from until(lambda told=told: "armed" in stands.ears.words[told:], "the eyes are back")
            self.back_s.append(time.monotonic() - began)


@dataclass
class DaemonKiller:
    """Kills the daemon outright: while a piece falls, just when a stroke comes to rest, and between strokes as often
    as it takes to have done it `times` times in `pauses` pauses. The board plays on meanwhile.

    `moments`: what was going on at each.
    """

    stands: House
    times: int
    pauses: int
    moments: list[str] = field(default_factory=list)
    back_s: list[float] = field(default_factory=list)
    _paused: int = 0

    def between(self, stands: House, _show: InterruptedShow) -> Iterator[None]:
        """Called in each pause, when everything has been put back."""
        self._paused += 1
        first = True
        while len(self.moments) < self.times and (first or len(self.moments) * self.pauses < self.times * self._paused):
            first = False
            before = stands.official.state()["ruling"]
            said = len(stands.ears.words)
            self._kill("between strokes")
            yield from self._back(said)
            assert figures(stands.official.state()["ruling"]) == figures(before)

    def at(self, happening: Happening) -> None:
        """Called at everything that happens."""
        rests = isinstance(happening, Decision) and happening.kind == "ruling"
        falls = isinstance(happening, BeamChange) and happening.blocked
        if not (rests or falls) or len(self.moments) >= self.times or not self._whole():
            return
        said = len(self.stands.ears.words)
        self._kill("falling" if falls else "rest")
        # It is the broker that notices first; the board does not wait for the daemon to come back.
        assert self.stands.ears.wait_word("offline", said, PATIENCE_S)

    def _whole(self) -> bool:
        return self.stands.ears.online and self.stands.ears.armed == "armed"

    def _kill(self, moment: str) -> None:
        self.moments.append(moment)
        self.stands.stage.kill("daemon")

    def _back(self, said: int) -> Iterator[None]:
        """Waits until the table is whole again. The board's clock stands still until the daemon is there: at full speed
        its start would cost the player on turn ten simulated seconds."""
        began = time.monotonic()
        ears = self.stands.ears
        assert ears.wait_word("offline", said, PATIENCE_S)
        gone = said + ears.words[said:].index("offline")
        assert ears.wait_word("online", gone, PATIENCE_S)
        yield from until(self._whole, "the table is armed again")
        self.back_s.append(time.monotonic() - began)
