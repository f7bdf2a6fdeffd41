"""The broker as the configuration has it, with its secrets read. Must not know what is published there."""

from __future__ import annotations

from controller.config import MqttSection, secret_in
from controller.events.doors import address_of
from controller.mqtt.broker import Broker, tls_context


def broker_of(settings: MqttSection) -> Broker:
    """Returns where the broker is and who we are to it. Raises ConfigError for a file that cannot be used."""
    others = (address_of(other) for other in settings.others)
    return Broker(
        settings.host,
        settings.port,
        settings.user,
        secret_in(settings.password_file),
        settings.version,
        tls_context(settings.ca_file) if settings.tls else None,
        tuple((host, port or settings.port) for host, port in others),
    )
