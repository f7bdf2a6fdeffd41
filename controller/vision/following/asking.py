"""Asking for the whole board to be found in a picture: at once, or in a thread beside the following.

Finding takes as long as a handful of frames. A recording waits for it; a camera does not.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from controller.vision.finding.find import Finding
from controller.vision.sources.frame import Frame

Find = Callable[[Frame], Finding]


class Answer(Protocol):
    """A finding that is there or on its way. `result` waits for it and raises what the finder raised."""

    def done(self) -> bool:
        """Whether `result` will not wait."""
        ...

    def result(self) -> Finding:
        """The finding."""
        ...


Ask = Callable[[Frame], Answer]


def at_once(find: Find) -> Ask:
    """Every question is answered before it returns: the same input gives the same output."""

    def ask(frame: Frame) -> Answer:
        answer: Future[Finding] = Future()
        answer.set_result(find(frame))
        return answer

    return ask


def beside(find: Find) -> Ask:
    """Questions are answered by one thread, in their order, while the follower goes on."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="finder")

    def ask(frame: Frame) -> Answer:
        return thread.submit(find, frame)

    return ask
