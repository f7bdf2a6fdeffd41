"""`carrom protest check`: each changed byte is found, and so is what a table's key has signed and does not hold."""

from __future__ import annotations

import json
import random
import sqlite3
import struct
import zipfile
from contextlib import closing, suppress
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.cli import main
from controller.commands.protest import manifest
from controller.commands.protest.archive import pack, unpack
from controller.commands.protest.key import fingerprint, public_of
from controller.events.errors import UnreadableError
from tests.commands.protest.kit import failed, first_fault, found, protest, table

OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
AT_EACH = 24
"""So many bytes of each part are changed, one at a time, besides its first and its last."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A protest's file and its key's fingerprint."""
    folder = tmp_path_factory.mktemp("table")
    parts = protest(table(folder), folder / "protest.zip")
    return folder / "protest.zip", fingerprint(manifest.read_signature(parts["signature.json"])[0])


def signed(parts: dict[str, bytes], **change) -> dict[str, bytes]:
    """The parts with a list that fits them, signed by whoever changed them."""
    listed = manifest.read_manifest(parts[manifest.MANIFEST])
    rest = {name: body for name, body in parts.items() if name not in (manifest.MANIFEST, manifest.SIGNATURE)}
    listed = replace(listed, parts=tuple(manifest.part(*one) for one in rest.items()), **change)
    text = manifest.manifest_text(listed)
    signature = manifest.signature_text(public_of(OTHER), OTHER.sign(text).hex())
    return {manifest.MANIFEST: text, manifest.SIGNATURE: signature, **rest}


