r"""The n-gram language model: the next token from the last few, by counting."""

import math
from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue
from gradatim.timeseries.inputs import Array

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class NGram:
    r"""An n-gram model with absolute discounting and back-off.

    .. math::
        P(w\mid h)=\begin{cases}\dfrac{c(hw)-d}{c(h)} & c(hw)>0\\[1ex]
        \alpha(h)\,P(w\mid h') & \text{otherwise}\end{cases}
        \qquad
        \alpha(h)=\frac{d\,N(h)/c(h)}{1-\sum_{v:c(hv)>0}P(v\mid h')}

    :math:`c` counts, :math:`N(h)` is the number of distinct tokens seen after the context :math:`h`, and
    :math:`h'` is :math:`h` without its oldest token. Below the single token lies the uniform distribution,
    so no token is impossible. A context never seen is skipped. The first tokens of a sequence have only the
    context there is.

    Args:
        order: :math:`n`: tokens in a gram, the predicted one included.
        vocab_size: Number of different tokens :math:`V`; tokens are 0 to :math:`V-1`.
        discount: :math:`d`, taken from every count, in (0, 1).

    Example:
        >>> model = NGram(2, 3).fit([torch.tensor([0, 1, 0, 1, 2])])
        >>> model.distribution(torch.tensor([0]))
        tensor([0.2500, 0.6250, 0.1250], dtype=torch.float64)
        >>> round(model.perplexity(torch.tensor([0, 1, 0, 1])), 3)
        2.675

    Reference:
        Katz, Estimation of probabilities from sparse data, 1987; Ney, Essen and Kneser, On structuring
        probabilistic dependences in stochastic language modelling, 1994.
    """

    def __init__(self, order: int, vocab_size: int, *, discount: float = 0.75) -> None:
        if order < 1 or vocab_size < 1 or not 0 < discount < 1:
            raise InvalidValue(
                "NGram: order and vocab_size must be at least 1 and discount in (0, 1), "
                f"got {order}, {vocab_size} and {discount}."
            )
        if order * math.log2(vocab_size) >= 63:
            raise InvalidValue(
                "NGram: vocab_size to the power of order must stay below 2**63, "
                f"got {vocab_size}**{order}. Lower the order."
            )
        self.order, self.vocab_size, self.discount = order, vocab_size, discount
        self._levels: list[_Level] = []

    def fit(self, sequences: Iterable[Array]) -> "NGram":
        """Count the grams of token sequences, each of shape ``(T,)``, and return the model itself."""
        texts = [self._tokens("fit", tokens) for tokens in sequences]
        if not texts:
            raise InvalidValue("NGram.fit: sequences must hold at least one sequence, got none.")
        V = self.vocab_size
        self._levels = []
        for length in range(1, self.order + 1):
            grams = np.concatenate([_keys(text, length, V) for text in texts])
            if not len(grams):
                break  # no sequence is that long: shorter contexts answer
            self._levels.append(_Level.count(grams, V, self.discount, self._levels))
        return self

    def log_probabilities(self, tokens: Array) -> Tensor:
        r"""Log-probability of each token given those before it, shape ``(T,)``."""
        text, V = self._tokens("log_probabilities", tokens), self.vocab_size
        depth = self._depth("log_probabilities")
        # the first tokens have a shorter context
        parts = [
            _look_up(self._levels[:length], _keys(text[:length], length, V), V)
            for length in range(1, min(depth, len(text) + 1))
        ]
        parts.append(_look_up(self._levels, _keys(text, depth, V), V))
        return torch.from_numpy(np.log(np.concatenate(parts)))

    def perplexity(self, tokens: Array) -> float:
        r"""How many equally likely tokens would be as hard to guess, :math:`\exp(-\frac1T\sum_t\log P(w_t\mid h_t))`."""
        return math.exp(-self.log_probabilities(tokens).mean().item())

    @takes_arrays
    def distribution(self, context: Array) -> Tensor:
        """Probability of every token after a context ``(T,)``, which may be empty, shape ``(V,)``."""
        V, depth = self.vocab_size, self._depth("distribution")
        past = torch.as_tensor(context)[max(0, len(context) - depth + 1) :]
        key = int(_keys(self._tokens("distribution", past), len(past), V)[0]) if len(past) else 0
        levels = self._levels[: len(past) + 1]
        return torch.from_numpy(_look_up(levels, key * V + np.arange(V), V))

    def sample(self, steps: int, *, generator: torch.Generator | None = None) -> Tensor:
        """Draw a sequence of ``steps`` tokens."""
        tokens = torch.empty(steps, dtype=torch.long)
        for t in range(steps):
            chances = self.distribution(tokens[max(0, t - self.order + 1) : t])
            tokens[t] = torch.multinomial(chances, 1, generator=generator)
        return tokens

    def _depth(self, verb: str) -> int:
        if not self._levels:
            raise InvalidValue(f"NGram.{verb}: the model must be fitted first. Call fit.")
        return len(self._levels)

    def _tokens(self, verb: str, tokens: Array) -> Ints:
        values = torch.as_tensor(tokens)
        if values.is_floating_point() or values.dtype == torch.bool:
            raise InvalidType(f"NGram.{verb}: tokens must be integers, got {values.dtype}.")
        if values.ndim != 1 or not len(values):
            raise InvalidValue(
                f"NGram.{verb}: tokens must be (T,) and not empty, got shape {tuple(values.shape)}."
            )
        low, high = int(values.min()), int(values.max())
        if low < 0 or high >= self.vocab_size:
            raise InvalidValue(
                f"NGram.{verb}: tokens must lie between 0 and {self.vocab_size - 1}, "
                f"got {low if low < 0 else high}."
            )
        return values.long().numpy()


