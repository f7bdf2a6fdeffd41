"""`carrom protest`: what the file holds, what it says that it lacks, and whose key signs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import stat
import zipfile
import zlib
from contextlib import closing

import pytest

from controller.cli import main
from controller.commands.protest import key as keys
from controller.commands.protest import manifest
from controller.commands.protest.archive import unpack
from controller.journal import Journal
from controller.rules.shelf import load_books
from tests.commands.protest.kit import BEGAN, EVENTS, NAMES, STROKE, found, protest, table, written


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table's configuration, and the parts of a protest; both are only read."""
    folder = tmp_path_factory.mktemp("table")
    config = table(folder)
    return config, protest(config, folder / "protest.zip", "--by", "Bén (2)")


def words_of(pdf: bytes) -> str:
    """What is written on a page by the standard fonts, and on how many pages."""
    streams = re.findall(rb"stream\n(.*?)\nendstream", pdf, re.S)
    return b"".join(zlib.decompress(one) for one in streams if one[:1] == b"x").decode("latin-1")


def lines(body: bytes):
    return [json.loads(line) for line in body.decode().splitlines()]


def test_all_that_the_table_has_of_a_stroke_is_in_it(made):
    _config, parts = made
    listed = manifest.read_manifest(parts["manifest.json"])
    assert [one.path for one in listed.parts] == list(parts)[2:]
    assert (listed.match, listed.stroke, listed.by, listed.table) == ("m-1", STROKE, "Bén (2)", "hall-2")
    assert (listed.ruled_unix, listed.book, listed.journal_format) == (BEGAN + 10 * STROKE, "icf", 3)
    assert (listed.chain_since, listed.names_left_out, listed.missing) == (1, False, ())
    events = lines(parts["events.jsonl"])
    assert [one["seq"] for one in events] == [1, 2, 3, 4, 5]
    assert events[3]["ruling"]["fouls"][0]["clause"] == "icf-130a"
    assert [one["seq"] for one in lines(parts["chain.jsonl"])] == [1, 2, 3, 4, 5]
    # What was felt since the stroke before was written down.
    felt = lines(parts["observed.jsonl"])
    assert [(one["node"], one["seq"]) for one in felt] == [("pockets", 3), ("table", 3), ("pockets", 4), ("table", 4)]
    clauses = {one["id"]: one["says"] for one in json.loads(parts["clauses.json"])}
    assert clauses["icf-130a"] == "striker does not touch both base lines"
    assert {name for name in parts if name.startswith("clip/")} == {
        *(f"clip/{number:09d}.jpg" for number in (7, 8, 9)),
        *(f"clip/{name}" for name in ("facts.json", "start.jsonl", "case.json", "times.jsonl")),
    }
    assert parts["calibration.json"] == b'{"grade": "match"}'
    assert json.loads(parts["acceptance.json"])["verdict"]["grade"] == "match", "of that day, before the stroke"


def test_any_program_opens_it(made):
    config, parts = made
    with zipfile.ZipFile(config.parent / "protest.zip") as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == parts


def test_the_page_is_one_and_names_clause_people_and_key(made):
    config, parts = made
    assert len(re.findall(rb"/Type /Page\b", parts["protest.pdf"])) == 1
    words = words_of(parts["protest.pdf"])
    fingerprint = keys.fingerprint(manifest.read_signature(parts["signature.json"])[0])
    for wanted in (
        "Asha Patil against",
        "icf-130a: striker does not touch both base lines",
        fingerprint,
        "clip: 7 files",
    ):
        assert wanted in words
    assert config.parent.joinpath("state", "protest.key").exists()


