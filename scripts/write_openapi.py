"""Writes the OpenAPI description of a table's pages into `controller/web/static/openapi.json`, which they serve.

What each route does stands in its own docstring; here stands what goes in and comes out. A route that is missing here,
or is no more, ends the writing. `make schemas` writes it, a test fails when it is not the routes' any more.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.routing import Route

from controller.events.doors import MOST_DIGITS
from controller.web.app import CAMERA_DOES, create_app
from controller.web.matches import FORMS
from scripts.write_schemas import Schema, as_text, schemas

FILE = Path(__file__).parents[1] / "controller" / "web" / "static" / "openapi.json"
SESSION = {"session": []}
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
YES: Schema = {"type": "boolean"}
PLAIN: Schema = {"type": "object"}
"""An object whose fields stand in the module that makes it."""


def listed(what: Schema) -> Schema:
    """An array of these."""
    return {"type": "array", "items": what}


def maybe(what: Schema) -> Schema:
    """This or null."""
    return {"anyOf": [what, {"type": "null"}]}


def named(name: str) -> Schema:
    """One of the components."""
    return {"$ref": f"#/components/schemas/{name}"}


def fixed(**parts: Schema) -> Schema:
    """An object with exactly these fields."""
    return {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}


def within(**parts: Schema) -> Schema:
    """An object with these fields, if any, and whatever else."""
    return {"type": "object", "properties": parts}


@dataclass(frozen=True)
class Answer:
    """What comes out besides errors: of which kind (None: JSON of this schema), and under which further statuses."""

    schema: Schema
    kind: str = "application/json"
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class Door:
    """One route with one method. `errors`: statuses with `{"error": …}`; `takes`: the JSON body's schema; `session`:
    nobody is let in without one."""

    tells: Answer
    errors: tuple[int, ...] = ()
    takes: Schema | None = None
    session: bool = False


def page() -> Door:
    """One of the pages."""
    return Door(Answer(TEXT, "text/html; charset=utf-8"))


def body(tells: Schema, takes: Schema, *errors: int, session: bool = False, also: tuple[int, ...] = ()) -> Door:
    """A POST of a JSON object; what any of them may be refused for is added."""
    return Door(Answer(tells, also=also), (400, 403, 413, 415, *errors), takes, session)


SESSIONS = fixed(
    sessions=listed(
        fixed(
            id=TEXT,
            began=NUMBER,
            seen=NUMBER,
            until=NUMBER,
            address=TEXT,
            browser=TEXT,
            side=TEXT,
            juror=TEXT,
            here=YES,
        )
    ),
    guessing=YES,
)
MATCH = fixed(
    match=TEXT,
    began=NUMBER,
    latest=NUMBER,
    events=COUNT,
    place=TEXT,
    book=TEXT,
    seats={"type": "object", "additionalProperties": TEXT},
    score={"type": "object", "additionalProperties": {"type": "integer"}},
    games={"type": "object", "additionalProperties": {"type": "integer"}},
    over=YES,
)
STATE = {
    "type": "object",
    "required": ["score", "asks", "flags", "history", "alerts", "health", "watched", "officiating", "replays"],
    "properties": {
        "score": PLAIN | {"required": ["seq", "state", "sides"]},
        "asks": listed(
            within(
                ask={"type": ["integer", "string"]},
                question=TEXT,
                choices=listed({}),
                about=TEXT,
                key=TEXT,
                pocket=maybe(TEXT),
                pieces=listed(TEXT),
            )
        ),
        "flags": listed(within(ask=TEXT, clause=TEXT)),
        "history": listed(within(seq=COUNT, event=TEXT, says=TEXT, seats=PLAIN)),
        "alerts": listed(within(id=TEXT, level=TEXT, says=TEXT)),
        "health": maybe(PLAIN),
        "watched": listed(within(clause=TEXT, how=TEXT)),
        "officiating": {"enum": ["umpire", "players", "referee"]},
        "replays": listed(fixed(seq=COUNT, clip={"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2})),
    },
}
ENTERED = within(umpire=YES, side=maybe(TEXT), juror=maybe(TEXT))
RULING = {"anyOf": [named("Ruling"), PLAIN]}

PREVIEW = within(ruling=maybe(PLAIN), differences=listed(within(seq=COUNT, figure=TEXT)))
LOOK = within(
    seq=COUNT,
    pictures=listed({"type": "array", "minItems": 2, "maxItems": 2}),
    every=COUNT,
    beams=listed(within(pocket=TEXT, beam=TEXT, since=NUMBER, until=maybe(NUMBER))),
    clearances=maybe(listed(within(fact=TEXT, margin_mm=NUMBER, u95_mm=NUMBER, in_order=TEXT))),
)

DOORS: dict[tuple[str, str], Door] = {
    **{
        ("GET", path): page()
        for path in ("/", "/umpire", "/player", "/join", "/jury", "/board", "/stream", "/overlay", "/book")
    },
    ("GET", "/state"): Door(Answer(named("State"))),
    ("GET", "/events"): Door(Answer(TEXT, "text/event-stream; charset=utf-8"), (503,)),
    ("GET", "/geometry"): Door(
        Answer({"type": "object", "additionalProperties": {"type": ["number", "array", "null"]}})
    ),
    ("GET", "/clauses"): Door(Answer({"type": "object", "additionalProperties": TEXT})),
    ("GET", "/book/clauses"): Door(
        Answer(
            fixed(
                id=maybe(TEXT),
                title=maybe(TEXT),
                clauses=listed(within(id=TEXT, kind=TEXT, says=TEXT, then=TEXT, policy=listed(TEXT))),
            )
        )
    ),
    ("GET", "/calls"): Door(Answer(listed(within(clause=TEXT, says=TEXT, about=TEXT, seat=YES)))),
    ("GET", "/books"): Door(Answer(listed(within(id=TEXT, title=TEXT, players=listed(COUNT), policy=PLAIN)))),
    ("GET", "/fixtures"): Door(Answer(listed(within(time=TEXT, event=TEXT, round=TEXT, book=TEXT)))),
    ("GET", "/me"): Door(Answer(within(umpire=YES, side=maybe(TEXT), juror=maybe(TEXT), id=TEXT))),
    ("GET", "/picture/{number}"): Door(Answer({}, "image/jpeg"), (401, 404)),
    ("GET", "/clip/{first}-{last}"): Door(
        Answer({}, "multipart/x-mixed-replace; boundary=frame"), (400, 401, 404, 503)
    ),
    ("POST", "/login"): body(ENTERED, fixed(pin=TEXT), 429, 503),
    ("POST", "/logout"): body(ENTERED, PLAIN),
    ("POST", "/jury/act"): body(RULING, named("Verdict"), 401, 409, session=True),
    ("POST", "/jury/preview"): body(PREVIEW, named("Verdict"), 401, 409, session=True),
    ("POST", "/join"): body(ENTERED, fixed(code=TEXT), 503),
    ("GET", "/sessions"): Door(Answer(SESSIONS), (401,), session=True),
    ("POST", "/sessions/end"): body(fixed(ended=COUNT), within(id=TEXT, others=YES), 401, 404, session=True),
    ("POST", "/invite"): body(
        fixed(address=TEXT, picture=TEXT, seconds=NUMBER), within(side=TEXT), 401, 404, session=True
    ),
    ("GET", "/matches"): Door(Answer(listed(MATCH)), (401, 503), session=True),
    ("GET", "/matches/{match}/protest-{seq}.zip"): Door(
        Answer({}, "application/zip"), (400, 401, 404, 503), session=True
    ),
    ("GET", "/matches/{match}.{form}"): Door(Answer({}, "*/*"), (401, 404, 503), session=True),
    ("GET", "/stroke/{seq}"): Door(Answer(named("Shot")), (401, 404), session=True),
    ("GET", "/look/{seq}"): Door(Answer(LOOK), (401, 404), session=True),
    ("POST", "/act"): body(RULING, named("Event"), 401, 409, session=True),
    ("POST", "/arming"): body(
        within(
            began=NUMBER, signed=maybe(NUMBER), by=TEXT, steps=listed(within(what=TEXT, ok=YES)), missing=listed(TEXT)
        ),
        within(do={"enum": ["begin", "sign"]}, name=TEXT),
        401,
        409,
        session=True,
    ),
    ("POST", "/camera"): body(
        within(step={"enum": ["off", "empty", "opening"]}, busy=TEXT, says=TEXT, refused=YES, picture=COUNT),
        within(do={"enum": list(CAMERA_DOES)}, step={"enum": ["", "empty", "opening"]}),
        401,
        409,
        session=True,
    ),
    ("GET", "/camera/{number}.jpg"): Door(Answer({}, "image/jpeg"), (401, 404), session=True),
    ("POST", "/preview"): body(PREVIEW, named("Event"), 401, 409, session=True),
    ("POST", "/replay"): body(within(seq=COUNT), within(seq=COUNT), 401, 409, session=True),
    ("POST", "/side/act"): body(RULING, named("Event"), 401, 409, session=True, also=(202,)),
}
"""Every route of a table's pages but the files below `/static`."""

