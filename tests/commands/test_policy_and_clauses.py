"""Each policy key names the clauses that it settles, and each clause its keys: `books show`, `books clauses`, pages."""

from __future__ import annotations

import json
import re

import pytest

from controller.cli import main
from controller.rules.shelf import OFFICIAL, official_books
from scripts.write_documents import ROOT


def told(capsys, *words):
    assert main(["books", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def named(capsys, book):
    """The pairs of key and clause, as the keys tell them and as the clauses do."""
    keys = told(capsys, "show", book)["policy"]
    clauses = told(capsys, "clauses", book)["clauses"]
    return (
        {(key["key"], clause) for key in keys for clause in key["clauses"]},
        {(key, clause["id"]) for clause in clauses for key in clause["policy"]},
    )


@pytest.mark.parametrize("book", OFFICIAL)
def test_keys_and_clauses_name_each_other(capsys, book):
    by_key, by_clause = named(capsys, book)
    assert by_key == by_clause


def test_a_clause_names_every_policy_key(capsys):
    keys = {key["key"] for book in OFFICIAL for key in told(capsys, "show", book)["policy"]}
    settled = {key for book in OFFICIAL for key, _ in named(capsys, book)[0]}
    assert keys - settled == set()


@pytest.mark.parametrize("book", OFFICIAL)
def test_a_value_that_a_book_gives_itself_is_one_of_its_clauses(capsys, book):
    settled = {key for key, _ in named(capsys, book)[0]}
    declared = official_books()[book].keys
    own = {key["key"] for key in told(capsys, "show", book)["policy"] if key["value"] != declared[key["key"]].value}
    assert own - settled == set()


def test_people_read_the_names_too(capsys):
    assert main(["books", "show", "club"]) == 0
    assert re.search(r"^  replacements = 3 .*\(club-74\)$", capsys.readouterr().out, re.M)
    assert main(["books", "clauses", "club"]) == 0
    assert re.search(r"^club-38 .*\n.*\n +policy: late_stroke, missed_turn$", capsys.readouterr().out, re.M)
    pages = {name: (ROOT / "docs" / "reference" / f"{name}.md").read_text("utf-8") for name in ("policy", "clauses")}
    assert re.search(r"^\| `replacements` .* \| `club-74` \|$", pages["policy"], re.M)
    assert re.search(r"^\| `club-74` .* \| `replacements` \|", pages["clauses"], re.M)
    assert re.search(r"^\| `queen_cover` .* \| `world-20`, `world-22` \|$", pages["policy"], re.M)


def test_a_house_clause_names_its_key_and_no_other(tmp_path, capsys):
    house = tmp_path / "house.toml"
    clause = '[[clause]]\nid = "house-1"\nkind = "call"\nsays = "no draws"\npolicy = ["draws"]\n'
    house.write_text('id = "house"\nextends = "campus"\n' + clause)
    assert ("draws", "house-1") in named(capsys, str(house))[0]
    house.write_text('id = "house"\nextends = "campus"\n' + clause.replace("draws", "drawz"))
    assert main(["books", "show", str(house)]) == 2
    assert "house.toml:4: clause.0: there is no policy key drawz. Fix: use " in capsys.readouterr().err


@pytest.mark.parametrize("consequence", ["forfeit", "warn", "none", "foul"])
def test_what_is_detected_is_a_foul_or_nothing_and_no_book_may_say_otherwise(tmp_path, capsys, consequence):
    house = tmp_path / "house.toml"
    detects = 'detects = [{ fact = "placement.circle", is = ["covered"] }]\n'
    clause = f'[[clause]]\nid = "house-1"\nkind = "auto"\nsays = "too near"\nconsequence = "{consequence}"\n{detects}'
    house.write_text('id = "house"\nextends = "campus"\n' + clause)
    refused = consequence not in ("none", "foul")
    assert main(["books", "show", str(house)]) == (2 if refused else 0)
    says = "what is detected is ruled as a foul, not as 'forfeit'. Fix: use foul or none, or make it a call"
    assert (says in capsys.readouterr().err) == (consequence == "forfeit")
