"""`carrom fixtures`: the day's fixtures from a CSV, published to the tables' topics for lobbies and hub."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from controller.commands.installed import add_config
from controller.config import load_config
from controller.events.doors import SETTINGS, text_of
from controller.events.errors import ConfigError, UnreadableError
from controller.hub.fixtures import Fixture, by_table, first_published, payload_of, read_fixtures
from controller.hub.publishing import Payloads, publish
from controller.mqtt.payloads import Fixtures, to_json
from controller.table.outlets.broker_settings import broker_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("file", type=Path, metavar="CSV", help="the day's fixtures, a header line first")
    add_config(parser, "where the broker stands: [mqtt]")
    parser.add_argument("--check", action="store_true", help="reads the file and publishes nothing")


def run(args: argparse.Namespace) -> int:
    """Publishes the file's fixtures; tables that are not in it have none from then on."""
    try:
        text = text_of(args.file, SETTINGS)
    except UnreadableError as error:
        raise ConfigError(f"{args.file}: {error}. Fix: save the fixtures as CSV (UTF-8)") from error
    listed = by_table(read_fixtures(text, str(args.file)))
    count = sum(len(fixtures) for fixtures in listed.values())
    if not args.check:
        publish(broker_of(load_config(args.config).mqtt), partial(_payloads, listed))
    print(f"{count} fixtures on {len(listed)} tables{' (not published)' if args.check else ''}")
    return 0


def _payloads(listed: Mapping[str, Sequence[Fixture]], stood: Payloads) -> dict[str, bytes]:
    # That a table has none is published as well: a topic with nothing on it is one that the broker has forgotten.
    dated = first_published(listed, stood, time.time())
    cleared = dict.fromkeys(stood.keys() - dated.keys(), to_json(Fixtures()))
    return cleared | {table: to_json(payload_of(fixtures)) for table, fixtures in dated.items()}
