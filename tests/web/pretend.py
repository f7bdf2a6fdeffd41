"""A table that is not there: what the pages need, with everything that was asked of it written down."""

from __future__ import annotations

import copy
import json
import threading

import cv2
import numpy as np

from calibration.measures import measures_of
from controller.events.errors import DeviceError
from controller.web import Feed, Snapshot
from tests.boards import WIDE_POCKETS

SCORE = {
    "seq": 14,
    "t": 1_700_000_000.0,
    "table": "hall-2",
    "match": "m-1",
    "book": "icf",
    "state": "playing",
    "game": 1,
    "board": 2,
    "sides": [
        {
            "name": "south",
            "seats": {"south": "Asha"},
            "colour": "white",
            "points": 12,
            "games": 0,
            "left": 4,
            "in_hand": 5,
            "owed": 1,
            "queen": None,
        },
        {
            "name": "north",
            "seats": {"north": "Ben"},
            "colour": "black",
            "points": 7,
            "games": 0,
            "left": 6,
            "in_hand": 3,
            "owed": 0,
            "queen": "pending",
        },
    ],
    "turn": "north",
    "winner": None,
    "queen": "pending",
    "queen_side": "north",
    "clock": {"running": True, "left": 11.4, "limit": 15.0},
    "armed": "armed",
    "provisional": ["left.black", "turn"],
    "asks": 1,
    "last": {
        "seq": 14,
        "event": "shot",
        "seat": "south",
        "says": "due paid by south: 1; north to play; question open",
        "fouls": [],
        "cites": ["icf-61"],
        "provisional": True,
        "void": False,
    },
}
RULING = {
    "seq": 14,
    "event": "shot",
    "seat": "south",
    "fouls": [{"clause": "icf-30", "says": "the elbow crossed the extended line", "status": "to confirm"}],
    "cites": ["icf-61"],
    "returned": [{"piece": "white", "side": "south", "why": "icf-66", "to": [0.0, 0.0]}],
    "dues": [{"side": "south", "pieces": 1, "owed": 1, "why": "icf-66", "within": None}],
    "asks": [{"ask": 14, "question": "Which piece fell in NE?", "choices": ["black", "white"]}],
    "provisional": True,
    "saved": True,
    "unseen": ["contacts"],
    "notes": ["too close to call: base circle"],
    "board": {"number": 2, "over": False, "on_demand": 0},
}
SHOT = {
    "event": "shot",
    "seq": 14,
    "seat": "south",
    "t": 88.2,
    "placement": {"x": -40.0, "y": -252.6, "lines": "both"},
    "pocketed": [{"piece": "black", "pocket": "NE", "t": 89.0}, {"piece": "striker", "pocket": "NW"}],
    "flags": ["elbow"],
    "doubts": [{"fact": "pocketed.0.piece", "choices": [["black", 0.6], ["white", 0.4]]}],
}
PIECES = [
    ("white", 12.0, 80.5),
    ("white", -120.0, 40.0),
    ("white", 210.0, -30.0),
    ("white", 0.0, 0.0),
    ("black", 31.5, 4.0),
    ("black", -60.0, -140.0),
    ("black", 150.0, 190.0),
    ("black", -200.0, 222.0),
    ("black", 90.0, -90.0),
    ("black", -20.0, 160.0),
    ("striker", 60.0, 252.0),
]
CLAUSES = {
    "icf-61": "a pocketed piece of one's own keeps the turn",
    "icf-66": "pocketing the striker: one piece of the side is due",
    "icf-30": "the elbow may not cross the extended line",
    "icf-32": "only one hand may be used",
}


