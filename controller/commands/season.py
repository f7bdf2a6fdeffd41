"""`carrom season`: what the hub has kept of finished matches: standings, two players, files, and what is forgotten.

The hub fills it; here it is read, filled with what the hub missed, put right, and freed of a name.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime, timedelta
from math import inf
from pathlib import Path

from controller.commands.export.report import report
from controller.commands.installed import HUB, add_config
from controller.commands.recorded import recorded, umpire_for
from controller.config import load_config
from controller.events.doors import json_text, name_key
from controller.events.errors import CarromError, ConfigError, DeviceError
from controller.hub import amending, season
from controller.hub.rating import Rating, rated_standings, ratings
from controller.hub.said import ResultSaid, read
from controller.hub.season import Kept, Standing
from controller.hub.season_at import season_at
from controller.hub.season_store import SeasonStore
from controller.mqtt.payloads import to_json

FORMS: dict[str, Callable[[Sequence[Kept]], str]] = {".csv": season.as_csv, ".json": season.as_json}
"""Ending → what is written."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("action", choices=list(_WANTS))
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="head-to-head: two players; export: a file (.csv, .json); refill: journals; forget, person, split: a "
        "name; merge: a name and the one that stands for it; strike: a match and why; restore: a match",
    )
    add_config(parser, "the hub's configuration, with [hub] season", name=HUB)
    parser.add_argument("--from", dest="since", type=_day, metavar="DAY", help="matches that ended then or later")
    parser.add_argument("--to", dest="until", type=_day, metavar="DAY", help="matches that ended then or earlier")
    parser.add_argument("--json", action="store_true", help="standings, head-to-head, slams: for machines")


def run(args: argparse.Namespace) -> int:
    """Does one of them."""
    least, most, wants = _WANTS[args.action]
    if not least <= len(args.words) <= most:
        raise ConfigError(
            f"carrom season {args.action} takes {wants}, not {len(args.words)} words. Fix: quote a name with spaces, "
            "and say the options last"
        )
    where = load_config(args.config).hub.season
    if where is None:
        raise ConfigError(f"{args.config}: hub.season names nothing, so no season is kept. Fix: set it")
    return _DOES[args.action](args, season_at(where))


def _standings(args: argparse.Namespace, store: SeasonStore) -> int:
    matches = _asked(args, store)
    if args.json:
        print(json_text(rated_standings(matches)))
        return 0
    rated = ratings(matches)
    _table(season.standings(matches), rated)
    if any(one.provisional for one in rated.values()):
        print("? provisional: not sure yet")
    print(_in_words(matches))
    return 0


def _head_to_head(args: argparse.Namespace, store: SeasonStore) -> int:
    matches = _asked(args, store)
    keys = [name_key(amending.known(name, matches)) for name in args.words]
    met = season.between(matches, *keys)
    two = [one for one in season.standings(met) if name_key(one.player) in keys]
    if args.json:
        print(json_text({"standings": [asdict(one) for one in two], "matches": season.plain(met)}))
        return 0
    _table(two)
    for match in met:
        sides = " : ".join(f"{' & '.join(side.players)} {side.points}" for side in match.result.sides)
        print(f"{_when(match.result.end)}  {match.table}  {sides}")
    print(_in_words(met))
    return 0


def _slams(args: argparse.Namespace, store: SeasonStore) -> int:
    found = season.slams(_asked(args, store))
    if args.json:
        print(json_text({"slams": [asdict(one) for one in found]}))
        return 0
    for one in found:
        where = f"{one.table} {one.match}, game {one.game}, board {one.board}"
        print(f"{_when(one.end)}  {one.colour} slam  {one.players} against {one.against}  ({where})")
    print(f"{len(found)} slams")
    return 0


def _export(args: argparse.Namespace, store: SeasonStore) -> int:
    to = Path(args.words[0])
    if to.suffix not in FORMS:
        raise ConfigError(f"{to}: the ending says which kind of file it is. Fix: one of {', '.join(FORMS)}")
    matches = _asked(args, store)
    try:
        to.write_text(FORMS[to.suffix](matches), encoding="utf-8", newline="")
    except OSError as error:
        raise DeviceError(f"{to}: cannot be written: {error.strerror}. Fix: name another file") from error
    print(f"{to}: {len(matches)} matches")
    return 0


