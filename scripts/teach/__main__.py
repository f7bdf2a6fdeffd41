"""`python -m scripts.teach FOLDER`: from nothing to all nets, in one command that may be cut and run again.

Draws looks with the simulated camera and path-traces tables (each once, into FOLDER), trains `where`, then `what` on
the places it sends, and writes both beside the finder with a manifest that says from what. Seeds, counts and epochs
stand here; no picture that is measured on is among the seeds. With `--upon NETS` they begin as the nets in that folder
and are trained further. Needs the `teach` extra (`requirements-teach.lock`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import torch

from scripts.teach.lessons import CUTOUTS
from scripts.teach.nets import save
from scripts.teach.training import Plan, train_what, train_where
from scripts.teach.weighing import EPOCHS as WEIGH_EPOCHS
from scripts.teach.weighing import EPOCHS_FURTHER, train_weigh

NETS = Path(__file__).parents[2] / "controller" / "vision" / "finding"
DRAWN, TRACED = (600_001, 400), (500_001, 170)
"""First seed and number: looks of nine boards by the simulated camera, path-traced tables of six."""
HANDS = (700_001, 86)
"""The same for hands that are laid over both."""
SHOWN = {"drawn": 1, "traced": 3}
"""How often each is shown in an epoch: path-traced tables are fewer, and more like the world."""
EPOCHS = {"where": 16, "what": 24}
FURTHER = {"where": 8, "what": 6}
"""The same for nets that are trained further."""
HELD_OUT_EACH = 15
"""Of each fifteen seeds one is only measured on."""
PACKAGES = ("torch", "mitsuba", "scikit-image", "numpy", "opencv-python-headless", "onnx")


def main() -> int:
    """Does every step that is not done yet."""
    args = _arguments()
    folder: Path = args.folder
    folder.mkdir(parents=True, exist_ok=True)
    looks = {
        "drawn": _draw("scripts.teach.boards", folder / "drawn", DRAWN[0], args.looks, args.jobs),
        "traced": _draw("scripts.teach.traced", folder / "traced", TRACED[0], args.tables, args.jobs),
    }
    hands = _draw("scripts.teach.traced.cutouts", folder / CUTOUTS, HANDS[0], args.hands, args.jobs)
    training = [
        path for sort, paths in looks.items() for path in paths if not is_held_out(path) for _ in range(SHOWN[sort])
    ]
    held_out = [path for paths in looks.values() for path in paths if is_held_out(path)]
    torch.set_num_threads(args.jobs)
    torch.use_deterministic_algorithms(True)
    if not args.weigh:
        _train_two(args, looks, hands, training, held_out)
    # Upon the other two as they lie there now, each look once: it is soon taught.
    once = [path for paths in looks.values() for path in paths if not is_held_out(path)]
    weigh = train_weigh(once, held_out, args.jobs, args.upon / "weigh.onnx" if args.upon else None)
    save(weigh, torch.zeros(4, len(weigh.mean)), NETS / "weigh.onnx", many=True)
    manifest = _manifest(args, looks, hands) | {
        "epochs": EPOCHS_FURTHER if args.upon else WEIGH_EPOCHS,
        "upon_sha256": {name: digest([NETS / f"{name}.onnx"]) for name in ("where", "what")},
        "net_sha256": digest([NETS / "weigh.onnx"]),
    }
    (NETS / "weigh.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return 0


def _train_two(
    args: argparse.Namespace,
    looks: dict[str, list[Path]],
    hands: list[Path],
    training: list[Path],
    held_out: list[Path],
) -> None:
    folder: Path = args.folder

    def plan(name: str) -> Plan:
        upon = args.upon / f"{name}.onnx" if args.upon else None
        return Plan(training, held_out, args.epochs or (FURTHER if upon else EPOCHS)[name], args.jobs, folder, upon)

    where = train_where(plan("where"))
    # In its place before the other is trained, which is asked about what this one sends.
    save(where, torch.zeros(1, 7, 328, 328), NETS / "where.onnx", many=False)
    what = train_what(plan("what"))
    save(what, torch.zeros(4, 12, 40, 40), NETS / "what.onnx", many=True)
    manifest = _manifest(args, looks, hands) | {
        "shown": SHOWN,
        "epochs": {name: args.epochs or (FURTHER if args.upon else EPOCHS)[name] for name in EPOCHS},
        "upon_sha256": {name: digest([args.upon / f"{name}.onnx"]) for name in EPOCHS if args.upon},
        "nets_sha256": {name: digest([NETS / f"{name}.onnx"]) for name in EPOCHS},
    }
    (NETS / "nets.json").write_text(json.dumps(manifest, indent=2) + "\n")


def _manifest(args: argparse.Namespace, looks: dict[str, list[Path]], hands: list[Path]) -> dict[str, object]:
    return {
        "seeds": {"drawn": [DRAWN[0], args.looks], "traced": [TRACED[0], args.tables], "hands": [HANDS[0], args.hands]},
        "held_out_each": HELD_OUT_EACH,
        "looks_sha256": digest(sorted(path for paths in looks.values() for path in paths)),
        "hands_sha256": digest(hands),
    } | tools()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.teach", description=__doc__)
    parser.add_argument("folder", type=Path, help="where looks and training states are kept")
    parser.add_argument("--looks", type=int, default=DRAWN[1], help="how many looks the simulated camera draws")
    parser.add_argument("--tables", type=int, default=TRACED[1], help="how many tables are path-traced")
    parser.add_argument("--hands", type=int, default=HANDS[1], help="how many hands are path-traced alone")
    parser.add_argument("--epochs", type=int, default=None, help="for a trial; left out: as committed")
    parser.add_argument("--weigh", action="store_true", help="trains only the third net, upon the others as they are")
    parser.add_argument("--upon", type=Path, help="a folder with nets to be trained further, not the finder's own")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    return parser.parse_args()


def is_held_out(path: Path) -> bool:
    """Whether a look is only measured on."""
    return int(path.stem) % HELD_OUT_EACH == 0


def _draw(module: str, folder: Path, first: int, count: int, jobs: int) -> list[Path]:
    """Draws the looks that are not there yet, each in a process of its own; returns all of them in order."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{seed:06d}.pickle" for seed in range(first, first + count)]

    def draw(path: Path) -> None:
        # A process each: what a renderer keeps of one table must not reach the next.
        command = [sys.executable, "-m", module, str(folder), path.stem, "1"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print("drawn", path.name, flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(draw, (path for path in paths if not path.is_file())))
    return paths


def tools() -> dict[str, object]:
    """What a manifest says of the packages and the machine that trained."""
    versions = {name: version(name) for name in PACKAGES} | {"python": platform.python_version()}
    return {"versions": versions, "machine": platform.machine()}


def digest(paths: list[Path]) -> str:
    """The SHA-256 of files one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
