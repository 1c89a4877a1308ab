"""Strings of spoken digits that nobody cut apart: CTC finds where each digit lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.data import pad_sequences
from gradatim.decoding import prefix_beam_search, transcribe
from gradatim.errors import InvalidValue
from gradatim.experiments.sequences._utterances import WIDTH, Utterances, load_utterances
from gradatim.losses import ctc_loss
from gradatim.models import CTC
from gradatim.plots import learning_curves
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.training import CTCObjective, Trainer

COVERS = ("F6",)
KEYWORDS = "connectionist temporal classification CTC, speech recognition, alignment, blank symbol"


@dataclass(frozen=True)
class Settings:
    """``made-up`` needs no download: paths through three sounds, half of them others backwards."""

    seed: int = 0
    source: Literal["spoken-digits", "made-up"] = "spoken-digits"
    utterances: int = 3_000
    train_strings: int = 3_000
    test_strings: int = 500
    longest: int = 5
    epochs: int = 15
    hidden_dim: int = 64
    num_beams: int = 8
    exact: float = 0.8


QUICK = Settings(
    source="made-up", utterances=600, train_strings=500, test_strings=100, longest=3, epochs=22,
    hidden_dim=32, exact=0.7,
)  # fmt: skip


class Strings(NamedTuple):
    """Utterances laid end to end, and the digits they say, as labels from 1."""

    x: Tensor
    lengths: Tensor
    target: Tensor
    target_lengths: Tensor
    borders: list[np.ndarray]


def connect(data: Utterances, count: int, longest: int, seed: int) -> Strings:
    """Draw strings of one to ``longest`` utterances."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, len(data.labels), size) for size in rng.integers(1, longest + 1, count)]
    x, lengths = pad_sequences([np.concatenate([data.sequences[i] for i in row]) for row in rows])
    target, sizes = pad_sequences([data.labels[row] + 1 for row in rows])
    borders = [np.cumsum([len(data.sequences[i]) for i in row]) for row in rows]
    return Strings(x, lengths, target, sizes, borders)


