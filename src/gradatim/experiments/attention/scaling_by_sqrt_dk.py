"""Without the root of the width, softmax saturates and its gradient dies."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("G1", "C6")
KEYWORDS = "scaled dot-product, softmax saturation, variance of dot products"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    widths: tuple[int, ...] = (4, 16, 64, 256, 1024)
    num_keys: int = 64
    num_queries: int = 8000


QUICK = Settings(num_queries=5000)


def scores(settings: Settings, width: int) -> Tensor:
    """Products of standard normal queries with keys drawn anew for each, ``(num_queries, num_keys)``."""
    generator = torch.Generator().manual_seed(settings.seed + width)
    query = torch.randn(settings.num_queries, width, 1, generator=generator)
    chunks = [
        torch.randn(len(part), settings.num_keys, width, generator=generator) @ part
        for part in query.split(250)
    ]
    return torch.cat(chunks).squeeze(-1)


def saturation(logits: Tensor) -> dict[str, float]:
    r"""Entropy, largest weight and gradient of a softmax, averaged over rows.

    The Jacobian of a softmax is :math:`J = \operatorname{diag}(a) - aa^\top`, with trace
    :math:`\sum_i a_i(1-a_i)`: zero where one weight is one.
    """
    weights = logits.softmax(1)
    entropy = -(weights * weights.clamp(min=1e-30).log()).sum(1)
    return {
        "entropy": (entropy.mean() / math.log(logits.shape[1])).item(),
        "largest weight": weights.amax(1).mean().item(),
        "gradient": (weights * (1 - weights)).sum(1).mean().item(),
    }


def run(settings: Settings) -> Report:
    report = Report(
        title="Why attention divides by the root of the width",
        summary="Products of wide vectors have a variance equal to their width. Undivided, they drive the "
        "softmax to a single key and its gradient to zero.",
    )
    raw, scaled, variances = [], [], []
    for width in settings.widths:
        products = scores(settings, width)
        variances.append(products.var().item())
        raw.append(saturation(products))
        scaled.append(saturation(products / math.sqrt(width)))
    ratios = [v / w for v, w in zip(variances, settings.widths, strict=True)]
    worst = max(ratios, key=lambda ratio: abs(ratio - 1))
    report.claim("variance of q·k over the width", worst, "{} at every width", near=(1, 0.05))
    spread = max(s["entropy"] for s in scaled) - min(s["entropy"] for s in scaled)
    report.claim("scaled attention is as spread at every width", spread, below=0.02)
    report.claim(
        f"unscaled attention at width {settings.widths[-1]} sees a single key",
        raw[-1]["largest weight"],
        at_least=0.9,
    )
    loss = scaled[-1]["gradient"] / raw[-1]["gradient"]
    report.claim(
        f"scaling saves the gradient at width {settings.widths[-1]}", loss, "{} times", at_least=8
    )
    report.table(
        f"Softmax over {settings.num_keys} keys",
        columns=[
            "width",
            "variance",
            "entropy",
            "entropy, scaled",
            "largest weight",
            "largest, scaled",
        ],
        rows=[
            [w, v, r["entropy"], s["entropy"], r["largest weight"], s["largest weight"]]
            for w, v, r, s in zip(settings.widths, variances, raw, scaled, strict=True)
        ],
    )
    draw(report, settings, variances, raw, scaled)
    return report


def draw(
    report: Report,
    settings: Settings,
    variances: list[float],
    raw: list[dict[str, float]],
    scaled: list[dict[str, float]],
) -> None:
    x = settings.widths
    panels = [
        CurvePanel(
            "Variance of a product", "width of a head", "variance",
            {"q·k": (x, variances)}, {"width": (x, x)}, is_log_x=True, is_log_y=True,
        )
    ]  # fmt: skip
    for key, title in (("entropy", "Entropy of the weights"), ("gradient", "Gradient that passes")):
        curves = {
            "q·k": (x, [row[key] for row in raw]),
            "q·k / √width": (x, [row[key] for row in scaled]),
        }
        label = "share of the uniform" if key == "entropy" else "trace of the Jacobian"
        panels.append(CurvePanel(title, "width of a head", label, curves, is_log_x=True))
    report.figure(
        "scaling",
        curve_panels(panels, width=3.8, height=3.4),
        caption="Standard normal queries and keys. Divided by the root of the width, attention behaves the "
        "same at every width.",
    )
