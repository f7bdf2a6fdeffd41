"""How long a challenge has waited for its verdict. Pure: times in ns of the table's own clock come in.

It decides nothing: the desk takes a verdict, once `is_up`. A restart begins the time anew: nobody could decide while
the table was off.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.rules import Standing


@dataclass(frozen=True, slots=True)
class ChallengeClock:
    """`seq`: the challenge that waits, None while none does; `since_ns`: since when; `limit_ns`: 0 where there is no
    limit."""

    seq: int | None = None
    since_ns: int = 0
    limit_ns: int = 0

    def ruled(self, now: Standing, t_ns: int) -> ChallengeClock:
        """The clock after a ruling at `t_ns`, by which the match stands as in `now`."""
        waiting = now.challenges[0].seq if now.challenges else None
        limit_ns = round(now.policy["challenge_minutes"] * 60e9)
        return ChallengeClock(waiting, self.since_ns if waiting == self.seq else t_ns, limit_ns)

    def is_up(self, now_ns: int) -> bool:
        """Whether nobody has decided it in time."""
        return self.seq is not None and 0 < self.limit_ns <= now_ns - self.since_ns