def test_a_file_as_it_was_written_holds_on_any_machine(made, tmp_path, capsys, monkeypatch):
    file, key = made
    raw = file.read_bytes()
    (tmp_path / "copy.zip").write_bytes(raw)
    monkeypatch.chdir(tmp_path)
    for given in (key, key.upper().replace(" ", ":"), key.replace(" ", "")):
        assert main(["protest", "check", "copy.zip", "--key", given]) == 0
    (tmp_path / "noted").write_text(f"table 7: fingerprint {key}\n")
    capsys.readouterr()
    assert main(["protest", "check", "copy.zip", "--key", "noted"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("copy.zip: match m-1 at table hall-2, event 4; made on ")
    assert {line.split()[0] for line in out[1:]} == {"ok"}
    assert "ok    chain: 5 of 5 events, each follows on the one before" in out
    assert f"ok    signature: signed by key {key}, which is the one that was given" in out


def test_without_a_key_to_compare_that_is_named(made, capsys):
    file, key = made
    assert main(["protest", "check", str(file)]) == 0
    assert f"warn  signature: signed by key {key}; nobody has given this check a key" in capsys.readouterr().out


def test_each_changed_byte_of_each_part_is_found_and_the_part_is_named(made):
    file, key = made
    parts = unpack(file.read_bytes())
    pick = random.Random(1)
    for name, body in parts.items():
        places = {0, len(body) - 1, *(pick.randrange(len(body)) for _ in range(AT_EACH))}
        for at in places:
            changed = bytearray(body)
            changed[at] ^= 1 << pick.randrange(8)
            says = first_fault(pack(parts | {name: bytes(changed)}), key)
            assert says, (name, at)
            if name not in (manifest.MANIFEST, manifest.SIGNATURE):
                assert failed(parts | {name: bytes(changed)}) == {name} or name in ("events.jsonl", "chain.jsonl"), (
                    name,
                    at,
                )


def test_a_signature_in_other_letters_is_found(made):
    """It would be read as the same: the byte was changed all the same."""
    parts = unpack(made[0].read_bytes())
    public, signature = manifest.read_signature(parts["signature.json"])
    for text in (manifest.signature_text(public, signature.upper()), parts["signature.json"] + b" "):
        assert failed(parts | {"signature.json": text}) == {"signature.json"}


def test_each_changed_byte_around_the_parts_is_found(made):
    """The archive's own tables: what they say follows from the parts."""
    file, key = made
    raw = file.read_bytes()
    parts = unpack(raw)
    held = {at for body in parts.values() for at in range(raw.find(body), raw.find(body) + len(body))}
    around = [at for at in range(len(raw)) if at not in held]
    for at in random.Random(2).sample(around, 200):
        changed = bytearray(raw)
        changed[at] ^= 1 << (at % 8)
        with suppress(UnreadableError):
            assert first_fault(bytes(changed), key), at


def test_a_part_that_is_missing_added_or_moved_is_named(made):
    parts = unpack(made[0].read_bytes())
    for name in list(parts)[2:]:
        assert name in failed({one: body for one, body in parts.items() if one != name})
    assert failed(parts | {"clip/000000010.jpg": b"x"}) == {"clip/000000010.jpg"}
    assert failed({**dict(reversed(parts.items()))}) == {"archive"}
    assert "manifest.json" in failed({name: parts[name] for name in parts if name != "manifest.json"})
    assert "signature.json" in failed({name: parts[name] for name in parts if name != "signature.json"})


def test_bytes_behind_or_before_the_archive_are_found(made):
    file, _key = made
    raw = file.read_bytes()
    assert ("fail", "archive") in found(raw + b"x")
    with pytest.raises(UnreadableError, match="is no file of carrom protest"):
        found(b"x" + raw)


def test_another_key_is_found(made, capsys):
    file, key = made
    parts = signed(unpack(file.read_bytes()))
    assert failed(parts) == set(), "all holds but whose it is"
    assert failed(parts, key) == {"signature"}
    assert first_fault(pack(parts), key) == f"signed by key {fingerprint(public_of(OTHER))}, not by the key {key}"
    # The old signature over another list, too.
    other = signed(parts, by="Ben")
    assert failed(other | {"signature.json": unpack(file.read_bytes())["signature.json"]}) == {"signature"}


def edited(parts: dict[str, bytes], name: str, change) -> dict[str, bytes]:
    """The parts with the lines of one of them changed, and signed anew."""
    rows = change([json.loads(line) for line in parts[name].splitlines()])
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    return signed(parts | {name: text.encode()})


def test_whoever_has_the_key_cannot_change_an_event_alone(made):
    """A broken chain, and rulings that this program gives otherwise: each in a line of its own."""
    parts = unpack(made[0].read_bytes())

    def turned(rows):
        rows[3]["ruling"]["turn"] = "north"
        return rows

    changed = edited(parts, "events.jsonl", turned)
    assert failed(changed) == {"chain", "rulings"}
    says = [one for one in found(pack(changed)) if one[0] == "fail"]
    assert len(says) == 2
    assert failed(edited(parts, "events.jsonl", lambda rows: [*rows[:2], *rows[3:]])) >= {"chain"}
    assert failed(edited(parts, "events.jsonl", lambda rows: [*rows, rows[-1]])) >= {"chain"}
    assert failed(edited(parts, "chain.jsonl", lambda rows: rows[1:])) == {"chain"}
    assert failed(edited(parts, "chain.jsonl", lambda rows: [*rows, rows[-1]])) == {"chain"}
    assert failed(edited(parts, "chain.jsonl", lambda rows: [rows[0] | {"salt": ""}, *rows[1:]])) == {"chain"}
    assert failed(signed(parts | {"clauses.json": b"[]\n"})) == {"clauses.json"}
    assert failed(edited(parts, "events.jsonl", lambda rows: [row | {"match": "m-2"} for row in rows])) == {"events"}
    assert failed(signed(parts, stroke=77)) == {"events"}
    assert failed(signed(parts, chain_head="0" * 64)) == {"chain"}


def test_a_journal_that_somebody_rewrote_is_found(tmp_path):
    config = table(tmp_path)
    with closing(sqlite3.connect(tmp_path / "state" / "journal.sqlite")) as raw:
        raw.execute("DROP TRIGGER events_are_kept")
        raw.execute("UPDATE events SET ruling = replace(ruling, 'icf-130a', 'icf-130b') WHERE seq = 4")
        raw.commit()
    parts = protest(config, tmp_path / "p.zip")
    assert failed(parts) == {"chain", "rulings"}


def test_other_rulebooks_are_named_before_what_they_rule_otherwise(made):
    parts = signed(unpack(made[0].read_bytes()), books_sha256="0" * 64)
    assert ("warn", "rulebooks") in found(pack(parts))


# files that are none --------------------------------------------------------------------------------------------------


def zipped(tmp_path, entries, how=zipfile.ZIP_STORED):
    with zipfile.ZipFile(tmp_path / "hostile.zip", "w", how) as archive:
        for name, body in entries:
            archive.writestr(zipfile.ZipInfo(name) if how == zipfile.ZIP_STORED else name, body)
    return (tmp_path / "hostile.zip").read_bytes()


LISTED = ("manifest.json", b"{}")


@pytest.mark.parametrize(
    ("entries", "how", "says"),
    [
        ([("manifest.json", bytes(10**7))], zipfile.ZIP_DEFLATED, "compressed or encrypted"),
        ([LISTED, ("../../etc/passwd", b"x")], zipfile.ZIP_STORED, "holds a part named '../../etc/passwd'"),
        ([LISTED, ("/etc/passwd", b"x")], zipfile.ZIP_STORED, "holds a part named '/etc/passwd'"),
        ([LISTED, ("clip/..", b"x")], zipfile.ZIP_STORED, "holds a part named"),
        ([LISTED, ("a/b/c", b"x")], zipfile.ZIP_STORED, "holds a part named"),
        ([LISTED, ("a\x1b[2Jb", b"x")], zipfile.ZIP_STORED, "holds a part named"),
        ([LISTED, *((f"p{number}", b"") for number in range(1000))], zipfile.ZIP_STORED, "holds more than 1000 parts"),
        ([("readme.txt", b"x")], zipfile.ZIP_STORED, "is no file of carrom protest"),
    ],
)
def test_hostile_archives_are_refused_in_one_line(tmp_path, capsys, entries, how, says):
    zipped(tmp_path, entries, how)
    assert main(["protest", "check", str(tmp_path / "hostile.zip")]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert "Fix: " in err
    assert err.count("\n") == 1
    assert err.isprintable() or err.rstrip("\n").isprintable()


def test_two_parts_of_one_name_and_a_part_beyond_the_end_are_refused(made):
    raw = made[0].read_bytes()
    parts = unpack(raw)
    size = 30 + len("manifest.json") + len(parts["manifest.json"])
    with pytest.raises(UnreadableError, match=r"holds manifest\.json twice"):
        unpack(raw[:size] + raw)
    with pytest.raises(UnreadableError, match=r"ends in the middle of manifest\.json"):
        unpack(raw[: size - 1])
    with pytest.raises(UnreadableError, match="ends in the middle of a part"):
        unpack(raw[:20])
    huge = bytearray(raw)
    huge[18:26] = struct.pack("<2I", 2**32 - 1, 2**32 - 1)
    with pytest.raises(UnreadableError, match="ends in the middle"):
        unpack(bytes(huge))


@pytest.mark.parametrize(
    "body", [b"{}", b"[" * 100_000, b'{"kind":"carrom protest","version":2}', bytes(2 * 2**20), b"\xff", b'{"a":1e999}']
)
def test_lists_that_are_none_are_one_line(made, body):
    assert "manifest.json" in failed(unpack(made[0].read_bytes()) | {"manifest.json": body})


@pytest.mark.parametrize("name", ["events.jsonl", "chain.jsonl"])
@pytest.mark.parametrize("body", [b"", b"[]\n", b"{}\n", b"[" * 100_000, b"\xff\n", b'{"seq":1e400}\n'])
def test_parts_that_are_none_are_named(made, name, body):
    assert failed(signed(unpack(made[0].read_bytes()) | {name: body}))
