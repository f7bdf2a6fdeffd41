"""`carrom hub`: the club's many tables, fixtures and results. Takes the broker from [mqtt], the address from [web]."""

from __future__ import annotations

import argparse
import logging
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from controller.commands import rehearse
from controller.commands.draw.desk import EventDesk
from controller.commands.draw.page import Events
from controller.commands.installed import HUB, add_config
from controller.commands.log import set_up_log
from controller.config import HubSection, WebSection, load_config, secret_in, secret_written
from controller.events.doors import one_line
from controller.events.errors import ConfigError
from controller.hub.app import create_app, day_now
from controller.hub.caller import call
from controller.hub.desk_keeper import DeskKeeper
from controller.hub.listener import HubListener
from controller.hub.names_writer import NamesWriter
from controller.hub.publishing import publish
from controller.hub.season_at import season_at
from controller.hub.season_writer import NOT_KEPT, SeasonWriter
from controller.hub.streams import Streams
from controller.hub.tables import MOST_RESULTS, MOST_TABLES, Tables
from controller.hub.told import Told
from controller.mqtt.broker import Broker
from controller.supervision.signals import STOPS, handling
from controller.supervision.steady import SteadyClock
from controller.table.machine.notify import notify
from controller.table.outlets.broker_settings import broker_of
from controller.web.app import STATIC
from controller.web.feed import Feed
from controller.web.hosts import KnownNames, opened_at
from controller.web.kept_tries import KeptTries
from controller.web.login import Login
from controller.web.server import WebServer
from controller.web.sessions import Sessions

LOOK_S = 1.0
HANGS_S = {"web": 10.0, "ear": 30.0, "ear's question": 10.0, "season": 60.0, "names": 60.0}
"""Part → how long it may go without a beat. All beat every second; a name that cannot be resolved takes the resolver
half a minute."""

SHOWN = 5
"""So many of those for whom there is no place are named in the log."""
NO_PLACE = (
    f"The hub takes {MOST_TABLES} tables, and {MOST_RESULTS} results of each. Fix: a hub of its own for each club"
)

log = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_config(parser, name=HUB, required=False)
    rehearse.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Serves the page until it is stopped; or rehearses a day."""
    if args.rehearse is not None:
        return rehearse.run(args)
    if args.config is None:
        raise ConfigError("needs --config. Fix: --config FILE, which says where the broker is")
    set_up_log(logging.WARNING)
    config = load_config(args.config)
    secret_in(config.web.pin_file)  # A file that cannot be read is said now, and not to the first who logs in.
    stop = threading.Event()
    with handling(lambda *_: stop.set(), *STOPS), Hub(broker_of(config.mqtt), config.web, config.hub) as hub:
        print(f"the club's tables: {config.web.address or opened_at(config.web.host, hub.port)}", flush=True)
        notify("READY=1", f"STATUS=pages on port {hub.port}")
        while not stop.wait(LOOK_S):
            if says := hub.trouble():
                print(f"carrom hub: {says}. Fix: start it again; it says more in its log", file=sys.stderr)
                return 1
            notify("WATCHDOG=1")
        notify("STOPPING=1")
    return 0


class Hub:
    """The running hub: its ear, its rows, its page. `with Hub(…) as hub:`; `hub.port` is where the page is."""

    def __init__(self, broker: Broker, web: WebSection, club: HubSection | None = None) -> None:
        club = club or HubSection()
        self._clock = SteadyClock()
        self._tables = Tables(self._clock.now(), answers=club.answers)
        self._feed = Feed()
        drawn = Events(club.events) if club.events is not None else None
        self._season = self._names = self._desk = desk = None
        if club.season is not None:
            store = season_at(club.season)
            self._season = SeasonWriter(store, lambda: self._feed.push("day"), lambda: self._read(Tables.under_way))
            self._desk = desk = DeskKeeper(store, self._decided)
            self._names = NamesWriter(
                lambda: day_now(self._read, desk, club, datetime.now(), drawn.withdrawn() if drawn else {}, gives=True),
                lambda: self._read(Tables.listed),
                lambda: self._read(Tables.forgotten),
                lambda: self._read(Tables.standing),
                partial(publish, broker),
                desk,
            )
        self._unreached = Told(log, "the hub does not reach the broker")
        self._no_place, self._left_out = Told(log, "there is no place for all"), list[str]()
        self._ear = HubListener(
            broker,
            heard=self._heard,
            found=self._found,
            lost=self._lost,
            reaches=self._reaches,
            passed=self._passed,
        )
        self._streams = streams = Streams(self._read, self._feed)
        # A hub without a season's file has no place to write.
        tries = club.season.with_name(f"{club.season.name}.tries") if isinstance(club.season, Path) else None
        # In memory: a restart asks for the PIN again.
        sessions = Sessions(lambda: _pin(web), self._clock, written=lambda: secret_written(web.pin_file))
        login = Login(sessions, KeptTries(self._clock.now, tries), f"carrom_referee_{web.port}")
        event_desk = EventDesk(club.events, partial(publish, broker), self._decided) if club.events else None
        standings = self._season.plain if self._season is not None else lambda: NOT_KEPT
        answered = partial(call, broker) if club.answers else None
        pages = create_app(
            self._read,
            streams,
            login,
            STATIC,
            club,
            standings,
            answered,
            desk,
            clock=self._clock,
            events=drawn,
            event_desk=event_desk,
        )
        app = KnownNames(pages, web.names)
        self._server = WebServer(app, self._feed, web.host, web.port, most_from_one=web.connections_per_address)
        self._guard = threading.Lock()
        self.port = 0

    def __enter__(self) -> Hub:
        if self._season is not None:
            self._season.start()
        if self._desk is not None:
            self._tables.remember(self._desk.fixtures())
        # A page that was told of trouble by a hub before this one is told that there is none.
        self._tell_reach()
        self.port = self._server.start()
        self._ear.start()
        if self._names is not None:
            self._names.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._names is not None:
            self._names.stop()
        self._ear.stop()
        self._streams.close()
        self._server.stop()
        if self._season is not None:
            self._season.stop()

    def trouble(self) -> str:
        """Which of its threads has died or hangs; empty while all go on."""
        writers = [one.thread for one in (self._season, self._names) if one is not None]
        for thread in (self._ear.thread, self._ear.asking, self._server.thread, *writers):
            if thread.died_of:
                return f"its {thread.name} has died ({thread.died_of})"
            if thread.silent_s() > HANGS_S[thread.name]:
                return f"its {thread.name} hangs"
        return ""

    def _read(self, asked: Callable[[Tables], Any]) -> Any:
        with self._guard:
            return asked(self._tables)

    def _heard(self, topic: str, payload: bytes, retained: bool) -> None:
        with self._guard:
            change = self._tables.heard(topic, payload, retained=retained)
            result = self._tables.result(topic) if change.day else None
        if result is not None and self._season is not None:
            self._season.heard(*result)
        _root, table, kind, *_more = topic.split("/")
        self._streams.push(table, kind, change)
        if change.day and self._names is not None:
            self._names.news()

    def _decided(self) -> None:
        self._feed.push("day")
        if self._names is not None:
            self._names.news()

    def _found(self) -> None:
        # Everything comes anew: a table that left while nobody was heard must not stay.
        with self._guard:
            self._tables.anew()

    def _passed(self) -> None:
        with self._guard:
            gone = self._tables.passed(self._clock.now())
            left_out = sorted(self._tables.left_out)
        if gone:
            self._streams.push_all()
        if left_out != self._left_out:
            self._left_out = left_out
            self._no_place.now(f"{one_line(', '.join(left_out[:SHOWN]))}. {NO_PLACE}" if left_out else "")
            self._tell_reach()

    def _reaches(self, why_not: str) -> None:
        if why_not != self._unreached.trouble:
            self._unreached.now(why_not)
            self._tell_reach()

    def _tell_reach(self) -> None:
        self._feed.push("reach", {"says": self._unreached.trouble, "left_out": self._left_out})

    def _lost(self) -> None:
        with self._guard:
            self._tables.lost()
        self._streams.push_all()


def _pin(web: WebSection) -> str | None:
    """The referees' PIN now; nobody may log in while it cannot be read."""
    try:
        return secret_in(web.pin_file) or None
    except ConfigError as error:
        log.warning("%s", error)
        return None
