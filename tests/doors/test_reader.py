"""The one strict reader: what is within the limits comes back as it is, what is not is refused in one line."""

from __future__ import annotations

import io
import os
import re
import unicodedata
from pathlib import Path

import pytest

from controller.events.doors import (
    EVENT,
    LARGEST_NUMBER,
    LONGEST_NAME,
    LONGEST_REASON,
    SECRET,
    SETTINGS,
    Limits,
    checked,
    fitting_name,
    host_of,
    json_object,
    json_text,
    json_value,
    lines_of,
    name_key,
    name_of,
    one_line,
    player_of,
    reason_of,
    text_of,
    toml_table,
    whole_number,
    word_of,
)
from controller.events.errors import UnreadableError
from tests.doors.hostile import DEEP, SURROGATE, TURNED, UNREADABLE, UNSEEN, nested


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_no_door_may_take(name: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        json_object(UNREADABLE[name])
    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


def test_what_is_within_the_limits_comes_back_as_it_is() -> None:
    raw = '{"n": 9223372036854775807, "x": -1.5e-300, "name": "आशा \\ud83d\\ude00", "deep": [[[{"a": null}]]]}'
    body = json_object(raw.encode())
    assert body == {"n": LARGEST_NUMBER, "x": -1.5e-300, "name": "आशा 😀", "deep": [[[{"a": None}]]]}
    assert checked(nested(EVENT.depth)) == nested(EVENT.depth)
    with pytest.raises(UnreadableError, match=f"deeper than {EVENT.depth}"):
        checked(nested(EVENT.depth + 1))


def test_a_byte_order_mark_before_a_text_is_none_of_it(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    assert json_object(mark + b'{"event": "pause"}') == {"event": "pause"}
    assert json_value("\ufeff[1]") == [1]
    assert toml_table("\ufeffa = 1") == {"a": 1}
    (tmp_path / "carrom.toml").write_bytes(mark + b"a = 1")
    assert text_of(tmp_path / "carrom.toml", SETTINGS) == "a = 1"
    with pytest.raises(UnreadableError, match="is no JSON"):
        json_value(2 * mark + b"[1]")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ('{"event": "shot",\n', "is no JSON: expecting property name enclosed in double quotes at column 18"),
        ('{"event" "shot"}', "is no JSON: expecting ':' delimiter at column 10"),
        ('{\n "fps": 30\n "width": 1}', "is no JSON: expecting ',' delimiter at line 3, column 2"),
    ],
)
def test_what_is_no_json_names_one_place_alone(raw: str, says: str) -> None:
    """A stream's reader puts its own line before: a second one would contradict it."""
    with pytest.raises(UnreadableError, match=f"^{re.escape(says)}$"):
        json_value(raw)


def test_a_key_that_stands_twice_is_named() -> None:
    for raw in ('{"seat": "south", "seat": "north"}', '{"a": [{"seat": 1, "b": 2, "seat": 1}]}'):
        with pytest.raises(UnreadableError, match=r"^names the key 'seat' twice; leave one of them out$"):
            json_value(raw)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("[table]\nid = 1\nid = 2\n", "is no TOML: a key stands twice; leave one of them out (at line 3, column 7)"),
        ("[a]\n[a]\n", "is no TOML: section 'a' stands twice; leave one of them out (at line 2, column 3)"),
        ("a = {b = 1}\n[a]\n", "is no TOML: section 'a' stands twice; leave one of them out (at line 2, column 3)"),
        ("a = \n", "is no TOML: Invalid value (at line 1, column 5)"),
    ],
)
def test_what_stands_twice_in_a_configuration_is_named(raw: str, says: str) -> None:
    with pytest.raises(UnreadableError, match=f"^{re.escape(says)}$"):
        toml_table(raw)


def test_each_door_has_its_own_limits() -> None:
    small = Limits(size=100, depth=2, text=5)
    assert json_value('["12345"]', small) == ["12345"]
    for text in ('["123456"]', "[[[1]]]", "[" + " " * 100 + "]"):
        with pytest.raises(UnreadableError):
            json_value(text, small)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 50_000 + "]" * 50_000, "nested deeper"),
        ("a = " + "9" * 5000, "more than 19 digits"),
        ("a = 99999999999999999999", "more than 19 digits"),
        ("a." * 300 + "b = 1", "nested deeper"),
        ("a = inf", "not finite"),
        ("a = nan", "not finite"),
        ("a = 1979-05-27", "date"),
        ('a = "\\u0000"', "NUL"),
        ("a = ", "is no TOML"),
        ('a = "x\\u202ey"', "turns the direction"),
    ],
)
def test_toml_that_is_refused(text: str, says: str) -> None:
    with pytest.raises(UnreadableError, match=says):
        toml_table(text)


@pytest.mark.parametrize("name", ["", "Asha", "आशा क्‍ष", "Ben-José O'Neill", "👩‍🎓", "x" * LONGEST_NAME, "עדה"])
def test_names(name: str) -> None:
    assert name_of(name) == name


