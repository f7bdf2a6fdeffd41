"""`carrom check`: finds what is wrong before play. One line a part; exit 1 if any fails, 2 without a configuration.

On a terminal the part that is being tried stands on the last line meanwhile; elsewhere only findings are written.
Each part is probed by its own small function and cannot stop the others. Nothing is changed on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from calibration.measures import board_of
from controller.commands.acceptance.record import FOLDER, KEY
from controller.commands.check_computer import probe_clock, probe_computer, probe_disk
from controller.commands.check_journal import probe_journal
from controller.commands.check_pockets import probe_coins, probe_pockets
from controller.commands.findings import Finding, unwritable
from controller.commands.installed import add_config
from controller.config import Config, load_config, secret_in
from controller.events.doors import fix_of
from controller.events.errors import CarromError, ConfigError
from controller.events.ruling import Refusal
from controller.events.words import Grade
from controller.mqtt.broker import Broker
from controller.mqtt.trial import in_words, not_taken, unreachable, welcome, written_by_anybody
from controller.table.evidence.settings import budget_bytes
from controller.table.match.ruled_match import Taken
from controller.table.match.start import books_of, start_event, umpire_of
from controller.table.match.watching import counted, watching
from controller.table.outlets.broker_settings import broker_of
from controller.table.outlets.panel import check_buttons

ASKS = {"camera": ": ten seconds; move a hand above the board", "pocket node": ": up to eight seconds"}
"""What a person is asked for meanwhile, or why it takes so long."""

SAFE_PIN = 6
"""Characters: with so many digits, guessing as fast as it is let finds the PIN of one table in fifty in a day."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_config(parser)
    parser.add_argument("--coins", action="store_true", help="asks for a coin through each pocket, and tries each beam")


def run(args: argparse.Namespace) -> int:
    """Runs every probe and prints its line."""
    config = load_config(args.config)
    print(f"ok    configuration: {args.config}")
    failed = False
    needs_sudo = out_of_reach(config)
    asked = {"coins": lambda config: probe_coins(config, print)} if args.coins else probes(args.config)
    # A coin's probe asks its own questions as it goes.
    progress = Progress(len(asked), shown=sys.stdout.isatty() and not args.coins)
    if needs_sudo:
        failed = True
        print(f"fail  rights: not tried: {', '.join(needs_sudo)}; they are the table's own. Fix: sudo carrom check")
    for part, probe in asked.items():
        progress.show(part)
        if part in needs_sudo:
            progress.clear()
            continue
        try:
            findings = list(probe(config))
        except CarromError as error:
            findings = [Finding(part, "fail", str(error))]
        finally:
            progress.clear()
        for found in findings:
            failed |= found.state == "fail"
            print(f"{found.state:<5} {found.part}: {found.says}")
            sys.stdout.flush()
    return 1 if failed else 0


def out_of_reach(config: Config) -> list[str]:
    """Returns the parts that whoever typed this may not try, where they belong to the table's own user."""
    table, mqtt, web = config.table, config.mqtt, config.web
    proved = table.state / FOLDER
    needed = {
        "disk": ((table.state, os.W_OK), (table.runtime, os.W_OK)),
        "journal": ((table.state, os.W_OK),),
        "broker": ((mqtt.password_file, os.R_OK),),
        "umpire's page": ((web.pin_file, os.R_OK),),
        "evidence": ((config.evidence.folder, os.W_OK),),
        "acceptance": tuple((place, os.R_OK) for place in (table.state, proved, proved / KEY)),
    }
    return [
        part
        for part, places in needed.items()
        if any(place is not None and _is_anothers(place, how) for place, how in places)
    ]


def _is_anothers(place: Path, how: int) -> bool:
    """Whether it is there for others and not for us; nobody writes to a file system that is read-only, whoever asks."""
    if not os.path.lexists(place) or os.access(place, how):
        return False
    with contextlib.suppress(OSError):
        return not (how == os.W_OK and os.statvfs(place).f_flag & os.ST_RDONLY)
    return True


