"""The broker on the machine: whether somebody else has set it up, and whether it would start with files of ours.

A broker that runs already serves somebody: it is read before anything is changed, and what is new is tried beside it.
Must not know which files of ours there are, nor place any.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from controller.mqtt.broker_files import FOLDER, MADE
from installer.layout import Placed
from installer.machine import Machine

MAIN = f"{FOLDER}/mosquitto.conf"
PROGRAM = "mosquitto"
START_S = 15.0
"""A broker that is to start has done so by then, on a slow card too."""

THEIRS = re.compile(
    r"listener|port|bind_address|per_listener_settings|allow_anonymous|password_file|acl_file|psk_file|(auth_|global_)?"
    r"plugin|require_certificate|use_identity_as_username|use_username_as_clientid"
)
"""With any of these it is configured where the broker listens or who may come in: ours would overrule or break it."""
_ELSEWHERE = frozenset(["log_dest", "log_type", "pid_file", "persistence_location", "user"])
"""What a trial must not take over: it would write into the running broker's files."""
NOBODY = "127.0.0.1:1"
"""Where no broker is: a trial's bridge must not throw the running one off."""


def theirs(machine: Machine, ours: Collection[str]) -> str:
    """Returns the file and the word with which somebody else has set the broker up, empty if nobody has."""
    for path, text in _files(machine, {}):
        if path not in ours and not text.startswith(MADE):
            for word, _ in _settings(text):
                if THEIRS.fullmatch(word):
                    return f"{path}: {word}"
    return ""


def tried(machine: Machine, files: Mapping[str, Placed]) -> str:
    """Starts a broker with these files in place of the machine's, on ports of its own; returns why it does not start.

    Empty if it does, and where no broker is installed that could be tried.
    """
    program = shutil.which(PROGRAM, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if machine.staged or program is None:
        return ""
    with tempfile.TemporaryDirectory(prefix="carrom-broker-") as name:
        folder = Path(name)
        (folder / "trial.conf").write_text("\n".join(_trial(machine, files, folder)) + "\n", encoding="utf-8")
        for place in (folder, *folder.iterdir()):
            # It drops its rights as it starts, as the one that serves does.
            place.chmod(0o750 if place.is_dir() else 0o640)
            if os.geteuid() == 0:
                shutil.chown(place, PROGRAM, PROGRAM)
        return _started([program, "-c", str(folder / "trial.conf")])


def _started(words: list[str]) -> str:
    trial = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    late = threading.Timer(START_S, trial.kill)
    late.start()
    said: list[str] = []
    try:
        assert trial.stdout is not None
        for line in trial.stdout:
            if re.search(r"mosquitto version \S+ running", line):
                return ""
            said.append(line.strip())
    finally:
        late.cancel()
        # It keeps nothing, and one whose bridge finds nobody is slow to end by itself.
        trial.kill()
        trial.wait()
    return next((line for line in said if "Error" in line), (said or ["it says nothing"])[-1])


def _files(machine: Machine, files: Mapping[str, Placed]) -> Iterator[tuple[str, str]]:
    """Yields path and text of what the broker reads, in its order; `files` stand in place of the machine's or more."""
    main = machine.read(MAIN)
    yield MAIN, main if main is not None else f"include_dir {FOLDER}/conf.d\n"
    for word, folder in _settings(main or f"include_dir {FOLDER}/conf.d\n"):
        if word != "include_dir":
            continue
        there = {f"{folder}/{file.name}" for file in machine.at(folder).glob("*.conf")}
        more = {path for path in files if path.startswith(f"{folder}/") and path.endswith(".conf")}
        for path in sorted(there | more, key=str.lower):
            yield path, files[path].text if path in files else (machine.read(path) or "")


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Yields word and value of each line that says something."""
    for line in text.splitlines():
        word, _, value = line.strip().partition(" ")
        if word and not word.startswith("#"):
            yield word, value.strip()


def _trial(machine: Machine, files: Mapping[str, Placed], folder: Path) -> Iterator[str]:
    """Yields the lines of a configuration that starts where this one does, and touches nothing of the running one's."""
    ports: dict[str, str] = {}
    yield from ("log_dest stderr", "log_type all", f"persistence_location {folder}/")
    for _, text in _files(machine, files):
        for word, value in _settings(text):
            if word in _ELSEWHERE or word == "include_dir":
                continue
            if word in ("listener", "port"):
                number, _, where = value.partition(" ")
                if number not in ports:
                    ports[number] = str(_free_port())
                yield f"{word} {ports[number]} {where}".rstrip()
            elif word in ("address", "addresses"):
                yield f"{word} {NOBODY}"
            elif value in files:
                copy = folder / Path(value).name
                copy.write_text(files[value].text, encoding="utf-8")
                yield f"{word} {copy}"
            else:
                yield f"{word} {value}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])
