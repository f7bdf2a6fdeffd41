"""The service units: accepted by systemd's own reader, and shut in as far as devices and a network allow."""

from __future__ import annotations

import re
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

ALL = sorted((Path(__file__).parents[2] / "systemd").glob("*.service"))
GROWING = r"Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)' in section"
"""What a systemd before 254 says of growing pauses."""
UNITS = [unit for unit in ALL if unit.name != "carrom-kiosk.service"]
"""Our own programs; the kiosk is Debian's compositor and browser, which shuts itself in and tells nobody how it is."""


@pytest.mark.live
@pytest.mark.parametrize("unit", ALL, ids=lambda unit: unit.name)
def test_exposure_is_small(unit: Path) -> None:
    """The screen's browser needs the devices and namespaces that ours do without."""
    most = 1.5 if unit in UNITS else 4.5
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={most * 10:.0f}", str(unit)],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "SYSTEMD_PAGER": "cat", "LC_ALL": "C.UTF-8"},
    )
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert level, done.stderr
    assert done.returncode == 0
    assert float(level[1]) <= most


@pytest.mark.live
@pytest.mark.parametrize("unit", ALL, ids=lambda unit: unit.name)
def test_systemd_reads_every_line(unit: Path, tmp_path: Path) -> None:
    # The program of the installed place is not on this machine; everything else must be understood.
    here = tmp_path / unit.name
    here.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text()))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(here)], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if unit.name in line and "User=" not in line]
    if version() < 254:
        complaints = [line for line in complaints if not re.search(GROWING, line)]
    assert complaints == []


def version() -> int:
    said = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.split()[1])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_it_is_watched(unit: Path) -> None:
    text = unit.read_text()
    assert "Type=notify" in text
    assert re.search(r"(?m)^WatchdogSec=\d", text)
    waits = re.findall(r"(?m)^(?:BindsTo|Requires|Requisite|ConditionPathExists)=.*|network-online", text)
    assert waits == [], "a table starts without devices, network and broker, and takes each up when it comes"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_it_is_started_again_for_ever_with_pauses(unit: Path) -> None:
    """Each of these ends with 1 while a disk is full; whoever makes room has no shell to start it with."""
    text = unit.read_text()
    assert re.search(r"(?m)^Restart=(on-failure|always)$", text)
    assert re.findall(r"(?m)^StartLimit\w+=.*$", text) == ["StartLimitIntervalSec=0"]
    assert float(setting(text, "RestartSec")) >= 1, "the pause where systemd knows no growing ones"
    assert int(setting(text, "RestartSteps")) >= 5
    assert float(setting(text, "RestartSec")) < float(setting(text, "RestartMaxDelaySec")) <= 10, (
        "a match waits so long"
    )
    assert "RestartPreventExitStatus=2" in text, "a setting that cannot be used is not repaired by starting again"


@pytest.mark.parametrize("unit", ALL, ids=lambda unit: unit.name)
def test_a_fault_takes_neither_the_computer_nor_a_secret_with_it(unit: Path) -> None:
    text = unit.read_text()
    share = setting(text, "MemoryMax")
    assert share.endswith("%"), "of whichever computer it is: the ring and the evidence grow with it"
    assert 25 <= int(share[:-1]) <= 75, "room to work in, and some left for the others"
    assert 64 <= int(setting(text, "TasksMax")) <= 1024
    assert setting(text, "LimitCORE") == "0", "a core holds PIN and passwords"


def setting(text: str, key: str) -> str:
    (value,) = re.findall(rf"(?m)^{key}=(.*)$", text)
    return value


def test_a_screen_that_cannot_be_opened_is_given_up() -> None:
    """A computer without one is no fault that anybody fixes while it runs."""
    (kiosk,) = set(ALL) - set(UNITS)
    assert int(setting(kiosk.read_text(), "StartLimitIntervalSec")) > 0
    assert int(setting(kiosk.read_text(), "StartLimitBurst")) > 0


def test_a_session_at_the_screen_is_no_exec_service() -> None:
    """With PAMName= Debian 12's systemd never hears of the exec: it holds the start open for 90 s and ends it."""
    (kiosk,) = set(ALL) - set(UNITS)
    text = kiosk.read_text()
    assert "PAMName=" in text
    assert "Type=exec" not in text


def test_a_node_on_any_port_that_a_rule_names_is_let_in() -> None:
    folder = Path(__file__).parents[2] / "systemd"
    rules = (folder / "70-carrom.rules").read_text()
    kinds = set(re.findall(r"tty(?=[A-Z])([A-Z]+)", rules))
    assert kinds == {"USB", "ACM", "AMA"}
    daemon = (folder / "carrom.service").read_text()
    assert all(f"DeviceAllow=char-tty{kind} rw" in daemon for kind in kinds)
    assert len(re.findall(r'ENV\{CARROM_NODE\}="1"', rules)) == 10, "each chip as a device and as a port"


def test_the_eyes_may_read_what_processor_they_have() -> None:
    """ONNX Runtime dies as it starts on a Pi where /proc/cpuinfo is hidden; seen on an emulated Cortex-A72."""
    (eyes,) = [unit for unit in UNITS if unit.name == "carrom-eyes.service"]
    text = eyes.read_text()
    assert not re.search(r"(?m)^ProcSubset=pid", text)
    assert not re.search(r"(?m)^InaccessiblePaths=.*(/proc|/sys)", text)


OURS = [
    "127.0.0.1",
    "::1",
    "10.1.2.3",
    "172.20.0.9",
    "192.168.1.20",
    "100.101.5.6",
    "169.254.20.7",
    "fe80::7",
    "fd12::7",
]
STRANGE = ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:4860::8"]
SPELT = {"localhost": ["127.0.0.0/8", "::1/128"]}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_what_no_router_hands_on_is_reached_and_nothing_else(unit: Path) -> None:
    """A camera on a cable of its own, a broker in a private net of IPv6, a club's own tunnel."""
    (allowed,) = [line for line in unit.read_text().splitlines() if line.startswith("IPAddressAllow=")]
    words = allowed.partition("=")[2].split()
    nets = [ip_network(net) for word in words for net in SPELT.get(word, [word])]
    reached = [one for one in (*OURS, *STRANGE) if any(ip_address(one) in net for net in nets)]
    assert reached == OURS
