"""Real mosquittos on the files that `carrom broker` makes."""

from __future__ import annotations

import re
import shutil

import pytest

from controller.cli import main
from tests.mqtt.broker import Mosquitto, free_port

LIST = """
[[table]]
id = "table1"

[[table]]
id = "table2"

[[person]]
name = "asha"
role = "umpire"

[[person]]
name = "ben"
role = "umpire"
tables = ["table2"]

[[person]]
name = "sec"
role = "secretary"

[[person]]
name = "hall"
role = "hub"

[[person]]
name = "desk"
role = "referees"

[[person]]
name = "house"
role = "homeassistant"
"""


def made(folder, text):
    """Makes the files in `folder/broker`."""
    (folder / "club.toml").write_text(text)
    assert main(["broker", str(folder / "club.toml"), "--out", str(folder / "broker")]) == 0


class MadeBroker(Mosquitto):
    """A mosquitto on one machine's files: as written, but for the folder and the ports of this test."""

    def __init__(self, files, folder, club_port=0):
        (folder / "conf.d").mkdir(parents=True)
        super().__init__(folder)
        for file in files.iterdir():
            shutil.copy(file, folder / file.name)
        settings = (folder / "carrom.conf").read_text().replace("/etc/mosquitto", str(folder))
        self.tls_port = free_port()
        for port, here in ((1883, self.port), (8883, self.tls_port), (9001, free_port())):
            settings = re.sub(rf"(?m)^listener {port}.*", f"listener {here} 127.0.0.1", settings)
        (folder / "conf.d" / "carrom.conf").write_text(settings)
        if (folder / "carrom-bridge.conf").exists():
            bridge = (folder / "carrom-bridge.conf").read_text()
            (folder / "conf.d" / "carrom-bridge.conf").write_text(
                re.sub(r"(?m)^address .*", f"address 127.0.0.1:{club_port}", bridge)
            )
        self.file.write_text(
            f"user root\npersistence true\npersistence_location {folder}/\nlog_dest stderr\n"
            f"include_dir {folder}/conf.d\n"
        )
        self._passwords = next(place / "passwords" for place in files.parents if (place / "passwords").exists())

    def password(self, user):
        """What `carrom broker` made for this user."""
        return dict(line.split() for line in self._passwords.read_text().splitlines())[user]


@pytest.fixture
def broker(tmp_path):
    """The broker of a table that stands alone: what `carrom broker` wrote, included as Debian's mosquitto does."""
    made(tmp_path, LIST)
    one = MadeBroker(tmp_path / "broker" / "tables" / "table1", tmp_path / "run")
    one.start()
    yield one
    one.kill()
