"""The demo's own broker on a free loopback port: mosquitto as a child if it is installed, otherwise an embedded one.

Never used by the daemon on a real table. The embedded one (extra `demo`) speaks MQTT 3.1.1 only.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal, Protocol

from controller.commands.demo.leash import leashed
from controller.events.doors import host_of, whole_number
from controller.events.errors import DeviceError, UnreadableError

START_SECONDS = 30.0
"""A child that ends is noticed at once; a busy machine may take ten seconds to start one."""
EMBEDDED = "embedded"


class Broker(Protocol):
    """A running broker."""

    host: str
    port: int
    name: str
    speaks: Literal["", "5", "3.1.1"]
    """The version of MQTT it is known to speak; empty where that has to be found out."""

    def stop(self) -> None:
        """Ends it."""


def _is_host(text: str) -> bool:
    try:
        return bool(host_of(text))
    except UnreadableError:
        return False


class OutsideBroker:
    """Somebody else's broker, named by `--broker HOST:PORT`."""

    name = "outside"
    speaks: Literal["", "5", "3.1.1"] = ""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port

    def stop(self) -> None:
        """Leaves it running: it is not ours."""


class ChildBroker:
    """A broker in a child process that ends with us."""

    host = "127.0.0.1"

    def __init__(self, name: str, port: int, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name, self.port = name, port
        self.speaks: Literal["", "5", "3.1.1"] = "3.1.1" if name == EMBEDDED else ""
        self._process, self._log = process, log

    def wait_until_up(self) -> None:
        """Returns when it takes connections. Raises DeviceError if it does not within `START_SECONDS`."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            with socket.socket() as probe:
                probe.settimeout(0.2)
                if probe.connect_ex((self.host, self.port)) == 0:
                    return
            time.sleep(0.02)
        self.stop()
        said = self._log.read_text(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise DeviceError(
            f"the demo's {self.name} broker did not come up on port {self.port}: {said[0]}. Fix: name a running "
            "one with --broker HOST:PORT"
        )

    def stop(self) -> None:
        """Ends the child, by force if it does not listen."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(3)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def free_port() -> int:
    """Returns a loopback port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def mosquitto_program() -> str | None:
    """Returns mosquitto's path; Debian puts it where an ordinary user's PATH does not look."""
    return shutil.which("mosquitto", path=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin")


def start_broker(folder: Path, outside: str | None = None) -> Broker:
    """Starts (or names) the demo's broker; its files go to `folder`. Raises DeviceError if none comes up."""
    if outside is not None:
        host, _, port = outside.rpartition(":")
        number = whole_number(port)
        if not 0 < number <= 65535 or not _is_host(host):
            raise DeviceError(f"--broker {outside}: not of the form HOST:PORT. Fix: for example localhost:1883")
        return OutsideBroker(host, number)
    port_number = free_port()
    log = folder / "broker.log"
    program = mosquitto_program()
    if program:
        settings = folder / "mosquitto.conf"
        lines = [f"listener {port_number} 127.0.0.1", "allow_anonymous true", "persistence false"]
        # Answers to calls are small: without it each waits for company on the wire, 40 ms at a time.
        lines.append("set_tcp_nodelay true")
        if os.geteuid() == 0:
            # Started as root it would become the user mosquitto, who cannot read our folder.
            lines.append("user root")
        settings.write_text("\n".join(lines) + "\n")
        command, name = [program, "-c", str(settings)], "mosquitto"
    else:
        command, name = [sys.executable, "-m", "controller.commands.demo.embedded_broker", str(port_number)], EMBEDDED
    with log.open("wb") as stream:
        process = subprocess.Popen(leashed(command), stdout=stream, stderr=stream, stdin=subprocess.DEVNULL)
    broker = ChildBroker(name, port_number, process, log)
    broker.wait_until_up()
    return broker
