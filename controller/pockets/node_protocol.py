"""The node's half of the protocol, sans-IO: edges and bytes in with the node's own time, bytes out.

Twin of `firmware/pocket_node/node_core.c`, which a test holds to the same bytes. For whatever stands in for a node: the
simulated board, the drivers' tests. Knows no pins, no port and looks at no clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

from controller.pockets.codec import Decoder, Line, encode
from controller.pockets.messages import (
    BEAMS,
    BEAT_US,
    DICT,
    DITHER,
    GAP_CLEAR,
    GAP_SLOTS,
    NOISE_US,
    PROTO,
    RESEND_MAX_US,
    RESEND_US,
    RING,
)

FIRMWARE = "1.1.0"


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """What a node keeps in its EEPROM. `beams` is the mask of beams that are fitted, bit s for sensor s."""

    id: int = 0x00C0FFEE
    polarity: int = 0
    beams: int = 0xFF
    stuck_s: int = 3
    kept: int = 1


@dataclass(slots=True)
class _Edge:
    us: int
    sensor: int
    level: int
    count: int = 1
    slots: int = 1


@dataclass(slots=True)
class _Gap:
    first_us: int
    last_us: int
    count: int
    slots: int = GAP_SLOTS


@dataclass(slots=True)
class _Due:
    """Answers that wait for the line to be free; of each only the newest."""

    hello: bool = True
    nonce: str = "0000"
    pong: int | None = None
    pong_us: int = 0
    pong_at: int = 0
    settings: bool = False


@dataclass(slots=True)
class _Ring:
    entries: deque[_Edge | _Gap] = field(default_factory=deque)
    used: int = 0
    tail_seq: int = 0
    head_seq: int = 0
    cursor: int = 0
    cursor_seq: int = 0
    open: bool = False


def dither_us(number: int) -> int:
    """How long the answer to a ping of that number waits: somewhere in a millisecond, off USB's beat."""
    return number * DITHER & 1023


