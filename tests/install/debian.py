"""A machine that is a folder, as far as the installer looks, and what is asked of it again and again."""

from __future__ import annotations

import sys
from pathlib import Path

from installer.__main__ import main

CARROM = str(Path(sys.executable).parent / "carrom")


def debian(root: Path) -> Path:
    """Makes a Debian below this folder."""
    for folder in ("etc/systemd/system", "var/lib", "opt", "usr/local/bin"):
        (root / folder).mkdir(parents=True)
    (root / "etc/os-release").write_text('ID=raspbian\nID_LIKE="debian"\n')
    (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\ndialout:x:20:\nvideo:x:44:\n")
    return root


def install(root: Path, *words: str) -> int:
    """Runs the installer there, with the program of this environment; returns its exit code."""
    return main(["--root", str(root), "--program", CARROM, "--yes", *words])


def everything(root: Path) -> dict[str, bytes]:
    """Every file and link below the folder, by path."""
    return {
        str(path.relative_to(root)): path.read_bytes() if not path.is_symlink() else str(path.readlink()).encode()
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def folders(root: Path) -> set[str]:
    """Every folder below this one."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir() and not path.is_symlink()}