def test_the_page_is_one_however_much_there_is_to_say(tmp_path):
    table(tmp_path)
    policy = {"points": 5, "games": 1}
    events = [
        EVENTS[0]
        | {
            "policy": policy,
            "competition": "x" * 60,
            "round": "y" * 60,
            "seats": {"south": "W" * 60, "north": "M" * 60},
        }
    ]
    shutil.rmtree(tmp_path / "state")
    shutil.rmtree(tmp_path / "evidence")
    (tmp_path / "calibration.json").unlink()
    flags = ["hand_touched_piece", "two_hands", "push", "elbow", "shake", "delay", "over_half", "chair"]
    events += [{"event": "shot", "seat": "south", "t": 5.0, "pocketed": [{"piece": "striker", "pocket": "NE"}]}]
    events += [
        {
            "event": "shot",
            "seat": "north",
            "t": 6.0,
            "placement": {"lines": "none", "circle": "partial", "arrow": True},
            "flags": flags,
        }
    ]
    written(tmp_path / "state" / "journal.sqlite", [*events, EVENTS[4]])
    assert (
        main(["protest", str(tmp_path / "state" / "journal.sqlite"), "--stroke", "3", "--out", str(tmp_path / "p.zip")])
        == 0
    )
    page = unpack((tmp_path / "p.zip").read_bytes())["protest.pdf"]
    assert len(re.findall(rb"/Type /Page\b", page)) == 1
    assert "Key: " in words_of(page)


def test_what_is_not_there_is_named_in_file_and_page(tmp_path, capsys):
    written(tmp_path / "journal.sqlite", EVENTS)
    assert main(["protest", str(tmp_path / "journal.sqlite"), "--stroke", "4", "--out", str(tmp_path / "p.zip")]) == 0
    parts = unpack((tmp_path / "p.zip").read_bytes())
    listed = manifest.read_manifest(parts["manifest.json"])
    assert [one.what for one in listed.missing] == ["clip", "calibration.json", "acceptance.json"]
    assert "clip: no configuration was named" in words_of(parts["protest.pdf"])
    assert "not all is in it: clip: no configuration was named" in capsys.readouterr().out
    assert ("warn", "clip") in found((tmp_path / "p.zip").read_bytes())


def test_a_calibration_of_later_is_named_as_one(made, tmp_path):
    config = table(tmp_path)
    (tmp_path / "calibration.json").write_text('{"grade": "basic"}')
    parts = protest(config, tmp_path / "p.zip")
    assert [one.why for one in manifest.read_manifest(parts["manifest.json"]).missing] == [
        "it was written after the stroke; the one before is not kept"
    ]
    before = tmp_path / "calibration.json.before"
    before.write_text('{"grade": "match"}')
    os.utime(before, (BEGAN, BEGAN))
    parts = protest(config, tmp_path / "p.zip")
    assert parts["calibration.json"] == b'{"grade": "match"}'
    assert manifest.read_manifest(parts["manifest.json"]).missing == ()


# names left out -------------------------------------------------------------------------------------------------------


def test_no_name_is_left_in_any_byte(made, tmp_path):
    config, whole = made
    parts = protest(config, tmp_path / "p.zip", "--by", "Dev Rao", "--without-names")
    raw = (tmp_path / "p.zip").read_bytes()
    page = words_of(parts["protest.pdf"])
    for name in (*NAMES, "Dev Rao"):
        for form in (name, json.dumps(name)[1:-1]):
            assert form.encode() not in raw, form
            assert form not in page
    assert "A against B" in page
    events = lines(parts["events.jsonl"])
    assert [one["seq"] for one in events if one.get("redacted")] == [1, 3]
    assert events[0]["event"]["seats"] == {"south": "A", "north": "B"}
    assert (events[0]["event"]["referee"], events[0]["event"]["competition"]) == ("C", "")
    assert manifest.read_manifest(parts["manifest.json"]).by == "D"
    assert json.loads(parts["clip/case.json"])["says"] == "B to play"
    # The places in the chain are the same; what would let somebody try names is not shown.
    chain, open_chain = lines(parts["chain.jsonl"]), lines(whole["chain.jsonl"])
    assert [one["hash"] for one in chain] == [one["hash"] for one in open_chain]
    assert [one["seq"] for one in chain if "salt" not in one] == [1, 3]


def test_what_holds_of_it_is_said(made, tmp_path, capsys):
    config, _whole = made
    protest(config, tmp_path / "p.zip", "--without-names")
    capsys.readouterr()
    assert main(["protest", "check", str(tmp_path / "p.zip")]) == 0
    out = capsys.readouterr().out
    assert "warn  chain: names are left out of events 1, 3: their places in the chain hold" in out
    assert "ok    rulings: 5 events ruled again, the same rulings" in out


