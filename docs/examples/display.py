"""A table's display on a terminal, as an example: points, whose turn, seconds left. `python display.py BROKER TABLE`

It reads the flat topics, each one bare number or word, and `health`, without a password, and writes nothing. Needs
paho-mqtt 2.
"""

import sys
import threading
import time

import paho.mqtt.client as mqtt

SIDES = ("south", "north", "east", "west")
SILENT_S = 10.0  # a table sends its health every two seconds


def main() -> None:
    """Shows what is said, until it is stopped."""
    host, table = sys.argv[1:3]
    base = f"carrom/{table}"
    shown: dict[str, str] = {}
    alive_s = float("-inf")  # when its health came last, by our own clock
    news = threading.Event()

    def connected(client: mqtt.Client, *_: object) -> None:
        client.subscribe([(f"{base}/score/+", 1), (f"{base}/availability", 1), (f"{base}/health", 1)])

    def heard(_client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        nonlocal alive_s
        shown[message.topic.rpartition("/")[2]] = message.payload.decode("utf-8", "replace")
        if message.topic == f"{base}/health" and not message.retain:  # what the broker has kept may be old
            alive_s = time.monotonic()
        news.set()

    def line() -> str:
        if shown.get("availability") != "online" or time.monotonic() - alive_s > SILENT_S:
            return "table is away"  # never an old score as if it were now
        points = [f"{'>' if shown.get('turn') == side else ' '}{side} {shown[side]}" for side in SIDES if side in shown]
        return "  ".join([*points, f"clock {shown.get('clock') or '-'}", f"queen {shown.get('queen', '-')}"])

    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.on_connect, client.on_message = connected, heard
    name, _, port = host.partition(":")
    client.connect(name, int(port or 1883))
    client.loop_start()
    last = ""
    while True:
        if (now := line()) != last:
            print(now, flush=True)
            last = now
        news.wait(1.0)
        news.clear()


if __name__ == "__main__":
    main()
