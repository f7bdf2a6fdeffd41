"""The broker of last resort: amqtt in a process of its own, MQTT 3.1.1 on one loopback port.

Run as `python -m controller.commands.demo.embedded_broker PORT`; ends when its parent does.
"""

from __future__ import annotations

import asyncio
import os
import sys

from amqtt.broker import Broker


async def serve(port: int) -> None:
    """Serves until the parent process is gone."""
    broker = Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
            "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
        }
    )
    await broker.start()
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    await broker.shutdown()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
