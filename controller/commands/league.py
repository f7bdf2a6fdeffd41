"""`carrom league check`: whether all nodes of a league's broker have kept the same."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import date

from controller.commands.installed import HUB, add_config
from controller.config import load_config
from controller.events.errors import ConfigError
from controller.mqtt.nodes import Differs, differing
from controller.mqtt.topics import ROOT
from controller.mqtt.trial import unreachable
from controller.table.outlets.broker_settings import broker_of

SHOWN = 5
"""So many topics of each kind are named."""
STALE = "Fix: restart the broker on that machine (`sudo systemctl restart nats-server`), and check once more"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("action", choices=["check"])
    add_config(parser, "the hub's configuration: [mqtt] with host and others", name=HUB)


def run(args: argparse.Namespace) -> int:
    """Prints a line for each node; 1 where one has kept something else than most, or cannot be asked."""
    config = load_config(args.config)
    broker = broker_of(config.mqtt)
    if len(broker.nodes) < 2:
        raise ConfigError(f"{args.config}: mqtt.others names no other node. Fix: name them; one alone is no league")
    by_where = {node.where: node for node in broker.nodes}
    found = differing(broker.nodes)
    for where, one in found.items():
        if isinstance(one, OSError):
            print(f"{where}: {unreachable(by_where[where], one, f'{date.today()}', 'start it')}")
        else:
            print(f"{where}: {_says(one)}")
    return 1 if any(isinstance(one, OSError) or one for one in found.values()) else 0


def _says(one: Differs) -> str:
    if not one:
        return "has kept what the others have"
    kinds = (("lacks", one.lacks), ("has, and most do not,", one.more), ("has otherwise", one.other))
    return "; ".join(f"{says} {len(topics)}{_some(topics)}" for says, topics in kinds if topics) + f". {STALE}"


def _some(topics: Sequence[str]) -> str:
    more = ", …" if len(topics) > SHOWN else ""
    return f" ({', '.join(topic.removeprefix(f'{ROOT}/') for topic in topics[:SHOWN])}{more})"
