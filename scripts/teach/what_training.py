"""Trains the second net further on the looks in a folder: `python -m scripts.teach.what_training FOLDER OUT`.

It begins with the net beside the finder, is shown the looks in FOLDER's `drawn` and `traced` (hands in `cutouts`), and
becomes OUT/what.onnx with a manifest beside it. Cut and run again with the same OUT it goes on where it stood.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch

from scripts.teach.__main__ import HELD_OUT_EACH, NETS, SHOWN, digest, is_held_out, tools
from scripts.teach.lessons import CUTOUTS
from scripts.teach.nets import save
from scripts.teach.training import RATE_FURTHER, Plan, train_what

EPOCHS = 4


def main() -> int:
    """As the command line says."""
    parser = argparse.ArgumentParser(prog="python -m scripts.teach.what_training", description=__doc__)
    parser.add_argument("folder", type=Path, help="where drawn looks lie, in `traced` and `drawn`")
    parser.add_argument("out", type=Path, help="the folder that is written")
    parser.add_argument("--upon", type=Path, default=NETS / "what.onnx", help="the net that it begins with")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--rate", type=float, default=RATE_FURTHER)
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    looks = {sort: sorted((args.folder / sort).glob("*.pickle")) for sort in SHOWN}
    hands = sorted((args.folder / CUTOUTS).glob("*.pickle"))
    every = [path for paths in looks.values() for path in paths]
    training = [
        path for sort, paths in looks.items() for path in paths if not is_held_out(path) for _ in range(SHOWN[sort])
    ]
    held_out = [path for path in every if is_held_out(path)]
    torch.set_num_threads(args.jobs)
    torch.use_deterministic_algorithms(True)
    net = train_what(Plan(training, held_out, args.epochs, args.jobs, args.out, args.upon, args.rate))
    save(net, torch.zeros(4, 12, 40, 40), args.out / "what.onnx", many=True)
    manifest = {
        "seeds": {name: [int(path.stem) for path in paths] for name, paths in (looks | {"hands": hands}).items()},
        "held_out_each": HELD_OUT_EACH,
        "shown": SHOWN,
        "epochs": args.epochs,
        "rate": args.rate,
        "looks_sha256": digest(sorted(every)),
        "hands_sha256": digest(hands),
        "upon_sha256": digest([args.upon]),
        "net_sha256": digest([args.out / "what.onnx"]),
    } | tools()
    (args.out / "what.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
