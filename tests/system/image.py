"""The virtual machine's disk: a minimal Debian with its ordinary kernel and nothing of ours.

What a person's machine would have besides: a user who may use sudo, a network, and the package sources and authorities
that this machine trusts. A root shell waits on the second serial line; that is how the test types.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SUITES = {"12": "bookworm", "13": "trixie"}
"""Debian's version → its name."""
DISK_MB = 6144
"""The table's disk: the program twice (an upgrade keeps the version before) and what it grows by."""
INCLUDE = "systemd-sysv,udev,kmod,linux-image-amd64,sudo,ca-certificates,dbus,iproute2,e2fsprogs"
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
SOURCES = Path("/etc/apt/sources.list.d/debian.sources")

NETWORK = "[Match]\nName=en*\n\n[Network]\nDHCP=yes\n"
SHELL = """[Service]
ExecStart=
ExecStart=-/sbin/agetty --autologin root --noclear ttyS1 115200 vt102
"""

FINISH = """
set -eu
echo table > /etc/hostname
echo '127.0.0.1 localhost table' > /etc/hosts
echo 'nameserver 10.0.2.3' > /etc/resolv.conf
useradd -m -s /bin/sh member
echo 'member ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/member
systemctl enable -q systemd-networkd serial-getty@ttyS1.service
systemctl disable -q apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service
sed -i s/^MODULES=.*/MODULES=list/ /etc/initramfs-tools/initramfs.conf
printf 'virtio_pci\nvirtio_blk\next4\n' >> /etc/initramfs-tools/modules
update-initramfs -u
rm -rf /var/cache/apt/archives/*.deb
"""
"""The timers are switched off because what they do at a random moment is not ours to wait for; the initramfs has no
more drivers than this machine's disk needs, since each start unpacks it."""


@dataclass(frozen=True, slots=True)
class Image:
    """A disk and the kernel that starts it."""

    disk: Path
    kernel: Path
    initrd: Path


def base_image(folder: Path, suite: str) -> Image:
    """Returns the fresh system in `folder`, made if it is not there. Needs root, debootstrap and mke2fs."""
    image = Image(folder / "base.img", folder / "vmlinuz", folder / "initrd")
    if (folder / "complete").exists():
        return image
    folder.mkdir(parents=True, exist_ok=True)
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    _run("debootstrap", "--variant=minbase", f"--include={INCLUDE}", suite, str(root))
    _furnish(root, suite)
    for name, target in (("vmlinuz", image.kernel), ("initrd.img", image.initrd)):
        (found,) = (root / "boot").glob(f"{name}-*")
        shutil.copyfile(found, target)
    image.disk.unlink(missing_ok=True)
    _run("mke2fs", "-q", "-t", "ext4", "-d", str(root), str(image.disk), f"{DISK_MB}M")
    shutil.rmtree(root)
    (folder / "complete").touch()
    return image


def _furnish(root: Path, suite: str) -> None:
    (root / "etc/systemd/network/10-wired.network").write_text(NETWORK)
    shell = root / "etc/systemd/system/serial-getty@ttyS1.service.d"
    shell.mkdir(parents=True)
    (shell / "root.conf").write_text(SHELL)
    if SOURCES.exists():
        (root / "etc/apt/sources.list").unlink(missing_ok=True)
        said = re.sub("|".join(SUITES.values()), suite, SOURCES.read_text(encoding="utf-8"))
        (root / "etc/apt/sources.list.d" / SOURCES.name).write_text(said, encoding="utf-8")
    # pip asks this file by itself, and a package that is installed later does not write it anew.
    shutil.copyfile(AUTHORITIES, root / "etc/ssl/authorities.crt")
    (root / "etc/pip.conf").write_text("[global]\ncert = /etc/ssl/authorities.crt\n")
    _run("chroot", str(root), "sh", "-c", FINISH)


def source_disk(folder: Path) -> Path:
    """Returns the repository as it stands, packed: what a person brings on a stick."""
    packed = folder / "stick.tar"
    listed = subprocess.run(
        ["git", "-C", str(REPOSITORY), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True,
    ).stdout  # fmt: skip
    names = [name for name in listed.decode().split("\0") if name and (REPOSITORY / name).exists()]
    (folder / "names").write_text("\n".join(names))
    _run("tar", "-cf", str(packed), "--transform=s,^,carrom/,", "-C", str(REPOSITORY), "-T", str(folder / "names"))
    return packed


def _run(*words: str) -> None:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {(done.stdout + done.stderr)[-1500:]}")
