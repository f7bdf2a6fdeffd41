"""What the table says of itself while it runs, for commands that find its devices in use. Changes nothing."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from typing import Any

from controller.config import Config

PAGE_S = 5.0
STOP = "sudo systemctl stop carrom, this again, then sudo systemctl start carrom"
"""How a command gets the devices for itself."""


def state_of(config: Config) -> Mapping[str, Any]:
    """Returns the public state of the running table. Raises OSError or ValueError where none answers."""
    file = config.table.state / "http-port"
    url = f"http://127.0.0.1:{int(file.read_text(encoding='ascii'))}/state"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=PAGE_S) as answer:
        state = json.load(answer)
    if not isinstance(state, dict) or not isinstance(state.get("health"), dict):
        raise ValueError("it is no table that answers")
    return state


def health_if_running(config: Config) -> Mapping[str, Any] | None:
    """Returns how the running table is, None where none runs."""
    try:
        health: Mapping[str, Any] = state_of(config)["health"]
    except (OSError, ValueError):
        return None
    return health
