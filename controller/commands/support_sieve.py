"""What must not leave a machine in a support archive: secrets wherever they stand, and the names of players.

By what a line says (`pin = …`, users in addresses, cookies and codes) and by the secrets themselves, as their files
hold them. Must not know what is gathered.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from controller.config import Config, secret_in
from controller.events.errors import CarromError
from controller.journal import Journal
from controller.table.process.housekeeping import journal_of
from controller.table.public.names import TYPED, initials

GONE = "…"
_KEY = r"[\w-]*(?:password|passwd|pwd|pin|secret|token|user|api_?key|credential)[\w-]*"
_SETTING = re.compile(rf"(?im)^(\s*\"?{_KEY}\"?\s*=\s*).*$")
"""A line of a configuration, ours or a broker's."""
_OPTION = re.compile(rf"(?i)(--{_KEY}(?:=|\s+))(?:\"[^\"]*\"|'[^']*'|[^\s\"']+)")
"""An option of a command that a log quotes."""
_QUERY = re.compile(r"(?i)(\w+://[^\s\"'?]*\?)[^\s\"']+")
_IN_JSON = re.compile(rf"""(?i)(["']{_KEY}["']\s*:\s*)(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
"""A value of JSON, or of a dictionary as Python writes it into a log."""
_IN_URL = re.compile(r"(//)[^/@\s\"']+@")
_IN_HEADER = re.compile(r"(?i)\b(cookie|authorization)(\s*[:=]\s*).*")
_SAID = re.compile(
    r"(?i)\b(carrom_\w+|code|invite|user(?:name)?|pwd|passwd|secret|passphrase|\w*token|\w*password|pin)"
    r"(\s*=\s*[\"']?)[^\s\"'&;,}]+"
)
"""What a log may quote of a request or an address: cookies, one-time codes, who asks."""
_AFTER_COLON = re.compile(r"(?i)\b(\w*password|passwd|pwd|passphrase|secret|\w*token)(\s*:\s*)[^\s\"',;}]+")
_LEAST = 4
"""Shorter secrets stand in any text by chance; where they are set, the line of the setting is blanked."""


@dataclass(frozen=True)
class Sieve:
    """`secrets`: texts that go wherever they stand; `names`: what each player's name is shown as."""

    secrets: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Returns the text without what must stay here."""
        for secret in self.secrets:
            text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", GONE, text)
        text = _SETTING.sub(rf'\1"{GONE}"', text)
        text = _OPTION.sub(rf"\1{GONE}", _QUERY.sub(rf"\1{GONE}", text))
        text = _IN_JSON.sub(rf'\1"{GONE}"', text)
        text = _IN_HEADER.sub(rf"\1\2{GONE}", _IN_URL.sub(rf"\1{GONE}@", text))
        text = _AFTER_COLON.sub(rf"\1\2{GONE}", _SAID.sub(rf"\1\2{GONE}", text))
        for name in sorted(self.names, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", self.names[name], text)
        for typed in TYPED:
            # What people typed may name anybody.
            text = re.sub(rf'("{typed}"\s*:\s*)"(?:[^"\\]|\\.)*"', r'\1""', text)
        return text


def sieve_for(config: Config | None, untold: Collection[str] = ()) -> Sieve:
    """Returns the sieve for a table; for a configuration that cannot be used, one that goes by what lines say.

    `untold`: words of the configuration that may stand nowhere.
    """
    if config is None:
        return Sieve(tuple(sorted(untold, key=len, reverse=True)))
    files = (config.web.pin_file, config.mqtt.password_file)
    secrets = {secret for file in files if file is not None and len(secret := _secret(file)) >= _LEAST}
    names: dict[str, str] = {}
    for seat, name in _players(config):
        shown = initials(name) if config.table.players_shown == "initials" else ""
        names[name] = shown or seat.capitalize()
    # A name is shown as its seat, not as something secret.
    hidden = (secrets | set(untold)) - names.keys()
    return Sieve(tuple(sorted(hidden, key=len, reverse=True)), names)


def _secret(file: Path) -> str:
    try:
        return secret_in(file)
    except CarromError:
        return ""


def _players(config: Config) -> Iterable[tuple[str, str]]:
    """Seats and names of everybody whom configuration or journal names."""
    yield from ((seat, name) for seat, name in config.match.seats.items() if name.strip())
    try:
        with Journal(journal_of(config), read_only=True) as journal:
            rows = journal.matches()
    except (CarromError, OSError):
        return
    for row in rows:
        yield from ((seat, name) for seat, name in row.seats.items() if name.strip())
