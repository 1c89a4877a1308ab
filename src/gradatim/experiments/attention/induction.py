"""Two layers of attention learn to copy: one finds what came before, the next what came after."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.instruments import attention_maps
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT
from gradatim.plots import head_grid
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Callback, Trainer

COVERS = ("G1", "G3")
KEYWORDS = "induction heads, in-context learning, copying, previous token"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    num_tokens: int = 16
    length: int = 48
    jump: float = 0.3
    dim: int = 64
    num_heads: int = 2
    steps: int = 2000
    batch_size: int = 64


QUICK = Settings(num_tokens=10, length=32, dim=32, steps=440)


class Chains(NamedTuple):
    """Sequences that follow a rule of their own.

    Args:
        tokens: Shape ``(rows, length + 1)``.
        is_known: Where the next token follows the rule, and the rule was seen before, ``(rows, length)``.
        follows: For every query, the keys that followed the same token earlier, ``(rows, length, length)``.
    """

    tokens: Tensor
    is_known: Tensor
    follows: Tensor


def draw_chains(settings: Settings, rows: int, seed: int) -> Chains:
    """Each row has its own random rule “this token, then that one”, broken by random jumps."""
    generator = torch.Generator().manual_seed(seed)
    V, T = settings.num_tokens, settings.length
    rule = torch.rand(rows, V, generator=generator).argsort(1)  # a permutation per row
    tokens = torch.randint(V, (rows, T + 1), generator=generator)  # where it jumps to
    jumps = torch.rand(rows, T + 1, generator=generator) < settings.jump
    for t in range(T):
        step = rule.gather(1, tokens[:, t : t + 1]).squeeze(1)
        tokens[:, t + 1] = torch.where(jumps[:, t + 1], tokens[:, t + 1], step)
    now, after = tokens[:, :-1], rule.gather(1, tokens[:, :-1])  # (rows, T) each
    before = torch.cat((torch.full((rows, 1), -1), now[:, :-1]), dim=1)
    follows = (now[:, None] == after[:, :, None]) & (before[:, None] == now[:, :, None])
    follows &= torch.ones(T, T, dtype=torch.bool).tril()
    return Chains(tokens, (tokens[:, 1:] == after) & follows.any(2), follows)


class Watch(Callback):
    """Measure how well repeats are copied, now and then."""

    def __init__(self, settings: Settings, every: int) -> None:
        self.chains = draw_chains(settings, 300, settings.seed + 1)
        self.every, self.steps, self.accuracy = every, list[int](), list[float]()

    def on_batch_end(self, trainer: Trainer, loss: Tensor | None) -> None:
        if trainer.steps % self.every == 0:
            self.steps.append(trainer.steps)
            self.accuracy.append(copy_accuracy(trainer.model, self.chains))
            trainer.model.train()


@torch.inference_mode()
def copy_accuracy(model: nn.Module, chains: Chains) -> float:
    """Share of right guesses, in per cent, where the row has shown the answer before."""
    right = model.eval()(chains.tokens[:, :-1]).argmax(-1) == chains.tokens[:, 1:]
    return 100 * right[chains.is_known].double().mean().item()


def train(settings: Settings, num_layers: int) -> tuple[GPT, Watch]:
    with seeded(settings.seed):
        model = GPT(
            settings.num_tokens, settings.length, settings.dim, num_layers, settings.num_heads,
            positions="rotary",
        )  # fmt: skip
    rows = settings.steps * settings.batch_size // 4
    chains = draw_chains(settings, rows, settings.seed)
    tokens, target = chains.tokens, chains.tokens[:, 1:].masked_fill(~chains.is_known, -100)
    watch = Watch(settings, max(settings.steps // 30, 1))
    Trainer(
        model, token_cross_entropy, lr=4e-3, schedule="cosine", epochs=4, batch_size=settings.batch_size,
        callbacks=[watch], seed=settings.seed, progress=False,
    ).fit((tokens[:, :-1], target))  # fmt: skip
    return model, watch


def head_scores(model: GPT, settings: Settings) -> list[list[float]]:
    """For every head, the weight on the previous token and on what followed the same token earlier."""
    chains = draw_chains(settings, 200, settings.seed + 2)
    rows, queries = torch.nonzero(chains.is_known, as_tuple=True)
    scores = []
    for layer, weights in enumerate(attention_maps(model, chains.tokens[:, :-1]).values(), start=1):
        for head in range(weights.shape[1]):
            own = weights[rows, head, queries]  # (N, T)
            before = own.gather(1, queries[:, None] - 1).mean().item()
            after = (own * chains.follows[rows, queries]).sum(1).mean().item()
            scores.append([layer, head + 1, before, after])
    return scores


def run(settings: Settings) -> Report:
    report = Report(
        title="Induction heads",
        summary="Every sequence has a secret rule which token follows which. Two layers of attention learn to "
        "read it off: what followed last time follows now. One layer cannot.",
    )
    curves = {}
    for num_layers in (1, 2):
        model, watch = train(settings, num_layers)
        curves["one layer" if num_layers == 1 else "two layers"] = (watch.steps, watch.accuracy)
    one, two = (accuracy[-1] for _, accuracy in curves.values())
    report.claim("two layers copy", two, "accuracy {} %", at_least=90)
    report.claim("one layer does not", one, "accuracy {} %", at_most=60)
    scores = head_scores(model, settings)
    before = max(row[2] for row in scores if row[0] == 1)
    after = max(row[3] for row in scores if row[0] == 2)
    report.claim(
        "a head of the first layer looks at the token before", before, "weight", at_least=0.4
    )
    report.claim(
        "a head of the second layer looks at what followed last time", after, "weight", at_least=0.4
    )
    report.table(
        "Mean attention weight where the answer was shown",
        columns=["layer", "head", "on the token before", "on what followed last time"],
        rows=scores,
    )
    draw(report, model, settings, curves)
    return report


def draw(
    report: Report, model: GPT, settings: Settings, curves: dict[str, tuple[list[int], list[float]]]
) -> None:
    tokens = draw_chains(settings, 1, settings.seed + 3).tokens
    names = [chr(ord("a") + int(token)) for token in tokens[0, :-1]]
    maps = {name: weights[0] for name, weights in attention_maps(model, tokens[:, :-1]).items()}
    report.figure(
        "heads",
        head_grid(maps, queries=names),
        caption="A sequence with its own rule. First layer: the line below the diagonal is the token before. "
        "Second layer: each letter looks at what followed the same letter earlier.",
    )
    panel = CurvePanel("Guessing what was shown before", "training step", "accuracy, %", curves)
    report.figure(
        "learning",
        curve_panels([panel], width=6.4),
        caption="The ability comes suddenly, when both layers have found their parts.",
    )
