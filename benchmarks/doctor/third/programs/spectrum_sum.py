"""Denoise spectra made of Gaussian peaks with a one-dimensional convolutional net."""
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Settings:
    spectra: int = 600
    points: int = 64
    noise: float = 0.3
    lr: float = 0.05
    batch_size: int = 40
    epochs: int = 10
    seed: int = 21


def make_spectra(s: Settings) -> tuple[Tensor, Tensor]:
    grid = torch.linspace(0, 1, s.points)
    centre = torch.rand(s.spectra, 3, 1)
    width = 0.03 + 0.05 * torch.rand(s.spectra, 3, 1)
    height = 0.5 + torch.rand(s.spectra, 3, 1)
    clean = (height * torch.exp(-((grid - centre) ** 2) / (2 * width**2))).sum(1, keepdim=True)
    return clean + s.noise * torch.randn_like(clean), clean


def squared_error(output: Tensor, clean: Tensor) -> Tensor:
    return (output - clean).pow(2).sum()


def run(s: Settings) -> None:
    torch.manual_seed(s.seed)
    noisy, clean = make_spectra(s)
    keep = int(0.8 * s.spectra)
    net = nn.Sequential(
        nn.Conv1d(1, 12, 9, padding=4), nn.ReLU(), nn.Conv1d(12, 12, 9, padding=4), nn.ReLU(), nn.Conv1d(12, 1, 9, padding=4)
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=s.lr, momentum=0.9)
    for epoch in range(s.epochs):
        for rows in torch.randperm(keep).split(s.batch_size):
            optimizer.zero_grad()
            squared_error(net(noisy[rows]), clean[rows]).backward()
            optimizer.step()
        with torch.no_grad():
            held = (net(noisy[keep:]) - clean[keep:]).pow(2).mean().item()
            raw = (noisy[keep:] - clean[keep:]).pow(2).mean().item()
        print(f"epoch {epoch}: held-out error {held:.4f} (input itself: {raw:.4f}, variance {clean.var().item():.4f})")


run(Settings())
