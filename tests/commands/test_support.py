"""The support archive: what helps is in it, and no secret, wherever somebody or something had left one."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from controller.cli import main
from controller.commands.support_sieve import Sieve
from controller.journal import Journal
from controller.web.app import create_app
from controller.web.server import WebServer
from tests.web.pretend import PretendTable

pytestmark = pytest.mark.live

PIN, BROKER, TOKEN, CODE = "730194", "hush-hush-42", "s3cr3tcookie", "onetime99"
PLANTED = (PIN, BROKER, TOKEN, CODE, "wirepass")


def opened(file: Path) -> dict[str, str]:
    """The archive's texts by name, read as what its name says it is."""
    if file.name.endswith(".zip"):
        with zipfile.ZipFile(file) as archive:
            return {Path(name).name: archive.read(name).decode() for name in archive.namelist()}
    with tarfile.open(file, "r:gz") as archive:
        found = {}
        for member in archive.getmembers():
            body = archive.extractfile(member)
            assert body is not None
            found[Path(member.name).name] = body.read().decode()
        return found


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table's folder with secrets in every file that it has; returns its configuration."""
    state, tools = tmp_path / "state", tmp_path / "bin"
    for folder in (state, tmp_path / "run", tools):
        folder.mkdir()
    (tmp_path / "pin").write_text(f"{PIN}\n")
    (tmp_path / "broker.password").write_text(BROKER)
    (state / "sessions.json").write_text(json.dumps({"sessions": [{"token": TOKEN}]}))
    with Journal(state / "journal.sqlite") as journal:
        seats = {"south": "Asha Patil", "north": "Ben"}
        start = {"event": "start", "book": "icf", "seats": seats}
        journal.append("m", 1, start, {"seq": 1, "event": "start"}, 1.0, "configuration")
        notes = {"event": "shot", "seat": "south", "notes": f"Asha Patil said {PIN}", "reason": "a word of Ben's"}
        journal.append("m", 2, notes, {"seq": 2, "event": "shot", "says": "Ben is due"}, 2.0, "eyes")
    # Stands for the machine's journal: what it prints is what a program or a person had logged.
    (tools / "journalctl").write_text(
        "#!/bin/sh\ncat <<'END'\n"
        f'carrom[1]: level=warning says="refused /join?code={CODE} from 10.0.0.2"\n'
        f"carrom[1]: Cookie: carrom_umpire_table1={TOKEN}; carrom_browser={TOKEN}\n"
        f"carrom[1]: mqtt://me:{BROKER}@broker refused; password = {BROKER}\n"
        f"carrom[1]: somebody typed {PIN} into the name's field; Asha Patil plays\n"
        "END\n"
    )
    (tools / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    config = tmp_path / "carrom.toml"
    config.write_text(
        f'# the PIN is {PIN}\n[table]\nstate = "{state}"\nruntime = "{tmp_path}/run"\nplayers_shown = "initials"\n'
        '[match]\nseats = { south = "Asha Patil", north = "Ben" }\n'
        f'[camera]\nkind = "mjpeg"\nurl = "http://cam:wirepass@10.0.0.9/video"\ncalibration = "{tmp_path}/c.json"\n'
        f'[mqtt]\nuser = "hall-user"\npassword_file = "{tmp_path}/broker.password"\n'
        f'[web]\npin_file = "{tmp_path}/pin"\n'
    )
    return config


@pytest.mark.parametrize("name", ["s.tar.gz", "s.tgz", "s.zip"])
def test_no_secret_is_in_it_and_what_helps_is(table: Path, name: str) -> None:
    out = table.parent / name
    assert main(["support", "--config", str(table), "--out", str(out)]) == 0
    assert out.stat().st_mode & 0o077 == 0
    parts = opened(out)
    for part, text in parts.items():
        assert [secret for secret in PLANTED if secret in text] == [], part
    whole = "".join(parts.values())
    assert "Asha" not in whole
    assert "hall-user" not in whole
    assert "a word of" not in whole, "what people typed may name anybody"
    assert "refused /join" in parts["logs.txt"]
    assert "A. P. plays" in parts["logs.txt"]
    assert [json.loads(line)["seq"] for line in parts["strokes.jsonl"].splitlines()] == [1, 2]
    assert "the table does not answer" in parts["health.json"]
    assert 'players_shown = "initials"' in parts["carrom.toml"]
    assert "journal.sqlite" in parts["state-folder.txt"]
    assert json.loads(parts["versions.json"])["carrom"]


def test_players_are_told_by_their_seats_though_everybody_may_see_their_names(table: Path) -> None:
    table.write_text(table.read_text().replace('players_shown = "initials"\n', ""))
    out = table.parent / "s.zip"
    assert main(["support", "--config", str(table), "--out", str(out)]) == 0
    parts = opened(out)
    assert [name for name, text in parts.items() if "Asha" in text or "Patil" in text] == []
    assert "South plays" in parts["logs.txt"]
    assert json.loads(parts["strokes.jsonl"].splitlines()[0])["event"]["seats"]["south"] == "South"


LEAKS = {
    "a query": '[camera]\nkind = "mjpeg"\nurl = "http://10.0.0.9/video?user=viewer7&pwd=leak-1"\n',
    "a password cut in two": '[camera]\nkind = "mjpeg"\nurl = "http://viewer7:5432/leak-0@10.0.0.9/video"\n',
    "no address": '[camera]\nkind = "mjpeg"\nurl = "http://[viewer7:leak-0@10.0.0.9/"\n',
    "an option": '[camera]\nkind = "csi"\ncommand = ["/usr/bin/grab", "--password=leak-2", "-p", "leak-3"]\n',
    "a quoted key": '[mqtt]\n"user" = "leak-4"\n\'password_file\' = "/x"\n',
    "a remark": '# ask viewer7 for leak-5\n[table]\nid = "t"  # leak-6\n',
    "a key that is none": '[mqtt]\npassphrase = "leak-7"\n[nonsense]\nword = ["leak-8", {x = "leak-9"}]\n',
    "no TOML": '[mqtt]\nuser = leak-10\n"password" = "leak-11\n',
    "people": '[statistics]\nplayers = ["viewer7"]\n[hub]\nclub = "leak-12"\n',
}


@pytest.mark.parametrize("text", LEAKS.values(), ids=LEAKS)
def test_only_what_may_be_told_is_told_of_a_configuration(
    table: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor of what the log quotes of it."""
    table.write_text(text)
    quoted = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    (table.parent / "bin/journalctl").write_text("#!/bin/sh\ncat <<'END'\nbegins\n" + "\n".join(quoted) + "\nEND\n")
    out = table.parent / "s.zip"
    assert main(["support", "--config", str(table), "--out", str(out)]) == 0
    parts = opened(out)
    # Of a remark, or of a file that is no TOML, nothing says which words of a log come from it.
    unsaid = {"logs.txt"} if "#" in text or "leak-10" in text else set()
    found = {name: re.findall(r"leak-\d+|viewer7", part) for name, part in parts.items() if name not in unsaid}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "said",
    [
        "password: leak-1",
        "Wifi password:leak-1",
        "{'user': 'leak-1', 'password': 'it\\'s leak-1'}",
        '{"user": "leak-1", "api_key": "a \\" leak-1"}',
        "rtsp://10.0.0.9/live;user=leak-1;pwd=leak-1",
        "token: leak-1, refused",
        "curl --user leak-1:leak-1 http://10.0.0.9/",
    ],
)
def test_what_another_program_has_logged_of_its_own_secrets_stays_here(said: str) -> None:
    told = Sieve().text(f"camera[7]: {said} on port 80")
    assert "leak-1" not in told
    assert told.startswith("camera[7]: ")
    assert told.endswith(" on port 80"), "what helps is told"


def test_what_helps_is_told_of_a_configuration(table: Path) -> None:
    told = (
        '[match]\nbook = "club"\n[camera]\nkind = "mjpeg"\nurl = "http://me:word@10.0.0.9:8080/v?x=1"\nwidth = 1456\n'
        'keep_all = true\n[pockets]\nport = "/dev/ttyUSB0"\n[pockets.lines]\n"NE upper" = 3\n'
    )
    table.write_text(told)
    out = table.parent / "s.zip"
    assert main(["support", "--config", str(table), "--out", str(out)]) == 0
    text = opened(out)["carrom.toml"]
    for line in ('book = "club"', "http://10.0.0.9:8080/", "width = 1456", "keep_all = true", "/dev/ttyUSB0", "= 3"):
        assert line in text, line


def test_a_configuration_with_a_mistake_gives_an_archive_all_the_same(table: Path) -> None:
    table.write_text(table.read_text() + 'pin = "8462"\nhost = 5\n')
    out = table.parent / "s.zip"
    assert main(["support", "--config", str(table), "--out", str(out)]) == 0
    parts = opened(out)
    assert "8462" not in "".join(parts.values())
    assert "web" in parts["configuration-error.txt"]


def test_a_running_table_says_how_it_is(table: Path) -> None:
    shown = PretendTable()
    server = WebServer(create_app(shown), shown.feed, "127.0.0.1", 0)
    (table.parent / "state" / "http-port").write_text(f"{server.start()}\n")
    out = table.parent / "s.zip"
    try:
        assert main(["support", "--config", str(table), "--out", str(out)]) == 0
    finally:
        server.stop()
    assert json.loads(opened(out)["health.json"])["health"]["armed"] in ("armed", "degraded", "off")


def test_a_kind_of_file_that_it_cannot_write_is_refused(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["support", "--config", str(table), "--out", str(table.parent / "s.rar")]) == 2
    assert "Fix: name one that ends in .tar.gz, .tgz, .zip" in capsys.readouterr().err
    assert not (table.parent / "s.rar").exists()