@pytest.mark.parametrize("name", ["Zoë Müller", "Łukasz Żak", "Nguyễn Thị Ánh", "가영", "क़मर"])
def test_a_name_is_one_whichever_keyboard_wrote_it(name: str) -> None:
    written = [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
    assert {name_of(one) for one in written} == {player_of(one) for one in written} == {written[0]}
    assert {fitting_name(one) for one in written} == {written[0]}
    assert len({name_key(one) for one in (*written, name.upper(), f" {name.casefold()}  ".replace(" ", "\u00a0"))}) == 1
    assert name_key(name) != name_key(name[:-1])
    # The letters of a password or a user are what somebody else compares.
    assert [word_of(one) for one in written] == written


def test_a_name_is_one_whether_a_phone_or_a_spreadsheet_wrote_its_signs() -> None:
    assert len({name_key(f"Savio D{sign}Souza") for sign in "'’‘ʼ′＇"}) == 1
    assert len({name_key(f"Jean{sign}Luc") for sign in "-‐‑–−"}) == 1
    assert name_key("D'Souza") != name_key("DSouza") != name_key("D-Souza")


def test_names_that_case_or_accents_alone_do_not_make_one() -> None:
    assert name_key("Strauß") == name_key("STRAUSS")
    assert name_key("Zoe") != name_key("Zoë")


def test_a_name_that_grows_longer_composed_can_be_read_back() -> None:
    grows = "\u0958" * LONGEST_NAME
    with pytest.raises(UnreadableError, match="at most 60"):
        name_of(grows)
    assert name_of(fitting_name(grows)) == fitting_name(grows)


@pytest.mark.parametrize(
    "name", ["x" * (LONGEST_NAME + 1), "a\nb", "a\0b", "\x1b[31m", TURNED, "\u200e", SURROGATE, "a\u2028b", "\ufeff"]
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UnreadableError):
        name_of(name)


@pytest.mark.parametrize("name", UNSEEN)
def test_a_name_that_nobody_sees_is_no_name(name: str) -> None:
    for read in (name_of, player_of):
        with pytest.raises(UnreadableError, match=r"(can|cannot) be seen"):
            read(name)


def test_a_player_has_a_name_and_an_earlier_one_that_nobody_sees_is_spelled_out() -> None:
    with pytest.raises(UnreadableError):
        player_of("")
    assert player_of("आशा") == "आशा"
    assert [fitting_name(name) for name in ("Asha\u202e", "\u3164", "", "\u2800" * 60)][:3] == ["Asha", "U+3164", "?"]
    assert all(player_of(fitting_name(name)) for name in UNSEEN)


def test_what_goes_out_has_no_number_that_json_has_not() -> None:
    nan, inf = float("nan"), float("inf")
    assert json_text({"x": nan, "of": [1.5, (inf, {"y": -inf})], "name": "आशा"}) == (
        '{"x":null,"of":[1.5,[null,{"y":null}]],"name":"आशा"}'
    )
    assert json_text([nan], indent=1) == "[\n null\n]"


def test_a_reason_may_have_lines() -> None:
    assert reason_of("\n\t".ljust(LONGEST_REASON, "x"))
    for text in ("x" * (LONGEST_REASON + 1), TURNED, "\x07", SURROGATE):
        with pytest.raises(UnreadableError):
            reason_of(text)


@pytest.mark.parametrize("host", ["localhost", "broker.example.org", "10.0.0.7", "::1", "0.0.0.0", "bücher.example"])
def test_hosts(host: str) -> None:
    assert host_of(host) == host


@pytest.mark.parametrize(
    "host", ["", "..a", "a..b", "a b", "a\0b", "x" * 64 + ".org", "me:hush@broker", "http://x", "."]
)
def test_what_is_no_host(host: str) -> None:
    with pytest.raises(UnreadableError):
        host_of(host)


def test_digits() -> None:
    assert [whole_number(text) for text in ("0", "17", "9" * 19)] == [0, 17, LARGEST_NUMBER]
    assert {whole_number(text) for text in (None, "", "-1", "²", "٣", "1e3", "9" * 20, " 1")} == {-1}


def test_a_pipe_into_which_nobody_writes_is_empty_and_not_waited_for(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert text_of(tmp_path / "pipe", SETTINGS) == ""
    reader, writer = os.pipe()
    try:
        os.write(writer, b"a = 1")
        os.close(writer)
        assert text_of(f"/dev/fd/{reader}", SETTINGS) == "a = 1"
    finally:
        os.close(reader)


def test_a_file_is_read_no_further_than_it_may_be_long(tmp_path) -> None:
    for path, says in (
        ("/dev/zero", "too long"),
        (tmp_path / "none", "no such file"),
        (tmp_path, "cannot be read"),
        ("a\0b", "cannot be read"),
        (tmp_path / ("x" * 300), "cannot be read"),
    ):
        with pytest.raises(UnreadableError, match=says):
            text_of(path, SECRET)
    (tmp_path / "binary").write_bytes(b"\x89PNG\xff")
    with pytest.raises(UnreadableError, match="UTF-8"):
        text_of(tmp_path / "binary", SECRET)


def test_a_line_that_never_ends_is_one_line_and_the_next_is_read() -> None:
    limits = Limits(size=10)
    stream = io.BytesIO(b"short\n" + b"x" * 35 + b"\n" + b"y" * 11 + b"\nlast")
    lines = list(lines_of(stream, limits))
    assert [line.strip() for line in (lines[0], lines[-1])] == [b"short", b"last"]
    assert len(lines) == 4
    assert all(len(line) > limits.size for line in lines[1:3])
    assert list(lines_of(io.BytesIO(b"z" * 40), limits)) == [b"z" * 11]


def test_an_error_is_one_line_that_a_terminal_can_show() -> None:
    assert one_line(f"a\nb\x1b[2J{SURROGATE}…×") == "a b\ufffd[2J\ufffd…×"


def test_depth_is_found_out_without_recursion() -> None:
    with pytest.raises(UnreadableError, match="nested deeper"):
        json_value(DEEP, Limits(size=10**6))
    with pytest.raises(UnreadableError, match="nested deeper"):
        checked(nested(50_000))
