"""A newer program is installed over the one that runs, with a configuration from before versions were written down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.system.stages.common import (
    HOME,
    INSTALL,
    SETTINGS,
    Place,
    active,
    asked_journal,
    documented,
    type_install,
    unpack,
    up,
    wanted,
)

NEWEST = "SELECT max(id) FROM events"
UP_TO = "SELECT count(*), total(length(event)), total(length(ruling)), max(t_unix) FROM events WHERE id <= {}"
FORMAT = r"/^\[format\]/,/^version/d"


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    up(vm)
    unpack(vm)
    # The newest there is differs from what is installed, if in nothing else.
    vm.run(f"echo >> {HOME}/carrom/README.md")
    vm.run(f"sed -i '{FORMAT}' {SETTINGS} && sed -i 's|^state = .*|state = \"/etc/carrom/state\"|' {SETTINGS}")
    vm.run(f"echo '# a line of somebody' >> {SETTINGS}")
    old = vm.run(f"cat {SETTINGS}").text
    secrets = vm.run("cd /etc/carrom && sha256sum passwords mqtt-password umpire-pin").text
    running = vm.run("readlink /opt/carrom/current").text
    newest = asked_journal(vm, NEWEST)
    journal = asked_journal(vm, UP_TO.format(newest))
    began = vm.uptime()
    command = documented(INSTALL)
    said = type_install(vm).text
    yield f"{command}: {vm.uptime() - began:.0f} s"
    wanted("was brought up to date" in said, "it says that the configuration was brought up to date", said)
    found = re.search("after this upgrade .*", said)
    wanted(found is not None, "it says what carrom check finds", said)
    yield str(found and found[0])
    wanted(vm.run(f"cat {SETTINGS}.1.old").text == old, "the old configuration is kept beside it", said)
    new = vm.run(f"cat {SETTINGS}").text
    wanted("# a line of somebody" in new, "what somebody wrote is still there", new)
    wanted('state = "/var/lib/carrom"' in new, "what could not be used is repaired", new)
    wanted(secrets == vm.run("cd /etc/carrom && sha256sum passwords mqtt-password umpire-pin").text, "secrets stay", "")
    now = vm.run("readlink /opt/carrom/current").text
    wanted(now != running, "the newer program runs", now)
    versions = vm.run("ls /opt/carrom/versions").text.split()
    wanted(
        sorted(versions) == sorted(one.rpartition("/")[2] for one in (now, running)), "the other is kept", str(versions)
    )
    yield active(vm)
    wanted(asked_journal(vm, UP_TO.format(newest)) == journal, "the journal has all that it had", journal)
    yield f"configuration with copy and note, passwords, PIN and the journal's {newest} events are kept"
    again = type_install(vm).text
    wanted("nothing was changed" in again, "a second run changes nothing", again)
    yield "run again: everything is as it should be; nothing was changed"
    vm.off()
