"""What somebody could send to any door: texts that break readers, and events changed at random."""

from __future__ import annotations

import copy
import json
import os
import random
from typing import Any

DEEP = b"[" * 100_000 + b"]" * 100_000
DEEP_OBJECT = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
SURROGATE = "\ud83d"
TURNED = "Asha\u202enimda"

UNSEEN = (
    "\u3164",
    "\u2800\u2800",
    "\u115f\u1160",
    "\uffa0",
    "\u200d\u200c",
    "   ",
    "\u00a0\u2003",
    "\u0301",
    "\ufe0f",
    "\u034f",
)
"""Names that nobody sees: fillers, the empty Braille cell, joiners, spaces, marks without a letter."""

NO_NUMBERS = ("NaN", "Infinity", "-inf", "1e999", "12")
"""Texts that a lenient reader takes for numbers."""

UNREADABLE = {
    "nested lists": DEEP,
    "nested objects": DEEP_OBJECT,
    "never closed": b"[" * 100_000,
    "400 digits": b'{"event": "pause", "t": 1' + b"0" * 400 + b"}",
    "5000 digits": b'{"event": "pause", "t": ' + b"7" * 5000 + b"}",
    "more than 64 bits": b'{"event": "pause", "t": 9223372036854775808}',
    "no number": b'{"event": "pause", "t": NaN}',
    "endless": b'{"event": "pause", "t": Infinity}',
    "endless by exponent": b'{"event": "pause", "t": 1e999}',
    "half a character": b'{"event": "pause", "reason": "\\ud83d"}',
    "half a character as a key": b'{"event": "pause", "\\ud83d": 1}',
    "no UTF-8": b'{"event": "pause", "reason": "\xff\xfe"}',
    "a surrogate in UTF-8": b'{"event": "pause", "reason": "\xed\xa0\xbd"}',
    "NUL": b'{"event": "pause", "reason": "a\\u0000b"}',
    "a text without end": b'{"event": "pause", "note": "' + b"x" * 300_000 + b'"}',
    "nothing": b"",
    "no JSON": b"{event: pause}",
    "no object": b"[1, 2]",
    "two": b"{} {}",
    "a key twice": b'{"event": "pause", "event": "resume"}',
    "a key twice inside": b'{"event": "set", "position": {"score": {"south": 3, "south": 9}}}',
    "many keys twice": b'{"a": 1' + b"".join(b',"k%d": 1' % n for n in range(9000)) + b', "k8999": 2}',
}
"""Names → what no door may take for a JSON object that it can use."""

EVENTS: tuple[dict[str, Any], ...] = (
    {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"},
    {
        "event": "shot",
        "seat": "south",
        "t": 12.4,
        "elapsed": 6.2,
        "placement": {"x": -40.0, "y": -252.6, "lines": "both", "circle": "clear", "arrow": False, "touching": False},
        "left_baseline": True,
        "heading": "forward",
        "all_at_rest": True,
        "contacts": [{"with": "cushion", "at": [0, 355]}, {"with": "white", "at": [10, 120]}],
        "pocketed": [{"piece": "white", "pocket": "NE", "t": 13.1}, {"piece": "striker", "pocket": "NW"}],
        "off_board": [],
        "crossed_baseline": 3,
        "flags": ["hand_touched_piece"],
        "rest": [{"piece": "white", "x": 12.0, "y": 80.5}],
        "unseen": ["contacts"],
        "doubts": [{"fact": "heading", "choices": [["forward", 0.6], ["backward", 0.4]], "evidence": {"a": [1]}}],
    },
    {"event": "seen", "what": "shaken", "at": [0, 0]},
    {"event": "drop", "piece": "black", "pocket": "SE", "on_rim": False, "cause": "vibration"},
    {"event": "call", "action": "foul", "clause": "icf-130a", "seat": "south", "points": 1, "reason": "a push"},
    {"event": "answer", "ask": 2, "choice": "white"},
    {"event": "void"},
    {"event": "correct", "seq": 2, "with": {"event": "shot", "seat": "south"}},
    {"event": "challenge", "seat": "south", "stroke": 2, "about": "lines"},
    {"event": "verdict", "challenge": 3, "result": "upheld", "with": {"event": "shot", "seat": "south"}, "by": "Chi"},
    {"event": "override", "seq": 2, "set": {"turn": "north", "board": {"number": 1}}, "reason": "seen from here"},
    {"event": "set", "position": {"left": {"white": 4, "black": 5}, "score": {"south": 10}}, "reason": "a fallen lamp"},
    {"event": "placed", "pieces": [{"piece": "white", "x": 0, "y": 0}]},
    {"event": "claim", "points": 1},
    {"event": "next_board", "first": "north"},
    {"event": "seats", "seats": {"south": "Ben", "north": "Asha"}},
    {"event": "pause"},
    {"event": "resume"},
    {"event": "timeout", "seat": "south"},
    {"event": "pass", "seat": "south"},
    {"event": "round_over"},
)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 10**19, 10**400, -(2**63), 2**63, 1e308, -1e-308, float("nan"), float("inf")),
    *(
        "",
        "x" * 61,
        "x" * 501,
        "x" * 5000,
        SURROGATE,
        TURNED,
        "a\0b",
        "a\nb",
        "\x1b[2J",
        "south",
        "queen",
        "2.1",
        "=1+1",
    ),
    *([], [[]], {}, {"": {}}, ["south"] * 50, {"south": "south"}, [[["queen", 1e18]] * 3], "../../x.toml", "/dev/zero"),
)


