"""One step of the modern Hopfield network is scaled dot-product attention."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.data import load
from gradatim.neurons import ModernHopfield
from gradatim.nn import attend, attention_weights
from gradatim.plots.images import image_grid
from gradatim.reports import Report

COVERS = ("A5", "G1")
KEYWORDS = "modern Hopfield network, associative memory, retrieval, log-sum-exp energy"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dim: int = 64
    patterns: int = 5000
    probes: int = 200
    beta: float = 12.0


QUICK = Settings(patterns=1000, probes=100)


def unit_patterns(settings: Settings) -> Tensor:
    generator = torch.Generator().manual_seed(settings.seed)
    patterns = torch.randn(
        settings.patterns, settings.dim, generator=generator, dtype=torch.float64
    )
    return patterns / patterns.norm(dim=1, keepdim=True) * settings.dim**0.5


def claim_step(report: Report, patterns: Tensor, probes: Tensor) -> None:
    memory = ModernHopfield(patterns.shape[1])  # β = 1/√d
    memory.store(patterns)
    gap = (memory.step(probes) - attend(probes, patterns, patterns)).abs().max().item()
    report.claim(
        "one step equals attention with the patterns as keys and values", gap, at_most=1e-5
    )


def claim_energy(report: Report, patterns: Tensor, probes: Tensor) -> None:
    for beta in (0.05, 0.125, 1.0):
        memory = ModernHopfield(patterns.shape[1], beta=beta)
        memory.store(patterns)
        rise = memory.recall(probes, max_steps=20).energies.diff(dim=0).max().item()
        report.claim(f"no step raises the energy, β = {beta}", rise, at_most=1e-4)


def claim_retrieval(report: Report, settings: Settings, patterns: Tensor) -> None:
    generator = torch.Generator().manual_seed(settings.seed + 1)
    noise = torch.randn(settings.probes, settings.dim, generator=generator, dtype=torch.float64)
    clean = patterns[: settings.probes]
    after = attend(clean + 0.3 * noise, patterns, patterns)
    nearest = torch.cdist(after, patterns).argmin(1)
    share = 100 * (nearest == torch.arange(settings.probes)).double().mean().item()
    report.claim(
        f"one attention step names the stored pattern among {settings.patterns:,} in {settings.dim} dimensions",
        share,
        at_least=95,
    )
    middle = attend(1e-3 * clean, patterns, patterns)
    gap = ((middle - patterns.mean(0)).norm(dim=1) / patterns.norm(dim=1).mean()).max().item()
    report.claim("a query without a direction gets the mean of all values", gap, below=0.01)


def draw_digits(report: Report, settings: Settings) -> None:
    """Recall digits from their upper halves: attention as a memory."""
    data = load("digits")
    images = torch.as_tensor(data.X[:200]).double() * 2 - 1  # (200, 64)
    images = images / images.norm(dim=1, keepdim=True)
    shown = images[10:20].clone()
    shown[:, 32:] = 0.0
    rows = [images[10:20], shown]
    for beta in (1.0, settings.beta, 10 * settings.beta):
        query = beta * settings.dim**0.5 * shown  # attention divides by the root of the width again
        rows.append(attend(query, images, images))
    halves = images.clone()
    halves[:, 32:] = 0.0
    nearest = attention_weights(halves, images).argmax(1)
    found = 100 * (nearest == torch.arange(len(images))).double().mean().item()
    report.claim(
        f"the upper half of a digit attends most to the whole, among {len(images)}",
        found,
        at_least=80,
    )
    scaled = [row / row.abs().amax(dim=1, keepdim=True) for row in rows]
    pictures = torch.cat(scaled).reshape(-1, 8, 8).numpy()
    report.figure(
        "digits",
        image_grid(pictures, columns=10),
        caption="From top to bottom: stored digits, what was shown, one step at a low, a middle and a high "
        "inverse temperature β. Low β averages all memories, high β retrieves one.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Hopfield is attention",
        summary="A memory that averages its patterns with softmax weights takes, in one step, exactly the "
        "average that an attention head takes.",
    )
    patterns = unit_patterns(settings)
    generator = torch.Generator().manual_seed(settings.seed + 2)
    probes = torch.randn(settings.probes, settings.dim, generator=generator, dtype=torch.float64)
    claim_step(report, patterns, probes)
    claim_energy(report, patterns, probes)
    claim_retrieval(report, settings, patterns)
    draw_digits(report, settings)
    return report
