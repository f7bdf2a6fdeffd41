#!/bin/sh
# The program's parts on the Pi's architecture: rules, pockets, journal, broker, one calibration and one picture, in a
# minimal Debian for arm64 whose every instruction is emulated. Not part of `make test`. Needs root, Debian's packages
# mmdebstrap, arch-test and qemu-user-static, and the net for packages; what it makes is kept in a folder:
#   tests/arm64.sh [SUITE [FOLDER]]      bookworm (Python 3.11, the default) or trixie (3.13)
# ARM64_TESTS names other tests.
# The packages are the locks' own wheels for aarch64, with their hashes; nothing is built.
set -eu
suite=${1:-bookworm}
folder=${2:-$HOME/.cache/carrom-arm64}
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
python=${PYTHON:-$here/.venv/bin/python}
root=$folder/$suite
case $suite in
  bookworm) version=3.11 ;;
  trixie) version=3.13 ;;
  *) echo "tests/arm64.sh: $suite: only bookworm and trixie. Fix: name one of them" >&2; exit 2 ;;
esac
[ "$(id -u)" = 0 ] || { echo "tests/arm64.sh: needs root. Fix: sudo tests/arm64.sh" >&2; exit 2; }
for tool in mmdebstrap arch-test qemu-aarch64-static; do
  command -v $tool >/dev/null 2>&1 ||
    { echo "tests/arm64.sh: $tool is missing. Fix: apt install mmdebstrap arch-test qemu-user-static" >&2; exit 2; }
done
began=$(date +%s)
say() { echo "arm64 $suite: $* ($(($(date +%s) - began)) s)"; }

# Foreign programs are run by the kernel's own word. It holds for the whole machine, so what was not there goes again.
formats=/proc/sys/fs/binfmt_misc
mounted=""; registered=""
leave() {
  [ -z "$registered" ] || echo -1 >$formats/qemu-aarch64
  [ -z "$mounted" ] || umount $formats
}
trap leave EXIT
trap 'exit 1' INT TERM
[ -e $formats/register ] || { mount -t binfmt_misc binfmt_misc $formats; mounted=1; }
[ -e $formats/qemu-aarch64 ] ||
  { printf '%s' "$(cat /usr/lib/binfmt.d/qemu-aarch64.conf)" >$formats/register; registered=1; }

if [ ! -e "$root/complete" ]; then
  mkdir -p "$folder"
  rm -rf "$root"
  mirror=$(sed -n 's/^URIs: //p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
  mmdebstrap --quiet --mode=root --architectures=arm64 --variant=minbase \
    --include=python3,mosquitto,mosquitto-clients,openssl,nats-server "$suite" "$root" \
    "deb ${mirror:-http://deb.debian.org/debian} $suite main"
  touch "$root/complete"
  say "made a minimal Debian"
fi

# What the tests need too: without the packages it is a second's work to see that nothing has changed.
packages=$folder/packages-$version
locked=$(cat "$here/requirements-dev.lock" | sha256sum)
if [ "$(cat "$packages/locked" 2>/dev/null)" != "$locked" ]; then
  rm -rf "$packages"
  "$python" -m tests.wheels "$version" "$packages" "$here/requirements-dev.lock"
  echo "$locked" >"$packages/locked"
fi
say "the lock resolves for aarch64 and Python $version; its wheels are there"
rm -rf "$root/srv"
mkdir -p "$root/srv/carrom" "$root/srv/packages"
(cd "$here" && git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null) |
  tar -x -C "$root/srv/carrom"
# ONNX Runtime looks there which processor it has, and dies where it finds none that it can be.
cat >"$folder/cpuinfo" <<'END'
processor	: 0
BogoMIPS	: 108.00
Features	: fp asimd evtstrm crc32 cpuid
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x0
CPU part	: 0xd08
CPU revision	: 3

END
export QEMU_CPU=cortex-a72
status=0
# What is emulated is a program, not a kernel: it cannot set a line to 250 000 baud, so no node is spoken to here.
set -- --ignore=tests/pockets/test_serial_port.py --ignore=tests/pockets/test_command.py -k "not [serial]"
finding=tests/vision/finding/test_finding.py
calibration=$finding::test_the_calibrated_camera_is_the_one_that_took_the_pictures
picture=$finding::test_nineteen_pieces_of_the_opening_are_found_and_named
inside='
    cd /srv/carrom
    uname -m
    python3 --version
    exec python3 -m pytest -q -p no:cacheprovider --timeout=1800 "$@"'
# What is mounted is mounted for these tests alone, and gone with them.
# shellcheck disable=SC2016,SC2086  # the inner shell's own words; lists of names on purpose
unshare -m sh -c '
    root=$1 packages=$2 cpuinfo=$3
    shift 3
    mount --make-rprivate /
    mount --bind "$packages" "$root/srv/packages"
    mount -t proc proc "$root/proc"
    mount --bind "$cpuinfo" "$root/proc/cpuinfo"
    mount --rbind /dev "$root/dev"
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 QEMU_CPU="$QEMU_CPU" \
      OMP_NUM_THREADS=1 PYTHONPATH=/srv/carrom:/srv/packages PYTHONDONTWRITEBYTECODE=1 CARROM_TEST_SLOWER=10 sh -c "$@"
    ' sh "$root" "$packages" "$folder/cpuinfo" "$inside" sh -n "$(nproc)" \
  "$@" ${ARM64_TESTS:-tests/rules tests/pockets tests/journal tests/mqtt $calibration $picture} || status=$?
say "ended with $status"
exit $status
