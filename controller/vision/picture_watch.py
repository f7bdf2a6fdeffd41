"""Whether a camera still looks, and whether it sees colours: no single picture's coming shows that. Pure."""

from __future__ import annotations

import cv2
import numpy as np

from controller.events.observation import Observation
from controller.vision.colourless import without_colours
from controller.vision.sources.frame import Frame

FROZEN_S = 3.0
"""No sensor gives the same pixels twice, as its noise is another each time. A camera that hangs sends its last picture
on; one that lost a few frames, and filled them up with the last, looks again within this time."""
FROZEN = (
    f"the camera is frozen: for more than {FROZEN_S:g} s it has sent the very same picture, pixel by pixel, as no "
    "sensor gives it. Fix: take the camera's supply away for a moment"
)

COLOUR_S = 10.0
"""Between two looks for colours: a camera changes to its night mode seldom."""
LEAST_CHROMA = 4.0
"""Of 255, between the least and the most of either colour difference, the outermost 0.5 % left out: 395 photographs
and rendered pictures of boards have 18 and more, grey ones none."""
LEAST_LUMA = 40.0
"""Of 255, the median: in a darker picture colours vanish by themselves, and darkness has a line of its own."""
NO_COLOUR = (
    "no colour: the camera sends grey pictures, in which white, black and queen look alike: what falls is asked. "
    "Fix: switch its night mode (infrared) or black and white off"
)


class PictureWatch:
    """Takes a camera's pictures in their order.

    `frozen`, `no_colour`: what is wrong now, in words with the way out, empty if nothing is. A recording may repeat
    its pictures: then with `live` false nothing counts as frozen.
    """

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._pixels = b""
        self._since_ns = 0
        self._colour_ns: int | None = None
        self.frozen = ""
        self.no_colour = ""

    def take(self, frame: Frame) -> None:
        """Takes the next picture. Raises DeviceError where its colours are due and it cannot be decoded."""
        if self._live:
            pixels = frame.pixels()
            if pixels != self._pixels or frame.t_ns < self._since_ns:
                self._pixels, self._since_ns = pixels, frame.t_ns
            self.frozen = FROZEN if frame.t_ns - self._since_ns >= FROZEN_S * 1e9 else ""
        if self._colour_ns is None or abs(frame.t_ns - self._colour_ns) >= COLOUR_S * 1e9:
            self._colour_ns = frame.t_ns
            self.no_colour = "" if has_colour(frame) else NO_COLOUR

    def seen(self, observation: Observation) -> Observation:
        """Returns what was made of these pictures, as far as their camera can tell."""
        return without_colours(observation) if self.no_colour else observation


def has_colour(frame: Frame) -> bool:
    """Whether a picture shows any colour, or is too dark to tell. Raises DeviceError if it cannot be decoded."""
    luma, *chroma = cv2.split(cv2.cvtColor(frame.small_bgr(), cv2.COLOR_BGR2YCrCb))
    spread = max(float(np.ptp(np.percentile(one, (0.5, 99.5)))) for one in chroma)
    return spread >= LEAST_CHROMA or float(np.median(luma)) < LEAST_LUMA
