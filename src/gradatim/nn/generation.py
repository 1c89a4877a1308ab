"""Generate sequences token by token, greedily or by chance."""

from typing import Any

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.nn.beam import DecodeStep


def draw_tokens(
    log_probs: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draw one token per row.

    .. math:: p_T(k) \propto p(k)^{1/T}

    Args:
        log_probs: :math:`\log p`, or logits, shape ``(N, V)``.
        temperature: :math:`T`: 1 draws from the model, less is more cautious, 0 takes the most probable.
        top_k: Draw from this many most probable tokens only.
        generator: Source of randomness.

    Returns:
        Tokens, shape ``(N,)``.

    Example:
        >>> draw_tokens(torch.tensor([[0.1, 0.7, 0.2]]).log(), temperature=0.0)
        tensor([1])
    """
    if temperature < 0:
        raise InvalidValue(
            f"draw_tokens: temperature must be 0 or more, got {temperature}. Try 1.0."
        )
    if top_k is not None and top_k < 1:
        raise InvalidValue(f"draw_tokens: top_k must be 1 or more, got {top_k}.")
    if temperature == 0 or top_k == 1:
        return log_probs.argmax(-1)
    if top_k is not None and top_k < log_probs.shape[-1]:
        log_probs, kept = log_probs.topk(top_k)  # (N, top_k)
    else:
        kept = None
    odds = torch.softmax(log_probs / temperature, -1)
    drawn = torch.multinomial(odds, 1, generator=generator)  # (N, 1)
    return (drawn if kept is None else kept.gather(1, drawn)).squeeze(1)


@torch.no_grad()
def generate(
    step: DecodeStep,
    state: Any,
    start: Tensor,
    *,
    length: int,
    end: int | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    padding: int = 0,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Feed a model its own tokens: :math:`y_t \sim p(\cdot \mid y_{<t}, x)`, one after the other.

    Args:
        step: The model: ``(state, last tokens (B,)) -> (log-probabilities or logits (B, V), state)``.
        state: State before the first step.
        start: First tokens, given and not part of the result, shape ``(B,)``.
        length: Tokens to generate at most.
        end: Token that ends a sequence; ``None`` where all have ``length`` tokens.
        temperature: As in :func:`draw_tokens`; 0 is greedy search.
        top_k: As in :func:`draw_tokens`.
        padding: Token that fills up sequences which have ended.
        generator: Source of randomness.

    Returns:
        Tokens, shape ``(B, L)`` with ``L`` up to ``length``.

    Example:
        >>> table = torch.tensor([[0.1, 0.9, 0.0], [0.2, 0.0, 0.8], [1.0, 0.0, 0.0]]).log()
        >>> generate(lambda s, last: (table[last], s), None, torch.tensor([0, 1]), length=4, temperature=0, end=2)
        tensor([[1, 2],
                [2, 0]])
    """
    if length < 1:
        raise InvalidValue(f"generate: length must be 1 or more, got {length}.")
    last, tokens = start, []
    has_ended = torch.zeros_like(start, dtype=torch.bool)
    for _ in range(length):
        log_probs, state = step(state, last)  # (B, V)
        last = draw_tokens(log_probs, temperature=temperature, top_k=top_k, generator=generator)
        if end is not None:
            last = last.masked_fill(has_ended, padding)
            has_ended |= last == end
        tokens.append(last)
        if bool(has_ended.all()):
            break
    return torch.stack(tokens, 1)  # (B, L)
