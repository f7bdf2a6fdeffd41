"""How the table is, as one value: what each part last reported of itself, and what that means for tonight's umpiring.

Pure. `armed`: everything that this table is configured with works. `degraded`: some part is away and the rest
goes on. `off`: nothing senses the board; the console is a scoreboard by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from controller.events.beams import BeamHealth
from controller.events.observation import EyesHealth, SetUp
from controller.events.words import Pocket, Seat
from controller.mqtt import payloads
from controller.shots.outputs import Armed as Senses

Armed = Literal["armed", "degraded", "off"]

CAMERA_SAYS = {
    "ok": "camera sees the board",
    "stalled": "camera sends no pictures",
    "lost": "camera is gone",
    "blind": "camera does not see the board",
    "setup": "camera is being set up",
    "silent": "the eyes say nothing",
    "away": "the eyes are not running",
    "none": "no camera on this table",
}

HOT_C = 80.0
"""Where a Raspberry Pi begins to slow itself down."""

LEAST_DISK_BYTES = 200 * 2**20


@dataclass(frozen=True)
class Health:
    """What is known of every part; `None` where the table has no such part.

    `senses`: what can be read from them now, as the shots package has it: it also knows a camera or a node that has
    fallen silent. `lent`: a command tries the beams, and nothing is ruled meanwhile. `lost`: what is missing from the
    journal. `parts`: what is wrong with the daemon's own threads; `outlets`: who could not be reached. `name`, `page`:
    what people call the table, and where its pages are. `display`: see `DisplayWatch`. `latency_s`: from the picture
    that completed the last stroke's rest to its ruling.
    """

    camera: str = "away"
    eyes: EyesHealth | None = None
    node: str = "down"
    lent: bool = False
    beams: BeamHealth | None = None
    senses: Senses | None = None
    broker: str = "down"
    broker_at: str = ""
    disk_free_bytes: int | None = None
    temperature_c: float | None = None
    latency_s: float | None = None
    journal: str = "ok"
    name: str = ""
    page: str = ""
    display: payloads.Display | None = None
    simulated: bool = False
    panel: str = ""
    open_broker: str = ""
    taken_over: str = ""
    lost: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    outlets: Mapping[str, str] = field(default_factory=dict)

    @property
    def armed(self) -> Armed:
        """The one word on the display."""
        works = [part for part in (self.camera_works, self.node_works) if part is not None]
        if not works or not any(works):
            return "off"
        whole = all(works) and not self.blind_pockets and self.journal == "ok" and not (self.lost or self.parts)
        return "armed" if whole else "degraded"

    @property
    def set_up(self) -> SetUp | None:
        """How far setting the camera up anew has got; None where no vision process reports it. A silent one
        may be busy with it."""
        return self.eyes.set_up if self.eyes is not None and self.camera != "away" else None

    @property
    def camera_says(self) -> str:
        """The camera in one word."""
        silent = self.camera == "ok" and self.senses is not None and self.senses.camera == "silent"
        return "silent" if silent else self.camera

    @property
    def node_says(self) -> str:
        """The pocket node in one word."""
        silent = self.node == "up" and self.senses is not None and self.senses.beams == "silent"
        return "stale" if silent else self.node

    @property
    def camera_works(self) -> bool | None:
        """Whether the camera sees the board; None where there is none."""
        return None if self.camera == "none" else self.camera_says == "ok"

    @property
    def node_works(self) -> bool | None:
        """Whether the beams are felt; None where there are none."""
        return None if self.node == "none" else self.node_says == "up"

    @property
    def _node_trouble(self) -> str:
        if self.beams is not None and self.node_says == "restarting":
            return f"{self.beams.says}. Until it runs steadily"
        return "the pocket node is silent"

    @property
    def blind_pockets(self) -> tuple[Pocket, ...]:
        """Pockets whose beams cannot be relied on."""
        return self.beams.blind if self.beams else ()

    def faults(self) -> dict[str, str]:
        """Standing faults by id, each in a sentence for the umpire: what, and what goes on without it."""
        found: dict[str, str] = {}
        others = "the beams say where, the umpire names the piece" if self.node_works else "keep the score by hand"
        # A camera that is being set up is awaited: no fault of the table.
        if self.camera_works is False and self.camera != "setup":
            why = self.eyes.says if self.eyes is not None and self.camera_says in ("blind", "lost") else ""
            found["camera"] = f"{CAMERA_SAYS[self.camera_says]}: {others}" + (f" ({why})" if why else "")
        others = "the camera says what vanished" if self.camera_works else "keep the score by hand"
        if self.lent:
            found["node"] = "a command tries the beams: no stroke is ruled until it ends"
        elif self.node_works is False:
            found["node"] = f"{self._node_trouble}: {others}"
        # All are blind without a node, which is said already.
        for pocket in self.blind_pockets if self.node_works else ():
            found[f"beam-{pocket.lower()}"] = f"the {pocket} beam is blind: that pocket is left to the camera"
        for pocket in self.beams.full if self.beams else ():
            found[f"net-{pocket.lower()}"] = f"empty the {pocket} net: its beam stays blocked"
        if self.journal != "ok":
            found["journal"] = f"the journal cannot be written: {self.journal}"
        if self.lost:
            found["journal-lost"] = self.lost
        found |= {f"part-{name}": says for name, says in self.parts.items()}
        found |= {f"outlet-{name}": says for name, says in self.outlets.items()}
        if self.disk_free_bytes is not None and self.disk_free_bytes < LEAST_DISK_BYTES:
            # The figure itself would change, and be told, every two seconds.
            found["disk"] = f"less than {LEAST_DISK_BYTES // 2**20} MB are free for the journal: make room"
        if self.temperature_c is not None and self.temperature_c >= HOT_C:
            found["hot"] = f"the computer is hotter than {HOT_C:.0f} °C and slows down: give it air"
        if self.panel:
            found["panel"] = f"lamp and buttons: {self.panel}"
        if self.eyes and self.camera_works:
            strikers = self.other_strikers().values()
            told = [says for says in self.eyes.warnings if says not in strikers]
            found |= {f"eyes-{number}": says for number, says in enumerate(told, 1)}
        return found

    def warnings(self) -> dict[str, str]:
        """What stands by id and does not stop anybody from umpiring."""
        node = self.beams.says if self.beams is not None and self.node_works else ""
        told = {"broker-open": self.open_broker, "broker-taken": self.taken_over, "node-says": node}
        return {name: says for name, says in told.items() if says}

    def other_strikers(self) -> dict[Seat, str]:
        """The seats that lately play another striker than before, with what vision says of it: no fault of the table,
        but a matter for whoever umpires.
        """
        if self.eyes is None or not self.camera_works:
            return {}
        return {
            seat: next((says for says in self.eyes.warnings if says.startswith(seat)), f"{seat} plays another striker")
            for seat in self.eyes.other_striker
        }

    def with_eyes(self, said: EyesHealth) -> Health:
        """Returns the health after a report of the vision process."""
        return replace(self, eyes=said, camera=said.camera)

    def with_beams(self, said: BeamHealth) -> Health:
        """Returns the health after the pockets spoke."""
        return replace(self, beams=said, node=said.link)

    def payload(self, t: float, seen: float | None = None, began: float | None = None) -> payloads.Health:
        """The `health` payload; `t` in Unix seconds, as are `seen`: when the camera saw the board last, and `began`:
        when the daemon began."""
        eyes, beams = self.eyes, self.beams
        silent = "none" if self.node == "none" else "unknown"
        felt = "ok" if beams and not beams.blind else f"blind: {', '.join(beams.blind)}" if beams else silent
        return payloads.Health(
            t=t,
            armed=self.armed,
            camera=self.camera_says,
            beams=felt,
            node=self.node_says,
            broker=self.broker,
            fps=round(eyes.fps, 1) if eyes and self.camera_works else None,
            latency=self.latency_s,
            temperature=self.temperature_c,
            disk=self.disk_free_bytes,
            journal=self.journal,
            says="; ".join((self.faults() | self.warnings()).values()),
            name=self.name,
            page=self.page,
            seen=seen,
            began=began,
            dropped=eyes.dropped if eyes else None,
            grade=eyes.grade if eyes and self.camera_works else None,
            set_up=self.set_up.step if self.set_up is not None and self.set_up.step != "off" else None,
            simulated=self.simulated,
            broker_at=self.broker_at,
            display=self.display,
        )
