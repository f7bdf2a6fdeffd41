"""A mosquitto that somebody has set up with passwords is there before us: it runs on untouched, and the table uses it.

What the table then needs is told in one line; what is typed for it stands in docs/broker.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.machine import VirtualMachine
from tests.system.stages.common import (
    CARROM,
    CONFIG,
    INSTALL,
    Place,
    documented,
    everything,
    take_off,
    type_install,
    unpack,
    up,
    wanted,
)

HOUSE = "/etc/mosquitto/conf.d/house.conf"
USERS = "/etc/mosquitto/house.users"
RIGHTS = "/etc/mosquitto/house.rights"
SETTINGS = f"listener 1883\nallow_anonymous false\npassword_file {USERS}\nacl_file {RIGHTS}\n"
RIGHTS_OF_TABLE = "user table1\ntopic readwrite carrom/table1/#\ntopic write homeassistant/#\n"
"""The rights of *a table* in docs/broker.md."""
PASSWORD = "of-the-table"
ANSWERS = {"The table's user on the broker": "table1"}


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    unpack(vm)
    vm.run("apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq mosquitto >/dev/null")
    vm.run(f"mosquitto_passwd -b -c {USERS} house secret && touch {RIGHTS}")
    vm.run(f"chown mosquitto: {USERS} {RIGHTS} && chmod 600 {USERS} {RIGHTS}")
    vm.run(f"printf '{SETTINGS}' > {HOUSE} && systemctl restart mosquitto")
    before, was = everything(vm), broker(vm)
    began = vm.uptime()
    said = type_install(vm, answers=ANSWERS).text
    yield f"{documented(INSTALL)}: {vm.uptime() - began:.0f} s"
    stays = f"the broker here is set up already ({HOUSE}: listener) and stays as it is"
    wanted(stays in said, "it says that the broker stays", said)
    told = "write the broker's password for table1 into /etc/carrom/mqtt-password"
    wanted(told in said, "it says what to do in one line", said)
    wanted(broker(vm) == was, "the broker runs on with its own files", f"{was} {broker(vm)}")
    yield f"mosquitto with passwords of its own: same process, same files; told: {told}"
    up(vm)
    check = vm.ask(f"{CARROM} check {CONFIG}").text
    wanted("fail  broker: " in check and "Fix:" in check, "carrom check says that the broker refuses us", check)
    vm.run(f"umask 077 && echo {PASSWORD} > /etc/carrom/mqtt-password")
    vm.run(f"mosquitto_passwd -b {USERS} table1 {PASSWORD} && printf '{RIGHTS_OF_TABLE}' >> {RIGHTS}")
    # Not `reload`: Debian's unit does that with /bin/kill, and a bare system has none.
    vm.run("systemctl kill -s HUP mosquitto && systemctl restart carrom")
    up(vm)
    check = vm.ask(f"{CARROM} check {CONFIG}").text
    wanted("ok    broker: localhost:1883" in check, "carrom check says that the broker takes us", check)
    vm.until("journalctl --no-pager -o cat -u mosquitto; cat /var/log/mosquitto/mosquitto.log", "u'table1'", 60)
    yield "password written, user added: carrom check says ok broker, the table is logged in as table1"
    take_off(vm, before)
    wanted(vm.run("systemctl is-active mosquitto").text == "active", "the broker runs", "")
    yield "removed: nothing is left; the broker and its files are there and it runs"
    vm.off()


def broker(vm: VirtualMachine) -> tuple[str, str]:
    """The broker's process, and what its files are."""
    process = vm.run("systemctl show -p MainPID,ActiveState mosquitto").text
    return process, vm.run("find /etc/mosquitto -type f -exec sha256sum {} + | sort").text
