"""What a page asks the hub to do: done in a thread, and answered the same way whatever it was."""

from __future__ import annotations

from collections.abc import Callable

from anyio import to_thread
from starlette.responses import Response

from controller.events.errors import CarromError, ConfigError, DeviceError, PeerError, UnreadableError
from controller.web.answers import answer, error
from controller.web.login import Json


async def done(does: Callable[[], Json]) -> Response:
    """Returns what it gives, or why it is not done: 400 for what is nothing that can be asked, 503 where it cannot be
    read, kept or published, 409 where it is refused."""
    try:
        return answer(await to_thread.run_sync(does))
    except UnreadableError as unreadable:
        return error(400, str(unreadable))
    except (ConfigError, DeviceError, PeerError) as trouble:
        return error(503, str(trouble))
    except CarromError as refused:
        return error(409, str(refused))
