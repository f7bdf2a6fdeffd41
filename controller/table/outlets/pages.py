"""The table as the pages see it: `TableView` of `controller.web`, answered from the desk.

Called from the web server's threads; events go to the desk's inbox and are answered when they have been ruled. Must
not know what a page looks like.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from calibration.measures import measures_of
from controller.events.codec import event_to_json
from controller.events.doors import name_of
from controller.events.errors import ConfigError, EventError
from controller.events.ruling import Question
from controller.mqtt.payloads import Alert, Fixture, Lying, Score, is_played, plain
from controller.mqtt.scoreboard import MatchInfo, in_words
from controller.shots.outputs import Mismatch
from controller.table.desk.audience import Audience
from controller.table.desk.camera_set_up import CameraSetUp
from controller.table.desk.desk import Desk, Request
from controller.table.evidence.of_stroke import clip_of, clip_of_reading, look_of, passages_of, shown_picture
from controller.table.machine.arming import begun, signed
from controller.table.match.jurors import why_no_juror
from controller.table.match.questions import mismatch_question
from controller.table.match.ruled_match import RuledMatch
from controller.table.match.signed import Signed
from controller.table.match.watching import watching
from controller.table.public.messages import fouled_strokes
from controller.web.app import LONGEST_CLIP
from controller.web.feed import Feed
from controller.web.invitations import Invitations
from controller.web.view import Snapshot

log = logging.getLogger(__name__)

ACT_SECONDS = 10.0
HISTORY = 30

Json = dict[str, Any]


class DeskView:
    """One desk, as the pages see it. `pin`: None where nobody may log in; `configured`: the table's `start` event;
    `troubles`: what supervision says of the parts of the daemon; `signatures`: where it is kept who signed for the
    table."""

    def __init__(
        self,
        desk: Desk,
        loop: asyncio.AbstractEventLoop,
        pin: Callable[[], str | None],
        configured: Mapping[str, Any] | None = None,
        troubles: Callable[[], Mapping[str, str]] = dict,
        signatures: Signed | None = None,
    ) -> None:
        self._desk, self._shown, self._umpire = desk, desk.shown, desk.umpire
        self._umpires, self._everybody = Audience(desk.shown, umpires=True), Audience(desk.shown)
        self.clauses, self.calls, self.officiating = desk.umpire.clauses, desk.umpire.calls, desk.umpire.officiating
        self.reference = desk.umpire.reference
        self._configured = configured or {}
        self._loop, self._pin = loop, pin
        self._troubles = troubles
        self.signed = signatures
        self.set_up: CameraSetUp | None = None
        """Where the camera can be set up anew, once the vision process may connect."""
        self.published: Callable[[], Sequence[Fixture]] = tuple
        """Where the club's fixtures come from, once a broker is there."""
        self._watching: tuple[Any, list[Json]] | None = None
        self._fouled: tuple[Any, tuple[int, ...]] = (None, ())
        self._course: tuple[Any, Sequence[Json]] = (None, ())
        self.feed = Feed()
        self.jury = Invitations(time.monotonic, lambda _by: True)

    # -- what pages read

    def geometry(self) -> Mapping[str, Any]:
        """The board's measures in mm."""
        return measures_of(self._shown.board)

    def snapshot(self, umpire: bool) -> Snapshot:
        """Everything a page shows, now: the umpire's, or everybody's."""
        shown, told = self._shown, self._umpires if umpire else self._everybody
        latest, info, score, match = told.latest(), told.info(), told.score(), told.match
        stroke = match.latest_stroke()
        asks = [self._asked(one, match) for one in told.questions() if one.clause is None] + _of_board(told.mismatches)
        now = Snapshot(
            score=plain(score),
            board=plain(shown.lying.told) if shown.lying.told else None,
            ruling=latest,
            asks=asks if umpire else [_unpictured(one) for one in asks],
            flags=self._flags() if umpire else (),
            history=[
                _short(shown.told_at(one.seq), one.event, one.ruling, then)
                | {"told": one.told, "saved": one.seq not in shown.unsaved}
                | ({} if then.sides == info.sides else {"seats": plain(then.sides)})
                for one, then in told.recent(HISTORY)
            ],
            stroke=told.ruled(stroke.ruling) if stroke else None,
            shot={**told.played(stroke.event), "seq": stroke.seq} if stroke else None,
            tracks=shown.tracks,
            to_place=match.waiting_to_be_placed(),
            alerts=self._alerts(told.alerts),
            health=plain(shown.health_payload()),
            book=match.book_json(),
            pieces=match.pieces(),
            watched=self._watched(),
            officiating=match.officiating(),
            boards=self._boards(told) if _between_boards(latest) else (),
            replays=self.replays(),
            lay=self._lay(match),
            arming=shown.arming_told() if umpire else None,
            set_up=self.set_up.told() if umpire and self.set_up is not None else None,
            felt=self._felt(stroke.seq) if stroke and umpire and not shown.names.shadow else None,
            called=None if _is_played(score) else next((one for one in self.fixtures(umpire) if one["pool"]), None),
        )
        if umpire or not shown.names.players.hides:
            return now
        return replace(now, **{name: told.named(getattr(now, name)) for name in _NAMING})

    def _boards(self, told: Audience) -> Sequence[Json]:
        """The boards so far. All of the match is gone through for them: once a ruling, however many pages ask."""
        state = told.match.state
        if self._course[0] is not state:
            self._course = (state, plain(told.result().boards))
        return self._course[1]

    def _alerts(self, alerts: Sequence[Alert]) -> list[Json]:
        standing = [plain(alert) for alert in alerts]
        said = {alert["id"] for alert in standing}
        # A desk that hangs cannot say so itself.
        hanging = {f"part-{name}": says for name, says in self._troubles().items()}
        t = time.time()
        return standing + [plain(Alert(name, "fault", says, t)) for name, says in hanging.items() if name not in said]

    def _lay(self, match: RuledMatch) -> Json | None:
        expected = match.expectation()
        if expected is None or not expected.rest_mm:
            return None
        pieces = [{"piece": piece, "x": x, "y": y} for piece, x, y in expected.rest_mm if piece != "striker"]
        return {"pieces": pieces, "within_mm": self._desk.reader.state.limits.restored_mm}

    def _watched(self) -> list[Json]:
        book, health = self._umpire.book(), self._shown.health
        if book is None:
            return []
        grade = health.eyes.grade if health.eyes is not None and health.camera_works else None
        now = (book, grade, bool(health.node_works))
        # A page asks often and the answer changes seldom.
        if self._watching is None or self._watching[0] != now:
            self._watching = (now, watching(book, grade, beams=bool(health.node_works)))
        return self._watching[1]

    def _asked(self, one: Question, match: RuledMatch) -> Json:
        more = {"about": one.about, "key": one.key, "pocket": _pocket(one, match), "choices": list(one.choices)}
        return {"ask": one.ask, "question": one.question, **self._where(one), **more}

    def _where(self, one: Question) -> Json:
        return {"seq": one.seq, "seat": one.seat, "sides": list(one.sides), **self._pictures(one.seq)}

    def _flags(self) -> list[Json]:
        flags = [one for one in self._umpire.questions() if one.clause is not None]
        return [{"ask": one.ask, "clause": one.clause, "says": one.question, **self._where(one)} for one in flags]

    def _pictures(self, seq: int) -> dict[str, Any]:
        kept = self._shown.kept(seq)
        if kept is None or not kept.pictures:
            return {"picture": None}
        return {"picture": shown_picture(kept), "clip": clip_of(kept, LONGEST_CLIP), "evidence": dict(kept.facts)}

    def _felt(self, seq: int) -> Json | None:
        """Which beams felt the stroke's pieces, how sure its reading was, its clip; None if a person entered it."""
        read = self._desk.rulings.strokes.evidence(seq)
        if read is None or read.began_ns is None:
            return None
        felt = {"sure": round(read.weight, 3), "passages": passages_of(read, read.began_ns)}
        return {"seq": seq, "clip": clip_of_reading(read, LONGEST_CLIP), **felt}

    def picture(self, number: int) -> bytes | None:
        """A JPEG by its number, None if it is gone."""
        return self._shown.shelf.picture(number)

    def replays(self) -> Sequence[Json]:
        """The clips that everybody may see: of strokes of late on which a foul stands, with nothing about them open."""
        shown = self._shown
        match = self._umpire.public
        state, open_still = match.state, {one.seq for one in match.questions()}
        if self._fouled[0] is not state:
            self._fouled = (state, fouled_strokes(match.recent(HISTORY), _about_strokes(match.calls())))
        found = []
        for seq in self._fouled[1]:
            kept = shown.kept(seq)
            clip = clip_of(kept, LONGEST_CLIP) if kept is not None and seq not in open_still else None
            if clip is not None:
                found.append({"seq": seq, "clip": clip})
        return found

    def books(self) -> Sequence[Json]:
        """The books a match can be played by, with what this table's configuration says of its own."""
        own = self._configured.get("book")
        return [
            {
                "id": book.id,
                "title": book.title,
                "players": list(book.players),
                "policy": dict(self._configured.get("policy", {})) if name == own else {},
                "tournament": bool(self._configured.get("tournament", False)) if name == own else False,
            }
            for name, book in self._umpire.books.items()
        ]

    def fixtures(self, umpire: bool) -> Sequence[Json]:
        """What is to be played here today; nothing for everybody where names are not shown to them."""
        if not umpire and self._shown.names.players.hides:
            return []
        return [plain(fixture) for fixture in self.published() if not fixture.over]

    def stroke(self, seq: int) -> Json | None:
        """A stroke's event as it stands now."""
        event = self._umpire.event(seq)
        if event.get("event") != "shot":
            return None
        return self._umpires.played(event)

    def look(self, seq: int) -> Json | None:
        """What there is for a second look at a stroke."""
        kept = self._shown.kept(seq)
        return None if kept is None or not kept.pictures or self._shown.names.shadow else {"seq": seq, **look_of(kept)}

    # -- what the umpire does

    def act(self, event: dict[str, Any], by: str) -> Json:
        """An umpire's event. Returns the ruling or `{seq, event, error}`."""
        return self._asked_of(event, by)

    def decide(self, verdict: dict[str, Any], by: str) -> Json:
        """A juror's verdict."""
        return self._asked_of(verdict, by, jury=True)

    def _asked_of(self, event: dict[str, Any], by: str, *, jury: bool = False) -> Json:
        async def asked() -> Json:
            answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
            self._desk.inbox.put_nowait(Request(event, by, answer, jury))
            return await answer

        try:
            return asyncio.run_coroutine_threadsafe(asked(), self._loop).result(ACT_SECONDS)
        except TimeoutError:
            late = "the table did not answer in time; look before repeating"
            return {"seq": None, "event": event.get("event"), "error": late}

    def post(self, event: dict[str, Any], by: str) -> None:
        """An umpire's event from where nobody waits for an answer: a button. May be called from any thread."""
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._loop.call_soon_threadsafe(self._desk.inbox.put_nowait, Request(event, by, answer))

    def preview(self, event: dict[str, Any]) -> Json:
        """What an event would change, nothing being done."""
        try:
            mismatch = self._shown.mismatch_answer(event)
        except EventError as error:
            return {"error": str(error)}
        if mismatch is None:
            return self._umpire.preview(event)
        meant = mismatch[1]
        return self._umpire.preview(event_to_json(meant[0])) if meant else {"ruling": None, "differences": []}

    def let_in_juror(self, name: Any) -> Json:
        """Lets in who is to decide the challenge that waits: `{path}` of a page of this table, good for one device.

        Raises EventError where none waits, and where this person may not decide it.
        """
        now = self._umpire.standing()
        if now is None or not now.challenges:
            raise EventError("no challenge waits for its verdict here")
        if not isinstance(name, str) or not name.strip():
            raise EventError("by is missing. Fix: say who decides")
        juror = name_of(name)
        if (why := why_no_juror(self._umpire, juror)) is not None:
            raise EventError(why)
        code, _ = self.jury.give("", "", juror)
        return {"seq": self._umpire.seq, "event": "jury", "path": f"/join#{code}"}

    def arming(self, does: str, by: str) -> Json:
        """Begins to try the table, or signs for it; `by`: who. Returns how far it has got."""
        done: Future[Json] = Future()
        self._loop.call_soon_threadsafe(lambda: done.set_result(self._arm(does, by)))
        return done.result(ACT_SECONDS)

    def camera(self, does: str, step: str) -> Json:
        """Sets the camera up anew, step by step. Returns how far it has got, or the error."""
        set_up = self.set_up
        if set_up is None:
            return {"error": "the table is still starting. Fix: a moment's patience"}
        done: Future[Json] = Future()
        self._loop.call_soon_threadsafe(lambda: done.set_result(set_up.ask(does, step)))
        return done.result(ACT_SECONDS)

    def camera_picture(self) -> bytes | None:
        """What was found while the camera was set up."""
        return self.set_up.picture() if self.set_up is not None else None

    def _arm(self, does: str, by: str) -> Json:
        shown, now = self._shown, time.time()
        if does == "begin":
            shown.arm(begun(now))
        elif shown.arming.began is None or shown.arming.signed is not None:
            return {"error": "nothing is being tried: begin first"}
        else:
            told = shown.arming_told() or {}
            try:
                if self.signed is not None:
                    self.signed.add({**told, "signed": now, "by": by})
            except OSError as error:
                return {"error": f"it cannot be written down: {error}"}
            shown.arm(signed(shown.arming, by, now))
        return shown.arming_told() or {}

    def pin(self) -> str | None:
        """The umpire's PIN now; nobody may log in while it cannot be read."""
        try:
            return self._pin() or None
        except ConfigError as error:
            log.warning("%s", error)
            return None

    # -- an outlet of the desk

    def _anew(self, *_told: Any, **_more: Any) -> None:
        """Whatever it is, a page reads how things stand anew."""
        self.feed.push("state")

    shot = ruling = alert = resolve = health = _anew

    def board(self, lying: Lying) -> None:
        """Where the pieces lie, or are moving."""
        self.feed.push("board", plain(lying))

    def changed(self) -> None:
        """Score or clock changed."""
        self.feed.push("clock", plain(self._shown.clock_payload()))


