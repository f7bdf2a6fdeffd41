"""The umpire's desk: everything that happens comes in here one by one, is ruled, written down and then told.

One coroutine, so nothing is ever ruled at the same time as something else. Knows the order of things (read → rule →
write → tell) and no detail of any of them; time comes from the one clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from controller import shots
from controller.events.beams import BeamHealth, PocketEvent
from controller.events.codec import event_to_json
from controller.events.errors import CarromError, ConfigError
from controller.events.match import Correct
from controller.events.observation import BoardSeen, EyesHealth, Moving, Observation, StrokeSeen, Track
from controller.journal.journal import Entry, Journal
from controller.journal.scribe import Scribe
from controller.mqtt import scoreboard
from controller.mqtt.payloads import Alert, Level, Lying, LyingPiece
from controller.shots import outputs
from controller.table.clock import NowNs, WallClock
from controller.table.evidence import EvidenceShelf
from controller.table.health import Health
from controller.table.questions import mismatch_answer, question_alert
from controller.table.standing import Standing
from controller.table.stroke_clock import StrokeClock
from controller.table.umpire import Json, Taken, Umpire

log = logging.getLogger(__name__)

LIVE_NS = 100_000_000
"""Moving positions go out at most this often."""

OVERLAP_SECONDS = 30.0
"""After a restart, edges felt this long before the journal's last entry are heard again."""


class Outlet(Protocol):
    """Somewhere things are told: the broker, the pages, the panel. Calls must return at once."""

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """A stroke was taken in."""

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Something was ruled, or a ruling changed."""

    def alert(self, alert: Alert, standing: bool) -> None:
        """Something should be noticed; a standing one holds until it is resolved."""

    def resolve(self, alert: str) -> None:
        """A standing alert holds no more."""

    def board(self, lying: Lying) -> None:
        """Where the pieces lie, or are moving."""

    def changed(self) -> None:
        """Score or clock changed: read them from the desk."""

    def health(self) -> None:
        """The table's health was measured anew: read it from the desk."""


@dataclass
class Request:
    """An event from a person, with where its answer goes."""

    event: Json
    by: str
    answer: asyncio.Future[Json]


@dataclass(frozen=True)
class TableNames:
    """What the desk must know of the table to name things."""

    table: str
    match: Callable[[float], str]


