"""Dropout makes units that others can do without: half of them may leave the network, and few answers change."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.nn import StandardDropout, inverted_dropout, mc_predict
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("D4",)
KEYWORDS = "co-adaptation of neurons, redundant representations, redundancy, fault tolerance, dropout, weight scaling rule, thinned networks, lesion, Monte Carlo dropout, uncertainty"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    hidden_dim: int = 256
    keeps: tuple[float, ...] = (1.0, 0.8, 0.5)
    epochs: int = 150
    removed: tuple[float, ...] = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    draws: int = 50


QUICK = Settings(hidden_dim=128, keeps=(1.0, 0.5), epochs=50, removed=(0.0, 0.5, 0.8), draws=15)


def train(pair: Pair, keep: float, settings: Settings, *, is_standard: bool = True) -> nn.Sequential:  # fmt: skip
    """A network with one hidden layer behind dropout, in the form that scales at test or in training."""
    with seeded(settings.seed):
        dropout = StandardDropout(keep=keep) if is_standard else inverted_dropout(keep=keep)
        model = nn.Sequential(nn.Linear(64, settings.hidden_dim), nn.ReLU(), dropout, nn.Linear(settings.hidden_dim, 10))  # fmt: skip
    Trainer(model, optimizer="adam", lr=3e-3, schedule="cosine", epochs=settings.epochs, batch_size=64, seed=settings.seed, progress=False).fit(pair)  # fmt: skip
    return model.eval()


@torch.inference_mode()
def errors_without(model: nn.Sequential, test: Pair, share: float, settings: Settings) -> float:
    """Mean test error in per cent without a share of the hidden units; the rest speak up for them, as in dropout."""
    generator = torch.Generator().manual_seed(settings.seed)
    hidden = model[2](model[1](model[0](test[0])))
    count = round((1 - share) * hidden.shape[1])
    wrong = []
    for _ in range(settings.draws if share else 1):
        kept = torch.randperm(hidden.shape[1], generator=generator)[:count]
        mask = torch.zeros(hidden.shape[1]).index_fill(0, kept, hidden.shape[1] / count)
        wrong.append((model[3](hidden * mask).argmax(1) != test[1]).double().mean())
    return 100 * torch.stack(wrong).mean().item()


def claim_scale(report: Report, model: nn.Sequential, test: Pair, settings: Settings, keep: float) -> None:  # fmt: skip
    """After training units must be scaled by the probability to keep them."""
    with torch.inference_mode():
        hidden = model[1](model[0](test[0]))
        generator = torch.Generator().manual_seed(settings.seed)
        masks = torch.rand(2000, hidden.shape[1], generator=generator) < keep
        sums = ((hidden[:200, None] * masks[None]) @ model[3].weight.T).mean(1)
        exact = hidden[:200] @ model[3].weight.T
    ratio = (sums * exact).sum() / exact.square().sum()
    report.claim(f"masks that keep {keep:g}: mean inputs of the output units over those of all units", ratio, near=(keep, 0.02))  # fmt: skip


def claim_confidence(report: Report, model: nn.Sequential, test: Pair, settings: Settings) -> None:
    """Masks left on at test time are an ensemble, and their disagreement tells where it errs."""
    mean, spread = mc_predict(model, test[0], num_samples=50, transform=lambda z: z.softmax(1), seed=settings.seed)  # fmt: skip
    guess = mean.argmax(1)
    doubt: Tensor = spread[torch.arange(len(guess)), guess]
    wrong = guess != test[1]
    report.claim("masks left on disagree where the network is wrong", doubt[wrong].mean() / doubt[~wrong].mean(), "times the spread of right answers", above=1.5)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Dropout and redundancy",
        summary="Without dropout units rely on each other, and the answer falls apart when some leave. With it each says "
        "something useful alone: co-adaptation is what dropout prevents.",
    )
    pair, test = split_digits(settings.seed, is_flat=True)
    models = {keep: train(pair, keep, settings) for keep in settings.keeps}
    found = {keep: [errors_without(model, test, share, settings) for share in settings.removed] for keep, model in models.items()}  # fmt: skip
    half, most = settings.removed.index(0.5), settings.removed.index(0.8)
    report.claim("all units there: both do alike", found[0.5][0] - found[1.0][0], "points of test error", near=(0.0, 1.5))  # fmt: skip
    lost = {keep: errors[half] - errors[0] for keep, errors in found.items()}
    report.claim("half of the units removed at random: with dropout little is lost", lost[0.5], "points", below=6.0)  # fmt: skip
    report.claim(
        "without dropout more is", lost[1.0] / max(lost[0.5], 0.1), "times as much", above=1.5
    )
    report.claim("four fifths removed", found[1.0][most] - found[0.5][most], "points more are lost without dropout", above=3.0)  # fmt: skip
    other = errors_without(train(pair, 0.5, settings, is_standard=False), test, 0.5, settings)
    report.claim("inverted dropout, which scales in training, does the same", other - found[0.5][half], "points of difference", near=(0.0, 1.5))  # fmt: skip
    claim_scale(report, models[0.5], test, settings, 0.8)
    claim_confidence(report, models[0.5], test, settings)
    names = {1.0: "no dropout"} | {k: f"dropout, keep {k:g}" for k in settings.keeps if k < 1}
    removed = [100 * share for share in settings.removed]
    report.table("Test error in per cent", columns=["training", *(f"{r:.0f} % removed" for r in removed)], rows=[[names[k], *e] for k, e in found.items()])  # fmt: skip
    report.figure(
        "removed",
        curve_panels([CurvePanel("Units removed after training", "hidden units removed, %", "test error, %", {names[k]: (removed, e) for k, e in found.items()})], width=6.2),
        caption=f"Digits, {settings.hidden_dim} hidden units, mean over {settings.draws} random choices of those that leave. Outputs of those that stay are scaled up.",
    )  # fmt: skip
    report.text("Some notes write that weights are scaled by the dropout probability; it is the probability to keep, as the claim above measures: with a mask that keeps 0.8 the mean is 0.8 of the full sum, not 0.2.")  # fmt: skip
    return report
