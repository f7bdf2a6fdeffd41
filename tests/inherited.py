"""What a process takes over from whoever started it, set to the same everywhere: streams, signals, limits, masks.

`nohup`, a shell's background job, a build server and systemd each hand on something else, and every program that the
tests start inherits it in turn.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile

NEEDS_MIB = 2000
"""Room that a whole run takes in the folder for temporary files: pictures, journals and logs of 9 000 tests."""

PYTHONS_OWN = {signal.SIGPIPE, signal.SIGXFSZ}
"""Python itself ignores these, and gives them back to the programs that it starts."""

OPEN_FILES, STACK_BYTES = 4096, 8 << 20
OF_ONE_SERVICE = (
    "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID", "NOTIFY_SOCKET",
    "WATCHDOG_PID", "WATCHDOG_USEC",
)  # fmt: skip
"""What systemd tells the service that it starts, and no other process."""


def replace(*kept: signal.Signals) -> None:
    """Sets what this process inherited to what the tests expect; `kept`: signals that stay ignored if they are."""
    _open_streams()
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - PYTHONS_OWN - set(kept):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    os.umask(0o022)
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: OPEN_FILES, resource.RLIMIT_STACK: STACK_BYTES}
    for limit in {getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}:
        most = resource.getrlimit(limit)[1]
        new = wanted.get(limit, most)
        resource.setrlimit(limit, (new if most == resource.RLIM_INFINITY else min(new, most), most))
    for name in OF_ONE_SERVICE:
        os.environ.pop(name, None)


def _open_streams() -> None:
    """Opens those of the three standard streams that are closed, or the next files opened would take their numbers."""
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def too_small() -> str | None:
    """Names a folder for temporary files that a run would fill, with the fix; None where there is room."""
    folder = tempfile.gettempdir()
    free_mib = shutil.disk_usage(folder).free >> 20
    if free_mib >= NEEDS_MIB:
        return None
    return f"{folder} has {free_mib} MiB free; the tests take up to {NEEDS_MIB}. Fix: TMPDIR=/a/larger/folder"
