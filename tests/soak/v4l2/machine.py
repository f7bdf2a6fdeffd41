"""A virtual machine with Debian's kernel, whose modules are cameras: built in a folder, booted once, thrown away.

All of it is one initramfs: a minimal Debian, the few kernel modules, the program and its NumPy and OpenCV.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import cv2

REPOSITORY = Path(__file__).parents[3]
PACKAGES = Path(cv2.__file__).parents[1]
NEEDED = ("numpy", "numpy.libs", "cv2", "opencv_python_headless.libs")
HOME = "srv/carrom"
MEMORY_MB = 2560
BUILD_S = 600
RUN_S = 300

# dpkg-deb into a folder of its own: /lib is a link here.
KERNEL = """
set -eu
cd /tmp
apt-get -q -o APT::Sandbox::User=root download $(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: //p')
dpkg-deb -x linux-image-*.deb /kernel
mv /kernel/lib/modules /usr/lib/modules
cp /kernel/boot/vmlinuz-* /vmlinuz
rm -rf /kernel linux-image-*.deb
version=$(ls /lib/modules)
depmod "$version"
for module in vivid vhci-hcd uvcvideo; do modprobe -S "$version" --show-depends $module; done | cut -d' ' -f2 > keep
find "/lib/modules/$version" -name '*.ko' | grep -vxFf keep | xargs rm
rm -rf /usr/share/doc /usr/share/man /usr/share/locale /var/cache/apt /var/lib/apt/lists
"""

INIT = f"""#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONPATH=/{HOME}
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
python3 -u -m tests.soak.v4l2.checks 2>&1
echo o > /proc/sysrq-trigger
sleep 60
"""


def build(folder: Path) -> tuple[Path, Path]:
    """Returns the kernel and the initramfs."""
    root = folder / "root"
    include = "--include=python3,kmod,cpio,v4l-utils"
    _run(["debootstrap", "--variant=minbase", include, "bookworm", str(root)])
    _run(["chroot", str(root), "sh", "-c", KERNEL])
    kernel = folder / "vmlinuz"
    shutil.move(root / "vmlinuz", kernel)
    home = root / HOME
    for name in NEEDED:
        shutil.copytree(PACKAGES / name, home / name)
    for name in ("controller", "tests/__init__.py", "tests/soak/__init__.py", "tests/soak/v4l2"):
        source, target = REPOSITORY / name, home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copy(source, target)
    init = root / "init"
    init.write_text(INIT)
    init.chmod(0o755)
    initrd = folder / "initrd"
    with initrd.open("wb") as file:
        pack = "find . -xdev | cpio --quiet -o -H newc"
        subprocess.run(["chroot", str(root), "sh", "-c", pack], stdout=file, check=True, timeout=BUILD_S)
    return kernel, initrd


def run(kernel: Path, initrd: Path) -> str:
    """Returns what the machine wrote to its console until it switched itself off."""
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", str(MEMORY_MB)]
    command += ["-display", "none", "-nodefaults", "-serial", "stdio", "-no-reboot"]
    command += ["-kernel", str(kernel), "-initrd", str(initrd), "-append", "console=ttyS0 quiet panic=-1"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=RUN_S)
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace")
    return (done.stdout + done.stderr).decode(errors="replace")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_S)
    assert done.returncode == 0, f"{command[0]}: {(done.stdout + done.stderr)[-2000:]}"
