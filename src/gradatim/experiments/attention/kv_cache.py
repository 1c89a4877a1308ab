"""Keys and values kept once: the same tokens from a fraction of the work."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.utils.flop_counter import FlopCounterMode

from gradatim.decoding import generate
from gradatim.models import GPT
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("G3",)
KEYWORDS = "key-value cache, autoregressive decoding, inference cost"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    vocab_size: int = 65
    dim: int = 256
    num_layers: int = 4
    num_heads: int = 8
    lengths: tuple[int, ...] = (16, 32, 64, 128, 256)


QUICK = Settings(dim=64, num_layers=2, num_heads=4, lengths=(16, 32, 64, 128))


def build(settings: Settings) -> GPT:
    with seeded(settings.seed):
        model = GPT(
            settings.vocab_size, settings.lengths[-1] + 1, settings.dim, settings.num_layers,
            settings.num_heads,
        )  # fmt: skip
        for (
            parameter
        ) in model.parameters():  # odds far from uniform, so that equal tokens mean something
            if parameter.ndim > 1:
                torch.nn.init.normal_(parameter, std=3 / math.sqrt(settings.dim))
    return model.eval()


def attention_flops(
    query: torch.Size, key: torch.Size, value: torch.Size, *rest: object, **named: object
) -> int:
    """Multiplications and additions of the two products of attention, which PyTorch does not count on CPUs."""
    B, H, T, d = query
    return 4 * B * H * T * key[-2] * d


def work(model: GPT, num_tokens: int, use_cache: bool) -> float:
    """Multiplications and additions of generating ``num_tokens``."""
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    counter = FlopCounterMode(display=False, custom_mapping={kernel: attention_flops})
    with counter:
        generate(model, [0], num_tokens, temperature=0.0, use_cache=use_cache)
    return float(counter.get_total_flops())


def seconds(model: GPT, num_tokens: int, use_cache: bool) -> float:
    start = time.perf_counter()
    generate(model, [0], num_tokens, temperature=0.0, use_cache=use_cache)
    return time.perf_counter() - start


def claim_equality(report: Report, model: GPT, settings: Settings) -> None:
    strategies: dict[str, dict[str, float]] = {
        "greedy": {"temperature": 0.0},
        "drawn": {"temperature": 1.0},
        "nucleus": {"temperature": 0.8, "top_p": 0.9},
        "four beams": {"num_beams": 4},
    }
    for name, how in strategies.items():
        with_cache, without = (
            generate(model, [0, 1, 2], settings.lengths[-1] // 2, use_cache=flag, **how)  # type: ignore[arg-type]
            for flag in (True, False)
        )
        differing = int((with_cache != without).sum())
        report.claim(
            f"{name}: same tokens with and without the cache", differing, "{} differ", equals=0
        )


def growth(lengths: tuple[int, ...], values: list[float]) -> float:
    """Exponent of growth over the last doubling."""
    return math.log(values[-1] / values[-2]) / math.log(lengths[-1] / lengths[-2])


def compare(
    measure: Callable[[GPT, int, bool], float], model: GPT, settings: Settings
) -> dict[str, list[float]]:
    """A measurement at every length, with and without the cache."""
    return {
        name: [measure(model, n, flag) for n in settings.lengths]
        for name, flag in (("with cache", True), ("without", False))
    }


def claim_work(report: Report, flops: dict[str, list[float]], settings: Settings) -> None:
    for name, low, high in (("with cache", 0.95, 1.3), ("without", 1.8, 2.3)):
        exponent = growth(settings.lengths, flops[name])
        report.claim(
            f"work grows as length to the power, {name}", exponent, at_least=low, at_most=high
        )
    saved, n = flops["without"][-1] / flops["with cache"][-1], settings.lengths[-1]
    report.claim(f"work saved at {n} tokens", saved, "{} times", at_least=n / 3)


def claim_memory(report: Report, model: GPT, settings: Settings) -> None:
    held = sum(cache.key.nbytes + cache.value.nbytes for cache in model.new_caches(1))
    formula = 2 * settings.num_layers * model.context * settings.dim * 4
    report.claim(
        "memory of the cache is 2 · layers · context · width · 4 bytes", held, equals=formula
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="The key-value cache",
        summary="A new token needs the keys and values of all tokens before it, and those never change. Kept, "
        "they turn quadratic work into almost linear work.",
    )
    model = build(settings)
    claim_equality(report, model, settings)
    flops, times = compare(work, model, settings), compare(seconds, model, settings)
    claim_work(report, flops, settings)
    claim_memory(report, model, settings)
    report.table(
        "Greedy generation from one token",
        columns=["tokens", "GFLOP, cached", "GFLOP", "seconds, cached", "seconds"],
        rows=[
            [n, flops["with cache"][i] / 1e9, flops["without"][i] / 1e9, times["with cache"][i], times["without"][i]]
            for i, n in enumerate(settings.lengths)
        ],
    )  # fmt: skip
    draw(report, flops, times, settings)
    return report


def draw(
    report: Report, flops: dict[str, list[float]], times: dict[str, list[float]], settings: Settings
) -> None:
    x = settings.lengths
    panels = [
        CurvePanel(
            "Work", "tokens generated", "GFLOP",
            {name: (x, [v / 1e9 for v in values]) for name, values in flops.items()},
            is_log_x=True, is_log_y=True,
        ),
        CurvePanel(
            "Time on this machine", "tokens generated", "seconds",
            {name: (x, values) for name, values in times.items()}, is_log_x=True, is_log_y=True,
        ),
    ]  # fmt: skip
    report.figure(
        "work",
        curve_panels(panels),
        caption="Recomputing the prefix doubles its slope on these scales; the cache does not. Small models "
        "spend part of the time on overhead, so time falls less than work.",
    )
