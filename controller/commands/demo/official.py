"""The simulated umpire: sits at the umpire's page, knows the truth, answers what is asked and puts right what is wrong.
While a person sits there, it leaves the questions to them; once a person has acted, it never acts again.

Acts by the page's own requests, nothing else: what it can do, a person with the PIN can do.
"""

from __future__ import annotations

import http.cookiejar
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Set
from typing import Any

from controller.commands.demo.tally import RULED
from controller.events.errors import PeerError

Json = dict[str, Any]
SECONDS = 15.0
BACK_S = 15.0
"""A table that lost its power is back by then."""
AGAIN_S = 0.25
CONFIRM = ("foul", "no foul")
LOOK_S = 0.5
"""So often it is checked whether a person umpires: the board calls at every picture."""
THERE_S = 6.0
"""A console that sent something so lately is open: its stream gets something every two seconds."""


class Official:
    """One umpire at one table's pages. `overruled(mine)`: whether anybody has acted but its own sessions."""

    def __init__(
        self,
        url: str,
        pin: str,
        sleep: Callable[[float], None] = time.sleep,
        patience_s: float = SECONDS,
        overruled: Callable[[Set[str]], bool] = lambda mine: False,
    ) -> None:
        self._url = url
        self._pin = pin
        self._patience_s = patience_s
        self._overruled = overruled
        self._mine: set[str] = set()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.ProxyHandler({})
        )
        self._in = False
        self._sleep = sleep
        self._looked, self._left = float("-inf"), False

    def leaves_it(self) -> bool:
        """Whether a person sits at the table's console and something waits for them: then it is theirs to decide."""
        if time.monotonic() - self._looked >= LOOK_S:
            self._left = self._somebody_is_there() and self._is_asked()
            self._looked = time.monotonic()
        return self._left

    def has_stepped_back(self) -> bool:
        """Whether a person has acted: then the table is theirs for good."""
        return self._overruled(self._mine)

    def _somebody_is_there(self) -> bool:
        try:
            sessions = self._as_umpire("/sessions")["sessions"]
        except urllib.error.HTTPError as error:
            raise PeerError(f"{self._url}/sessions: the page answers HTTP {error.code}") from error
        # By the table's own clock: the last to be heard of is this very question.
        now = max(one["seen"] for one in sessions)
        return any(now - one["seen"] <= THERE_S for one in sessions if not one["here"])

    def _is_asked(self) -> bool:
        state = self.state()
        return bool(state.get("asks") or state.get("flags"))

    def state(self) -> Json:
        """The page's state: score, open questions, latest ruling."""
        return self._get("/state")

    def act(self, event: Json) -> Json:
        """Does what an umpire does. Returns the ruling or the error; nothing is done once a person has acted."""
        if self.has_stepped_back():
            return {"error": "a person umpires"}
        return self._post("/act", event)

    def answer_all(self, truth: Mapping[str, Any], done: Callable[[], None]) -> int:
        """Answers every open question, and confirms fouls or waves them away, so that the state becomes the truth's;
        returns how many it answered.

        The choice is found as a person would find it: by looking what each would lead to. `done` is called after
        each answer.
        """
        answered = 0
        state = self.state()
        flags = [{**flag, "choices": CONFIRM} for flag in state.get("flags", [])]
        for ask in (*state.get("asks", []), *flags):
            if self.act(self.right_answer(ask, truth)).get("error") is None:
                answered += 1
                done()
        return answered

    def right_answer(self, ask: Json, truth: Mapping[str, Any]) -> Json:
        """Returns the answer to a question that leads to the truth, or nearest to it."""
        answers = [{"event": "answer", "ask": ask["ask"], "choice": choice} for choice in ask["choices"]]
        best, fewest = answers[0], len(RULED) + 1
        for answer in answers:
            ruling = self._post("/preview", answer).get("ruling")
            if ruling is None:
                continue
            wrong = sum(ruling.get(part) != truth.get(part) for part in RULED)
            if wrong < fewest:
                best, fewest = answer, wrong
        return best

    def set_to(self, truth: Mapping[str, Any], reason: str) -> Json:
        """Sets the state of play to a ruling's.

        A board that is over is left first: colours go by who breaks the next, and no position says them.
        """
        board = (self.state().get("ruling") or {}).get("board", {})
        if board.get("over") and not truth["board"]["over"]:
            self.act({"event": "next_board"})
        position = {
            "left": truth["left"],
            "queen": truth["queen"],
            "queen_side": truth.get("queen_side"),
            "turn": truth["turn"],
            "owed": truth["owed"],
            "score": truth["score"],
            "games": truth["games"],
            "board": truth["board"]["number"],
            "break_done": True,
        }
        clean = {key: value for key, value in position.items() if value is not None}
        return self.act({"event": "set", "position": clean, "reason": reason})

    def _get(self, path: str) -> Json:
        try:
            return self._open(self._request(path))
        except urllib.error.HTTPError as error:
            raise PeerError(f"{self._url}{path}: the page answers HTTP {error.code}") from error

    def _post(self, path: str, body: Json) -> Json:
        try:
            return self._as_umpire(path, body)
        except urllib.error.HTTPError as error:
            return _said(error)

    def _as_umpire(self, path: str, body: Json | None = None) -> Json:
        if not self._in:
            self._log_in()
        try:
            return self._open(self._request(path, body))
        except urllib.error.HTTPError as error:
            if error.code not in (401, 403):
                raise
            # The table was restarted and has forgotten who is logged in.
            self._log_in()
            return self._open(self._request(path, body))

    def _log_in(self) -> None:
        self._open(self._request("/login", {"pin": self._pin}))
        self._mine.add(self._open(self._request("/me")).get("id", ""))
        self._in = True

    def _request(self, path: str, body: Json | None = None) -> urllib.request.Request:
        headers = {"content-type": "application/json", "origin": self._url} if body is not None else {}
        sent = json.dumps(body).encode() if body is not None else None
        return urllib.request.Request(self._url + path, sent, headers)

    def _open(self, request: urllib.request.Request) -> Json:
        until = time.monotonic() + BACK_S
        try:
            while True:
                try:
                    with self._opener.open(request, timeout=self._patience_s) as answer:
                        body: Json = json.loads(answer.read() or b"{}")
                        return body
                except OSError as error:
                    # Nothing that this umpire says counts twice: an answer is refused, a position is the same again.
                    gone = isinstance(getattr(error, "reason", error), ConnectionError)
                    if time.monotonic() >= until or not gone:
                        raise
                    self._sleep(AGAIN_S)
        except urllib.error.HTTPError:
            raise
        except (OSError, ValueError) as error:
            raise PeerError(f"{request.full_url}: the page does not answer: {error}") from error


def _said(error: urllib.error.HTTPError) -> Json:
    try:
        body = json.loads(error.read())
    except ValueError:
        body = {}
    return body if isinstance(body, dict) and "error" in body else {"error": f"HTTP {error.code}"}
