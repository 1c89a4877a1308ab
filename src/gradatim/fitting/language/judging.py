r"""Bits per character, the same for every contestant and every tokenizer.

.. math:: \text{bits per character} = -\frac{1}{C}\sum_t \log_2 p(x_t \mid x_{<t})

:math:`C` counts characters, not tokens, so that models of letters and of byte pairs can be compared.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from numpy.lib.stride_tricks import sliding_window_view

from gradatim.data.tokenizers import Tokenizer
from gradatim.fitting.blocks import by_blocks
from gradatim.models import GPT
from gradatim.nn.training_modes import evaluation_mode
from gradatim.timeseries import NGram

WINDOWS = 64  # of one forward pass, always filled
BLOCKS = 20  # stretches of the test part whose differences decide


def token_bits(model: GPT, tokens: np.ndarray) -> np.ndarray:
    """Bits of every token that has at least half a context before it, from number ``context // 2 + 1`` on.

    Windows overlap by half, and only their second halves count; the last tokens may be left out.

    Args:
        model: A language model.
        tokens: Token numbers ``(N,)``, more than the context.

    Example:
        >>> model = GPT(4, 8, 4, 1, 1)
        >>> token_bits(model, np.zeros(30, dtype=np.int64)).shape
        (24,)
    """
    half = max(model.context // 2, 1)
    windows = sliding_window_view(tokens.astype(np.int64), 2 * half + 1)[::half]

    def nats(part: np.ndarray) -> np.ndarray:
        batch = torch.from_numpy(part.copy())  # a view of tokens must not be written to
        logits = model(batch[:, :-1])[:, half:]  # (B, half, V)
        return F.cross_entropy(logits.mT, batch[:, half + 1 :], reduction="none").numpy()

    with evaluation_mode(model), torch.inference_mode():
        return by_blocks(nats, windows, block=WINDOWS).ravel() / math.log(2)


def best_ngram(train: np.ndarray, validation: np.ndarray, vocab_size: int) -> NGram:
    """Lengthen the n-gram for as long as that helps on the validation part."""
    texts = [torch.from_numpy(part.astype(np.int64)) for part in (train, validation)]
    longest = min(8, int(62 / math.log2(max(vocab_size, 2))))
    best, least = NGram(1, vocab_size).fit([texts[0]]), math.inf
    for order in range(2, longest + 1):
        model = NGram(order, vocab_size).fit([texts[0]])
        loss = -float(model.log_probabilities(texts[1]).mean())
        if loss >= least:
            break
        best, least = model, loss
    return best


def ngram_bits(model: NGram, tokens: np.ndarray, context: int, count: int) -> np.ndarray:
    """Bits of the tokens that :func:`token_bits` judges for a network of that context."""
    start = max(context // 2, 1) + 1
    nats = -model.log_probabilities(torch.from_numpy(tokens.astype(np.int64))).numpy()
    return nats[start : start + count] / math.log(2)


def block_characters(
    tokenizer: Tokenizer, tokens: np.ndarray, context: int, count: int
) -> np.ndarray:
    """Characters of each block of the judged tokens, shape ``(BLOCKS,)``."""
    start = max(context // 2, 1) + 1
    blocks = np.array_split(tokens[start : start + count], BLOCKS)
    return np.array([len(tokenizer.decode(block.tolist())) for block in blocks])


def block_scores(bits: np.ndarray, characters: np.ndarray) -> np.ndarray:
    """Bits per character of each block, shape ``(BLOCKS,)``."""
    return np.array([block.sum() for block in np.array_split(bits, BLOCKS)]) / characters
