"""A show that tests can interrupt: between strokes, in the middle of one, or just when it comes to rest."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from controller.commands.demo import play
from controller.commands.demo.broker import ChildBroker
from controller.commands.demo.house import House
from controller.commands.demo.show import Show, Waiting
from controller.events.errors import CarromError
from controller.simulator.happenings import BeamChange, Decision, Happening
from tests.patience import PATIENCE_S

Between = Callable[[House, "InterruptedShow"], Iterator[None]]
"""Something that happens between two strokes: yields while pictures go on, until play may."""

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


def broker_falls(broker: ChildBroker) -> None:
    """Kills the demo's broker outright and starts it again, as its service manager would; it remembers nothing."""
    process = broker._process
    process.kill()
    process.wait()
    command = list(process.args)  # type: ignore[arg-type]
    # Without its leash: it is the thread that plays the board that starts it, and that one ends with the show.
    command = command[command.index("--") + 1 :] if "--" in command else command
    with broker._log.open("ab") as log:
        broker._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    broker.wait_until_up()


@dataclass
class MixedKiller:
    """Kills eyes, broker and daemon at random, often several at once, `times` processes in `pauses` pauses: between
    strokes any of them; while a piece falls and when a stroke comes to rest, daemon or broker (what the eyes alone have
    seen of a stroke that goes on is gone with them, and asked about). `seed` says who and when.

    `killed`: moment and victims of each; `changes`: how often a beam changed.
    """

    stands: House
    times: int
    pauses: int
    seed: int
    killed: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    back_s: list[float] = field(default_factory=list)
    changes: int = 0
    _paused: int = 0
    _broken: bool = False

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    @property
    def kills(self) -> int:
        """How many processes have been killed."""
        return sum(len(victims) for _, victims in self.killed)

    def before_the_break(self) -> None:
        """The daemon dies before anything was played: the board's clock stands, the wall's goes on."""
        said = len(self.stands.ears.words)
        self._kill("before the break", ("daemon",))
        assert self.stands.ears.wait_word("online", said, PATIENCE_S)

    def between(self, stands: House, _show: InterruptedShow) -> Iterator[None]:
        """Called in each pause, when everything has been put back."""
        self._paused += 1
        while self.kills < self.times and self.kills * self.pauses < self.times * self._paused:
            before = stands.official.state()["ruling"]
            began = time.monotonic()
            self._kill("between strokes", ("eyes", "broker", "daemon"))
            yield from until(self._whole, f"the table is whole again after {self.killed[-1]}")
            self.back_s.append(time.monotonic() - began)
            assert figures(stands.official.state()["ruling"]) == figures(before), self.killed[-1]

    def at(self, happening: Happening) -> None:
        """Called at everything that happens."""
        falls = isinstance(happening, BeamChange) and happening.blocked
        self.changes += isinstance(happening, BeamChange)
        rests = isinstance(happening, Decision) and happening.kind == "ruling"
        if not (falls or rests) or self.kills >= self.times or not self._whole():
            return
        if rests and not self._broken:
            # Always in the break: nothing has been ruled on yet by which a restart could find its way.
            self._broken = True
            self._kill("break", ("daemon",))
        elif self._random.random() < 0.5:
            self._kill("falling" if falls else "rest", ("daemon", "broker"))

    def _kill(self, moment: str, who: tuple[str, ...]) -> None:
        stage, ears = self.stands.stage, self.stands.ears
        victims = tuple(self._random.sample(who, self._random.randint(1, len(who))))
        self.killed.append((moment, victims))
        self._since = {name: child.starts for name, child in stage.children.items() if name in victims}
        said = len(ears.words)
        for victim in victims:
            if victim == "broker":
                broker_falls(self.stands.broker)
            else:
                stage.kill(victim)
        if "broker" in victims:
            # What is not retained finds nobody while the broker is away: the next ruling would be told to no one.
            assert ears.wait_word("online", said, PATIENCE_S), self.killed[-1]
        elif "daemon" in victims:
            assert ears.wait_word("offline", said, PATIENCE_S), self.killed[-1]
        self._said = said

    def _whole(self) -> bool:
        """Everybody who was killed runs again, and eyes, node and broker are well by the page."""
        stands = self.stands
        since = getattr(self, "_since", {})
        if any(stands.stage.children[name].starts <= starts for name, starts in since.items()):
            return False
        try:
            health = stands.official.state()["health"]
        except (OSError, CarromError, ValueError):
            return False
        eyes_are_back = "eyes" not in since or "degraded" in stands.ears.words[self._said :]
        well = health["armed"] == "armed" and health["broker"] == "ok"
        return bool(well and stands.ears.online and stands.ears.armed == "armed" and eyes_are_back)
