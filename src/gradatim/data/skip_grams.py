"""Words and their neighbours, with drawn words beside them: what word vectors are learned from."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidValue, require, require_seed, require_whole

POWER = 0.75  # of a word's count, in the distribution of drawn words


class SkipGrams:
    r"""Batches of words, their neighbours and drawn words, in a new order and with new draws in every epoch.

    Neighbours of a word stand at most :math:`b` places away, where :math:`b` is drawn from 1 to ``window`` for every word. A
    word of frequency :math:`f` is kept with probability :math:`\min(1, \sqrt{t/f} + t/f)`, and words are drawn in proportion
    to :math:`n^{3/4}` of their counts.

    Args:
        sentences: Words.
        window: Largest distance of a neighbour.
        num_noise: Drawn words beside each neighbour.
        min_count: Times that a word must stand to be known.
        threshold: :math:`t`; 0 keeps every word.
        batch_size: Pairs of a batch.
        seed: Fixes the draws.

    Example:
        >>> pairs = SkipGrams([["a", "b", "a", "b"]], window=1, num_noise=2, threshold=0, min_count=1)
        >>> words, others, truth = next(iter(pairs))
        >>> pairs.words, tuple(others.shape), truth[0].tolist()
        (['a', 'b'], (6, 3), [1, 0, 0])

    Reference:
        Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013, section 2; the rule
        of what is kept is that of the authors' program.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        *,
        window: int = 5,
        num_noise: int = 5,
        min_count: int = 5,
        threshold: float = 1e-3,
        batch_size: int = 1024,
        seed: int = 0,
    ) -> None:
        require_whole("SkipGrams", window=window, num_noise=num_noise, min_count=min_count, batch_size=batch_size)  # fmt: skip
        require(threshold >= 0, "SkipGrams: threshold must be 0 or more", threshold)
        require_seed("SkipGrams", seed)
        counts = Counter(word for words in sentences for word in words)
        kept = [(word, n) for word, n in counts.most_common() if n >= min_count]
        if len(kept) < 2:
            raise InvalidValue(f"SkipGrams: sentences must hold two words that stand {min_count} times or more, got {len(kept)}. Lower min_count.")  # fmt: skip
        self.words = [word for word, _ in kept]
        self.counts = np.array([n for _, n in kept])
        self.window, self.num_noise, self.batch_size = window, num_noise, batch_size
        self.threshold = threshold
        places = {word: k for k, word in enumerate(self.words)}
        parts = [np.array([places[w] for w in words if w in places], dtype=np.int64) for words in sentences]  # fmt: skip
        self._ids = np.concatenate(parts)
        self._sentence = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        self._rng = np.random.default_rng(seed)

    @property
    def keep(self) -> np.ndarray:
        """Probability that an occurrence of each word is kept."""
        if not self.threshold:
            return np.ones(len(self.counts))
        rare = self.threshold * self.counts.sum() / self.counts
        return np.minimum(1.0, np.sqrt(rare) + rare)

    @property
    def noise(self) -> np.ndarray:
        """Probability that each word is drawn."""
        shares = self.counts**POWER
        return shares / shares.sum()

    def __len__(self) -> int:
        """About as many batches as an epoch has."""
        occurrences = float((self.counts * self.keep).sum())
        return max(int(occurrences * (self.window + 1) / self.batch_size), 1)

    def draw_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Draw which occurrences are kept and how far each looks, and return all words with their neighbours."""
        is_kept = self._rng.random(len(self._ids)) < self.keep[self._ids]
        ids, sentence = self._ids[is_kept], self._sentence[is_kept]
        reach = self._rng.integers(1, self.window + 1, len(ids))
        words, others = [], []
        for distance in range(1, self.window + 1):
            same = sentence[distance:] == sentence[:-distance]
            for center, other in ((slice(distance, None), slice(None, -distance)), (slice(None, -distance), slice(distance, None))):  # fmt: skip
                chosen = same & (reach[center] >= distance)
                words.append(ids[center][chosen])
                others.append(ids[other][chosen])
        order = self._rng.permutation(sum(map(len, words)))
        return np.concatenate(words)[order], np.concatenate(others)[order]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        words, others = self.draw_pairs()
        edges = self.noise.cumsum()
        for start in range(0, len(words), self.batch_size):
            part = slice(start, start + self.batch_size)
            count = len(words[part])
            drawn = np.searchsorted(edges, self._rng.random((count, self.num_noise)), side="right")
            both = np.concatenate([others[part][:, None], np.minimum(drawn, len(edges) - 1)], 1)
            truth = torch.zeros(both.shape, dtype=torch.long)
            truth[:, 0] = 1
            yield torch.from_numpy(words[part]), torch.from_numpy(both), truth
