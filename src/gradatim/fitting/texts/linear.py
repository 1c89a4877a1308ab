r"""Models that are linear in weighted word counts: what a network has to beat on texts.

A term :math:`t` (a word, or a pair of neighbours) that stands :math:`c` times in a text has the weight

.. math:: x_t = (1 + \ln c)\,\Bigl(1 + \ln\frac{1 + N}{1 + n_t}\Bigr)

before the text is scaled to length 1; :math:`n_t` of the :math:`N` training texts contain it.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from torch import Tensor

from gradatim.data.word_counts import TermCounts, count_terms, read_corpus, weigh
from gradatim.evaluation.metrics import score
from gradatim.fitting.stored import Facts
from gradatim.fitting.tables.predictors import softmax
from gradatim.fitting.tables.preprocessing import Preprocessing
from gradatim.fitting.texts.columns import ColumnPart, Table, TableColumns, restore_part
from gradatim.model_folder import tensors_from

MAX_TERMS = 50_000
MIN_TEXTS = 2  # that a term must stand in
WORDS = "linear on words"
PENALTIES = (0.01, 0.1, 1.0)


@dataclass(eq=False, repr=False)
class WordModel:
    """A linear model of weighted word counts; without terms it is the trivial model.

    Args:
        terms: Words and pairs it knows.
        rarity: Weight of each term, :math:`1 + \\ln((1+N)/(1+n_t))`.
        weight: Shape ``(outputs, terms)``.
        bias: Shape ``(outputs,)``.
        classes: Number of classes; 0 for regression.
        settings: What was chosen.
        part: What the other columns of the table add, where they are read.
    """

    kind: ClassVar[str] = "words"

    terms: list[str]
    rarity: np.ndarray
    weight: np.ndarray
    bias: np.ndarray
    classes: int
    settings: dict[str, Any]
    part: ColumnPart | None = None

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        own = 0 if self.part is None else self.part.weight.size
        return self.rarity.size + self.weight.size + self.bias.size + own

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and what was learned."""
        facts = {"kind": self.kind, "classes": self.classes, "settings": self.settings, "terms": self.terms}  # fmt: skip
        arrays = {"rarity": self.rarity, "weight": self.weight, "bias": self.bias}
        if self.part is not None:
            facts["preprocessing"] = self.part.preprocessing.to_json()
            arrays["columns"] = self.part.weight
        return facts, tensors_from(arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "WordModel":
        """Undo :meth:`store`."""
        rarity, weight, bias = (tensors[key].numpy() for key in ("rarity", "weight", "bias"))
        part = restore_part(facts, tensors["columns"].numpy() if "columns" in tensors else None)
        return cls(facts["terms"], rarity, weight, bias, facts["classes"], facts["settings"], part)

    @cached_property
    def words(self) -> list[str]:
        """Single words of all terms."""
        return list(dict.fromkeys(word for term in self.terms for word in term.split(" ")))

    def outputs(self, texts: Sequence[str], table: Table | None = None) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``; ``table`` holds the other columns, where they are read."""
        return self.finish(self.score(texts, table))

    def score(self, texts: Sequence[str], table: Table | None = None) -> np.ndarray:
        """Return logits, or values, of texts and the other columns, shape ``(N, outputs)``."""
        logits = self.logits(self.features(texts))
        return logits if self.part is None or table is None else logits + self.part.logits(table)

    def features(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Return the weighted counts of texts."""
        if not self.terms:
            return sparse.csr_matrix((len(texts), 0))
        return weigh(count_terms(read_corpus(texts, self.words), self.terms).counts, self.rarity)

    def logits(self, features: sparse.csr_matrix) -> np.ndarray:
        """Return logits, or values, of weighted counts, shape ``(N, outputs)``."""
        return features @ self.weight.T + self.bias

    def finish(self, logits: np.ndarray) -> np.ndarray:
        """Return outputs from logits."""
        return softmax(logits) if self.classes else logits[:, 0]


def choose_terms(counts: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    """Return columns of the terms that most training texts contain, and the rarity of each."""
    texts = np.bincount(counts.indices, minlength=counts.shape[1])
    columns = np.flatnonzero(texts >= min(MIN_TEXTS, counts.shape[0]))
    if len(columns) > MAX_TERMS:
        order = np.argsort(-texts[columns], kind="stable")[:MAX_TERMS]
        columns = np.sort(columns[order])
    return columns, 1.0 + np.log((1.0 + counts.shape[0]) / (1.0 + texts[columns]))


def fit_trivial(y: np.ndarray, classes: int, weight: np.ndarray | None = None) -> WordModel:
    """The mean, or the class frequencies, whatever the text; rows may weigh."""
    if classes:
        counts = np.bincount(y, weight, classes) + 1.0 / classes
        bias = np.log(counts / counts.sum())
    else:
        bias = np.array([np.average(y, weights=weight)])
    return WordModel([], np.zeros(0), np.zeros((len(bias), 0)), bias, classes, {})


def fit_words(
    counted: TermCounts,
    rows: np.ndarray,
    y: np.ndarray,
    classes: int,
    seed: int,
    penalty: float | None = None,
    table: TableColumns | None = None,
    row_weight: np.ndarray | None = None,
) -> WordModel:
    """Fit logistic or ridge regression to the texts ``rows``; the penalty is chosen inside them, unless it is given.

    Args:
        counted: Counts of all terms in all texts.
        rows: Texts to learn from.
        y: Their classes or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes the inner split.
        penalty: The penalty, once it was chosen.
        table: The other columns, where they are read.
        row_weight: Of every text to learn from.
    """
    counts = counted.counts[rows]
    columns, rarity = choose_terms(counts)
    features = weigh(counts[:, columns], rarity)
    prepared, features = add_columns(features, table, rows)
    if penalty is None:
        weight, bias, penalty = choose_penalty(features, y, classes, seed, row_weight)
    else:
        weight, bias = _solve(features, y, classes, penalty, row_weight)
    terms = [counted.terms[k] for k in columns.tolist()]
    part = None if prepared is None else ColumnPart(prepared, weight[:, len(terms) :])
    return WordModel(terms, rarity, weight[:, : len(terms)], bias, classes, {"penalty": penalty}, part)  # fmt: skip


def add_columns(
    features: sparse.csr_matrix, table: TableColumns | None, rows: np.ndarray
) -> tuple[Preprocessing | None, sparse.csr_matrix]:
    """Set the prepared columns of ``rows`` beside the features of their texts, where columns are read."""
    if table is None:
        return None, features
    prepared, own = table.learn(rows)
    return prepared, sparse.csr_matrix(sparse.hstack([features, sparse.csr_matrix(own)]))


def choose_penalty(
    features: sparse.csr_matrix,
    y: np.ndarray,
    classes: int,
    seed: int,
    row_weight: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Fit logistic or ridge regression with the penalty that is best on a quarter of the rows; return weight, bias and it.

    Args:
        features: Shape ``(N, terms)``.
        y: Classes or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes the inner split.
        row_weight: Of every row.
    """
    held = np.random.default_rng(seed).permutation(len(y)) % 4 == 0
    learn = np.flatnonzero(~held)
    penalty = PENALTIES[1]
    if held.any() and len(np.unique(y[learn])) > 1:
        scores = []
        for option in PENALTIES:
            own, judged = (
                None if row_weight is None else row_weight[part] for part in (learn, held)
            )
            weight, bias = _solve(features[learn], y[learn], classes, option, own)
            logits = features[held] @ weight.T + bias
            output = softmax(logits) if classes else logits[:, 0]
            scores.append(score(y[held], output, classes, weight=judged))
        penalty = PENALTIES[int(np.argmin(scores))]
    return *_solve(features, y, classes, penalty, row_weight), penalty


def _solve(
    X: sparse.csr_matrix,
    y: np.ndarray,
    classes: int,
    penalty: float,
    row_weight: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    if not classes:
        model = Ridge(alpha=penalty).fit(X, y, row_weight)
        return model.coef_[None], np.array([model.intercept_])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of slow convergence: the score tells
        model = LogisticRegression(C=1.0 / penalty, max_iter=300).fit(X, y, row_weight)
    coef, bias = model.coef_, model.intercept_
    if len(coef) == 1:  # scikit-learn gives one row for two classes
        coef, bias = np.stack([-coef[0], coef[0]]) / 2, np.stack([-bias[0], bias[0]]) / 2
    weight, offset = np.zeros((classes, X.shape[1])), np.full(classes, -30.0)
    weight[model.classes_], offset[model.classes_] = coef, bias
    return weight, offset
