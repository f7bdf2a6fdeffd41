"""How long a table takes from its start to being armed, part by part: a whole demo's house whose power is cut.

Daemon and eyes are killed at once between strokes and started anew, as after a power cut, with what they compiled kept
as an installation keeps it. Wall time hangs on what else the machine does; processor time hardly. What a Raspberry Pi
takes is reckoned from processor time and a stated factor, and the system's own start is not measured here.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from controller.commands.demo.house import House, Plan, built, open_eyes
from controller.vision.ring import RingReader
from tests.bench.figure import Figure
from tests.e2e.interrupted import InterruptedShow, perform, until

WITHIN_S = 60.0
SYSTEM_S = 25.0
"""Power on → services start, Raspberry Pi OS Lite from a card rated A2: supposed, not measured."""
FACTORS = {"Raspberry Pi 4": 4.0, "Raspberry Pi 5": 2.0}
"""How much longer one of its cores takes than one of this machine's: supposed, by published single-core scores."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Starts:
    """Cuts the power and watches daemon and eyes come back, `times` times. Seconds from when each process began."""

    times: int
    pages_s: list[float] = field(default_factory=list)
    picture_s: list[float] = field(default_factory=list)
    armed_s: list[float] = field(default_factory=list)
    daemon_cpu_s: list[float] = field(default_factory=list)
    eyes_cpu_s: list[float] = field(default_factory=list)

    def __call__(self, stands: House, _show: InterruptedShow) -> Iterator[None]:
        """Called in each pause."""
        children, ears = stands.stage.children, stands.ears
        while len(self.armed_s) < self.times:
            starts = {name: child.starts for name, child in children.items()}
            ring = RingReader(stands.folder / "run" / "pictures.ring")
            stands.cut_power()
            said, last = len(ears.words), ring.newest()
            began = time.monotonic()
            while any(children[name].starts == count for name, count in starts.items()):
                began = time.monotonic()
                yield
            yield from until(lambda said=said: "online" in ears.words[said:], "the daemon is back")
            self.pages_s.append(time.monotonic() - began)
            yield from until(lambda ring=ring, last=last: ring.newest() != last, "a picture")
            self.picture_s.append(time.monotonic() - began)
            ring.close()
            back = said + ears.words[said:].index("online")
            yield from until(lambda back=back: "armed" in ears.words[back:], "the table is armed")
            self.armed_s.append(time.monotonic() - began)
            self.daemon_cpu_s.append(_processor_s(children["daemon"].process.pid))  # type: ignore[union-attr]
            self.eyes_cpu_s.append(_processor_s(children["eyes"].process.pid))  # type: ignore[union-attr]


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures; `long`: more times."""
    # An installation has its bytecode; a machine for tests may be told to write none.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    starts = Starts(10 if long else 5)
    plan = Plan(speed=1.0, scenario="clean")
    with tempfile.TemporaryDirectory() as bytecode:
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        try:
            with built(plan) as stands:
                open_eyes(stands, plan)
                perform(stands, shots=2, between=starts)
        finally:
            del os.environ["PYTHONPYCACHEPREFIX"]
    for name, took in (
        ("start → broker and pages know the table", starts.pages_s),
        ("start → first picture read", starts.picture_s),
        ("start → set-up finished: the board found, armed", starts.armed_s),
    ):
        yield Figure(name, "host", f"{statistics.median(took):.1f} s median, {max(took):.1f} worst of {len(took)}")
    daemon, eyes = statistics.median(starts.daemon_cpu_s), statistics.median(starts.eyes_cpu_s)
    yield Figure("… processor time until then", "host", f"daemon {daemon:.1f} s, eyes {eyes:.1f} s of a core")
    for model, factor in FACTORS.items():
        # Each on a core of its own; one after the other is the most that it can be.
        most = SYSTEM_S + factor * (daemon + eyes)
        says = f"{most:.0f} s at most: {SYSTEM_S:.0f} the system, {factor * daemon:.0f} the daemon, "
        says += f"{factor * eyes:.0f} the eyes"
        note = f"reckoned, not measured: {factor:g} × this machine's processor time, one after the other"
        yield Figure(f"power on → armed, {model}", "host", says, f"{WITHIN_S:.0f} s", most <= WITHIN_S, note)


def _processor_s(pid: int) -> float:
    """What a process has used, in seconds of one core (proc(5): fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
