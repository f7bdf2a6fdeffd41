"""The firmware's core and its Python twin say the same bytes, whatever happens to them."""

from __future__ import annotations

import binascii
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.pockets.codec import Decoder, encode, seal
from controller.pockets.messages import MAX_HOST_LINE, RING
from controller.pockets.node_protocol import NodeCore, NodeSettings

BOOT = "0007"


class Twins:
    """Both cores, driven alike."""

    def __init__(self, make, kept: NodeSettings, us: int = 0) -> None:
        self.c = make(kept, pins=0, us=us)
        self.python = NodeCore(boot=7, us=us, settings=kept)
        self.us = us

    def do(self, name: str, *args) -> None:
        getattr(self.c, name)(*args)
        getattr(self.python, name)(*args)

    def say(self) -> list[bytes]:
        said = []
        while line := self.python.task(self.us):
            assert self.c.task(self.us) == line
            said.append(line)
        assert self.c.task(self.us) == b""
        return said


def random_host_line(rng: random.Random, twins: Twins) -> bytes:
    kind = rng.randrange(9)
    if kind == 0:
        return encode("host", "hello", proto=1, nonce=f"{rng.randrange(65536):04x}")
    if kind == 1:
        boot = rng.choice([BOOT, BOOT, BOOT, "0008"])
        return encode("host", "resume", boot=boot, next=rng.randrange(400))
    if kind in (2, 3, 4):
        boot = rng.choice([BOOT, BOOT, BOOT, BOOT, "0008"])
        return encode("host", "ack", boot=boot, seq=rng.randrange(400))
    if kind == 5:
        return encode("host", "ping", id=rng.randrange(1_000_000), pad="x" * rng.randint(1, 40))
    if kind == 6:
        return encode("host", "mask", use=rng.randrange(256))
    if kind == 7:
        values = {"polarity": rng.randrange(256), "beams": rng.randrange(256)}
        values |= {"stuck_s": rng.randrange(300), "id": rng.randrange(1 << 32)}
        return encode("host", "set", **{key: values[key] for key in values if rng.random() < 0.3})
    return encode("host", "get")


@pytest.mark.live
@pytest.mark.clause("node-12")
@pytest.mark.clause("node-13")
@pytest.mark.clause("node-15")
@pytest.mark.parametrize("seed", range(12))
def test_the_twins_say_the_same_bytes(c_core, seed):
    rng = random.Random(seed)
    busy = seed % 3
    twins = Twins(c_core, NodeSettings(polarity=rng.randrange(256)), us=rng.randrange(1 << 40))
    lines = 0
    for _ in range(2500):
        twins.us += rng.choice([0, 3, 120, 700, 20_000, 110_000])
        dice = rng.random()
        if dice < (0.2, 0.5, 0.85)[busy]:
            twins.do("pins", rng.randrange(256), twins.us)
        elif dice < 0.88:
            twins.do("lost", twins.us, twins.us + 10, rng.randint(1, 500))
        elif dice < 0.98:
            data = random_host_line(rng, twins)
            if rng.random() < 0.2:
                at = rng.randrange(len(data))
                data = data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randrange(2) :]
            twins.do("received", data, twins.us)
        if rng.random() < 0.5:
            lines += len(twins.say())
        assert twins.c.used <= RING
    assert lines > 500


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=200) | st.text("helo= \n*0123456789abcdefxping", max_size=90).map(str.encode))
@pytest.mark.clause("node-2")
@pytest.mark.clause("node-4")
def test_no_bytes_upset_either(c_core, data):
    twins = Twins(c_core, NodeSettings())
    twins.say()
    twins.do("received", data, 10)
    twins.do("received", b"\n", 20)
    twins.us = 300_000
    twins.say()
    twins.do("received", encode("host", "ping", id=5), 300_001)
    twins.us = 302_000
    assert any(line.startswith(b"pong ") for line in twins.say())


@settings(max_examples=200, deadline=None)
@given(body=st.text("hello ping id=5proto=1 nonce=00ab =x", max_size=60))
@pytest.mark.clause("node-2")
@pytest.mark.clause("node-3")
def test_sealed_nonsense_is_judged_alike(c_core, body):
    twins = Twins(c_core, NodeSettings())
    twins.say()
    twins.do("received", seal(body.encode())[-MAX_HOST_LINE:], 10)
    twins.us = 300_000
    twins.say()


@pytest.mark.clause("node-3")
def test_unknown_names_and_keys_are_passed_over(c_core):
    twins = Twins(c_core, NodeSettings())
    twins.say()
    twins.do("received", seal(b"dance tempo=3") + seal(b"ping id=5 colour=red"), 10)
    assert twins.say() == [], "an answer waits up to a millisecond, by the ping's number"
    twins.us = 10 + 1024
    (pong,) = twins.say()
    assert pong.startswith(b"pong boot=0007 id=5 rx=10 tx=1034*")
    twins.us = 300_000
    beat = next(Decoder("node").feed(twins.say()[0]))
    assert beat.number("rx_bad") == 0


@pytest.mark.clause("node-2")
def test_a_modem_managers_commands_get_silence(c_core):
    twins = Twins(c_core, NodeSettings())
    twins.say()
    twins.do("received", b"AT\r\nAT+GCAP\r\n\xff\xff\x00ATI\r\n\r\n", 10)
    assert twins.say() == []
    twins.us = 300_000
    beat = next(Decoder("node").feed(twins.say()[0]))
    assert beat.number("rx_bad") == 3


@pytest.mark.clause("node-1")
def test_a_line_whose_length_is_wrong_is_no_line(c_core):
    twins = Twins(c_core, NodeSettings())
    twins.say()
    body = b"get"
    check = binascii.crc_hqx(body, 0xFFFF)
    twins.do("received", body + b"*%02x%04x\n" % (len(body) + 1, check), 10)
    assert twins.say() == []
    twins.do("received", body + b"*%02x%04x\n" % (len(body), check), 20)
    (settings_line,) = twins.say()
    assert settings_line.startswith(b"settings ")
