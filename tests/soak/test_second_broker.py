"""A broker of another make: ejabberd, which speaks MQTT 5 and clusters. Rights, retained messages, calls, hub."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time

import pytest

from controller.commands.hub import Hub
from controller.config import WebSection
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Alert
from controller.mqtt.scoreboard import score
from tests.mqtt.broker import Listener, free_port
from tests.mqtt.rulings import INFO, ruling
from tests.patience import PATIENCE_S
from tests.web.client import Client

EJABBERD = shutil.which("ejabberdctl", path="/usr/sbin:/usr/bin")
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(EJABBERD is None or os.geteuid() != 0, reason="ejabberd is not installed, or this is not root"),
]
SETTINGS = """\
hosts: [localhost]
loglevel: warning
auth_method: [internal, anonymous]
anonymous_protocol: login_anon
acl:
  tables: {{user: [table1@localhost]}}
  umpires: {{user: [asha@localhost]}}
listen:
  - {{port: {port}, ip: "127.0.0.1", module: mod_mqtt}}
modules:
  mod_mqtt:
    match_retained_limit: infinity
    access_publish:
      "carrom/table1/call": [{{allow: umpires}}]
      "carrom/table1/#": [{{allow: tables}}]
      "#": [deny]
"""
"""As in docs/broker.md."""
ANYBODY = {"user": "anybody", "password": "none"}


@pytest.fixture
def port(tmp_path):
    """A running ejabberd with a table and an umpire."""
    port, etc, spool = free_port(), tmp_path / "etc", tmp_path / "spool"
    for folder in (etc, spool, tmp_path / "logs"):
        folder.mkdir()
    shutil.copy("/etc/ejabberd/inetrc", etc)
    (etc / "ejabberd.yml").write_text(SETTINGS.format(port=port))
    for path in (tmp_path, *tmp_path.rglob("*")):
        shutil.chown(path, "ejabberd")
    # The broker gives up root's rights and must still find the way here.
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.geteuid() and parent.name:
            parent.chmod(parent.stat().st_mode | 0o011)
    control = [EJABBERD, "--config-dir", etc, "--node", f"n{port}@localhost", "--spool", spool]
    control += ["--logs", tmp_path / "logs"]
    broker = subprocess.Popen([*control, "foreground"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        subprocess.run([*control, "started"], check=True, timeout=PATIENCE_S)
        for user in ("table1", "asha"):
            subprocess.run([*control, "register", user, "localhost", f"{user} secret"], check=True)
        yield port
    finally:
        subprocess.run([*control, "stop"], check=False, timeout=PATIENCE_S)
        broker.wait(PATIENCE_S)


def test_table_umpire_display_and_hub_work_with_another_broker(port):
    acted, heard = [], threading.Event()

    def on_call(event, _by):
        acted.append(event)
        heard.set()
        return {"seq": 1, "event": event["event"]}

    table = TableClient(Broker("127.0.0.1", port, "table1", "table1 secret"), "table1", on_call=on_call)
    table.publish_score(score(ruling(), INFO, 1.0))
    table.start()
    assert table.wait_for(lambda state: state.connected, PATIENCE_S), table.state
    assert table.state.version == "5"
    display = Listener(port, "carrom/+/score", "carrom/+/availability", **ANYBODY)
    umpire = Listener(port, "carrom/#", user="asha", password="asha secret")
    try:
        display.wait_for("carrom/table1/score")
        assert display.heard[0][2], "a late display gets what is retained, by a pattern too"
        for stranger, topic in ((display, "score"), (display, "call"), (umpire, "score")):
            assert stranger.publish(f"carrom/table1/{topic}", "{}", retain=True) != "Success"
        call = {"event": "pause", "id": "c-1", "t": time.time()}
        umpire.publish("carrom/table1/call", call, reply="carrom/table1/reply/x", correlation=b"7")
        assert '"event":"pause"' in umpire.wait_for("carrom/table1/reply/x")
        assert umpire.last_properties.CorrelationData == b"7"
        assert [event["event"] for event in acted] == ["pause"]
        table.publish_alert(Alert("ask-2", "ask", "Which piece fell in NE?", 1.0), standing=True)
        web = WebSection(host="127.0.0.1", port=0)
        with Hub(Broker("127.0.0.1", port, "anybody", "none"), web) as hub:
            assert next(rows for rows in Client(hub.port).tiles() if rows and rows[0]["lamp"] == "ask")[0]["online"]
        table.stop()
        display.wait_for("carrom/table1/availability", "offline")
    finally:
        table.stop()
        display.close()
        umpire.close()
