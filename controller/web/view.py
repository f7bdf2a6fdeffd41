"""What the pages need of a table. The daemon offers it; the pages know nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from controller.web.feed import Feed

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a page shows, as JSON values. Only `score` must be there; what is left out is not shown.

    `score`: the MQTT payload. `board`: the MQTT payload, millimetres. `ruling`: the latest in full.
    `asks`: open questions, oldest first: `{ask, question, choices, seq, picture, clip: [first, last], seat, sides,
    about, key, pocket}`; `sides`: each of them must confirm (officiating by players). `about`, `key`: as a
    `Question` has them; `pocket`: into which the piece in question fell. Of a board that differs from the score also
    `missing`, `extra`: pieces; `counts`: `[piece, lie there, in the score]` of each kind that differs; `late`: it did
    so when it was struck. `flags`: fouls to confirm, answered like questions with `foul`, `no foul` or
    `replay the stroke`: `{ask, seq, clause, says, seat, picture, clip}`. `history`: the latest rulings, newest last,
    in short: `{seq, t, event, seat, says, elapsed, fell, fouls, provisional, void, saved, taken_back, ruled, seats,
    told, answered}`; `told`: a person has corrected or answered something of it; `answered`: what an answer chose;
    `ruled`: what of the ruling a sentence is made of, without what is empty; `seats`: who sat where then, by side,
    where it is otherwise now. `shot`: the latest stroke's event with its `seq`, for the correction form and the
    drawing; `stroke`: its ruling as it stands now.
    `tracks`: how the pieces moved in it: `[{piece, points: [[x, y], …]}]`, mm.
    `to_place`: `{piece, side, by, why, at, within}`; `side`: whose it is; `by`: the seat that places it.
    `alerts`: what stands, MQTT payloads.
    `health`: the MQTT payload. `book`: `{id, title}`. `pieces`: which kinds the book plays with. `watched`:
    how each clause is watched right now: `{clause, says, how: watched / on call / not watched, missing}`. `boards`: the
    boards so far, oldest first, while none is played: `{game, board, winner, points, drawn, why, score}`.
    `officiating`: who decides in this match: `umpire`, `players` or `referee`. `replays`: see `TableView.replays`.
    `called`: the match of the club's pool that this table was given, while none is played: a fixture.
    `lay`: where everything lay after the last stroke or placing, `{pieces: [{piece, x, y}], within_mm}`; `within_mm`:
    how far off a piece still counts as in place.
    `set_up`: how far the camera is set up anew, the umpire's alone: see `TableView.camera`.
    `arming`: how far the table is tried before its first match, the umpire's alone, as are pictures, clips and evidence
    of questions, and `felt`, of the latest stroke: `{seq, clip, sure, passages: [{pocket, t, beams, taken_for}]}`;
    `sure`: the share of the reading that was chosen, `t`: seconds from the stroke's begin.
    """

    score: Json
    board: Json | None = None
    ruling: Json | None = None
    asks: Sequence[Json] = ()
    flags: Sequence[Json] = ()
    history: Sequence[Json] = ()
    stroke: Json | None = None
    shot: Json | None = None
    tracks: Sequence[Json] = ()
    to_place: Sequence[Json] = ()
    alerts: Sequence[Json] = ()
    health: Json | None = None
    book: Json | None = None
    pieces: Sequence[str] = ("white", "black", "queen")
    watched: Sequence[Json] = ()
    boards: Sequence[Json] = ()
    officiating: str = "umpire"
    replays: Sequence[Json] = ()
    felt: Json | None = None
    called: Json | None = None
    lay: Json | None = None
    arming: Json | None = None
    set_up: Json | None = None

    def plain(self) -> dict[str, Any]:
        """The snapshot as one JSON object."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


class TableView(Protocol):
    """One table, as the pages see it. Every method may be called from any thread and may take its time."""

    @property
    def feed(self) -> Feed:
        """Where changes are published: `state` (no body: the snapshot changed), `board`, `clock` (their payloads)."""

    def snapshot(self, umpire: bool) -> Snapshot:
        """Everything a page shows, now. What is flagged and not yet confirmed is in the umpire's alone."""

    def act(self, event: dict[str, Any], by: str) -> Json:
        """An umpire's event. Returns the ruling or `{seq, event, error}`."""

    def decide(self, verdict: dict[str, Any], by: str) -> Json:
        """A juror's verdict. Returns the ruling or `{seq, event, error}`."""

    def preview(self, event: dict[str, Any]) -> Json:
        """What an event would change, with nothing done: `{ruling, differences: [{figure, was, now}]}`, `{error}`."""

    def arming(self, does: str, by: str) -> Json:
        """Begins to try the table before its first match (`begin`), or signs for it (`sign`). Returns how far it has
        got: `{began, signed, by, steps: [{what, which, ok, says}], missing}`, or `{error}`."""

    def camera(self, does: str, step: str) -> Json:
        """Sets the camera up anew: `begin`, `take` the picture of a `step` (`empty`, `opening`), `turn` the seats by
        one edge of the picture, `cancel`, `undo` (the calibration before comes back). Returns how far it has got, or
        `{error}`: `{step: off | empty | opening, busy: asked | still | judging | "", says, refused, notes, south,
        grade, picture, in_force_ns, kept}`; `picture`: the number of what is shown, 0 for none."""

    def camera_picture(self) -> bytes | None:
        """What was found in the latest picture while the camera was set up, as a JPEG; None where nothing is shown."""

    def geometry(self) -> Mapping[str, Any]:
        """The board's measures in mm, as `[board]` of the configuration names them."""

    def picture(self, number: int) -> bytes | None:
        """A JPEG by its number, None if it is gone."""

    def replays(self) -> Sequence[Json]:
        """The clips that everybody may see, oldest first: `{seq, clip: [first, last]}` of strokes of late on which a
        foul stands, with nothing about them open."""

    def clauses(self) -> Mapping[str, str]:
        """The book's clauses in words, by id."""

    def reference(self) -> Json:
        """The book that is played by, with its clauses as they are played: `{id, title, clauses: [{id, kind, says,
        then, policy: [KEY], …}]}`; without a match no id, no title and no clause."""

    def calls(self) -> Sequence[Json]:
        """The book's calls: `{clause, says, about: stroke|conduct|…, consequence, does, seat: bool, time: bool}`.

        `does`: the consequence in the book's own word; `time`: it is about how long a stroke took."""

    def officiating(self) -> str:
        """Who decides in this match: `umpire`, `players` or `referee`. Returns at once."""

    def books(self) -> Sequence[Json]:
        """The books a match can be played by: `{id, title, players: [2, 4], policy, tournament}`; the last two as this
        table is configured."""

    def fixtures(self, umpire: bool) -> Sequence[Json]:
        """What is to be played here today, as the club published it: `{time, event, round, book, seats, referee}`."""

    def stroke(self, seq: int) -> Json | None:
        """A stroke's event as it stands now, after every correction; None if there is no stroke of that number."""

    def look(self, seq: int) -> Json | None:
        """What there is for a second look at a stroke of late, None where nothing of it is kept: `{seq, pictures:
        [[number, seconds]], every, began, beams: [{pocket, beam, since, until}], view: {size, crop, pockets}, drawing,
        clearances, passages, frames, lost_frames, notes}`; seconds count from one zero."""

    def pin(self) -> str | None:
        """The umpire's PIN as it is now. None where no PIN is set: no PIN, no console. Returns at once."""
