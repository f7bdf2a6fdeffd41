"""The host's half of the node's protocol, sans-IO: bytes and the time in, beam events and bytes to send out.

Rules of this file. (1) No port, no thread, no clock: every call is handed `now_ns`, on whatever clock the table runs
on; silence, pings and repeats are judged on that one alone. (2) An edge comes out once, in the order of its number,
or its number comes out in a gap. (3) Nothing is acknowledged before `stored` was called. (4) Edges are taken only
between a hello and the end of that boot, and only once its clock is aligned. (5) An edge waits until a ping that was
sent after it came has shown that the clock still runs along its line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.pockets.beam_map import BeamMap
from controller.pockets.clock import ClockAlignment, Taken
from controller.pockets.codec import Decoder, Line, Value, encode
from controller.pockets.conversation import TABLE, Counters, Happening, Node, State, Step
from controller.pockets.messages import PROTO, RING, TABLES
from controller.pockets.pinger import Pinger
from controller.pockets.sensors import Sensors
from controller.pockets.steadiness import Steadiness, clock_step, new_start

SECOND = 1_000_000_000
REPEAT_NS = SECOND // 2
"""After which an unanswered hello or resume is sent again."""
SILENT_NS = 2 * SECOND
"""Eight beats missed. With the way to the pages everybody knows within three seconds."""
ACK_NS = SECOND // 50
ACK_EVERY = 8
"""An acknowledgement waits at most so long, for at most so many: the node asks again after a tenth of a second."""
INSISTED = 3
AHEAD = 2 * RING
"""Numbers further ahead of what is expected than a ring can hold are damage, not news."""


@dataclass(frozen=True, slots=True)
class _Came:
    """A numbered line in its place: it stands for the `count` numbers from `seq`, and was read at `at_ns`."""

    line: Line
    seq: int
    count: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class _Doubt:
    """A line that is not believed yet: how often it came, and when first."""

    line: Line
    times: int
    since_ns: int


@dataclass(slots=True)
class _Work:
    """One call's harvest."""

    events: list[PocketEvent] = field(default_factory=list)
    out: list[bytes] = field(default_factory=list)

    def step(self) -> Step:
        return Step(tuple(self.events), b"".join(self.out))


