"""How Home Assistant finds a table by itself: one retained message for the whole device (MQTT device discovery)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller import __version__
from controller.events.words import Seat
from controller.mqtt.topics import ROOT, SILENT_S, Topics

SEATS: tuple[Seat, ...] = ("south", "north", "east", "west")


def device(topics: Topics, name: str, sides: Sequence[Seat] = ("south", "north")) -> dict[str, Any]:
    """Returns the device's description. `sides`: those of the match; the other seats' sensors are taken away."""
    me = f"{ROOT}_{topics.table}"
    parts: dict[str, Mapping[str, Any]] = {}

    def sensor(part: str, label: str, template: str, **more: Any) -> None:
        parts[part] = {
            "platform": "sensor",
            "unique_id": f"{me}_{part}",
            "name": label,
            "state_topic": topics.score,
            "value_template": template,
            "expire_after": SILENT_S,
            **more,
        }

    for seat in SEATS:
        part = f"points_{seat}"
        if seat in sides:
            index = list(sides).index(seat)
            sensor(part, f"Points {seat}", f"{{{{ value_json.sides[{index}].points }}}}", icon="mdi:scoreboard")
        else:
            # Only its platform: that is how one part of a device is taken away.
            parts[part] = {"platform": "sensor"}
    sensor("turn", "Turn", "{{ value_json.turn or 'none' }}", icon="mdi:account-arrow-right")
    sensor("queen", "Queen", "{{ value_json.queen }}", icon="mdi:crown")
    sensor("state", "State", "{{ value_json.state }}", icon="mdi:state-machine")
    sensor("last", "Last ruling", "{{ (value_json.last.says if value_json.last else '')[:255] }}", icon="mdi:gavel")
    parts["alert"] = {
        "platform": "event",
        "unique_id": f"{me}_alert",
        "name": "Alert",
        "state_topic": topics.alert,
        "event_types": ["info", "warning", "foul", "ask", "fault"],
        "value_template": "{{ dict(value_json, event_type=value_json.level) | tojson }}",
    }
    for part, label, fine in (("camera", "Camera", "ok"), ("beams", "Beams", "ok"), ("armed", "Umpire", "armed")):
        parts[f"{part}_problem"] = {
            "platform": "binary_sensor",
            "unique_id": f"{me}_{part}_problem",
            "name": label,
            "device_class": "problem",
            "entity_category": "diagnostic",
            "state_topic": topics.health,
            "expire_after": SILENT_S,
            "value_template": f"{{{{ 'OFF' if value_json.{part} == '{fine}' else 'ON' }}}}",
        }
    return {
        "device": {"identifiers": [me], "name": name, "model": "Carrom table", "sw_version": __version__},
        "origin": {"name": "carrom-umpire", "sw_version": __version__},
        "availability_topic": topics.availability,
        "qos": 1,
        "components": parts,
    }
