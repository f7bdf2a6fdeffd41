"""Trains the detector on drawn boards: `python -m scripts.teach.detector_training FOLDER WEIGHTS --seconds S`.

Processes change drawn pictures in ever new ways and lay them into the trainer's memory, from which it takes batches at
random, turns and mirrors them, and adds noise. Its length is given in seconds, so that the rate falls to nothing
just then; looks that are drawn into FOLDER meanwhile are taken in. The mean of the last steps' weights is written.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from scripts.teach.board_lessons import CELLS, IGNORED, Sample, samples
from scripts.teach.detector_net import CLASSES, Detector, view

HELD_OUT_EACH = 15
CHUNK = 24
"""Pictures that are made of one look at a time."""
PENDING = 20
"""Chunks that wait at most."""
FIRST = 600
"""Pictures with which it begins."""
RATE, DECAY, RISE = 2e-3, 0.02, 200
KEPT = 0.999
"""Share of the mean of the weights that is kept in a step."""
TRACED_SHARE = 0.75
"""How often a picture is of a path-traced table."""
STEP = 4
"""Cells between parts of a board: its levels are halved twice."""
PLACES, MAPS = 0.15, 8.0
"""How much errors of places and of what hides the board count beside those of names."""
FAINTER, FAINTER_LEAST, FAINTER_MOST = 0.3, 0.5, 1.2
"""How often and by what the contrast to the empty board is changed."""
BLURRED, NOISY, ROUGH = 0.25, 0.5, 0.05


@dataclass(frozen=True)
class Plan:
    """How it is trained. `room`: pictures that are kept; `cells`: the width of the parts of boards, 0 for whole ones;
    `upon`: weights that it begins with."""

    folder: Path
    weights: Path
    seconds: float
    jobs: int
    room: int
    batch: int
    cells: int
    rate: float
    upon: Path | None
    device: str


def held_out(path: Path) -> bool:
    """Whether a look is only measured on."""
    return int(path.stem) % HELD_OUT_EACH == 0


def make(folder: Path, waiting: Path, seed: int) -> None:
    """Makes chunks of changed pictures for ever."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    for number in range(10**9):
        while len(list(waiting.iterdir())) > PENDING:
            time.sleep(0.05)
        looks = [[p for p in folder.glob(f"{sort}/*.pickle") if not held_out(p)] for sort in ("traced", "drawn")]
        paths = looks[int(bool(looks[1]) and rng.random() >= TRACED_SHARE)]
        if not paths:
            time.sleep(0.5)
            continue
        path = waiting / f"{seed}-{number}.tmp"
        with path.open("wb") as file:
            np.savez(file, **stacked(samples(paths[int(rng.integers(len(paths)))], rng, CHUNK)))
        path.rename(path.with_suffix(".npz"))


def stacked(made: Sequence[Sample]) -> Sample:
    """Samples as one, a new axis first."""
    return {name: np.stack([one[name] for one in made]) for name in made[0]}


class Memory:
    """The last pictures that were made, on the device."""

    def __init__(self, room: int, device: str) -> None:
        self.room, self.device, self.count = room, device, 0
        self._parts: dict[str, Tensor] = {}
        self._lock = threading.Lock()

    def take_in(self, waiting: Path) -> None:
        """Takes in what was made, for ever."""
        while True:
            paths = sorted(waiting.glob("*.npz"))
            if not paths:
                time.sleep(0.02)
            for path in paths:
                with np.load(path) as file:
                    made = {name: torch.from_numpy(file[name]) for name in file.files}
                path.unlink()
                self.add(made)

    def add(self, made: dict[str, Tensor]) -> None:
        """Lays samples in the place of the oldest."""
        n = len(made["kinds"])
        with self._lock:
            for name, value in made.items():
                if name not in self._parts:
                    room = (self.room, *value.shape[1:])
                    self._parts[name] = torch.zeros(room, dtype=value.dtype, device=self.device)
                at = torch.arange(self.count, self.count + n, device=self.device) % self.room
                self._parts[name][at] = value.to(self.device)
            self.count += n

    def batch(self, n: int) -> dict[str, Tensor]:
        """`n` of them at random."""
        at = torch.randint(0, min(self.count, self.room), (n,), device=self.device)
        with self._lock:
            return {name: value[at] for name, value in self._parts.items()}


