"""Words that stand in like company get like vectors, and what tells two words apart is a direction."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import torch

from gradatim.data import SkipGrams, load, split_sentences, split_words
from gradatim.data.entries import require_cached
from gradatim.losses import negative_sampling
from gradatim.models import SkipGram, WordVectors, published_glove
from gradatim.plots.style import new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("G6",)
KEYWORDS = "word2vec, skip-gram, negative sampling, embeddings, analogy, distributional semantics"
ROWS, COLUMNS = ("king", "farmer", "singer", "doctor"), ("he", "she", "they")
COMPANY = 6  # words that keep company with a row or a column
PAIRS = "king queen, father mother, brother sister, son daughter, he she, him her, lord lady, day night, sweet fair, hand eye"
FAMILY = "man woman, king queen, boy girl, brother sister, father mother, son daughter, husband wife, uncle aunt, prince princess"
CAPITALS = "france paris, germany berlin, italy rome, spain madrid, russia moscow, japan tokyo, china beijing, egypt cairo, greece athens"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    runs: int = 5
    sentences: int = 3000
    epochs: int = 6
    books: bool = True


QUICK = Settings(sentences=2000, epochs=5, books=False)


def draw_language(count: int, seed: int) -> list[list[str]]:
    """Draw sentences of a language of twelve words, one for each row and column, in company of both.

    A sentence holds the word of a row and a column, such as ``king/she``, among three words that go with the row and three
    that go with the column.
    """
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        row, column = str(rng.choice(ROWS)), str(rng.choice(COLUMNS))
        words = [f"{kind}-{k}" for kind in (row, column) for k in rng.choice(COMPANY, 3).tolist()]
        rng.shuffle(words)
        sentences.append([*words[:3], f"{row}/{column}", *words[3:]])
    return sentences


def learn_vectors(sentences: list[list[str]], *, dim: int, epochs: int, seed: int, lr: float = 0.02, **how: int) -> WordVectors:  # fmt: skip
    """Learn vectors of the words of sentences by skip-grams with negative sampling."""
    pairs = SkipGrams(sentences, seed=seed, threshold=1e-3 if len(sentences) > 5000 else 0.0, **how)
    with seeded(seed):
        model = SkipGram(len(pairs.words), dim)
    Trainer(model, negative_sampling, lr=lr, schedule="cosine", epochs=epochs, seed=seed, progress=False).fit(pairs)  # fmt: skip
    return WordVectors(pairs.words, model.center.weight.detach())


def drawn_analogies(vectors: WordVectors) -> float:
    """Share of the analogies of the drawn language that are right."""
    right = [
        vectors.analogy(f"{a}/{x}", f"{a}/{y}", f"{b}/{x}")[0].word == f"{b}/{y}"
        for a, b in permutations(ROWS, 2)
        for x, y in permutations(COLUMNS, 2)
    ]
    return float(np.mean(right))


def like_neighbours(vectors: WordVectors) -> float:
    """Share of the twelve words whose nearest neighbour among them shares their row or column."""
    words = [f"{a}/{x}" for a in ROWS for x in COLUMNS]
    shared = []
    for word in words:
        near = next(n.word for n in vectors.neighbours(word, len(vectors) - 1) if n.word in words)
        shared.append(any(p == q for p, q in zip(word.split("/"), near.split("/"), strict=True)))
    return float(np.mean(shared))


def analogies(vectors: WordVectors, pairs: str) -> float:
    """Share of right answers to "a is to b as c is to what", for all pairs of pairs."""
    known = [pair.split() for pair in pairs.split(", ")]
    right = [vectors.analogy(a, b, c)[0].word == d for (a, b), (c, d) in permutations(known, 2)]
    return float(np.mean(right))


def mean_rank(vectors: WordVectors, pairs: str) -> float:
    """Mean rank of the second word of each pair among the neighbours of the first, as a share: 0.5 is chance."""
    ranks = []
    for first, second in (pair.split() for pair in pairs.split(", ")):
        order = [n.word for n in vectors.neighbours(first, len(vectors) - 1)]
        ranks.append(order.index(second) / len(order))
    return float(np.mean(ranks))


def run(settings: Settings) -> Report:
    report = Report(
        title="Word vectors",
        summary="Vectors learned from nothing but neighbours put like words together, and words that differ alike stand apart "
        "by like directions.",
    )
    if settings.books:
        require_cached("word-vectors", "glove-50d", "tiny-shakespeare")
    seeds = range(settings.seed, settings.seed + settings.runs)
    found = [
        learn_vectors(draw_language(settings.sentences, seed), dim=16, epochs=settings.epochs, seed=seed, window=6, batch_size=256)
        for seed in seeds
    ]  # fmt: skip
    right = [drawn_analogies(vectors) for vectors in found]
    near = [like_neighbours(vectors) for vectors in found]
    chance = 1 / (len(found[0]) - 3)
    report.claim(f"analogies right in the worst of {settings.runs} runs", min(right), f"{{}} where guessing gives {chance:.3f}", at_least=0.8)  # fmt: skip
    report.claim(f"nearest neighbours that share row or column, worst of {settings.runs} runs", min(near), "{} where guessing gives 0.45", at_least=0.9)  # fmt: skip
    report.table(
        "The drawn language", columns=["seed", "analogies right", "neighbours alike"],
        rows=[[seed, a, b] for seed, a, b in zip(seeds, right, near, strict=True)],
    )  # fmt: skip
    draw_words(report, found[0])
    if settings.books:
        read_books(report, seeds)
    return report


def read_books(report: Report, seeds: range) -> None:
    """Claims about published vectors, and about vectors learned from Shakespeare."""
    glove = published_glove(50_000)
    for name, pairs in (("families", FAMILY), ("capitals", CAPITALS)):
        report.claim(f"GloVe, analogies of {name}", analogies(glove, pairs), at_least=0.6)
    queen = glove.analogy("man", "king", "woman", 5)
    report.table("king − man + woman, by GloVe", columns=["word", "cosine"], rows=[list(n) for n in queen])  # fmt: skip
    itself = glove.analogy("man", "king", "woman", leave_out=False)[0].word
    report.text(f"The three words themselves are left out, as is usual; else the nearest would be {itself!r}.")  # fmt: skip
    sentences = [split_words(text) for text in split_sentences(load("tiny-shakespeare").text)]
    ranks = []
    for seed in seeds:
        own = learn_vectors(sentences, dim=50, epochs=3, seed=seed, lr=0.01)
        ranks.append(mean_rank(own, PAIRS))
    report.claim(f"Shakespeare, mean rank of related words, worst of {len(ranks)} runs", max(ranks), "{} of the vocabulary, where chance gives 0.5", at_most=0.25)  # fmt: skip
    words = ("king", "father", "love", "night")
    rows = [[word, ", ".join(n.word for n in own.neighbours(word, 6))] for word in words]
    report.table("Neighbours learned from Shakespeare", columns=["word", "nearest"], rows=rows)


def draw_words(report: Report, vectors: WordVectors) -> None:
    """Draw the twelve words in the plane in which they differ most."""
    words = [f"{a}/{x}" for a in ROWS for x in COLUMNS]
    table = torch.stack([vectors[word] for word in words])
    table = table - table.mean(0)
    _, _, axes = torch.linalg.svd(table, full_matrices=False)
    flat = (table @ axes[:2].T).numpy()
    figure, panel = new_figure(width=6.0, height=4.4)
    for k, row in enumerate(ROWS):
        own = flat[k * len(COLUMNS) : (k + 1) * len(COLUMNS)]
        panel.plot(*np.concatenate([own, own[:1]]).T, marker="o", label=row)
    for word, place in zip(words, flat, strict=True):
        panel.annotate(word.split("/")[1], place, (4, 4), textcoords="offset points", fontsize=8)
    panel.set(xlabel="first direction", ylabel="second direction")
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    report.figure("words", figure, caption="The words of the drawn language: each triangle is a row, its corners the columns.")  # fmt: skip