@dataclass
class Desk:
    """One table's desk. Build it, `restore()` it, add outlets, then `work()`."""

    umpire: Umpire
    scribe: Scribe
    shelf: EvidenceShelf
    now_ns: NowNs
    names: TableNames
    health: Health
    outlets: list[Outlet] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.wall = WallClock(self.now_ns)
        self.reading = shots.begin()
        self.inbox: asyncio.Queue[Observation | PocketEvent | Request | None] = asyncio.Queue()
        self.standing = Standing()
        self.clock = StrokeClock()
        self.match: str = ""
        self.history: list[tuple[float, Json, Json]] = []
        self.lying: Lying | None = None
        self.phase: str = "waiting"
        self.tracks: list[Json] = []
        self.mismatches: dict[str, outputs.Mismatch] = {}
        self._strokes: dict[int, int] = {}
        self._called: list[tuple[str, Json]] = []
        self._ruled_until_ns = 0
        self._told_live_ns = 0

    # -- life

    async def restore(self, journal: Journal, start: Json) -> None:
        """Goes on with the journal's latest match; without one begins the match of the configuration."""
        match = journal.latest_match()
        entries = journal.events(match) if match else ()
        if entries:
            self.match = entries[0].match
            self.umpire.restore(entry.event for entry in entries)
            self.history = [(entry.t_unix, entry.event, entry.ruling) for entry in entries]
            self._remember_strokes(entries)
            await self._settle()
            for felt in journal.edges(entries[-1].t_unix - OVERLAP_SECONDS):
                if felt.t_ns > self._ruled_until_ns:
                    await self._step(felt)
        else:
            taken = await self.rule(start, "configuration")
            if not isinstance(taken, Taken):
                raise ConfigError(f"the match cannot start: {taken['error']}. Mend: correct [match]")

    def _remember_strokes(self, entries: Sequence[Entry]) -> None:
        """Which strokes are in the journal: eyes that say one again after a restart must not have it ruled twice."""
        now = self.now_ns()
        self._called = [(entry.source, entry.ruling) for entry in entries]
        for entry in entries:
            word, _, stamp = entry.source.partition("@")
            if word == "eyes" and stamp.isdigit() and int(stamp) <= now:
                self._strokes[int(stamp)] = entry.seq
                self._ruled_until_ns = max(self._ruled_until_ns, int(stamp))
        self.reading = shots.restart(self.reading, now - round((self._unix() - entries[0].t_unix) * 1e9))

    def answered_calls(self) -> dict[str, Json]:
        """Calls from the broker that were taken before a restart, by their id: said again, they are not done again."""
        return {by.removeprefix("umpire:mqtt:"): ruling for by, ruling in self._called if "mqtt:" in by}

    def announce(self) -> None:
        """Tells everybody how things stand, once the outlets are there."""
        for outlet in self.outlets:
            if self.umpire.latest is not None:
                outlet.ruling(self.umpire.latest, self.history[-1][0])
            outlet.health()
        self.refresh()

    # -- what comes in

    async def work(self) -> None:
        """Takes in everything that comes, for ever; returns after a None."""
        while (item := await self.inbox.get()) is not None:
            try:
                await self.take(item)
            except CarromError as error:
                log.error("%s", error)
                self._tell_alert(Alert("desk", "fault", str(error), self._unix()))

    async def take(self, item: Observation | PocketEvent | Request) -> None:
        """Takes in one thing."""
        if isinstance(item, Request):
            answer = await self._from_person(item)
            if not item.answer.done():
                item.answer.set_result(answer)
            return
        if isinstance(item, StrokeSeen) and item.began_ns <= self._ruled_until_ns:
            # Eyes that were cut off say their latest strokes again; this one is in the journal.
            return
        if isinstance(item, StrokeSeen):
            self.tracks = [_drawn(track) for track in item.tracks]
        if isinstance(item, EyesHealth):
            self._set_health(self.health.with_eyes(item))
        elif isinstance(item, BeamHealth):
            self._set_health(self.health.with_beams(item))
        elif isinstance(item, Moving):
            self._live(item)
            return
        elif isinstance(item, BoardSeen):
            self._lie(item)
        await self._step(item)

    async def tick(self) -> None:
        """Time went by: lets what waits for time conclude, and the clock be seen."""
        await self._step(shots.Tick(self.now_ns()))
        for outlet in self.outlets:
            outlet.changed()

    async def _step(self, seen: Any) -> None:
        self.reading, said = shots.step(self.reading, seen)
        for output in said:
            await self._read(output)

    async def _read(self, said: outputs.Output) -> None:
        match said:
            case outputs.ShotRead():
                await self._stroke(said)
            case outputs.DropRead():
                await self.rule(said.drop, "eyes", said.evidence)
            case outputs.PlacedRead():
                await self.rule(said.placed, "eyes")
            case outputs.SeenRead():
                await self.rule(said.seen, "eyes")
            case outputs.Felt():
                if not said.hand:
                    self._tell_alert(Alert("fell", "info", f"fell: {said.pocket}", self.wall.unix_of(said.t_ns)))
            case outputs.Mismatch():
                self._mismatch(said)
            case outputs.Practice():
                self._tell_alert(Alert("practice", "info", said.why, self._unix(), seat=said.seat))
            case outputs.Phase():
                self._phase(said)
            case outputs.Armed():
                pass

    # -- ruling

    async def _stroke(self, read: outputs.ShotRead) -> None:
        shot = read.shot
        earlier = self._strokes.get(read.began_ns if read.revises is None else read.revises)
        if earlier is not None:
            await self.rule(Correct(earlier, event_to_json(shot)), f"eyes@{read.began_ns}", read.evidence)
            return
        self._ruled_until_ns = max(self._ruled_until_ns, read.began_ns)
        taken = await self.rule(shot, f"eyes@{read.began_ns}", read.evidence)
        if isinstance(taken, Taken):
            self._strokes[read.began_ns] = taken.seq
            lag_s = (self.now_ns() - read.t_ns) / 1e9
            self._set_health(replace(self.health, latency_s=round(max(lag_s, 0.0), 3)))

    async def rule(self, what: Any, source: str, evidence: outputs.Evidence | None = None) -> Taken | Json:
        """Rules on an event, writes it down and tells it. Returns what was taken or the error."""
        before = {question.ask.ask for question in self.umpire.questions()}
        taken = self.umpire.take(what)
        if not isinstance(taken, Taken):
            log.warning("refused: %s", taken)
            if not source.startswith("umpire"):
                self._tell_alert(Alert("refused", "warning", str(taken["error"]), self._unix()))
            return taken
        at = self._unix()
        if taken.starts:
            self._open_match(self.names.match(at))
        await self._write_and_tell(taken, at, source)
        fresh = any(question.ask.ask not in before for question in self.umpire.questions())
        if evidence is not None and (fresh or taken.ruling.get("fouls")):
            self._keep(taken, evidence)
        await self._settle()
        return taken

    async def _write_and_tell(self, taken: Taken, at: float, source: str) -> None:
        receipt = self.scribe.append(self.match, taken.seq, taken.event, taken.ruling, at, source)
        saved = await asyncio.get_running_loop().run_in_executor(None, receipt.saved_within)
        self.history.append((at, taken.event, taken.ruling))
        told = taken.ruling | {"saved": saved}
        if taken.event["event"] == "shot":
            for outlet in self.outlets:
                outlet.shot(taken.event, at)
        for outlet in self.outlets:
            outlet.ruling(told, at)
        if not saved:
            loop = asyncio.get_running_loop()

            def durable() -> None:
                loop.call_soon_threadsafe(self._sealed, taken, at)

            receipt.once_saved(durable)
        for foul in told.get("fouls", ()):
            level: Level = "foul" if foul["status"] == "ruled" else "ask"
            self._tell_alert(Alert("foul", level, foul["says"], at, foul["clause"], told.get("seat")))

    def _sealed(self, taken: Taken, at: float) -> None:
        for outlet in self.outlets:
            outlet.ruling(taken.ruling | {"saved": True}, at)

    def _open_match(self, name: str) -> None:
        self.match = name
        self.history.clear()
        self._strokes.clear()
        self.mismatches.clear()
        self.reading = shots.restart(self.reading, self.now_ns())

    async def _settle(self) -> None:
        """After every ruling: shots learn what to expect, alerts that no longer hold are taken back."""
        expected = self.umpire.expectation()
        if expected is not None:
            await self._step(expected)
        latest = self.umpire.latest or {}
        self.clock = StrokeClock(self.umpire.stroke_seconds())
        if latest.get("turn") and not latest.get("board", {}).get("over"):
            self.clock = self.clock.started(self.now_ns())
        self.refresh()

    async def _from_person(self, request: Request) -> Json:
        mismatch = mismatch_answer(request.event, self.mismatches)
        if mismatch is not None:
            name, event = mismatch
            self.mismatches.pop(name, None)
            if event is None:
                self.refresh()
                return {"seq": self.umpire.seq, "event": "answer", "closed": name}
            taken = await self.rule(event, f"umpire:{request.by}")
        else:
            taken = await self.rule(request.event, f"umpire:{request.by}")
        return taken.ruling if isinstance(taken, Taken) else taken

    # -- telling

    def refresh(self) -> None:
        """Tells what stands now and takes back what does not."""
        t = self._unix()
        now = {alert.id: alert for alert in (question_alert(asked, t) for asked in self.umpire.questions())}
        for name, mismatch in self.mismatches.items():
            level: Level = "ask" if mismatch.question else "warning"
            now[name] = Alert(name, level, mismatch.question or mismatch.says, t, picture=mismatch.picture)
        for name, says in self.health.faults().items():
            now[name] = Alert(name, "fault", says, t)
        fresh, gone = self.standing.update(now)
        for outlet in self.outlets:
            for alert in fresh:
                outlet.alert(alert, True)
            for name in gone:
                outlet.resolve(name)
            outlet.changed()

    def score(self) -> Any:
        """The scoreboard as it stands."""
        latest = self.umpire.latest
        t = self._unix()
        if latest is None:
            return scoreboard.idle(self.names.table, t, self.health.armed)
        return scoreboard.score(
            latest,
            self.info(),
            t,
            clock=self.clock.payload(self.now_ns()),
            armed=self.health.armed,
            provisional=self.umpire.hanging(),
            asks=len(self.umpire.questions()),
        )

    def _mismatch(self, said: outputs.Mismatch) -> None:
        name = f"board-{said.kind.replace('_', '-')}"
        if said.resolved:
            self.mismatches.pop(name, None)
        else:
            self.mismatches[name] = said
        self.refresh()

    def eyes_gone(self) -> None:
        """The eyes' process left: said before the next stroke, play goes on."""
        if self.health.camera != "none":
            self._set_health(replace(self.health, camera="away"))

    def broker_is(self, word: str) -> None:
        """How we stand with the broker."""
        self._set_health(replace(self.health, broker=word))

    def measured(self, **figures: Any) -> None:
        """Figures of the machine, taken every two seconds; health is told with them."""
        self._set_health(replace(self.health, **figures))
        for outlet in self.outlets:
            outlet.health()

    def health_payload(self) -> Any:
        """The `health` payload as it stands."""
        return self.health.payload(self._unix())

    def result(self) -> Any:
        """How the match stands, as the `result` payload."""
        now = {ruling["seq"]: ruling for ruling in self.umpire.rulings()}
        history = [(t, event, now.get(ruling["seq"], ruling)) for t, event, ruling in self.history]
        return scoreboard.result(self.info(), history)

    def info(self) -> scoreboard.MatchInfo:
        """What is known of the match besides its rulings."""
        return self.umpire.info(self.names.table, self.match)

    def _phase(self, said: outputs.Phase) -> None:
        self.phase = said.name
        for outlet in self.outlets:
            outlet.changed()

    def _set_health(self, health: Health) -> None:
        if health == self.health:
            return
        faults = self.health.faults()
        self.health = health
        if health.faults() != faults:
            self.refresh()

    def _live(self, seen: Moving) -> None:
        if seen.t_ns - self._told_live_ns < LIVE_NS:
            return
        self._told_live_ns = seen.t_ns
        self._tell_board(seen.t_ns, seen.pieces, moving=True)

    def _lie(self, seen: BoardSeen) -> None:
        self._tell_board(seen.t_ns, seen.pieces, moving=False)

    def _tell_board(self, t_ns: int, pieces: Any, *, moving: bool) -> None:
        lying = tuple(LyingPiece(piece.piece, round(piece.x_mm, 1), round(piece.y_mm, 1)) for piece in pieces)
        told = Lying(self.wall.unix_of(t_ns), lying, moving)
        if self.lying is not None and (told.pieces, told.moving) == (self.lying.pieces, self.lying.moving):
            return
        self.lying = told
        for outlet in self.outlets:
            outlet.board(told)

    def _tell_alert(self, alert: Alert) -> None:
        for outlet in self.outlets:
            outlet.alert(alert, False)

    def _keep(self, taken: Taken, evidence: outputs.Evidence) -> None:
        placed, before, after = evidence.pictures
        numbers = [number for number in (placed, before, after) if number is not None]
        if numbers:
            facts = {
                "clearances": [clearance.says for clearance in evidence.clearances],
                "notes": list(evidence.notes),
                "sources": dict(evidence.sources),
                "placed": placed,
            }
            self.shelf.keep(f"{self.match}-{taken.seq}", min(numbers), max(numbers), facts)

    def _unix(self) -> float:
        return self.wall.unix_of(self.now_ns())


def _drawn(track: Track) -> Json:
    """A track as the pages draw it."""
    return {"piece": track.piece, "points": [[round(at.x_mm, 1), round(at.y_mm, 1)] for at in track.samples]}
