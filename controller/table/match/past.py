"""The matches of a table's journal, for umpires at the pages: listed, and each as a file that `carrom export` makes, or
`carrom protest`.

Ruling a match anew and setting its sheet takes seconds of a Raspberry Pi's core; that is done in a process of its own,
one at a time, so that play never waits for it. Must not know what a sheet looks like.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from controller.events.errors import DeviceError
from controller.journal import Journal

MOST_LISTED = 100
"""Matches that are listed, the latest: nobody scrolls further on a phone; `carrom journal` has them all."""
EXPORT_S = 60.0
"""A long match on a slow card beside play; what takes longer hangs."""

HOW: Mapping[str, Sequence[str]] = {
    "pdf": ("--sheet", "pdf"),
    "csv": ("--csv",),
    "json": ("--json",),
    "png": ("--result", "png"),
}
"""Ending → what `carrom export` is asked for."""


class PastMatches:
    """`journal`: the table's, which may be open elsewhere. `config`: the table's file, which names its house books."""

    def __init__(self, journal: Path, config: Path | None) -> None:
        self._journal = journal
        self._config = config
        self._one_at_a_time = threading.Lock()

    def listed(self) -> Sequence[Mapping[str, Any]]:
        """The latest matches, newest first: `{match, began, latest, events, place, book, seats, score, over}`.

        Raises CarromError where the journal cannot be read.
        """
        with Journal(self._journal, read_only=True) as journal:
            return [asdict(row) for row in reversed(journal.matches(MOST_LISTED))]

    def file(self, match: str, form: str) -> bytes | None:
        """A match as a file; `form`: one of HOW. None if it is not listed.

        Raises CarromError where it cannot be made.
        """
        return self._made("export", match, HOW[form], form)

    def protest(self, match: str, seq: int, by: str, *, names: bool) -> bytes | None:
        """A protest of one ruling as a signed file; `by`: who protests, `names`: whether it names people. None if the
        match is not listed.

        Raises CarromError where it cannot be made.
        """
        words = [f"--stroke={seq}", *([f"--by={by}"] if by else []), *([] if names else ["--without-names"])]
        return self._made("protest", match, words, "zip")

    def _made(self, command: str, match: str, how: Sequence[str], form: str) -> bytes | None:
        if all(row["match"] != match for row in self.listed()):
            return None
        with self._one_at_a_time, tempfile.TemporaryDirectory(prefix="carrom-file-") as folder:
            out = Path(folder, f"match.{form}")
            words = [sys.executable, "-m", "controller.cli", command, str(self._journal), f"--match={match}"]
            words += [*how, "--out", str(out)]
            if self._config is not None:
                words += ["--config", str(self._config)]
            try:
                done = subprocess.run(
                    words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=EXPORT_S, check=False
                )
                if done.returncode:
                    raise DeviceError((done.stderr.strip().splitlines() or [f"carrom {command}: ended"])[-1])
                return out.read_bytes()
            except (OSError, subprocess.TimeoutExpired) as error:
                raise DeviceError(f"the match's file was not made: {error}. Fix: try again; see the log") from error
