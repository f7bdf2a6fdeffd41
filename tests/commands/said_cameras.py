"""What cameras say of themselves when they are asked for their modes: libcamera's list, a V4L2 driver's answers."""

from __future__ import annotations

import errno
import struct
from collections.abc import Mapping, Sequence

IMX296 = """\
Available cameras
-----------------
0 : imx296 [1456x1088 10-bit RGGB] (/base/soc/i2c0mux/i2c@1/imx296@1a)
    Modes: 'SRGGB10_CSI2P' : 1456x1088 [60.38 fps - (0, 0)/1456x1088 crop]

    Available controls for 1456x1088 SRGGB10_CSI2P mode:
    ----------------------------------------------------
    ScalerCrop : [(0, 0)/64x64..(0, 0)/1456x1088]
"""
IMX477_IMX708 = """\
Available cameras
-----------------
0 : imx477 [4056x3040] (/base/soc/i2c0mux/i2c@1/imx477@1a)
    Modes: 'SRGGB10_CSI2P' : 1332x990 [120.05 fps - (696, 528)/2664x1980 crop]
           'SRGGB12_CSI2P' : 2028x1080 [50.03 fps - (0, 440)/4056x2160 crop]
                             2028x1520 [40.01 fps - (0, 0)/4056x3040 crop]
                             4056x3040 [10.00 fps - (0, 0)/4056x3040 crop]

1 : imx708_wide_noir [4608x2592 10-bit RGGB] (/base/soc/i2c0mux/i2c@0/imx708@1a)
    Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]
                             2304x1296 [56.03 fps - (0, 0)/4608x2592 crop]
                             4608x2592 [14.35 fps - (0, 0)/4608x2592 crop]
"""
IMX708 = """\
Available cameras
-----------------
0 : imx708 [4608x2592 10-bit RGGB] (/base/axi/pcie@1000120000/rp1/i2c@88000/imx708@1a)
    Modes: 'SRGGB10_CSI2P' : 1536x864 [120.13 fps - (768, 432)/3072x1728 crop]
                             2304x1296 [56.03 fps - (0, 0)/4608x2592 crop]
                             4608x2592 [14.35 fps - (0, 0)/4608x2592 crop]
"""
IMX219 = """\
Available cameras
-----------------
0 : imx219 [3280x2464 10-bit RGGB] (/base/axi/pcie@1000120000/rp1/i2c@70000/imx219@10)
    Modes: 'SRGGB10_CSI2P' : 640x480 [206.65 fps - (1000, 752)/1280x960 crop]
                             1640x1232 [41.85 fps - (0, 0)/3280x2464 crop]
                             1920x1080 [47.57 fps - (680, 692)/1920x1080 crop]
                             3280x2464 [21.19 fps - (0, 0)/3280x2464 crop]
           'SRGGB8' : 640x480 [206.65 fps - (1000, 752)/1280x960 crop]
                      1640x1232 [83.70 fps - (0, 0)/3280x2464 crop]
                      1920x1080 [47.57 fps - (680, 692)/1920x1080 crop]
                      3280x2464 [21.19 fps - (0, 0)/3280x2464 crop]
"""
"""As `rpicam-hello --list-cameras` prints them."""


class Driver:
    """A V4L2 driver's answers: by format and size the intervals that it offers, in seconds as a fraction.

    `kind`: 1 for sizes one by one, 3 for any between two. `endless`: its lists have no last entry.
    """

    def __init__(
        self,
        offers: Mapping[str, Mapping[tuple[int, int], Sequence[tuple[int, int]]]],
        kind: int = 1,
        *,
        endless: bool = False,
    ) -> None:
        self.offers = offers
        self.kind = kind
        self.endless = endless

    def __call__(self, request: int, entry: bytearray) -> None:
        index, code = struct.unpack_from("=2I", entry)
        sizes = self.offers.get(code.to_bytes(4, "little").decode(), {})
        # The last byte of the request is its number; the entry's length stands in it, too.
        assert len(entry) == request >> 16 & 0x3FFF
        if request & 0xFF == 74:
            told: tuple[int, ...] = self._of(list(sizes), index)
            struct.pack_into("=3I", entry, 8, self.kind, *told)
        else:
            assert request & 0xFF == 75
            told = self._of(sizes[struct.unpack_from("=2I", entry, 8)], index)
            struct.pack_into("=3I", entry, 16, 1, *told)

    def _of(self, told: Sequence[tuple[int, int]], index: int) -> tuple[int, int]:
        if index >= len(told) and not self.endless:
            raise OSError(errno.EINVAL, "no more")
        return told[min(index, len(told) - 1)]


S = {fps: (1, fps) for fps in (5, 10, 25, 30, 50, 60, 120)}
WEBCAM_60 = {
    "YUYV": {(640, 480): [S[30]], (1280, 720): [S[10]]},
    "MJPG": {(640, 480): [S[120], S[60]], (1280, 720): [S[60], S[30]], (1600, 1200): [S[30], S[5]]},
}
WEBCAM_4K = {"MJPG": {(3840, 2160): [S[30]], (1920, 1080): [S[60], S[30]], (1280, 720): [S[60]]}}
WEBCAM_30 = {"MJPG": {(640, 480): [S[30], S[25]], (1280, 720): [(333_333, 10_000_000), S[25]], (1920, 1080): [S[5]]}}
