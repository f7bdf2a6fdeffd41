"""Asking for the whole board to be found in a picture: at once, or in a thread beside the following.

Finding takes as long as a handful of frames. A recording waits for it; a camera does not.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from calibration.camera import CameraModel
from controller.vision.finding.find import Finding
from controller.vision.following.registration import Registration
from controller.vision.sources.frame import Frame

Find = Callable[[Frame, CameraModel], Finding]


Answer = Future[Finding]
Roi = tuple[float, float, float, float]
"""West, south, east and north edge of a part of the board, in mm."""

Ask = Callable[[Frame, CameraModel], Answer]
AskPart = Callable[[Frame, CameraModel, Roi], Answer]
CheckAnswer = Future[Registration]
Check = Callable[[Frame, CameraModel, Finding], CheckAnswer]
Q = ParamSpec("Q")
A = TypeVar("A")


def at_once(work: Callable[Q, A]) -> Callable[Q, Future[A]]:
    """Every question is answered before it returns: the same input gives the same output."""

    def ask(*args: Q.args, **kwargs: Q.kwargs) -> Future[A]:
        answer: Future[A] = Future()
        try:
            answer.set_result(work(*args, **kwargs))
        except Exception as error:
            answer.set_exception(error)
        return answer

    return ask


def one_thread() -> ThreadPoolExecutor:
    """The thread for `beside`."""
    return ThreadPoolExecutor(1, thread_name_prefix="finder")


def beside(work: Callable[Q, A], thread: ThreadPoolExecutor) -> Callable[Q, Future[A]]:
    """Questions are answered by one thread, in their order, while the follower goes on."""

    def ask(*args: Q.args, **kwargs: Q.kwargs) -> Future[A]:
        return thread.submit(work, *args, **kwargs)

    return ask
