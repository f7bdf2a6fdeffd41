"""The daemon's wiring: builds every part from the configuration, starts them in order, stops them in reverse.

No logic of play. What each part may cost and when it is given up stands in `supervision`.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import shutil
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibration.board import Board
from calibration.measures import board_in_use, board_of
from controller.config import Config, secret_in, secret_written
from controller.events.beams import BeamEdge, PocketEvent
from controller.events.errors import ConfigError
from controller.journal.journal import Journal
from controller.journal.mark import FIX, Loss, missing_by_score
from controller.journal.salvage import open_or_salvage
from controller.journal.scribe import Scribe
from controller.mqtt.client import TableClient
from controller.mqtt.connection import BrokerState
from controller.mqtt.payloads import Alert, plain
from controller.supervision.heartbeat import Heartbeat
from controller.table.desk.audience import Audience
from controller.table.desk.camera_set_up import CameraSetUp
from controller.table.desk.desk import Desk, EyesLeft
from controller.table.desk.shown import Shown, TableNames
from controller.table.evidence.settings import shelf_of
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.clock import clock_name, open_clock
from controller.table.machine.computer import temperature
from controller.table.machine.display import DisplayWatch
from controller.table.machine.eyes_link import EyesLink
from controller.table.machine.health import Health
from controller.table.machine.lent_pockets import SOCKET, LentPockets
from controller.table.machine.notify import notify, watchdog_seconds
from controller.table.machine.pocket_source import pocket_source, remembering_gaps
from controller.table.machine.supervision import Supervision, Troubles
from controller.table.match.past import PastMatches
from controller.table.match.resuming import leftover
from controller.table.match.signed import Signed
from controller.table.match.start import start_event, umpire_of
from controller.table.outlets.broker import publish_by
from controller.table.outlets.broker_settings import broker_of
from controller.table.outlets.open_broker import OpenBroker
from controller.table.outlets.pages import DeskView
from controller.table.outlets.panel import PanelOutlet
from controller.table.process.ending import Ending
from controller.table.process.housekeeping import TIDY_SECONDS, journal_of, prune_at_start, spool_of, tidy
from controller.table.public.names import PublicNames
from controller.vision.ring import RingReader
from controller.web.app import create_app
from controller.web.server import WebServer

log = logging.getLogger(__name__)

TICK_SECONDS = 0.1
HEALTH_SECONDS = 2.0
BROKER_SECONDS = 1.0
"""So long a start waits for the broker, once; without one the table umpires all the same."""


class Daemon:
    """One table's daemon. `run()` returns the exit code when it was asked to stop. `file`: its configuration's."""

    def __init__(self, config: Config, file: Path | None = None) -> None:
        self._config = config
        self._file = file
        self._stop = asyncio.Event()
        self._supervision = Supervision(watchdog_seconds())

    async def run(self) -> int:
        """Starts everything, works until SIGTERM or SIGINT, stops everything.

        Returns 1 if something that was published is not in the journal; it is in the spool, for the next start.
        Whatever hangs, the process is gone within five seconds (see `ending`).
        """
        config = self._config
        loop = asyncio.get_running_loop()
        journal = Journal(journal_of(config), place=config.table.id)
        loss = Loss(journal.path)
        scribe = Scribe(journal, spool_of(config), loss=loss)
        supervision = self._supervision
        ending = Ending(
            lambda: loop.call_soon_threadsafe(self._stop.set), lambda: _last_words(scribe, supervision.running())
        )
        ending.listen()
        async with contextlib.AsyncExitStack() as stack:
            prune_at_start(config, time.time())
            stack.callback(journal.close)
            damaged = open_or_salvage(journal)
            try:
                loss.look(journal)
                if damaged:
                    loss.tell(f"{damaged}. {FIX}")
                await self._umpire(stack, journal, scribe, loss)
            finally:
                ending.begin()
        ending.code = 1 if scribe.spool.held else 0
        return ending.code

    async def _umpire(self, stack: contextlib.AsyncExitStack, journal: Journal, scribe: Scribe, loss: Loss) -> None:
        config, supervision = self._config, self._supervision
        loop = asyncio.get_running_loop()
        now_ns = open_clock(config.clock.file)
        board = _board(config)
        umpire = umpire_of(config, board)
        told = leftover(journal, scribe.spool, umpire, loss.tell)
        scribe.start()
        supervision.watch(scribe.thread)
        stack.callback(scribe.stop)
        kept = [scribe.append(one.match, one.seq, one.event, one.ruling, one.t_unix, one.source) for one in told]

        ring = RingReader(config.table.runtime / "pictures.ring")

        shelf = shelf_of(config, ring.picture)
        shelf.open()
        names = TableNames(
            config.table.id,
            _match_name,
            clock_name(config.clock.file),
            PublicNames(config.table.players_shown),
            config.match.shadow,
        )
        shown = Shown(umpire, shelf, now_ns, names, _whole(config, loss.says), board)
        desk = Desk(shown, scribe, loss)
        await desk.restore(journal, start_event(config), kept)

        view = DeskView(
            desk,
            loop,
            lambda: secret_in(config.web.pin_file),
            start_event(config),
            supervision.troubles,
            Signed(config.table.state),
        )
        shown.arming = Signed(config.table.state).latest()
        shown.outlets.append(view)
        shown.umpires.append(view)
        display = DisplayWatch(config.web.display, loop.time)
        web = WebServer(
            create_app(
                view,
                kept=config.table.state / "sessions.json",
                pin_written=lambda: secret_written(config.web.pin_file),
                id=config.table.id,
                address=config.web.address,
                names=config.web.names,
                past=PastMatches(journal.path, self._file),
                displayed=display.shown,
                jury=view.jury,
            ),
            view.feed,
            config.web.host,
            config.web.port,
            most_from_one=config.web.connections_per_address,
        )
        port = web.start()
        supervision.watch(web.thread)
        stack.callback(web.stop)
        _note_port(config.table.state / "http-port", port)

        client: TableClient | None = None
        if config.mqtt.enabled:
            client = self._client(desk, view, loop, journal, loss)
            publish_by(client, shown)
            client.start()
            supervision.watch(*client.threads)
            stack.callback(client.stop)
            # What the eyes and the node have kept for us is ruled on at once: somebody should hear it.
            await loop.run_in_executor(None, client.wait_for, lambda state: state.connected, BROKER_SECONDS)

        panel = self._panel(desk, view)
        if panel is not None:
            shown.outlets.append(panel)
            panel.panel.start()
            supervision.watch(panel.panel.thread)
            stack.callback(panel.panel.stop)

        link = EyesLink(
            config.table.runtime / "eyes.sock",
            desk.inbox.put_nowait,
            lambda there: None if there else desk.inbox.put_nowait(EyesLeft()),
        )
        await link.start()
        stack.push_async_callback(link.stop)
        view.set_up = CameraSetUp(shown, config.table.runtime / "set-up.jpg", link.order)
        desk.board_again = lambda: _board_again(config)

        pockets = self._pockets(desk, journal, scribe, loop)
        if pockets is not None:
            await pockets.start()
            stack.push_async_callback(pockets.stop)

        heartbeat = Heartbeat("desk")
        supervision.watch(heartbeat)

        def troubled(troubles: Troubles) -> None:
            # Told from here: a desk that hangs tells nobody.
            view.feed.push("state")
            if client is not None and "desk" in troubles:
                client.publish_alert(Alert("part-desk", "fault", troubles["desk"], time.time()), standing=True)
            elif client is not None:
                client.resolve_alert("part-desk")

        supervision.start(troubled)
        stack.callback(supervision.stop)
        work = asyncio.create_task(desk.work())
        ticks = asyncio.create_task(self._tick(desk, scribe, loss, shelf, panel, link, display, heartbeat))
        stopped = asyncio.create_task(self._stop.wait())
        desk.announce()
        notify("READY=1", f"STATUS=umpiring {config.table.id}, pages on port {port}")
        log.info("umpiring %s; pages on port %d", config.table.id, port)
        await asyncio.wait({work, ticks, stopped}, return_when=asyncio.FIRST_COMPLETED)
        notify("STOPPING=1")
        self._stop.set()
        await finish(desk, work, ticks)

    async def _tick(
        self,
        desk: Desk,
        scribe: Scribe,
        loss: Loss,
        shelf: EvidenceShelf,
        panel: PanelOutlet | None,
        link: EyesLink,
        display: DisplayWatch,
        heartbeat: Heartbeat,
    ) -> None:
        loop = asyncio.get_running_loop()
        told = 0.0
        tidied = float("-inf")
        while not self._stop.is_set():
            await desk.tick()
            if loop.time() - tidied >= TIDY_SECONDS:
                tidied = loop.time()
                loop.run_in_executor(None, tidy, self._config, shelf, time.time())
            if loop.time() - told >= HEALTH_SECONDS:
                told = loop.time()
                link_says = await link.look()
                desk.shown.measured(
                    disk_free_bytes=_free_bytes(self._config.table.state),
                    temperature_c=temperature(),
                    journal=scribe.says or "ok",
                    lost=loss.says,
                    panel=panel.panel.says if panel is not None else "",
                    display=display.says,
                    parts={**self._supervision.troubles(), **({"eyes-link": link_says} if link_says else {})},
                )
            heartbeat.beat()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), TICK_SECONDS)

    def _client(
        self, desk: Desk, view: DeskView, loop: asyncio.AbstractEventLoop, journal: Journal, loss: Loss
    ) -> TableClient:
        settings = self._config.mqtt
        broker = broker_of(settings)

        def changed(state: BrokerState) -> None:
            word = state.word if state.connected else "lost"
            taken_over, where = state.taken_over, state.where
            loop.call_soon_threadsafe(lambda: desk.shown.measured(broker=word, broker_at=where, taken_over=taken_over))
            if state.connected and not settings.open:
                guard.look(where)

        def found(says: str) -> None:
            loop.call_soon_threadsafe(lambda: desk.shown.measured(open_broker=says))

        guard = OpenBroker(broker, self._config.table.id, found)

        def kept(score: Mapping[str, Any]) -> None:
            loop.call_soon_threadsafe(held_against, score)

        def held_against(score: Mapping[str, Any]) -> None:
            there = journal.last_event(str(score.get("match")))
            if says := missing_by_score(score, desk.shown.match, desk.umpire.seq, there):
                loss.tell(says)
                desk.shown.measured(lost=loss.says)

        def called(event: dict[str, Any], by: str) -> Mapping[str, Any]:
            return view.let_in_juror(str(event.get("by"))) if event.get("event") == "jury" else view.act(event, by)

        client = TableClient(
            broker,
            self._config.table.id,
            on_call=called,
            on_change=changed,
            # A simulated table begins anew each time, whatever its broker remembers.
            on_kept_score=kept if self._config.clock.file is None else None,
            on_fixtures=lambda: view.feed.push("state"),
            name=self._config.table.name,
            announce=settings.discovery,
            now=desk.shown.unix,
            answered=desk.answered_calls,
        )
        view.published = lambda: client.fixtures
        return client

    def _panel(self, desk: Desk, view: DeskView) -> PanelOutlet | None:
        settings = self._config.panel
        if settings.kind == "none":
            return None
        return PanelOutlet(
            settings,
            self._config.pockets.chip,
            desk.shown.now_ns,
            lambda: dict(plain(Audience(desk.shown).score())),
            lambda event: view.post(event, "panel"),
            sees=lambda: bool(desk.shown.health.camera_works),
        )

    def _pockets(
        self, desk: Desk, journal: Journal, scribe: Scribe, loop: asyncio.AbstractEventLoop
    ) -> LentPockets | None:
        settings = self._config.pockets
        if settings.kind == "none":
            return None

        def store(edges: Sequence[BeamEdge]) -> None:
            scribe.store_edges(edges).future.result()

        def emit(event: PocketEvent) -> None:
            loop.call_soon_threadsafe(desk.inbox.put_nowait, event)

        def held(epoch: str) -> int | None:
            latest = journal.last_seq(epoch)
            return None if latest is None else latest + 1

        return LentPockets(
            self._config.table.runtime / SOCKET,
            lambda store, emit: pocket_source(settings, desk.shown.now_ns, store, emit, held),
            store,
            remembering_gaps(lambda gap: scribe.store_edges([gap]), emit),
            desk.shown.now_ns,
            self._supervision,
            desk.in_play,
            desk.beams_lent,
        )


async def finish(desk: Desk, work: asyncio.Task[None], ticks: asyncio.Task[None]) -> None:
    """Ends the desk's work: time stands still after its last tick, and what has come in is still ruled on, written
    down and published. Raises what went wrong in either.
    """
    await ticks
    desk.inbox.put_nowait(None)
    await work


def _free_bytes(folder: Path) -> int | None:
    """None where the folder itself is gone: what is lost by that, the journal says."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _note_port(file: Path, port: int) -> None:
    """Writes down where the pages are, for the commands beside the table; whoever waits for it finds it whole."""
    fresh = file.with_name(f"{file.name}.new")
    try:
        fresh.write_text(f"{port}\n")
        fresh.replace(file)
    except OSError as error:
        log.warning("%s: cannot be written (%s): `carrom check` does not find the running table", file, error.strerror)