def test_people_are_letters_whatever_they_are_called_and_however_they_are_written(tmp_path):
    """Words of the program's own, and one name in two writings: the rulings are the same."""
    start = {"event": "start", "book": "icf", "seats": {"south": "striker", "north": "both"}, "first": "south"}
    turned = {"event": "seats", "seats": {"south": "Both", "north": "STRIKER"}}
    journal, out = tmp_path / "journal.sqlite", tmp_path / "p.zip"
    written(journal, [start, turned, {"event": "shot", "seat": "north", "placement": {"lines": "one"}}])
    assert main(["protest", str(journal), "--stroke", "3", "--without-names", "--out", str(out)]) == 0
    events = lines(unpack(out.read_bytes())["events.jsonl"])
    assert [one["event"]["seats"] for one in events[:2]] == [{"south": "A", "north": "B"}, {"south": "B", "north": "A"}]
    assert not {"fail"} & {state for state, _part in found(out.read_bytes())}


# journals -------------------------------------------------------------------------------------------------------------


def test_an_old_journal_says_that_it_has_no_chain(tmp_path):
    path = tmp_path / "journal.sqlite"
    written(path, EVENTS)
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript("DROP TABLE chain; PRAGMA user_version = 2")
    body = path.read_bytes()
    assert main(["protest", str(path), "--stroke", "2", "--out", str(tmp_path / "p.zip")]) == 0
    assert path.read_bytes() == body
    parts = unpack((tmp_path / "p.zip").read_bytes())
    assert manifest.read_manifest(parts["manifest.json"]).missing[0].why.startswith("there is none")
    assert ("warn", "chain") in (said := found((tmp_path / "p.zip").read_bytes()))
    assert not {"fail"} & {state for state, _part in said}
    with Journal(path) as journal:
        journal.append("m-1", 6, {"event": "resume"}, {"seq": 6}, BEGAN + 99)
    assert main(["protest", str(path), "--stroke", "2", "--out", str(tmp_path / "p.zip")]) == 0
    parts = unpack((tmp_path / "p.zip").read_bytes())
    assert manifest.read_manifest(parts["manifest.json"]).missing[0].why.startswith("it begins at event 6")


def test_a_journal_that_is_being_written_is_protested_from(tmp_path):
    path = tmp_path / "journal.sqlite"
    written(path, EVENTS)
    with Journal(path) as journal:
        journal.append("m-1", 6, {"event": "resume"}, {"seq": 6}, BEGAN + 99)
        assert main(["protest", str(path), "--stroke", "2", "--out", str(tmp_path / "p.zip")]) == 0
    assert len(lines(unpack((tmp_path / "p.zip").read_bytes())["events.jsonl"])) == 6