NUMBERS = (
    *("", " ", "0", "-1", "nan", "inf", "-inf", "1e400", "9" * 400, "9" * 5000, "٣", "1x1", "0x0", "99999x99999", "x"),
    *(
        "1,2",
        "nan,nan 1,1 2,2 3,3",
        "/nowhere",
        ".",
        "a" * 300,
        os.fsdecode(b"\xff"),
        "../..",
        "*",
        "[",
    ),
)
"""What may stand behind an option."""

TOML = (
    *(
        '["a\\nb"]',
        "[mqtt]",
        "[match.policy]",
        "[match.seats]",
        "[[clause]]",
        "[camera]",
        "[web]",
        "[table]",
        "[a.b.c]",
    ),
    *(
        'id = "x"',
        'host = "..a"',
        "port = 1883",
        "gain = inf",
        'south = "Asha"',
        "points = 25",
        'book = "icf"',
        "x = {a=1}",
    ),
    *(
        "t = 1979-05-27",
        "a = " + "[" * 5000,
        "n = " + "1" * 5000,
        'extends = "icf"',
        'title = "t"',
        "a." * 90 + "b = 1",
    ),
    *(
        'state = "a\\u0000b"',
        'url = "http://["',
        'path = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
        "fps = nan",
        "k = true",
        '"" = ""',
        "\x00",
    ),
)


def hostile_toml(rng: random.Random) -> bytes:
    """Lines of a configuration or a rulebook, in any order and with damage."""
    raw = bytearray("\n".join(rng.choice(TOML) for _ in range(rng.randrange(1, 6))).encode())
    if rng.random() < 0.2:
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def changed_event(rng: random.Random) -> dict[str, Any]:
    """An event of the table with up to three of its values, at any depth, replaced, dropped or doubled."""
    event: dict[str, Any] = copy.deepcopy(rng.choice(EVENTS))
    for _ in range(rng.randrange(4)):
        change(event, rng)
    if event.get("event") == "shot" and rng.random() < 0.2:
        _facts(event, rng)
    return event


def change(value: Any, rng: random.Random) -> None:
    """Changes one of a value's values, at any depth."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = rng.choice(keys)
    if isinstance(value[key], dict | list) and rng.random() < 0.6:
        change(value[key], rng)
        return
    match rng.randrange(6):
        case 0:
            del value[key]
        case 1 if isinstance(value, dict):
            value[rng.choice(("reason", "", SURROGATE, "by", "board", "x" * 300))] = copy.deepcopy(rng.choice(VALUES))
        case 2:
            value[key] = nested(rng.choice((3, 30, 90)))
        case 3 if isinstance(value, list):
            value.extend((value * 40)[: rng.choice((1, 200))])
        case _:
            value[key] = copy.deepcopy(rng.choice(VALUES))


FACTS = ("pocketed.².piece", "pocketed." + "9" * 400, "pocketed.٣", "flags.²", "rest.-1.x", "placement.x.y", "seat.0")


def _facts(event: dict[str, Any], rng: random.Random) -> None:
    """Facts that a shot does not have, in what is unseen and what is in doubt."""
    event["unseen"] = rng.sample(FACTS, 2)
    event["doubts"] = [{"fact": rng.choice(FACTS), "choices": [["white", 0.5], ["black", 0.5]]}]


def sent(event: Any, rng: random.Random) -> bytes:
    """An event as bytes, and now and then with a few of them damaged."""
    raw = bytearray(json.dumps(event).encode())
    if rng.random() < 0.2:
        for _ in range(rng.randrange(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw)


def anything(rng: random.Random) -> bytes:
    """What a door may get: an unreadable text, or a changed event."""
    if rng.random() < 0.25:
        return rng.choice(list(UNREADABLE.values()))
    return sent(changed_event(rng), rng)