def _last_words(scribe: Scribe, running: tuple[str, ...]) -> None:
    """What is reported and saved before the process is ended by force."""
    log.error(
        "the daemon does not end in order; it is ended. Still running: %s", ", ".join(running) or "nothing of ours"
    )
    faulthandler.dump_traceback(all_threads=True)
    scribe.rescue()


def _whole(config: Config, lost: str) -> Health:
    return Health(
        lost=lost,
        camera="none" if config.camera.kind == "none" else "away",
        node="none" if config.pockets.kind == "none" else "down",
        broker="lost" if config.mqtt.enabled else "none",
        name=config.table.name or config.table.id,
        page=config.web.address,
        # Real hardware keeps the machine's time; only a simulator hands another clock in.
        simulated=config.clock.file is not None,
    )


def _board(config: Config) -> Board:
    """The board that is played on."""
    file = config.camera.calibration
    if config.camera.kind == "none" or not file.is_file():
        return board_of(config.board.said())
    # Imported here: a table without a camera never needs it.
    from controller.vision.calibration_file import load

    calibration = load(file)
    board, doubt = board_in_use(config.board.said(), calibration.board, calibration.measured)
    if doubt:
        log.warning("%s: %s", file, doubt)
    return board


def _board_again(config: Config) -> Board | None:
    """The board after another calibration; None, and the log says why, where it cannot be read."""
    try:
        return _board(config)
    except ConfigError as error:
        log.warning("%s", error)
        return None


def _match_name(unix: float) -> str:
    return datetime.fromtimestamp(unix, UTC).strftime("%Y%m%d-%H%M%S-%f")[:-3]
