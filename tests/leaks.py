"""A test leaves nothing behind: no thread, child process, open port, signal handler or file outside its own folder.

This module is a part of the suite's `conftest`. What a fixture of a module or of the whole session keeps open was there
before its first test and is not counted.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S
from tests.tiers import is_live

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
ROOT = str(Path(__file__).parent.parent)
PLACES = (tempfile.gettempdir(), "/dev", "/proc", sys.prefix)
"""Where a test may write: below pytest's folders, to devices, and what Python compiles."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a program that is stopped takes for itself."""

LISTEN = "0A"
"""A listening socket's state in the kernel's tables."""

_written: list[str] = []
_watching = False


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if not _watching or event not in ("open", "os.mkdir", "sqlite3.connect"):
        return
    if event == "open" and not (isinstance(args[2], int) and args[2] & WRITES):
        return
    if isinstance(args[0], str | bytes | os.PathLike):
        name = os.fsdecode(args[0])
        # SQLite takes addresses.
        path = os.path.abspath(name.removeprefix("file:").partition("?")[0] if event[0] == "s" else name)  # noqa: PTH100
        # A checkout may itself lie in a temporary folder.
        if not path.startswith(PLACES) or (path.startswith(ROOT) and not path.startswith(sys.prefix)):
            _written.append(path)


sys.addaudithook(_audit)


@pytest.fixture(autouse=True)
def _leaves_nothing(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves something behind."""
    global _watching
    threads, children = set(threading.enumerate()), _children()
    handlers = [signal.getsignal(number) for number in SIGNALS]
    # The kernel's table is long after so many connections, and costs milliseconds; only a live test may listen.
    ports = _listening() if is_live(request.node) else None
    _written.clear()
    _watching = True
    yield
    _watching = False
    for thread in set(threading.enumerate()) - threads:
        thread.join(PATIENCE_S)
    left = [f"thread {thread.name}" for thread in set(threading.enumerate()) - threads]
    left += [f"process {_command(child)}" for child in _children() - children]
    if ports is not None and _listening() - ports:
        gc.collect()
        left += [f"port {port}" for port in _listening() - ports]
    now = [signal.getsignal(number) for number in SIGNALS]
    left += [f"handler of {one.name}" for one, was, there in zip(SIGNALS, handlers, now, strict=True) if was != there]
    left += [f"file {path}" for path in dict.fromkeys(_written) if os.path.exists(path)]  # noqa: PTH110
    assert not left, f"it left {', '.join(left)}"


def _children() -> set[int]:
    """Children of each of our threads, ended ones that nobody waited for among them."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        try:
            found.update(map(int, (task / "children").read_text().split()))
        except OSError:
            continue
    return found


def _command(child: int) -> str:
    try:
        words = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        words = ""
    return f"{child} {words[:80]}".strip()


def _listening() -> set[int]:
    """Ports that this process listens on."""
    own = set()
    for handle in os.listdir("/proc/self/fd"):  # noqa: PTH208  # a Path for each would cost more than the look
        try:
            own.add(os.readlink(f"/proc/self/fd/{handle}"))  # noqa: PTH115
        except OSError:
            continue
    found = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        for row in Path(table).read_text().splitlines()[1:] if Path(table).exists() else ():
            _, local, _, state, *_, inode = row.split()[:10]
            if state == LISTEN and f"socket:[{inode}]" in own:
                found.add(int(local.rpartition(":")[2], 16))
    return found
