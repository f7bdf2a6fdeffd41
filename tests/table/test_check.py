"""`carrom check`: one line a part; what fails says how to fix it; one part cannot stop the others."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.cli import main
from controller.commands.check import ASKS, probes
from controller.commands.check_computer import commit_times, keeps_up, power, probe_clock, probe_computer
from controller.config import Config
from controller.events.errors import ConfigError
from tests.table.checking import checked


@pytest.mark.live
def test_a_table_without_sensors_is_a_scoreboard_and_nothing_fails(folder, capsys) -> None:
    code, out = checked(folder, capsys)
    assert code == 0
    assert "none  camera: no camera on this table" in out
    assert "none  pocket node: no beams on this table" in out
    assert "ok    match: icf: " in out
    assert "watching: icf with no camera and no beams: " in out
    assert "none  not watched: nobody sees what these want: " in out
    assert re.search(r"placement \(by \d+ clauses\)", out), "what would have to be seen is named"


@pytest.mark.live
def test_on_a_terminal_each_part_is_named_before_it_is_tried(folder, capsys, monkeypatch) -> None:
    plain = checked(folder, capsys)
    assert "\x1b" not in plain[1]
    said_before: dict[str, str] = {}

    def tried(part: str, probe):
        def probing(config: Config):
            said_before[part] = capsys.readouterr().out
            written.append(said_before[part])
            if part == "panel":
                raise ConfigError("the panel is broken")
            return probe(config)

        return probing

    written: list[str] = []
    monkeypatch.setattr(
        "controller.commands.check.probes", lambda file: {p: tried(p, f) for p, f in probes(file).items()}
    )
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    code, rest = checked(folder, capsys)
    assert code == 1, "the panel is broken"
    for number, (part, said) in enumerate(said_before.items(), start=1):
        last = re.split(r"[\r\n]", said)[-1].removeprefix("\x1b[K")
        assert last == f"...   {part} ({number} of {len(said_before)}){ASKS.get(part, '')}"
    assert [*said_before] == [*probes(folder / "table.toml")]
    # What is left on the screen is what is written where there is none.
    left = re.sub(r"(?m)^.*\r\x1b\[K", "", "".join([*written, rest]))
    heads = [line.split(":")[0].split(maxsplit=1)[1] for line in left.splitlines()]
    assert heads == [line.split(":")[0].split(maxsplit=1)[1] for line in plain[1].splitlines()]
    assert "fail  panel: the panel is broken" in left


@pytest.mark.live
@pytest.mark.parametrize(
    ("section", "text", "line"),
    [
        ("match", 'book = "chess"', "fail  match: match.book = 'chess': there is no such rulebook."),
        ("match", 'first = "east"', "fail  match: cannot start: "),
        ("match", 'book = "nowhere.toml"', "fail  match: nowhere.toml: there is no such file. Fix:"),
        ("match", '[match.autonomy]\n"icf-999" = "rule"', "fail  match: match.autonomy: no book has a clause icf-999"),
        ("web", 'pin_file = "/nowhere/pin"', "fail  umpire's page: /nowhere/pin: there is no such file. Fix:"),
        ("camera", 'kind = "v4l2"\ndevice = "/dev/nowhere"\ncalibration = "/nowhere"', "fail  calibration: /nowhere:"),
        ("camera", 'kind = "v4l2"\ndevice = "/dev/nowhere"', "fail  camera: camera /dev/nowhere: no such device."),
        ("camera", 'kind = "folder"\npath = "/nowhere"', "fail  camera: "),
        ("pockets", 'kind = "serial"\nport = "/dev/nowhere"', "fail  pocket node: /dev/nowhere: nobody says hello."),
        ("panel", 'kind = "rpi"\nlamp = 4\nbuzzer = 4', "fail  panel: line 4 is used twice. Fix:"),
        ("panel", 'kind = "rpi"\nbuttons = {siren = 4}', "fail  panel: panel.buttons.siren: no such button."),
        ("evidence", 'folder = "/proc/kept"', "fail  evidence: /proc/kept: cannot be written (No such file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_with_a_fix(folder, capsys, monkeypatch, section, text, line) -> None:
    monkeypatch.setattr("controller.commands.check_pockets.HELLO_S", 0.1)
    code, out = checked(folder, capsys, **{section: text})
    (said,) = [one for one in out.splitlines() if one.startswith(line)]
    assert code == 1
    assert "Fix:" in said
    assert "watching: " in out or section == "match", "one part cannot stop the others"


@pytest.mark.live
def test_a_card_that_became_read_only_is_not_a_matter_of_rights(folder, capsys, monkeypatch) -> None:
    """The kernel refuses the administrator, too: asking as another user helps nothing."""
    state, touch, access, statvfs = folder / "state", Path.touch, os.access, os.statvfs

    def worn(path: Path, *more, **named) -> None:
        if path.is_relative_to(state):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        touch(path, *more, **named)

    monkeypatch.setattr(Path, "touch", worn)
    monkeypatch.setattr(os, "access", lambda path, how: not (path == state and how == os.W_OK) and access(path, how))

    def flagged(path: Path) -> os.statvfs_result:
        real = statvfs(path)
        return os.statvfs_result([*real[:8], real.f_flag | os.ST_RDONLY, *real[9:]]) if path == state else real

    monkeypatch.setattr(os, "statvfs", flagged)
    code, out = checked(folder, capsys)
    assert code == 1
    (line,) = [line for line in out.splitlines() if line.startswith("fail")]
    assert line.startswith(f"fail  disk: {state}: cannot be written (Read-only file system). Fix: another card")


@pytest.mark.live
@pytest.mark.parametrize(
    ("pin", "state", "says"), [("", "fail", "is empty"), ("4711", "warn", "can be guessed"), ("471100", "ok", "PIN in")]
)
def test_a_pin_that_is_guessed_soon_is_said(folder, capsys, pin, state, says) -> None:
    (folder / "pin").write_text(pin)
    code, out = checked(folder, capsys)
    assert code == (state == "fail")
    assert any(line.startswith(f"{state:<5} umpire's page: ") and says in line for line in out.splitlines())


@pytest.mark.live
def test_a_pin_that_anybody_may_write_fails(folder, capsys) -> None:
    (folder / "pin").write_text("471100")
    (folder / "pin").chmod(0o646)
    code, out = checked(folder, capsys)
    assert code == 1
    assert f"fail  umpire's page: {folder / 'pin'}: anybody may write it, and be umpire. Fix: chmod o-w " in out


@pytest.mark.live
def test_evidence_on_the_journals_device_is_a_warning(folder, capsys) -> None:
    code, out = checked(folder, capsys, evidence=f'folder = "{folder / "kept"}"')
    assert code == 0
    assert "warn  evidence: " in out
    assert "on the journal's device" in out


def test_no_configuration_is_exit_code_two(folder, capsys) -> None:
    assert main(["check", "--config", str(folder / "none.toml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# -- the computer


def test_a_disk_that_is_slow_to_save_is_said(folder) -> None:
    clock = iter(range(1000))
    times = commit_times(folder, sync=lambda _file: None, now=lambda: next(clock) * 0.15)
    assert times == pytest.approx([0.15] * len(times))
    assert list(folder.glob(".carrom*")) == []
    slow, well = (keeps_up(folder, 2**30, seconds) for seconds in (times, [0.01, 0.02, 0.5]))
    assert (slow.state, well.state) == ("warn", "ok")
    assert "a write is safe after 150 ms, 150 at most: rulings will lag. Fix: a card rated A2" in slow.says
    assert "safe after 20 ms, 500 at most" in well.says


@pytest.mark.live
def test_the_check_tries_the_journals_disk(folder, capsys) -> None:
    _, out = checked(folder, capsys)
    assert re.search(
        rf"(ok   |warn ) disk: {folder}/state: \d+ MB free, a write is safe after \d+ ms, \d+ at most", out
    )


@pytest.mark.live
@pytest.mark.parametrize(
    ("free_mb", "ring_mb", "kept_mb", "line"),
    [
        (
            196,
            256,
            0,
            "warn  disk: {run}: 196 MB free, so the latest pictures get 147 MB of 256: clips may lack their beginning. "
            "Fix: lower camera.ring_mb, or a computer with more memory",
        ),
        (196, 140, 0, "ok    disk: {run}: 196 MB free"),
        (20, 4, 4, "ok    disk: {run}: 20 MB free"),
    ],
)
def test_the_ring_gets_what_the_runtime_folder_has_and_no_more(
    folder, capsys, monkeypatch, free_mb, ring_mb, kept_mb, line
) -> None:
    (folder / "run" / "pictures.ring").write_bytes(b"x" * kept_mb * 2**20)
    usage = SimpleNamespace(free=free_mb * 2**20)
    monkeypatch.setattr("controller.commands.check_computer.shutil.disk_usage", lambda _folder: usage)
    text = f'kind = "v4l2"\ndevice = "/dev/nowhere"\ncalibration = "/nowhere"\nring_mb = {ring_mb}'
    _, out = checked(folder, capsys, camera=text)
    assert line.format(run=folder / "run") in out.splitlines()


@pytest.mark.parametrize(
    ("bits", "says"),
    [
        (0x0, []),
        (0x1, ["too low now"]),
        (0x10000, ["too low since the start"]),
        (0x50005, ["too low now", "slowed down now"]),
        (0x80008, ["slowed down now"]),
        (0x20000, ["slowed down since the start"]),
    ],
)
def test_what_a_pi_says_of_its_supply_is_put_in_words(bits, says) -> None:
    told = list(power(bits))
    assert len(told) == len(says)
    assert all(word in line and "Fix:" in line for word, line in zip(says, told, strict=True))


def machine_that_says(folder: Path, millidegrees: str, alarm: str | None) -> Path:
    zone, sensor = folder / "sys/class/thermal/thermal_zone0", folder / "sys/class/hwmon/hwmon1"
    for place in (zone, sensor):
        place.mkdir(parents=True)
    (zone / "temp").write_text(millidegrees)
    if alarm is not None:
        (sensor / "name").write_text("rpi_volt\n")
        (sensor / "in0_lcrit_alarm").write_text(alarm)
    return folder / "sys"


@pytest.mark.parametrize(
    ("millidegrees", "alarm", "says"),
    [
        ("52300\n", "0\n", ["ok: 52 °C, no under-voltage"]),
        ("52300\n", None, ["ok: 52 °C, supply not told by this machine"]),
        ("84100\n", "1\n", ["warn: the supply's voltage is too low now.", "warn: 84 °C: it slows itself down."]),
        ("none", None, ["ok: temperature not told, supply"]),
    ],
)  # fmt: skip
def test_heat_and_supply_are_read_from_the_machine(folder, monkeypatch, millidegrees, alarm, says) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    system = machine_that_says(folder, millidegrees, alarm)
    told = [f"{found.state}: {found.says}" for found in probe_computer(Config(), system)]
    assert [line[: len(word)] for word, line in zip(says, told, strict=True)] == says


@pytest.mark.live
def test_a_pis_own_program_knows_what_was_since_the_start(folder, monkeypatch) -> None:
    program = folder / "vcgencmd"
    program.write_text("#!/bin/sh\necho throttled=0x50000\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    told = [found.says for found in probe_computer(Config(), machine_that_says(folder, "40000", "0"))]
    assert len(told) == 2
    assert told[0].startswith("the supply's voltage was too low since the start.")


def test_messages_name_keys_that_exist() -> None:
    """Whatever «Fix:» names as `section.key` or `[section] key` is a key of the configuration."""
    root = Path(__file__).parents[2] / "controller"
    unknown = []
    for file in root.rglob("*.py"):
        text = re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8"))
        for fix in re.findall(r"Fix: ([^\n]*)", text):
            for section, key in re.findall(r"\[(\w+)\] ([a-z_]+)", fix) + re.findall(r"\b(\w+)\.([a-z_]+)\b", fix):
                model_ = Config.model_fields.get(section)
                if model_ is None or model_.annotation is None or f"{section}.{key}" == "journal.sqlite":
                    if f"[{section}]" in fix:
                        unknown.append(f"{file.name}: [{section}]")
                    continue
                if key not in model_.annotation.model_fields:
                    unknown.append(f"{file.name}: {section}.{key}")
    assert unknown == []


@pytest.mark.live
def test_the_check_leaves_nothing_behind(folder, capsys) -> None:
    before = sorted((folder / "state").iterdir())
    checked(folder, capsys)
    assert sorted((folder / "state").iterdir()) == before


@pytest.mark.parametrize(
    ("told", "unix", "state", "says"),
    [
        ("yes", 1.8e9, "ok", "set by the network"),
        ("no", 1.8e9, "warn", "Fix: connect it to the net"),
        ("", 1.8e9, "ok", "does not tell"),
        ("yes", 1.6e9, "fail", "it is 2020-09-13 here"),
    ],
)
def test_a_clock_that_nobody_sets_is_said(told: str, unix: float, state: str, says: str) -> None:
    (found,) = probe_clock(Config(), lambda: told, lambda: unix)
    assert (found.state, says in found.says) == (state, True)
