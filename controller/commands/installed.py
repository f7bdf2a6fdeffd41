"""The configuration that is installed on this machine: every command takes it unless another is named."""

from __future__ import annotations

import argparse
from pathlib import Path

SYSTEM = Path("/etc/carrom")
"""Where the units look for configurations."""
TABLE, HUB = "carrom.toml", "hub.toml"


def installed(name: str = TABLE) -> Path | None:
    """Returns the installed configuration, None where none is installed."""
    file = SYSTEM / name
    return file if file.is_file() else None


def add_config(parser: argparse.ArgumentParser, says: str = "", *, required: bool = True, name: str = TABLE) -> None:
    """Adds `--config FILE`, by default the installed one. `required`: where none is installed it must be named."""
    default = installed(name)
    parser.add_argument(
        "--config",
        type=Path,
        default=default,
        required=required and default is None,
        metavar="FILE",
        help=f"{says or 'the configuration'}; default: {SYSTEM / name}, where it is",
    )