class _Level:
    """Grams of one length as sorted numbers in base V, with their probabilities, and their contexts' back-off."""

    def __init__(self, grams: Ints, probability: Floats, contexts: Ints, back_off: Floats) -> None:
        self.grams, self.probability = grams, probability
        self.contexts, self.back_off = contexts, back_off

    @classmethod
    def count(cls, keys: Ints, V: int, discount: float, shorter: list["_Level"]) -> "_Level":
        """Count grams, given the levels of all shorter ones."""
        grams, counts = np.unique(keys, return_counts=True)
        contexts, owner = np.unique(grams // V, return_inverse=True)
        totals, kinds = np.bincount(owner, counts), np.bincount(owner)
        below = _look_up(shorter, grams % V ** len(shorter), V)
        free = discount * kinds / totals
        is_full = kinds == V  # nothing is left to back off to: all tokens share what was taken
        unseen = np.where(is_full, 1.0, 1.0 - np.bincount(owner, below))
        probability = (counts - discount) / totals[owner] + np.where(is_full, free / V, 0.0)[owner]
        return cls(grams, probability, contexts, np.where(is_full, 0.0, free / unseen))


def _keys(text: Ints, length: int, V: int) -> Ints:
    """Every stretch of ``length`` tokens as one number in base V, oldest token first."""
    count = len(text) - length + 1
    if count < 1:
        return np.empty(0, np.int64)
    keys = np.zeros(count, np.int64)
    for k in range(length):
        keys = keys * V + text[k : k + count]
    return keys


def _look_up(levels: list[_Level], keys: Ints, V: int) -> Floats:
    """Probabilities of the last tokens of grams as long as there are levels, backing off where unseen."""
    found, weight = np.zeros(len(keys)), np.ones(len(keys))
    is_open = np.ones(len(keys), bool)
    for length in range(len(levels), 0, -1):
        level, gram = levels[length - 1], keys % V**length
        place = np.minimum(np.searchsorted(level.grams, gram), len(level.grams) - 1)
        hit = is_open & (level.grams[place] == gram)
        found[hit] = weight[hit] * level.probability[place[hit]]
        is_open &= ~hit
        context = gram // V
        spot = np.minimum(np.searchsorted(level.contexts, context), len(level.contexts) - 1)
        known = is_open & (level.contexts[spot] == context)
        weight[known] *= level.back_off[spot[known]]
    return np.where(is_open, weight / V, found)
