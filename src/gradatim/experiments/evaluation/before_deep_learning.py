"""Features made by hand, and simple models of them, against networks that learn both."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from torch import nn

from gradatim.data import load, pad_sequences
from gradatim.experiments._digits import digit_images
from gradatim.experiments.evaluation._hand_made_features import VisualWords, edge_histograms, hog
from gradatim.experiments.evaluation._spoken_words import (
    WORDS,
    cepstra,
    mel_energies,
    read_wav,
    speak,
    write_wav,
)
from gradatim.models import SequenceClassifier
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import SEQUENTIAL, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.timeseries import HMM, GaussianEmission, MixtureEmission
from gradatim.training import Trainer

COVERS = ("D10", "F2", "E4")
KEYWORDS = "feature engineering, HOG histogram of oriented gradients, SIFT, bag of visual words, support vector machine, MFCC, GMM-HMM, mixture of Gaussians, learned features, pitch"  # fmt: skip
PIXELS, EDGES, PATCHES, NETWORK = "pixels + linear SVM", "HOG + linear SVM", "visual words + linear SVM", "convolutional network"  # fmt: skip


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    images: Literal["mnist", "digits"] = "mnist"
    rows: tuple[int, ...] = (100, 300, 1_000, 3_000, 10_000)
    test_rows: int = 5_000
    num_words: int = 100
    epochs: int = 20
    spoken: tuple[int, ...] = (5, 20, 60)
    test_spoken: int = 40
    spoken_epochs: int = 30


QUICK = Settings(images="digits", rows=(30, 200, 1_000), test_rows=600, num_words=50, epochs=12, spoken=(4, 16), test_spoken=15, spoken_epochs=15)  # fmt: skip

# ---- images


def load_images(settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Images of 28 × 28, or small digits enlarged to 24 × 24, and their labels: to train, then to test."""
    rng = np.random.default_rng(settings.seed)
    if settings.images == "digits":
        small, labels = digit_images()
        X = F.interpolate(small, scale_factor=3, mode="bilinear")[:, 0].numpy()
        order = rng.permutation(len(X))
        cut = len(X) - settings.test_rows
        return X[order[:cut]], labels.numpy()[order[:cut]], X[order[cut:]], labels.numpy()[order[cut:]]  # fmt: skip
    data = load(settings.images)
    (X, y), (X_test, y_test) = data.train, data.test
    order = rng.permutation(len(X))[: max(settings.rows)]
    few = slice(settings.test_rows)
    return np.asarray(X)[order, 0], np.asarray(y)[order], np.asarray(X_test)[few, 0], np.asarray(y_test)[few]  # fmt: skip


def linear_error(train: np.ndarray, y: np.ndarray, test: np.ndarray, y_test: np.ndarray) -> float:
    """Test error of a linear support vector machine on features, per cent."""
    scale = StandardScaler(with_std=False).fit(train)
    machine = LinearSVC(C=0.3, max_iter=5000).fit(scale.transform(train), y)
    return float(100 * (machine.predict(scale.transform(test)) != y_test).mean())


