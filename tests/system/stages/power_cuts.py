"""The power is cut at random, 20 times: the emulator is killed while an umpire acts without pause, or while it starts.

The disk is written through. After each cut SQLite finds the journal whole and all that was told as saved is in it; at
the end `carrom replay` rules it the same.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Iterator

from controller.commands.demo.official import Official
from controller.events.errors import PeerError
from tests.system.machine import VirtualMachine
from tests.system.stages.at_table import PATIENCE_S, pin
from tests.system.stages.common import CARROM, JOURNAL, Place, active, asked_journal, up, wanted

CUTS = 20
AT_START = 4
"""Every so manieth cut comes while the machine starts; the others while the umpire acts."""
LONGEST_S = 30.0
"""Seconds of this machine from the first act, or from the shell's coming, to the cut, whichever the luck says."""


START = {"event": "start", "book": "icf", "seats": {"south": "South", "north": "North"}, "first": "south"}
LATEST = "SELECT coalesce(max(seq), 0) FROM events WHERE match = (SELECT match FROM events ORDER BY id DESC LIMIT 1)"


class Restless(threading.Thread):
    """An umpire who acts all the time; `told` are the numbers of the events that were told as saved."""

    def __init__(self, official: Official) -> None:
        super().__init__(daemon=True)
        self.told: list[int] = []
        self.answered = threading.Event()
        self._official = official
        self._ended = threading.Event()

    def end(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        for event in itertools.cycle(({"event": "pause"}, {"event": "resume"})):
            if self._ended.is_set():
                return
            try:
                said = self._official.act(event)
            except (OSError, PeerError):
                # Not up yet, or cut off.
                self._ended.wait(0.2)
                continue
            if said.get("saved"):
                self.told.append(said["seq"])
                self.answered.set()


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm, chance = place.vm, random.Random(24)
    vm.boot()
    up(vm)
    code = pin(vm)
    began = Official(f"http://127.0.0.1:{vm.port(8080)}", code, patience_s=PATIENCE_S).act(START)
    wanted(bool(began.get("saved")), "a new match has begun", str(began))
    told, before, at_work = 0, 0, 0
    for number in range(1, CUTS + 1):
        umpire = Restless(Official(f"http://127.0.0.1:{vm.port(8080)}", code, patience_s=60.0))
        umpire.start()
        if number % AT_START:
            wanted(umpire.answered.wait(PATIENCE_S), "the umpire is answered", f"cut {number}")
            at_work += 1
        threading.Event().wait(chance.uniform(0.0, LONGEST_S))
        vm.cut()
        umpire.end()
        told += len(umpire.told)
        started = vm.boot()
        there = kept(vm)
        wanted(there >= max([before, *umpire.told]), "what was told as saved is there", f"{umpire.told[-3:]}, {there}")
        before = there
        said = f"{len(umpire.told)} told as saved, journal whole, {there} events"
        yield f"cut {number}: {said}; starts in {started:.0f} s"
    up(vm)
    replayed = vm.run(f"{CARROM} replay {JOURNAL}").text
    wanted("the same rulings" in replayed, "carrom replay rules it the same", replayed)
    yield f"{CUTS} cuts, {at_work} of them at work: {told} acts told as saved, none lost, ruled the same again"
    yield active(vm)
    vm.off()


def kept(vm: VirtualMachine) -> int:
    """Returns the newest event's number. Raises MachineError where SQLite does not find the journal whole."""
    whole = asked_journal(vm, "PRAGMA integrity_check")
    wanted(whole == "ok", "the journal is whole", whole)
    return int(asked_journal(vm, LATEST))
