"""Challenges: a side asks for another look at the latest stroke, and a verdict decides.

The state keeps every challenge of the match, decided or not; what a side has left follows from it. Who may challenge
is decided once, when the challenge comes: ruled on again it stands as it was made. Must not know what a verdict
corrects (`history`), nor any clock.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events import match
from controller.events.errors import EventError
from controller.events.ruling import Challenged
from controller.events.words import Seat
from controller.rules.play import Play

EVENTS = frozenset({match.Challenge.event, match.Verdict.event})
"""Events whose rulings say what each side has left."""
_WAIT = (match.Shot, match.Timeout, match.Pass, match.Play, match.NextBoard, match.Claim)
"""Events of play that are refused until the verdict; a word of the umpire never is."""
_OF_A_WORD = ("time", "foul")
"""What a challenge is about where an upheld one may take back a call, an answer or a timeout."""


def pending(play: Play) -> tuple[Challenged, ...]:
    """Returns the challenges without a verdict, first to last: one, or more where verdicts were taken back."""
    return tuple(one for one in play.challenges if one.result is None)


def left(play: Play) -> dict[Seat, int]:
    """Returns how many challenges each side may still lose."""
    most, keeps = play.book.policy["challenges"], play.book.policy["challenge_keeps"]
    lost = [one.side for one in play.challenges if one.result is not None and one.result not in keeps]
    return {side: max(0, most - lost.count(side)) for side in play.match.sides}


def spoken_of(play: Play, seq: int) -> Challenged | None:
    """Returns the challenge that event `seq` made or decided; None for any other event."""
    return next((one for one in play.challenges if seq in (one.seq, one.verdict)), None)


def refuse_play(play: Play, event: match.Event) -> None:
    """Refuses an event of play while a challenge is pending. Raises EventError."""
    if isinstance(event, _WAIT) and (waiting := pending(play)):
        raise EventError(f"challenge {waiting[0].seq} has no verdict yet. Fix: decide it before play goes on")


def admit(play: Play, asked: match.Challenge) -> None:
    """Refuses a challenge that its side may not make now. Raises EventError."""
    most = play.book.policy["challenges"]
    if not most:
        raise EventError("this match has no challenges. Fix: set policy challenges to 1 or more when the match starts")
    side = _side(play, asked.seat)
    if waiting := pending(play):
        raise EventError(f"challenge {waiting[0].seq} has no verdict yet. Fix: decide it first")
    if not left(play)[side]:
        raise EventError(
            f"seat: {side} has none of its {most} challenges left. Fix: ask the umpire, who may correct at any time"
        )
    if play.last is None:
        raise EventError("stroke: none has been played. Fix: challenge the latest stroke")
    if asked.stroke != play.last[0]:
        says = f"stroke: event {asked.stroke} is not the latest stroke that counts"
        raise EventError(f"{says}. Fix: challenge event {play.last[0]}, before the next stroke")


def put(play: Play, seq: int, asked: match.Challenge) -> Play:
    """Returns the state with one more challenge. Raises EventError where nobody sits at its seat."""
    made = Challenged(seq, _side(play, asked.seat), asked.stroke, asked.about)
    return play.but(challenges=(*play.challenges, made))


def to_decide(play: Play, given: match.Verdict) -> Challenged:
    """Returns the challenge that a verdict decides. Raises EventError where it waits for none, or says too much."""
    waiting = pending(play)
    found = next((one for one in waiting if one.seq == given.challenge), None)
    if found is None:
        numbers = " or ".join(str(one.seq) for one in waiting)
        fix = f"name {numbers}" if waiting else "take the verdict on it back first, if it has one"
        raise EventError(f"challenge: event {given.challenge} is no challenge without a verdict. Fix: {fix}")
    if given.replacement is not None and given.result != "upheld":
        raise EventError(f"with: a challenge that is {given.result} changes nothing. Fix: leave it out")
    if given.replacement is None and given.result == "upheld" and found.about not in _OF_A_WORD:
        raise EventError(f"with is missing. Fix: give event {found.stroke} as it should have been")
    return found


def decided(play: Play, given: match.Verdict, seq: int) -> Play:
    """Returns the state in which event `seq` has decided a challenge; unchanged where that is not pending."""
    return play.but(
        challenges=tuple(
            replace(one, result=given.result, verdict=seq, by=given.by, reason=given.reason or None)
            if one.seq == given.challenge and one.result is None
            else one
            for one in play.challenges
        )
    )


def _side(play: Play, seat: Seat) -> Seat:
    player = play.chairs.get(seat)
    if player is None:
        raise EventError(f"seat: nobody sits at {seat}. Fix: name one of {', '.join(play.chairs)}")
    return play.match.sides[play.side(player)]
