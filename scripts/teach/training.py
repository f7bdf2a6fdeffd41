"""The training loops of the finder's two nets: samples in, weights out, the same weights for the same samples.

Each look is prepared by a worker process from its file, in an order that seed and epoch alone decide; after each epoch
the state is written down, so that a cut run goes on where it stood. Looks that are held out are only measured on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from scripts.teach.lessons import IGNORED, boards, load, patches
from scripts.teach.nets import CELL_PX, What, Where, taken_up

RATE = 2e-3
"""The learning rate at its highest."""
RATE_FURTHER = 5e-4
"""The same for a net that is trained further: more, and the first steps undo what it knows."""
KEEP = 3.0
"""What it counts beside the loss by how much the second net's last layer but one changes when trained further, as a
share of its squares: the third net knows it as it was."""
WARM_UP = 300
"""Steps until it is reached."""
LAST_RATE = 1e-5
DECAY = 1e-4
MOST_NORM = 5.0
"""Longest gradient: one odd batch must not undo an epoch."""
BATCH = 4
"""Pictures a step: of patches some two hundred."""
AHEAD = 6
"""Looks that are prepared while one is trained on."""

Sample = tuple[Any, Any, Any]
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass(frozen=True, slots=True)
class Plan:
    """What one net is trained on: files of looks, those held out, epochs, worker processes, where states are kept.

    `upon`: the file of a net that is trained further; without it the net begins with nothing. `rate`: the learning
    rate at its highest, without it RATE or RATE_FURTHER.
    """

    training: Sequence[Path]
    held_out: Sequence[Path]
    epochs: int
    jobs: int
    states: Path
    upon: Path | None = None
    rate: float | None = None


def train_where(plan: Plan) -> Where:
    """Trains `Where` and prints after each epoch how it does on what is held out."""
    net = Where()
    _train("where", net, plan, _where_samples, _where_step, _report_where)
    return net


def train_what(plan: Plan) -> What:
    """Trains `What` as `train_where` does the other net; trained further, it keeps near to what `Weigh` goes by."""
    net, before = What(), None
    if plan.upon is not None:
        before = What().to(DEVICE)
        taken_up(before, plan.upon)
    _train("what", net, plan, _what_samples, partial(_what_step, before), _report_what)
    return net


def _train(
    name: str,
    net: nn.Module,
    plan: Plan,
    samples: Callable[[Path, tuple[int, ...]], list[Sample]],
    step: Callable[[nn.Module, list[Sample]], Tensor],
    report: Callable[[nn.Module, Iterator[list[Sample]]], str],
) -> None:
    torch.manual_seed(len(name))
    if plan.upon is not None:
        taken_up(net, plan.upon)
    else:
        for module in net.modules():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()
        if isinstance(net, Where):
            net.expect_little()
    net.to(DEVICE)
    rate = plan.rate or (RATE if plan.upon is None else RATE_FURTHER)
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=DECAY)
    first, steps = _restored(name, net, optimiser, plan)
    with ProcessPoolExecutor(plan.jobs, initializer=_one_thread) as workers:
        for epoch in range(first, plan.epochs):
            order = np.random.default_rng((len(name), epoch)).permutation(len(plan.training))
            wanted = [(plan.training[i], (epoch, int(i))) for i in order]
            net.train()
            batch, losses = [], []
            for done, drawn in enumerate(_ahead(workers, samples, wanted)):
                for sample in drawn:
                    batch.append(sample)
                    if len(batch) < BATCH:
                        continue
                    steps += 1
                    share = (epoch + done / len(wanted)) / plan.epochs
                    # Up in a line, down in half a cosine; Python's own number, or the state could not be read again.
                    now = rate * min(1.0, steps / WARM_UP) * (0.5 + 0.5 * float(np.cos(np.pi * share))) + LAST_RATE
                    for group in optimiser.param_groups:
                        group["lr"] = now
                    optimiser.zero_grad()
                    loss = step(net, batch)
                    loss.backward()
                    nn.utils.clip_grad_norm_(net.parameters(), MOST_NORM)
                    optimiser.step()
                    losses.append(float(loss.detach()))
                    batch = []
            net.eval()
            kept = _ahead(workers, samples, [(path, (0, k)) for k, path in enumerate(plan.held_out)])
            with torch.no_grad():
                said = report(net, kept)
            # A last batch that was not filled is left out: its step would weigh as much as a whole one's.
            print(
                f"{name} epoch {epoch + 1} of {plan.epochs}: loss {np.mean(losses):.4f}; held out: {said}", flush=True
            )
            _keep(name, net, optimiser, plan, epoch + 1, steps)
    net.to("cpu").eval()


def _restored(name: str, net: nn.Module, optimiser: torch.optim.Optimizer, plan: Plan) -> tuple[int, int]:
    """Takes over the state of the last whole epoch: (epochs done, steps done)."""
    path = plan.states / f"{name}.state"
    if not path.is_file():
        return 0, 0
    state = torch.load(path, map_location=DEVICE, weights_only=True)
    net.load_state_dict(state["net"])
    optimiser.load_state_dict(state["optimiser"])
    return int(state["epochs"]), int(state["steps"])


def _keep(name: str, net: nn.Module, optimiser: torch.optim.Optimizer, plan: Plan, epochs: int, steps: int) -> None:
    state = {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "epochs": epochs, "steps": steps}
    half = plan.states / f"{name}.half"
    torch.save(state, half)
    half.rename(plan.states / f"{name}.state")


def _ahead(
    workers: ProcessPoolExecutor,
    samples: Callable[[Path, tuple[int, ...]], list[Sample]],
    wanted: Sequence[tuple[Path, tuple[int, ...]]],
) -> Iterator[list[Sample]]:
    """The samples of each look in turn, some looks ahead: all of them would fill the memory."""
    waiting: deque[Future[list[Sample]]] = deque()
    for path, seed in wanted:
        waiting.append(workers.submit(samples, path, seed))
        if len(waiting) > AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _one_thread() -> None:
    cv2.setNumThreads(1)
    torch.set_num_threads(1)


def _where_samples(path: Path, seed: tuple[int, ...]) -> list[Sample]:
    return [
        tuple(np.ascontiguousarray(part) for part in one) for one in boards(load(path), np.random.default_rng(seed))
    ]  # type: ignore[misc]


def _what_samples(path: Path, seed: tuple[int, ...]) -> list[Sample]:
    return list(patches(load(path), np.random.default_rng(seed)))


# -- where something may lie


def _where_step(net: nn.Module, batch: list[Sample]) -> Tensor:
    view, heat, steps = (torch.from_numpy(np.stack(part)).to(DEVICE) for part in zip(*batch, strict=True))
    if int(steps.shape[0] * heat.sum()) % 2:
        view, heat, steps = view.flip(3), heat.flip(3), steps.flip(3)
        # Mirrored, cells lie three pixels beside where the net looks for them: the picture is moved back.
        view = torch.roll(view, -(CELL_PX - 1), 3)
        steps = steps.clone()
        steps[:, 0] *= -1.0
    return where_loss(net(view), heat, steps)


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


def _report_where(net: nn.Module, kept: Iterator[list[Sample]]) -> str:
    pieces = missed = places = 0
    for samples in kept:
        for view, heat, steps in samples:
            answer = net(torch.from_numpy(view[None]).to(DEVICE))[0].cpu().numpy()
            score = answer[:2].max(0)
            found = np.argwhere((score >= cv2.dilate(score, np.ones((3, 3), np.uint8))) & (score > -2.0))
            at = found + answer[3:1:-1, found[:, 0], found[:, 1]].T
            for r, c in np.argwhere((heat >= 1.0).any(0)):
                true = np.array((r + steps[1, r, c], c + steps[0, r, c]))
                pieces += 1
                missed += not len(at) or bool(np.hypot(*(at - true).T).min() > 0.7)
            places += len(found)
    return f"{missed} of {pieces} pieces missed, {places} places"


# -- what lies there


def _what_step(before: What | None, net: nn.Module, batch: list[Sample]) -> Tensor:
    assert isinstance(net, What)
    views, kinds, steps = (np.concatenate(part) for part in zip(*batch, strict=True))
    x, kind, step = torch.from_numpy(views), torch.from_numpy(kinds), torch.from_numpy(steps.astype(np.float32))
    x = x.to(DEVICE)
    seen = net.body[:-1](x)
    loss = what_loss(net.body[-1](seen), kind.to(DEVICE), step.to(DEVICE))
    if before is None:
        return loss
    with torch.no_grad():
        was = before.body[:-1](x)
    return loss + KEEP * ((seen - was) ** 2).mean() / (was**2).mean()


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


def _report_what(net: nn.Module, kept: Iterator[list[Sample]]) -> str:
    wrong, off, inside = np.zeros((5, 5), dtype=int), [], 0
    for samples in kept:
        for views, kinds, steps in samples:
            answer = net(torch.from_numpy(views).to(DEVICE)).cpu().numpy()
            said = answer[:, :5].argmax(1)
            np.add.at(wrong, (kinds, said), 1)
            there = (kinds > 0) & (said == kinds) & (np.abs(steps).max(1) < 4.0)
            gap = np.hypot(*(answer[there, 5:7] - steps[there]).T)
            off += list(gap)
            inside += int((gap < 2.448 * np.exp(answer[there, 7])).sum())
    right = np.trace(wrong) / max(wrong.sum(), 1)
    holds = inside / max(len(off), 1)
    return f"{right:.4f} named, {np.mean(off):.3f} px off, stated 95 % holds {holds:.3f}, {wrong.tolist()}"
