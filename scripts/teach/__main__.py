"""Teaches the finder's nets: `python -m scripts.teach FOLDER OUT what|where|middle ROUNDS`; boards come from `.boards`.

Goes on from what lies in OUT; `middle` is `what` as it is asked about the board's middle. Needs PyTorch, which the
table itself never does. Every thirtieth look is kept back and only measured on.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from scripts.teach.boards import ABOUT_MM
from scripts.teach.lessons import IGNORED, Taught, boards, load, patches
from scripts.teach.nets import CELL_PX, What, Where, save

KEPT_EACH = 30
AHEAD = 6
RATE = float(os.environ.get("RATE", "2e-3"))
"""Less when going on with what was taught before."""


Lesson = tuple[Any, Any, Any]


def teach_what(folder: Path, rounds: int, out: Path, within_mm: float | None = None) -> None:
    """Teaches `What`; with `within_mm` as it is asked so near to the board's middle, alone."""
    net, taught = What(), out / ("what.onnx" if within_mm is None else "middle.onnx")
    _go_on(net, taught)
    rng = np.random.default_rng(1)
    step, rate = 0, RATE
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    for turn in range(rounds):
        lessons, kept = _lessons(folder)
        began, losses, store = time.time(), [], []
        order = rng.permutation(len(lessons))
        ahead = ThreadPoolExecutor(1)
        drawn: deque[Future[list[Lesson]]] = deque()
        for done in range(len(order)):
            # A few looks ahead: all of them would fill the memory.
            for i in order[done + len(drawn) : done + AHEAD]:
                drawn.append(ahead.submit(_drawn, lessons[i], int(rng.integers(1 << 30)), within_mm))
            for lesson in drawn.popleft().result():
                step += 1
                store.append(lesson)
                _set_rate(optimiser, rate, step, (turn + done / len(lessons)) / rounds)
                if len(store) == 4:
                    losses.append(_one(net, optimiser, *(np.concatenate(part) for part in zip(*store, strict=True))))
                    store = []
        print(turn, f"loss {np.mean(losses):.4f}", f"{time.time() - began:.0f} s", flush=True)
        report_what(net, kept, within_mm)
        save(net, torch.zeros(4, 12, 40, 40), taught, many=True)


def _drawn(taught: Taught, seed: int, within_mm: float | None) -> list[Lesson]:
    return list(patches(taught, np.random.default_rng(seed), within_mm))


def _one(net: nn.Module, optimiser: torch.optim.Optimizer, views: Any, kinds: Any, steps: Any) -> float:
    net.train()
    x, kind, step = torch.from_numpy(views), torch.from_numpy(kinds), torch.from_numpy(steps.astype(np.float32))
    optimiser.zero_grad()
    loss = what_loss(net(x), kind, step)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    optimiser.step()
    return float(loss.detach())


def what_loss(answer: Tensor, kind: Tensor, step: Tensor) -> Tensor:
    """Cross entropy of the class, and how unlikely the true step is under what was answered."""
    named = nn.functional.cross_entropy(answer[:, :5], kind, ignore_index=IGNORED)
    there = kind > 0
    if not there.any():
        return named
    size = answer[there, 7].clamp(-3.0, 2.5)
    off2 = ((answer[there, 5:7] - step[there]) ** 2).sum(1)
    # Two sides of the same: the first keeps rare large misses from ruling the rest.
    where = (off2 / (2.0 * torch.exp(2.0 * size))).clamp(max=40.0) + 2.0 * size
    return named + 0.25 * where.mean() + 0.05 * torch.sqrt(off2 + 1e-4).mean()


def report_what(net: nn.Module, kept: list[Taught], within_mm: float | None) -> None:
    """Prints how well it does on looks that were kept back."""
    net.eval()
    rng = np.random.default_rng(2)
    wrong, count, off, inside = np.zeros((5, 5), dtype=int), 0, [], 0
    with torch.no_grad():
        for taught in kept:
            for views, kinds, steps in patches(taught, rng, within_mm):
                answer = net(torch.from_numpy(views)).numpy()
                said = answer[:, :5].argmax(1)
                np.add.at(wrong, (kinds, said), 1)
                there = (kinds > 0) & (said == kinds) & (np.abs(steps).max(1) < 4.0)
                gap = np.hypot(*(answer[there, 5:7] - steps[there]).T) / taught.flat.scale
                off += list(gap)
                inside += int((gap < 2.448 * np.exp(answer[there, 7]) / taught.flat.scale).sum())
                count += len(kinds)
    print(
        wrong, f"mean {np.mean(off):.3f} p99 {np.percentile(off, 99):.2f} mm inside {inside / len(off):.3f}", flush=True
    )


