"""Every name at the broker in one place. What is retained and what is not is part of a topic's meaning.

The standard library alone: the installer reads it too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from controller.events.doors import id_of
from controller.events.errors import ConfigError, UnreadableError

ROOT = "carrom"
HOME_ASSISTANT_STATUS = "homeassistant/status"
ONLINE, OFFLINE = "online", "offline"
FIXTURES = "fixtures"
POOL = "_pool"
"""In a table's place on a topic of fixtures: matches for the next free table. No table's id has this sign."""
SILENT_S = 10
"""A table publishes `health` every two seconds. One whose `health` has not come for so long is not there, whatever its
`availability` says: a node of a cluster that dies sends no will.
"""


def fixtures_topic(place: str) -> str:
    """Retained; what is to be played today on a table, or on the next free one (`POOL`), as the club's secretary
    published it. Raises ConfigError as `Topics` does."""
    return f"{ROOT}/{POOL}/{FIXTURES}" if place == POOL else Topics(place).fixtures


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table. Raises ConfigError for a table id that is no topic level."""

    table: str

    def __post_init__(self) -> None:
        try:
            id_of(self.table)
        except UnreadableError as error:
            raise ConfigError(f"table id {self.table!r} {error}. Fix: rename the table") from error

    @property
    def base(self) -> str:
        """What all of the table's topics begin with, without the slash."""
        return f"{ROOT}/{self.table}"

    @property
    def availability(self) -> str:
        """Retained; `online` or `offline`; the last will."""
        return f"{self.base}/availability"

    @property
    def score(self) -> str:
        """Retained; the scoreboard."""
        return f"{self.base}/score"

    def flat(self, name: str) -> str:
        """Retained; one bare number or word of the scoreboard: a side, `turn`, `queen` or `clock`."""
        return f"{self.base}/score/{name}"

    @property
    def board(self) -> str:
        """Retained; where the pieces lie."""
        return f"{self.base}/board"

    @property
    def shot(self) -> str:
        """Not retained; every stroke's event."""
        return f"{self.base}/shot"

    @property
    def ruling(self) -> str:
        """Not retained; every ruling."""
        return f"{self.base}/ruling"

    @property
    def history(self) -> str:
        """Retained; the match's latest rulings in short."""
        return f"{self.base}/history"

    def result(self, match: str) -> str:
        """Retained for a day; how a match ended."""
        return f"{self.base}/result/{match}"

    @property
    def alert(self) -> str:
        """Not retained; what somebody should notice now."""
        return f"{self.base}/alert"

    def standing(self, alert: str) -> str:
        """Retained until resolved; a standing fault or an open question."""
        return f"{self.base}/alert/{alert}"

    @property
    def call(self) -> str:
        """Never retained; the umpire's events come in here."""
        return f"{self.base}/call"

    @property
    def reply(self) -> str:
        """What a response topic must begin with to be honoured, with the slash."""
        return f"{self.base}/reply/"

    @property
    def fixtures(self) -> str:
        """Retained; what is to be played on this table today, see `fixtures_topic`."""
        return f"{self.base}/{FIXTURES}"

    @property
    def health(self) -> str:
        """Retained; how well the table sees and feels."""
        return f"{self.base}/health"

    @property
    def discovery(self) -> str:
        """Retained; how Home Assistant finds the table."""
        return f"homeassistant/device/{ROOT}_{self.table}/config"

    def for_umpire(self, topic: str) -> str:
        """Where the same is published to the umpire alone; the access list keeps these topics from everybody else."""
        return f"{self.base}/umpire/{topic.removeprefix(f'{self.base}/')}"

    def id_of(self, topic: str, kind: str) -> str | None:
        """Returns the id in `…/alert/<id>` or `…/result/<id>`, None if the topic is another."""
        head = f"{self.base}/{kind}/"
        tail = topic.removeprefix(head)
        return tail if topic.startswith(head) and tail and "/" not in tail else None


def client_id(name: str, password: str) -> str:
    """Returns the client id of whoever has this password: always the same, and nobody else's.

    A broker ends a connection when another with its client id comes in, whoever that is: mosquitto asks for no right to
    do so, on whichever listener. So an id that counts is not to be guessed. Without a password it is the bare name.
    """
    if not password:
        return name
    return f"{name}-{hashlib.sha256(f'client id:{name}:{password}'.encode()).hexdigest()[:20]}"
