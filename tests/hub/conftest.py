from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from controller.hub import season_server
from tests.hub.postgres import Postgres
from tests.mqtt.made_broker import broker

__all__ = ["broker"]


@pytest.fixture(scope="session")
def postgres():
    one = Postgres()
    yield one
    one.close()


# Of the session's scope, so that the server is there before what looks whether a test leaves anything.
@pytest.fixture(scope="session", params=["file", pytest.param("server", marks=pytest.mark.live)])
def kept_by(request):
    return request.getfixturevalue("postgres") if request.param == "server" else None


@pytest.fixture
def connect(kept_by):
    """Connects to a season's database itself, past the program."""

    def connect(place):
        found = sqlite3.connect(place, isolation_level=None) if kept_by is None else kept_by.connect(place)
        return closing(found)

    return connect


@pytest.fixture
def raw(kept_by, tmp_path):
    """All bytes that are kept of a season."""

    def raw(place):
        if kept_by is not None:
            return kept_by.raw(place)
        return b"".join(one.read_bytes() for one in tmp_path.iterdir())

    return raw


@pytest.fixture
def place(kept_by, tmp_path, monkeypatch):
    """Where a season is not yet: a file's path, and a server's address."""
    if kept_by is None:
        return tmp_path / "season.sqlite"
    monkeypatch.setattr(season_server, "LOOK_S", 0.0)
    return kept_by.base()
