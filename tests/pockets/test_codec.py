"""Lines: what is written is read, what is damaged is dropped, and nothing at all upsets the decoder."""

from __future__ import annotations

import binascii
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.pockets import codec
from controller.pockets.codec import Decoder, encode, seal
from controller.pockets.messages import MAX_HOST_LINE, MAX_NODE_LINE, MESSAGES
from tests.pockets.damage import wrongly_accepted

LONGEST = {
    "dec": "281474976710655", "num": "999999999", "hex2": "ff", "hex4": "ffff", "hex8": "ffffffff", "bits": "11111111",
    "bytes8": "f" * 16, "word": "power.1",
}  # fmt: skip


def longest(field) -> str:
    """The longest a field gets; of the `dec`s only times have 48 bits, counts have 32, and a few are small."""
    if field.kind == "dec" and field.name not in ("us", "to", "rx", "tx"):
        return {"proto": "1", "run": "1", "ring": "96", "buf": "96", "rx_bad": "65535"}.get(field.name, "4294967295")
    return "250" if field.name == "stuck_s" else LONGEST[field.kind]


@pytest.mark.clause("node-1")
def test_a_line_is_name_pairs_length_and_check():
    line = encode("node", "beam", seq=3, us=182345678, s=2, lvl=1)
    body = b"beam seq=3 us=182345678 s=2 lvl=1"
    assert line == body + b"*%02x%04x\n" % (len(body), binascii.crc_hqx(body, 0xFFFF))
    assert binascii.crc_hqx(b"123456789", 0xFFFF) == 0x29B1, "CRC-16/CCITT-FALSE by its catalogue's check value"


@pytest.mark.clause("node-4")
@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: f"{message.sender}-{message.name}")
def test_the_longest_line_of_each_kind_fits_and_is_read_back(message):
    values = {field.name: longest(field) for field in message.fields if field.name != "pad"}
    line = encode(message.sender, message.name, **values)
    assert len(line) <= (MAX_NODE_LINE if message.sender == "node" else MAX_HOST_LINE)
    (read,) = Decoder(message.sender).feed(line)
    assert read.name == message.name
    assert set(read.values) == set(values)


@pytest.mark.clause("node-3")
def test_unknown_names_and_keys_are_passed_over():
    decoder = Decoder("node")
    lines = list(decoder.feed(seal(b"dance tempo=3") + seal(b"beam seq=1 us=2 s=3 lvl=1 colour=red")))
    assert [(line.name, line.number("s")) for line in lines] == [("beam", 3)]
    assert decoder.bad == 0, "unknown is not damaged"


@pytest.mark.clause("node-2")
@pytest.mark.parametrize(
    "body",
    [
        b"beam seq=1 us=2 s=3",
        b"beam seq=1 us=2 s=3 lvl=1 s=4",
        b"beam seq=-1 us=2 s=3 lvl=1",
        b"beam seq=01 us=2 s=3 lvl=1",
        b"beam  seq=1 us=2 s=3 lvl=1",
        b"beam seq= us=2 s=3 lvl=1",
        b" beam seq=1 us=2 s=3 lvl=1",
        b"beam seq=1 us=2 s=3 lvl=1 ",
        b"beam seq=\xff us=2 s=3 lvl=1",
        b"beam seq=1 us=2 s=3 lvl",
    ],
)
def test_a_sealed_line_of_the_wrong_shape_is_dropped(body):
    decoder = Decoder("node")
    assert list(decoder.feed(seal(body))) == []
    assert decoder.bad == 1


@pytest.mark.clause("node-4")
def test_a_sound_line_that_is_too_long_is_dropped():
    body = b"beam seq=1 us=2 s=3 lvl=1 x=" + b"x" * 47
    assert len(list(Decoder("node").feed(seal(body)))) == 1
    longer = body + b" y=" + b"y" * 47 + b" z=" + b"z" * 47
    decoder = Decoder("node")
    assert list(decoder.feed(seal(longer))) == []
    assert decoder.bad == 1


@pytest.mark.clause("node-1")
@pytest.mark.parametrize("wrong", [b"*1ff0d2\n", b"*20FFFF\n", b"*20\n", b"+21%04x\n"])
def test_a_wrong_trailer_is_no_trailer(wrong):
    body = b"beam seq=3 us=182345678 s=2 lvl=1"
    check = binascii.crc_hqx(body, 0xFFFF)
    decoder = Decoder("node")
    assert list(decoder.feed(body + wrong.replace(b"%04x", b"%04x" % check))) == []
    assert list(decoder.feed(body + b"*%02x%04x\n" % (len(body) + 1, check))) == []
    assert list(decoder.feed(body + b"*%02x%04x\n" % (len(body), check ^ 1))) == []
    assert decoder.bad == 3


@pytest.mark.clause("node-5")
def test_empty_lines_mean_nothing():
    decoder = Decoder("node")
    assert list(decoder.feed(b"\n\n\r\n\n")) == []
    assert decoder.bad == 0


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=60) | st.just(b"\n") | st.just(encode("host", "get")), max_size=30))
@pytest.mark.clause("node-2")
@pytest.mark.clause("node-4")
def test_no_bytes_upset_the_decoder(chunks):
    decoder = Decoder("host")
    for chunk in chunks:
        list(decoder.feed(chunk))
        assert len(decoder._held) <= MAX_HOST_LINE
    list(decoder.feed(b"\n"))
    assert [line.name for line in decoder.feed(encode("host", "get"))] == ["get"]


@settings(max_examples=200, deadline=None)
@given(cut=st.lists(st.integers(1, 40), max_size=60))
def test_lines_are_the_same_however_they_are_cut(cut):
    stream = b"".join(encode("node", "beam", seq=n, us=n * 1000, s=n % 8, lvl=n % 2) for n in range(40))
    decoder, at, numbers = Decoder("node"), 0, []
    for length in [*cut, len(stream)]:
        numbers += [line.number("seq") for line in decoder.feed(stream[at : at + length])]
        at += length
    assert numbers == list(range(40))


@pytest.mark.clause("node-1")
def test_no_damaged_event_is_taken_for_another():
    """10 000 here, 200 000 in the bench: each line flipped, shortened, doubled, or hit by a burst."""
    assert wrongly_accepted(10_000, seed=1) == 0


def test_the_damage_would_be_noticed_without_the_check(monkeypatch):
    monkeypatch.setattr(codec, "_is_sealed", lambda raw, longest: len(raw) > 7)
    assert wrongly_accepted(2_000, seed=1) > 10


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [("dance", {}, "no message"), ("ack", {"boot": "0001"}, "needs seq"), ("get", {"x": 1}, "no field"),
     ("mask", {"use": 256}, "is no hex2"), ("ack", {"boot": "XYZ1", "seq": 1}, "is no hex4")],
)  # fmt: skip
def test_what_the_table_does_not_have_cannot_be_written(name, values, says):
    with pytest.raises(ValueError, match=says):
        encode("host", name, **values)


def test_random_values_survive_the_journey():
    rng = random.Random(1)
    for _ in range(500):
        values = {
            "seq": rng.randrange(1 << 32),
            "us": rng.randrange(1 << 48),
            "s": rng.randrange(9),
            "lvl": rng.randrange(2),
        }
        (line,) = Decoder("node").feed(encode("node", "beam", **values))
        assert dict(line.values) == values