class PretendTable:
    """`acted`: (event, by). `answer`: what the table says to an event. `snapshots`: how often it was asked for one."""

    def __init__(self) -> None:
        self.published: list[dict] = []
        self.names_everybody = True
        self.feed = Feed()
        self.board = WIDE_POCKETS
        self.acted: list[tuple[dict, str]] = []
        self.previewed: list[dict] = []
        self.armed: list[tuple[str, str]] = []
        self.camera_asked: list[tuple[str, str]] = []
        self.camera_refuses = ""
        self.happened = threading.Condition()
        self.snapshots = 0
        self.pin_now: str | None = "4711"
        self.answer = {"seq": 15, "event": "call"}
        self.differences = [
            {"seq": 14, "figure": "left", "was": {"white": 4, "black": 6}, "now": {"white": 3, "black": 6}},
            {"seq": 14, "figure": "turn", "was": "north", "now": "south"},
        ]
        self.state = {
            "score": copy.deepcopy(SCORE),
            "board": {
                "t": 1.0,
                "moving": False,
                "pieces": [{"piece": p, "x": x, "y": y} for p, x, y in PIECES],
            },
            "ruling": copy.deepcopy(RULING),
            "asks": [
                {
                    "ask": 14,
                    "question": "Which piece fell in NE?",
                    "choices": ["black", "white", "none of these", "replay the stroke"],
                    "seq": 14,
                    "picture": 41,
                    "clip": [40, 44],
                    "seat": "south",
                }
            ],
            "flags": [{"ask": "14.1", "seq": 14, "clause": "icf-30", "says": "elbow?", "seat": "south", "picture": 42}],
            "history": [
                {
                    "seq": 12,
                    "event": "shot",
                    "seat": "south",
                    "says": "south plays on",
                    "fell": [{"piece": "white", "pocket": "NE"}, {"piece": "queen", "pocket": None}],
                    "fouls": [],
                },
                {"seq": 13, "event": "shot", "seat": "south", "says": "foul icf-130a: one line only", "fouls": ["x"]},
                {"seq": 14, "event": "shot", "seat": "south", "says": SCORE["last"]["says"], "provisional": True},
            ],
            "shot": copy.deepcopy(SHOT),
            "tracks": [
                {"piece": "striker", "points": [[-40, -252], [20, 40], [-347, 347]]},
                {"piece": "black", "points": [[40, 60], [347, 347]]},
            ],
            "to_place": [
                {"piece": "white", "why": "icf-66", "within": {"centre": [0, 0], "inner_mm": 15.9, "outer_mm": 85.0}}
            ],
            "alerts": [{"id": "beam-ne", "level": "fault", "says": "the NE beam is dirty; wipe its lens", "t": 1.0}],
            "health": {
                "t": 1.0,
                "armed": "armed",
                "camera": "ok",
                "beams": "ok",
                "node": "up",
                "broker": "ok",
                "journal": "ok",
                "disk": 10**10,
                "seen": 1_700_000_000.0,
            },
            "book": {"id": "icf", "title": "ICF singles"},
            "watched": [
                {"clause": "icf-66", "says": "the striker fell", "how": "watched", "missing": []},
                {"clause": "icf-30", "says": "the elbow", "how": "on call", "missing": ["flags.elbow"]},
                {"clause": "icf-32", "says": "both hands", "how": "not watched", "missing": ["flags.two_hands"]},
            ],
        }

    def snapshot(self, umpire: bool) -> Snapshot:
        self.snapshots += 1
        state = copy.deepcopy(self.state)
        if not umpire:
            state["flags"] = []
            state["felt"] = None
            pictured = ("picture", "clip", "evidence")
            state["asks"] = [{k: v for k, v in one.items() if k not in pictured} for one in state["asks"]]
            state["ruling"] = state["ruling"] and state["ruling"] | {"fouls": []}
        return Snapshot(**state)

    def act(self, event: dict, by: str) -> dict:
        with self.happened:
            self.acted.append((event, by))
            self.happened.notify_all()
        return self.answer

    def decide(self, verdict: dict, by: str) -> dict:
        return self.act(verdict, by)

    def arming(self, does: str, by: str) -> dict:
        with self.happened:
            self.armed.append((does, by))
            self.happened.notify_all()
        return {"began": 1.0, "signed": 2.0 if does == "sign" else None, "by": by, "steps": [], "missing": []}

    def camera(self, does: str, step: str) -> dict:
        with self.happened:
            self.camera_asked.append((does, step))
            self.happened.notify_all()
        return {"error": self.camera_refuses} if self.camera_refuses else dict(self.state.get("set_up") or {})

    def camera_picture(self) -> bytes | None:
        return self.picture(42)

    def preview(self, event: dict) -> dict:
        self.previewed.append(event)
        return {
            "ruling": RULING,
            "differences": self.differences,
        }

    def picture(self, number: int) -> bytes | None:
        if not 40 <= number <= 44:
            return None
        frame = np.full((360, 640, 3), (120, 170, 200), np.uint8)
        cv2.circle(frame, (120 + 40 * (number - 40), 180), 40, (40, 40, 40), -1)
        return cv2.imencode(".jpg", frame)[1].tobytes()

    def replays(self) -> list[dict]:
        return self.state.get("replays", [])

    def clauses(self) -> dict[str, str]:
        return CLAUSES

    def reference(self) -> dict:
        rows = [
            ("icf-15", "the queen is covered by an own piece", "decided by the score", []),
            ("icf-34a", "each stroke is made within 15 seconds", "", ["stroke_seconds"]),
            ("icf-32", "using both hands is a foul", "the stroke is fouled", []),
        ]
        clauses = [dict(zip(("id", "says", "then", "policy"), row, strict=True)) for row in rows]
        return {"id": "icf", "title": "International Laws of Carrom", "clauses": clauses}

    def calls(self) -> list[dict]:
        return [
            {"clause": "icf-30", "says": "the elbow crossed the extended line", "about": "stroke", "seat": True},
            {
                "clause": "icf-32",
                "says": "both hands were used",
                "about": "stroke",
                "consequence": "the stroke is fouled",
                "seat": True,
            },
            {"clause": "icf-140", "says": "the board was disturbed from outside", "about": "board", "seat": False},
        ]

    def officiating(self) -> str:
        return self.state.get("officiating", "umpire")

    def books(self) -> list[dict]:
        return [
            {"id": "icf", "title": "Laws", "players": [2, 4], "policy": {"points": 15}, "tournament": True},
            {"id": "sixes", "title": "Sixes", "players": [2], "policy": {}, "tournament": False},
        ]

    def fixtures(self, umpire: bool) -> list[dict]:
        return self.published if umpire or self.names_everybody else []

    def stroke(self, seq: int) -> dict | None:
        return {key: value for key, value in SHOT.items() if key != "seq"} if seq in (13, SHOT["seq"]) else None

    def look(self, seq: int) -> dict | None:
        return LOOK | {"seq": seq} if seq == SHOT["seq"] else None

    def geometry(self) -> dict[str, object]:
        return measures_of(self.board)

    def pin(self) -> str | None:
        return self.pin_now

    def wait_for_acts(self, count: int, timeout: float = 30) -> None:
        with self.happened:
            assert self.happened.wait_for(lambda: len(self.acted) >= count, timeout), self.acted


