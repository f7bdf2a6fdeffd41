"""One small family of errors. Each message says what is wrong, where, and how to repair it, on one line."""

from __future__ import annotations


class CarromError(Exception):
    """Base of everything that the command line turns into one line and exit code 2."""


class ConfigError(CarromError, ValueError):
    """The configuration, a rulebook or a calibration file cannot be used."""


class UnreadableError(CarromError, ValueError):
    """A text, a file or a message from outside is none that we read; who reads it says where, and the way out."""


class EventError(CarromError, ValueError):
    """An event is malformed or cannot apply; nothing has changed."""


class DeviceError(CarromError, OSError):
    """A camera, a serial port or a line of the GPIO chip cannot be used (we or the machine are to blame)."""


class PeerError(CarromError, RuntimeError):
    """The other end broke its protocol (node, broker, vision process)."""
