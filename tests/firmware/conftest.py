from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from controller.pockets.messages import MAX_NODE_LINE
from controller.pockets.node_protocol import NodeSettings

NODE = Path(__file__).resolve().parents[2] / "firmware" / "pocket_node"


class CCore:
    """The firmware's core, built by the host's compiler, with NodeCore's calls."""

    def __init__(self, library: ctypes.CDLL, settings: NodeSettings, boot: int, pins: int, us: int) -> None:
        self._library = library
        self._node = ctypes.c_void_p(
            library.shim_new(
                settings.id, settings.polarity, settings.beams, settings.stuck_s, settings.kept,
                boot, pins, ctypes.c_uint64(us),
            )
        )  # fmt: skip
        self._text = ctypes.create_string_buffer(MAX_NODE_LINE + 64)

    def pins(self, pins: int, us: int) -> None:
        self._library.node_pins(self._node, pins, ctypes.c_uint64(us))

    def lost(self, first_us: int, last_us: int, count: int) -> None:
        self._library.node_lost(self._node, ctypes.c_uint64(first_us), ctypes.c_uint64(last_us), count)

    def received(self, data: bytes, us: int) -> None:
        self._library.shim_receive(self._node, data, len(data), ctypes.c_uint64(us))

    def task(self, us: int) -> bytes:
        length = self._library.shim_task(self._node, ctypes.c_uint64(us), self._text)
        return self._text.raw[:length]

    @property
    def used(self) -> int:
        return int(self._library.shim_used(self._node))


@pytest.fixture(scope="session")
def c_core(tmp_path_factory):
    """Builds the core with every warning and the sanitizers' cheap half; returns a maker of CCore."""
    out = tmp_path_factory.mktemp("core") / "core.so"
    sources = [NODE / "line.c", NODE / "node_core.c", Path(__file__).parent / "core_shim.c"]
    subprocess.run(
        ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=undefined",
         "-fno-sanitize-recover=undefined", "-fno-sanitize=alignment",
         "-shared", "-fPIC", "-I", str(NODE), "-o", str(out), *map(str, sources)],
        check=True,
    )  # fmt: skip
    library = ctypes.CDLL(str(out))
    library.shim_new.restype = ctypes.c_void_p

    def make(settings: NodeSettings | None = None, boot: int = 7, pins: int = 0, us: int = 0) -> CCore:
        return CCore(library, settings or NodeSettings(), boot, pins, us)

    return make
