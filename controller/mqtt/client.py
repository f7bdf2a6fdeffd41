"""The table's end of the broker: the only part of this room with sockets and threads.

It keeps the last value of every retained topic and sends them all on every connect, `online` last, so that a broker
that lost everything is put right and play never waits for one. Of a cluster the node that answered last is tried
first, then the next ones in turn. MQTT 5 is tried first on every connect, 3.1.1 where a
broker has no 5. paho's callbacks only drop notes into a mailbox; one thread reads it and does everything in order.
Must not know how a ruling comes about: calls are handed to a callable.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.events.codec import kind_of
from controller.events.doors import MESSAGE
from controller.events.errors import CarromError, UnreadableError
from controller.events.reading import number
from controller.mqtt import payloads
from controller.mqtt.answering import LATE_S, NOWHERE, Answering
from controller.mqtt.broker import Broker
from controller.mqtt.calls import MOST_WAITING, CallDesk, Take, reply_topic, too_many
from controller.mqtt.connection import BrokerState, Note, SaysWhenItEnds, leave
from controller.mqtt.fixtures import published
from controller.mqtt.publisher import Publisher
from controller.mqtt.take_overs import TakeOvers
from controller.mqtt.topics import HOME_ASSISTANT_STATUS, OFFLINE, ONLINE, client_id
from controller.supervision.heartbeat import SupervisedThread

log = logging.getLogger(__name__)

ANSWER_S = 3.0
"""How long a broker may take for its CONNACK, and for the last PUBACK when we leave. Some brokers that know only
3.1.1 say nothing at all to a greeting in 5."""
BACKOFF_S = (0.5, 0.5, 1.0, 2.0, 5.0)
KEEPALIVE_S = 15
BEAT_S = 1.0
"""At least so often a thread of ours looks up."""
LEAVE_S = ANSWER_S + 0.5
HOUSEKEEPING_S = 15.0

MQTT_5, MQTT_311 = MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311
_VERSIONS = {"": (MQTT_5, MQTT_311), "5": (MQTT_5,), "3.1.1": (MQTT_311,)}
_Outcome = Literal["lived", "silent", "failed", "misunderstood"]
"""Of a connection: it stood; it stood until no answer came any more; nobody was there or we are not wanted; the broker
may want another version."""
_UNSUPPORTED = "Unsupported protocol version"


class TableClient(Publisher):
    """Publishes one table and takes the umpire's calls for it. Methods may be called from any thread.

    `on_call(event, by)` is called from a thread of its own, one call at a time, and returns the ruling or the error
    as JSON; without it no calls are taken. `by` is `mqtt:` and the call's id; `answered`: calls (id → answer) that were
    taken before a restart. `on_kept_score`: hears, once, the scoreboard that the broker had kept from before we came.
    `on_fixtures`: other fixtures stand on the table's topic now. `name`: what people call the table. `now` gives Unix
    seconds.
    """

    def __init__(
        self,
        broker: Broker,
        table: str,
        *,
        on_call: Callable[[dict[str, Any], str], Mapping[str, Any]] | None = None,
        on_change: Callable[[BrokerState], None] | None = None,
        on_kept_score: Callable[[Mapping[str, Any]], None] | None = None,
        on_fixtures: Callable[[], object] = lambda: None,
        name: str = "",
        announce: bool = True,
        answered: Mapping[str, Mapping[str, Any]] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._mailbox: queue.SimpleQueue[Note] = queue.SimpleQueue()
        super().__init__(table, lambda: self._mailbox.put(Note("wake")), name=name, announce=announce, now=now)
        self._nodes = deque(broker.nodes)
        self._on_call = on_call
        self._on_change = on_change
        self._on_kept_score = on_kept_score
        self._on_fixtures = on_fixtures
        self.fixtures: tuple[payloads.Fixture, ...] = ()
        """What is to be played here today, as it was published last."""
        self._desk = CallDesk()
        for call, answer in (answered or {}).items():
            self._desk.answered(call, answer)
        self._state = BrokerState()
        self._take_overs = TakeOvers()
        self._changed = threading.Condition()
        self._calls: queue.SimpleQueue[paho.MQTTMessage | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self.threads = (
            SupervisedThread("broker", self._attend, self._stopping),
            SupervisedThread("calls", self._answer_calls, self._stopping),
        )
        """For supervision."""

    # -- life

    def start(self) -> None:
        """Starts looking for the broker, for ever; returns at once."""
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        """Says `offline`, waits for the broker's word, leaves. Safe to call twice or without a broker."""
        self._stopping.set()
        self._mailbox.put(Note("wake"))
        self._calls.put(None)
        for thread in self.threads:
            thread.join(LEAVE_S)

    @property
    def state(self) -> BrokerState:
        """How we stand with the broker now."""
        return self._state

    def wait_for(self, wanted: Callable[[BrokerState], bool], timeout: float) -> bool:
        """Waits until the state is as wanted; False if it was not in time."""
        with self._changed:
            return self._changed.wait_for(lambda: wanted(self._state), timeout)

    # -- the connection

    def _attend(self, beat: Callable[[], None]) -> None:
        failures = 0
        while not self._stopping.is_set():
            stood = any(not self._stopping.is_set() and self._one_node(beat) for _ in range(len(self._nodes)))
            failures = 0 if stood else failures + 1
            self.housekeeping()
            self._stopping.wait(BACKOFF_S[min(max(failures, self._take_overs.in_a_row, 1), len(BACKOFF_S)) - 1])

    def _one_node(self, beat: Callable[[], None]) -> bool:
        """Tries the first node, in each version. Returns whether a connection stood; otherwise another is first now."""
        beat()
        outcome: _Outcome = "misunderstood"
        for version in _VERSIONS[self._nodes[0].only]:
            if outcome == "misunderstood" and not self._stopping.is_set():
                outcome = self._one_connection(version)
        if outcome != "lived":
            self._nodes.rotate(-1)
            self._take_overs.away()
        return outcome in ("lived", "silent")

    def _one_connection(self, version: MQTTProtocolVersion) -> _Outcome:
        """Lives through one connection, from the greeting to its end."""
        node = self._nodes[0]
        where = node.where
        client = self._new_client(version)
        try:
            client.connect(node.host, node.port, KEEPALIVE_S, properties=_wishes(version))
        except (OSError, ValueError) as error:
            self._tell(BrokerState(says=f"{where}: {error}"))
            return "failed"
        client.loop_start()
        try:
            first = self._next_note(client, ANSWER_S)
            if self._stopping.is_set():
                return "lived"
            if first is None or first.kind != "connected" or first.failed:
                says = first.reason if first and first.reason else "no answer to the greeting"
                self._tell(BrokerState(says=f"{where}: {says}"))
                refused = first is not None and first.failed and _UNSUPPORTED not in first.reason
                return "failed" if refused else "misunderstood"
            self._take_overs.began(time.monotonic())
            self._greet(client, version)
            return self._live_through(client, version)
        finally:
            self._leave(client)

    def _new_client(self, version: MQTTProtocolVersion) -> paho.Client:
        clean = {} if version == MQTT_5 else {"clean_session": True}
        client = SaysWhenItEnds(
            self._mailbox.put,
            CallbackAPIVersion.VERSION2,
            client_id=client_id(f"carrom-{self.topics.table}", self._nodes[0].password),
            protocol=version,
            reconnect_on_failure=False,
            **clean,
        )
        client.connect_timeout = ANSWER_S
        # One message that cannot be dealt with is logged; the connection lives on.
        client.suppress_exceptions = True
        client.on_socket_open = lambda _me, _data, opened: _without_delay(opened)
        client.max_queued_messages_set(2000)
        self._nodes[0].introduce(client)
        client.will_set(self.topics.availability, OFFLINE, qos=1, retain=True)
        post = self._mailbox.put
        client.on_connect = lambda me, _data, _flags, reason, _properties: post(
            Note("connected", me, str(reason), failed=reason.is_failure)
        )
        client.on_disconnect = lambda me, _data, _flags, reason, _properties: post(Note("gone", me, str(reason)))
        client.on_message = lambda me, _data, message: post(Note("message", me, message=message))

        client.on_unsubscribe = lambda me, *_: post(Note("answered", me))
        client.on_publish = lambda _me, _data, mid, reason, _properties: self._outbox.acknowledged(
            mid, reason.is_failure, str(reason)
        )
        return client

    def _next_note(self, client: paho.Client, timeout: float) -> Note | None:
        """Returns the next note that is about this connection, None when time is up or we are stopping."""
        until = time.monotonic() + timeout
        while not self._stopping.is_set():
            try:
                note = self._mailbox.get(timeout=min(BEAT_S, max(0.0, until - time.monotonic())))
            except queue.Empty:
                self.threads[0].beat()
                if time.monotonic() < until:
                    continue
                return None
            self.threads[0].beat()
            if note.client is client or note.kind == "wake":
                if note.kind != "wake":
                    return note
                self._tell(self._state)
        return None

    def _greet(self, client: paho.Client, version: MQTTProtocolVersion) -> None:
        """Subscribes, sends everything retained again, `online` last."""
        topics = self.topics
        wanted = [topics.standing("+"), topics.for_umpire(topics.standing("+")), topics.result("+"), topics.fixtures]
        if self._on_kept_score is not None:
            wanted.append(topics.score)
        if self._announce:
            wanted.append(HOME_ASSISTANT_STATUS)
        if version == MQTT_5:
            client.subscribe([(topic, SubscribeOptions(qos=1, noLocal=True)) for topic in wanted])
            # Also what comes under our own client id: the will of a connection to another node.
            client.subscribe(topics.availability, qos=1)
            if self._on_call is not None:
                # As published: otherwise a retained call that comes in just now would look like a fresh one.
                options = SubscribeOptions(
                    qos=1,
                    noLocal=True,
                    retainAsPublished=True,
                    retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND,
                )
                client.subscribe(topics.call, options=options)
        else:
            # nats-server holds an election for each subscription with QoS 1, and answers nothing meanwhile.
            client.subscribe([(topic, 0) for topic in (*wanted, topics.availability)])
        born = self._outbox.attach(client, topics.availability, ONLINE.encode())
        if born is not None:
            # Brokers take things in order: by then everything before it, the subscriptions too, has been taken.
            self._wait_for_word(client, born)
        speaks: Literal["5", "3.1.1"] = "5" if version == MQTT_5 else "3.1.1"
        self._tell(BrokerState(connected=True, version=speaks, says="", where=self._nodes[0].where))

    def _live_through(self, client: paho.Client, version: MQTTProtocolVersion) -> _Outcome:
        stood = self._state
        answering, keep_house_at = Answering(time.monotonic()), time.monotonic() + HOUSEKEEPING_S
        while not self._stopping.is_set():
            now = time.monotonic()
            if answering.asks(now):
                client.unsubscribe(NOWHERE)
            if answering.silent(now):
                # The connection is left to paho: a broker that was held up for a moment finds it as it was.
                self._tell(BrokerState(says=f"{self._nodes[0].where}: no answer for {LATE_S:g} s"))
            if answering.gone(now) and len(self._nodes) > 1:
                log.warning("the broker at %s is silent, the next is tried", self._nodes[0].where)
                return "silent"
            if now >= keep_house_at:
                self.housekeeping()
                self._outbox.again(self.topics.base)
                keep_house_at = now + HOUSEKEEPING_S
            note = self._next_note(client, answering.wait_s(now))
            if note is None:
                continue
            if note.kind == "answered":
                answering.answered(time.monotonic())
                self._tell(stood)
            elif note.kind == "gone":
                log.warning("the broker is gone: %s", note.reason)
                self._take_overs.ended(note.reason, time.monotonic())
                self._tell(BrokerState(says=self._taken_over() or note.reason))
                return "lived"
            elif note.kind == "message" and note.message is not None:
                self._heard(note.message, version)
        return "lived"

    def _leave(self, client: paho.Client) -> None:
        if self._stopping.is_set():
            info = self._outbox.send(self.topics.availability, OFFLINE.encode(), retain=True)
            if info is not None:
                self._wait_for_word(client, info)
            self._tell(BrokerState(says="stopped"))
        self._outbox.detach()
        leave(client)

    def _wait_for_word(self, client: paho.Client, info: paho.MQTTMessageInfo) -> None:
        until = time.monotonic() + ANSWER_S
        with contextlib.suppress(RuntimeError, ValueError):
            while client.is_connected() and not info.is_published() and time.monotonic() < until:
                info.wait_for_publish(0.05)

    def _tell(self, state: BrokerState) -> None:
        refused = self._outbox.refused if state.connected else ()
        state = replace(state, refused=refused, taken_over=self._taken_over())
        with self._changed:
            if state == self._state:
                return
            self._state = state
            self._changed.notify_all()
        if self._on_change is not None:
            self._on_change(state)

    def _taken_over(self) -> str:
        if not self._take_overs.noticed(time.monotonic()):
            return ""
        return (
            "somebody else connects to the broker as this table, and each throws the other out; does another carrom "
            f"use the table id {self.topics.table}? Fix: give each table its own id, and the broker the passwords "
            "that carrom broker makes"
        )

    # -- what comes in

    def _heard(self, message: paho.MQTTMessage, version: MQTTProtocolVersion) -> None:
        topic = message.topic
        if topic == self.topics.call:
            if version == MQTT_5 and not message.retain:
                if self._calls.qsize() < MOST_WAITING:
                    self._calls.put(message)
                else:
                    self._reply(message, too_many().body)
        elif topic == self.topics.fixtures:
            listed = published(bytes(message.payload))
            if listed is not None and listed != self.fixtures:
                self.fixtures = listed
                self._on_fixtures()
        elif topic == self.topics.availability:
            if message.payload == OFFLINE.encode() and not message.retain:
                self._outbox.send(topic, ONLINE.encode(), retain=True)
        elif topic == HOME_ASSISTANT_STATUS:
            known = self._outbox.value(self.topics.discovery)
            if message.payload == ONLINE.encode() and not message.retain and known:
                self._outbox.send(self.topics.discovery, known, retain=True)
        elif message.retain and message.payload:
            self._found_on_broker(topic, bytes(message.payload))

    def _found_on_broker(self, topic: str, payload: bytes) -> None:
        """Something retained from before we came: an alert that no longer stands, a result to clear in time."""
        if topic == self.topics.score:
            # Once: what is retained later is what we have published ourselves.
            told, self._on_kept_score = self._on_kept_score, None
            if told is not None:
                with contextlib.suppress(UnreadableError):
                    told(payloads.from_json(payload))
            return
        if self._outbox.value(topic) is not None:
            return
        if self.topics.id_of(topic, "alert") or self.topics.id_of(topic, "umpire/alert"):
            self._outbox.send(topic, b"", retain=True)
        elif self.topics.id_of(topic, "result"):
            self._outbox.adopt(topic, payload)
            self._results[topic] = _end_of(payload)
            self.housekeeping()

    def _answer_calls(self, beat: Callable[[], None]) -> None:
        while True:
            beat()
            try:
                message = self._calls.get(timeout=BEAT_S)
            except queue.Empty:
                continue
            if message is None:
                return
            try:
                self._answer(message)
            except Exception:
                # One call must not silence the umpire for the rest of the match.
                log.exception("a call could not be answered")

    def _answer(self, message: paho.MQTTMessage) -> None:
        decision = self._desk.judge(bytes(message.payload), self._now())
        if isinstance(decision, Take):
            answer = self._act(decision)
            self._desk.answered(decision.id, answer)
        else:
            answer = decision.body
        self._reply(message, answer)

    def _reply(self, message: paho.MQTTMessage, answer: Mapping[str, Any]) -> None:
        asked = getattr(message.properties, "ResponseTopic", None)
        if (reply := reply_topic(self.topics, asked)) is not None:
            correlation = getattr(message.properties, "CorrelationData", None)
            self._outbox.send(reply, payloads.to_json(answer), correlation=correlation)
        elif "error" in answer:
            # Whoever named no place for the answer would otherwise never learn that nothing was done.
            says = f"a call was not taken: {answer['error']}"
            self.publish_alert(payloads.Alert("call-refused", "warning", says, self._now()), for_umpire=True)

    def _act(self, call: Take) -> Mapping[str, Any]:
        assert self._on_call is not None
        try:
            return self._on_call(call.event, f"mqtt:{call.id}")
        except Exception as error:
            # One call that goes wrong must not silence the umpire for the rest of the match.
            log.exception("call %s went wrong", call.id)
            says = str(error) if isinstance(error, CarromError) else "the table could not act on this; see its log"
            return {"seq": None, "event": kind_of(call.event), "error": says}


def _wishes(version: MQTTProtocolVersion) -> Properties | None:
    """What we ask of the broker: to keep to itself what is larger than any message of ours. One of 200 MB would hold
    up everything else; 3.1.1 has no such wish.
    """
    if version != MQTT_5:
        return None
    wishes = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    wishes.MaximumPacketSize = MESSAGE.size
    return wishes


def _without_delay(opened: Any) -> None:
    """Small packets at once: an acknowledgement that waits for company costs 40 ms a message."""
    with contextlib.suppress(OSError):
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _end_of(payload: bytes) -> float:
    """When the match of a retained result ended; long ago if that cannot be read, so that rubbish is cleared."""
    try:
        return number(payloads.from_json(payload).get("end"), "end")
    except ValueError:
        return 0.0
