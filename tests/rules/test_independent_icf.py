"""The engine against a second reading of the international laws, over random matches."""

from __future__ import annotations

import pytest

from tests.rules.icf_streams import compare


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(3))
def test_both_readings_agree(hundred: int) -> None:
    assert sum(compare(seed, 60) for seed in range(hundred * 100, hundred * 100 + 100)) > 4000
