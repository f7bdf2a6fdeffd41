"""A camera that asks who wants to see, leads elsewhere or takes its time: followed, or told why not."""

from __future__ import annotations

import base64
import hashlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from controller.events.errors import DeviceError
from controller.vision.sources.camera_address import Login, camera_address
from controller.vision.sources.login import authorization
from controller.vision.sources.mjpeg import MjpegSource
from tests.patience import PATIENCE_S
from tests.vision.sources.streams import MjpegServer, number_of, part

pytestmark = pytest.mark.live
SHOWN = [part(0), part(1)]
PASSWORD = "p:@/ä"
WRITTEN = "guard:p%3A%40%2F%C3%A4"
BASIC = b'Basic realm="hall"'
DIGEST = b'Digest realm="hall, one", qop="auth,auth-int", nonce="4f2a", opaque="x1"'
OLD_DIGEST = b'Digest realm="hall, one", nonce="4f2a"'
SHA = DIGEST + b", algorithm=SHA-256"
STRANGE = b"Bearer"


def refusal(*asked: bytes) -> bytes:
    lines = b"".join(b"WWW-Authenticate: %s\r\n" % one for one in asked)
    return b"HTTP/1.1 401 Unauthorized\r\n%sContent-Length: 0\r\n\r\n" % lines


def leading(to: str, status: bytes = b"302 Found") -> bytes:
    return b"HTTP/1.1 %s\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, to.encode())


@contextmanager
def camera(*before: bytes, port: int = 0, status: bytes = b"200 OK") -> Iterator[MjpegServer]:
    scripts: list[list[bytes]] = [[] for _ in before] + [SHOWN]
    server = MjpegServer(scripts, before=before, port=port, status=status)
    try:
        yield server
    finally:
        server.close()


def seen(url: str) -> int:
    source = MjpegSource(url, time.monotonic_ns, newest_only=False)
    try:
        source.open()
        frame = source.read(PATIENCE_S)
        assert frame is not None
        return number_of(frame.luma)
    finally:
        source.close()


def refused(url: str) -> str:
    with pytest.raises(DeviceError, match="Fix:") as caught:
        MjpegSource(url, time.monotonic_ns, answer_s=0.5).open()
    return str(caught.value)


def said_by(request: bytes) -> str:
    found = re.search(rb"(?im)^authorization: (.*?)\r$", request)
    return found[1].decode() if found else ""


def digest(word: str, path: str, hashed: object) -> str:
    """The response as RFC 7616 has it, of what was said."""
    given = dict(re.findall(r'(\w+)="?((?<=")[^"]*|[^",]+)', word))
    h = lambda text: hashed(text.encode()).hexdigest()  # type: ignore[operator] # noqa: E731
    middle = f"4f2a:{given['nc']}:{given['cnonce']}:auth" if "nc" in given else "4f2a"
    assert given["uri"] == path
    assert given["username"] == "guard"
    return str(h(f"{h(f'guard:hall, one:{PASSWORD}')}:{middle}:{h(f'GET:{path}')}"))


@pytest.mark.parametrize("asked", [[BASIC], [STRANGE, BASIC]])
def test_a_user_in_the_address_is_told_as_basic(asked: list[bytes]) -> None:
    with camera(refusal(*asked)) as server:
        assert seen(server.url.replace("//", f"//{WRITTEN}@")) == 0
    assert [said_by(one) for one in server.asked] == [
        "",
        "Basic " + base64.b64encode(f"guard:{PASSWORD}".encode()).decode(),
    ]


@pytest.mark.parametrize(
    ("asked", "hashed"),
    [
        ([DIGEST], hashlib.md5),
        ([OLD_DIGEST], hashlib.md5),
        ([SHA], hashlib.sha256),
        ([BASIC, DIGEST], hashlib.md5),
        ([DIGEST.replace(b"Digest ", b"Digest algorithm=SHA-512-256, "), DIGEST], hashlib.md5),
    ],
)
def test_a_digest_is_answered_without_the_password(asked: list[bytes], hashed: object) -> None:
    with camera(refusal(*asked)) as server:
        assert seen(server.url.replace("//", f"//{WRITTEN}@") + "?channel=1") == 0
    word = said_by(server.asked[1])
    assert word.startswith("Digest ")
    assert f'response="{digest(word, "/camera?channel=1", hashed)}"' in word


