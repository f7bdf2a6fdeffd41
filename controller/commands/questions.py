"""What `carrom init` and the installer ask a person: each answer is tried at once, and a wrong one is asked again.

The installer asks before anything is installed: the standard library alone.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.commands.cameras.asked_cameras import LIST, csi_list, listed
from controller.events.doors import host_of, id_of, player_of, word_of
from controller.events.errors import ConfigError

BROKER_S = 1.0
"""A broker on this machine answers at once."""
STABLE = "/dev/carrom/camera"
"""The installed udev rule's name for the one USB camera."""

QUESTIONS = (
    ("id", "The table's id (a-z, 0-9, -)", "table1"),
    ("book", "Rulebook (icf, club, campus, classic, sixes, world, …)", "icf"),
    ("south", "Who sits at the south seat", "South"),
    ("north", "Who sits at the north seat", "North"),
    (
        "camera",
        "No camera is plugged in. Which will it be: v4l2 (USB), csi (the Pi's own), the address of a network camera "
        "(http://…), or none",
        "v4l2",
    ),
    (
        "pockets",
        "No pocket node says hello. How will the beams be wired: serial (a Nano), gpio (the Pi's own pins), or none",
        "serial",
    ),
    (
        "broker",
        "No broker runs on this machine. The name or address of the machine where one does, or none",
        "localhost",
    ),
)
"""Key, question, default. The last three are asked only of what was not found."""
AWAY = (
    ("broker_user", "The table's user on the broker, none if it asks for no password", "none"),
    ("broker_tls", "TLS to the broker: no, system (public authorities), or the file of its authority", "no"),
)
"""Asked of a broker that others have set up."""
HERE = ("localhost", "127.0.0.1", "::1")
BOOKS = Path(__file__).parents[1] / "rules" / "books"
_PARTS = ("common",)
"""Files among the books that are part of others and cannot be played."""


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera: `kind` and `device` as the configuration takes them, `name` as it calls itself."""

    kind: str
    device: str
    name: str

    @property
    def answer(self) -> str:
        """How it is named in answer to the question for it."""
        return f"{self.kind}:{self.device}"


def gather(
    known: Callable[[str], str | None],
    cameras: Sequence[Camera] = (),
    say: Callable[[str], None] = print,
    *,
    guarded: bool = False,
) -> dict[str, str]:
    """Returns the answers by key. `known`: the answer that need not be asked for, "" for the default, None to ask.

    `cameras`: those that were found, which are offered by number where there are several. `guarded`: the broker is
    somebody else's, wherever it runs. Raises ConfigError where the answers end early.
    """
    found: dict[str, str] = {}

    def ask(questions: Iterable[tuple[str, str, str]]) -> None:
        for key, question, default in questions:
            said = known(key)
            if said is not None:
                found[key] = _meant(key, said.strip() or default, cameras)
                continue
            while (answer := _answered(key, question, default, cameras, say)) is None:
                pass
            found[key] = answer

    ask(_with_cameras(cameras))
    if found["broker"] != "none" and (guarded or found["broker"] not in HERE):
        ask(AWAY)
    return found


def wrong_with(key: str, answer: str) -> str:
    """Returns why an answer cannot be used, empty if it can."""
    try:
        if key == "id":
            id_of(answer)
        elif key in ("south", "north"):
            player_of(answer)
        elif key == "broker":
            host_of(answer)
        elif key == "broker_user":
            word_of(answer)
    except ValueError as error:
        return str(error)
    if key == "book" and answer not in books():
        return f"is no rulebook; there are {', '.join(books())}"
    if key == "camera" and not re.fullmatch(r"(v4l2|csi)(:.+)?|mjpeg|none|https?://[^\s/]\S*", answer):
        return "is neither v4l2, csi, a device (/dev/…), an address (http://…) nor none"
    if key == "pockets" and answer not in ("serial", "gpio", "none"):
        return "is neither serial, gpio nor none"
    if key == "broker_tls" and answer not in ("no", "system") and not Path(answer).is_file():
        return "is neither no, system nor a file that is there"
    return ""


def books() -> list[str]:
    """Returns the rulebooks that come with the program."""
    return sorted(file.stem for file in BOOKS.glob("*.toml") if file.stem not in _PARTS)


def _with_cameras(cameras: Sequence[Camera]) -> Iterator[tuple[str, str, str]]:
    for key, question, default in QUESTIONS:
        if key == "camera" and len(cameras) > 1:
            named = ", ".join(f"{number} ({one.name}, {one.device})" for number, one in enumerate(cameras, 1))
            yield key, f"Which camera looks at the board: {named}; an address (http://…), or none", "1"
        else:
            yield key, question, default


def _answered(
    key: str, question: str, default: str, cameras: Sequence[Camera], say: Callable[[str], None]
) -> str | None:
    """Asks once; None after an answer that cannot be used, which is reported."""
    try:
        said = input(f"{question} [{default}]: ").strip() or default
    except EOFError as error:
        raise ConfigError("the answers ended early. Fix: answer each question, or use --yes") from error
    except UnicodeDecodeError:
        say("that is no valid UTF-8; once more")
        return None
    meant = _meant(key, said, cameras)
    if why := wrong_with(key, meant):
        say(f"{said!r} {why}; once more")
        return None
    return meant


def _meant(key: str, said: str, cameras: Sequence[Camera]) -> str:
    """The answer as the configuration's maker takes it: a camera by its number or its device has its kind with it."""
    if key != "camera":
        return said
    if said.isdecimal() and len(cameras) > 1 and 1 <= int(said) <= len(cameras):
        return cameras[int(said) - 1].answer
    return f"v4l2:{said}" if said.startswith("/dev/") else said


# what hangs on this machine -------------------------------------------------------------------------------------------


def usb_cameras(system: Path = Path("/sys/class/video4linux"), devices: Path = Path("/dev")) -> Iterator[Camera]:
    """Yields the USB cameras that give pictures, by names that stay the same over restarts where there are such."""
    for folder in sorted(system.glob("video*"), key=lambda path: (len(path.name), path.name)):
        # A Pi has a dozen video devices that are no cameras: codecs, scalers, the receiver's own parts.
        bus = (folder / "device" / "subsystem").resolve().name
        if bus != "usb" or _text(folder / "index") != "0":
            continue
        node = devices / folder.name
        same = [link for link in (devices / "v4l" / "by-path").glob("*") if link.resolve() == node.resolve()]
        stable = str(min(same, key=str)) if same else str(node)
        if (named := devices / "carrom" / "camera").exists() and named.resolve() == node.resolve():
            stable = STABLE
        yield Camera("v4l2", stable, _text(folder / "name") or folder.name)


def csi_cameras(command: Sequence[str] = LIST) -> Iterator[Camera]:
    """Yields the cameras on the Pi's own connectors, as libcamera lists them; none where there is no libcamera."""
    for one in listed(csi_list(command)):
        yield Camera("csi", one.number, one.model)


def found_cameras(say: Callable[[str], None]) -> list[Camera]:
    """Returns the cameras that hang on this machine, and says each."""
    cameras = [*usb_cameras(), *csi_cameras()]
    for camera in cameras:
        say(f"found a camera: {camera.name} ({camera.device if camera.kind == 'v4l2' else f'CSI {camera.device}'})")
    return cameras


def broker_here(host: str = "localhost", port: int = 1883) -> bool:
    """Returns whether something listens where a broker does on this machine."""
    try:
        with socket.create_connection((host, port), BROKER_S):
            return True
    except OSError:
        return False


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