def turned(batch: dict[str, Tensor], rng: np.random.Generator) -> dict[str, Tensor]:
    """The same mirrored and turned in one of eight ways."""
    right, down, swap = (bool(v) for v in rng.integers(0, 2, 3))
    flipped = [-1] * right + [-2] * down
    out = {}
    for name, value in batch.items():
        if name in ("light", "told"):
            out[name] = value
            continue
        now = value.flip(flipped)
        if name in ("steep", "steps"):
            signs = torch.tensor([-1.0 if right else 1.0, -1.0 if down else 1.0], device=now.device, dtype=now.dtype)
            now = now * signs[None, :, None, None]
            now = now.flip(1) if swap else now
        out[name] = now.transpose(-1, -2) if swap else now
    return out


def part_of(batch: dict[str, Tensor], cells: int, rng: np.random.Generator) -> dict[str, Tensor]:
    """A square part of every board, `cells` wide."""
    row, column = (STEP * int(v) for v in rng.integers(0, (CELLS - cells) // STEP + 1, 2))
    out = {}
    for name, value in batch.items():
        n = value.shape[-1] // CELLS if value.ndim > 2 else 0
        out[name] = value[..., n * row : n * (row + cells), n * column : n * (column + cells)] if n else value
    return out


def shown_of(batch: dict[str, Tensor]) -> tuple[Tensor, ...]:
    """What `view` takes, tones and how steeply the camera looks, of samples as they are kept."""
    known = batch["told"][:, 10][:, None, None, None] > 0
    now, fine = _log(batch["now"]), _log(batch["fine"])
    empty = torch.where(known, _log(batch["empty"]), now)
    fine_empty = torch.where(known, _log(batch["fine_empty"]), fine)
    wood, board, steep = (batch[name].float() for name in ("wood", "board", "steep"))
    return now, empty, fine, fine_empty, wood, board, batch["light"], batch["told"], steep


def otherwise(shown: tuple[Tensor, ...], rng: np.random.Generator) -> tuple[Tensor, ...]:
    """The same with other contrast, focus and noise."""
    now, empty, fine, fine_empty, wood, board, light, told, steep = shown
    known = told[:, 10][:, None, None, None] > 0
    lit = light[:, :, None, None]
    grey = lit.mean(1, keepdim=True)
    share = torch.empty((len(now), 1, 1, 1), device=now.device).uniform_(FAINTER_LEAST, FAINTER_MOST)
    share = torch.where((torch.rand_like(share) < FAINTER) & known, share, torch.ones_like(share))
    now = empty + lit + share * (now - empty - lit)
    fine = fine_empty + grey + share * (fine - fine_empty - grey)
    if rng.random() < BLURRED:
        now, fine = _blurred(now), _blurred(fine)
    rough = ROUGH * torch.rand_like(share) * (torch.rand_like(share) < NOISY)
    now, fine = now + torch.randn_like(now) * rough, fine + torch.randn_like(fine) * rough
    empty, fine_empty = torch.where(known, empty, now), torch.where(known, fine_empty, fine)
    return now, empty, fine, fine_empty, wood, board, light, told, steep


def losses(answer: Tensor, maps: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """How wrong the names, the places and what hides the board are."""
    answer, maps = answer.float(), maps.float()
    kinds = batch["kinds"].long()
    named = functional.cross_entropy(answer[:, :CLASSES], kinds, ignore_index=IGNORED, reduction="none")
    there = (kinds > 0) & (kinds != IGNORED)
    count = there.sum().clamp(min=1)
    wide = answer[:, CLASSES + 2].clamp(-4.0, 2.0)
    off = (answer[:, CLASSES : CLASSES + 2] - batch["steps"].float()).abs().sum(1)
    placed = ((off * torch.exp(-wide) + 2.0 * wide) * there).sum() / count
    known = batch["maps"] != IGNORED
    wished = (batch["maps"].float() / (IGNORED - 1)).clamp(max=1.0)
    hidden = functional.binary_cross_entropy_with_logits(maps, wished, reduction="none")
    return named.sum() / count, placed, (hidden * known).sum() / (known.sum() + 1)


def train(plan: Plan) -> None:
    """Trains the net and writes its weights."""
    began, rng = time.monotonic(), np.random.default_rng(0)
    memory = Memory(plan.room, plan.device)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        waiting = Path(folder)
        makers = [
            multiprocessing.Process(target=make, args=(plan.folder, waiting, k + 1), daemon=True)
            for k in range(plan.jobs)
        ]
        for maker in makers:
            maker.start()
        threading.Thread(target=memory.take_in, args=(waiting,), daemon=True).start()
        while memory.count < min(FIRST, plan.room):
            time.sleep(0.2)
        net = Detector().to(plan.device).to(memory_format=torch.channels_last)
        if plan.upon:
            net.load_state_dict(torch.load(plan.upon, map_location=plan.device))
        mean = {name: value.detach().clone() for name, value in net.state_dict().items()}
        both = [(mean[name], value) for name, value in net.state_dict().items() if value.is_floating_point()]
        optimiser = torch.optim.AdamW(net.parameters(), lr=plan.rate, weight_decay=DECAY)
        start, step, said = time.monotonic(), 0, 0.0
        left = plan.seconds - (start - began)
        while (done := (time.monotonic() - start) / left) < 1.0:
            for group in optimiser.param_groups:
                group["lr"] = plan.rate * min(1.0, (step + 1) / RISE) * 0.5 * (1.0 + np.cos(np.pi * done))
            batch = turned(memory.batch(plan.batch), rng)
            if plan.cells:
                batch = part_of(batch, plan.cells, rng)
            shown = otherwise(shown_of(batch), rng)
            with torch.no_grad():
                seen = view(*shown[:8]).contiguous(memory_format=torch.channels_last)
            with torch.autocast(plan.device, dtype=torch.bfloat16):
                answer, maps = net(seen, *shown[7:])
            named, placed, hidden = losses(answer, maps, batch)
            optimiser.zero_grad(set_to_none=True)
            (named + PLACES * placed + MAPS * hidden).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            with torch.no_grad():
                kept = min(KEPT, (step + 1) / (step + 10))
                torch._foreach_lerp_([m for m, _ in both], [v for _, v in both], 1.0 - kept)
            step += 1
            if done - said > 0.02:
                said = done
                parts = (round(value.item(), 3) for value in (named, placed, hidden))
                print(f"{done:.0%} step {step} pictures {memory.count} losses", *parts, flush=True)
        torch.save({name: value.cpu() for name, value in mean.items()}, plan.weights)
        for maker in makers:
            maker.terminate()
            maker.join()


def _log(colour: Tensor) -> Tensor:
    return torch.log(colour.float() + 12.0)


def _blurred(planes: Tensor) -> Tensor:
    line = torch.tensor((0.15, 0.7, 0.15), device=planes.device)
    kernel = (line[:, None] * line[None])[None, None].expand(planes.shape[1], 1, 3, 3)
    return functional.conv2d(functional.pad(planes, (1, 1, 1, 1), mode="replicate"), kernel, groups=planes.shape[1])


def main() -> int:
    """As the command line says."""
    parser = argparse.ArgumentParser(prog="python -m scripts.teach.detector_training", description=__doc__)
    parser.add_argument("folder", type=Path, help="where drawn looks lie, in `traced` and `drawn`")
    parser.add_argument("weights", type=Path, help="the file that is written")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--upon", type=Path, help="weights that it begins with")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--cells", type=int, default=0, help="the width of the parts of boards it sees; 0: whole ones")
    parser.add_argument("--jobs", type=int, default=2, help="processes that make pictures")
    parser.add_argument("--room", type=int, default=4000, help="pictures that are kept, 2 MB each")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args: Any = parser.parse_args()
    multiprocessing.set_start_method("spawn")
    train(Plan(**vars(args)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
