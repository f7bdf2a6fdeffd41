"""The table's key, by which protests are signed (Ed25519), and what others know it by.

Made when it is first needed, beside the journal, for its owner alone. Whoever has the file can sign as this table.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.events.doors import SECRET, fix_of, text_of
from controller.events.errors import ConfigError, DeviceError, UnreadableError

KEY = "protest.key"
"""Its name in the table's state folder."""
OWNER_ONLY = 0o600
_OTHERS = 0o077
_SPACES = re.compile(r"[\s:-]")
_FINGERPRINT = re.compile(r"\b([0-9a-f]{4}(?: [0-9a-f]{4}){7})\b")


def key_of(state: Path) -> Ed25519PrivateKey:
    """Returns the key of the table with this state folder, making it where there is none. Raises ConfigError for a
    file that is no key, DeviceError where none can be kept."""
    file = state / KEY
    if not file.exists():
        _make(file)
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text_of(file, SECRET).strip()))
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}. Fix: the same with sudo") from error
    except ValueError as error:
        raise ConfigError(
            f"{file}: is no key. Fix: put it back from a copy; or remove it: a new one is made, which is to be written "
            "down anew"
        ) from error


def read_by_others(state: Path) -> bool:
    """Returns whether others than its owner may read the table's key."""
    return bool((state / KEY).stat().st_mode & _OTHERS)


def _make(file: Path) -> None:
    """Under its name there is the whole key or none, and never another one than somebody has just made."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        try:
            with os.fdopen(handle, "w") as stream:
                if os.geteuid() == 0:
                    # With sudo: the table itself is to read it, too.
                    folder = file.parent.stat()
                    os.fchown(handle, folder.st_uid, folder.st_gid)
                stream.write(Ed25519PrivateKey.generate().private_bytes_raw().hex() + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            os.link(fresh, file)
        finally:
            fresh.unlink()
    except FileExistsError:
        if not file.exists():
            raise
    except OSError as error:
        fix = fix_of(error, "the same with sudo, or name the table's configuration with --config")
        raise DeviceError(f"{file}: the table's key cannot be made ({error.strerror}). Fix: {fix}") from error


def public_of(key: Ed25519PrivateKey) -> str:
    """Returns the public half, 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def is_signed(body: bytes, public: str, signature: str) -> bool:
    """Returns whether the owner of a public key has signed this."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), body)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: str) -> str:
    """Returns what a public key is known by to people: the beginning of its SHA-256, in groups of four digits."""
    digits = sha256(public.encode()).hexdigest()[:32]
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


def expected(given: str) -> str:
    """Returns the fingerprint that somebody has typed, or that a file holds. Raises ConfigError for neither."""
    typed = _SPACES.sub("", given).lower()
    grouped = " ".join(typed[at : at + 4] for at in range(0, len(typed), 4))
    if _FINGERPRINT.fullmatch(grouped):
        return grouped
    try:
        found = _FINGERPRINT.search(text_of(given, SECRET).lower())
    except UnreadableError as error:
        raise ConfigError(
            f"--key {given}: is no fingerprint, and as a file {error}. Fix: the eight groups of four digits that "
            "`carrom protest key` prints, or a file with them"
        ) from error
    if found is None:
        raise ConfigError(f"--key {given}: holds no fingerprint. Fix: keep what `carrom protest key` prints in it")
    return found[1]
