"""A recurrent network learns a text letter by letter, and writes more of it."""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.decoding import generate
from gradatim.errors import InvalidValue
from gradatim.experiments._characters import (
    Text,
    TextSettings,
    claim_entropy,
    read_text,
    table_bits,
    words_of,
)
from gradatim.experiments._letter_lstm import surprise, train_lstm
from gradatim.models import RecurrentLanguageModel
from gradatim.plots import comparison_bars
from gradatim.plots.style import INK, SEQUENTIAL, new_figure
from gradatim.reports import Report

COVERS = ("F3", "F4", "F6")
KEYWORDS = "character language model, recurrent neural network RNN, text generation, many-to-many problems, temporal dimension, bits per character"
TEMPERATURES = (0.5, 1.0, 1.5)
ORDERS = {"letters by their frequency": 0, "pairs of letters": 1, "three letters": 2, "four letters": 3}  # fmt: skip


@dataclass(frozen=True)
class Settings(TextSettings):
    streams: int = 32
    bptt: int = 64
    epochs: int = 8
    hidden_dim: int = 256
    dim: int = 32
    lr: float = 4e-3
    sample: int = 400


QUICK = Settings(
    source="made-up", characters=60_000, streams=16, bptt=48, epochs=4, hidden_dim=64, dim=16,
    lr=1e-2, sample=200,
)  # fmt: skip


def share_known(text: str, known: set[str]) -> float:
    """Share of a sample's words that occur in the text; the first and last may be cut, and are left out."""
    words = words_of(text)[1:-1]
    return sum(word in known for word in words) / max(len(words), 1)


def run(settings: Settings) -> Report:
    text = read_text(settings)
    model = train_lstm(
        text, settings.hidden_dim, dim=settings.dim, lr=settings.lr, epochs=settings.epochs,
        streams=settings.streams, bptt=settings.bptt, seed=settings.seed,
    )  # fmt: skip
    bits = {"all letters equally likely": math.log2(len(text.letters))}
    codes = (text.train.numpy(), text.test.numpy())
    bits |= {name: table_bits(*codes, k, len(text.letters)) for name, k in ORDERS.items()}
    carried = surprise(model, text.test)
    bits["LSTM"] = carried.mean().item()
    cut = surprise(model, text.test, reset=settings.bptt).mean().item()
    samples = write_samples(model, text, settings)
    report = Report(
        title="A network that writes, letter by letter",
        summary=f"{bits['LSTM']:.2f} bits a letter on text it has not read; a table of four letters needs "
        f"{bits['four letters']:.2f}.",
    )
    report.table(
        f"Bits per letter on the last {len(text.test):,} letters",
        columns=["model", "bits per letter"],
        rows=[*([name, value] for name, value in bits.items()), [f"LSTM, memory emptied every {settings.bptt} letters", cut]],
    )  # fmt: skip
    _claim(report, bits, carried, cut, samples, text, settings)
    for temperature, sample in samples.items():
        report.code("text", f"temperature {temperature}\n\n{sample}")
    _draw(report, bits, carried, text)
    return report


def write_samples(
    model: RecurrentLanguageModel, text: Text, settings: Settings
) -> dict[float, str]:
    """Let the model go on after a line break, at several temperatures."""
    samples = {}
    for temperature in TEMPERATURES:
        prompt = text.encode("\n")
        codes = generate(
            model, prompt, settings.sample, temperature=temperature, seed=settings.seed
        )
        samples[temperature] = text.decode(codes[len(prompt) :])
    return samples


def word_starts(text: Text) -> np.ndarray:
    """Whether a letter of the test part, from the second on, is the first of a word, the next, or none."""
    is_letter = np.array([letter.isalpha() for letter in text.letters])[text.test.numpy()]
    before, here = is_letter[:-1], is_letter[1:]
    return np.where(here & ~before, 1, np.where(here & before, 2, 0))


def _claim(
    report: Report, bits: dict[str, float], carried: Tensor, cut: float, samples: dict[float, str], text: Text, settings: Settings
) -> None:  # fmt: skip
    lstm = bits["LSTM"]
    if settings.source == "made-up":
        claim_entropy(report, "the network", lstm)
    else:
        report.claim("unseen text is predicted", lstm, "{} bits a letter", at_most=2.35)
    report.claim(
        "memory beats a table of four letters", bits["four letters"] - lstm, "{} bits", at_least=0.1
    )
    report.claim("the carried state helps", cut - lstm, "{} bits", above=0)
    place = word_starts(text)
    first, inside = (carried.numpy()[place == kind].mean() for kind in (1, 2))
    report.claim(
        "the beginning of a word is the surprise",
        expected="its first letter costs more than twice the bits of the others",
        measured=f"{first:.2f} against {inside:.2f} bits",
        holds=first > 2 * inside,
    )
    shares = [share_known(samples[t], text.known_words) for t in TEMPERATURES]
    report.claim(
        "caution spells better",
        expected="more real words at temperature 0.5 than at 1.5, and at least 85 % at 0.5",
        measured=", ".join(f"{share:.2f}" for share in shares),
        holds=shares[0] >= 0.85 and shares[0] > shares[-1],
    )


def _draw(report: Report, bits: dict[str, float], carried: Tensor, text: Text) -> None:
    report.figure(
        "bits",
        comparison_bars(bits, label="bits per letter on unseen text", highlight="LSTM"),
        caption="How many bits each model needs for a letter it has not seen.",
    )
    shown = text.decode(text.test[1:421])
    report.figure(
        "surprise",
        token_surprise(shown, carried[: len(shown)].numpy()),
        caption="Dark letters came as a surprise: beginnings of words and of names.",
    )


def token_surprise(text: str, bits: ArrayLike, *, columns: int = 60) -> Figure:
    """Write a text with every letter on a ground as dark as it was unexpected.

    Args:
        text: Letters.
        bits: Bits of each letter, :math:`-\\log_2 p`, shape ``(len(text),)``.
        columns: Letters in a line; a line break also ends a line.

    Example:
        >>> figure = token_surprise("to be", [3.0, 0.5, 0.1, 4.0, 0.2])
        >>> figure.axes[1].get_ylabel()
        'bits'
    """
    costs = np.asarray(bits, dtype=float)
    if costs.shape != (len(text),) or not text:
        raise InvalidValue(
            f"token_surprise: bits must hold one number for each of {len(text)} letters, at least one, "
            f"got shape {costs.shape}."
        )
    places, row, column = [], 0, 0
    for letter in text:
        places.append((row, column))
        column += 1
        if column == columns or letter == "\n":
            row, column = row + 1, 0
    grid = np.full((places[-1][0] + 1, columns), np.nan)
    for place, cost in zip(places, costs, strict=True):
        grid[place] = cost
    grid = grid[:, : max(x for _, x in places) + 1]
    top = max(float(costs.max()), 1.0)
    figure, axes = new_figure(width=0.14 * grid.shape[1] + 0.9, height=0.24 * len(grid) + 0.5)
    image = axes.imshow(grid, cmap=SEQUENTIAL, vmin=0, vmax=top, aspect="auto")
    for (y, x), letter, cost in zip(places, text, costs, strict=True):
        shown = "↵" if letter == "\n" else letter
        color = "white" if cost > 0.6 * top else INK
        axes.text(
            x, y, shown, ha="center", va="center", fontsize=8, family="monospace", color=color
        )
    axes.set_axis_off()
    figure.colorbar(image, ax=axes, label="bits", shrink=0.9, pad=0.01)
    return figure
