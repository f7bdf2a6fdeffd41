"""The LED display's configuration reads topics that the table really publishes, and publishes nothing itself."""

from __future__ import annotations

import re
from pathlib import Path

from controller.mqtt.payloads import Clock
from controller.mqtt.scoreboard import flat, score
from controller.mqtt.topics import Topics
from tests.mqtt.rulings import INFO, ruling

DISPLAY = (Path(__file__).parents[2] / "firmware" / "table_display" / "table_display.yaml").read_text()


def test_every_topic_it_reads_is_published():
    values = dict(re.findall(r"^  (table|left|right): (\S+)$", DISPLAY, re.MULTILINE))
    filled = re.sub(r"\$\{(table|left|right)\}", lambda found: values[found[1]], DISPLAY)
    read = set(re.findall(r"^    topic: (\S+)$", filled, re.MULTILINE))
    topics = Topics(values["table"])
    shown = score(ruling(), INFO, 1.0, clock=Clock(running=True, left=3.0, limit=15.0))
    published = {topics.flat(name) for name in flat(shown)} | {topics.availability}
    assert read == published


def test_words_it_compares_with_are_words_that_are_said():
    compared = set(re.findall(r'== "([a-z]+)"', DISPLAY)) | set(re.findall(r'!= "([a-z]+)"', DISPLAY))
    assert compared == {"online", "covered", "pending"}


def test_it_says_nothing():
    for line in ("discovery: false", "topic_prefix: null", "log_topic: null", "birth_message:\n", "will_message:\n"):
        assert line in DISPLAY
