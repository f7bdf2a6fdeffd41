"""The hub's pages on tables that say what a test lets them say."""

from __future__ import annotations

import json
import threading
import time
from datetime import datetime
from pathlib import Path

from controller.commands.draw.desk import EventDesk
from controller.commands.draw.page import Events
from controller.config import HubSection
from controller.hub.app import create_app, day_now
from controller.hub.desk_keeper import DeskKeeper
from controller.hub.fixtures import payload_of
from controller.hub.season_file import SeasonFile
from controller.hub.season_writer import NOT_KEPT, SeasonWriter
from controller.hub.streams import Streams
from controller.hub.tables import NOTHING, Tables
from controller.mqtt.payloads import to_json
from controller.supervision.steady import SteadyClock
from controller.web import Feed, WebServer
from controller.web.app import STATIC
from controller.web.kept_tries import KeptTries
from controller.web.login import Login
from controller.web.sessions import Sessions
from tests.web.client import Client
from tests.web.kept import House

SIDES = [
    {"name": "south", "seats": {"south": "Asha Rao"}, "points": 12},
    {"name": "north", "seats": {"north": "Ben Kim"}, "points": 8},
]

ANY = (
    "",
    " a ",
    ".",
    "a b",
    "a.b c..",
    "in",
    "#",
    "<b>",
    "__proto__",
    "constructor",
    "x" * 120,
    "आशा",
    "\\",
    "'\"",
    "%",
    "toString",
)
"""Words that a table may say."""

SMALL = """() => [...document.querySelectorAll('a, button, summary, input, select')]
  .filter((e) => e.checkVisibility())
  .map((e) => [e.textContent, e.getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < 44)
  .map(([text]) => text)"""


def said(**what) -> bytes:
    return json.dumps(what).encode()


class PretendClub:
    """The hub's pages on tables that say what a test lets them say. `season`: its file, if it keeps one; `events`: the
    folder of its drawn events; `house`: where it is served, if not at an address of its own; `now`: the day
    as the fixtures have it, always at noon; `later_s`: how much has passed besides."""

    def __init__(self, season: Path | None = None, events: Path | None = None, house: House | None = None) -> None:
        self.later_s = 0.0
        clock = SteadyClock(monotonic=lambda: time.monotonic() + self.later_s)
        self._tables, self._guard, self.feed = Tables(clock.now(), answers=True), threading.Lock(), Feed()
        self.now = datetime.now().replace(hour=12, minute=0)
        self.called, self.table_says, self.standings = [], {"seq": 3}, NOT_KEPT
        self.streams = Streams(self.read, self.feed, gap_s=0.0)
        login = Login(Sessions(lambda: "4711", clock), KeptTries(clock.now), "carrom_referee")
        self.desk = desk = DeskKeeper(SeasonFile(season), lambda: self.feed.push("day")) if season else None
        club = HubSection()
        app = create_app(
            self.read,
            self.streams,
            login,
            STATIC,
            club,
            lambda: self.standings,
            self.call,
            desk,
            lambda: self.now,
            clock,
            Events(events) if events is not None else None,
            EventDesk(events, self.publishes, lambda: self.feed.push("day")) if events is not None else None,
        )
        self.server = house.server(app, self.feed) if house else WebServer(app, self.feed, "127.0.0.1", 0)
        self.client = Client(self.server.start())
        now = time.time()
        for number in range(1, 9):
            table = f"t{number}"
            self.hears(f"{table}/availability", b"online")
            self.hears(
                f"{table}/health", said(t=now, armed="armed", name=f"Table {number}", page="http://t.local:8080")
            )
            self.hears(f"{table}/score", said(t=now, state="playing", book="icf", sides=SIDES, turn="south"))
            self.hears(f"{table}/board", said(pieces=[{"piece": "queen", "x": 0, "y": 0}]))
        self.hears("t4/alert/ask-2", said(level="ask", says="Which piece fell in NE?", t=now - 300, picture=7))
        elbow = said(level="ask", says="Elbow over the line?", t=now - 900, picture=8, clip=[3, 9])
        self.hears("t2/umpire/alert/ask-9", elbow)
        self.hears("t6/alert/beam", said(level="fault", says="beam SE is dirty", t=now - 2000))
        self.hears("t7/availability", b"offline")
        self.hears("t8/link", b"0")

    def call(self, table, event):
        told = (event["ask"], event["choice"]) if event["event"] == "answer" else (event,)
        self.called.append((table, *told))
        return self.table_says

    def read(self, asked):
        with self._guard:
            return asked(self._tables)

    def hears(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        with self._guard:
            change = self._tables.heard(f"carrom/{topic}", payload, retained=retained)
            assert change != NOTHING
        table, kind, *_more = topic.split("/")
        self.streams.push(table, kind, change)

    def publishes(self, made) -> None:
        """Each table has what is made from what stands there."""
        stands = {place: to_json(payload_of(some)) for place, some in self.read(Tables.listed).items() if some}
        for place, payload in made(stands).items():
            if payload != stands.get(place):
                self.hears(f"{place}/fixtures", payload)

    def gives(self) -> None:
        """Free tables are given the matches that have none, as the hub's thread does."""
        for act in day_now(self.read, self.desk, HubSection(), self.now, {}, gives=True).unkept:
            self.desk.decide(act)

    def tells(self, season: SeasonFile) -> None:
        """A season is kept, and something has come."""
        self.standings = SeasonWriter(season).plain()
        self.feed.push("day")

    def lose(self) -> None:
        """The broker is heard no more."""
        with self._guard:
            self._tables.lost()
        self.streams.push_all()
