"""The parser of multipart streams and of bare JPEG sequences, fed in every possible slicing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.events.errors import PeerError
from controller.vision.sources.multipart import JpegSplitter, MultipartReader, boundary_of
from tests.vision.sources.streams import jpeg, part

STREAM = b"preamble\r\n" + part(1) + part(2, length=False) + part(3, stamped=False) + b"--carrom--\r\n"


@given(st.lists(st.integers(1, len(STREAM) - 1), max_size=12))
def test_any_slicing_gives_the_same_parts(cuts: list[int]) -> None:
    reader = MultipartReader(b"carrom")
    edges = [0, *sorted(set(cuts)), len(STREAM)]
    bodies = []
    for start, end in pairwise(edges):
        bodies += [found.body for found in reader.feed(STREAM[start:end])]
    assert bodies == [jpeg(1), jpeg(2), jpeg(3)]


@given(st.lists(st.integers(1, 4000), max_size=10))
def test_any_slicing_gives_the_same_pictures(cuts: list[int]) -> None:
    stream = b"\0\0" + jpeg(1) + jpeg(2) + b"\0" + jpeg(3)
    splitter = JpegSplitter()
    edges = [0, *sorted({cut for cut in cuts if cut < len(stream)}), len(stream)]
    got = []
    for start, end in pairwise(edges):
        got += splitter.feed(stream[start:end])
    assert got == [jpeg(1), jpeg(2), jpeg(3)]


@pytest.mark.parametrize(
    ("said", "boundary"),
    [
        ("multipart/x-mixed-replace; boundary=frame", b"frame"),
        ('multipart/x-mixed-replace;boundary="--frame"', b"frame"),
        ("Multipart/X-Mixed-Replace; charset=x; Boundary=a b", b"a b"),
    ],
)
def test_boundary_is_read_as_cameras_write_it(said: str, boundary: bytes) -> None:
    assert boundary_of(said) == boundary


@pytest.mark.parametrize("said", ["", "text/html", "multipart/x-mixed-replace"])
def test_what_is_no_stream_is_refused(said: str) -> None:
    with pytest.raises(PeerError, match="Mend"):
        boundary_of(said)


def test_endless_rubbish_is_refused_and_not_hoarded() -> None:
    reader = MultipartReader(b"carrom")
    for _ in range(16):
        reader.feed(b"x" * 1024)
    with pytest.raises(PeerError, match="boundary"):
        reader.feed(b"x")


def test_a_length_that_is_no_number_is_refused() -> None:
    with pytest.raises(PeerError, match="bytes"):
        MultipartReader(b"c").feed(b"--c\r\nContent-Length: minus one\r\n\r\n")
