"""Requests made from the pages' OpenAPI description by schemathesis, proper ones and broken ones, held against it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from unittest import SkipTest

import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error, response_schema_conformance
from schemathesis.specs.openapi.checks import content_type_conformance, ignored_auth, status_code_conformance

from scripts.write_openapi import FILE
from tests.web.client import Client

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
STREAMS = ("/events", "/clip/{first}-{last}")
"""They go on for as long as somebody looks; what they tell has tests of its own."""
ENDS_THE_SESSION = ("/logout", "/sessions/end")


def try_everything(
    client: Client,
    examples: int,
    *,
    umpire: bool,
    pin: str = "4711",
    chance: int | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> Counter[int]:
    """Tries every operation with so many requests of each kind. Returns how often each status was answered.

    `chance`: the seed of these requests; without one they are the same each time.
    """
    schema = schemathesis.openapi.from_dict(json.loads(FILE.read_text("utf-8")))
    schema.config.update(base_url=f"http://127.0.0.1:{client.port}")
    answered: Counter[int] = Counter()
    with requests.Session() as link:
        for found in schema.get_all_operations():
            operation = found.ok()
            if operation.path in STREAMS or (umpire and operation.path in ENDS_THE_SESSION):
                continue
            link.cookies.clear()
            if umpire:
                link.cookies.set("carrom_umpire_table1", client.session(pin))

            def send(case: schemathesis.Case) -> None:
                if goes_on():
                    response = case.call(session=link, timeout=60)
                    answered[response.status_code] += 1
                    case.validate_response(response, checks=CHECKS if umpire else [*CHECKS, ignored_auth])

            for mode in GenerationMode:
                try:
                    made = operation.as_strategy(generation_mode=mode)
                    _with(made, examples, chance)(send)()
                except (Unsatisfiable, SkipTest):
                    # There is no broken request where nothing is sent along.
                    assert (mode, operation.method) == (GenerationMode.NEGATIVE, "get"), operation.label
    return answered


def _with(
    made: SearchStrategy[schemathesis.Case], examples: int, chance: int | None
) -> Callable[[Callable[[schemathesis.Case], None]], Callable[[], None]]:
    """However long the machine takes, and nothing left on the disk."""
    how = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=chance is None,
        suppress_health_check=list(HealthCheck),
    )
    drawn = seed(chance) if chance is not None else lambda test: test
    return lambda send: drawn(how(given(case=made)(send)))