def test_half_a_journal_is_refused_in_one_line(tmp_path, capsys):
    path = tmp_path / "journal.sqlite"
    written(path, EVENTS)
    path.write_bytes(path.read_bytes()[:6000])
    assert main(["protest", str(path), "--stroke", "2", "--out", str(tmp_path / "p.zip")]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Fix: " in err
    assert not (tmp_path / "p.zip").exists()
    assert not (tmp_path / "protest.key").exists()


@pytest.mark.parametrize("by_id", [False, True])
def test_a_house_book_goes_along_and_rules_on_another_machine(tmp_path, monkeypatch, by_id):
    home, out = tmp_path / "table", tmp_path / "elsewhere" / "p.zip"
    home.mkdir()
    out.parent.mkdir()
    book, path, config = home / "ours.toml", home / "journal.sqlite", home / "carrom.toml"
    book.write_text('id = "ours"\ntitle = "Our book"\nextends = "icf"\n\n[policy]\npoints = 3\n')
    config.write_text(f'[table]\nstate = "{home}"\n[match]\nbook = "{book}"\n')
    named = "ours" if by_id else str(book)
    written(path, [EVENTS[0] | {"book": named, "policy": {}}, *EVENTS[1:]], load_books([book]))
    words = ["protest", str(path), "--stroke", "4", "--out", str(out)]
    assert main([*words, "--config", str(config)] if by_id else words) == 0
    shutil.rmtree(home)
    monkeypatch.chdir(out.parent)
    assert main(["protest", "check", "p.zip"]) == 0
    assert ("ok", "book.toml") in found(out.read_bytes())


# the key --------------------------------------------------------------------------------------------------------------


def test_the_key_is_made_once_for_its_owner_alone(tmp_path, capsys):
    written(tmp_path / "journal.sqlite", EVENTS[:2])
    before = os.umask(0)
    try:
        assert main(["protest", "key", str(tmp_path / "journal.sqlite")]) == 0
    finally:
        os.umask(before)
    file = tmp_path / "protest.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    first = capsys.readouterr().out
    assert re.fullmatch(r"fingerprint( [0-9a-f]{4}){8}\npublic key [0-9a-f]{64}\n", first)
    assert file.read_text().strip() not in first
    assert main(["protest", "key", str(tmp_path / "journal.sqlite")]) == 0
    assert capsys.readouterr().out == first, "the same for good"
    assert sorted(one.name for one in tmp_path.iterdir() if "key" in one.name) == ["protest.key"]
    file.chmod(0o644)
    assert main(["protest", "key", str(tmp_path / "journal.sqlite")]) == 0
    assert "others can read it, and sign as this table. Fix: chmod 600" in capsys.readouterr().err


@pytest.mark.parametrize(("user", "gives"), [(0, True), (1000, False)])
def test_with_sudo_the_key_is_the_tables_own(tmp_path, monkeypatch, user, gives):
    given = []
    monkeypatch.setattr(keys.os, "geteuid", lambda: user)
    monkeypatch.setattr(keys.os, "fchown", lambda _file, *owner: given.append(owner))
    keys.key_of(tmp_path)
    folder = tmp_path.stat()
    assert given == [(folder.st_uid, folder.st_gid)] * gives
    assert stat.S_IMODE((tmp_path / "protest.key").stat().st_mode) == 0o600


@pytest.mark.parametrize("body", ["", "no key", "00" * 31])
def test_a_damaged_key_is_not_replaced_in_silence(tmp_path, capsys, body):
    written(tmp_path / "journal.sqlite", EVENTS[:2])
    (tmp_path / "protest.key").write_text(body)
    assert main(["protest", str(tmp_path / "journal.sqlite"), "--stroke", "2"]) == 2
    assert "is no key. Fix: put it back from a copy" in capsys.readouterr().err
    assert (tmp_path / "protest.key").read_text() == body


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["JOURNAL"], "which ruling is protested? Fix: --stroke N"),
        (["JOURNAL", "--stroke", "9"], "match m-1 has no event 9. Fix: one of 1 to 5"),
        (["JOURNAL", "--stroke", "2", "--match", "m-9"], "there is no match m-9. Fix: one of m-1"),
        (["JOURNAL", "--stroke", "2", "--by", "x" * 61], "--by: has 61 characters"),
        (["JOURNAL", "more", "--stroke", "2"], "one journal is taken"),
        (["JOURNAL", "--stroke", "2", "--key", "k"], "carrom protest JOURNAL takes no --key"),
        (["nowhere.sqlite", "--stroke", "2"], "there is no such journal"),
        (["check"], "which file is to be checked?"),
        (["check", "nowhere.zip"], "there is no such file"),
        (["check", "JOURNAL", "--stroke", "2"], "carrom protest check takes no --stroke"),
        (["check", "JOURNAL"], "is no file of carrom protest. Fix: "),
        (["check", "JOURNAL", "--key", "abcd"], "--key abcd: is no fingerprint, and as a file there is no such file"),
        (["check", "JOURNAL", "--key", "CONFIG"], "holds no fingerprint. Fix: "),
        (["key"], "whose key? Fix: "),
    ],
)
def test_bad_input_is_one_line(made, capsys, monkeypatch, words, says):
    config, _parts = made
    monkeypatch.chdir(config.parent)
    names = {"JOURNAL": str(config.parent / "state" / "journal.sqlite"), "CONFIG": str(config)}
    assert main(["protest", *(names.get(word, word) for word in words)]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
