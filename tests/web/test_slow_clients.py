"""Two hundred slow clients: the umpire comes in, acts, and is told what changed; so is everybody else."""

from __future__ import annotations

import pytest

from tests.web.slow_clients import SLOW, slow_clients

pytestmark = pytest.mark.live

SLOW_CLIENTS = 200


def test_two_hundred_slow_clients_keep_nobody_from_anything(client, table):
    table.state["tracks"] = [{"piece": "white", "points": [[0, 0]] * 20_000}]  # more than a socket holds unread
    with slow_clients(client.port, SLOW_CLIENTS) as came:
        assert client.login().status == 200
        umpire = client.stream()
        assert next(umpire)[0] == "state"
        for number in range(10):
            assert client.post("/act", {"event": ("pause", "resume")[number % 2]}).status == 200
            table.state["score"]["seq"] = 100 + number
            table.feed.push("state")
            while True:
                kind, body = next(umpire)
                if kind == "state" and body["score"]["seq"] == 100 + number:
                    break
        umpire.close()
        client.cookie = ""
        assert client.get("/state").json["score"]["seq"] == 109
        assert client.get("/").status == 200
    assert len(table.acted) == 10
    assert set(came) == set(SLOW)
    assert sum(came.values()) >= SLOW_CLIENTS