class Link:
    """One node on one port, over any number of openings of it.

    `held(epoch)` returns the number after the last edge of that boot that is already in the journal, or None if it
    has none: it is asked once for each boot that this Link did not know yet.
    """

    def __init__(self, beams: BeamMap, held: Callable[[str], int | None] = lambda epoch: None) -> None:
        self._beams = beams
        self._asked = held
        self._decoder = Decoder("node")
        self._pinger = Pinger()
        self.counters = Counters()
        self.state = State.CLOSED
        self.node: Node | None = None
        self.sensors = Sensors(beams)
        self.steadiness = Steadiness()
        self.refusal = ""
        """Why the node was refused, and the way out."""
        self._nonce = 0
        self._first_nonce = 1
        self._spoken_ns = 0
        self._heard_ns = 0
        self._next = 0
        self._given = 0
        self._durable = 0
        self._acked = 0
        self._acked_ns = 0
        self._now_ns = 0
        self._early: dict[int, _Came] = {}
        self._last_t_ns = 0
        self._last_us = 0
        self._horizon_ns = 0
        self._told: Literal["up", "stale", "down", "restarting"] = "down"
        self._unsure: deque[_Came] = deque()
        self._doubts: dict[int, _Doubt] = {}
        self.settings: dict[str, int] | None = None
        """What the node last reported that it keeps, after a `get` or a `set`."""

    # what the shell calls ---------------------------------------------------------------------------------------------

    def opened(self, now_ns: int) -> Step:
        """A port was opened: greets whoever is there."""
        work = _Work()
        self._decoder = Decoder("node")
        self._heard_ns = now_ns
        self._horizon_ns = self._horizon_ns or now_ns
        self._move(Happening.OPENED)
        self._nonce = self._nonce % 0xF000
        self._first_nonce = self._nonce + 1
        # Whatever an earlier reader left half sent ends here.
        work.out.append(b"\n")
        self._greet(work, now_ns)
        return work.step()

    def closed(self, now_ns: int) -> Step:
        """The port is gone. What was delivered stays delivered; the rest waits in the node."""
        work = _Work()
        self._move(Happening.CLOSED)
        self._pinger.forget()
        self._tell(work, "down", "the pocket node's port is gone", now_ns)
        return work.step()

    def received(self, data: bytes, now_ns: int) -> Step:
        """Takes bytes that were read at `now_ns`."""
        work = _Work()
        self._now_ns = now_ns
        for line in self._decoder.feed(data):
            self._heard_ns = now_ns
            _ANSWERS[line.name](self, line, work, now_ns)
        self._due(work, now_ns)
        return work.step()

    def tick(self, now_ns: int) -> Step:
        """Lets time pass: pings, repeats, silence. Call it some twenty times a second, after everything read was taken.

        At irregular times: pings go out only here, and must not fall into step with a USB adapter's frames. Without a
        port, too: what was reported of the node may have ceased to be so.
        """
        work = _Work()
        self._now_ns = now_ns
        if (changed := self.steadiness.changed(now_ns)) is not None:
            work.events.append(changed)
        if self.state is not State.CLOSED:
            self._due(work, now_ns)
        if self._ack_is_due(now_ns):
            work.out.append(self._ack())
        if self.state in (State.ALIGNING, State.RESUMING, State.RUNNING):
            self._pings(work, now_ns)
        return work.step()

    def stored(self) -> bytes:
        """Everything that came out so far is durable: returns the acknowledgement to send, if it is to go out yet.

        In a burst one says it for several; `tick` sends what is left over.
        """
        self._durable = self._given
        return self._ack() if self._ack_is_due(self._now_ns) else b""

    def _ack_is_due(self, now_ns: int) -> bool:
        waiting = self._durable - self._acked
        return waiting >= ACK_EVERY or (waiting > 0 and now_ns - self._acked_ns >= ACK_NS)

    def tell(self, name: str, **values: Value) -> bytes:
        """Returns the line of a message to the node that needs no conversation: mask, set, get."""
        return encode("host", name, **values)

    # what others look at ----------------------------------------------------------------------------------------------

    @property
    def clock(self) -> ClockAlignment:
        """The alignment of the present boot."""
        return self._pinger.clock

    @property
    def is_pressing(self) -> bool:
        """Whether the next tick should come soon: before edges flow, and while an edge or an acknowledgement waits."""
        return self.state is not State.RUNNING or self._durable > self._acked or self._hurries

    @property
    def expects_pong(self) -> bool:
        """Whether a ping went out whose answer is to be read at once: its time of arrival is what it is for."""
        return self._pinger.waits

    @property
    def bad(self) -> int:
        """Damaged lines since the port was opened."""
        return self._decoder.bad

    # the conversation -------------------------------------------------------------------------------------------------

    def _move(self, happening: Happening) -> None:
        self.state = TABLE.get((self.state, happening), self.state)

    def _due(self, work: _Work, now_ns: int) -> None:
        if self._heard_ns + SILENT_NS <= now_ns and self._told != "stale":
            self._tell(work, "stale", "the pocket node is silent for 2 s", now_ns)
            self._move(Happening.SILENT)
        if self.state is State.GREETING and now_ns - self._spoken_ns >= REPEAT_NS:
            self._greet(work, now_ns)
        if self.state is State.RESUMING and now_ns - self._spoken_ns >= REPEAT_NS:
            self._resume(work, now_ns)

    def _greet(self, work: _Work, now_ns: int) -> None:
        self._nonce = min(0xFFFF, self._nonce + 1)
        self._spoken_ns = now_ns
        work.out.append(encode("host", "hello", proto=PROTO, nonce=f"{self._nonce:04x}"))

    def _resume(self, work: _Work, now_ns: int) -> None:
        assert self.node is not None
        self._spoken_ns = now_ns
        work.out.append(encode("host", "resume", boot=self.node.boot, next=self._durable))

    def _pings(self, work: _Work, now_ns: int) -> None:
        aligning = self.state is State.ALIGNING
        if aligning and self._pinger.is_patient_enough(now_ns):
            self._aligned(work, now_ns)
        work.out.append(self._pinger.ask(now_ns, hurry=aligning or self._hurries))

    @property
    def _hurries(self) -> bool:
        """Whether what came waits to know that the clock still runs along its line."""
        unknown = any(doubt.since_ns > self.clock.agreed_ns for doubt in self._doubts.values())
        return unknown or bool(self._unsure) or self.clock.is_doubted

    def _aligned(self, work: _Work, now_ns: int) -> None:
        self._move(Happening.ALIGNED)
        self._resume(work, now_ns)

    def _ack(self) -> bytes:
        if self.node is None or self.state is not State.RUNNING or self._durable == 0:
            return b""
        self._acked, self._acked_ns = self._durable, self._now_ns
        return encode("host", "ack", boot=self.node.boot, seq=self._durable - 1)

    # answers to each kind of line -------------------------------------------------------------------------------------

    def _on_hello(self, line: Line, work: _Work, now_ns: int) -> None:
        if line.number("proto") != PROTO:
            self.refusal = (
                f"the node speaks protocol {line.number('proto')}, this program {PROTO}. "
                "Fix: flash the firmware that came with it"
            )
            self._move(Happening.UNFIT)
            self._tell(work, "stale", self.refusal, now_ns)
            return
        # Asked since this port was opened, or sent unasked. An older answer is somebody else's.
        nonce = int(line.text("nonce"), 16)
        if nonce and not self._first_nonce <= nonce <= self._nonce:
            return
        before = self.node
        node = Node(
            id=f"{line.number('id'):08x}",
            boot=line.text("boot"),
            firmware=line.text("fw"),
            reset=line.text("reset"),
            beams=line.number("beams"),
            same_table=line.text("dict") in TABLES,
        )
        known = before is not None and before.epoch == node.epoch
        if known and self.state not in (State.GREETING, State.REFUSED):
            return
        self.node = node
        self._early.clear()
        self._pinger.begin(now_ns, new_boot=not known)
        self._move(Happening.GREETED)
        self.steadiness.began(node.id, new_start(node.id, "" if known else node.reset), now_ns)
        if not known:
            self._begin_boot(before, line, work, now_ns)

    def _begin_boot(self, before: Node | None, line: Line, work: _Work, now_ns: int) -> None:
        assert self.node is not None
        self._last_us = 0
        tail = line.number("tail")
        held = self._asked(self.node.epoch)
        self._begin_at(tail if held is None else held)
        if before is not None:
            restarted = "was exchanged for another" if before.id != self.node.id else "restarted"
            self._gap(work, now_ns, self._horizon_ns, 0, f"the node {restarted} ({self.node.reset}): number not known")
            self._tell(work, "restarting", "", now_ns)
        elif held is not None and held < tail:
            # Reported gaps have numbers too and are no edges of the journal: rather repeated than hidden.
            self._gap(work, now_ns, self._horizon_ns, tail - held, "acknowledged before, but not in the journal")
            self._begin_at(tail)

    def _begin_at(self, seq: int) -> None:
        """The next edge is this one, whatever came before."""
        self._next = self._given = self._durable = self._acked = seq
        self._early.clear()
        self._unsure.clear()
        self._doubts.clear()

    def _on_pong(self, line: Line, work: _Work, now_ns: int) -> None:
        if self.node is None:
            return
        if line.text("boot") != self.node.boot:
            self._stranger(work, now_ns)
            return
        taken = self._pinger.answered(line, now_ns)
        if taken is Taken.STEPPED:
            self._stepped(work, now_ns)
        if taken is Taken.AGREED:
            self._give(work)
        if self.state is State.ALIGNING and self._pinger.is_aligned:
            self._aligned(work, now_ns)

    def _stepped(self, work: _Work, now_ns: int) -> None:
        """What is not acknowledged the node sends once more, for the new line."""
        step = self.clock.step
        assert self.node is not None
        assert step is not None
        self._gap(work, step.until_ns, step.from_ns, 0, "the node's clock stepped: times are not sure")
        self._next, self._last_us = self._given, 0
        self._early.clear()
        self._unsure.clear()
        self._doubts.clear()
        self._pinger.begin_line(now_ns)
        self._move(Happening.STEPPED)
        self.steadiness.began(self.node.id, clock_step(self.node.id, step.size_ns), now_ns)
        self._tell(work, "restarting", "", now_ns)

    def _on_beat(self, line: Line, work: _Work, now_ns: int) -> None:
        if self.node is None or self.state in (State.GREETING, State.REFUSED):
            return
        if line.text("boot") != self.node.boot:
            self._stranger(work, now_ns)
            return
        self.sensors.beat(line)
        self.counters.node_bad = line.number("rx_bad")
        if not line.number("run"):
            if self.state is State.RUNNING:
                # It was stopped by a hello of somebody else, or its resume was never received.
                self._aligned_again(work, now_ns)
            return
        self._move(Happening.FLOWING)
        if self.state is not State.RUNNING:
            return
        seq = line.number("seq")
        if seq < self._next:
            self._gap(work, now_ns, self._horizon_ns, 0, "the node's numbers went back: number not known")
            self._begin_at(seq)
        if self.clock.is_doubted:
            return
        if seq == self._given:
            self._horizon_ns = max(self._horizon_ns, min(now_ns, self.clock.to_host(line.number("us"))[0]))
        self._tell(work, "up", "", now_ns)

    def _aligned_again(self, work: _Work, now_ns: int) -> None:
        self.state = State.RESUMING
        self._resume(work, now_ns)

    def _on_beam(self, line: Line, work: _Work, now_ns: int) -> None:
        self._numbered(line, line.number("seq"), 1, work, now_ns)

    def _on_gap(self, line: Line, work: _Work, now_ns: int) -> None:
        self._numbered(line, line.number("from"), line.number("lost"), work, now_ns)

    def _on_settings(self, line: Line, work: _Work, now_ns: int) -> None:
        self.settings = {key: value for key, value in line.values.items() if isinstance(value, int)}

    def _stranger(self, work: _Work, now_ns: int) -> None:
        """A line of another boot: the node's own hello got lost."""
        self._move(Happening.STRANGER)
        self._greet(work, now_ns)

    # edges and gaps ---------------------------------------------------------------------------------------------------

    def _numbered(self, line: Line, seq: int, count: int, work: _Work, now_ns: int) -> None:
        """Takes a line that stands for the numbers `seq` to `seq + count - 1`."""
        if self.state not in (State.RESUMING, State.RUNNING):
            return
        self._move(Happening.FLOWING)
        if count < 1 or not self._plausible(line, seq, now_ns):
            return
        if seq + count <= self._next:
            if seq + count <= self._durable and not any(part.startswith(b"ack") for part in work.out):
                # It did not hear: once is enough for all that one reading brought.
                work.out.append(self._ack())
            return
        came = _Came(line, seq, count, now_ns)
        if seq > self._next:
            if len(self._early) < AHEAD:
                self._early[seq] = came
            return
        self._take_in(came)
        while self._early:
            first = min(self._early)
            if first > self._next:
                break
            self._take_in(self._early.pop(first))

    def _take_in(self, came: _Came) -> None:
        fresh = came.seq + came.count - self._next
        if fresh > 0:
            self._next += fresh
            self._unsure.append(replace(came, count=fresh))

    def _give(self, work: _Work) -> None:
        """Lets out what came before the newest ping that shows the clock to run as it did."""
        while self._unsure and self._unsure[0].at_ns <= self.clock.agreed_ns:
            came = self._unsure.popleft()
            self._given += came.count
            self._deliver(came, work)

    def _plausible(self, line: Line, seq: int, now_ns: int) -> bool:
        """Says no to damage that passed the check: a number beyond any ring, a time not reached yet or long past.

        Damage does not repeat itself, a node does: what it sends for the third time, on a clock that runs as it did,
        is taken as sent.
        """
        if seq <= self._next + AHEAD and (seq < self._next or self._is_possible(line, now_ns)):
            return True
        if len(self._doubts) > AHEAD:
            self._doubts.clear()
        before = self._doubts.get(seq)
        doubt = _Doubt(line, 0, now_ns) if before is None or before.line != line else before
        self._doubts[seq] = doubt = replace(doubt, times=doubt.times + 1)
        return doubt.times >= INSISTED and doubt.since_ns <= self.clock.agreed_ns

    def _is_passed_over(self, line: Line) -> bool:
        """Of a sensor without a place the number counts, and nothing else: a knock of firmware 1.0.0 comes late."""
        return line.name == "beam" and line.number("s") not in self._beams.places

    def _is_possible(self, line: Line, by_ns: int) -> bool:
        if self._is_passed_over(line):
            return True
        newest = line.number("us" if line.name == "beam" else "to")
        reached, error = self.clock.to_host(newest, by_ns)
        past = newest < self._last_us and not self.clock.is_of_before(newest, by_ns)
        return reached <= by_ns + 3 * error + SECOND // 20 and not past

    def _deliver(self, came: _Came, work: _Work) -> None:
        assert self.node is not None
        line = came.line
        if self._is_passed_over(line):
            return
        t_ns, u_ns = self.clock.to_host(line.number("us"), came.at_ns)
        if not self._is_possible(line, came.at_ns):
            self._gap(work, came.at_ns, self._horizon_ns, came.count, "the node gives a time that cannot be")
            return
        if line.name == "gap":
            until, _ = self.clock.to_host(line.number("to"), came.at_ns)
            self._gap(work, until, t_ns, came.count, "more edges than the node could keep")
            return
        us = line.number("us")
        if us >= self._last_us:
            # The line moves a little with each ping; order within a boot must not.
            t_ns = max(t_ns, self._last_t_ns)
        if not self.clock.is_of_before(us, came.at_ns):
            self._last_us = us
        self._last_t_ns = t_ns
        sensor = line.number("s")
        place = self._beams.places[sensor]
        self.counters.edges += 1
        blocked = line.number("lvl") == 1
        self.sensors.edge(sensor, blocked=blocked)
        work.events.append(
            BeamEdge(t_ns, place[0], place[1], blocked, self.node.epoch, came.seq, u_ns, us),
        )

    def _gap(self, work: _Work, t_ns: int, from_ns: int, lost: int, why: str) -> None:
        self.counters.lost += lost
        work.events.append(BeamGap(t_ns, min(from_ns, t_ns), lost, why, self.node.epoch if self.node else ""))

    # health -----------------------------------------------------------------------------------------------------------

    def _tell(self, work: _Work, link: Literal["up", "stale", "down", "restarting"], says: str, now_ns: int) -> None:
        self._told = link
        if link == "up" and self.node is not None and not self.node.same_table:
            says = f"firmware {self.node.firmware} was built from another table of messages. Fix: flash it anew"
        health = BeamHealth(
            self._horizon_ns,
            link,
            blocked=self.sensors.blocked,
            residual_ns=self.clock.residual_ns,
            noise=sum(self.sensors.noise),
            says=says,
        )
        work.events.append(self.steadiness.judged(health, now_ns))


_ANSWERS: dict[str, Callable[[Link, Line, _Work, int], None]] = {
    "hello": Link._on_hello,
    "pong": Link._on_pong,
    "beat": Link._on_beat,
    "beam": Link._on_beam,
    "gap": Link._on_gap,
    "settings": Link._on_settings,
}
