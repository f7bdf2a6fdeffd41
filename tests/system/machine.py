"""A virtual machine that is typed at over a serial line.

Its processor is emulated and counted: an instruction takes a nanosecond of the machine's own time, so that what runs in
it sees the same slow computer (a thousand million instructions a second, one core) however busy this one is. Time that
it idles through is this machine's. Its disk is a layer above the one that it starts from, which stays as it is.
"""

from __future__ import annotations

import contextlib
import re
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from controller.commands.demo.leash import leashed
from tests.system.image import Image

PROCESSOR = "Nehalem"
"""The newest without AVX2, which Debian 12's QEMU 7.2 emulates wrongly: with `max` or `Haswell` NumPy's argsort of
1 000 numbers of 32 bits (x86-simd-sort) is out of order, or a segmentation fault. It has what NumPy's wheels want."""
MEMORY_MB = 2048
BOOT_S = 1800.0
"""Seconds of this machine, however busy it is; what the guest's own time allows is the units' business."""
ANSWER_S = 3600.0
END = re.compile(rb"@@(\d+)@@\r?\n")
PROMPT = re.compile(rb"\]: $")
"""How our programs end a question that has a default."""


class MachineError(Exception):
    """The machine did not do what it was told; the message has the last of what it said."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command wrote, and its exit code."""

    text: str
    code: int


class VirtualMachine:
    """One machine from its being switched on to its being switched off. `disk` is written through, and kept.

    `ports`: the machine's own ports that are wanted here; `port` says which of this machine's they became.
    """

    def __init__(self, image: Image, disk: Path, stick: Path, folder: Path, ports: tuple[int, ...] = ()) -> None:
        self._image, self._disk, self._stick, self._folder = image, disk, stick, folder
        self._ports = {port: free_port() for port in ports}
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def port(self, port: int) -> int:
        """Returns the port of this machine that leads to one of the virtual machine's."""
        return self._ports[port]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def boot(self) -> float:
        """Switches it on and waits for the shell. Returns the machine's own seconds that it took."""
        self.cut()
        line = self._folder / "shell.sock"
        line.unlink(missing_ok=True)
        command = ["qemu-system-x86_64", "-accel", "tcg,thread=single,tb-size=1024", "-icount", "shift=0"]
        command += ["-cpu", PROCESSOR, "-smp", "1", "-m", str(MEMORY_MB), "-rtc", "base=utc,clock=vm"]
        command += ["-display", "none", "-nodefaults", "-no-reboot"]
        command += ["-serial", f"file:{self._folder / 'kernel.log'}", "-serial", f"unix:{line},server=on,wait=off"]
        for disk, more in ((self._disk, "format=qcow2,cache=writethrough"), (self._stick, "format=raw,readonly=on")):
            command += ["-drive", f"file={disk},if=virtio,{more}"]
        forwarded = "".join(f",hostfwd=tcp:127.0.0.1:{here}-:{there}" for there, here in self._ports.items())
        command += ["-netdev", f"user,id=net{forwarded}", "-device", "virtio-net-pci,netdev=net"]
        command += ["-device", "virtio-rng-pci"]
        command += ["-kernel", str(self._image.kernel), "-initrd", str(self._image.initrd)]
        command += ["-append", "root=/dev/vda rw console=ttyS0 quiet net.ifnames=1 panic=-1"]
        self._process = subprocess.Popen(
            leashed(command), stdin=subprocess.DEVNULL, stderr=(self._folder / "emulator.log").open("ab")
        )
        self._line = self._connect(line)
        self._await(re.compile(rb"# $"), BOOT_S, {})
        # The line's echo and the shell's prompts and colours would stand between what commands say.
        self._write("stty -echo cols 500; exec env TERM=dumb PS1= PS2= ENV= sh\n")
        self.run("true")
        return float(self.run("cut -d' ' -f1 /proc/uptime").text)

    def ask(self, command: str, limit_s: float = ANSWER_S, answers: Mapping[str, str] | None = None) -> Said:
        """Types a command. Returns what it said.

        `answers`: words of a question → what is typed; any other question is answered with Enter.
        """
        self._write(f"{{ {command}\n}} 2>&1; printf '\\n@@%d@@\\n' $?\n")
        text, code = self._await(END, limit_s, answers or {})
        return Said(text.decode(errors="replace").replace("\r", "").strip("\n"), int(code))

    def run(self, command: str, limit_s: float = ANSWER_S, answers: Mapping[str, str] | None = None) -> Said:
        """Types a command that must succeed. Raises MachineError."""
        said = self.ask(command, limit_s, answers)
        if said.code:
            raise MachineError(f"`{command}` gave {said.code}: {said.text[-1500:]}")
        return said

    def until(self, command: str, pattern: str, guest_s: float, pause_s: float = 1.0) -> str:
        """Types a command until what it says matches, for so many of the machine's seconds. Raises MachineError."""
        began = self.uptime()
        while True:
            said = self.ask(command).text
            if re.search(pattern, said):
                return said
            if self.uptime() - began > guest_s:
                raise MachineError(f"`{command}` does not say {pattern} within {guest_s:g} s, but: {said[-1500:]}")
            self.ask(f"sleep {pause_s:g}")

    def uptime(self) -> float:
        """Returns the machine's own seconds since it was switched on."""
        return float(self.run("cut -d' ' -f1 /proc/uptime").text)

    def cut(self) -> None:
        """Cuts the power: the emulator is killed."""
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def off(self) -> None:
        """Switches it off in order."""
        assert self._process is not None
        self._write("systemctl poweroff\n")
        self._process.wait(BOOT_S)
        self.cut()

    def _connect(self, line: Path) -> socket.socket:
        until = time.monotonic() + 60
        while True:
            channel = socket.socket(socket.AF_UNIX)
            with contextlib.suppress(OSError):
                channel.connect(str(line))
                channel.settimeout(5.0)
                return channel
            channel.close()
            assert self._process is not None
            if self._process.poll() is not None or time.monotonic() > until:
                raise MachineError("the emulator does not start; see emulator.log")
            time.sleep(0.05)

    def _write(self, text: str) -> None:
        assert self._line is not None
        # A serial line's buffer is small, and the machine may be busy.
        self._line.settimeout(600)
        self._line.sendall(text.encode())

    def _await(self, pattern: re.Pattern[bytes], limit_s: float, answers: Mapping[str, str]) -> tuple[bytes, bytes]:
        assert self._line is not None
        assert self._process is not None
        self._line.settimeout(5.0)
        until = time.monotonic() + limit_s
        got = b""
        answered = 0
        while True:
            if found := pattern.search(got):
                return got[: found.start()], found[1] if found.groups() else b""
            if PROMPT.search(got) and len(got) > answered:
                question = got[answered:].decode(errors="replace").splitlines()[-1]
                answered = len(got)
                self._write(next((answer for words, answer in answers.items() if words in question), "") + "\n")
            if time.monotonic() > until:
                raise MachineError(f"no answer within {limit_s:g} s; last: {got[-1500:].decode(errors='replace')}")
            try:
                more = self._line.recv(65536)
            except TimeoutError:
                if self._process.poll() is not None:
                    raise MachineError("the machine went off") from None
                continue
            if not more:
                raise MachineError("the machine went off")
            got += more


def layer(below: Path, disk: Path) -> Path:
    """Makes `disk` a layer above another disk: what is written goes there, all else is read from below. Returns it."""
    form = "qcow2" if below.suffix == ".qcow2" else "raw"
    command = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", form, "-b", str(below.resolve()), str(disk)]
    subprocess.run(command, check=True)
    return disk


def free_port() -> int:
    """Returns a port of this machine that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
