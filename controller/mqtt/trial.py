"""Tries what a broker does with what a table publishes, and whether anybody else may write it: asking is the only way
to know.

What is written does nothing: a call without an id, a figure of the scoreboard that there is not, a topic that nobody
reads and that is cleared again. Blocks for some seconds at worst.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from dataclasses import replace
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.mqtt.broker import Broker
from controller.mqtt.connection import leave
from controller.mqtt.topics import Topics

ANSWER_S = 3.0
"""How long a broker may take for each of its answers; who hangs up answers no more."""
HEARD_S = 1.0
"""Over 3.1.1 a broker does not say that it has refused: so long what was written may take to arrive."""
LARGEST_BYTES = 65_536
"""More than any message of a table: thirty rulings with their sentences, its entry for Home Assistant."""
NO_CHECK_TIME = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME, for which Python has no name."""
UNTIMELY = (9, 10)
"""OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""
NOTHING = b'{"note": "carrom tries whether anybody may write here; this does nothing"}'
VERSIONS = {
    "": (MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311),
    "5": (MQTTProtocolVersion.MQTTv5,),
    "3.1.1": (MQTTProtocolVersion.MQTTv311,),
}


class _Visitor:
    """A client for a moment. `word`: the broker's reply to its greeting, empty if there was none; `limits`: of what it
    takes, as that reply has them."""

    def __init__(self, broker: Broker, version: MQTTProtocolVersion) -> None:
        self.word = ""
        self.welcome = False
        self._gone = False
        self.limits: dict[str, Any] = {}
        self._said = threading.Condition()
        self._acks: dict[int, bool] = {}
        self._heard: set[str] = set()
        self._client = client = paho.Client(CallbackAPIVersion.VERSION2, protocol=version)
        broker.introduce(client)
        client.connect_timeout = ANSWER_S
        client.suppress_exceptions = True
        client.on_connect = lambda _c, _d, _f, reason, limits: self._greeted(str(reason), not reason.is_failure, limits)
        client.on_publish = lambda _c, _d, mid, reason, _p: self._acked(mid, not reason.is_failure)
        client.on_subscribe = lambda _c, _d, mid, _r, _p: self._acked(mid, True)
        client.on_message = lambda _c, _d, message: self._hears(message.topic)
        client.on_disconnect = lambda *_: self._hung_up()
        client.connect(broker.host, broker.port)
        client.loop_start()
        self._wait(lambda: bool(self.word))

    def listen(self, *topics: str) -> None:
        """Hears what is written there from now on."""
        _, mid = self._client.subscribe([(topic, 1) for topic in topics])
        self._wait(lambda: mid in self._acks)

    def may_write(self, topic: str, payload: bytes = NOTHING, *, retain: bool = False) -> bool:
        """Writes, and returns whether the broker took it, as far as it says."""
        mid = self._client.publish(topic, payload, qos=1, retain=retain).mid
        self._wait(lambda: mid in self._acks)
        return self._acks.get(mid, False)

    def hears(self, topic: str) -> bool:
        """Waits a moment for what was written there."""
        return self._wait(lambda: topic in self._heard, HEARD_S)

    def leave(self) -> None:
        """Ends it."""
        leave(self._client)

    def _wait(self, condition: Any, seconds: float = ANSWER_S) -> bool:
        with self._said:
            self._said.wait_for(lambda: condition() or self._gone, seconds)
            return bool(condition())

    def _greeted(self, word: str, welcome: bool, limits: Any) -> None:
        with self._said:
            self.word, self.welcome = word, welcome
            self.limits = {} if limits is None else vars(limits)
            self._said.notify_all()

    def _acked(self, mid: int, taken: bool) -> None:
        with self._said:
            self._acks[mid] = taken
            self._said.notify_all()

    def _hung_up(self) -> None:
        # paho would come again, and write the same again.
        with self._said:
            self._gone = True
            self._said.notify_all()

    def _hears(self, topic: str) -> None:
        with self._said:
            self._heard.add(topic)
            self._said.notify_all()


def welcome(broker: Broker) -> str:
    """Returns the version in which the broker lets us in as who we are. Raises OSError with its reason otherwise."""
    says = "no answer to the greeting"
    for version in VERSIONS[broker.only]:
        visitor = _Visitor(broker, version)
        try:
            if visitor.welcome:
                return "5" if version == MQTTProtocolVersion.MQTTv5 else "3.1.1"
            says = visitor.word or says
        finally:
            visitor.leave()
    raise OSError(says)


def not_taken(broker: Broker, table: str) -> str:
    """Returns what the broker does not do with what a table publishes, and the fix; empty where it takes and keeps it.

    Raises OSError where the broker cannot be reached.
    """
    topic = f"{Topics(table).base}/trial"
    for version in VERSIONS[broker.only]:
        with contextlib.ExitStack() as stack:
            writer = _Visitor(broker, version)
            stack.callback(writer.leave)
            if not writer.welcome:
                continue
            if says := _too_little(writer.limits):
                return says
            stack.callback(writer.may_write, topic, b"", retain=True)
            if writer.may_write(topic, bytes(LARGEST_BYTES), retain=True):
                ear = _Visitor(broker, version)
                stack.callback(ear.leave)
                ear.listen(topic)
                if ear.hears(topic):
                    return ""
            return (
                f"what {broker.user or 'nobody'} publishes on {topic}, {LARGEST_BYTES} bytes, is not kept there. "
                "Fix: an access list of carrom broker, and no limit on messages"
            )
    return ""


def _too_little(limits: dict[str, Any]) -> str:
    """What a broker's greeting in MQTT 5 rules out."""
    if (most := limits.get("MaximumPacketSize", LARGEST_BYTES * 2)) < LARGEST_BYTES + 1000:
        return (
            f"it takes {most} bytes at once; a table's messages have up to {LARGEST_BYTES}. "
            "Fix: raise its limit (max_packet_size of mosquitto)"
        )
    if not limits.get("RetainAvailable", 1):
        return "it keeps no message: who comes later sees nothing. Fix: switch that on (retain_available of mosquitto)"
    if not limits.get("MaximumQoS", 1):
        return "it confirms no message. Fix: switch that on (max_qos of mosquitto)"
    return ""


