"""How the table is, as one value: what each part last said of itself, and what that means for tonight's umpiring.

Pure. `armed`: everything that this table is configured with works. `degraded`: some part is away and the rest
goes on. `off`: nothing senses the board; the console is a scoreboard by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from controller.events.beams import BeamHealth
from controller.events.observation import EyesHealth
from controller.events.words import Pocket
from controller.mqtt import payloads

Armed = Literal["armed", "degraded", "off"]

CAMERA_SAYS = {
    "ok": "camera sees the board",
    "stalled": "camera sends no pictures",
    "lost": "camera is gone",
    "blind": "camera does not see the board",
    "away": "the eyes are not running",
    "none": "no camera on this table",
}


@dataclass(frozen=True)
class Health:
    """What is known of every part; `None` where the table has no such part."""

    camera: str = "away"
    eyes: EyesHealth | None = None
    node: str = "down"
    beams: BeamHealth | None = None
    broker: str = "down"
    disk_free_bytes: int | None = None
    temperature_c: float | None = None
    latency_s: float | None = None
    journal: str = "ok"
    restarts: dict[str, int] = field(default_factory=dict)

    @property
    def armed(self) -> Armed:
        """The one word on the display."""
        senses = [part for part in (self._camera_works, self._node_works) if part is not None]
        if not senses or not any(senses):
            return "off"
        whole = all(senses) and not self.blind_pockets and self.journal == "ok"
        return "armed" if whole else "degraded"

    @property
    def _camera_works(self) -> bool | None:
        return None if self.camera == "none" else self.camera == "ok"

    @property
    def _node_works(self) -> bool | None:
        return None if self.node == "none" else self.node == "up"

    @property
    def blind_pockets(self) -> tuple[Pocket, ...]:
        """Pockets whose beams cannot be relied on."""
        return self.beams.blind if self.beams else ()

    def faults(self) -> dict[str, str]:
        """Standing faults by id, each in a sentence for the umpire: what, and what goes on without it."""
        found: dict[str, str] = {}
        if self._camera_works is False:
            found["camera"] = f"{CAMERA_SAYS[self.camera]}: the beams say where, the umpire names the piece"
        if self._node_works is False:
            found["node"] = "the pocket node is silent: the camera says what vanished"
        for pocket in self.blind_pockets:
            found[f"beam-{pocket.lower()}"] = f"the {pocket} beam is blind: that pocket is left to the camera"
        for pocket in self.beams.full if self.beams else ():
            found[f"net-{pocket.lower()}"] = f"empty the {pocket} net: its beam stays blocked"
        if self.journal != "ok":
            found["journal"] = f"the journal cannot be written: {self.journal}"
        if self.eyes and self.camera == "ok":
            found |= {f"eyes-{number}": says for number, says in enumerate(self.eyes.warnings, 1)}
        return found

    def with_eyes(self, said: EyesHealth) -> Health:
        """Returns the health after the eyes spoke."""
        return replace(self, eyes=said, camera=said.camera)

    def with_beams(self, said: BeamHealth) -> Health:
        """Returns the health after the pockets spoke."""
        return replace(self, beams=said, node=said.link)

    def payload(self, t: float) -> payloads.Health:
        """The `health` payload; `t` in Unix seconds."""
        eyes, beams = self.eyes, self.beams
        silent = "none" if self.node == "none" else "unknown"
        felt = "ok" if beams and not beams.blind else f"blind: {', '.join(beams.blind)}" if beams else silent
        return payloads.Health(
            t=t,
            armed=self.armed,
            camera=self.camera,
            beams=felt,
            node=self.node,
            broker=self.broker,
            fps=round(eyes.fps, 1) if eyes else None,
            latency=self.latency_s,
            temperature=self.temperature_c,
            disk=self.disk_free_bytes,
            journal=self.journal,
            says="; ".join(self.faults().values()),
        )
