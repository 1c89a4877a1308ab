"""Beam search: the most probable sequences of any model that predicts one token after another."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require

DecodeStep = Callable[[Any, Tensor], tuple[Tensor, Any]]


class Hypotheses(NamedTuple):
    """The sequences a beam ended with, the best first.

    Args:
        tokens: Shape ``(B, W, L)``; behind a sequence's end stands padding.
        lengths: Tokens of each sequence, its end token included, shape ``(B, W)``.
        log_probs: Log-probability of each sequence, shape ``(B, W)``; −inf where fewer than ``W``
            sequences exist.
    """

    tokens: Tensor
    lengths: Tensor
    log_probs: Tensor


@takes_arrays
def select_rows(state: Any, rows: Tensor) -> Any:
    """Return a decoder's state with row ``b`` taken from what row ``rows[b]`` was.

    Args:
        state: ``None``, a tensor with the batch first, tuples, lists or dictionaries of states, or an
            object with a method ``select(rows)``, which may return another object or change itself.
        rows: Row numbers, shape ``(B',)``.

    Example:
        >>> select_rows((torch.tensor([1, 2]), None), torch.tensor([1, 1, 0]))
        (tensor([2, 2, 1]), None)
    """
    if state is None:
        return None
    if isinstance(state, Tensor):
        return state.index_select(0, rows)
    if hasattr(state, "select"):
        selected = state.select(rows)
        return state if selected is None else selected
    if isinstance(state, dict):
        return {key: select_rows(part, rows) for key, part in state.items()}
    parts = [select_rows(part, rows) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)


@takes_arrays
@torch.no_grad()
def beam_search(
    step: DecodeStep,
    state: Any,
    start: Tensor,
    *,
    end: int | Sequence[int] | None = None,
    num_beams: int = 4,
    max_length: int = 64,
    length_power: float = 0.0,
    padding: int = 0,
) -> Hypotheses:
    r"""Keep the ``num_beams`` best beginnings of a sequence, and grow them token by token.

    .. math:: \hat y = \arg\max_y \frac{1}{|y|^{\alpha}} \sum_{t=1}^{|y|} \log p(y_t \mid y_{<t}, x)

    Width 1 is greedy search. A width that no beginning falls out of makes the search exact; so narrow
    beams may miss the best sequence, and wide ones cost in proportion. Beginnings that have ended stay
    in the beam and compete with those that go on.

    Args:
        step: The model: ``(state, last tokens (N,)) -> (logits or log-probabilities (N, V), state)``,
            for any number ``N`` of rows.
        state: State before the first step for the ``B`` rows of ``start``; see :func:`select_rows`.
        start: First tokens, given and not part of the result, shape ``(B,)``.
        end: Token, or tokens, that end a sequence; ``None`` where all run to ``max_length``.
        num_beams: :math:`W`, sequences kept.
        max_length: Longest sequence, its end token included; longer ones are cut.
        length_power: :math:`\alpha`: 0 takes the most probable sequence, which tends to be short, 1
            the best mean per token.
        padding: Token that fills up sequences which have ended.

    Example:
        >>> table = torch.tensor([[0.6, 0.4], [0.1, 0.9]]).log()  # p(next | last)
        >>> best = beam_search(lambda s, last: (table[last], s), None, torch.tensor([0]), num_beams=2, max_length=3)
        >>> best.tokens[0].tolist(), best.log_probs.exp()
        ([[1, 1, 1], [0, 0, 0]], tensor([[0.3240, 0.2160]]))

    Reference:
        Graves, Sequence Transduction with Recurrent Neural Networks, 2012; Wu et al., Google's Neural
        Machine Translation System, 2016, section 7 (length normalization).
    """
    rule = "beam_search: num_beams and max_length must be 1 or more"
    require(num_beams >= 1 and max_length >= 1, rule, f"{num_beams} and {max_length}")
    B, W, device = len(start), num_beams, start.device
    ends = as_ends(end, start)
    first = torch.arange(B, device=device)[:, None] * W  # (B, 1), first row of each beam
    state = select_rows(state, torch.arange(B, device=device).repeat_interleave(W))
    last = start.repeat_interleave(W)
    tokens, lengths = start.new_empty(B, W, 0), start.new_zeros(B, W)
    has_ended = torch.zeros(B, W, dtype=torch.bool, device=device)
    # one live beginning: W copies of it would fill the beam with W copies of every sequence
    none = torch.full((B, W), -torch.inf, device=device)
    log_probs = none.index_fill_(1, first.new_zeros(1), 0.0)
    for _ in range(max_length):
        logits, state = step(state, last)  # (B * W, V)
        V = logits.shape[-1]
        gains = _stop_ended(logits.log_softmax(-1).view(B, W, V), has_ended, padding)
        grown = log_probs[..., None] + gains  # (B, W, V)
        size = lengths + ~has_ended
        score = grown / size[..., None] ** length_power
        best = score.flatten(1).topk(W).indices  # (B, W)
        parent, token = best // V, best % V
        log_probs = grown.flatten(1).gather(1, best)
        lengths, has_ended = size.gather(1, parent), has_ended.gather(1, parent)
        tokens = tokens.gather(1, parent[..., None].expand(-1, -1, tokens.shape[-1]))
        tokens = torch.cat([tokens, token[..., None]], -1)
        has_ended = has_ended | torch.isin(token, ends) if ends is not None else has_ended
        if bool(has_ended.all()):
            break
        last, state = token.flatten(), select_rows(state, (first + parent).flatten())
    return Hypotheses(tokens, lengths, log_probs)


def as_ends(end: int | Sequence[int] | None, start: Tensor) -> Tensor | None:
    """The tokens that end a sequence, on the device of ``start``; ``None`` where none does."""
    ends = [] if end is None else [end] if isinstance(end, int) else [int(token) for token in end]
    return torch.tensor(ends, dtype=torch.long, device=start.device) if ends else None


def _stop_ended(gains: Tensor, has_ended: Tensor, padding: int) -> Tensor:
    """A sequence that has ended goes on with padding, at no cost, and with nothing else."""
    gains = gains.masked_fill(has_ended[..., None], -torch.inf)
    gains[..., padding] = gains[..., padding].masked_fill(has_ended, 0.0)
    return gains
