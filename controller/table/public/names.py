"""How players stand in what everybody may see: by name, by initials, or as their seats. Pure.

A table in a hall need not tell every telephone on its Wi-Fi who plays. What the umpire sees, and the journal, keep the
names. Must not know topics or pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from controller.events.words import Seat
from controller.mqtt.scoreboard import MatchInfo

Shown = Literal["names", "initials", "seats"]

TYPED = ("reason", "notes")
"""What people typed, which may name anybody: left empty where names are not shown."""

MOST_INITIALS = 3


@dataclass(frozen=True, slots=True)
class PublicNames:
    """One table's way of showing players to everybody."""

    shown: Shown = "names"

    @property
    def hides(self) -> bool:
        """Whether names are kept from everybody at all."""
        return self.shown != "names"

    def info(self, info: MatchInfo) -> MatchInfo:
        """What is known of a match, for everybody."""
        if not self.hides:
            return info
        called = self._called(info)
        sides = {side: {seat: called[seat] for seat in seats} for side, seats in info.sides.items()}
        return replace(info, sides=sides)

    def hide(self, body: Any, info: MatchInfo) -> Any:
        """A JSON value for everybody: without what people typed, and with sentences that name no player of the match.

        Single words stay: they are the program's own, whatever somebody is called.
        """
        if not self.hides:
            return body
        called = self._called(info)
        names = {name: called[seat] for seats in info.sides.values() for seat, name in seats.items() if name.strip()}
        if not names:
            return _hidden(body, None, names)
        longest_first = sorted(names, key=len, reverse=True)
        found = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)")
        return _hidden(body, found, names)

    def _called(self, info: MatchInfo) -> dict[Seat, str]:
        players = {seat: name for seats in info.sides.values() for seat, name in seats.items()}
        if self.shown == "seats":
            return {seat: seat.capitalize() for seat in players}
        short = {seat: initials(name) or seat.capitalize() for seat, name in players.items()}
        alike = [one for one in short.values() if list(short.values()).count(one) > 1]
        return {seat: f"{one} ({seat})" if one in alike else one for seat, one in short.items()}


NAMED = PublicNames()
"""Everybody sees the names."""


def initials(name: str) -> str:
    """`A. P.` for Asha Patil: of each word the first letter, with what is written upon it."""
    found = []
    for word in name.split():
        letters = word.lstrip("".join(sign for sign in word if not sign.isalnum()))
        if not letters:
            continue
        end = 1
        while end < len(letters) and unicodedata.category(letters[end]) in ("Mn", "Mc"):
            end += 1
        found.append(f"{letters[:end].upper()}.")
    return " ".join(found[:MOST_INITIALS])


def _hidden(value: Any, found: re.Pattern[str] | None, names: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: type(inner)()
            if key in TYPED and isinstance(inner, str | list | tuple)
            else _hidden(inner, found, names)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_hidden(inner, found, names) for inner in value]
    if isinstance(value, str) and found is not None and " " in value:
        return found.sub(lambda match: names[match[0]], value)
    return value
