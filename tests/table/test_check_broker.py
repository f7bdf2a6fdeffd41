"""What `carrom check` finds of a broker: whether it is there, what it takes, who may write, its certificate's days."""

from __future__ import annotations

import re
import socket
import threading
from datetime import date

import pytest

from controller.mqtt import trial
from tests.mqtt.broker import Mosquitto
from tests.table.checking import checked


@pytest.mark.live
def test_a_broker_that_is_not_there_fails(folder, capsys) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code, out = checked(folder, capsys, mqtt=f'host = "127.0.0.1"\nport = {port}')
    assert code == 1
    assert f"fail  broker: 127.0.0.1:{port}" in out


@pytest.mark.broker
def test_a_broker_is_asked_who_may_write(folder, capsys) -> None:
    (folder / "broker").mkdir()
    broker = Mosquitto(folder / "broker").start()
    try:
        text = f'host = "127.0.0.1"\nport = {broker.port}'
        code, out = checked(folder, capsys, mqtt=text)
        assert code == 0
        assert f"ok    broker: 127.0.0.1:{broker.port}: MQTT 5, in the clear, as nobody" in out
        assert "warn  broker's rights: anybody may write on the broker: carrom/table1/call and " in out
        code, out = checked(folder, capsys, mqtt=f"{text}\nopen = true")
        assert "warn  broker" not in out
        (folder / "not-utf-8").write_bytes(b"\xff\xfe")
        code, out = checked(folder, capsys, mqtt=f'{text}\nuser = "x"\npassword_file = "{folder / "not-utf-8"}"')
        assert (code, "fail  broker: " in out) == (1, True)
        code, out = checked(folder, capsys, mqtt=f"{text}\ntls = true")
        assert (code, f"fail  broker: 127.0.0.1:{broker.port}: " in out) == (1, True)
        code, out = checked(folder, capsys, mqtt=f'{text}\nothers = ["127.0.0.1:1"]')
        assert code == 1
        assert f"ok    broker: 127.0.0.1:{broker.port}: " in out
        assert "fail  broker: 127.0.0.1:1: " in out
    finally:
        broker.kill()


@pytest.mark.broker
@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("max_packet_size 2000", "it takes 2000 bytes at once; a table's messages have up to 65536. Fix: raise"),
        ("retain_available false", "it keeps no message: who comes later sees nothing. Fix: switch"),
        ("max_qos 0", "it confirms no message. Fix: switch"),
        ("message_size_limit 3000", "publishes on carrom/table1/trial, 65536 bytes, is not kept there. Fix: "),
        ("acl_file ACL", "publishes on carrom/table1/trial, 65536 bytes, is not kept there. Fix: "),
    ],
)
def test_a_broker_is_tried_with_what_a_table_publishes(folder, capsys, monkeypatch, setting, says) -> None:
    # Who refuses by hanging up is not waited for: this would never end.
    monkeypatch.setattr(trial, "ANSWER_S", threading.TIMEOUT_MAX)
    (folder / "broker").mkdir()
    (folder / "acl").write_text("topic read carrom/#\n")
    broker = Mosquitto(folder / "broker", "allow_anonymous true", setting.replace("ACL", str(folder / "acl"))).start()
    try:
        for version in ("", "5", "3.1.1"):
            text = f'host = "127.0.0.1"\nport = {broker.port}\nversion = "{version}"'
            code, out = checked(folder, capsys, mqtt=text)
            (line,) = [line for line in out.splitlines() if " broker: " in line]
            assert (code, line[:5]) == (1, "fail "), line
            assert says in line or version == "3.1.1"
    finally:
        broker.kill()


@pytest.mark.broker
def test_a_certificate_whose_days_are_over_is_held_against_this_machines_clock(folder, capsys, authority) -> None:
    (folder / "broker").mkdir()
    tls = (f"certfile {authority / 'expired.crt'}", f"keyfile {authority / 'broker.key'}")
    broker = Mosquitto(folder / "broker", "allow_anonymous true", *tls).start()
    try:
        text = f'host = "127.0.0.1"\nport = {broker.port}\ntls = true\nca_file = "{authority / "ca.crt"}"'
        code, out = checked(folder, capsys, mqtt=text)
        (line,) = [line for line in out.splitlines() if " broker: " in line]
        assert code == 1
        assert re.search(
            rf"its certificate is valid from .* GMT to .* GMT, and here it is {date.today()}\. Fix: set", line
        )
    finally:
        broker.kill()


@pytest.mark.broker
def test_a_broker_that_does_not_know_the_table_fails(folder, capsys) -> None:
    (folder / "broker").mkdir()
    broker = Mosquitto(folder / "broker", "allow_anonymous false").start()
    try:
        code, out = checked(folder, capsys, mqtt=f'host = "127.0.0.1"\nport = {broker.port}')
        assert code == 1
        assert f"fail  broker: 127.0.0.1:{broker.port}: Not authorized. Fix:" in out
    finally:
        broker.kill()
