"""Sequences from sequences: greedy and beam search with a Transformer."""

import torch
from torch import Tensor

from gradatim.data.vocabulary import END, PAD, START
from gradatim.errors import InvalidValue
from gradatim.models.transformer import DecodingState, Transformer
from gradatim.nn.beam import Hypotheses, beam_search
from gradatim.nn.key_value_cache import KeysValues
from gradatim.nn.training_modes import evaluation_mode


class _Writing:
    """What a decoder keeps between tokens; the rows of a beam change places, the sources stay."""

    def __init__(self, model: Transformer, state: DecodingState) -> None:
        self.model, self.state = model, state

    def select(self, rows: Tensor) -> None:
        caches, memory, mask = self.state
        for cache in caches:
            cache.select(rows)
        if len(rows) != len(mask):
            memory = [KeysValues(each.key[rows], each.value[rows]) for each in memory]
            self.state = DecodingState(caches, memory, mask[rows])

    def step(self, last: Tensor) -> Tensor:
        return self.model.step(self.state, last).log_softmax(-1)  # (B, V)


@torch.inference_mode()
def translate(
    model: Transformer,
    source: Tensor,
    *,
    beam_width: int = 1,
    max_length: int | None = None,
    length_power: float = 0.0,
) -> Hypotheses:
    """Write the most probable target of each source; width 1 is greedy.

    Targets begin with ``<start>``, which is not written, and end with ``<end>``; padding is 0, as a
    :class:`~gradatim.data.Vocabulary` numbers them.

    Args:
        model: A :class:`Transformer`.
        source: Tokens, padded at the end, shape ``(B, S)``.
        beam_width: Targets to keep in mind and to return, the best first.
        max_length: Most tokens, ``<end>`` included; by default the model's context.
        length_power: As in :func:`~gradatim.nn.beam_search`.

    Example:
        >>> model = Transformer(11, 7, 16, dim=8, num_heads=2)
        >>> translate(model, torch.ones(3, 5, dtype=torch.long), beam_width=2).tokens.shape[:2]
        torch.Size([3, 2])
    """
    length = model.context if max_length is None else max_length
    if not 1 <= length <= model.context:
        raise InvalidValue(
            f"translate: max_length must be from 1 to the context of {model.context}, got {max_length}."
        )
    start = torch.full((len(source),), START, device=source.device)
    with evaluation_mode(model):
        return beam_search(
            lambda state, last: (state.step(last), state), _Writing(model, model.start(source)), start,
            end=END, beam_width=beam_width, max_length=length, length_power=length_power, padding=PAD,
        )  # fmt: skip
