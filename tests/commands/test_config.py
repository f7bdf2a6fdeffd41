"""The configuration: what is wrong is said with file, line, key and the way out, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from controller.commands.init import configured, places_for
from controller.commands.questions import QUESTIONS, gather
from controller.config import Config, load_config
from controller.events.errors import ConfigError


def written(folder: Path, text: str) -> Path:
    path = folder / "carrom.toml"
    path.write_text(text)
    return path


def test_everything_may_be_left_out(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, "")) == Config()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('[table]\nid = "table1"\nnmae = "x"\n', 3, "unknown key table.nmae"),
        ("[web]\nport = 8080\n\n[camera]\nfps = -3\n", 5, "camera.fps = -3"),
        ("[nonsense]\nx = 1\n", 1, "unknown key nonsense"),
        ('[match.seats]\nsouth = "A"\nup = "B"\n', 3, "match.seats.up"),
        ('[table]\nid = "Table One"\n', 2, "table.id = 'Table One': must be of small letters a-z, figures and - alone"),
        ('[table]\nid = "Table1"\n', 2, "figures and - alone. Fix: correct the value"),
        ('[table]\nid = ""\n', 2, "table.id = '': must be of small letters"),
        ('[board]\npreset = "imperial"\n', 2, "board.preset = 'imperial'"),
        ('[mqtt]\nport = 1\nothers = ["a", "b:"]\n', 3, "mqtt.others.1 = 'b:': is no address; write \"10.0.0.3\", "),
        ('[mqtt]\nothers = ["10.0.0.3:65536"]\n', 2, "mqtt.others.0 = '10.0.0.3:65536': is no address"),
        ('[mqtt]\nothers = ["fd00::3"]\n', 2, "mqtt.others.0 = 'fd00::3': is no address"),
        ('[mqtt]\nothers = ["mqtt://a"]\n', 2, "mqtt.others.0 = 'mqtt://a': is no address"),
        ('[mqtt]\nothers = "10.0.0.3"\n', 2, "mqtt.others = '10.0.0.3'"),
        ("[board]\nside_mm = 740\npocket_radius_mm = 9.0\n", 3, "board.pocket_radius_mm = 9"),
        ("[board]\nouter_line_mm = [106, 101]\n", 2, "board.outer_line_mm = [106.0, 101.0]"),
    ],
)
def test_an_error_names_file_line_and_key(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert says in message
    assert "Fix:" in message
    assert "\n" not in message


def test_broken_toml_and_missing_files_are_one_line_too(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is no TOML.*line 2"):
        load_config(written(tmp_path, "[table]\nid = \n"))
    with pytest.raises(ConfigError, match="there is no such file"):
        load_config(tmp_path / "nowhere.toml")


def test_a_credential_of_the_service_manager_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "umpire-pin").write_text("123456")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config = load_config(written(tmp_path, '[web]\npin_file = "/elsewhere"\n'))
    assert config.web.pin_file == tmp_path / "umpire-pin"


def test_a_blank_credential_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "umpire-pin").write_text("\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config = load_config(written(tmp_path, '[web]\npin_file = "/elsewhere"\n'))
    assert config.web.pin_file == Path("/elsewhere")


@pytest.mark.parametrize(("name", "there", "kept"), [
    ("mqtt-password", False, False),
    ("mqtt-password", True, True),
    ("other", False, True),
])  # fmt: skip
def test_play_does_not_wait_for_a_brokers_password_that_nobody_has_written(
    name: str, there: bool, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed, own = tmp_path / "handed", tmp_path / name
    handed.mkdir()
    (handed / "mqtt-password").write_text("\n")
    if there:
        own.write_text("secret")
    path = written(tmp_path, f'[mqtt]\nuser = "table1"\npassword_file = "{own}"\n')
    assert load_config(path).mqtt.password_file == own, "typed by a person it is read, and its absence said"
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(handed))
    assert load_config(path).mqtt.password_file == (own if kept else None)


def test_what_init_writes_for_the_services_they_can_use() -> None:
    """The units may write below their own folders alone, and hand over the PIN from the file that they name."""
    unit = (Path(__file__).parents[2] / "systemd" / "carrom.service").read_text()
    at = places_for(Path(re.search(r"--config (\S+)", unit)[1]))
    assert at.state == Path("/var/lib", re.search(r"(?m)^StateDirectory=(\S+)", unit)[1])
    assert at.runtime == Path("/run", re.search(r"(?m)^RuntimeDirectory=(\S+)", unit)[1])
    assert f"LoadCredential={at.pin.name}:{at.pin}\n" in unit
    for name in re.findall(r"(?m)^LoadCredential=([\w-]+):", unit):
        assert f"\nSetCredential={name}:\\n\n" in unit, "a service must start though nobody made this file"
    assert configured({key: default for key, _, default in QUESTIONS}, at).camera.calibration.parent == at.state


@pytest.mark.live
def test_the_program_says_one_line_and_exits_2(tmp_path: Path) -> None:
    path = written(tmp_path, "[table]\nfoo = 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli", "check", "--config", str(path)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"{path}:2: unknown key table.foo" in done.stderr


def test_init_asks_how_to_reach_a_broker_elsewhere(tmp_path: Path) -> None:
    told = {key: default for key, _, default in QUESTIONS} | {"broker": "hall.example"}
    more = {"broker_user": "table1", "broker_tls": str(tmp_path / "ca.pem")}
    assert gather(lambda key: (told | more)[key])["broker_user"] == "table1"
    made = configured(told | more, places_for(tmp_path / "carrom.toml")).mqtt
    assert (made.host, made.port, made.user, made.tls) == ("hall.example", 8883, "table1", True)
    assert made.ca_file == tmp_path / "ca.pem"
    assert made.password_file == tmp_path / "carrom.mqtt-password"
    public = configured(told | more | {"broker_tls": "system"}, places_for(tmp_path / "carrom.toml")).mqtt
    assert (public.tls, public.ca_file) == (True, None)
    plain = configured(told, places_for(tmp_path / "carrom.toml")).mqtt
    assert (plain.port, plain.tls, plain.user) == (1883, False, "")


@pytest.mark.live
def test_init_writes_what_can_be_read_and_support_tells_no_secret(tmp_path: Path) -> None:
    def carrom(*words: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "controller.cli", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            input=answers,
        )

    done = carrom("init", answers="hall-3\nclub\nAsha\nBen\nmjpeg\nnone\n\n")
    assert done.returncode == 0, done.stderr
    config = load_config(tmp_path / "carrom.toml")
    assert (config.table.id, config.match.book, config.camera.kind) == ("hall-3", "club", "mjpeg")
    assert config.match.seats == {"south": "Asha", "north": "Ben"}
    pin = (tmp_path / "carrom.pin").read_text().strip()
    assert len(pin) == 6
    assert (tmp_path / "carrom.pin").stat().st_mode & 0o077 == 0
    again = carrom("init", "--yes")
    assert again.returncode == 2
    assert "is there already" in again.stderr

    text = (tmp_path / "carrom.toml").read_text()
    secretive = 'host = "http://me:hush@broker"\nuser = "umpired"'
    (tmp_path / "carrom.toml").write_text(text.replace('host = "localhost"', secretive))
    assert carrom("support", "--config", "carrom.toml").returncode == 0
    with tarfile.open(tmp_path / "carrom-support.tar.gz") as archive:
        for member in archive.getmembers():
            body = archive.extractfile(member)
            assert body is not None
            text = body.read().decode()
            assert "hush" not in text
            assert "umpired" not in text
            assert pin not in text
