"""Damaged events by the thousand: how many come out of the decoder as something that was never sent."""

from __future__ import annotations

import binascii
import random

from controller.pockets.codec import Decoder


def trailer(body: bytes) -> bytes:
    return b"*%02x%04x\n" % (len(body), binascii.crc_hqx(body, 0xFFFF))


def hurt(line: bytes, rng: random.Random) -> bytes:
    """Damages one line: bits, lost bytes, doubled bytes, a burst, a piece of another line, or several of these."""
    data = bytearray(line)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(data) - 1)
        kind = rng.randrange(5)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at]
        elif kind == 2:
            data.insert(at, data[at])
        elif kind == 3:
            for place in range(at, min(len(data) - 1, at + rng.randint(2, 8))):
                data[place] = rng.randrange(256)
        else:
            data[at] = ord(rng.choice("0123456789 =abcdef*"))
    return bytes(data)


def wrongly_accepted(count: int, seed: int) -> int:
    """Sends `count` events, every one damaged, and returns how many events came out that were not sent."""
    rng = random.Random(seed)
    decoder = Decoder("node")
    wrong = 0
    for number in range(count):
        body = b"beam seq=%d us=%d s=%d lvl=%d" % (number, number * 7919, rng.randrange(8), number & 1)
        sent = body + trailer(body)
        before = {"seq": number, "us": number * 7919, "s": body.split(b"s=")[-1][0] - 48, "lvl": number & 1}
        for line in decoder.feed(hurt(sent, rng)):
            wrong += line.name != "beam" or dict(line.values) != before
    return wrong