BY_WAY_OF_THE_CONSOLE = ("/picture/{number}", "/clip/{first}-{last}")

WHY = {
    400: "not to be read, or out of bounds",
    401: "only for who gave the PIN, or came by a code that allows it",
    403: "refused: another site's page, a wrong PIN or code",
    404: "there is none",
    409: "the table refused it, in its own words",
    413: "too large",
    415: "not JSON",
    429: "too many tries; `retry-after` says how long to wait",
    503: "no place just now, or it cannot be had",
}
PARTS: dict[str, Schema] = {
    **{name: COUNT | {"maximum": 10**MOST_DIGITS - 1} for name in ("number", "first", "last", "seq")},
    "match": {"type": "string", "minLength": 1, "pattern": r"^[^/.]+$"},
    "form": {"enum": list(FORMS)},
}


def openapi() -> Schema:
    """Returns the description."""
    routes = {}
    for route in create_app(_NoTable(), past=_NoTable()).routes:  # type: ignore[arg-type]
        if isinstance(route, Route):
            path = re.sub(r"\{(\w+):\w+\}", r"{\1}", route.path)
            routes |= {(method, path): route for method in route.methods or () if method != "HEAD"}
    if missing := set(routes) ^ set(DOORS):
        raise SystemExit(f"scripts/write_openapi.py: not in both routes and DOORS: {sorted(missing)}. Fix: add them")
    paths: dict[str, Any] = {}
    for (method, path), door in DOORS.items():
        paths.setdefault(path, {})[method.lower()] = _operation(method, path, door, routes[method, path])
    known = schemas()
    defs = known["event"]["$defs"] | known["ruling"]["$defs"]
    parts = defs | {"Event": {"oneOf": known["event"]["oneOf"]}, "State": STATE, "Error": fixed(error=TEXT)}
    parts["Refused"] = {**within(error=TEXT), "required": ["error"]}
    described = {
        "openapi": "3.1.0",
        "info": {
            "title": "A carrom table's pages",
            "version": "1",
            "description": "Everybody may read; who gave the PIN may act. Fields are added, never renamed.",
        },
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "carrom_umpire_table1",
                    "description": "The table's id stands at the end of its name.",
                }
            },
        },
    }
    found: Schema = json.loads(json.dumps(described).replace("#/$defs/", "#/components/schemas/"))
    return found