def network_error(X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray, settings: Settings) -> float:  # fmt: skip
    """Test error of two convolutions and two dense layers, trained for at least 400 steps."""
    with seeded(settings.seed):
        model = nn.Sequential(
            *(nn.Conv2d(1, 16, 5, stride=2, padding=2), nn.BatchNorm2d(16), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU()),
            *(nn.Flatten(), nn.LazyLinear(64), nn.ReLU(), nn.Linear(64, 10)),
        )
        model(torch.zeros(2, 1, *X.shape[1:]))
    epochs = max(settings.epochs, -(-200 // -(-len(X) // 64)))
    Trainer(model, lr=2e-3, schedule="cosine", epochs=epochs, batch_size=64, seed=settings.seed, progress=False).fit((torch.from_numpy(X[:, None]), torch.from_numpy(y)))  # fmt: skip
    with torch.inference_mode():
        said = model.eval()(torch.from_numpy(X_test[:, None])).argmax(1).numpy()
    return float(100 * (said != y_test).mean())


def see(settings: Settings, report: Report) -> dict[str, list[float]]:
    """Test error of every way to see, by the number of images to learn from."""
    X, y, X_test, y_test = load_images(settings)
    errors: dict[str, list[float]] = {name: [] for name in (PIXELS, EDGES, PATCHES, NETWORK)}
    edges, edges_test = hog(X, 4), hog(X_test, 4)
    for rows in settings.rows:
        words = VisualWords(settings.num_words, 4, settings.seed).fit(X[:rows])
        errors[PIXELS].append(linear_error(X[:rows].reshape(rows, -1), y[:rows], X_test.reshape(len(X_test), -1), y_test))  # fmt: skip
        errors[EDGES].append(linear_error(edges[:rows], y[:rows], edges_test, y_test))
        errors[PATCHES].append(linear_error(words.transform(X[:rows]), y[:rows], words.transform(X_test), y_test))  # fmt: skip
        errors[NETWORK].append(network_error(X[:rows], y[:rows], X_test, y_test, settings))
    brighter = float(np.abs(hog(0.5 * X_test[:50] + 0.2, 4) - hog(X_test[:50], 4)).mean() / hog(X_test[:50], 4).mean())  # fmt: skip
    report.claim("HOG hardly sees light: half the contrast, and brighter", brighter, "relative change of the features {}", at_most=0.1)  # fmt: skip
    last, first = ({name: rows[k] for name, rows in errors.items()} for k in (-1, 0))
    report.claim("edges by direction beat pixels before the same linear machine", last[EDGES] / last[PIXELS], "error, {} times", at_most=0.85)  # fmt: skip
    report.claim("with few images they also beat a network", first[EDGES] / first[NETWORK], "error, {} times", at_most=1.0)  # fmt: skip
    report.claim("with many the network is level, by features of its own", last[NETWORK] - last[EDGES], "{} points more errors", at_most=1.5)  # fmt: skip
    report.claim("words of patches, which know little of places, see less", last[PATCHES] / last[EDGES], "error, {} times", at_least=1.0)  # fmt: skip
    report.table("Test error on images, per cent", columns=["images to learn from", *map(str, settings.rows)], rows=[[name, *rows] for name, rows in errors.items()])  # fmt: skip
    return errors


# ---- words


def record(count: int, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """So many recordings of every word, each by another voice, as they come out of WAV files."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(WORDS)), count)
    return [read_wav(write_wav(speak(WORDS[label], rng))) for label in labels], labels


def word_model(sequences: list[np.ndarray], num_states: int, num_parts: int, seed: int) -> HMM:
    """States from left to right, each a mixture, begun from even cuts of every recording."""
    rng = np.random.default_rng(seed)
    cuts = [np.array_split(sequence, num_states) for sequence in sequences]
    means, spreads = [], []
    for state in range(num_states):
        rows = np.concatenate([cut[state] for cut in cuts])
        means += list(rows[rng.choice(len(rows), num_parts, replace=False)])
        spreads += [rows.var(0) + 0.05] * num_parts
    start = torch.zeros(num_states).double()
    start[0] = 1
    stay = torch.full((num_states,), 0.8).double()
    stay[-1] = 1
    moves = torch.diag(stay) + torch.diag(1 - stay[:-1], 1)
    parts = GaussianEmission(torch.tensor(np.array(means)), torch.tensor(np.array(spreads)), 0.02)
    weights = np.full((num_states, num_parts), 1 / num_parts)
    padded, lengths = pad_sequences([np.asarray(sequence, np.float64) for sequence in sequences])
    return HMM(start, moves, MixtureEmission(weights, parts)).learn(padded, lengths, max_steps=8).model  # fmt: skip


def markov_error(train: list[np.ndarray], y: np.ndarray, test: list[np.ndarray], y_test: np.ndarray, num_states: int, seed: int) -> float:  # fmt: skip
    """A model for every word; the likeliest one says which it was. Error in per cent."""
    models = [word_model([s for s, label in zip(train, y, strict=True) if label == word], num_states, 2, seed) for word in range(len(WORDS))]  # fmt: skip
    padded, lengths = pad_sequences([np.asarray(sequence, np.float64) for sequence in test])
    scores = torch.stack([model.log_likelihood(padded, lengths) for model in models], 1)
    return float(100 * (scores.argmax(1).numpy() != y_test).mean())


def recurrent_error(train: list[np.ndarray], y: np.ndarray, test: list[np.ndarray], y_test: np.ndarray, settings: Settings) -> float:  # fmt: skip
    """The same coefficients, read by a GRU."""
    with seeded(settings.seed):
        model = SequenceClassifier(train[0].shape[1], len(WORDS), hidden_dim=32)
    x, lengths = pad_sequences([sequence.astype(np.float32) for sequence in train])
    Trainer(model, lr=1e-2, schedule="cosine", epochs=settings.spoken_epochs, batch_size=16, clip_norm=1.0, seed=settings.seed, progress=False).fit((x, lengths, torch.from_numpy(y)))  # fmt: skip
    x, lengths = pad_sequences([sequence.astype(np.float32) for sequence in test])
    with torch.inference_mode():
        said = model.eval()(x, lengths).argmax(1).numpy()
    return float(100 * (said != y_test).mean())


def claim_cepstra(report: Report, sound: np.ndarray) -> None:
    """Loudness is in the first coefficient only."""
    change = cepstra(4 * sound) - cepstra(sound)
    report.claim("four times as loud moves the first coefficient only", float(np.abs(change[:, 1:]).max()), "largest change of the others", below=1e-3)  # fmt: skip


def hear(settings: Settings, report: Report) -> dict[str, list[float]]:
    sounds, y = record(max(settings.spoken), settings.seed)
    sounds_test, y_test = record(settings.test_spoken, settings.seed + 1000)
    claim_cepstra(report, sounds[0])
    found, test = [cepstra(sound) for sound in sounds], [cepstra(sound) for sound in sounds_test]
    frames = np.concatenate(found)
    mean, deviation = frames.mean(0), frames.std(0)
    found, test = ([(part - mean) / deviation for part in parts] for parts in (found, test))
    errors: dict[str, list[float]] = {"MFCC + HMM": [], "MFCC + one state": [], "MFCC + GRU": []}
    for count in settings.spoken:
        rows = np.concatenate([np.flatnonzero(y == word)[:count] for word in range(len(WORDS))])
        part = [found[row] for row in rows]
        errors["MFCC + HMM"].append(markov_error(part, y[rows], test, y_test, 5, settings.seed))
        errors["MFCC + one state"].append(markov_error(part, y[rows], test, y_test, 1, settings.seed))  # fmt: skip
        errors["MFCC + GRU"].append(recurrent_error(part, y[rows], test, y_test, settings))
    last, first = ({name: rows[k] for name, rows in errors.items()} for k in (-1, 0))
    report.claim("a chain of mixtures for every word hears words by new voices", last["MFCC + HMM"], "error {} %", at_most=15)  # fmt: skip
    report.claim("from few recordings it is not behind a recurrent network", first["MFCC + HMM"] - first["MFCC + GRU"], "{} points more errors", at_most=2)  # fmt: skip
    report.claim("one state does not know the order of sounds", last["MFCC + one state"] - last["MFCC + HMM"], "{} points more errors", at_least=10)  # fmt: skip
    report.table("Test error on words, per cent", columns=["recordings of each word", *map(str, settings.spoken)], rows=[[name, *rows] for name, rows in errors.items()])  # fmt: skip
    return errors


def run(settings: Settings) -> Report:
    report = Report(
        title="Before deep learning",
        summary="Edges by direction, words for patches and cepstra carry what people knew about images and speech. With few examples that "
        "knowledge wins; with many a network finds its own.",
    )
    seen, heard = see(settings, report), hear(settings, report)
    panels = [
        CurvePanel("Images", "images to learn from", "test error, %", {name: (list(settings.rows), rows) for name, rows in seen.items()}, is_log_x=True, is_log_y=True),
        CurvePanel("Words", "recordings of each word", "test error, %", {name: (list(settings.spoken), rows) for name, rows in heard.items()}, is_log_x=True),
    ]  # fmt: skip
    report.figure("errors", curve_panels(panels, width=5.0, height=3.9), caption="What learns from how much.")  # fmt: skip
    X, _, _, _ = load_images(settings)
    report.figure("features", draw(X[0], read_wav(write_wav(speak("iau", np.random.default_rng(settings.seed))))), caption="An image, the edges in each cell by direction, and the energy of a word in mel bands: its formants glide from i over a to u.")  # fmt: skip
    return report


def draw(image: np.ndarray, sound: np.ndarray) -> Figure:
    figure, panels = new_figure(columns=3, width=11.0, height=3.6)
    panels[0].imshow(image, cmap="gray")
    panels[1].imshow(image, cmap="gray", alpha=0.25)
    cells = edge_histograms(image[None], 4)[0]
    for row, column, k in np.ndindex(cells.shape):
        angle = np.pi * (k / cells.shape[2] + 0.5)  # along the edge, not across
        reach = 1.9 * cells[row, column, k] / cells.max()
        x, y = 4 * column + 1.5, 4 * row + 1.5
        panels[1].plot([x - reach * np.cos(angle), x + reach * np.cos(angle)], [y - reach * np.sin(angle), y + reach * np.sin(angle)], color="black", linewidth=1.4)  # fmt: skip
    panels[2].imshow(mel_energies(sound).T, origin="lower", aspect="auto", cmap=SEQUENTIAL)
    panels[2].set(xlabel="frame", ylabel="mel band", title="A word")
    for panel, title in zip(panels[:2], ("An image", "Its edges"), strict=True):
        panel.set(xticks=[], yticks=[], title=title)
    for panel in panels:
        panel.grid(False)
    return figure