def unreachable(broker: Broker, error: Exception, today: str, fix: str) -> str:
    """Returns why a broker cannot be reached, and the fix: `fix` where it is not its certificate.

    `today`: this machine's date.
    """
    if not isinstance(error, ssl.SSLCertVerificationError) or broker.tls is None:
        return f"{error}. Fix: {fix}"
    if error.verify_code in UNTIMELY:
        return _untimely(broker, broker.tls, today)
    return (
        f"its certificate is not to be trusted: {error.verify_message}. Fix: name in mqtt.ca_file who signed it, and "
        "in mqtt.host the name that stands in it"
    )


def _untimely(broker: Broker, tls: ssl.SSLContext, today: str) -> str:
    """What is amiss with the days of the broker's certificate, and the fix."""
    flags, days = tls.verify_flags, ""
    tls.verify_flags = ssl.VerifyFlags(flags | NO_CHECK_TIME)
    try:
        with (
            socket.create_connection((broker.host, broker.port), ANSWER_S) as link,
            tls.wrap_socket(link, server_hostname=broker.host) as kept,
        ):
            found: Any = kept.getpeercert() or {}
        days = f" from {found.get('notBefore')} to {found.get('notAfter')}"
    except OSError:
        # Not valid for its name either; the first reason is enough.
        pass
    finally:
        tls.verify_flags = flags
    fix = "set this machine's clock (sudo timedatectl set-ntp true), or give the broker a certificate of these days"
    return f"its certificate is valid{days}, and here it is {today}. Fix: {fix}"


def written_by_anybody(broker: Broker, table: str) -> tuple[str, ...]:
    """Returns the topics of a table that somebody without a password has just written on; empty is as it should be.

    Raises OSError where the broker cannot be reached.
    """
    topics = Topics(table)
    tried = (topics.call, topics.flat("nobody"))
    stranger = replace(broker, user="", password="")
    for version in VERSIONS[broker.only]:
        with contextlib.ExitStack() as stack:
            writer = _Visitor(stranger, version)
            stack.callback(writer.leave)
            if not writer.welcome and (not writer.word or "protocol" in writer.word):
                # Not understood; some brokers say nothing at all to a greeting in 5.
                continue
            if not writer.welcome:
                return ()
            if version == MQTTProtocolVersion.MQTTv5:
                return tuple(topic for topic in tried if writer.may_write(topic))
            # A broker of 3.1.1 acknowledges what it throws away, too: what got through is received.
            ear = _Visitor(broker, version)
            stack.callback(ear.leave)
            ear.listen(*tried)
            for topic in tried:
                writer.may_write(topic)
            return tuple(topic for topic in tried if ear.hears(topic))
    return ()


def in_words(written: tuple[str, ...]) -> str:
    """What to say of topics that anybody may write on."""
    return (
        f"anybody may write on the broker: {' and '.join(written)} got through without a password. "
        "Fix: give the broker an access list: carrom broker makes one"
    )
