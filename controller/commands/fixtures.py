"""`carrom fixtures`: the day's fixtures from a club's sheet, published to the tables' topics for lobbies and hub."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from controller.commands.installed import add_config
from controller.commands.sheets import sheet_at
from controller.config import Config, load_config
from controller.events.doors import one_line
from controller.events.errors import CarromError, ConfigError
from controller.hub.day import Played
from controller.hub.fixtures import Fixture, by_table, first_published, payload_of
from controller.hub.fixtures_sheet import Read, read_sheets
from controller.hub.lengths import lengths_of
from controller.hub.publishing import Payloads, publish
from controller.hub.season_at import season_at
from controller.hub.season_store import NoSeasonError
from controller.hub.sheet_notes import Club
from controller.hub.today import House
from controller.mqtt.payloads import Fixtures, to_json
from controller.mqtt.topics import POOL
from controller.rules.shelf import load_books
from controller.table.outlets.broker_settings import broker_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument(
        "files",
        type=Path,
        nargs="*",
        metavar="SHEET",
        help="the day's fixtures: CSV, xlsx or ods, a header line first, or a tourney of SoL's (.sol, .sol.gz); of "
        "several events several",
    )
    parser.add_argument(
        "--tables",
        metavar="NAMES",
        default="",
        help="of a tourney of SoL's: table1,table2, where its boards 1, 2 stand; the next free table if left out",
    )
    add_config(parser, "where the broker stands: [mqtt]", required=False)
    parser.add_argument("--check", action="store_true", help="reads the file and publishes nothing")
    parser.add_argument("--clear", action="store_true", help="takes all tables' fixtures away")


def run(args: argparse.Namespace) -> int:
    """Publishes the file's fixtures; tables that are not in it have none from then on."""
    if args.clear == bool(args.files):
        raise ConfigError("needs a sheet, or --clear. Fix: carrom fixtures SHEET, or carrom fixtures --clear")
    if args.config is None and not args.check:
        raise ConfigError("needs --config. Fix: --config FILE, which says where the broker is")
    if args.clear:
        publish(broker_of(load_config(args.config).mqtt), partial(topics_of, {}))
        print("no fixtures any more")
        return 0
    known = args.config is not None and (not args.check or Path(args.config).exists())
    config = load_config(args.config) if known else None
    read = read_files(args.files, config, args.tables.split(",") if args.tables else ())
    for note in read.notes:
        print(f"note: {note}", file=sys.stderr)
    if config is not None and config.hub.season is None and not all(one.table for one in read.fixtures):
        print("note: matches without a table are given one by a hub with [hub] season", file=sys.stderr)
    if not read.fixtures:
        raise ConfigError(f"{args.files[0]}: holds no fixture. Fix: write some; carrom fixtures --clear takes all away")
    listed = by_table(read.fixtures)
    if config is not None and not args.check:
        publish(broker_of(config.mqtt), partial(topics_of, listed, over=read.over))
    print(f"{len(read.fixtures)} fixtures {_where(listed)}{' (not published)' if args.check else ''}")
    return 0


def _where(listed: Mapping[str, Sequence[Fixture]]) -> str:
    tables, pool = len(listed.keys() - {POOL}), len(listed.get(POOL, ()))
    if not tables:
        return "for the next free table"
    return f"on {tables} tables" + (f", {pool} of them for the next free one" if pool else "")


def read_files(files: Sequence[Path], config: Config | None, tables: Sequence[str] = ()) -> Read:
    """Reads a day's sheets of fixtures. Raises ConfigError that names each finding with its line. `config`: for the
    names that its season knows; `tables`: of the boards of a tourney of SoL's."""
    return read_sheets([(str(file), sheet_at(file, tables)) for file in files], _club(config))


def _club(config: Config | None) -> Club:
    """What configuration and season know; where the season cannot be read, nothing of it."""
    club = Club(load_books(), rest=House.of(config.hub).rest if config is not None else House().rest)
    if config is None or config.hub.season is None:
        return club
    try:
        matches = season_at(config.hub.season).matches()
    except NoSeasonError:
        return club
    except (CarromError, OSError) as error:
        print(f"note: names are not compared with the season's: {one_line(error)}", file=sys.stderr)
        return club
    players = [player for one in matches for side in one.result.sides for player in side.players]
    lasts = lengths_of(Played(one.table, one.table, one.result) for one in matches if one.counts)
    return replace(club, players=players, tables={one.table for one in matches}, lasts=lasts.every if matches else None)


def topics_of(listed: Mapping[str, Sequence[Fixture]], stood: Payloads, over: Collection[str] = ()) -> dict[str, bytes]:
    """Returns what is to stand on each table's topic, where this stood before. `over`: see `Read`."""
    # That a table has none is published as well: a topic with nothing on it is one that the broker has forgotten.
    dated = first_published(listed, stood, time.time(), over)
    cleared = dict.fromkeys(stood.keys() - dated.keys(), to_json(Fixtures()))
    return cleared | {table: to_json(payload_of(fixtures)) for table, fixtures in dated.items()}
