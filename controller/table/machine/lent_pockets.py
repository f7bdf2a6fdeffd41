"""The table's beams, which a command on this computer may borrow: `carrom pockets`, `carrom check --coins`.

A command connects to a Unix socket and reads one line of JSON: `port`, where the node is and from now on free, or
`refused`, why it is not lent. The loan lasts as long as the connection; no edge of that time reaches the table. Must
not know what an edge means, nor when a match is in play.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.pockets.source import Emit, PocketSource, Store
from controller.table.machine.clock import NowNs
from controller.table.machine.supervision import Supervision

log = logging.getLogger(__name__)

SOCKET = "pockets.sock"
"""Its name in the table's runtime folder."""

LOOK_S = 0.1
"""So often it is checked whether play begins, which ends a loan."""

IN_PLAY = "a match is in play, the beams stay with carrom. Fix: stop play or end the match on the umpire's page"
LENT = "another command has borrowed the beams. Fix: end it"


class LentPockets:
    """Beams and loan. `make`: builds a source that is not yet started; `in_play`, `lent`: called on the event loop,
    `lent` with whether a loan lasts."""

    def __init__(
        self,
        path: Path,
        make: Callable[[Store, Emit], PocketSource | None],
        store: Store,
        emit: Emit,
        now_ns: NowNs,
        supervision: Supervision,
        in_play: Callable[[], bool],
        lent: Callable[[bool], None],
    ) -> None:
        self._path, self._make, self._store, self._emit, self._now_ns = path, make, store, emit, now_ns
        self._supervision, self._in_play, self._lent = supervision, in_play, lent
        self._source: PocketSource | None = None
        self._server: asyncio.Server | None = None
        self._borrower: asyncio.StreamWriter | None = None
        self._lent_until_ns = -1
        self._stopping = False

    async def start(self) -> None:
        """Starts the source and listens. Without a socket beams are felt all the same: that is only logged."""
        self._begin()
        try:
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, self._path)
            self._path.chmod(0o660)
        except OSError as error:
            log.warning("%s: nobody can borrow the beams: %s", self._path, error)

    async def stop(self) -> None:
        """Ends a loan and the source."""
        self._stopping = True
        if self._server is not None:
            self._server.close()
        if self._borrower is not None:
            self._borrower.close()
        with contextlib.suppress(OSError):
            self._path.unlink()
        await self._end()

    def _begin(self) -> None:
        self._source = self._make(self._stored, self._emitted)
        if self._source is not None:
            self._source.start()
            self._supervision.watch(self._source.thread)

    async def _end(self) -> str:
        """Returns where the node was."""
        source, self._source = self._source, None
        if source is None:
            return ""
        where = source.report().where
        await asyncio.get_running_loop().run_in_executor(None, source.stop)
        if not source.thread.alive:
            self._supervision.forget(source.thread)
        return where

    def _stored(self, edges: Sequence[BeamEdge]) -> None:
        if ours := [edge for edge in edges if edge.t_ns > self._lent_until_ns]:
            self._store(ours)

    def _emitted(self, event: PocketEvent) -> None:
        # What the borrower left unread in the node is its own, too.
        if not isinstance(event, BeamEdge) or event.t_ns > self._lent_until_ns:
            self._emit(event)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        refused = IN_PLAY if self._in_play() else LENT if self._borrower is not None else ""
        try:
            if refused:
                writer.write(_line("refused", refused))
            elif not self._stopping:
                await self._lend(reader, writer)
        except ConnectionError:
            log.info("the command that had the beams is gone")
        finally:
            writer.close()

    async def _lend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._borrower = writer
        self._lent(True)
        try:
            where = await self._end()
            self._emit(BeamHealth(self._now_ns(), "down"))
            writer.write(_line("port", where))
            over = asyncio.create_task(_hung_up(reader))
            while not over.done() and not self._in_play():
                await asyncio.wait({over}, timeout=LOOK_S)
            over.cancel()
        finally:
            self._borrower = None
            if not self._stopping:
                self._lent_until_ns = self._now_ns()
                self._begin()
                self._lent(False)


async def _hung_up(reader: asyncio.StreamReader) -> None:
    """Returns once the borrower has hung up, or sends what nobody asked for."""
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


def _line(name: str, value: str) -> bytes:
    return json.dumps({name: value}).encode() + b"\n"