def test_a_session_digest_hashes_its_words_as_well() -> None:
    """RFC 7616, section 3.4.2."""
    said = authorization(['Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess'], Login("u", "p"), "/", "c")
    h = lambda text: hashlib.md5(text.encode()).hexdigest()  # noqa: E731
    who = h(f"{h('u:r:p')}:n:c")
    assert said is not None
    assert h(f"{who}:n:00000001:c:auth:{h('GET:/')}") in said.decode()


def test_a_wrong_password_a_lacking_one_and_a_strange_login_are_told_apart() -> None:
    told = []
    for user, asked in (("a:word7@", BASIC), ("", BASIC), ("a:word7@", STRANGE)):
        with camera(refusal(asked), refusal(asked)) as server:
            told.append(refused(server.url.replace("//", f"//{user}")))
    assert ["refuses (401)" in told[0], "who asks (401)" in told[1], "another kind" in told[2]] == [True] * 3
    assert not any("word7" in one for one in told)


@pytest.mark.parametrize("status", [b"301 Moved", b"302 Found", b"303 See", b"307 Temporary", b"308 Permanent"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_camera_that_has_moved_is_followed(status: bytes, whole: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    to = f"http://127.0.0.1:{port}/new?a=1" if whole else "/new?a=1"
    with camera(leading(to, status), port=port) as server:
        assert seen(server.url) == 0
    assert [one.split()[1] for one in server.asked] == [b"/camera", b"/new?a=1"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_password_goes_to_no_other_host_or_port(host: str) -> None:
    """And what is asked for there is said, with the address to be written down."""
    with camera(refusal(BASIC)) as other:
        there = f"http://{host}:{other.port}"
        with camera(leading(f"{there}/new")) as server:
            told = refused(server.url.replace("//", "//guard:word7@"))
    assert [said_by(one) for one in other.asked] == [""]
    assert f"leads to {there}, which" in told
    assert "word7" not in told


def test_a_password_goes_where_its_own_camera_leads() -> None:
    own = camera_address("http://guard:word7@10.0.0.9/a")
    assert own.onward("/b").login == own.onward("https://10.0.0.9/b").login == own.login
    assert own.onward("http://guard:other@10.0.0.8/").login is None
    assert camera_address("https://g:w@10.0.0.9/").onward("http://10.0.0.9/").login is None


def test_a_circle_and_a_way_out_of_http_end_in_one_line() -> None:
    with camera(*[leading("/camera")] * 20) as server:
        assert "one address after the other" in refused(server.url)
    with camera(leading("rtsp://guard:word7@10.0.0.9/live")) as server:
        told = refused(server.url)
    assert "no http address" in told
    assert "word7" not in told


WORD = "word7"


@pytest.mark.parametrize(
    "url",
    [
        f"http://guard:{WORD}@127.0.0.1:1/v?pwd={WORD}",
        f"http://127.0.0.1:1/{WORD}",
        f"rtsp://guard:{WORD}@10.0.0.9/live",
        f"http://guard:{WORD}#x@10.0.0.9/",
        f"http://guard:7{WORD}/x@10.0.0.9/",
        f"http://guard:7/{WORD}@10.0.0.9/",
        f"http://guard:{WORD}%0A@10.0.0.9/",
        f"http://guard:{WORD}@10.0.0.9:99999/",
    ],
)
def test_an_address_is_told_without_its_secrets(url: str) -> None:
    assert WORD not in refused(url)


SLOWLY = {
    "a header that drips": (b"HTTP/1.1 200 OK\r\nX-Long: ", b"a"),
    "nothing but 100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("way", SLOWLY)
def test_an_answer_that_never_ends_is_given_up_and_closed(way: str) -> None:
    """Each byte begins a socket's own patience anew: a thread and a connection were left behind every time."""
    first, more = SLOWLY[way]
    closed = threading.Event()

    def drip() -> None:
        channel, _ = server.accept()
        with channel:
            channel.settimeout(0.02)
            try:
                channel.recv(4096)
                channel.sendall(first)
                while True:
                    channel.sendall(more)
                    try:
                        if channel.recv(1) == b"":
                            break
                    except TimeoutError:
                        continue
            except OSError:
                pass
        closed.set()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        assert "does not answer in 0.5 s" in refused(f"http://127.0.0.1:{server.getsockname()[1]}/")
        assert closed.wait(PATIENCE_S)
        thread.join(PATIENCE_S)
