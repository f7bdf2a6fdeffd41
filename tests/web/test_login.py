"""The gate in small: forged cookies, many addresses, the secret's file."""

from __future__ import annotations

import stat

import pytest

from controller.events.errors import DeviceError
from controller.web.login import TRIES_ALL, Gate, secret_from


def test_a_cookie_is_only_good_with_its_signature():
    gate = Gate(b"k" * 32, lambda: 100.0)
    cookie = gate.issue()
    assert gate.who(cookie)
    until, nonce, signature = cookie.split(".")
    assert gate.who(f"{int(until) + 1}.{nonce}.{signature}") is None
    assert gate.who(f"{until}.{nonce}.{signature[:-1]}") is None
    assert Gate(b"x" * 32, lambda: 100.0).who(cookie) is None
    assert gate.who("..") is None


def test_many_addresses_together_are_slowed_down_too():
    now = [0.0]
    gate = Gate(b"k" * 32, lambda: now[0])
    for number in range(TRIES_ALL):
        assert gate.wait_s("new") == 0
        gate.wrong(f"10.0.0.{number}")
    assert gate.wait_s("new") == 60.0
    now[0] = 60.0
    assert gate.wait_s("new") == 0


def test_the_secret_is_made_once_and_for_us_alone(tmp_path):
    path = tmp_path / "state" / "web-secret"
    secret = secret_from(path)
    assert len(secret) == 32
    assert secret_from(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="Mend"):
        secret_from(tmp_path / "file" / "secret")
