"""Where the broker is, who we are to it, and how the way there is kept secret."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import paho.mqtt.client as paho

from controller.events.errors import ConfigError
from controller.events.tls import client_context


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is and who we are to it. `tls`: how its certificate is checked; None: words go in the clear.

    `others`: host and port of the other nodes, where it is a cluster.
    """

    host: str = "localhost"
    port: int = 1883
    user: str = ""
    password: str = ""
    only: Literal["", "5", "3.1.1"] = ""
    """Pins the version, where the broker is known (the demo's embedded one); otherwise found out each time."""
    tls: ssl.SSLContext | None = None
    others: tuple[tuple[str, int], ...] = ()

    @property
    def nodes(self) -> tuple[Broker, ...]:
        """It at each of its addresses alone, in the order in which they are tried."""
        return tuple(
            replace(self, host=host, port=port, others=()) for host, port in ((self.host, self.port), *self.others)
        )

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.host}:{self.port}"

    def introduce(self, client: paho.Client) -> None:
        """Gives a client that has not connected yet our name, our password and the way to keep them secret."""
        if self.user:
            client.username_pw_set(self.user, self.password)
        if self.tls is not None:
            client.tls_set_context(self.tls)


def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Returns how a broker's certificate is checked: by its authority, and for its name.

    `ca_file`: the authority's certificate (PEM); the system's authorities if left out. Raises ConfigError for a file
    that is none.
    """
    try:
        return client_context(ca_file)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, FileNotFoundError | PermissionError) else "is no certificate (PEM)"
        fix = "set mqtt.ca_file to the certificate of the broker's authority"
        raise ConfigError(f"{ca_file}: {why}. Fix: {fix}") from error