def _unpictured(ask: Json) -> Json:
    """A question as everybody is sent it: without its pictures, which may show somebody who has done nothing wrong."""
    return {name: value for name, value in ask.items() if name not in ("picture", "clip", "evidence")}


def _of_board(mismatches: Mapping[str, Mismatch]) -> list[Json]:
    """The questions about a board that is not as the book says."""
    asked = []
    for name, held in list(mismatches.items()):
        one = mismatch_question(name, held)
        more = {"picture": one.picture, "says": held.says, "about": one.about, "key": one.key, "late": held.late}
        asked.append({"ask": name, "question": one.question, "choices": list(one.choices), **more})
        asked[-1] |= {"missing": list(held.missing), "extra": list(held.extra), "counts": list(map(list, held.counts))}
    return asked


def _pocket(one: Question, match: RuledMatch) -> str | None:
    """Into which pocket the piece fell that is asked about; None where another thing is, or no pocket is known."""
    fact, _, rest = one.key.partition(".")
    number = rest.partition(".")[0]
    fell = match.event(one.seq).get("pocketed", ()) if fact == "pocketed" and number.isdecimal() else ()
    pocket = fell[int(number)].get("pocket") if number.isdecimal() and int(number) < len(fell) else None
    return str(pocket) if pocket else None


