"""`carrom record`: writes a folder that `carrom watch` reads: pictures with times, beam log, calibration, events.

Reads beside a running table (the ring of pictures, the journal) and disturbs nobody; ends with Ctrl-C or after
`--seconds`. Times in the beam log count from the middle of the first picture's exposure. With `--case N` it saves one
stroke of the latest match instead (`record_case`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.commands.installed import add_config
from controller.commands.record_case import save_case
from controller.config import Config, load_config
from controller.events.beams import BeamEdge
from controller.events.errors import CarromError, ConfigError, DeviceError
from controller.journal.journal import Journal
from controller.supervision.signals import handling
from controller.table.process.housekeeping import journal_of
from controller.vision.eyes import RING
from controller.vision.ring import Picture, RingReader

POLL_SECONDS = 0.02
PATIENCE_SECONDS = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_config(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--seconds", type=float, metavar="N", help="ends by itself after N seconds")
    parser.add_argument(
        "--case", type=int, metavar="N", help="no recording: save stroke N of the latest match as a case, to be tested"
    )


def run(args: argparse.Namespace) -> int:
    """Records until it is to stop, then writes what was felt and ruled meanwhile."""
    config = load_config(args.config)
    out: Path = args.out
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out}: is not empty. Fix: name a new folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be made: {error}. Fix: name a folder that you may write") from error
    if args.case is not None:
        save_case(config, args.config, args.case, out)
        return 0
    # Whoever asks it to end, politely: what has come until then is a recording.
    with handling(signal.default_int_handler, signal.SIGTERM):
        return record(config, out, args.seconds)


def record(config: Config, out: Path, seconds: float | None) -> int:
    """Records into a folder that is empty, and says what can be done with it."""
    began = time.time()
    ring = RingReader(config.table.runtime / RING)
    newest = ring.newest()
    print(f"recording to {out}; Ctrl-C ends it", flush=True)
    taken = record_pictures(ring, -1 if newest is None else newest, out, seconds)
    words = ["carrom", "watch", "--video", str(out), "--calibration", str(out / "calibration.json")]
    says = f"{taken.count} pictures over {taken.seconds:.1f} s"
    if taken.missed:
        says += f" ({taken.missed} missed: the disk is slow)"
    if config.camera.calibration.is_file():
        shutil.copyfile(config.camera.calibration, out / "calibration.json")
    else:
        words[-1] = "FILE"
    felt = record_journal(config, out, began, taken)
    if felt is not None:
        says += f", {felt.edges} beam edges"
        words += ["--beams", str(out / "beams.jsonl")] if felt.beams else []
        words += ["--start", str(out / "start.jsonl")] if felt.match else []
    print(f"{says}. Next: {' '.join(words)}", flush=True)
    return 0


@dataclass(frozen=True)
class Taken:
    """The pictures of a recording: times of the first and the last in ns, how many, how many came too fast."""

    first_ns: int = 0
    last_ns: int = 0
    count: int = 0
    missed: int = 0

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.last_ns - self.first_ns) / 1e9


@dataclass(frozen=True)
class Felt:
    """What else there is: edges in the recording's time, whether the table has beams, whether a match was under way."""

    edges: int
    beams: bool
    match: bool


def record_pictures(ring: RingReader, after: int, out: Path, seconds: float | None) -> Taken:
    """Copies every picture that comes after number `after`, until time is up or Ctrl-C.

    Raises DeviceError if none comes at all within ten seconds.
    """
    until = None if seconds is None else time.monotonic() + seconds
    patience = time.monotonic() + PATIENCE_SECONDS
    taken, following = Taken(), after
    with (out / "times.jsonl").open("w", encoding="utf-8") as times:
        try:
            while until is None or time.monotonic() < until:
                fresh = ring.span(following + 1, following + 1000)
                for picture in fresh:
                    _write(picture, out, times)
                    skipped = picture.number - following - 1 if taken.count else 0
                    first_ns = taken.first_ns if taken.count else picture.t_ns
                    taken = Taken(first_ns, picture.t_ns, taken.count + 1, taken.missed + skipped)
                    following = picture.number
                if not fresh:
                    if taken.count == 0 and time.monotonic() > patience:
                        raise DeviceError("no pictures come. Fix: start carrom eyes with the same configuration")
                    times.flush()
                    time.sleep(POLL_SECONDS)
        except KeyboardInterrupt:
            print()
    return taken


def _write(picture: Picture, out: Path, times: Any) -> None:
    name = f"{picture.number:09d}.jpg"
    try:
        (out / name).write_bytes(picture.jpeg)
        row = {"image": name, "t_ns": picture.t_ns, "exposure_ns": picture.exposure_ns}
        times.write(json.dumps(row) + "\n")
    except OSError as error:
        raise DeviceError(f"{out}: cannot be written: {error}. Fix: make room, or name another folder") from error


def record_journal(config: Config, out: Path, began: float, taken: Taken) -> Felt | None:
    """Writes the beam log, the events before (`start.jsonl`) and the events meanwhile; None without a journal.

    `began`: when recording began, in Unix seconds. Without beams there is no beam log: an empty one would say that
    nothing was felt.
    """
    try:
        journal = Journal(journal_of(config), read_only=True).open()
    except CarromError as error:
        print(f"no journal: {error}")
        return None
    with contextlib.closing(journal):
        beams = config.pockets.kind != "none"
        felt = [one for one in journal.edges(began - 1.0) if isinstance(one, BeamEdge)]
        edges = [edge for edge in felt if taken.first_ns <= edge.t_ns <= taken.last_ns]
        if beams:
            _write_lines(out / "beams.jsonl", [_row(edge, taken.first_ns) for edge in edges])
        match = journal.latest_match()
        entries = journal.events(match) if match else ()
        before = [entry.event for entry in entries if entry.t_unix < began]
        _write_lines(out / "start.jsonl", before)
        _write_lines(out / "events.jsonl", [entry.event for entry in entries if entry.t_unix >= began])
    return Felt(len(edges), beams, bool(before))


def _row(edge: BeamEdge, zero_ns: int) -> dict[str, Any]:
    t = round((edge.t_ns - zero_ns) / 1e9, 6)
    return {"t": t, "pocket": edge.pocket, "beam": edge.beam, "blocked": edge.blocked}


def _write_lines(path: Path, rows: Sequence[Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