LOOK = {
    "pictures": [[40, -0.4], [41, -0.1], [42, 0.1], [43, 0.5], [44, 0.9]],
    "every": 2,
    "began": 0.0,
    "placed": 40,
    "before": 41,
    "view": {"size": [640, 360], "crop": [20, 0, 600, 360], "pockets": {"NE": [[500, 20], [560, 20], [530, 50]]}},
    "drawing": {
        "size": [640, 360],
        "crop": [20, 0, 600, 360],
        "lines": [[[100, 300], [500, 300]]],
        "striker": [[120, 140], [200, 140], [160, 220]],
    },
    "beams": [
        {"pocket": "NE", "beam": "upper", "since": 0.48, "until": 0.52},
        {"pocket": "NE", "beam": "lower", "since": 0.5, "until": None},
    ],
    "clearances": [
        {"fact": "placement.lines", "margin_mm": 4.0, "u95_mm": 0.5, "in_order": "yes", "says": ""},
        {"fact": "placement.lines", "margin_mm": -0.3, "u95_mm": 0.5, "in_order": "too close", "says": ""},
        {"fact": "placement.arrow", "margin_mm": 0.2, "u95_mm": 0.1, "in_order": "yes", "says": ""},
    ],
    "passages": [{"pocket": "NE", "t": 0.5, "beams": ["upper", "lower"], "taken_for": "white"}],
    "frames": 60,
    "lost_frames": 1,
    "notes": [],
}
"""What there is for a second look at the latest stroke: its pictures and beams by one clock."""

NO_GAMES = {"south": 0, "north": 0}


class PretendMatches:
    """Two matches, of which one is over. `asked`: which files were asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.trouble = ""
        self.rows = [
            {"match": f"m-{n}", "began": began, "latest": began + 900, "events": 3, "place": "hall-2", "book": "icf"}
            | {"seats": seats, "score": score, "games": games, "over": n == 1}
            for n, began, seats, score, games in [
                (2, 1_700_090_000.0, {"south": "Asha", "north": "Ben"}, {"south": 12, "north": 7}, NO_GAMES),
                (
                    1,
                    1_700_000_000.0,
                    {"south": "आशा", "north": "உமா"},
                    {"south": 33, "north": 24},
                    {"south": 2, "north": 0},
                ),
            ]
        ]

    def protest(self, match: str, seq: int, by: str, *, names: bool) -> bytes | None:
        self.asked.append((match, f"protest {seq} {by} {names}"))
        return b"PK" if match in ("m-1", "m-2") else None

    def listed(self) -> list[dict]:
        if self.trouble:
            raise DeviceError(self.trouble)
        return self.rows

    def file(self, match: str, form: str) -> bytes | None:
        self.asked.append((match, form))
        row = next((row for row in self.rows if row["match"] == match), None)
        if row is None or form != "json":
            return row and b"%PDF" + match.encode()
        sides = [
            {"name": seat, "players": [name], "points": row["score"][seat], "games": row["games"][seat]}
            for seat, name in row["seats"].items()
        ]
        board = {"game": 1, "board": 1, "winner": "south", "points": 9, "drawn": False, "why": "x"}
        turned = {"south": row["seats"]["north"], "north": row["seats"]["south"]}
        shot = {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]}
        ruling = {"event": "shot", "seat": "south", "fouls": [], "turn_kept": True, "turn": "south", "board": {}}
        story = [
            ({"event": "start", "seats": row["seats"]}, {"event": "start", "board": {}}),
            (shot, ruling),
            ({"event": "seats", "seats": turned}, {"event": "seats", "board": {}}),
            (shot, ruling),
        ]
        return json.dumps(
            {
                "title": "ICF singles",
                "note": "",
                "result": {
                    "winner": "south" if row["over"] else None,
                    "sides": sides,
                    "boards": [board | {"score": {"south": 9, "north": 0}}],
                },
                "events": [
                    {"at": row["began"] + n, "event": event, "ruling": {**said, "seq": n}}
                    for n, (event, said) in enumerate(story, 1)
                ],
            }
        ).encode()