def _about_strokes(calls: Sequence[Json]) -> frozenset[str]:
    return frozenset(call["clause"] for call in calls if call["about"] == "stroke")


def _short(t: float, event: Json, ruling: Json, info: MatchInfo) -> Json:
    stroke = event.get("with", event)
    return {
        "seq": ruling.get("seq"),
        "t": t,
        "event": ruling.get("event"),
        "seat": ruling.get("seat"),
        "says": in_words(ruling, info),
        "elapsed": stroke.get("elapsed"),
        "fell": [{"piece": fell["piece"], "pocket": fell.get("pocket")} for fell in stroke.get("pocketed", ())],
        "fouls": [foul["clause"] for foul in ruling.get("fouls", ()) if foul["status"] == "ruled"],
        "provisional": bool(ruling.get("provisional")),
        "void": bool(ruling.get("void")),
        "taken_back": stroke.get("event") == "set" and not stroke.get("position"),
        "ruled": {name: ruling[name] for name in _SENTENCE if ruling.get(name) or ruling.get(name) is False},
        **({"answered": event.get("choice")} if ruling.get("event") == "answer" else {}),
    }


def _is_played(score: Score) -> bool:
    return is_played(score.state, score.seq, (one for side in score.sides for one in side.seats.items()))


_NAMING = ("ruling", "asks", "history", "stroke", "shot", "alerts")
"""The parts of a snapshot with sentences in them, which may name somebody."""

_SENTENCE = (
    "event",
    "seat",
    "fouls",
    "void",
    "match_over",
    "game_over",
    "games",
    "given",
    "winner",
    "dues",
    "returned",
    "take_off",
    "turn",
    "turn_kept",
    "board",
    "challenge",
    "challenges_left",
)
"""What of a ruling the pages make its sentence of, each in its reader's language."""


def _between_boards(ruling: Json | None) -> bool:
    """Whether nothing is played: only then is the course of the match shown, and only then is it worked out."""
    return ruling is not None and bool(ruling.get("match_over") or ruling["board"]["over"])
