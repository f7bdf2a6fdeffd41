"""The pages' OpenAPI description is the routes'; requests made from it, proper and broken, are answered as it says."""

from __future__ import annotations

import json

import pytest

from scripts.write_openapi import FILE, openapi
from scripts.write_schemas import as_text
from tests.web.by_schema import try_everything

pytestmark = pytest.mark.live

EXAMPLES = 5
"""Requests of each kind an operation; `make soak` tries many more at a real table."""


def test_the_description_is_the_routes():
    assert FILE.read_text("utf-8") == as_text(openapi()), "make schemas writes it anew"


def test_it_is_served(client):
    assert client.get("/static/openapi.json").json == json.loads(FILE.read_text("utf-8"))


@pytest.mark.long
@pytest.mark.parametrize("umpire", [False, True], ids=["a stranger", "an umpire"])
def test_whatever_is_sent_is_answered_as_described(client, table, umpire):
    answered = try_everything(client, EXAMPLES, umpire=umpire)
    assert ({200, 400, 404} if umpire else {200, 401, 403}) <= set(answered), answered
    assert bool(table.acted) == umpire
