"""How fast the table's word gets out: journal, broker, pages. Measured on this machine, with real parts."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from controller.events.beams import BeamEdge
from controller.journal import PATIENCE_S, Journal
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.scoreboard import score
from controller.web import WebServer, create_app
from controller.web.broadcast import GAP_S
from tests.bench import crowd
from tests.bench.figure import Figure
from tests.mqtt.broker import MOSQUITTO, Listener, Mosquitto
from tests.mqtt.rulings import INFO, ruling
from tests.web.client import Client
from tests.web.pretend import PretendTable


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures of journal, broker and pages."""
    times = 2000 if long else 300
    with tempfile.TemporaryDirectory() as folder:
        yield from _journal(Path(folder), times)
        if MOSQUITTO is None:
            yield Figure("broker", "host", "not measured", note="mosquitto is not installed")
        else:
            yield from _broker(Path(folder), times)
    yield from _pages(times)
    yield from crowd.run(100 if long else 60)


def _journal(folder: Path, times: int) -> Iterator[Figure]:
    with Journal(folder / "j") as journal:
        took = []
        for number in range(1, times + 1):
            began = time.perf_counter()
            journal.append("m", number, {"event": "shot", "seat": "south"}, ruling(seq=number), 1.0, "eyes")
            took.append(time.perf_counter() - began)
        worst = max(took)
        wanted = f"worst below {PATIENCE_S * 1000:.0f} ms"
        yield Figure("event and ruling durable", "host", _spread(took), wanted, worst < PATIENCE_S)
        took = []
        for number in range(times):
            began = time.perf_counter()
            journal.store_edges([BeamEdge(number, "NE", "upper", blocked=True, boot="b", seq=number)])
            took.append(time.perf_counter() - began)
        yield Figure("beam edge durable, before its ack", "host", _spread(took))
        began = time.perf_counter()
        entries = journal.events("m")
        each = (time.perf_counter() - began) / len(entries) * 1e6
        yield Figure("read back", "host", f"{each:.0f} µs an event")


def _broker(folder: Path, times: int) -> Iterator[Figure]:
    broker = Mosquitto(folder).start()
    client = TableClient(
        Broker("127.0.0.1", broker.port), "table1", on_call=lambda event, by: {"seq": 1, "event": event["event"]}
    )
    client.start()
    try:
        assert client.wait_for(lambda state: state.connected, 30)
        ear = Listener(broker.port, "carrom/table1/score", "carrom/table1/reply/#")
        took = []
        for number in range(times):
            began = time.perf_counter()
            client.publish_score(score(ruling(seq=number), INFO, float(number)))
            ear.wait(lambda n=number: any(json.loads(t)["seq"] == n for t in ear.texts("carrom/table1/score")[-1:]))
            took.append(time.perf_counter() - began)
        yield Figure("score to a display over MQTT", "host", _spread(took))
        took = []
        for number in range(times):
            began = time.perf_counter()
            call = {"event": "pause", "id": f"c-{number}", "t": time.time()}
            ear.publish("carrom/table1/call", call, reply=f"carrom/table1/reply/{number}")
            ear.wait_for(f"carrom/table1/reply/{number}")
            took.append(time.perf_counter() - began)
        yield Figure("call over MQTT to its answer, no ruling", "host", _spread(took))
        ear.close()
        took = []
        for _ in range(5):
            broker.kill()
            assert client.wait_for(lambda state: not state.connected and "refused" in state.says, 30)
            broker.start()
            began = time.perf_counter()
            assert client.wait_for(lambda state: state.connected, 30)
            took.append(time.perf_counter() - began)
        yield Figure("broker back to everything sent again", "host", _spread(took))
    finally:
        client.stop()
        broker.kill()


def _pages(times: int) -> Iterator[Figure]:
    table = PretendTable()
    server = WebServer(create_app(table), table.feed, "127.0.0.1", 0)
    client = Client(server.start())
    try:
        for count in (1, 50):
            took = _followed(table, client, count, 30)
            yield Figure(f"state to {count} open pages, the slowest", "host", _spread(took))
        took = []
        for _ in range(times):
            began = time.perf_counter()
            client.get("/state")
            took.append(time.perf_counter() - began)
        yield Figure("GET /state", "host", _spread(took))
    finally:
        server.stop()


def _followed(table: PretendTable, client: Client, pages: int, times: int) -> list[float]:
    """Pushes states one by one and waits each time until every page has it."""
    ready, seen = threading.Barrier(pages + 1), threading.Barrier(pages + 1)

    def page() -> None:
        stream = client.stream()
        next(stream)
        ready.wait()
        for _ in range(times):
            next(item for item in stream if item[0] == "state")
            seen.wait()
        stream.close()

    threads = [threading.Thread(target=page, daemon=True) for _ in range(pages)]
    for thread in threads:
        thread.start()
    ready.wait()
    took = []
    for _ in range(times):
        # A change by itself: what comes right after another is told with the next.
        time.sleep(GAP_S)
        began = time.perf_counter()
        table.feed.push("state")
        seen.wait()
        took.append(time.perf_counter() - began)
    for thread in threads:
        thread.join()
    return took


def _spread(took: list[float]) -> str:
    ordered = sorted(1000 * one for one in took)
    return f"{ordered[len(ordered) // 2]:.1f} ms median, {ordered[-1]:.1f} ms worst of {len(ordered)}"
