"""Which sensor looks through which pocket."""

from __future__ import annotations

import pytest

from controller.events.errors import ConfigError
from controller.pockets.beam_map import beam_map


def test_without_a_configuration_beams_stand_in_order():
    beams = beam_map()
    assert beams.places[0] == ("NE", "upper")
    assert beams.places[7] == ("SW", "lower")
    assert beams.mask == 0xFF


def test_a_configuration_names_them():
    beams = beam_map({"SW lower": 0, "NE upper": 5, "NW": 2})
    assert beams.places == {0: ("SW", "lower"), 5: ("NE", "upper"), 2: ("NW", "upper")}
    assert beams.mask == 0b100101


@pytest.mark.parametrize(
    ("lines", "says"), [({"XX upper": 0}, "is no beam"), ({"NE middle": 0}, "is no beam"), ({"NE": -1}, "count from 0")]
)
def test_what_is_no_beam_is_refused_with_the_way_out(lines, says):
    with pytest.raises(ConfigError, match=says) as error:
        beam_map(lines)
    assert "Fix:" in str(error.value)


def test_a_sensor_cannot_be_in_two_places():
    with pytest.raises(ConfigError, match="3 stands twice, for NE upper and SW lower"):
        beam_map({"NE upper": 3, "SW lower": 3})
