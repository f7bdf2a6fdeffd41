"""Asking for the whole board to be found in a picture: at once, or in a thread beside the following.

Finding takes as long as a handful of frames. A recording waits for it; a camera does not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from calibration.camera import CameraModel
from controller.vision.finding.find import Finding
from controller.vision.sources.frame import Frame

_log = logging.getLogger(__name__)

Find = Callable[[Frame, CameraModel], Finding]


class Answer(Protocol):
    """A finding that is there or on its way. `result` waits for it and raises what the finder raised."""

    def done(self) -> bool:
        """Whether `result` will not wait."""
        ...

    def result(self) -> Finding:
        """The finding."""
        ...


Ask = Callable[[Frame, CameraModel], Answer]


def at_once(find: Find) -> Ask:
    """Every question is answered before it returns: the same input gives the same output."""

    def ask(frame: Frame, model: CameraModel) -> Answer:
        answer: Future[Finding] = Future()
        try:
            answer.set_result(find(frame, model))
        except Exception as error:
            answer.set_exception(error)
        return answer

    return ask


def beside(find: Find) -> Ask:
    """Questions are answered by one thread, in their order, while the follower goes on."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="finder")

    def ask(frame: Frame, model: CameraModel) -> Answer:
        return thread.submit(find, frame, model)

    return ask


class Asking:
    """The one who asks. A finder that fails in a picture has seen nothing in it: that is counted, and never raised.

    `failed`: pictures in which finding failed so far. `trouble`: the last failure in words, empty again once a
    finding came.
    """

    def __init__(self, ask: Ask, model: CameraModel) -> None:
        self._ask = ask
        self.model = model
        self.failed = 0
        self.trouble = ""

    def __call__(self, frame: Frame) -> Answer:
        """Asks for the whole board in a picture."""
        return self._ask(frame, self.model)

    def result(self, answer: Answer) -> Finding | None:
        """The finding, waiting for it; None if it failed."""
        try:
            sight = answer.result()
        except Exception as error:
            self.failed += 1
            said = f"{type(error).__name__}: {' '.join(str(error).split())}"
            if not self.trouble:
                _log.warning("finding the pieces failed", exc_info=error)
            self.trouble = f"finding the pieces failed in {self.failed} pictures ({said}); the next is tried"
            return None
        self.trouble = ""
        return sight
