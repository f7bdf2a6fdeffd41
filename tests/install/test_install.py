"""The installer, on a machine that is a folder: what it makes agrees with the units, and it leaves no trace."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from installer import layout, steps
from installer.__main__ import main
from installer.machine import InstallError, Machine
from installer.steps import Installation

from controller.config import load_config
from tests.install.debian import CARROM, everything, install

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]


def units(features: tuple[layout.Feature, ...] = layout.FEATURES) -> dict[str, str]:
    return {name: (ROOT / "systemd" / name).read_text() for name in layout.services(features)}


def test_a_second_run_changes_nothing_and_removal_leaves_no_trace(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(machine)
    folders = {path for path in machine.rglob("*") if path.is_dir()}
    assert install(machine, "--table", "hall-3", "--hub", "--kiosk") == 0
    first = everything(machine)
    capsys.readouterr()
    assert install(machine) == 0
    assert capsys.readouterr().out == "everything is as it should be; nothing was changed\n"
    assert everything(machine) == first
    assert main(["--root", str(machine), "--remove"]) == 0
    assert everything(machine) == before
    assert {path for path in machine.rglob("*") if path.is_dir()} == folders
    assert main(["--root", str(machine), "--remove"]) == 0
    assert "nothing of Carrom Umpire is installed here" in capsys.readouterr().out


def test_the_table_can_use_what_was_made_for_it(machine: Path) -> None:
    assert install(machine, "--table", "hall-3") == 0
    config = load_config(machine / "etc/carrom/carrom.toml")
    assert (config.table.id, config.mqtt.user) == ("hall-3", "hall-3")
    assert (str(config.table.state), str(config.table.runtime)) == (layout.STATE, layout.RUNTIME)
    known = dict(line.split() for line in (machine / "etc/carrom/passwords").read_text().splitlines())
    assert known.keys() == {"hall-3", "umpire"}
    assert (machine / "etc/carrom/mqtt-password").read_text().strip() == known["hall-3"]
    assert config.mqtt.password_file == Path("/etc/carrom/mqtt-password")
    assert config.web.pin_file == Path("/etc/carrom/umpire-pin")
    assert re.fullmatch(r"\d{6}\n", (machine / "etc/carrom/umpire-pin").read_text())
    for secret in ("umpire-pin", "mqtt-password", "passwords"):
        assert (machine / "etc/carrom" / secret).stat().st_mode & 0o077 == 0, secret
    assert (machine / "etc/mosquitto/carrom.passwd").stat().st_mode & 0o007 == 0


def test_all_that_the_units_name_is_made(machine: Path) -> None:
    assert install(machine, "--hub", "--kiosk") == 0
    sysusers = (machine / "etc/sysusers.d/carrom.conf").read_text()
    users = set(re.findall(r"(?m)^u (\S+)", sysusers))
    # sysusers makes a group of the same name for each user.
    groups = set(re.findall(r"(?m)^g (\S+)", sysusers)) | users
    for name, text in units().items():
        installed = machine / "etc/systemd/system" / name
        assert installed.read_text() == text
        assert (installed.parent / "multi-user.target.wants" / name).is_symlink()
        assert set(re.findall(r"(?m)^User=(\S+)", text)) <= users, name
        wanted = re.findall(r"(?m)^(?:Group|SupplementaryGroups)=(.*)", text)
        assert set(" ".join(wanted).split()) <= groups, name
        for path in re.findall(r"--config (\S+)", text):
            assert (machine / path.lstrip("/")).is_file(), f"{name}: {path}"
        programs = re.findall(r"(?m)^ExecStart=(\S+)", text)
        assert programs in ([layout.PROGRAM], ["/usr/bin/cage"]), name
        for credential, path in re.findall(r"(?m)^LoadCredential=([\w-]+):(\S+)", text):
            assert path.startswith(layout.SETTINGS_FOLDER)
            assert f"SetCredential={credential}:" in text, f"{name} must start without {path}"
        for pam in re.findall(r"(?m)^PAMName=(\S+)", text):
            assert (machine / "etc/pam.d" / pam).is_file()
        for kind, folder in (("State", "/var/lib"), ("Runtime", "/run"), ("Configuration", "/etc")):
            for made in re.findall(rf"(?m)^{kind}Directory=(\S+)", text):
                known = {layout.STATE, layout.HUB_STATE, layout.KIOSK_STATE, layout.RUNTIME, layout.SETTINGS_FOLDER}
                assert f"{folder}/{made}" in known
    assert (machine / "usr/local/bin/carrom").readlink() == Path(layout.PROGRAM)
    for link in (layout.CURRENT, f"{layout.HOME}/.venv"):
        assert (machine / link.lstrip("/")).is_symlink()
    for credential in ("mqtt-password", "umpire-pin"):
        assert f"LoadCredential={credential}:/etc/carrom/{credential}" in units()["carrom.service"]
        assert (machine / "etc/carrom" / credential).is_file()


def test_what_is_run_on_a_real_machine_installs_only_the_tables_lock(machine: Path) -> None:
    noted = Machine(machine, staged=True, say=lambda _text: None)
    Installation(noted, program=CARROM).install({"table"}, "table1", None, ask=False)
    words = [" ".join(command) for command in noted.skipped]
    assert any(line.startswith("apt-get install") and line.endswith("mosquitto python3-venv") for line in words)
    assert any("--require-hashes" in line and line.endswith("requirements-pi.lock") for line in words)
    assert any(line == "systemd-sysusers /etc/sysusers.d/carrom.conf" for line in words)
    lock = (ROOT / "requirements-pi.lock").read_text()
    assert "amqtt" not in lock, "the demo's broker has no place on a table"


def test_an_upgrade_keeps_settings_and_passwords_and_the_version_before(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install(machine) == 0
    config = machine / "etc/carrom/carrom.toml"
    mine = config.read_text().replace('"South"\n', '"Asha"  # plays on Fridays\n')
    config.write_text(mine)
    kept = {name: (machine / "etc/carrom" / name).read_text() for name in ("passwords", "umpire-pin", "mqtt-password")}
    versions = machine / "opt/carrom/versions"
    (old,) = (path.name for path in versions.iterdir())
    for new in ("111111111111", "222222222222"):
        monkeypatch.setattr(layout, "version_of", lambda new=new: new)
        assert install(machine) == 0
    assert str((machine / "opt/carrom/current").readlink()) == "versions/222222222222"
    assert {path.name for path in versions.iterdir()} == {"111111111111", "222222222222"}
    assert old not in {path.name for path in versions.iterdir()}
    assert config.read_text() == mine
    assert {name: (machine / "etc/carrom" / name).read_text() for name in kept} == kept


def test_the_table_is_checked_after_an_upgrade_and_only_then(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version, checked in (("1" * 12, 0), ("1" * 12, 0), ("2" * 12, 1), ("2" * 12, 0)):
        monkeypatch.setattr(layout, "version_of", lambda version=version: version)
        noted = Machine(machine, staged=True, say=lambda _text: None)
        Installation(noted, program=CARROM).install({"table"}, "table1", None, ask=False)
        assert noted.skipped.count((CARROM, "check", "--config", layout.CONFIG)) == checked


@pytest.mark.parametrize(
    ("wrote", "code", "says"),
    [
        ("ok    configuration: x\nok    camera: fail is no word here", 0, "nothing"),
        ("ok    configuration: x\nwarn  clock: y", 0, "1 finding"),
        ("fail  calibration: x\nwarn  clock: y\nok    disk: z", 1, "2 findings"),
        ("Traceback (most recent call last):", 2, "it did not come to its end"),
        (None, 0, "it did not come to its end"),
    ],
    ids=["all is well", "one warning", "two findings", "it fails", "it is not there"],
)
def test_what_the_check_finds_is_counted_and_fails_no_upgrade(
    machine: Path, monkeypatch: pytest.MonkeyPatch, wrote: str | None, code: int, says: str
) -> None:
    program, said = machine.parent / "carrom", []
    if wrote is not None:
        program.write_text(f"#!/bin/sh\ncat <<'.'\n{wrote}\n.\nexit {code}\n")
        program.chmod(0o755)
    monkeypatch.setattr(Machine, "manages_services", True)
    monkeypatch.setattr(steps, "SETTLED_S", 0.0)
    Installation(Machine(machine, staged=False, say=said.append), program=str(program)).check()
    assert said == [f"after this upgrade `carrom check` says: {says}. To see it: sudo carrom check"]


def test_an_interrupted_run_is_made_good(machine: Path) -> None:
    assert install(machine) == 0
    whole = everything(machine)
    (version,) = (machine / "opt/carrom/versions").iterdir()
    (version / "complete").unlink()
    (version / "source/pyproject.toml").write_text("half")
    (machine / "opt/carrom/current").unlink()
    assert install(machine) == 0
    assert everything(machine) == whole


def test_an_old_configuration_is_brought_up_to_date_with_a_copy_and_a_note(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `carrom init` wrote before there were versions: state and PIN where the services cannot use them."""
    assert install(machine) == 0
    config = machine / "etc/carrom/carrom.toml"
    old = (
        "# our table, by the window\n[table]\nid = \"table1\"  # as on the door\nstate = '/etc/carrom/state'\n"
        'runtime = "/etc/carrom/run"\n\n[camera]\ncalibration = "/etc/carrom/state/calibration.json"\n\n'
        '[web]\npin_file = "/etc/carrom/carrom.pin"\n'
    )
    config.write_text(old)
    capsys.readouterr()
    assert install(machine) == 0
    said = capsys.readouterr().out
    assert "[table] state = /var/lib/carrom (was /etc/carrom/state" in said
    assert (machine / "etc/carrom/carrom.toml.1.old").read_text() == old
    text = config.read_text()
    assert text.startswith("# our table, by the window\n[format]\nversion = 1\n\n[table]\n")
    assert "# as on the door" in text
    made = load_config(config)
    assert (str(made.table.state), str(made.table.runtime)) == (layout.STATE, layout.RUNTIME)
    assert (str(made.camera.calibration), str(made.web.pin_file)) == (
        "/var/lib/carrom/calibration.json",
        "/etc/carrom/umpire-pin",
    )
    assert install(machine) == 0
    assert "nothing was changed" in capsys.readouterr().out