class NodeCore:
    """One boot of one node. Feed it levels and bytes; call `task` (one line) or `pump` (all that is due) for output."""

    def __init__(
        self,
        *,
        boot: int,
        us: int = 0,
        pins: int = 0,
        reset: str = "power",
        settings: NodeSettings | None = None,
        firmware: str = FIRMWARE,
        margins: str | None = None,
    ) -> None:
        self.settings = settings or NodeSettings()
        self.boot = f"{boot & 0xFFFF:04x}"
        self._reset = reset
        self._firmware = firmware
        self._margins = margins
        self._decoder = Decoder("host")
        self._due = _Due()
        self._ring = _Ring()
        self._pins = pins
        self._level = pins ^ self.settings.polarity
        self._use = self.settings.beams
        self._run = False
        self._lost = 0
        self._beat_us = us + BEAT_US
        self._resend_us = RESEND_US
        self._resend_at: int | None = None
        self._edge_us: list[int | None] = [None] * BEAMS
        self._noise = [0] * BEAMS
        self._blocked_beats = [0] * BEAMS

    # what the pins say ------------------------------------------------------------------------------------------------

    def pins(self, pins: int, us: int) -> None:
        """Takes the state of all eight inputs, bit s for sensor s, as it was at `us`. Changes become edges."""
        self._pins = pins
        level = pins ^ self.settings.polarity
        changed = (level ^ self._level) & self._use
        self._level = level
        for sensor in range(BEAMS):
            if changed >> sensor & 1:
                before = self._edge_us[sensor]
                if before is not None and us - before < NOISE_US:
                    self._noise[sensor] = min(255, self._noise[sensor] + 1)
                self._edge_us[sensor] = us
                self._push(us, sensor, level >> sensor & 1)

    def beam(self, sensor: int, blocked: bool, us: int) -> None:
        """Takes the state of one beam; the other inputs stay as they were."""
        high = int(blocked) ^ (self.settings.polarity >> sensor & 1)
        self.pins(self._pins & ~(1 << sensor) | high << sensor, us)

    def lost(self, first_us: int, last_us: int, count: int) -> None:
        """Takes note of edges that the interrupt had to drop."""
        self._lose(first_us, last_us, count)

    def _push(self, us: int, sensor: int, level: int) -> None:
        ring = self._ring
        free = RING - ring.used
        if ring.open and free >= GAP_CLEAR:
            ring.open = False
        if ring.open or free <= GAP_SLOTS:
            self._lose(us, us, 1)
            return
        ring.entries.append(_Edge(us, sensor, level))
        ring.used += 1
        ring.head_seq += 1

    def _lose(self, first_us: int, last_us: int, count: int) -> None:
        ring = self._ring
        at_head = ring.cursor == len(ring.entries)
        self._lost += count
        ring.head_seq += count
        newest = ring.entries[-1] if ring.entries else None
        if ring.open and isinstance(newest, _Gap):
            newest.count += count
            newest.last_us = last_us
            if at_head:
                ring.cursor_seq += count
            return
        ring.entries.append(_Gap(first_us, last_us, count))
        ring.used += GAP_SLOTS
        ring.open = True

    # what the host says -----------------------------------------------------------------------------------------------

    def received(self, data: bytes, us: int) -> None:
        """Takes bytes from the host; `us` is when the last of them came."""
        for line in self._decoder.feed(data):
            self._obey(line, us)

    def _obey(self, line: Line, us: int) -> None:
        if line.name == "hello":
            self._run = False
            self._due.hello, self._due.nonce = True, line.text("nonce")
        elif line.name == "ping":
            number = line.number("id")
            self._due.pong, self._due.pong_us, self._due.pong_at = number, us, us + dither_us(number)
        elif line.name == "resume":
            self._resume(line.text("boot"), line.number("next"), us)
        elif line.name == "ack":
            if line.text("boot") == self.boot and self._run:
                self._held(line.number("seq") + 1, us)
        elif line.name == "mask":
            self._use = line.number("use") & self.settings.beams
        elif line.name == "set":
            self._set({key: value for key, value in line.values.items() if isinstance(value, int)})
        elif line.name == "get":
            self._due.settings = True

    def _resume(self, boot: str, next_seq: int, us: int) -> None:
        if boot != self.boot:
            self._due.hello, self._due.nonce = True, "0000"
            return
        ring = self._ring
        self._run = True
        self._held(next_seq, us)
        ring.cursor, ring.cursor_seq = 0, ring.tail_seq
        self._resend_us, self._resend_at = RESEND_US, None
        self._beat_us = us

    def _held(self, next_seq: int, us: int) -> None:
        """Frees everything before `next_seq`, part of a gap included; beyond what there is, all there is."""
        ring = self._ring
        next_seq = min(next_seq, ring.head_seq)
        if next_seq <= ring.tail_seq:
            return
        while ring.tail_seq < next_seq:
            oldest = ring.entries[0]
            take = min(oldest.count, next_seq - ring.tail_seq)
            ring.tail_seq += take
            if isinstance(oldest, _Gap) and take < oldest.count:
                oldest.count -= take
                break
            ring.entries.popleft()
            ring.used -= oldest.slots
            if ring.cursor:
                ring.cursor -= 1
        if not ring.entries:
            ring.open = False
        if ring.cursor_seq < ring.tail_seq:
            ring.cursor, ring.cursor_seq = 0, ring.tail_seq
        self._resend_us = RESEND_US
        self._resend_at = us + RESEND_US if ring.entries else None

    def _set(self, values: dict[str, int]) -> None:
        if "stuck_s" in values:
            values["stuck_s"] = min(250, max(1, values["stuck_s"]))
        self.settings = replace(self.settings, kept=1, **values)
        self._use = self.settings.beams
        self._level = self._pins ^ self.settings.polarity
        self._due.settings = True

    # what goes out ----------------------------------------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether a ping's answer is due within the millisecond: call `task` again soon."""
        return self._due.pong is not None

    @property
    def unsaved(self) -> int:
        """How many edges and gaps nobody has acknowledged yet."""
        return len(self._ring.entries)

    def pump(self, us: int) -> bytes:
        """Returns every line that is due at `us`."""
        lines = []
        while line := self.task(us):
            lines.append(line)
        return b"".join(lines)

    def task(self, us: int) -> bytes:
        """Returns the next line that is due at `us`, or nothing."""
        due, ring = self._due, self._ring
        if due.hello:
            due.hello = False
            return self._hello(us)
        if due.pong is not None and us >= due.pong_at:
            number, due.pong = due.pong, None
            return encode("node", "pong", boot=self.boot, id=number, rx=due.pong_us, tx=us)
        if due.settings:
            due.settings = False
            kept = self.settings
            return encode(
                "node",
                "settings",
                id=kept.id,
                polarity=kept.polarity,
                beams=kept.beams,
                stuck_s=kept.stuck_s,
                kept=kept.kept,
            )
        if us >= self._beat_us:
            self._beat_us += BEAT_US
            if self._beat_us <= us:
                self._beat_us = us + BEAT_US
            return self._beat(us)
        if not self._run:
            return b""
        if ring.cursor == len(ring.entries) and self._resend_at is not None and us >= self._resend_at:
            ring.cursor, ring.cursor_seq = 0, ring.tail_seq
            self._resend_us = min(2 * self._resend_us, RESEND_MAX_US)
            self._resend_at = us + self._resend_us
        if ring.cursor < len(ring.entries):
            return self._entry(us)
        return b""

    def _hello(self, us: int) -> bytes:
        return encode(
            "node",
            "hello",
            proto=PROTO,
            dict=DICT,
            id=self.settings.id,
            fw=self._firmware,
            boot=self.boot,
            nonce=self._due.nonce,
            us=us,
            beams=self._use,
            ring=RING,
            tail=self._ring.tail_seq,
            reset=self._reset,
        )

    def _beat(self, us: int) -> bytes:
        stuck = 0
        for sensor in range(BEAMS):
            blocked = self._level >> sensor & self._use >> sensor & 1
            self._blocked_beats[sensor] = min(0xFFFF, self._blocked_beats[sensor] + 1) if blocked else 0
            stuck |= (self._blocked_beats[sensor] >= self.settings.stuck_s * (1_000_000 // BEAT_US)) << sensor
        margins = {"margin": self._margins} if self._margins else {}
        return encode(
            "node",
            "beat",
            boot=self.boot,
            us=us,
            seq=self._ring.head_seq,
            buf=self._ring.used,
            lost=self._lost,
            lvl="".join(str((self._level & self._use) >> sensor & 1) for sensor in range(BEAMS)),
            noise="".join(f"{count:02x}" for count in self._noise),
            stuck=stuck,
            use=self._use,
            run=int(self._run),
            rx_bad=self._decoder.bad & 0xFFFF,
            **margins,
        )

    def _entry(self, us: int) -> bytes:
        ring = self._ring
        entry, seq = ring.entries[ring.cursor], ring.cursor_seq
        ring.cursor += 1
        ring.cursor_seq += entry.count
        if self._resend_at is None:
            self._resend_at = us + self._resend_us
        if isinstance(entry, _Gap):
            return encode(
                "node", "gap", **{"from": seq, "lost": entry.count, "us": entry.first_us, "to": entry.last_us}
            )
        return encode("node", "beam", seq=seq, us=entry.us, s=entry.sensor, lvl=entry.level)
