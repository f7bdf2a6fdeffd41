"""Ties a child process to the one that starts it: it is asked to end when its parent is gone, however that ended.

Without it a demo that is killed outright leaves a daemon behind that goes on looking for its pocket node; the next
demo's node has the same name (`/dev/pts/0`), and the old daemon takes it away.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence


def leashed(command: Sequence[str]) -> list[str]:
    """Returns the command that runs `command` in the same process, with the kernel's word to end it (SIGTERM) when
    the thread that started it ends. Where the system has no `setpriv`, the command as it is."""
    setpriv = shutil.which("setpriv")
    return [*([setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []), *command]