def edit_distance(found: list[int], truth: list[int]) -> int:
    """Fewest insertions, deletions and substitutions between two strings (Levenshtein)."""
    row = list(range(len(truth) + 1))
    for i, a in enumerate(found, 1):
        previous, row = row, [i]
        for j, b in enumerate(truth, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
    return row[-1]


class Score(NamedTuple):
    """Share of strings right to the last digit, and wrong digits per digit said."""

    exact: float
    error: float


def score(labels: Tensor, counts: Tensor, strings: Strings) -> Score:
    found = [row[:n].tolist() for row, n in zip(labels, counts, strict=True)]
    truth = [row[:n].tolist() for row, n in zip(strings.target, strings.target_lengths, strict=True)]  # fmt: skip
    edits = [edit_distance(a, b) for a, b in zip(found, truth, strict=True)]
    exact = sum(edit == 0 for edit in edits) / len(edits)
    return Score(exact, sum(edits) / sum(map(len, truth)))


def share_in_place(probabilities: Tensor, strings: Strings) -> float:
    """Share of digits whose highest probability lies between the borders of that digit."""
    right = total = 0
    for b, borders in enumerate(strings.borders):
        starts = np.r_[0, borders[:-1]]
        for k, (start, stop) in enumerate(zip(starts, borders, strict=True)):
            label = int(strings.target[b, k])
            inside = probabilities[b, start:stop, label].max()
            around = probabilities[b, max(start - 3, 0) : stop + 3, label].max()
            right += bool(inside >= around)
            total += 1
    return right / total


def run(settings: Settings) -> Report:
    heard, unheard = load_utterances(settings.source, settings.utterances, settings.seed)
    train = connect(heard, settings.train_strings, settings.longest, settings.seed)
    test = connect(unheard, settings.test_strings, settings.longest, settings.seed + 1)
    torch.manual_seed(settings.seed)
    model = CTC(WIDTH, 10, hidden_dim=settings.hidden_dim, dropout=0.2)
    trainer = Trainer(
        model, objective=CTCObjective(), lr=1e-2, schedule="cosine", epochs=settings.epochs, batch_size=32,
        clip_norm=1.0, seed=settings.seed, progress=False,
    )  # fmt: skip
    history = trainer.fit(train[:4], test[:4])
    with torch.inference_mode():
        log_probs = model.eval()(test.x, test.lengths)
    path = score(*transcribe(model, test.x, test.lengths), test)
    beam = prefix_beam_search(log_probs, test.lengths, num_beams=settings.num_beams)
    searched = score(beam.tokens[:, 0], beam.lengths[:, 0], test)
    gap = _beam_against_loss(beam.tokens[:, 0], beam.lengths[:, 0], beam.log_probs[:, 0], log_probs, test)  # fmt: skip
    placed = share_in_place(log_probs.exp(), test)
    report = Report(
        title="Strings of spoken digits",
        summary=f"{100 * path.exact:.0f} % of strings of one to {settings.longest} digits are understood to the "
        "last digit, though training never said where a digit begins.",
    )
    report.table(
        f"{settings.test_strings} strings of utterances that training has not heard",
        columns=["decoding", "strings right, %", "wrong digits, %"],
        rows=[
            ["best path", 100 * path.exact, 100 * path.error],
            [f"prefix beam of {settings.num_beams}", 100 * searched.exact, 100 * searched.error],
        ],
    )
    report.claim("strings are understood without alignment", path.exact, at_least=settings.exact)
    report.claim("the network finds where each digit lies", placed, "{} of digits", at_least=0.95)
    report.claim(
        "a prefix beam understands no less than the best path",
        expected="at most half a point fewer strings",
        measured=searched.exact - path.exact,
        holds=searched.exact >= path.exact - 0.005,
    )
    report.claim("the beam's probability is that of the loss", gap, below=0.05)
    _draw(report, log_probs, test)
    report.figure("learning-curves", learning_curves({"CTC": history}), caption="Loss per string.")
    return report


def _beam_against_loss(
    labels: Tensor, counts: Tensor, found: Tensor, log_probs: Tensor, strings: Strings
) -> float:
    """Mean difference between the beam's log-probability and the sum over all paths."""
    total = ctc_loss(log_probs, strings.lengths, labels, counts)
    return abs(float(found.mean() + total))


def _draw(report: Report, log_probs: Tensor, strings: Strings) -> None:
    chosen = strings.target_lengths.argsort(descending=True, stable=True)[:3].tolist()
    panels = []
    for row in chosen:
        digits = "".join(str(d - 1) for d in strings.target[row, : strings.target_lengths[row]].tolist())  # fmt: skip
        panels.append((f"said: {digits}", log_probs[row, : strings.lengths[row]].exp().numpy()))
    report.figure(
        "probabilities",
        label_probabilities(panels, list("0123456789")),
        caption="The network is silent (blank) most of the time and names each digit in a short spike.",
    )


def label_probabilities(panels: Sequence[tuple[str, ArrayLike]], labels: Sequence[str]) -> Figure:
    """Draw the probability of every label over time, as a CTC network states them.

    Args:
        panels: For each panel a heading and probabilities, shape ``(T, K)``, blank first.
        labels: Names of the labels after the blank, ``K - 1``.

    Example:
        >>> figure = label_probabilities([("yes", [[0.9, 0.1], [0.2, 0.8]])], ["y"])
        >>> figure.axes[0].get_title()
        'yes'
    """
    tables = [np.asarray(values, dtype=float) for _, values in panels]
    if not tables or any(t.ndim != 2 or t.shape[1] != len(labels) + 1 for t in tables):
        raise InvalidValue(
            f"label_probabilities: panels must have {len(labels) + 1} columns, a blank and one for each "
            f"label, got {[t.shape for t in tables]}."
        )
    figure, axes = new_figure(len(tables), 1, 7.0, 1.75 * len(tables) + 0.3)
    for panel, (title, _), table in zip(np.ravel(axes), panels, tables, strict=True):
        panel.plot(table[:, 0], color=MUTED, linewidth=1.0, linestyle=":")
        for k, name in enumerate(labels, 1):
            if table[:, k].max() > 0.25:
                panel.plot(table[:, k], color=PALETTE[(k - 1) % len(PALETTE)])
                _name_spikes(panel, table[:, k], name, PALETTE[(k - 1) % len(PALETTE)])
        panel.set(ylim=(-0.03, 1.22), ylabel="probability", yticks=[0, 0.5, 1], title=title)
    first, last = np.ravel(axes)[0], np.ravel(axes)[-1]
    first.text(1.0, 1.06, "dotted: blank", transform=first.transAxes, ha="right", color=MUTED)
    last.set_xlabel("frame")
    return figure


def _name_spikes(panel: Axes, curve: np.ndarray, name: str, color: str) -> None:
    """Write the label at the top of each stretch where it is likely."""
    edges = np.flatnonzero(np.diff(np.r_[False, curve > 0.25, False].astype(int)))
    for start, stop in edges.reshape(-1, 2):
        peak = start + int(curve[start:stop].argmax())
        panel.annotate(
            name, (peak, curve[peak]), (0, 3), textcoords="offset points",
            ha="center", color=color, fontsize=10, fontweight="bold",
        )  # fmt: skip
