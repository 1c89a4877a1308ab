"""What an expert writes in eager PyTorch: tables looked up, images and weights channels last, a fused optimizer."""

import torch
from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.diffusion.task import CLASSES, Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch by hand, channels last"
REQUIRES = ("torch",)
VARIANTS = THREADS
PIECE = 256  # samples that the network sees at once


def build(task: Task, variant: str) -> Contestant:
    network = task.network().to(memory_format=torch.channels_last)
    images = torch.from_numpy(task.X).permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    labels = torch.from_numpy(task.y)
    optimizer = torch.optim.Adam(network.parameters(), task.lr, fused=True)
    betas = torch.linspace(1e-4, 0.02, task.num_steps, dtype=torch.float64)
    left = (1 - betas).cumprod(0)
    signal, spread = left.sqrt().float(), (1 - left).sqrt().float()
    drawn: list[Tensor | None] = [None]

    def learn() -> None:
        for rows in torch.randperm(len(images)).split(task.batch_size):
            x, y = images[rows], labels[rows]
            y = torch.where(torch.rand(len(rows)) < 0.1, CLASSES, y)
            step = torch.randint(task.num_steps, (len(rows),))
            noise = torch.randn_like(x)
            x = signal[step][:, None, None, None] * x + spread[step][:, None, None, None] * noise
            loss = (network(x, (step + 1) / task.num_steps, y) - noise).square().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()

    @torch.inference_mode()
    def draw() -> Tensor:
        half = (left.log() - (1 - left).log()) / 2
        grid = torch.linspace(float(half[-1]), float(half[0]), task.steps, dtype=torch.float64)
        steps = [int((half - value).abs().argmin()) for value in grid]
        torch.manual_seed(0)
        x = torch.randn(len(labels), 28, 28, 1).permute(0, 3, 1, 2)
        before, ratio = None, 0.0
        network.eval()
        for k, step in enumerate(steps):
            time = torch.full((PIECE,), (step + 1) / task.num_steps)
            pieces = [network(part, time[: len(part)], y) for part, y in zip(x.split(PIECE), labels.split(PIECE), strict=True)]  # fmt: skip
            x0 = (x - spread[step] * torch.cat(pieces)) / signal[step]
            if k + 1 == task.steps:
                break
            then = steps[k + 1]
            h = half[then] - half[step]
            mixed = x0 if before is None else x0 + h / (2 * ratio) * (x0 - before)
            x = spread[then] / spread[step] * x - signal[then] * torch.expm1(-h).float() * mixed
            x, before, ratio = x.float(), x0, h
        network.train()
        return x0

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            if task.is_training:
                learn()
            else:
                drawn[0] = draw()
            tick()

    return Contestant(train, lambda: task.figure(network, drawn[0]))
