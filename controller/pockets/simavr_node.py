"""The node's real firmware on a simulated chip: starts the harness, drives its pins in the chip's own time.

For the tests and for `carrom demo --node simavr`. The chip runs only inside `until`, as fast as this machine can; its
clock is at the caller's pace. Must not know what the firmware says: that goes over the pty, to whoever opens it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from controller.events.errors import DeviceError, PeerError

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
RELEASE = FIRMWARE / "pocket_node" / "release" / "pocket_node.hex"


def build_harness() -> Path:
    """Builds the harness if need be and returns its path. Raises DeviceError with the way out."""
    try:
        made = subprocess.run(
            ["make", "-s", "-C", str(FIRMWARE / "simavr")], capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise DeviceError("no make here. Fix: apt install make gcc libsimavr-dev libelf-dev") from error
    if made.returncode:
        reason = (made.stderr.strip().splitlines() or ["make failed"])[0]
        raise DeviceError(
            f"the simulated chip cannot be built: {reason}. Fix: apt install make gcc libsimavr-dev libelf-dev"
        )
    return FIRMWARE / "simavr" / "build" / "harness"


class SimavrNode:
    """One chip with the firmware on it. `clock`: a file that will hold the chip's time in ns (little-endian int64)."""

    def __init__(self, *, firmware: Path = RELEASE, clock: Path | None = None) -> None:
        self._firmware = firmware
        self._clock = clock
        self._process: subprocess.Popen[str] | None = None
        self.port = ""
        self.now_us = 0
        self.sent = 0

    def start(self) -> str:
        """Powers the chip up, at time 0, and returns the name of its serial port."""
        arguments = [str(build_harness()), str(self._firmware)]
        if self._clock:
            arguments.append(str(self._clock))
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1 << 16
        )
        self.port = self._answer("pty")
        return self.port

    def stop(self) -> None:
        """Switches it off."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process = None

    def __enter__(self) -> SimavrNode:
        """Starts it."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stops it."""
        self.stop()

    def pin(self, us: int, sensor: int, high: bool) -> None:
        """Sets the input of a sensor (0 to 7) at that time. High is blocked unless the polarity says not.

        Takes effect in the next `until`; a time that is past means at once.
        """
        self._say(f"pin {us} {sensor} {int(high)}")

    def until(self, us: int, after_bytes: int = 0) -> int:
        """Runs the chip to that time (µs since the start) and returns the time it has.

        `after_bytes`: waits first until so many bytes were written to its port; with `sent`, how many it has written
        itself, a caller can keep chip and reader in step on however busy a machine.
        """
        self._say(f"until {us} {after_bytes}")
        now, sent = self._answer("at").split()
        self.now_us, self.sent = int(now), int(sent)
        return self.now_us

    def faults(self, ppm: int, seed: int = 1) -> None:
        """Damages, loses or doubles so many bytes in a million from now on, both ways."""
        self._say(f"faults {ppm} {seed}")

    def reset(self) -> None:
        """Pulls the reset line; the chip's memory stays, its program starts anew."""
        self._say("reset")

    def hang(self) -> None:
        """Lets the program spin where it is; a second call gives the place back."""
        self._say("hang")

    def unplug(self) -> None:
        """Takes the port away; the chip runs on."""
        self._say("unplug")
        self._flush()

    def plug(self) -> str:
        """Gives it a new port and returns its name."""
        self._say("plug")
        self.port = self._answer("pty")
        return self.port

    def stat(self) -> dict[str, int]:
        """Returns `cycles`, `ram` (bytes ever used, stack included) and `lost_bytes` (nobody read them)."""
        self._say("stat")
        pairs = (pair.split("=") for pair in self._answer("stat").split())
        return {key: int(value) for key, value in pairs}

    def _say(self, command: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")

    def _flush(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise PeerError("the simulated chip is gone") from error

    def _answer(self, word: str) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        self._flush()
        line = self._process.stdout.readline()
        first, _, rest = line.strip().partition(" ")
        if first != word:
            raise PeerError(f"the simulated chip says {line.strip() or 'nothing'!r}, not {word}")
        return rest
