"""Draw sequences token by token, greedily or by chance."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.decoding.beam import DecodeStep, as_ends
from gradatim.decoding.nucleus import keep_top_p
from gradatim.errors import InvalidValue


@takes_arrays
def draw_tokens(
    log_probs: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draw one token per row.

    .. math:: p_T(k) \propto p(k)^{1/T}

    Args:
        log_probs: :math:`\log p`, or logits, shape ``(N, V)``.
        temperature: :math:`T`: 1 draws from the model, less is more cautious, 0 takes the most probable.
        top_k: Draw from this many most probable tokens only.
        top_p: Draw from the smallest set of most probable tokens with at least this probability, of what
            ``temperature`` and then ``top_k`` have left, as in Hugging Face's ``generate``; see
            :func:`keep_top_p`.
        generator: Source of randomness.

    Returns:
        Tokens, shape ``(N,)``.

    Example:
        >>> draw_tokens(torch.tensor([[0.1, 0.7, 0.2]]).log(), temperature=0.0)
        tensor([1])
    """
    check_drawing("draw_tokens", temperature, top_k, top_p)
    return draw_checked(log_probs, temperature, top_k, top_p, generator)


def draw_checked(
    log_probs: Tensor,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    generator: torch.Generator | None,
) -> Tensor:
    """What :func:`draw_tokens` does, without looking at its arguments for every token."""
    if temperature < torch.finfo(log_probs.dtype).tiny or top_k == 1:
        return log_probs.argmax(-1)
    if temperature != 1.0:  # however small it is, the likeliest keeps 0
        log_probs = (log_probs - log_probs.amax(-1, keepdim=True)) / temperature
    kept = None
    if top_k is not None and top_k < log_probs.shape[-1]:
        log_probs, kept = log_probs.topk(top_k)  # (N, top_k)
    if top_p is not None:
        log_probs = keep_top_p(log_probs, top_p)
    drawn = torch.multinomial(log_probs.softmax(-1), 1, generator=generator)  # (N, 1)
    return (drawn if kept is None else kept.gather(1, drawn)).squeeze(1)


@torch.no_grad()
def sample(
    step: DecodeStep,
    state: Any,
    start: Tensor,
    num_tokens: int,
    *,
    draw: Callable[[Tensor], Tensor] = draw_tokens,
    end: int | Sequence[int] | None = None,
    padding: int = 0,
) -> Iterator[Tensor]:
    r"""Feed a model its own tokens: :math:`y_t \sim p(\cdot \mid y_{<t}, x)`, one after the other.

    Args:
        step: The model: ``(state, last tokens (B,)) -> (logits or log-probabilities (B, V), state)``.
        state: State before the first step.
        start: First tokens, given and not part of the result, shape ``(B,)``.
        num_tokens: Tokens to draw at most.
        draw: Tokens ``(B,)`` from what ``step`` returns, such as ``partial(draw_tokens, top_k=5)``.
        end: Token, or tokens, that end a sequence; ``None`` where all have ``num_tokens`` tokens.
        padding: Token that fills up sequences which have ended.

    Yields:
        Tokens of shape ``(B,)``, until all sequences have ended.

    Example:
        >>> table = torch.tensor([[0.1, 0.9, 0.0], [0.2, 0.0, 0.8], [1.0, 0.0, 0.0]]).log()
        >>> from functools import partial
        >>> greedy = partial(draw_tokens, temperature=0)
        >>> list(sample(lambda s, last: (table[last], s), None, torch.tensor([0, 1]), 4, draw=greedy, end=2))
        [tensor([1, 2]), tensor([2, 0])]
    """
    check_count("sample", num_tokens)
    yield from feed(step, state, start, num_tokens, draw, as_ends(end, start), padding)


def feed(
    step: DecodeStep,
    state: Any,
    start: Tensor,
    num_tokens: int,
    draw: Callable[[Tensor], Tensor],
    ends: Tensor | None,
    padding: int,
) -> Iterator[Tensor]:
    """What :func:`sample` does, in whatever mode the caller has chosen: changing it takes time for every token."""
    last, has_ended = start, torch.zeros_like(start, dtype=torch.bool)
    for _ in range(num_tokens):
        logits, state = step(state, last)  # (B, V)
        last = draw(logits)  # (B,)
        if ends is not None:
            last = last.masked_fill(has_ended, padding)
            has_ended = has_ended | torch.isin(last, ends)
        yield last
        if ends is not None and bool(has_ended.all()):
            return


def check_count(owner: str, num_tokens: int) -> None:
    """Raise unless so many tokens can be written."""
    if num_tokens < 0 or num_tokens != int(num_tokens):
        raise InvalidValue(
            f"{owner}: num_tokens must be a whole number from 0, got {num_tokens}. Try 100."
        )


def check_drawing(owner: str, temperature: float, top_k: int | None, top_p: float | None) -> None:
    """Raise unless tokens can be drawn this way."""
    if not 0 <= temperature < torch.inf:
        raise InvalidValue(
            f"{owner}: temperature must be at least 0, got {temperature}. "
            "Try 0.8, or 0 for the likeliest token."
        )
    if top_k is not None and (top_k < 1 or top_k != int(top_k)):
        raise InvalidValue(f"{owner}: top_k must be a whole number from 1, got {top_k}. Try 40.")
    if top_p is not None and not 0 < top_p <= 1:
        raise InvalidValue(f"{owner}: top_p must be in (0, 1], got {top_p}. Try 0.9.")
