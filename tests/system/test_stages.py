"""Which stage starts from what another one left."""

from __future__ import annotations

import pytest

from tests.system.image import SUITES
from tests.system.stages import STAGES, stages_of, upon


@pytest.mark.parametrize("debian", SUITES)
def test_each_stage_starts_from_one_that_runs_before_it(debian: str) -> None:
    names = stages_of(debian)
    assert upon(names[0], debian) == ""
    assert all(upon(name, debian) in names[:at] for at, name in enumerate(names) if at)


def test_stages_that_stand_apart_start_from_the_fresh_machine() -> None:
    assert {upon(name, "12") for name in ("foreign_broker", "kiosk_alone", "interrupted")} == {"fresh"}
    assert upon("removal", "12") == "upgrade"


def test_every_stage_is_lived_through_on_one_debian_at_least() -> None:
    assert set(stages_of("12")) == set(STAGES)
    assert upon("removal", "13") == "match"
