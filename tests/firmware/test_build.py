"""What ships is what the sources say: header, document, .hex, and that it fits the chip."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.pockets.c_header import c_header
from controller.pockets.messages import MAX_HOST_LINE, MAX_NODE_LINE, RING, table_text
from controller.pockets.node_protocol import FIRMWARE

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / "firmware" / "pocket_node"
PROTOCOL = (ROOT / "firmware" / "PROTOCOL.md").read_text(encoding="utf-8")


def test_the_header_is_written_from_the_table():
    fix = "python -m controller.pockets.c_header > firmware/pocket_node/messages.h"
    assert (NODE / "messages.h").read_text(encoding="utf-8") == c_header(), f"run: {fix}"


def test_the_document_holds_the_table():
    assert f"```\n{table_text()}```" in PROTOCOL


def test_the_document_names_the_limits():
    assert f"longer than {MAX_NODE_LINE} bytes, none of a host longer than {MAX_HOST_LINE}" in PROTOCOL
    assert f"ring of {RING} " in PROTOCOL


def test_the_firmware_and_its_twin_have_one_version():
    assert f'#define FIRMWARE "{FIRMWARE}"' in (NODE / "node_core.c").read_text(encoding="utf-8")


def test_every_clause_of_the_protocol_has_a_test():
    clauses = set(re.findall(r"\*\*(node-\d+)\*\*", PROTOCOL))
    proved = set()
    for path in [*(ROOT / "tests" / "firmware").glob("test_*.py"), *(ROOT / "tests" / "pockets").glob("test_*.py")]:
        proved |= set(re.findall(r"clause\(\"(node-\d+)\"\)", path.read_text(encoding="utf-8")))
    assert len(clauses) >= 24
    assert proved == clauses


def built(folder: Path) -> Path:
    subprocess.run(["make", "-s", "-C", str(NODE), f"OUT={folder}"], check=True, capture_output=True)
    return folder / "pocket_node.hex"


@pytest.fixture(scope="module")
def elf_and_hex(tmp_path_factory):
    if not shutil.which("avr-gcc"):
        pytest.fail("avr-gcc is missing: scripts/test-packages installs it")
    folder = tmp_path_factory.mktemp("avr")
    return folder / "pocket_node.elf", built(folder)


@pytest.mark.live
def test_the_hex_that_ships_is_what_the_sources_give(elf_and_hex, tmp_path):
    version = subprocess.run(["avr-gcc", "-dumpversion"], check=True, capture_output=True, text=True).stdout.strip()
    _, fresh = elf_and_hex
    assert fresh.read_bytes() == built(tmp_path).read_bytes(), "two builds differ: a path or a date is in it"
    if version != "5.4.0":
        pytest.skip(f"the shipped .hex was built with Debian's avr-gcc 5.4.0, here is {version}")
    assert fresh.read_bytes() == (NODE / "release" / "pocket_node.hex").read_bytes(), "run: make release"


@pytest.mark.live
def test_flash_and_ram(elf_and_hex):
    elf, _ = elf_and_hex
    sizes = {}
    for line in subprocess.run(
        ["avr-size", "-A", str(elf)], check=True, capture_output=True, text=True
    ).stdout.splitlines():
        if (parts := line.split()) and parts[0].startswith("."):
            sizes[parts[0]] = int(parts[1])
    assert sizes[".text"] + sizes[".data"] < 16 * 1024
    assert sizes[".data"] + sizes[".bss"] + sizes[".noinit"] < 1536


def test_the_udev_rule_keeps_modem_managers_away():
    rule = (ROOT / "systemd" / "70-carrom.rules").read_text(encoding="utf-8")
    lines = [line for line in rule.splitlines() if line and not line.startswith("#")]
    nodes = [line for line in lines if "carrom/node" in line]
    assert nodes
    assert all('ENV{ID_MM_PORT_IGNORE}="1"' in line and 'GROUP="dialout"' in line for line in nodes)