def teach_where(folder: Path, rounds: int, out: Path) -> None:
    """Teaches `Where`."""
    net = Where()
    _go_on(net, out / "where.onnx")
    rng = np.random.default_rng(3)
    step, rate = 0, RATE
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    for turn in range(rounds):
        lessons, kept = _lessons(folder)
        began, losses, store = time.time(), [], []
        net.train()
        for done, i in enumerate(rng.permutation(len(lessons))):
            for lesson in boards(lessons[i], rng):
                step += 1
                store.append(lesson)
                if len(store) < 4:
                    continue
                _set_rate(optimiser, rate, step, (turn + done / len(lessons)) / rounds)
                view, heat, steps = (torch.from_numpy(np.stack(part)) for part in zip(*store, strict=True))
                if rng.random() < 0.5:
                    view, heat, steps = view.flip(3), heat.flip(3), steps.flip(3)
                    view, heat, steps = _unshifted(view, heat, steps)
                optimiser.zero_grad()
                loss = where_loss(net(view), heat, steps)
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 5.0)
                optimiser.step()
                losses.append(float(loss.detach()))
                store = []
        print(turn, f"loss {np.mean(losses):.4f}", f"{time.time() - began:.0f} s", flush=True)
        report_where(net, kept)
        save(net, torch.zeros(1, 7, 328, 328), out / "where.onnx", many=False)


def _unshifted(view: Tensor, heat: Tensor, steps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """After mirroring, cells lie three pixels beside where the net looks for them: move the picture back."""
    view = torch.roll(view, -(CELL_PX - 1), 3)
    steps = steps.clone()
    steps[:, 0] *= -1.0
    return view, heat, steps


def where_loss(answer: Tensor, heat: Tensor, steps: Tensor) -> Tensor:
    """Focal loss about each centre, and how far off the steps are."""
    score = torch.sigmoid(answer[:, :2]).clamp(1e-5, 1 - 1e-5)
    peak = heat >= 1.0
    found = torch.log(score) * (1 - score) ** 2 * peak
    none = torch.log(1 - score) * score**2 * (1 - heat) ** 4 * ~peak
    named = -(found.sum() + none.sum()) / peak.sum().clamp(min=1)
    near = steps[:, 2] > 0
    off = (answer[:, 2:4] - steps[:, :2]).abs().sum(1)[near]
    return named + off.mean() if len(off) else named


def report_where(net: nn.Module, kept: list[Taught]) -> None:
    """Prints how many pieces are among the found places, and how many places there are."""
    net.eval()
    rng = np.random.default_rng(4)
    pieces = missed = places = 0
    off = []
    with torch.no_grad():
        for taught in kept:
            for view, heat, steps in boards(taught, rng):
                answer = net(torch.from_numpy(view[None]))[0].numpy()
                score = answer[:2].max(0)
                top = cv2.dilate(score, np.ones((3, 3), np.uint8))
                found = np.argwhere((score >= top) & (score > -2.5))
                at = found + answer[3:1:-1, found[:, 0], found[:, 1]].T
                for r, c in np.argwhere((heat >= 1.0).any(0)):
                    true = np.array((r + steps[1, r, c], c + steps[0, r, c]))
                    gap = np.hypot(*(at - true).T).min() if len(at) else 99.0
                    pieces, missed = pieces + 1, missed + (gap > 0.7)
                    if gap <= 0.7:
                        off.append(gap * CELL_PX * 2 / taught.flat.scale)
                places += len(found)
    print(
        f"missed {missed}/{pieces}, places {places}, off {np.mean(off):.2f} p99 {np.percentile(off, 99):.2f} mm",
        flush=True,
    )


def main() -> None:
    """Reads the lessons and teaches."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    which, rounds = sys.argv[3], int(sys.argv[4])
    out.mkdir(parents=True, exist_ok=True)
    if which == "where":
        teach_where(folder, rounds, out)
    else:
        teach_what(folder, rounds, out, ABOUT_MM if which == "middle" else None)


_READ: dict[Path, Taught] = {}


def _lessons(folder: Path) -> tuple[list[Taught], list[Taught]]:
    """What to teach and what to measure on; boards may still be drawn while the first rounds are taught."""
    for path in sorted(folder.glob("*.pickle")):
        if path not in _READ and path.stat().st_size > 5e6 and time.time() - path.stat().st_mtime > 5:
            _READ[path] = load(path)
    every = sorted(_READ)
    kept = [_READ[path] for path in every if int(path.stem) % KEPT_EACH == 0]
    lessons = [_READ[path] for path in every if int(path.stem) % KEPT_EACH]
    print(len(lessons), "looks", flush=True)
    return lessons, kept


def _go_on(net: nn.Module, path: Path) -> None:
    """Takes over what was taught before, if anything was."""
    if path.is_file():
        import onnx
        from onnx import numpy_helper

        learnt = {
            part.name: torch.from_numpy(numpy_helper.to_array(part).copy())
            for part in onnx.load(path).graph.initializer
        }
        net.load_state_dict(learnt)


def _set_rate(optimiser: torch.optim.Optimizer, rate: float, step: int, share: float) -> None:
    for group in optimiser.param_groups:
        group["lr"] = rate * min(1.0, step / 300) * (0.5 + 0.5 * np.cos(np.pi * share)) + 1e-5


if __name__ == "__main__":
    main()