def _refill(args: argparse.Namespace, store: SeasonStore) -> int:
    for journal in args.words:
        found, left_out = [], 0
        for match in recorded(argparse.Namespace(journal=Path(journal), match=None), latest_only=False):
            try:
                told = report(match, umpire_for(match.entries, None))
            except CarromError as error:
                print(f"{journal}: match {match.row.match} is left out: {error}", file=sys.stderr)
                left_out += 1
                continue
            result = read(ResultSaid, to_json(told.result), match.row.place) if told.over else None
            if result is not None:
                found.append((match.row.place, result))
        print(f"{journal}: {store.put(found, missing_only=True)} matches were missing")
        if left_out:
            print(f"{journal}: {left_out} matches could not be ruled again")
    return 0


def _forget(args: argparse.Namespace, store: SeasonStore) -> int:
    (name,) = args.words
    if not (count := store.forget(name)):
        amending.known(name, store.matches())
    print(f"{count} matches: {season.FORGOTTEN} stands in the name's place. What was exported or copied still has it")
    return 0


def _person(args: argparse.Namespace, store: SeasonStore) -> int:
    matches = store.matches()
    name = amending.known(args.words[0], matches)
    own = season.of_player(matches, name)
    standing = next((one for one in rated_standings(matches) if name_key(one["player"]) == name_key(name)), None)
    told = {"name": name, "standing": standing, "matches": season.plain(own)}
    print(json_text(told, indent=1))
    return 0


def _merge(args: argparse.Namespace, store: SeasonStore) -> int:
    name, player = amending.merge(store, *args.words)
    print(f"{name} counts as {player}. Take it back: carrom season split {shlex.quote(name)}")
    return 0


def _split(args: argparse.Namespace, store: SeasonStore) -> int:
    (name,) = args.words
    amending.split(store, name)
    print(f"{name} counts alone")
    return 0


def _strike(args: argparse.Namespace, store: SeasonStore) -> int:
    match, why = args.words
    one = amending.strike(store, match, why)
    print(f"{one.table} {one.result.match} does not count. Take it back: carrom season restore {shlex.quote(match)}")
    return 0


def _restore(args: argparse.Namespace, store: SeasonStore) -> int:
    one = amending.restore(store, *args.words)
    print(f"{one.table} {one.result.match} counts again")
    return 0


_DOES: dict[str, Callable[[argparse.Namespace, SeasonStore], int]] = {
    "standings": _standings,
    "head-to-head": _head_to_head,
    "slams": _slams,
    "export": _export,
    "refill": _refill,
    "forget": _forget,
    "person": _person,
    "merge": _merge,
    "split": _split,
    "strike": _strike,
    "restore": _restore,
}
_WANTS: dict[str, tuple[int, float, str]] = {
    "standings": (0, 0, "no name"),
    "head-to-head": (2, 2, "two names"),
    "slams": (0, 0, "no name"),
    "export": (1, 1, "one file"),
    "refill": (1, inf, "journals"),
    "forget": (1, 1, "one name"),
    "person": (1, 1, "one name"),
    "merge": (2, 2, "two names"),
    "split": (1, 1, "one name"),
    "strike": (2, 2, "a match and why"),
    "restore": (1, 1, "one match"),
}
"""Action → how many words it takes, from and to, and what they are."""


def _asked(args: argparse.Namespace, store: SeasonStore) -> list[Kept]:
    since = -inf if args.since is None else _midnight(args.since)
    until = inf if args.until is None else _midnight(args.until + timedelta(days=1))
    return season.within(store.matches(), since, until)


def _table(found: Sequence[Standing], rated: Mapping[str, Rating] | None = None) -> None:
    wide = max((len(one.player) for one in found), default=0)
    last = "" if rated is None else "  rating"
    print(f"      {'player':<{wide}}  played  won  drawn  lost  given  boards   points{last}")
    for one in found:
        boards, points = f"{one.boards_for}:{one.boards_against}", f"{one.points_for}:{one.points_against}"
        shown = _shown((rated or {}).get(name_key(one.player)))
        print(
            f"{one.place:>4}  {one.player:<{wide}}  {one.played:>6}  {one.won:>3}  {one.drawn:>5}  {one.lost:>4}  "
            f"{one.given:>5}  {boards:>6}  {points:>7}{shown}"
        )


def _shown(rating: Rating | None) -> str:
    return "" if rating is None else f"  {rating.shown:>6}{'?' if rating.provisional else ''}"


def _in_words(matches: Sequence[Kept]) -> str:
    counted = sum(one.counts for one in matches)
    left = len(matches) - counted
    return f"{counted} matches" + (f", {left} not counted" if left else "")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day. Fix: write it as 2026-09-01") from None


def _midnight(day: date) -> float:
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


def _when(unix: float) -> str:
    return f"{datetime.fromtimestamp(unix).astimezone():%Y-%m-%d}"