class Progress:
    """One line that says what is being tried and how far it is; it makes way for each finding. Not shown: nothing."""

    def __init__(self, of: int, *, shown: bool) -> None:
        self._number, self._of, self._shown = 0, of, shown

    def show(self, part: str) -> None:
        """Says which part is tried now."""
        self._number += 1
        if self._shown:
            print(f"...   {part} ({self._number} of {self._of}){ASKS.get(part, '')}", end="", flush=True)

    def clear(self) -> None:
        """Takes the line away: back to its beginning, and what stands there erased (VT100, as every terminal does)."""
        if self._shown:
            print("\r\x1b[K", end="", flush=True)


def _match(config: Config) -> Iterator[Finding]:
    """Whether the match of the configuration could begin."""
    umpire = umpire_of(config, board_of(config.board.said()))
    taken = umpire.take(start_event(config))
    book = umpire.book()
    if isinstance(taken, Taken) and book is not None:
        yield Finding("match", "ok", f"{book.id}: {book.title}")
    else:
        error = taken.error if isinstance(taken, Refusal) else "nothing began"
        yield Finding("match", "fail", f"cannot start: {error}. Fix: correct [match]")


def _broker(config: Config) -> Iterator[Finding]:
    if not config.mqtt.enabled:
        yield Finding("broker", "none", "switched off")
        return
    for node in broker_of(config.mqtt).nodes:
        yield from _broker_at(node, config)


def _broker_at(broker: Broker, config: Config) -> Iterator[Finding]:
    secrecy = "encrypted" if config.mqtt.tls else "in the clear"
    try:
        version = welcome(broker)
        if says := not_taken(broker, config.table.id):
            yield Finding("broker", "fail", f"{broker.where}: {says}")
            return
        yield Finding("broker", "ok", f"{broker.where}: MQTT {version}, {secrecy}, as {broker.user or 'nobody'}")
        written = written_by_anybody(broker, config.table.id)
    except (OSError, ValueError) as error:
        fix = "start mosquitto, or set [mqtt] host, port, user, password_file, tls; without a broker enabled = false"
        says = unreachable(broker, error, f"{date.today()}", fix)
        yield Finding("broker", "fail", f"{broker.where}: {says}")
        return
    if not written:
        yield Finding("broker's rights", "ok", "who comes without a password writes nothing")
    elif config.mqtt.open:
        yield Finding("broker's rights", "ok", "anybody may write on it, and [mqtt] open says that this is meant")
    else:
        yield Finding("broker's rights", "warn", in_words(written))


def _pin(config: Config) -> Iterator[Finding]:
    file = config.web.pin_file
    if file is None:
        yield Finding("umpire's page", "warn", "no [web] pin_file: nobody can log in, everybody reads")
        return
    if not file.is_file():
        yield Finding("umpire's page", "fail", f"{file}: there is no such file. Fix: write a PIN into it")
        return
    try:
        pin = secret_in(file)
    except ConfigError as error:
        yield Finding("umpire's page", "fail", str(error))
        return
    if file.stat().st_mode & stat.S_IWOTH:
        yield Finding("umpire's page", "fail", f"{file}: anybody may write it, and be umpire. Fix: chmod o-w {file}")
    elif not pin:
        yield Finding("umpire's page", "fail", f"{file}: is empty: nobody can log in. Fix: write a PIN into it")
    elif len(pin) < SAFE_PIN:
        says = f"{file}: a PIN of {len(pin)} characters can be guessed in a long day. Fix: write {SAFE_PIN} or more"
        yield Finding("umpire's page", "warn", says)
    else:
        yield Finding("umpire's page", "ok", f"port {config.web.port}, PIN in {file}")


def _calibration(config: Config) -> Iterator[Finding]:
    if config.camera.kind == "none":
        yield Finding("calibration", "none", "no camera on this table")
        return
    # Imported here: a table without a camera never needs OpenCV.
    from controller.commands.check_calibration import probe_calibration

    yield from probe_calibration(config)


def _camera(config: Config, file: Path) -> Iterator[Finding]:
    from controller.commands.check_camera import probe_camera

    return probe_camera(config, file)


