"""The modes in which a camera delivers pictures: what each sees of the sensor, and which of them a picture comes from.

Must not know boards or grades. The installer imports it before anything is installed: the standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mode:
    """Size in pixels of what the sensor delivers and the most pictures a second.

    `crop_px`: column and row of the corner, width and height of the sensor's part that is read, in the sensor's own
    pixels; None where the camera does not tell.
    """

    width_px: int
    height_px: int
    fps: float
    crop_px: tuple[int, int, int, int] | None = None

    @property
    def part_px(self) -> tuple[int, int]:
        """Width and height of the part that is read, in the sensor's own pixels."""
        return self.crop_px[2:] if self.crop_px else (self.width_px, self.height_px)

    def read_for(self, size_px: tuple[int, int]) -> tuple[float, float]:
        """Width and height in the sensor's own pixels of what a picture of this size shows.

        What has another shape than the mode is cut from its middle.
        """
        shrink = min(self.width_px / size_px[0], self.height_px / size_px[1])
        return (
            size_px[0] * shrink * self.part_px[0] / self.width_px,
            size_px[1] * shrink * self.part_px[1] / self.height_px,
        )


def mode_for(modes: Iterable[Mode], size_px: tuple[int, int], fps: float) -> Mode:
    """Returns the mode from which `rpicam-vid` takes a picture of this size at this rate.

    As its `selectMode` weighs them, pictures a second that are missing count first, then another shape, then columns:
    one too few as much as eight too many.
    """

    def unlike(mode: Mode) -> tuple[float, float, float]:
        more = mode.width_px - size_px[0]
        shape = mode.width_px / mode.height_px - size_px[0] / size_px[1]
        return max(0.0, fps - mode.fps), round(abs(shape), 2), more if more >= 0 else -8 * more

    return min(modes, key=unlike)
