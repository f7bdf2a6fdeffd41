"""`carrom run`: the daemon on a real table. Also what the demo runs."""

from __future__ import annotations

import argparse
import asyncio
import logging

from controller.commands.installed import add_config
from controller.commands.log import set_up_log
from controller.config import load_config
from controller.table.process.daemon import Daemon


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_config(parser)
    parser.add_argument("--verbose", action="store_true", help="says more in the log")


def run(args: argparse.Namespace) -> int:
    """Runs until it is asked to stop."""
    set_up_log(logging.DEBUG if args.verbose else logging.INFO)
    return asyncio.run(Daemon(load_config(args.config), args.config).run())
