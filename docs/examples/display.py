"""A table's display on a terminal, as an example: points, whose turn, seconds left. `python display.py BROKER TABLE`

It reads the flat topics, each one bare number or word, without a password, and writes nothing. Needs paho-mqtt 2.
"""

import sys

import paho.mqtt.client as mqtt

SIDES = ("south", "north", "east", "west")


def main() -> None:
    """Shows what is said, until it is stopped."""
    host, table = sys.argv[1:3]
    base = f"carrom/{table}"
    shown: dict[str, str] = {}

    def connected(client: mqtt.Client, *_: object) -> None:
        client.subscribe([(f"{base}/score/+", 1), (f"{base}/availability", 1)])

    def heard(_client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        shown[message.topic.rpartition("/")[2]] = message.payload.decode("utf-8", "replace")
        if shown.get("availability") != "online":
            line = "table is away"  # never an old score as if it were now
        else:
            points = [
                f"{'>' if shown.get('turn') == side else ' '}{side} {shown[side]}" for side in SIDES if side in shown
            ]
            line = "  ".join([*points, f"clock {shown.get('clock') or '-'}", f"queen {shown.get('queen', '-')}"])
        print(line, flush=True)

    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.on_connect, client.on_message = connected, heard
    name, _, port = host.partition(":")
    client.connect(name, int(port or 1883))
    client.loop_forever()


if __name__ == "__main__":
    main()
