"""Why a command of the installer failed, in one line that says how to fix it; what they write is as they write it."""

from __future__ import annotations

import pytest
from installer.failures import told
from installer.machine import InstallError, Machine

pytestmark = pytest.mark.live

APT = ("apt-get", "update", "-qq")
PIP = ("/opt/carrom/venv/bin/python", "-m", "pip", "install", "-r", "lock")
RESTART = ("systemctl", "restart", "carrom.service")


@pytest.mark.parametrize(
    ("words", "wrote", "why", "fix"),
    [
        (
            APT,
            "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)\n"
            "N: Be aware that removing the lock file is not a solution and may break your system.\n"
            "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?\n",
            "It is held by process 812 (unattended-upgr)",
            "wait until the other installation has ended",
        ),
        (
            APT,
            "W: Failed to fetch a/InRelease  Temporary failure resolving 'a'\n"
            "E: Some index files failed to download. They have been ignored, or old ones used instead.\n",
            "Some index files failed to download",
            "see to the way to the internet",
        ),
        (
            PIP,
            "WARNING: Retrying: NewConnectionError: Failed to establish a new connection: [Errno -3] name resolution\n"
            "ERROR: Could not find a version that satisfies the requirement numpy==2.2.6 (from versions: none)\n"
            "ERROR: No matching distribution found for numpy==2.2.6\n",
            "Could not find a version that satisfies the requirement numpy==2.2.6",
            "see to the way to the internet",
        ),
        (
            PIP,
            "ERROR: Could not find a version that satisfies the requirement numpy==2.2.6 (from versions: none)\n"
            "ERROR: No matching distribution found for numpy==2.2.6\n",
            "numpy==2.2.6",
            "use Python 3.11 to 3.13",
        ),
        (
            PIP,
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n\n"
            "[notice] A new release of pip is available\n",
            "[Errno 28] No space left on device",
            "make room on the disk",
        ),
        (
            RESTART,
            "Job for carrom.service failed because the control process exited with error code.\n"
            'See "systemctl status carrom.service" and "journalctl -xeu carrom.service" for details.\n',
            "Job for carrom.service failed because the control process exited with error code",
            "`journalctl -b -n 30 -u carrom.service` says why",
        ),
        (("systemd-sysusers", "/etc/sysusers.d/carrom.conf"), "", "exit code 1, without a word", "see to the line"),
        (("python3", "-m", "venv", "x"), "strange\n", "strange", "type that command yourself"),
    ],
)
def test_a_failed_command_says_why_and_how_to_fix_it(words: tuple[str, ...], wrote: str, why: str, fix: str) -> None:
    line = told(words, 1, wrote)
    assert line.startswith(f"`{' '.join(words)}` failed: ")
    assert "\n" not in line
    said, _, after = line.partition(" Fix: ")
    assert why in said
    assert after.startswith(fix)
    assert after.endswith(", then run ./install again")
    assert "above" not in line


def test_what_a_command_says_last_on_its_error_output_counts_before_what_it_did(tmp_path) -> None:
    # As dpkg does: progress on the one, the reason on the other.
    with pytest.raises(InstallError, match=r"failed: broken pipe somewhere\. Fix: type that command"):
        Machine(tmp_path, staged=False).run(
            "sh", "-c", "echo broken pipe somewhere >&2; echo Setting up mosquitto; exit 1"
        )


def test_a_command_is_asked_in_english(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "hi_IN.UTF-8")
    assert Machine(tmp_path, staged=False).attempt("sh", "-c", 'echo "$LC_ALL"') == (0, "C.UTF-8\n")
