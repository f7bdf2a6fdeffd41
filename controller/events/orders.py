"""What the daemon asks of the vision process: the steps of setting the camera up anew. One JSON object a line.

Text in, values out, and back; sockets are somebody else's. Must not know how a camera is set up.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

from controller.events.doors import RECORD, json_value
from controller.events.errors import PeerError
from controller.events.reading import strictly

SetUpDoes = Literal["begin", "take", "turn", "cancel", "undo"]
SET_UP_DOES: tuple[SetUpDoes, ...] = get_args(SetUpDoes)


@dataclass(frozen=True, slots=True)
class Order:
    """One order. `number` counts up; `step`: the picture that is meant by a `take`, since two phones may ask at once.

    `begin`: nothing is followed from here on. `turn`: the south seat sits at the picture's next edge. `undo`: the
    calibration before the present one is put back.
    """

    number: int
    does: SetUpDoes
    step: Literal["", "empty", "opening"] = ""


_ADAPTER = TypeAdapter(Order)


def order_to_line(order: Order) -> str:
    """Returns the order as one line of JSON, without the newline."""
    return json.dumps(asdict(order), separators=(",", ":"))


def order_from_line(line: str | bytes) -> Order:
    """Reads one line. Raises PeerError, naming what is wrong, if it is no order."""
    try:
        return strictly(_ADAPTER, json_value(line, RECORD))
    except (ValueError, ValidationError) as error:
        raise PeerError(f"a line from the daemon is no order: {str(error).splitlines()[0]}") from error
