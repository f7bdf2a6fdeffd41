"""The parser of multipart streams and of bare JPEG sequences, fed in every possible slicing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.events.errors import PeerError
from controller.vision.sources.multipart import MOST_RUBBISH, MultipartReader, boundary_of
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
    reader = MultipartReader()
    edges = [0, *sorted({cut for cut in cuts if cut < len(stream)}), len(stream)]
    got = []
    for start, end in pairwise(edges):
        got += [found.body for found in reader.feed(stream[start:end])]
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


@pytest.mark.parametrize("said", ["", "application/octet-stream", "multipart/x-mixed-replace", "video/x-mjpeg; q=1"])
def test_a_stream_that_names_no_boundary_is_known_by_its_pictures(said: str) -> None:
    assert boundary_of(said) == b""


@pytest.mark.parametrize("said", ["text/html; boundary=x", "application/json", "image/jpeg"])
def test_what_is_no_stream_is_refused(said: str) -> None:
    with pytest.raises(PeerError, match="Fix"):
        boundary_of(said)


def head(*lines: bytes, boundary: bytes = b"--carrom") -> bytes:
    return b"\r\n".join((b"\r\n" + boundary, b"Content-Type: image/jpeg", *lines, b"", b""))


def thumbnailed(number: int) -> bytes:
    """A picture with a whole other one in a segment of its own."""
    picture, small = jpeg(number), b"Exif\0\0" + jpeg(30)
    return picture[:2] + b"\xff\xe1" + (len(small) + 2).to_bytes(2, "big") + small + picture[2:]


SIZE = len(jpeg(1))
STREAMS = {
    "no boundary before the first": jpeg(1) + head() + jpeg(2) + head() + jpeg(3),
    "a header without one": b"Content-Length: %d\r\n\r\n" % SIZE + jpeg(1) + head() + jpeg(2) + head() + jpeg(3),
    "another boundary": b"".join(head(boundary=b"--other") + jpeg(n) for n in (1, 2, 3)),
    "no line's end before it": b"--carrom\r\n\r\n" + b"--carrom\r\n\r\n".join(jpeg(n) for n in (1, 2, 3)),
    "no blank line": b"".join(b"--carrom\r\n" + jpeg(n) for n in (1, 2, 3)),
    "lengths too small": b"".join(head(b"Content-Length: 100") + jpeg(n) for n in (1, 2, 3)),
    "lengths too large": b"".join(head(b"Content-Length: %d" % (SIZE + 90)) + jpeg(n) for n in (1, 2, 3)) + b" " * 200,
    "bytes behind": b"".join(head(b"Content-Length: %d" % (SIZE + 5)) + jpeg(n) + b"extra" for n in (1, 2, 3)),
    "from the middle of one": jpeg(9)[300:] + b"".join(head() + jpeg(n) for n in (1, 2, 3)),
    "padded": b"".join(head() + jpeg(n) + bytes(50_000) for n in (1, 2, 3)),
    "nothing between": jpeg(1) + jpeg(2) + jpeg(3),
}


@pytest.mark.parametrize("step", [1, 7, 1000, 10**6])
@pytest.mark.parametrize("stream", list(STREAMS))
def test_pictures_are_found_however_a_server_wraps_them(stream: str, step: int) -> None:
    data, reader, got = STREAMS[stream], MultipartReader(b"carrom"), []
    for start in range(0, len(data), step):
        got += [found.body for found in reader.feed(data[start : start + step])]
    assert got == [jpeg(1), jpeg(2), jpeg(3)]


@pytest.mark.parametrize("boundary", [b"", b"carrom"])
def test_a_thumbnails_end_is_not_the_pictures(boundary: bytes) -> None:
    stream = b"".join(head() + thumbnailed(n) for n in (1, 2))
    assert [found.body for found in MultipartReader(boundary).feed(stream)] == [thumbnailed(1), thumbnailed(2)]


def test_a_picture_is_given_with_its_last_byte() -> None:
    reader = MultipartReader(b"carrom")
    assert reader.feed(head() + jpeg(1)[:-1]) == []
    (found,) = reader.feed(jpeg(1)[-1:])
    assert found.body == jpeg(1)


def test_a_picture_without_its_end_takes_nothing_of_the_next() -> None:
    reader = MultipartReader(b"carrom")
    got = reader.feed(head() + jpeg(1)[:-2] + head() + jpeg(2))
    assert [found.body for found in got] == [jpeg(1)[:-2], jpeg(2)]


def test_endless_rubbish_is_refused_and_not_hoarded() -> None:
    reader = MultipartReader(b"carrom")
    for _ in range(MOST_RUBBISH // 65536):
        assert reader.feed(b"x" * 65536) == []
    with pytest.raises(PeerError, match="no boundary and no JPEG"):
        reader.feed(b"x" * 65536)


def test_a_length_that_is_no_number_is_refused() -> None:
    with pytest.raises(PeerError, match="bytes"):
        MultipartReader(b"c").feed(b"--c\r\nContent-Length: minus one\r\n\r\n")
