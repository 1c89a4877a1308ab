"""Spoken digits: a recurrent network hears their order, which averages over time forget."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix as count_confusions
from torch import Tensor

from gradatim.experiments.sequences._utterances import WIDTH, Utterances, load_utterances
from gradatim.models import SequenceClassifier
from gradatim.plots import confusion_matrix
from gradatim.plots.evaluation import score_curves
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F6",)
KEYWORDS = "speech recognition, audio, MFCC, many-to-one problems, GRU gated recurrent unit"
SHARES = np.linspace(0.1, 1.0, 10)


@dataclass(frozen=True)
class Settings:
    """``made-up`` needs no download: paths through three sounds, half of them others backwards."""

    seed: int = 0
    source: Literal["spoken-digits", "made-up"] = "spoken-digits"
    utterances: int = 3_000
    epochs: int = 20
    hidden_dim: int = 64


QUICK = Settings(source="made-up", utterances=1_000, epochs=6, hidden_dim=32)


def shuffle_frames(data: Utterances, seed: int) -> Utterances:
    """The same frames of every utterance, in random order."""
    rng = np.random.default_rng(seed)
    return Utterances([rng.permutation(x) for x in data.sequences], data.labels)


def averages(data: Utterances) -> np.ndarray:
    """Mean and deviation over time of each coefficient, shape ``(N, 26)``."""
    return np.stack([np.r_[x.mean(0), x.std(0)] for x in data.sequences])


def fit_network(train: Utterances, settings: Settings) -> SequenceClassifier:
    torch.manual_seed(settings.seed)
    model = SequenceClassifier(WIDTH, 10, hidden_dim=settings.hidden_dim, dropout=0.2)
    trainer = Trainer(
        model, lr=1e-2, schedule="cosine", epochs=settings.epochs, batch_size=64, clip_norm=1.0,
        weight_decay=1e-4, seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit(train.padded())
    return model


@torch.inference_mode()
def predict(model: SequenceClassifier, x: Tensor, lengths: Tensor) -> np.ndarray:
    return model(x, lengths).argmax(1).numpy()


@torch.inference_mode()
def padding_effect(model: SequenceClassifier, test: Utterances, count: int = 50) -> float:
    """Largest difference between an utterance's logits alone and in the padded batch."""
    x, lengths, _ = test.padded()
    together = model(x[:count], lengths[:count])
    alone = torch.cat([model(torch.as_tensor(s)[None]) for s in test.sequences[:count]])
    return (together - alone).abs().max().item()


def accuracy_by_share(model: SequenceClassifier, test: Utterances) -> list[float]:
    """Accuracy after the first 10 %, 20 %, … of each utterance."""
    x, lengths, labels = test.padded()
    heard = [torch.ceil(share * lengths).long().clamp(min=1) for share in SHARES]
    return [float((predict(model, x, part) == labels.numpy()).mean()) for part in heard]


def run(settings: Settings) -> Report:
    train, test = load_utterances(settings.source, settings.utterances, settings.seed)
    linear = LogisticRegression(max_iter=2000).fit(averages(train), train.labels)
    model = fit_network(train, settings)
    shuffled = fit_network(shuffle_frames(train, settings.seed), settings)
    x, lengths, labels = test.padded()
    predicted = predict(model, x, lengths)
    mixed = shuffle_frames(test, settings.seed + 1)
    accuracy = {
        "logistic regression on means and deviations over time": linear.score(averages(test), test.labels),
        "GRU on frames in random order": float((predict(shuffled, *mixed.padded()[:2]) == test.labels).mean()),
        "GRU": float((predicted == labels.numpy()).mean()),
    }  # fmt: skip
    by_share = accuracy_by_share(model, test)
    report = Report(
        title="Spoken digits" if settings.source == "spoken-digits" else "Made-up spoken digits",
        summary=f"The GRU understands {100 * accuracy['GRU']:.1f} % of {len(labels)} utterances it has not "
        f"heard, the average over time {100 * next(iter(accuracy.values())):.1f} %.",
    )
    report.table(
        f"{len(train.labels):,} utterances to train, {len(labels)} to test",
        columns=["model", "accuracy, %"],
        rows=[[name, 100 * value] for name, value in accuracy.items()],
    )
    _claim(report, accuracy, by_share, padding_effect(model, test))
    report.figure(
        "confusion",
        confusion_matrix(count_confusions(labels, predicted, labels=range(10))),
        caption="Which digit was taken for which.",
    )
    report.figure(
        "how-early",
        score_curves(
            100 * SHARES,
            {"GRU": 100 * np.array(by_share)},
            xlabel="share of the utterance heard, %",
            ylabel="accuracy, %",
        ),
        caption="The state can be asked before the utterance ends.",
    )
    if settings.source == "made-up":
        report.text(
            "These utterances are made up. For recorded ones: `gradatim data get spoken-digits`, then "
            "`gradatim run spoken-digits`."
        )
    return report


def _claim(
    report: Report, accuracy: dict[str, float], by_share: list[float], effect: float
) -> None:
    linear, shuffled, gru = accuracy.values()
    report.claim("the GRU understands new utterances", gru, "accuracy", at_least=0.95)
    report.claim(
        "averages over time know less",
        expected="at least twice the errors of the GRU",
        measured=f"{100 * (1 - linear):.1f} % against {100 * (1 - gru):.1f} %",
        holds=1 - linear >= 2 * (1 - gru),
    )
    report.claim(
        "the order of the frames matters",
        expected="at least twice the errors with frames in random order",
        measured=f"{100 * (1 - shuffled):.1f} % against {100 * (1 - gru):.1f} %",
        holds=1 - shuffled >= 2 * (1 - gru),
    )
    report.claim(
        "padding never matters", effect, "logits alone and in a padded batch differ by", below=1e-4
    )
    report.claim(
        "more is better to hear",
        expected="accuracy after half an utterance below the whole, after a tenth far below",
        measured=f"{by_share[0]:.2f}, {by_share[4]:.2f}, {by_share[-1]:.2f}",
        holds=by_share[0] < by_share[4] < by_share[-1] and by_share[0] < 0.7,
    )
