"""`make flash`: what is written, by which bootloader, and what is said where it cannot be."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

NODE = Path(__file__).parents[2] / "firmware" / "pocket_node"
FLASH = "-q -p m328p -c arduino -P {port} -b {baud} -D -U flash:w:release/pocket_node.hex:i"


def flash(
    folder: Path, answers_at: str, port: str = "ttyUSB0", plugged: str = "ttyUSB0"
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Runs the documented command before a programmer that notes its words, and answers at one speed only."""
    said = folder / "said"
    said.touch()
    programs = folder / "bin"
    programs.mkdir()
    for name in ("make", "sh", "bash"):
        (programs / name).symlink_to(str(shutil.which(name)))
    if answers_at:
        avrdude = programs / "avrdude"
        avrdude.write_text(f'#!/bin/sh\necho "$@" >> {said}\ncase "$*" in *" {answers_at} "*) exit 0;; esac\nexit 1\n')
        avrdude.chmod(0o755)
    devices = folder / "dev"
    devices.mkdir()
    for name in plugged.split():
        (devices / name).touch()
    words = ["make", "-C", str(NODE), "flash", f"PORT={devices / port}", f"DEV={devices}"]
    done = subprocess.run(words, capture_output=True, text=True, env={"PATH": str(programs)})
    return done, said.read_text().splitlines()


@pytest.mark.parametrize(("answers_at", "bauds"), [("115200", ["115200"]), ("57600", ["115200", "57600"])])
def test_the_old_bootloader_is_tried_where_the_new_one_does_not_answer(
    tmp_path: Path, answers_at: str, bauds: list[str]
) -> None:
    done, said = flash(tmp_path, answers_at)
    assert done.returncode == 0, done.stderr
    assert said == [FLASH.format(port=tmp_path / "dev" / "ttyUSB0", baud=baud) for baud in bauds]
    assert (NODE / "release" / "pocket_node.hex").is_file()


def test_a_nano_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    done, said = flash(tmp_path, "none of them")
    assert done.returncode != 0
    assert len(said) == 2
    assert "ttyUSB0: no Nano answers. Fix: sudo systemctl stop carrom" in done.stderr


@pytest.mark.parametrize(
    ("plugged", "fix"), [("ttyACM0", "flash PORT={dev}/ttyACM0\n"), ("", "Fix: another USB cable, one for data")]
)
def test_a_port_that_is_not_there_is_said_with_the_one_that_is(tmp_path: Path, plugged: str, fix: str) -> None:
    done, said = flash(tmp_path, "115200", plugged=plugged)
    assert done.returncode != 0
    assert said == [], "nothing is written"
    assert f"{tmp_path}/dev/ttyUSB0: no such port. Fix: " in done.stderr
    assert fix.format(dev=tmp_path / "dev") in done.stderr


def test_what_to_install_is_said(tmp_path: Path) -> None:
    done, _ = flash(tmp_path, "")
    assert done.returncode != 0
    assert "apt install avrdude" in done.stderr
