"""An MJPEG stream in whatever HTTP a camera's server makes of it: chunks, no length, no type, a type of its own."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from controller.events.errors import DeviceError
from controller.vision.sources.mjpeg import MjpegSource
from tests.authority import authority, strict
from tests.vision.sources.streams import MULTIPART, MjpegServer, jpeg, number_of, part

__all__ = ["authority", "strict"]
pytestmark = pytest.mark.live
COUNT = 5
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def chunks(data: bytes, size: int) -> list[bytes]:
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    return [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in cut]


@contextmanager
def reading(script: list[bytes], headers: bytes, *, hold: bool = False) -> Iterator[MjpegSource]:
    server = MjpegServer([script], headers=headers, hold=hold)
    source = MjpegSource(server.url, time.monotonic_ns, newest_only=False)
    try:
        source.open()
        yield source
    finally:
        source.close()
        server.close()


def numbers(source: MjpegSource) -> list[int]:
    got = []
    for _ in range(COUNT):
        frame = source.read(5.0)
        assert frame is not None
        got.append(number_of(frame.luma))
    return got


PARTS = b"".join(part(n) for n in range(COUNT))
UNNAMED = b"".join(b"--ffmpeg\r\nContent-type: image/jpeg\r\n\r\n" + jpeg(n) + b"\r\n" for n in range(COUNT))
BARE = b"".join(jpeg(n) for n in range(COUNT))


@pytest.mark.parametrize("size", [1, 5, 333, 10**6], ids="{}-byte-chunks".format)
def test_chunks_are_taken_off_whatever_their_size(size: int) -> None:
    with reading(chunks(PARTS, size), MULTIPART + CHUNKED) as source:
        assert numbers(source) == list(range(COUNT))


def test_a_chunk_each_for_boundary_header_and_picture_as_the_esp32_sends_them() -> None:
    script = []
    for n in range(COUNT):
        header = b"Content-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg(n))
        script += [chunk for data in (b"\r\n--carrom\r\n", header, jpeg(n)) for chunk in chunks(data, 10**6)]
    with reading(script, MULTIPART + CHUNKED) as source:
        assert numbers(source) == list(range(COUNT))


@pytest.mark.parametrize(
    "kind", [b"", b"Content-Type: application/octet-stream\r\n", b"Content-Type: video/x-mjpeg\r\n"]
)
@pytest.mark.parametrize("body", [UNNAMED, BARE, PARTS], ids=["mpjpeg", "bare", "parts"])
@pytest.mark.parametrize("chunked", [True, False])
def test_a_stream_of_any_type_is_known_by_its_pictures(kind: bytes, body: bytes, chunked: bool) -> None:
    with reading(chunks(body, 700) if chunked else [body], kind + (CHUNKED if chunked else b"")) as source:
        assert numbers(source) == list(range(COUNT))


def test_a_picture_does_not_wait_for_the_rest_of_a_chunk_behind_it() -> None:
    """The line's end of the chunk has come, the next chunk's head has not, and will not."""
    with reading([b"".join(chunks(part(0), 10**6))[:-1]], MULTIPART + CHUNKED, hold=True) as source:
        frame = source.read(5.0)
        assert frame is not None
        assert number_of(frame.luma) == 0
        assert source.read(0.05) is None


@pytest.mark.parametrize("length", [b"0", b"7", b"99999999"])
def test_a_length_that_a_camera_says_of_its_whole_stream_is_not_believed(length: bytes) -> None:
    with reading([PARTS], MULTIPART + b"Content-Length: " + length + b"\r\n") as source:
        assert numbers(source) == list(range(COUNT))


@pytest.mark.parametrize("body", [b"zz\r\nno chunk", b"5\r\nab"], ids=["no size", "cut off"])
def test_broken_chunks_end_the_stream_in_one_line(body: bytes) -> None:
    with reading([body], MULTIPART + CHUNKED) as source, pytest.raises(DeviceError, match="Fix:") as caught:
        source.read(5.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [b"text/html", b"application/json", b"image/jpeg"])
def test_a_page_or_a_single_picture_is_refused_by_its_type(kind: bytes) -> None:
    with (
        pytest.raises(DeviceError, match=f"{kind.decode()}.*no stream of pictures.*Fix:"),
        reading([b"x"], b"Content-Type: " + kind + b"\r\n"),
    ):
        pass


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(("signed_by", "seen"), [("ca", True), ("stranger", False)])
def test_a_camera_whose_certificate_an_authority_of_the_system_signed_is_believed(
    authority, monkeypatch, signed_by: str, seen: bool
) -> None:
    """Also where Python is strict and the authority does not say what its key is for."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / f"{signed_by}.crt"))
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(authority / "broker.crt", authority / "broker.key")
    server = MjpegServer([[part(0)]], secure=own)
    source = MjpegSource(server.url, time.monotonic_ns, newest_only=False)
    try:
        if seen:
            source.open()
            frame = source.read(5.0)
            assert frame is not None
        else:
            with pytest.raises(DeviceError, match="certificate verify failed"):
                source.open()
    finally:
        source.close()
        server.close()
