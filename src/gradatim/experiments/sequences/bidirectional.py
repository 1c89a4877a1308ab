"""A network that also reads backwards knows what comes next; one that reads forwards cannot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.losses import token_cross_entropy
from gradatim.models import SequenceTagger
from gradatim.nn import Recurrent
from gradatim.plots.style import MARKERS, MUTED, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3",)
KEYWORDS = "bidirectional LSTM BiLSTM, sequence labeling tagging, many-to-many problems with aligned sequences, context from both sides"
BANK, RIVER, MONEY, OTHER = 1, 2, 3, 4  # 0 is padding
NONE, SHORE, HOUSE = 0, 1, 2
NEITHER = -100


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sentences: int = 3000
    length: int = 16
    hidden_dim: int = 32
    epochs: int = 12


QUICK = Settings(sentences=1500, epochs=14)


def draw_sentences(
    count: int, length: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw sentences of a small language with an ambiguous word.

    Every sentence says once "bank" and once "river" or "money", in either order, among other words. The
    bank is a shore if the other word is "river", a house if it is "money".

    Returns:
        Words ``(count, length)``, lengths, and labels: :data:`SHORE` or :data:`HOUSE` at "bank",
        :data:`NONE` elsewhere, :data:`NEITHER` at padding.
    """
    lengths = torch.randint(length // 2, length + 1, (count,), generator=generator)
    is_real = torch.arange(length) < lengths[:, None]
    words = torch.where(is_real, torch.randint(OTHER, OTHER + 5, (count, length), generator=generator), 0)  # fmt: skip
    order = torch.rand(count, length, generator=generator).masked_fill(~is_real, 2.0).argsort(1)
    bank, clue = order[:, 0], order[:, 1]
    kind = torch.randint(2, (count,), generator=generator)
    rows = torch.arange(count)
    words[rows, bank], words[rows, clue] = BANK, RIVER + kind
    labels = torch.where(is_real, NONE, NEITHER)
    labels[rows, bank] = SHORE + kind
    return words, lengths, labels


def right_by_offset(
    model: SequenceTagger, words: Tensor, lengths: Tensor, labels: Tensor
) -> tuple[Tensor, Tensor]:
    """Return for every sentence whether "bank" is labelled right, and how many words later the clue comes."""
    with torch.inference_mode():
        predicted = model(words, lengths).argmax(-1)
    bank = (words == BANK).int().argmax(1)
    clue = ((words == RIVER) | (words == MONEY)).int().argmax(1)
    rows = torch.arange(len(words))
    return (predicted[rows, bank] == labels[rows, bank]).float(), clue - bank


def train(is_bidirectional: bool, settings: Settings, data: tuple[Tensor, ...]) -> SequenceTagger:
    with seeded(settings.seed):
        model = SequenceTagger(
            8, 3, hidden_dim=settings.hidden_dim, vocab_size=OTHER + 5, cell="lstm",
            is_bidirectional=is_bidirectional,
        )  # fmt: skip
    Trainer(
        model, token_cross_entropy, lr=0.01, epochs=settings.epochs, batch_size=50, seed=settings.seed,
        progress=False,
    ).fit(data)  # fmt: skip
    return model.eval()


def future_matters(model: SequenceTagger, words: Tensor) -> float:
    """Largest change of the first half's outputs when the words of the second half change."""
    half = words.shape[1] // 2
    changed = words.clone()
    changed[:, half:] = RIVER
    with torch.inference_mode():
        return (model(words) - model(changed))[:, :half].abs().max().item()


def run(settings: Settings) -> Report:
    report = Report(
        title="Reading in both directions",
        summary="Whether a bank is a shore or a house may be said later in the sentence: a forward network "
        "guesses then, a bidirectional one knows.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    data = draw_sentences(settings.sentences, settings.length, generator)
    test = draw_sentences(2000, settings.length, generator)
    models = {name: train(name == "both directions", settings, data) for name in ("forward", "both directions")}  # fmt: skip
    results = {name: right_by_offset(model, *test) for name, model in models.items()}
    scores = {
        name: (right[offset < 0].mean().item(), right[offset > 0].mean().item())
        for name, (right, offset) in results.items()
    }
    forward, both = scores["forward"], scores["both directions"]
    whole = torch.randint(1, OTHER + 5, (50, settings.length), generator=generator)
    count = {name: sum(p.numel() for p in cast(Recurrent, model.encoder.rnn).parameters()) for name, model in models.items()}  # fmt: skip
    report.claim("clue before, forward network", forward[0], at_least=0.97)
    report.claim(
        "clue after, forward network", forward[1], "{}: it guesses", at_least=0.4, at_most=0.6
    )
    report.claim("clue before, both directions", both[0], at_least=0.97)
    report.claim("clue after, both directions", both[1], at_least=0.97)
    check_future(report, models, whole)
    report.claim(
        "parameters of the recurrent layer", count["both directions"] / count["forward"], equals=2
    )
    report.table(
        "Accuracy at “bank”",
        columns=["network", "clue before", "clue after"],
        rows=[[name, *score] for name, score in scores.items()],
    )
    draw(report, results)
    return report


def check_future(report: Report, models: dict[str, SequenceTagger], words: Tensor) -> None:
    blind, sighted = (future_matters(model, words) for model in models.values())
    report.claim(
        "a change of the future, forward network", blind, "{}: it may run on a stream", equals=0
    )
    report.claim(
        "a change of the future, both directions", sighted, "{}: the present changes", above=0.01
    )


def draw(report: Report, results: dict[str, tuple[Tensor, Tensor]]) -> None:
    by_offset = {
        name: {k: right[offset == k].mean().item() for k in range(-8, 9) if k}
        for name, (right, offset) in results.items()
    }
    report.figure(
        "accuracy",
        score_by_offset(by_offset, chance=0.5, xlabel="words from “bank” to the clue"),
        caption="Share of right labels of the ambiguous word, by where the clue stands.",
    )


def score_by_offset(
    scores: Mapping[str, Mapping[int, float]], *, chance: float, xlabel: str
) -> Figure:
    """Draw scores against where the information stands: to the left in the past, to the right in the future.

    Args:
        scores: Score by offset in steps, by model.
        chance: What guessing gives.
        xlabel: What the offset is.

    Example:
        >>> figure = score_by_offset({"forward": {-1: 1.0, 1: 0.5}}, chance=0.5, xlabel="offset")
        >>> len(figure.axes[0].lines)
        3
    """
    figure, panel = new_figure(width=7.0, height=3.9)
    for place, (label, by_offset) in enumerate(scores.items()):
        offsets = sorted(by_offset)
        panel.plot(
            offsets, [by_offset[offset] for offset in offsets], label=label,
            marker=MARKERS[place % len(MARKERS)], markersize=5,
        )  # fmt: skip
    panel.axvline(0, color=MUTED, linewidth=0.8, zorder=0)
    panel.axhline(chance, color=MUTED, linestyle=":", linewidth=1.2, zorder=0)
    panel.annotate("past", (0, 1.07), (-6, 0), textcoords="offset points", ha="right", fontsize=9, color=MUTED)  # fmt: skip
    panel.annotate("future", (0, 1.07), (6, 0), textcoords="offset points", ha="left", fontsize=9, color=MUTED)  # fmt: skip
    panel.set(ylim=(0.0, 1.14), xlabel=xlabel, ylabel="accuracy")
    panel.legend(loc="lower left")
    return figure
