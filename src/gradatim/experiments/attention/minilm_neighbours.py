"""Nearest sentences by a small BERT say the same in other words; by shared words, often something else."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.data import load, split_words
from gradatim.data.entries import require_cached
from gradatim.data.word_counts import count_terms, read_corpus, weigh
from gradatim.errors import InvalidValue
from gradatim.models import SentenceEncoder, published_minilm
from gradatim.plots import comparison_bars
from gradatim.plots.style import INK, SEQUENTIAL, new_figure
from gradatim.reports import Report

COVERS = ("G4",)
KEYWORDS = "BERT, sentence embeddings, semantic search, pretrained weights, cosine similarity"
PARAMETERS = 22_713_216
MEANING, WORDS = "by meaning (MiniLM)", "by words"
SENTENCES = (
    "The doctor told him to stop smoking.",
    "A physician advised giving up cigarettes.",
    "The chimney told us where to stop.",
    "Bank rates went up again.",
    "Borrowing money became more expensive.",
    "They went up the river bank again.",
    "My phone battery is empty.",
    "This mobile needs charging.",
    "My phone number is empty of zeros.",
)


@dataclass(frozen=True)
class Settings:
    """Pairs of sentences that one Spanish sentence translates into, and other sentences among which they are sought."""

    seed: int = 0
    pairs: int = 200
    most_shared: float = 0.3
    others: int = 2_000


QUICK = Settings(pairs=80, others=100)


def shared_words(first: str, second: str) -> float:
    r"""Words in both as a share of words in either, :math:`|A\cap B|/|A\cup B|`."""
    a, b = set(split_words(first)), set(split_words(second))
    return len(a & b) / len(a | b)


def paraphrases(s: Settings) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs of English sentences with one Spanish translation and few words in common, and other sentences."""
    data = load("tatoeba-spa")
    assert data.y is not None
    versions: dict[str, dict[str, None]] = defaultdict(dict)
    for english, spanish in zip(data.X, data.y, strict=True):
        if len(split_words(english)) >= 5:
            versions[spanish][english] = None
    groups = [list(group)[:2] for group in versions.values() if len(group) > 1]
    rng = np.random.default_rng(s.seed)
    chosen: list[tuple[str, str]] = []
    used: set[str] = set()
    for k in rng.permutation(len(groups)).tolist():
        pair = groups[k][0], groups[k][1]
        is_new = len(chosen) < s.pairs and not used & set(pair)
        if is_new and shared_words(*pair) <= s.most_shared:
            chosen.append(pair)
            used |= set(pair)
    singles = sorted({g for group in versions.values() if len(group) == 1 for g in group} - used)
    return chosen, [singles[k] for k in rng.permutation(len(singles))[: s.others]]


def word_vectors(texts: Sequence[str]) -> np.ndarray:
    """Weighted word counts, each text scaled to length 1: its products are cosines, too."""
    corpus = read_corpus(texts)
    counts = count_terms(corpus, corpus.words).counts
    rarity = 1.0 + np.log((1.0 + len(texts)) / (1.0 + (counts > 0).sum(0)))
    return weigh(counts, np.asarray(rarity).ravel()).toarray()


def ranks(vectors: np.ndarray, pairs: int) -> np.ndarray:
    """Place of each sentence's partner among all others by cosine, from 1; of rows 2k and 2k + 1 one is the other's."""
    own = np.arange(2 * pairs)
    cosines = vectors[own] @ vectors.T
    cosines[own, own] = -np.inf
    return 1 + (cosines > cosines[own, own ^ 1][:, None]).sum(1)


def run(settings: Settings) -> Report:
    require_cached("minilm-neighbours", "minilm", "tatoeba-spa")
    encoder = published_minilm()
    pairs, others = paraphrases(settings)
    texts = [text for pair in pairs for text in pair] + others
    vectors = {MEANING: encoder.encode(texts).numpy(), WORDS: word_vectors(texts)}
    places = {name: ranks(v, len(pairs)) for name, v in vectors.items()}
    firsts = {name: 100 * float(np.mean(place == 1)) for name, place in places.items()}
    report = Report(
        title="Neighbours by meaning and by words",
        summary=f"Among {len(texts):,} sentences the nearest one by meaning is the paraphrase in {firsts[MEANING]:.0f} % "
        f"of {2 * len(pairs)} cases, by words in {firsts[WORDS]:.0f} %.",
    )
    _claim(report, encoder, firsts, vectors[MEANING])
    report.table(
        "Place of the paraphrase among all other sentences",
        columns=["neighbours", "first, %", "among the first five, %", "median place"],
        rows=[[n, firsts[n], 100 * float(np.mean(p <= 5)), float(np.median(p))] for n, p in places.items()],
    )  # fmt: skip
    _show_examples(report, texts, vectors, places)
    _draw(report, encoder, places)
    return report


