r"""Texts in a column of a table as a few numbers: the themes along which their words differ most.

A text is its words, weighted :math:`(1 + \ln n_t)\,(1 + \ln\frac{1+N}{1+N_t})` and scaled to length 1, projected on the first
right singular vectors of all training texts. That is latent semantic analysis: words that stand together share a theme.

Reference:
    Deerwester et al., Indexing by Latent Semantic Analysis, 1990.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from gradatim.data.word_counts import Corpus, read_corpus, weigh

THEMES = 16
MOST_WORDS = 2000
MOST_TEXTS = 10_000  # from which themes are learned
_READ: dict[
    int, tuple[Sequence[str], Corpus]
] = {}  # texts of the column that was read last, once for all folds


class Themes(NamedTuple):
    """What was learned from texts.

    Args:
        words: The words that are known.
        rarity: Weight of each.
        basis: Share of each word in each theme, scaled so that the training texts have variance 1, shape ``(words, themes)``.
    """

    words: list[str]
    rarity: np.ndarray
    basis: np.ndarray


def learn_themes(texts: Sequence[str], rows: np.ndarray) -> Themes | None:
    """Learn the themes of some texts.

    Args:
        texts: Different texts.
        rows: Those to learn from, which may repeat.

    Returns:
        ``None`` where no two of them share a word.

    Example:
        >>> found = learn_themes(["red wine", "white wine", "old house", "new house"] * 3, np.arange(12))
        >>> found.words[:2], found.basis.shape[0]
        (['wine', 'house'], 6)
    """
    rows = rows[:: -(-len(rows) // MOST_TEXTS)] if len(rows) else rows
    corpus = _read(texts)
    counts = _counts(corpus, len(corpus.words))[rows]
    found = np.bincount(counts.indices, minlength=counts.shape[1])
    known = np.flatnonzero(found >= 2)
    known = known[np.argsort(-found[known], kind="stable")[:MOST_WORDS]]
    count = min(THEMES, len(known) - 1, len(rows) - 1)
    if count < 1:
        return None
    rarity = 1.0 + np.log((1.0 + len(rows)) / (1.0 + found[known]))
    weighed = weigh(counts[:, known], rarity)
    _, sizes, shares = randomized_svd(weighed, count, random_state=0)
    shares = shares[sizes > 1e-9 * sizes[0]]
    spread = (weighed @ shares.T).std(0)
    kept = spread > 1e-9
    if not kept.any():
        return None
    words = [corpus.words[k] for k in known.tolist()]
    return Themes(words, rarity, shares[kept].T / spread[kept])


def read_themes(texts: Sequence[str], themes: Themes) -> np.ndarray:
    """How much of each theme is in texts, shape ``(N, themes)``; 0 for a text without a known word.

    Example:
        >>> found = learn_themes(["red wine", "white wine", "old house", "new house"] * 3, np.arange(12))
        >>> bool(np.allclose(read_themes(["", "unheard of"], found), 0.0))
        True
    """
    corpus = _read(texts)
    place = {word: k for k, word in enumerate(themes.words)}
    new = np.array([place.get(word, -1) for word in corpus.words], dtype=np.int64)
    counts = _counts(Corpus(themes.words, new[corpus.ids], corpus.starts), len(themes.words))
    return weigh(counts, themes.rarity) @ themes.basis


def _read(texts: Sequence[str]) -> Corpus:
    """The words of texts; those of a column are cut once, however many folds there are."""
    kept = _READ.get(id(texts))
    if kept is None or kept[0] is not texts:
        _READ.clear()
        _READ[id(texts)] = kept = texts, read_corpus(texts)
    return kept[1]


def _counts(corpus: Corpus, width: int) -> sparse.csr_matrix:
    """How often each word stands in each text; words without a number are left out."""
    row = np.repeat(np.arange(len(corpus.starts) - 1), np.diff(corpus.starts))
    is_known = corpus.ids >= 0
    ones = np.ones(int(is_known.sum()))
    shape = (len(corpus.starts) - 1, width)
    counts = sparse.csr_matrix((ones, (row[is_known], corpus.ids[is_known])), shape=shape)
    counts.sum_duplicates()
    return counts
