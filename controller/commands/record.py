"""`carrom record`: writes a folder that `carrom watch` reads: pictures with times, beam log, calibration, events.

Listens beside a running table (the eyes' ring, the journal) and disturbs nobody; ends with Ctrl-C or after
`--seconds`. Times in the beam log count from the middle of the first picture's exposure.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import Any

from controller.config import Config, load_config
from controller.events.beams import BeamEdge
from controller.events.errors import CarromError, ConfigError, DeviceError
from controller.journal.journal import Journal
from controller.vision.ring import Picture, RingReader

POLL_SECONDS = 0.02
PATIENCE_SECONDS = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--seconds", type=float, metavar="N", help="ends by itself after N seconds")


def run(args: argparse.Namespace) -> int:
    """Records until it is told to stop, then writes what was felt and ruled meanwhile."""
    config = load_config(args.config)
    out: Path = args.out
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out}: is not empty. Mend: name a new folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be made: {error}. Mend: name a folder that you may write") from error
    began = time.time()
    print(f"recording to {out}; Ctrl-C ends it", flush=True)
    first, last, count = record_pictures(RingReader(config.table.runtime / "pictures.ring"), out, args.seconds)
    edges = record_journal(config, out, began, first, last)
    if config.camera.calibration.is_file():
        shutil.copyfile(config.camera.calibration, out / "calibration.json")
    print(
        f"{count} pictures over {(last - first) / 1e9:.1f} s, {edges} beam edges. Next: carrom watch --calibration "
        f"{out / 'calibration.json'} --video {out} --beams {out / 'beams.jsonl'} --start {out / 'start.jsonl'}"
    )
    return 0


def record_pictures(ring: RingReader, out: Path, seconds: float | None) -> tuple[int, int, int]:
    """Copies every picture that comes. Returns the first's and the last's time in ns and how many there were.

    Raises DeviceError if none comes at all within ten seconds.
    """
    until = None if seconds is None else time.monotonic() + seconds
    patience = time.monotonic() + PATIENCE_SECONDS
    newest = ring.newest()
    following = -1 if newest is None else newest
    first = last = count = 0
    with (out / "times.jsonl").open("w", encoding="utf-8") as times:
        try:
            while until is None or time.monotonic() < until:
                fresh = ring.span(following + 1, following + 1000)
                for picture in fresh:
                    _write(picture, out, times)
                    first = first or picture.t_ns
                    last, count, following = picture.t_ns, count + 1, picture.number
                if not fresh:
                    if count == 0 and time.monotonic() > patience:
                        raise DeviceError("no pictures come. Mend: start carrom eyes with the same configuration")
                    time.sleep(POLL_SECONDS)
        except KeyboardInterrupt:
            print()
    return first, last, count


def _write(picture: Picture, out: Path, times: Any) -> None:
    name = f"{picture.number:09d}.jpg"
    try:
        (out / name).write_bytes(picture.jpeg)
        row = {"image": name, "t_ns": picture.t_ns, "exposure_ns": picture.exposure_ns}
        times.write(json.dumps(row) + "\n")
    except OSError as error:
        raise DeviceError(f"{out}: cannot be written: {error}. Mend: make room, or name another folder") from error


def record_journal(config: Config, out: Path, began: float, first_ns: int, last_ns: int) -> int:
    """Writes the beam log, the events before (`start.jsonl`) and the events meanwhile. Returns the edges' number."""
    try:
        journal = Journal(config.table.state / "journal.sqlite", read_only=True).open()
    except CarromError as error:
        print(f"no journal: {error}")
        return 0
    with journal:
        edges = [felt for felt in journal.edges(began - 1.0) if isinstance(felt, BeamEdge)]
        inside = [edge for edge in edges if first_ns <= edge.t_ns <= last_ns]
        with (out / "beams.jsonl").open("w", encoding="utf-8") as log:
            for edge in inside:
                t = round((edge.t_ns - first_ns) / 1e9, 6)
                row = {"t": t, "pocket": edge.pocket, "beam": edge.beam, "blocked": edge.blocked}
                log.write(json.dumps(row) + "\n")
        match = journal.latest_match()
        entries = journal.events(match) if match else ()
        for name, wanted in (("start.jsonl", False), ("events.jsonl", True)):
            lines = [json.dumps(entry.event) for entry in entries if (entry.t_unix >= began) is wanted]
            (out / name).write_text("\n".join(lines) + ("\n" if lines else ""), encoding="utf-8")
    return len(inside)