def _claim(
    report: Report, encoder: SentenceEncoder, firsts: dict[str, float], vectors: np.ndarray
) -> None:
    parameters = sum(p.numel() for p in encoder.model.parameters())
    report.claim("size of the network", parameters, equals=PARAMETERS)
    lengths = np.linalg.norm(vectors, axis=1)
    report.claim(
        "sentences lie on a sphere",
        expected="length 1 to 1e-5",
        measured=float(np.abs(lengths - 1).max()),
        holds=bool(np.allclose(lengths, 1.0, atol=1e-5)),
    )
    report.claim(
        "the nearest sentence by meaning is the paraphrase", firsts[MEANING], "{} %", at_least=60
    )
    report.claim(
        "and more often than by words", firsts[MEANING] - firsts[WORDS], "{} points", at_least=20
    )


def _show_examples(
    report: Report,
    texts: list[str],
    vectors: dict[str, np.ndarray],
    places: dict[str, np.ndarray],
) -> None:
    """Sentences whose paraphrase is first by meaning and far behind by words, and the other way round."""
    rows = []
    gap = np.log(places[WORDS]) - np.log(places[MEANING])
    for k in [*np.argsort(-gap, kind="stable")[:4].tolist(), int(np.argmin(gap))]:
        cosines = {name: v[k] @ v.T for name, v in vectors.items()}
        nearest = [texts[int(np.argsort(-c, kind="stable")[1])] for c in cosines.values()]
        rows.append([texts[k], *nearest])
    report.table(
        "Nearest sentences, the last row where meaning does worst",
        columns=["sentence", MEANING, WORDS],
        rows=rows,
    )


def _draw(report: Report, encoder: SentenceEncoder, places: dict[str, np.ndarray]) -> None:
    meaning, words = encoder.encode(SENTENCES).numpy(), word_vectors(SENTENCES)
    report.figure(
        "similarity",
        similarity_matrices({MEANING: meaning @ meaning.T, WORDS: words @ words.T}, SENTENCES),
        caption="Cosines of nine sentences. In each group of three the second says what the first does in other words, the "
        "third something else in the same words.",
    )
    shares = {name: float(np.mean(place == 1)) for name, place in places.items()}
    reach = {n: 1.96 * np.sqrt(p * (1 - p) / len(places[n])) for n, p in shares.items()}
    report.figure(
        "first",
        comparison_bars(
            {name: 100 * share for name, share in shares.items()},
            label="paraphrase is the nearest sentence, %",
            intervals={n: (100 * (p - reach[n]), 100 * (p + reach[n])) for n, p in shares.items()},
        ),
        caption="How often the nearest sentence is the paraphrase, with 95 % intervals.",
    )


def similarity_matrices(matrices: Mapping[str, ArrayLike], labels: Sequence[str]) -> Figure:
    """Draw cosines between the same things by several measures, side by side, with their numbers.

    Args:
        matrices: By title, cosines of shape ``(N, N)``.
        labels: Names of the things, in the order of rows and columns.

    Example:
        >>> figure = similarity_matrices({"by meaning": np.eye(2)}, ["a cat", "a dog"])
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1.0', '0.0', '0.0', '1.0']
    """
    N = len(labels)
    tables = {title: np.asarray(values, dtype=float) for title, values in matrices.items()}
    for title, table in tables.items():
        if table.shape != (N, N):
            raise InvalidValue(
                f"similarity_matrices: {title!r} must be of shape ({N}, {N}), as there are labels, got {table.shape}."
            )
    side = max(0.38 * N, 1.6)
    names = 0.075 * max(map(len, labels)) + 0.2
    figure, axes = new_figure(1, len(tables), side * len(tables) + names, side + 0.5)
    for panel, (title, table) in zip(np.ravel(axes), tables.items(), strict=True):
        panel.imshow(table, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0)
        for (i, j), value in np.ndenumerate(table):
            shown = f"{value:.1f}".replace("-0.0", "0.0")
            color = "white" if value > 0.6 else INK
            panel.text(j, i, shown, ha="center", va="center", color=color, fontsize=8)
        panel.set(xticks=[], yticks=[], title=title)
        panel.grid(False)
    np.ravel(axes)[0].set_yticks(range(N), labels, fontsize=9, color=INK)
    for panel in np.ravel(axes):
        panel.tick_params(length=0)
    return figure
