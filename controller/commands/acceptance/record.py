"""The record of an acceptance: signed JSON in the table's state folder, the progress of one that was broken off.

Signed with HMAC-SHA256 under a key that the table makes for itself and keeps beside: it shows that a record is as this
table wrote it. Whoever may read the key could sign another one. Must not know how anything was measured.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from controller.commands.acceptance.verdict import Measured, Verdict
from controller.events.doors import RECORD, SECRET, json_object, text_of
from controller.events.errors import ConfigError, UnreadableError
from controller.events.words import Grade

FOLDER = "acceptance"
"""Its name in the table's state folder."""
KIND, VERSION = "carrom acceptance", 1
HOW = "HMAC-SHA256"
KEY = "key"
_PROGRESS = "progress.json"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What was accepted: the table, its program and calibration, the gauge and strikers. Times in Unix seconds."""

    table: str
    name: str
    program: str
    at: float
    spent_s: float
    calibration: str
    calibration_grade: Grade
    camera_grade: Grade
    px_per_mm: float
    control_mm: float
    strikers_mm: tuple[float, ...]
    gauge_u95_mm: float


_MEASURED = TypeAdapter(dict[str, Measured])
_VERDICT = TypeAdapter(Verdict)
_CIRCUMSTANCES = TypeAdapter(Circumstances)


@dataclass(frozen=True, slots=True)
class Record:
    """A record that was read: what it says, and whether this table signed it (None: the key cannot be read)."""

    file: Path
    circumstances: Circumstances
    verdict: Verdict
    signed: bool | None


def digest_of(calibration: Path) -> str:
    """Returns what a calibration file is known by. Raises ConfigError where it cannot be read."""
    try:
        return hashlib.sha256(calibration.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(f"{calibration}: cannot be read ({error.strerror}). Fix: carrom calibrate") from error


def written(state: Path, circumstances: Circumstances, measured: Mapping[str, Measured], verdict: Verdict) -> Path:
    """Signs and writes a record; returns its file. Raises OSError."""
    body = {
        "kind": KIND,
        "version": VERSION,
        "circumstances": asdict(circumstances),
        "verdict": asdict(verdict),
        "measured": {step: asdict(one) for step, one in measured.items()},
    }
    key = _key(state)
    # As JSON has it: what is read back must be signed alike.
    body = json.loads(json.dumps(body))
    body["signature"] = {"how": HOW, "key": _key_id(key), "value": _signature(body, key)}
    file = state / FOLDER / f"{_stem(circumstances.at)}.json"
    _put(file, json.dumps(body, indent=1, ensure_ascii=False) + "\n")
    return file


def _stem(at_unix: float) -> str:
    return f"{datetime.fromtimestamp(at_unix).astimezone():%Y%m%d-%H%M%S}"


def latest(state: Path, until: float | None = None) -> Path | None:
    """Returns the newest record, or the newest until a time in Unix seconds; None where there is none."""
    folder = state / FOLDER
    if not folder.is_dir():
        return None
    names = (file for file in folder.glob("*.json") if file.name != _PROGRESS)
    return max((file for file in names if until is None or file.stem <= _stem(until)), default=None)


def read(file: Path, state: Path) -> Record:
    """Reads a record and tries its signature with this table's key. Raises ConfigError for a file that is none."""
    try:
        body = json_object(text_of(file, RECORD), RECORD)
        if body.get("kind") != KIND:
            raise UnreadableError("it is no record of an acceptance")
        circumstances = _CIRCUMSTANCES.validate_python(body.get("circumstances"))
        verdict = _VERDICT.validate_python(body.get("verdict"))
    except (UnreadableError, ValidationError) as error:
        why = "it is damaged" if isinstance(error, ValidationError) else error
        raise ConfigError(f"{file}: {why}. Fix: carrom accept makes a new one") from error
    return Record(file, circumstances, verdict, _is_signed(body, state))


def _is_signed(body: dict[str, Any], state: Path) -> bool | None:
    signature = body.pop("signature", None)
    if not isinstance(signature, dict):
        return False
    file = state / FOLDER / KEY
    try:
        key = bytes.fromhex(text_of(file, SECRET).strip())
    except (UnreadableError, ValueError):
        return None
    return hmac.compare_digest(str(signature.get("value")), _signature(body, key))


def key_mark(file: Path) -> str:
    """Returns the short name of the key and the beginning of the signature of a record, to print."""
    signature = json_object(text_of(file, RECORD), RECORD)["signature"]
    return f"{signature['how']}, key {signature['key']}, {signature['value'][:16]}…"


# an acceptance that was broken off ------------------------------------------------------------------------------------


def keep(state: Path, asked: Mapping[str, Any], measured: Mapping[str, Measured], spent_s: float) -> None:
    """Keeps what was measured so far. `asked`: calibration, gauge and strikers, with which alone it goes on."""
    body = {"asked": dict(asked), "spent_s": spent_s, "measured": {step: asdict(one) for step, one in measured.items()}}
    _put(state / FOLDER / _PROGRESS, json.dumps(body))


def kept(state: Path, asked: Mapping[str, Any]) -> tuple[dict[str, Measured], float]:
    """Returns what an earlier sitting measured and how long it took; nothing where anything else was asked."""
    try:
        body = json_object(text_of(state / FOLDER / _PROGRESS, RECORD), RECORD)
        if body.get("asked") != json.loads(json.dumps(dict(asked))):
            return {}, 0.0
        return _MEASURED.validate_python(body.get("measured")), float(body.get("spent_s", 0.0))
    except (UnreadableError, ValidationError, TypeError, ValueError):
        return {}, 0.0


def forget(state: Path) -> None:
    """Removes what was kept of an acceptance that was broken off."""
    (state / FOLDER / _PROGRESS).unlink(missing_ok=True)


# files and key --------------------------------------------------------------------------------------------------------


def _key(state: Path) -> bytes:
    """The table's own key; made when there is none."""
    file = state / FOLDER / KEY
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        return bytes.fromhex(text_of(file, SECRET).strip())
    except (UnreadableError, ValueError):
        key = secrets.token_bytes(32)
        fresh = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fresh, "w") as stream:
            stream.write(key.hex() + "\n")
        return key


def _key_id(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()[:12]


def _signature(body: Mapping[str, Any], key: bytes) -> str:
    signed = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return hmac.new(key, signed.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _put(file: Path, text: str) -> None:
    """Writes a file so that under its name there is the old one or the new one, never a part."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(file.name + ".new")
    with fresh.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)
