"""What the table sees and feels while it proves itself: pictures to looks, beam events to interruptions."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from controller.commands.acceptance.session import Acceptance, Guidance, Seen
from controller.commands.check_pockets import HELLO_S
from controller.commands.running import Loan, borrowed_beams
from controller.config import Config
from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.events.errors import ConfigError
from controller.pockets.pulses import Pulses
from controller.table.machine.clock import open_clock
from controller.table.machine.pocket_source import pocket_source
from controller.vision.calibration_file import Calibration
from controller.vision.elsewhere import grey
from controller.vision.finding import find
from controller.vision.looks import Pixels
from controller.vision.quality import surface_mask
from controller.vision.sources.frame import other_size


class Looker:
    """Turns pictures (h, w, 3) BGR into looks, by the calibration as it is stored: a nudge is not corrected here."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._surface = surface_mask(calibration.model, calibration.board)

    def look(self, picture: Pixels) -> Seen:
        """Returns what lies on the board. Raises ConfigError for pictures of another size."""
        own = self._calibration
        if wrong := other_size((picture.shape[1], picture.shape[0]), own.model.size):
            raise ConfigError(wrong)
        found = find(picture, own.model, own.looks, own.board)
        return Seen(
            tuple((piece.x_mm, piece.y_mm) for piece in found.pieces if piece.piece == "striker"),
            len(found.pieces),
            bool(found.hands or found.foreign),
            float(np.median(grey(picture)[self._surface])),
        )


class Beams:
    """The beams of a table, read now and then. `fitted`: whether it has any; silent until their node says hello."""

    def __init__(self, heard: queue.SimpleQueue[PocketEvent], loan: Loan, *, fitted: bool) -> None:
        self._heard, self._loan = heard, loan
        self._silent = fitted
        self._pulses = Pulses()
        self._says = ""

    def feed(self, acceptance: Acceptance) -> tuple[Guidance, ...]:
        """Gives an acceptance all that came since. Raises DeviceError once the running table wants its beams back."""
        self._loan.check()
        said: list[Guidance] = []
        if self._silent:
            acceptance.beams((), silent=True)
        while not self._heard.empty():
            event = self._heard.get()
            if isinstance(event, BeamEdge):
                passages = self._pulses.edge(event)
            elif isinstance(event, BeamHealth):
                passages = self._pulses.until(event.t_ns)
                blind = (f"{pocket} blind" for pocket in event.blind)
                self._silent = event.link != "up"
                acceptance.beams((*(" ".join(place) for place in event.blocked), *blind), silent=self._silent)
                said += self._link(event)
            else:
                self._pulses.forget()
                said.append(Guidance("failed", f"beam edges were lost ({event.why}): press «again»"))
                continue
            for passage in passages:
                said += acceptance.felt(passage)
        return tuple(said)

    def _link(self, health: BeamHealth) -> Iterator[Guidance]:
        says = "" if health.link == "up" else f"the pocket node is {health.link}: check the cable and pockets.port"
        if says and says != self._says:
            yield Guidance("wanted", says)
        self._says = says


@contextmanager
def beams_of(config: Config) -> Iterator[Beams]:
    """Borrows the beams of the running table, or opens them; waits a while for their node to say hello.

    Raises DeviceError where they are not lent.
    """
    heard: queue.SimpleQueue[PocketEvent] = queue.SimpleQueue()
    up = threading.Event()

    def emit(event: PocketEvent) -> None:
        heard.put(event)
        if isinstance(event, BeamHealth) and event.link == "up":
            up.set()

    source = pocket_source(
        config.pockets, open_clock(config.clock.file), lambda _edges: None, emit, lambda _epoch: None
    )
    if source is None:
        yield Beams(heard, Loan(), fitted=False)
        return
    with borrowed_beams(config) as loan:
        source.start()
        loan.watch(source.stop)
        try:
            up.wait(HELLO_S)
            yield Beams(heard, loan, fitted=True)
        finally:
            source.stop()
