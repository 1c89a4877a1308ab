"""Attention without positions cannot tell one order of its tokens from another."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.models import GPT, TransformerEncoder
from gradatim.nn import SinusoidalPositions
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("G1", "G2")
KEYWORDS = "permutation equivariance, order of tokens, bag of tokens"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dim: int = 32
    length: int = 10
    num_tokens: int = 12
    rows: int = 4000
    epochs: int = 25


QUICK = Settings(rows=1500, epochs=15, length=8)


class Reader(nn.Module):
    """An encoder that averages its outputs into one answer, with or without positions."""

    def __init__(self, settings: Settings, *, has_positions: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(settings.num_tokens, settings.dim)
        self.place = SinusoidalPositions(settings.length, settings.dim) if has_positions else None
        self.encoder = TransformerEncoder(settings.dim, 2, 4)
        self.readout = nn.Linear(settings.dim, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        x = x if self.place is None else self.place(x)
        return self.readout(self.encoder(x).mean(1))  # (B, 2)


def build(settings: Settings, has_positions: bool) -> Reader:
    with seeded(settings.seed):
        return Reader(settings, has_positions=has_positions)


def draw_orders(settings: Settings, seed: int) -> tuple[Tensor, Tensor]:
    """Rows that hold token 0 and token 1 once each; the label tells whether 0 comes first."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(
        2, settings.num_tokens, (settings.rows, settings.length), generator=generator
    )
    places = torch.rand(settings.rows, settings.length, generator=generator).argsort(1)[:, :2]
    tokens.scatter_(1, places, torch.tensor([0, 1]).expand(settings.rows, 2))
    return tokens, (places[:, 0] < places[:, 1]).long()


@torch.inference_mode()
def claim_equivariance(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    with seeded(settings.seed):
        encoder = TransformerEncoder(settings.dim, 2, 4).double().eval()
    x = torch.randn(8, settings.length, settings.dim, generator=generator, dtype=torch.float64)
    order = torch.randperm(settings.length, generator=generator)
    gap = (encoder(x[:, order]) - encoder(x)[:, order]).abs().max().item()
    report.claim("permuting the input permutes the output", gap, at_most=1e-12)
    place = SinusoidalPositions(settings.length, settings.dim).double()
    gap = (encoder(place(x[:, order])) - encoder(place(x))[:, order]).abs().max().item()
    report.claim("positions end that", gap, at_least=0.1)


@torch.inference_mode()
def claim_causal(report: Report, settings: Settings) -> None:
    """Causal attention sees order from the second layer on, for early tokens see fewer others."""
    tokens = torch.tensor([[2, 3, 4, 5], [4, 2, 3, 5]])
    for num_layers in (1, 2):
        with seeded(settings.seed):
            model = GPT(6, 8, settings.dim, num_layers, 4, positions="none").double().eval()
        last = model(tokens)[:, -1]
        gap = ((last[0] - last[1]).abs().max() / last.abs().max()).item()
        if num_layers == 1:
            report.claim(
                "one causal layer without positions", gap, "blind to order:", at_most=1e-12
            )
        else:
            report.claim("two causal layers without positions", gap, "see order:", at_least=1e-7)


def run(settings: Settings) -> Report:
    report = Report(
        title="Permutations without positions",
        summary="Self-attention treats its input as a set. Asked which of two tokens comes first, it guesses, "
        "until positions are added.",
    )
    claim_equivariance(report, settings)
    claim_causal(report, settings)
    train, test = draw_orders(settings, settings.seed), draw_orders(settings, settings.seed + 1)
    curves = {}
    for name, has_positions in (("without positions", False), ("with positions", True)):
        trainer = Trainer(
            build(settings, has_positions), lr=2e-3, epochs=settings.epochs, batch_size=100,
            metrics=["accuracy"], seed=settings.seed, progress=False,
        )  # fmt: skip
        history = trainer.fit(train, validation=test)
        accuracy = [100 * value for value in history["validation_accuracy"]]
        curves[name] = (range(1, len(accuracy) + 1), accuracy)
        if has_positions:
            report.claim(f"which comes first, {name}", accuracy[-1], "accuracy {} %", at_least=95)
        else:
            report.claim(f"which comes first, {name}", accuracy[-1], "a coin: {} %", near=(50, 5))
    panel = CurvePanel("Which of two tokens comes first?", "epoch", "test accuracy, %", curves)
    report.figure(
        "order",
        curve_panels([panel], width=6.4),
        caption="The same encoder, the same sentences. Without positions the answer is not in its input.",
    )
    return report
