"""The pocket node's figures: the shipped .hex on a simulated chip, the wire, the clock, the host's share.

Not shown, because simavr does not: an error of the baud rate, a real resonator's drift, noise on the wires, USB.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from controller.events.beams import BeamHealth
from controller.pockets.beam_map import beam_map
from controller.pockets.codec import Decoder
from controller.pockets.messages import MAX_NODE_LINE
from controller.pockets.node_protocol import NodeCore
from controller.pockets.serial_port import SerialPockets
from tests.bench.figure import Figure
from tests.firmware.rig import Rig, bursts, compare
from tests.pockets.damage import wrongly_accepted
from tests.pockets.pair import MS, SECOND, Pair, Wire, busy, idle
from tests.pockets.pty_node import PtyNode


def run(long: bool) -> Iterator[Figure]:
    yield from on_the_chip(10_000 if long else 1_500)
    yield from poor_line(2_000 if long else 300)
    yield from bad_line(800 if long else 80)
    yield from overload(8_000 if long else 2_000)
    yield reset(20 if long else 4)
    yield from cable_and_busy_host()
    yield from decoder(200_000 if long else 20_000)
    yield from clock(1_800 if long else 240)
    yield from host_cost(30 if long else 6)


def _rig() -> Rig:
    return Rig(Path(tempfile.mkdtemp(prefix="carrom-chip-")))


def _play(rig: Rig, changes) -> None:
    for change in changes:
        rig.change(change.us, change.sensor, change.blocked)


def _all_in(rig: Rig, within_s: float) -> bool:
    return rig.until(lambda: len(rig.saved) >= len(rig.changes), within_s)


def on_the_chip(count: int) -> Iterator[Figure]:
    with _rig() as rig:
        rig.ready()
        _play(rig, bursts(random.Random(11), count, rig.us + 50_000, (15_000, 60_000)))
        came = _all_in(rig, count / 8 * 0.1 + 30)
        rig.run(1_200_000)
        name = f"{count} edges in bursts of eight within 2 ms"
        if not came or len(rig.saved) != count:
            yield Figure(name, "sim", f"{len(rig.saved)} came", "each once", False)
            return
        found = compare(rig.changes, rig.saved)
        numbers = [edge.seq for edge in rig.saved] == list(range(count))
        good = numbers and not found.wrong_level and not found.out_of_order and not rig.gaps
        yield Figure(
            f"{name}: wrong level, out of order, gaps",
            "sim",
            f"{found.wrong_level}, {found.out_of_order}, {len(rig.gaps)}",
            "0, 0, 0",
            good,
            "edges of different pins closer than 8 µs may share a stamp: the chip cannot tell which was first",
        )
        low, high = found.worst_early_late_us
        yield Figure("stamp against the pin, worst", "sim", f"{low:+d} to {high:+d} µs", "8 µs", found.worst_us <= 8)
        yield Figure(
            "RAM ever used, stack included",
            "sim",
            f"{rig.node.stat()['ram']} bytes",
            "< 1536",
            rig.node.stat()["ram"] < 1536,
        )


def poor_line(count: int) -> Iterator[Figure]:
    with _rig() as rig:
        rig.ready()
        rig.node.faults(1_000, seed=12)
        rng = random.Random(12)
        at, level = rig.us, [False] * 8
        for _ in range(count):
            at += rng.randint(60_000, 140_000)
            sensor = rng.randrange(8)
            level[sensor] = not level[sensor]
            rig.change(at, sensor, level[sensor])
        came = _all_in(rig, count * 0.1 + 120)
        good = came and compare(rig.changes, rig.saved).wrong_level == 0 and not rig.gaps
        yield Figure(
            f"{count} edges at 10/s, 0.1 % of bytes damaged, lost or doubled: came, gaps",
            "sim",
            f"{len(rig.saved)}, {len(rig.gaps)}",
            f"{count}, 0",
            good,
            f"{rig.source.link.bad} damaged lines at the host, {rig.source.link.counters.node_bad} at the node",
        )


def bad_line(count: int) -> Iterator[Figure]:
    with _rig() as rig:
        rig.ready()
        rig.node.faults(10_000, seed=13)
        _play(rig, bursts(random.Random(13), count, rig.us, (4_000_000, 4_000_000)))
        came = _all_in(rig, count / 8 * 4 + 120)
        good = came and compare(rig.changes, rig.saved).wrong_level == 0 and not rig.gaps
        yield Figure(
            f"{count} edges in eights every 4 s, 1 % of bytes: came, gaps",
            "sim",
            f"{len(rig.saved)}, {len(rig.gaps)}",
            f"{count}, 0",
            good,
        )


def overload(count: int) -> Iterator[Figure]:
    with _rig() as rig:
        rig.ready()
        at = rig.us + 20_000
        for number in range(count // 8):
            for sensor in range(8):
                rig.change(at, sensor, number % 2 == 0)
            at += 150
        rig.until(lambda: len(rig.saved) + sum(gap.lost for gap in rig.gaps) >= count, 60)
        rig.run(2_000_000)
        lost = sum(gap.lost for gap in rig.gaps)
        ram = rig.node.stat()["ram"]
        yield Figure("RAM ever used, stack included, overload included", "sim", f"{ram} bytes", "< 1536", ram < 1536)
        yield Figure(
            f"overload, {count} edges at 53 000/s: came + told lost",
            "sim",
            f"{len(rig.saved)} + {lost} = {len(rig.saved) + lost}",
            f"{count}",
            len(rig.saved) + lost == count and lost > 0,
        )


def reset(times: int) -> Figure:
    """Resets at random moments in traffic: an edge is saved once, or lies within a gap that was told."""
    hidden = doubled = 0
    with _rig() as rig:
        rig.ready()
        rng = random.Random(14)
        level, truth = [False] * 8, []
        for resets in range(1, times + 1):
            at = rig.us + 5_000
            for _ in range(12):
                at += rng.randint(200, 4_000)
                sensor = rng.randrange(8)
                level[sensor] = not level[sensor]
                rig.node.pin(at, sensor, level[sensor])
                truth.append(at * 1000)
            rig.run(rng.randint(5_000, at - rig.us + 5_000))
            rig.node.reset()
            rig.until(lambda resets=resets: rig.source.report().restarts == resets, 20)
            rig.until(lambda: rig.source.report().link == "running", 20)
            rig.run(1_500_000)
        doubled = len(rig.saved) - len({(edge.boot, edge.seq) for edge in rig.saved})
        stamps = sorted(edge.t_ns for edge in rig.saved)
        for t in truth:
            told = any(gap.from_ns - 5 * MS <= t <= gap.t_ns + 5 * MS for gap in rig.gaps)
            hidden += not told and not any(abs(t - stamp) < 5 * MS for stamp in stamps)
        return Figure(
            f"{times} resets in traffic: gaps told, edges doubled, silently lost",
            "sim",
            f"{len(rig.gaps)}, {doubled}, {hidden}",
            f"{times}, 0, 0",
            len(rig.gaps) == times and not doubled and not hidden,
        )


def cable_and_busy_host() -> Iterator[Figure]:
    with _rig() as rig:
        rig.ready()
        _play(rig, bursts(random.Random(15), 80, rig.us + 100_000, (150_000, 250_000)))
        rig.run(1_000_000)
        # At the chip's own pace from here on: the driver's looking about is on the machine's clock.
        rig.real_time = True
        began = time.monotonic()
        rig.replug(port_after_us=500_000)
        plugged = rig.us
        back = rig.until(lambda: rig.source.report().link == "running", 10)
        took = (rig.us - plugged) / 1e6
        rig.real_time = False
        came = _all_in(rig, 30)
        good = came and compare(rig.changes, rig.saved).wrong_level == 0 and not rig.gaps
        yield Figure(
            "cable out 0.5 s, back under another name: running again, edges lost",
            "sim",
            f"{took:.2f} s, {len(rig.changes) - len(rig.saved)}",
            "2 s, 0",
            bool(back and took <= 2 and good),
            f"{time.monotonic() - began:.1f} s of this machine's time, the chip's own clock beside it",
        )
    with _rig() as rig:
        rig.ready()
        release = threading.Event()
        rig.store = lambda edges: release.wait()
        rig.lock_step = False
        _play(rig, bursts(random.Random(16), 80, rig.us + 100_000, (150_000, 200_000)))
        rig.run(2_100_000)
        release.set()
        rig.lock_step = True
        since = rig.us
        came = _all_in(rig, 30)
        good = came and compare(rig.changes, rig.saved).wrong_level == 0 and not rig.gaps
        yield Figure(
            "host busy for 2 s in traffic of 45 edges/s: all in after, edges lost",
            "sim",
            f"{(rig.us - since) / 1e6:.2f} s, {len(rig.changes) - len(rig.saved)}",
            "2 s, 0",
            bool(good and rig.us - since <= 2_000_000),
        )


def decoder(count: int) -> Iterator[Figure]:
    wrong = wrongly_accepted(count, seed=17)
    yield Figure(f"{count} damaged events: wrong ones accepted", "sim", str(wrong), "0", wrong == 0)
    rng = random.Random(18)
    fuzzed, longest, size = Decoder("node"), 0, 0
    alphabet = b"beamgpohlts =*0123456789abcdef\n\r\x00\xff"
    while size < 20 * count:
        chunk = rng.randbytes(64) if rng.random() < 0.5 else bytes(rng.choices(alphabet, k=64))
        size += len(chunk)
        if any(True for _ in fuzzed.feed(chunk)):
            wrong += 1
        longest = max(longest, len(fuzzed._held))
    yield Figure(
        f"{size / 1e6:.1f} MB of noise: exceptions, lines accepted, bytes held at most",
        "sim",
        f"0, {wrong}, {longest}",
        f"0, 0, {MAX_NODE_LINE}",
        wrong == 0 and longest <= MAX_NODE_LINE,
    )


def clock(seconds: int) -> Iterator[Figure]:
    """Edges of a node 3 000 ppm off and warming up, over a polled adapter, after half a minute of acquaintance."""
    for host, ppm in ((idle, 3_000.0), (busy, 3_000.0), (busy, -5_000.0)):
        pair = Pair(seed=19, ppm=ppm, wire=Wire(host=host), wander=lambda span: 1e-9 * span * span / 60e9)
        pair.open()
        pair.settle()
        pair.run(30)
        rng, at = random.Random(20), pair.now
        end = at + seconds * SECOND
        while at < end:
            at += rng.randint(10 * MS, 150 * MS)
            pair.edge(at, rng.randrange(8))
        pair.run_until(at + 2 * SECOND)
        errors = sorted(abs(edge.t_ns - t) for edge, (t, _, _) in zip(pair.edges, pair.truth, strict=True))
        late = sorted(
            pair.received_at[(edge.boot, edge.seq)] - t for edge, (t, _, _) in zip(pair.edges, pair.truth, strict=True)
        )
        inside = sum(
            abs(edge.t_ns - t) <= 2 * edge.u_ns for edge, (t, _, _) in zip(pair.edges, pair.truth, strict=True)
        )

        def at_share(values: list[int], share: float) -> str:
            return f"{values[min(len(values) - 1, int(share * len(values)))] / 1e6:.2f}"

        worst = errors[min(len(errors) - 1, int(0.999 * len(errors)))]
        yield Figure(
            f"clock, {host.__name__} host, {ppm:+.0f} ppm, {len(errors)} edges: 50, 99, 99.9 %",
            "sim",
            f"{at_share(errors, 0.5)}, {at_share(errors, 0.99)}, {at_share(errors, 0.999)} ms",
            "99.9 % < 0.5 ms" if host is busy else "",
            worst < MS // 2 if host is busy else None,
            f"stamped when received: {at_share(late, 0.5)}, {at_share(late, 0.99)}, {at_share(late, 0.999)} ms; "
            f"within two of its own error bars {inside / len(errors):.3f}",
        )


def host_cost(seconds: int) -> Iterator[Figure]:
    """The reading thread's own processor time at 100 edges a second, on this machine."""
    up = threading.Event()

    def emit(event) -> None:
        if isinstance(event, BeamHealth) and event.link == "up":
            up.set()

    saved: list[object] = []
    with PtyNode(NodeCore(boot=1)) as node:
        source = SerialPockets(
            port=node.plug(), beams=beam_map(), now_ns=time.monotonic_ns, store=saved.extend, emit=emit
        )
        source.start()
        up.wait(20)
        time.sleep(5)  # the first seconds' pings are not the rule
        meter = time.pthread_getcpuclockid(source._thread.ident)
        spent, began, count = time.clock_gettime(meter), time.monotonic(), 0
        while time.monotonic() - began < seconds:
            node.edge(count % 8, count // 8 % 2 == 0)
            count += 1
            time.sleep(max(0.0, began + count / 100 - time.monotonic()))
        took = time.monotonic() - began
        share = (time.clock_gettime(meter) - spent) / took
        source.stop()
    yield Figure(
        f"host's share of a core at {count / took:.0f} edges/s",
        "host",
        f"{100 * share:.2f} %",
        "< 1 %",
        share < 0.01,
        f"{len(saved)} of {count} saved",
    )