def _operation(method: str, path: str, door: Door, route: Route) -> Schema:
    says = inspect.getdoc(route.endpoint) or "A page."
    good = {"description": "done", "content": {door.tells.kind: {"schema": door.tells.schema}}}
    answers: dict[str, Any] = {str(status): good for status in (200, *door.tells.also)}
    if path in BY_WAY_OF_THE_CONSOLE:
        answers["303"] = {"description": "opened as a page without the right to see it: to the console, for the PIN"}
    for status in door.errors:
        why = named("Refused" if status == 409 else "Error")
        answers[str(status)] = {"description": WHY[status], "content": {"application/json": {"schema": why}}}
    made: Schema = {
        "summary": says.split("\n\n")[0].replace("\n", " "),
        "operationId": f"{method.lower()}{re.sub(r'[^a-z]+', '_', path)}".rstrip("_"),
        "responses": answers,
    }
    names = re.findall(r"\{(\w+)\}", path)
    if names:
        made["parameters"] = [{"name": n, "in": "path", "required": True, "schema": PARTS[n]} for n in names]
    if door.takes is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": door.takes}}}
    if door.session:
        made["security"] = [SESSION]
    return made


class _NoTable:
    """Nobody asks it anything: only the routes are read."""

    feed = None

    def pin(self) -> None:
        return None


def main() -> None:
    """Writes the file."""
    FILE.write_text(as_text(openapi()), encoding="utf-8")


if __name__ == "__main__":
    main()
