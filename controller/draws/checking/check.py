"""The independent checker of draws: what event, entries, fixtures and results say, against the rules of each system.

It shares nothing with what makes draws: neither code nor the lots. Pure: no clock, file or chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.draws.checking.double import check_double
from controller.draws.checking.event_keys import read_rules
from controller.draws.checking.facts import Facts, Names, Notes, Proof, Rows
from controller.draws.checking.hall import check_hall
from controller.draws.checking.knockout import check_knockout
from controller.draws.checking.reading import read_entries, read_fixtures
from controller.draws.checking.results import RULE as RESULTS
from controller.draws.checking.results import read_results
from controller.draws.checking.robin import check_robin
from controller.draws.checking.swiss import check_swiss
from controller.draws.checking.ties import check_ties


def check(
    event: Mapping[str, Any], entries: Rows, fixtures: Rows, results: Rows | None = None, names: Names | None = None
) -> Proof:
    """Checks a draw. `event`: the parsed `EVENT.toml`; the others: a sheet's lines with their numbers; `results`: None
    where none are given; `names`: the files' names, for messages.

    Returns every finding, and what was proved of the rules that hold. What cannot be read ends the check.
    """
    names, notes = names or Names(), Notes()
    rules = read_rules(event, names, notes)
    entrants = read_entries(entries, rules, names, notes)
    lines = read_fixtures(fixtures, entrants, rules, names, notes)
    if notes.findings:
        return Proof(tuple(notes.findings), ())
    found, stood = read_results(results or (), rules, entrants, lines, names, notes)
    facts = Facts(names, rules, entrants, lines, found, stood, results is not None)
    match rules.system:
        case "knockout":
            check_knockout(facts, notes)
        case "double":
            check_double(facts, notes)
        case "groups" | "round_robin":
            check_robin(facts, notes)
        case "swiss":
            check_swiss(facts, notes)
        case _:
            check_ties(facts, notes)
    _check_decided(facts, notes)
    check_hall(facts, notes)
    if results is not None:
        notes.holds(RESULTS, f"{len(found)} of {len(lines)} matches, each won by who plays it after those it waits for")
    return Proof(tuple(notes.findings), tuple(notes.proved))


def _check_decided(facts: Facts, notes: Notes) -> None:
    """A match that another one waits for is not drawn."""
    waited = {side.ref.line for line in facts.lines for side in line.sides if side.ref is not None}
    for number, result in facts.results.items():
        if result.winner is None and number in waited | {facts.lines[-1].number} and waited:
            says = f"{facts.lines[number].id!r} is drawn, though somebody has to go on"
            notes.wrong(RESULTS, result.where, f"{says}. Fix: write who won")
