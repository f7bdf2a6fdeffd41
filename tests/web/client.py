"""A browser without eyes: requests with a cookie, and the stream of changes line by line."""

from __future__ import annotations

import contextlib
import http.client
import json


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers: dict[str, str] = {}
        for name, value in response.getheaders():
            # A header that comes twice (cookies) has a line for each.
            self.headers[name.lower()] = "\n".join(filter(None, [self.headers.get(name.lower()), value]))
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""
        self.received = 0
        """Bytes of streams."""

    def get(self, path: str) -> Answer:
        return self._ask("GET", path)

    def post(self, path: str, body, **headers) -> Answer:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._ask("POST", path, sent, {"content-type": "application/json", **headers})

    def login(self, pin: str = "4711") -> Answer:
        answer = self.post("/login", {"pin": pin})
        given = [one.partition(";")[0] for one in answer.headers.get("set-cookie", "").split("\n")]
        self.cookie = "; ".join(filter(None, given))
        return answer

    def session(self, pin: str = "4711") -> str:
        """Gives the PIN; returns the session's cookie alone."""
        self.login(pin)
        return dict(one.split("=", 1) for one in self.cookie.split("; "))["carrom_umpire_table1"]

    def stream(self, path: str = "/events"):
        """Yields (kind, body) as they come; closing the generator hangs up."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        link.request("GET", path, headers={"cookie": self.cookie} if self.cookie else {})
        response = link.getresponse()
        assert response.getheader("content-type").startswith("text/event-stream")
        kind = ""
        try:
            for line in response:
                self.received += len(line)
                text = line.decode().rstrip("\n")
                if text.startswith("event: "):
                    kind = text.removeprefix("event: ")
                elif text.startswith("data: "):
                    yield kind, json.loads(text.removeprefix("data: "))
        finally:
            response.close()
            link.close()

    def tiles(self):
        """Yields the hub's tiles in their order, at each change; closing the generator hangs up."""
        known: dict[str, dict] = {}
        with contextlib.closing(self.stream()) as stream:
            for kind, body in stream:
                if kind not in ("state", "tiles"):
                    continue
                known = {**(known if kind == "tiles" else {}), **{tile["table"]: tile for tile in body}}
                yield sorted(known.values(), key=lambda tile: tile["place"])

    def _ask(self, method: str, path: str, body: bytes | None = None, headers: dict | None = None) -> Answer:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        if self.cookie:
            headers = {**(headers or {}), "cookie": self.cookie}
        link.request(method, path, body, headers or {})
        answer = Answer(link.getresponse())
        link.close()
        return answer
