"""The power is cut at random while an umpire acts without pause: after each cut the journal is whole, and nothing that
was told as saved is gone.

The daemon's state lies on a file system of its own, which is shut down as it stands (ext4's own way to rehearse a power
cut: what is not on the disk yet never gets there, its log is not flushed), and mounted again. Needs root and a loop
device.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.commands.demo.leash import leashed
from controller.commands.demo.official import Official
from controller.events.errors import PeerError

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

CUTS = 20
SHUTDOWN = 0x8004587D
"""FS_IOC_SHUTDOWN, of an unsigned 32 bit number: how."""
WITHOUT_ITS_LOG = 2
DISK_MB = 96
PIN = "471147"
LONGEST_S = 4.0
"""A cut comes within so many seconds of the daemon's start or of its first answer, whichever the luck says."""


class Disk:
    """A file system in a file."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "disk"
        self._image = folder / "disk.img"
        self.place.mkdir()
        with self._image.open("wb") as image:
            image.truncate(DISK_MB * 2**20)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", str(self._image)], check=True)

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", str(self._image), str(self.place)], check=True)

    def unmount(self) -> None:
        subprocess.run(["umount", str(self.place)], check=True)

    def cut(self) -> None:
        here = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(here, SHUTDOWN, struct.pack("I", WITHOUT_ITS_LOG))
        finally:
            os.close(here)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0 or shutil.which("mke2fs") is None:
        pytest.skip("a file system of its own needs root and mke2fs")
    made = Disk(tmp_path)
    try:
        made.mount()
    except subprocess.CalledProcessError:
        pytest.skip("no loop device here")
    yield made
    made.unmount()


def settings(folder: Path, disk: Disk) -> Path:
    (folder / "pin").write_text(PIN)
    (folder / "run").mkdir()
    file = folder / "carrom.toml"
    file.write_text(
        f'[table]\nstate = "{disk.place}/state"\nruntime = "{folder}/run"\n[camera]\nkind = "none"\n'
        f'[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n[web]\nhost = "127.0.0.1"\nport = 0\n'
        f'pin_file = "{folder}/pin"\n'
    )
    return file


@contextmanager
def daemon(config: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = leashed([sys.executable, "-m", "controller.cli", "run", "--config", str(config)])
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Restless(threading.Thread):
    """An umpire who acts all the time; `told` are the rulings that were told as saved."""

    def __init__(self, port: Path) -> None:
        super().__init__(daemon=True)
        self.told: list[int] = []
        self.answered = threading.Event()
        self._ended = threading.Event()
        self._port = port

    def end(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        events = itertools.cycle(({"event": "pause"}, {"event": "resume"}))
        official: Official | None = None
        while not self._ended.is_set():
            try:
                official = official or Official(f"http://127.0.0.1:{self._port.read_text().strip()}", PIN)
                said = official.act(next(events))
            except (OSError, PeerError):
                # Not up yet, or cut off.
                official = None
                self._ended.wait(0.05)
                continue
            if said.get("saved"):
                self.told.append(said["seq"])
                self.answered.set()


def kept(journal: Path) -> int:
    """How many events of the match are there; SQLite and the program find all of it whole."""
    with closing(sqlite3.connect(journal)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (latest,) = connection.execute("SELECT max(seq) FROM events").fetchone()
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli", "replay", str(journal)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same rulings" in done.stdout
    return int(latest)


def test_whatever_was_told_as_saved_outlives_a_power_cut(tmp_path: Path, disk: Disk) -> None:
    config, chance = settings(tmp_path, disk), random.Random(24)
    state = disk.place / "state"
    state.mkdir()
    before, cut_at_work = 0, 0
    for number in range(1, CUTS + 1):
        (state / "http-port").unlink(missing_ok=True)
        umpire = Restless(state / "http-port")
        with daemon(config):
            umpire.start()
            if number % 4:
                # Every fourth cut comes while the daemon starts; the others in the midst of its work.
                assert umpire.answered.wait(300)
                cut_at_work += 1
            threading.Event().wait(chance.uniform(0.0, LONGEST_S))
            disk.cut()
        umpire.end()
        disk.unmount()
        disk.mount()
        told = max(umpire.told, default=0)
        there = kept(state / "journal.sqlite") if (state / "journal.sqlite").exists() else 0
        print(f"cut {number}: {len(umpire.told)} told as saved since the start, {there} in the journal")
        assert there >= max(told, before), f"cut {number}: {told} was told as saved, {there} is there"
        before = there
    assert cut_at_work >= CUTS // 2
    assert before > CUTS
