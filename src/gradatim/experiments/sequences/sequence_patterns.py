"""One to many, many to one, many to many: what may depend on what, and what it costs in weights."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gradatim.experiments.sequences._pattern_figures import (
    pattern_diagrams,
    reach_maps,
    readout_weights,
)
from gradatim.models import Seq2Seq, SequenceClassifier, SequenceGenerator, SequenceTagger
from gradatim.nn import Recurrent
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3", "F6")
KEYWORDS = "one-to-many, many-to-one, many-to-many problems, aligned sequences, encoder-decoder, unrolled network, unfolding in time, stacked multi-layer LSTM, weight sharing over time, readout of the hidden state, number of parameters of LSTM and GRU"
STEPS = 5
LETTERS, LENGTH = 4, 8  # of the sequences about which four questions are asked
QUESTIONS = ("begins with a", "ends with b", "has a c", "d twice or more")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    input_dim: int = 16
    hidden_dim: int = 24
    rows: int = 6_000
    epochs: int = 20


QUICK = Settings(rows=3_000, epochs=10)


def count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def claim_counts(report: Report, settings: Settings) -> None:
    D, H = settings.input_dim, settings.hidden_dim
    sizes = {(cell, layers): count(Recurrent(cell, D, H, layers)) for cell in ("elman", "gru", "lstm") for layers in (1, 2)}  # fmt: skip
    one = H * (D + H + 1)  # W, U and b of one part
    for cell, parts in (("elman", 1), ("lstm", 4)):
        report.claim(f"{cell}: {parts} times H(D + H + 1) weights", sizes[cell, 1], equals=parts * one)  # fmt: skip
    report.claim("a second layer sees H inputs, not D: H(2H + 1) for each part", sizes["lstm", 2] - sizes["lstm", 1], equals=4 * H * (2 * H + 1))  # fmt: skip
    spared = 1 - (count(nn.GRU(D, H)) / count(nn.LSTM(D, H)))
    report.claim("a GRU has fewer parameters than an LSTM; notes that say hyper-parameters mean these", spared, "a quarter less:", near=(0.25, 1e-12))  # fmt: skip
    with seeded(settings.seed):
        model = SequenceTagger(D, 2, hidden_dim=H, is_bidirectional=False)
        lengths = [model(torch.randn(1, T, D)).shape[1] for T in (3, 300)]
    report.claim("the same weights answer sequences of 3 steps and of 300", lengths[1] - lengths[0], "more answers", equals=297)  # fmt: skip
    report.table("Weights of recurrent stacks", columns=["cell", "one layer", "two layers"], rows=[[cell, sizes[cell, 1], sizes[cell, 2]] for cell in ("elman", "gru", "lstm")])  # fmt: skip


def reach(model: Callable[[Tensor], Tensor], x: Tensor, other: Tensor) -> NDArray[np.bool_]:
    """Which answers change when one input is replaced by another.

    Args:
        model: From inputs ``(1, inputs, …)`` to answers ``(1, answers, …)``.
        x: Inputs.
        other: What one of them is replaced by, of the same shape.

    Returns:
        Shape ``(answers, inputs)``.
    """
    columns = []
    with torch.no_grad():
        usual = model(x)[0]
        for k in range(x.shape[1]):
            changed = x.clone()
            changed[:, k] = other[:, k]
            columns.append((model(changed)[0] - usual).flatten(1).abs().amax(1) > 1e-9)
    return torch.stack(columns, 1).numpy()


def measure_reach(settings: Settings) -> dict[str, NDArray[np.bool_]]:
    D, H = settings.input_dim, settings.hidden_dim
    with seeded(settings.seed):
        x, other = torch.randn(2, 1, STEPS, D, dtype=torch.float64)
        tokens, target = torch.tensor([[4, 5, 6, 7, 8]]), torch.tensor([[5, 6, 7, 4]])
        one_to_many = SequenceGenerator(D, 10, hidden_dim=H).double()
        many_to_one = SequenceClassifier(D, 3, hidden_dim=H, is_bidirectional=False).double()
        aligned, both = (SequenceTagger(D, 3, hidden_dim=H, num_layers=2, is_bidirectional=b).double() for b in (False, True))  # fmt: skip
        translate = Seq2Seq(10, 10, hidden_dim=H).double()
    return {
        "one to many": reach(lambda v: one_to_many(v[:, 0], target), x[:, :1], other[:, :1]),
        "many to one": reach(lambda v: many_to_one(v)[:, None], x, other),
        "aligned": reach(aligned, x, other),
        "aligned, both ways": reach(both, x, other),
        "encoder and decoder": reach(lambda v: translate(v, None, target), tokens, tokens.roll(2, 1)),
    }  # fmt: skip


def claim_reach(report: Report, found: dict[str, NDArray[np.bool_]]) -> None:
    wanted = {name: np.ones_like(matrix) for name, matrix in found.items()}
    wanted["aligned"] = np.tri(STEPS, dtype=bool)
    words = {
        "one to many": "every word depends on the one input",
        "many to one": "the answer depends on every input",
        "aligned": "answer t depends on inputs up to t and on no later one, in two layers too",
        "aligned, both ways": "every answer depends on every input, before and behind",
        "encoder and decoder": "the first word depends on the last input already",
    }
    for name, sentence in words.items():
        report.claim(f"{name}: {sentence}", int((found[name] != wanted[name]).sum()), "pairs that differ", equals=0)  # fmt: skip


def draw_letters(rows: int, seed: int) -> tuple[Tensor, Tensor]:
    """Sequences of letters, one-hot, and the answers to four questions about each."""
    generator = torch.Generator().manual_seed(seed)
    letters = torch.randint(LETTERS, (rows, LENGTH), generator=generator)
    answers = torch.stack([letters[:, 0] == 0, letters[:, -1] == 1, (letters == 2).any(1), (letters == 3).sum(1) > 1], 1)  # fmt: skip
    return nn.functional.one_hot(letters, LETTERS).float(), answers.float()


def claim_readouts(report: Report, settings: Settings) -> None:
    """Four questions of one state: each neuron weighs other entries of it."""
    X, y = draw_letters(settings.rows, settings.seed)
    X_test, y_test = draw_letters(1000, settings.seed + 1)
    with seeded(settings.seed):
        model = SequenceClassifier(LETTERS, len(QUESTIONS), hidden_dim=settings.hidden_dim, is_bidirectional=False)  # fmt: skip
    Trainer(model, "bce", lr=0.01, schedule="cosine", epochs=settings.epochs, batch_size=50, seed=settings.seed, progress=False).fit((X, y))  # fmt: skip
    model.eval()
    rnn = model.encoder.rnn
    assert rnn is not None  # the classifier has hidden units
    with torch.inference_mode():
        _, h = rnn(X_test)
        state = h[-1] if isinstance(h, Tensor) else h[0][-1]
        weights = model.readout.weight * state.std(0)
        right = ((state @ model.readout.weight.T + model.readout.bias > 0) == (y_test > 0)).double().mean(0)  # fmt: skip
        left = []
        for own in weights:
            hurt = state.clone()
            hurt[:, own.abs().topk(3).indices] = state.mean(0)[own.abs().topk(3).indices]
            said = hurt @ model.readout.weight.T + model.readout.bias > 0
            left.append((said == (y_test > 0)).double().mean(0))
    lost = right - torch.stack(left)  # (whose entries, whose answers)
    own, others = lost.diagonal().mean(), (lost.sum() - lost.trace()) / (lost.numel() - len(lost))
    report.claim("four questions about a sequence are answered from its last state", float(right.min()), "least share right", at_least=0.95)  # fmt: skip
    report.claim("each looks at entries of its own: without its three heaviest it loses more than the others do", float(own - others), "share of answers", at_least=0.05)  # fmt: skip
    report.figure("readouts", readout_weights(weights.double().numpy(), QUESTIONS), caption="The same state, weighed by four output neurons: each takes other entries from it. Weights times the deviation of their entry.")  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Patterns of sequences",
        summary="The same cell, unrolled over time, makes one of many, many of one and many of many. What may depend on what follows from "
        "where inputs go in and answers come out; the number of weights does not depend on the length.",
    )
    claim_counts(report, settings)
    every, last = tuple(range(4)), (3,)
    diagrams = {
        "one to one": ((0,), (0,), 1),
        "one to many": ((0,), every, 1),
        "many to one": (every, last, 1),
        "many to many, aligned": (every, every, 1),
        "encoder and decoder": ((0, 1), (2, 3), 1),
        "two layers, aligned": (every, every, 2),
    }
    report.figure("patterns", pattern_diagrams(diagrams), caption="Unrolled over time. Boxes of one row are one cell, with the same weights at every step; each layer has its own.")  # fmt: skip
    found = measure_reach(settings)
    claim_reach(report, found)
    report.figure("reach", reach_maps(found), caption="Blue: this answer changes with this input.")
    claim_readouts(report, settings)
    return report
