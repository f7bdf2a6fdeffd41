"""What a command that failed wrote, in one line with a way out. Pure: knows neither the machine nor the steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

SAYS_WHY = re.compile(r"^\s*(?:E:|(?:\w+: )?(?:fatal |internal )?error:|\w+Error:|Job for )", re.IGNORECASE)
"""A line with which apt, dpkg, pip, Python and systemd say why they stop; hints and summaries follow upon it."""

BY_WORDS = (
    (r"no space left on device", "make room on the disk (`df -h`)"),
    (r"read-only file system", "the card is worn out or was taken off in haste: restart, else use another one"),
    (r"could not get lock|frontend lock|is another process using it", "wait until the other installation has ended"),
    (r"dpkg was interrupted", "sudo dpkg --configure -a"),
    (r"unmet dependencies|held broken packages", "sudo apt-get -f install"),
    (r"unable to parse package file|package lists .* could not be parsed", "sudo rm -r /var/lib/apt/lists/*"),
    (r"not valid yet|certificate is not yet valid|certificate has expired", "set the clock (`timedatectl`)"),
    (
        r"could not resolve|name resolution|network is unreachable|failed to establish a new connection"
        r"|failed to fetch|connection (?:refused|timed out)|read timed out",
        "see to the way to the internet",
    ),
    (r"unable to locate package|has no installation candidate", "use Debian 12 or newer, with its own package sources"),
    (r"do not match the hashes", "a download was spoiled or a package is another one: take the files of --wheels anew"),
    (
        r"no matching distribution found",
        "use Python 3.11 to 3.13 on a 64 bit system; with --wheels, add what is missing",
    ),
)
"""What is written, whatever the command, and the way out of it; the first that fits."""

BY_COMMAND = {
    "systemctl": "`journalctl -b -n 30 -u {last}` says why; fix that",
    "systemd-sysusers": "see to the line that it names",
    "udevadm": "restart the machine",
}
"""By the command, where what it wrote says too little. `{last}`: its last word."""


def reason(wrote: str) -> str:
    """Returns the line of what a command wrote that says why it failed: the first marked as an error, else the last."""
    said = [line.strip() for line in wrote.splitlines() if line.strip()]
    marked = [line for line in said if SAYS_WHY.match(line)]
    return (marked or said[-1:] or ["no reason given"])[0]


def told(words: Sequence[str], code: int, wrote: str) -> str:
    """Returns one line: which command failed, why, and how to repair it."""
    shown = f"`{' '.join(words)}`"
    why = reason(wrote) if wrote.strip() else f"exit code {code}, without a word"
    found = [fix for pattern, fix in BY_WORDS if re.search(pattern, wrote, re.IGNORECASE)]
    by_command = BY_COMMAND.get(words[0], "type that command yourself and see to what it says").format(last=words[-1])
    return f"{shown} failed: {why.rstrip('.')}. Fix: {(found or [by_command])[0]}, then run ./install again"