def test_what_others_wrote_is_kept_and_put_back(machine: Path) -> None:
    theirs = machine / "etc/mosquitto/conf.d/carrom.conf"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("max_connections 7\n")
    before = everything(machine)
    assert install(machine) == 0
    assert theirs.with_name("carrom.conf.before-carrom").read_text() == "max_connections 7\n"
    acl = machine / "etc/mosquitto/carrom.acl"
    acl.write_text(acl.read_text() + "user eve\ntopic carrom/#\n")
    assert install(machine) == 0
    assert "user eve" not in acl.read_text()
    assert "user eve" in acl.with_name("carrom.acl.edited").read_text()
    assert main(["--root", str(machine), "--remove"]) == 0
    assert everything(machine) == before


def test_another_carrom_on_the_path_stays(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = machine / "usr/local/bin/carrom"
    theirs.write_text("a game")
    before = everything(machine)
    assert install(machine) == 0
    assert "/usr/local/bin/carrom is somebody else's" in capsys.readouterr().out
    assert main(["--root", str(machine), "--remove"]) == 0
    assert everything(machine) == before


SIMULATED = (
    "Inst python3 (3.11 Debian [amd64])\nInst libc6 [2.35] (2.36 Debian [amd64])\nInst media-types (10 Debian [all])"
)
"""One package is there already and would be a newer one."""


def without_python(folder: Path, *, cut: bool) -> subprocess.CompletedProcess[str]:
    """Runs the script on a machine without Python, whose commands are these; the installer itself is not reached.

    `cut`: the power goes while Python is brought.
    """
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    brings = "exit 1" if cut else f"cp {folder}/python {programs}/python3"
    scripts = {
        "id": "#!/bin/sh\necho 0\n",
        "sync": "#!/bin/sh\n",
        "dpkg": f"#!/bin/sh\necho $* >> {folder}/dpkg\n",
        "apt-get": f"#!/bin/sh\ncase $* in *--simulate*) echo '{SIMULATED}' ;; install*) {brings} ;; esac\n",
    }
    (folder / "python").write_text("#!/bin/sh\n")
    for name, script in scripts.items():
        (programs / name).write_text(script)
    for place in (*(programs / name for name in scripts), folder / "python"):
        place.chmod(0o755)
    for needed in ("sh", "cp", "dirname", "sed", "mkdir", "mv", "rm"):
        if not (programs / needed).exists():
            (programs / needed).symlink_to(
                f"/bin/{needed}" if Path(f"/bin/{needed}").exists() else f"/usr/bin/{needed}"
            )
    told = {
        "PATH": str(programs),
        "CARROM_BROUGHT": f"{folder}/notes/brought",
        "CARROM_APT_LISTS": f"{folder}/lists",
    }
    return subprocess.run(["/bin/sh", str(ROOT / "install")], env=told, capture_output=True, text=True)


def test_the_script_notes_what_it_brings(tmp_path: Path) -> None:
    done = without_python(tmp_path, cut=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "notes/brought").read_text() == "python3\nmedia-types\n"


def test_what_the_script_was_bringing_when_the_power_went_is_noted(tmp_path: Path) -> None:
    assert without_python(tmp_path, cut=True).returncode != 0
    # A part of it is there, and apt does not count it as new any more.
    shutil.copy(tmp_path / "python", tmp_path / "bin/python3")
    done = without_python(tmp_path, cut=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert set((tmp_path / "notes/brought").read_text().split()) == {"python3", "media-types"}
    assert (tmp_path / "dpkg").read_text() == "--configure -a\n"


@pytest.mark.parametrize("cut", [True, False])
def test_lists_that_a_power_cut_may_have_cut_off_are_fetched_anew(tmp_path: Path, cut: bool) -> None:
    listed = tmp_path / "lists/deb_Packages"
    listed.parent.mkdir()
    listed.touch()
    without_python(tmp_path, cut=cut)
    assert listed.exists()
    without_python(tmp_path, cut=False)
    assert listed.exists() != cut


@pytest.mark.parametrize("cut", [True, False])
def test_the_installer_has_such_lists_fetched_anew_too(
    machine: Path, monkeypatch: pytest.MonkeyPatch, cut: bool
) -> None:
    programs, listed = machine.parent / "bin", machine / "var/lib/apt/lists/deb_Packages"
    programs.mkdir()
    listed.parent.mkdir(parents=True)
    listed.touch()
    for name, script in {"dpkg-query": "", "apt-get": "exit 7"}.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    monkeypatch.setattr(Machine, "manages_services", False)
    installation = Installation(Machine(machine, staged=False))
    # It says of before a run was cut off what users and groups there were.
    installation.record.there = {"passwd": [], "group": []} if cut else {}
    with pytest.raises(InstallError, match="apt-get update"):
        installation.install({"kiosk"}, "", None, ask=False, page="http://a/")
    assert listed.exists() != cut


def test_files_that_carrom_broker_made_are_installed_and_stay(machine: Path, tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text('[club]\nhost = "club.local"\n[[table]]\nid = "a"\n[[table]]\nid = "b"\n')
    made = tmp_path / "broker"
    assert subprocess.run([CARROM, "broker", str(tmp_path / "club.toml"), "--out", str(made)]).returncode == 0
    assert install(machine, "--table", "b", "--broker", str(made / "tables/b")) == 0
    bridge = machine / "etc/mosquitto/conf.d/carrom-bridge.conf"
    assert "connection b\naddress club.local:1883\n" in bridge.read_text()
    assert bridge.stat().st_mode & 0o007 == 0
    assert load_config(machine / "etc/carrom/carrom.toml").mqtt.user == "b"
    first = everything(machine)
    assert install(machine) == 0, "without the folder, what it made stays"
    assert everything(machine) == first
    assert main(["--root", str(machine), "--remove"]) == 0
    assert not (machine / "etc/mosquitto").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--table", "Table 1"], "--table Table 1: only a-z"),
        (["--broker", "/nonexistent"], "is no folder that `carrom broker` made"),
    ],
)
def test_what_cannot_be_is_one_line(
    machine: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert install(machine, *words) == 2
    line = capsys.readouterr().err
    assert says in line
    assert "Fix:" in line
    assert line.count("\n") == 1


def test_another_system_is_refused_before_anything_is_changed(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (machine / "etc/os-release").write_text("ID=fedora\n")
    before = everything(machine)
    assert install(machine) == 2
    assert "neither Debian nor Raspberry Pi OS" in capsys.readouterr().err
    assert everything(machine) == before


def test_a_record_that_cannot_be_used_is_one_line(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("{", json.dumps({"version": 99}), json.dumps({"nonsense": 1}), "[]"):
        (machine / "var/lib/carrom-install").mkdir(parents=True, exist_ok=True)
        (machine / "var/lib/carrom-install/record.json").write_text(text)
        assert install(machine) == 2
        assert "record.json: cannot be used" in capsys.readouterr().err


def test_it_needs_nothing_but_the_standard_library() -> None:
    """It runs before anything is installed: without the packages of this environment."""
    done = subprocess.run(
        ["sh", str(ROOT / "install"), "--help"],
        env={"PATH": "/usr/bin:/bin", "PYTHONNOUSERSITE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    code = (
        "import sys; sys.path.append('systemd'); import installer.__main__; "
        "print(*sorted(m for m in sys.modules if 'site-packages' in str(getattr(sys.modules[m], '__file__', ''))))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