def _panel(config: Config) -> Iterator[Finding]:
    panel = config.panel
    if panel.kind == "none":
        yield Finding("panel", "none", "no lamp and no buttons")
        return
    check_buttons(panel.buttons)
    lines = [line for line in (panel.lamp, panel.buzzer, *panel.buttons.values()) if line is not None]
    twice = {line for line in lines if lines.count(line) > 1}
    if twice:
        yield Finding(
            "panel", "fail", f"line {min(twice)} is used twice. Fix: give panel.lamp, buzzer and buttons their own"
        )
    else:
        yield Finding("panel", "ok", f"{len(lines)} lines by {panel.kind}")


def _evidence(config: Config) -> Iterator[Finding]:
    folder = config.evidence.folder
    if folder is None:
        held_mb, asked_mb = budget_bytes(config.evidence) // 2**20, config.evidence.budget_mb
        less = (
            f" of {asked_mb}: an eighth of this computer's; with evidence.folder it is all"
            if held_mb < asked_mb
            else ""
        )
        yield Finding("evidence", "ok", f"in memory, up to {held_mb} MB{less}")
        return
    there = next((place for place in (folder, *folder.parents) if place.is_dir()), Path("/"))
    if error := unwritable(there):
        fix = fix_of(error, "set evidence.folder to a writable one")
        yield Finding("evidence", "fail", f"{folder}: cannot be written ({error.strerror}). Fix: {fix}")
        return
    state = next(place for place in (config.table.state, *config.table.state.parents) if place.is_dir())
    free_mb = shutil.disk_usage(there).free // 2**20
    if there.stat().st_dev == state.stat().st_dev:
        yield Finding(
            "evidence",
            "warn",
            f"{folder} is on the journal's device, which pictures wear out. Fix: another disk, or leave it out",
        )
    elif free_mb < config.evidence.budget_mb:
        yield Finding("evidence", "warn", f"{folder}: {free_mb} MB free. Fix: make room or lower evidence.budget_mb")
    else:
        yield Finding("evidence", "ok", f"{folder}: up to {config.evidence.budget_mb} MB")


def _watching(config: Config) -> Iterator[Finding]:
    """What tonight's sensors can watch, if they all work."""
    grade: Grade | None = None
    if config.camera.kind != "none":
        from controller.commands.check_calibration import grade_with, usable

        calibration = usable(config)
        grade = grade_with(calibration, config.camera, config.camera.fps) if calibration else None
    try:
        book = books_of(config)[config.match.book]
    except ConfigError:
        # Said of the match already.
        return
    rows = watching(book, grade, beams=config.pockets.kind != "none")
    sees = f"a camera of grade {grade}" if grade else "no camera"
    feels = "beams" if config.pockets.kind != "none" else "no beams"
    yield Finding("watching", "ok", f"{book.id} with {sees} and {feels}: {counted(rows)}")
    lacking = Counter(fact for row in rows if row["how"] == "not watched" for fact in row["missing"])
    if lacking:
        wanted = ", ".join(f"{fact} (by {count} clauses)" for fact, count in lacking.most_common())
        says = f"nobody sees what these want: {wanted}; the umpire calls them, each stands on the umpire's page"
        yield Finding("not watched", "none", f"{says}. Fix: docs/build.md, the camera's grade")


def _acceptance(config: Config) -> Iterator[Finding]:
    from controller.commands.check_acceptance import probe_acceptance

    return probe_acceptance(config)


def probes(file: Path) -> dict[str, Callable[[Config], Iterator[Finding]]]:
    """The probes by part, in the order in which they are made. `file`: the configuration's, for messages."""
    return {
        "disk": probe_disk,
        "journal": probe_journal,
        "computer": probe_computer,
        "clock": probe_clock,
        "match": _match,
        "calibration": _calibration,
        "camera": lambda config: _camera(config, file),
        "pocket node": probe_pockets,
        "panel": _panel,
        "broker": _broker,
        "umpire's page": _pin,
        "evidence": _evidence,
        "acceptance": _acceptance,
        "watching": _watching,
    }
