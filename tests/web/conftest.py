from __future__ import annotations

import pytest

from controller.web import WebServer, create_app
from tests.web.client import Client
from tests.web.pretend import PretendTable


@pytest.fixture
def table():
    return PretendTable()


@pytest.fixture
def clock():
    return [1_000_000.0]


@pytest.fixture
def client(table, clock):
    server = WebServer(create_app(table, now=lambda: clock[0]), table.feed, "127.0.0.1", 0)
    port = server.start()
    yield Client(port)
    server.stop()
