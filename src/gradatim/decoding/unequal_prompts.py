"""Prompts of different lengths, written on side by side.

All rows move through the same positions. A row whose prompt is longer is given its own next token there, where
the others are given what they have drawn; so every row sees exactly what it would see alone.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gradatim.decoding.beam import DecodeStep


def pad_prompts(rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Rows ``(T_b,)`` as one tensor ``(B, T)``, zeros behind the shorter ones, and their lengths ``(B,)``."""
    lengths = torch.tensor([len(row) for row in rows], device=rows[0].device)
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True), lengths


def feed_unequal(
    step: DecodeStep,
    state: Any,
    prompts: Tensor,
    lengths: Tensor,
    num_tokens: int,
    draw: Callable[[Tensor], Tensor],
    ends: Tensor | None,
    padding: int,
) -> Iterator[Tensor]:
    """Tokens ``(B,)`` from the position behind the shortest prompt on: prompts to their ends, then what is drawn.

    Args:
        step: As in :func:`sample`.
        state: After all tokens of the shortest prompt but its last.
        prompts: Shape ``(B, T)``.
        lengths: Tokens of each prompt, shape ``(B,)``.
        num_tokens: Tokens to draw for each row.
        draw: As in :func:`sample`.
        ends: Tokens that end a row once it draws one of them.
        padding: Token behind the end of a row.
    """
    first, longest = int(lengths.min()), int(lengths.max())
    last, has_ended = prompts[:, first - 1], torch.zeros_like(lengths, dtype=torch.bool)
    for place in range(first, longest + num_tokens):
        logits, state = step(state, last)  # (B, V)
        is_own = place < lengths
        given = prompts[:, min(place, longest - 1)]
        has_ended = has_ended | (place >= lengths + num_tokens)
        last = torch.where(is_own, given, draw(logits).masked_fill(has_ended, padding))
        if ends is not None:
            has_ended = has_ended | (torch.isin(last, ends) & ~is_own)
        yield last
        if bool((has_ended & (place + 1 >= lengths)).all()):
            return
