"""Hide tokens of a text, so that a network learns language by guessing them."""

from collections.abc import Collection
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue

KEPT = -100  # a target that no loss counts


class MaskedTokens(NamedTuple):
    """What a network reads, and what it must guess.

    Args:
        inputs: Tokens, some of them hidden or replaced, shape ``(B, T)``.
        targets: The tokens that were chosen, ``-100`` elsewhere, shape ``(B, T)``.
    """

    inputs: Tensor
    targets: Tensor


@takes_arrays
def mask_tokens(
    tokens: Tensor,
    *,
    vocab_size: int,
    mask: int,
    specials: Collection[int] = (),
    share: float = 0.15,
    hidden: float = 0.8,
    replaced: float = 0.1,
    generator: torch.Generator | None = None,
) -> MaskedTokens:
    """Choose tokens to be guessed: of ten, eight are hidden, one is replaced by a random token, one stays.

    A network that met nothing but ``[MASK]`` where it is asked would not trust the words it sees later, when nothing is
    hidden; so it cannot know which words are true, and needs a vector of every one in its context.

    Args:
        tokens: Shape ``(B, T)``.
        vocab_size: Number of tokens; a random one is any of them.
        mask: Number of ``[MASK]``.
        specials: Tokens that are never chosen, such as ``[CLS]``, ``[SEP]`` and padding.
        share: Probability to choose a token.
        hidden: Share of the chosen tokens that are hidden behind ``mask``.
        replaced: Share of the chosen tokens in whose place stands another; the rest stay as they are.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> tokens = torch.tensor([[2, 7, 8, 9, 3]])
        >>> hidden = mask_tokens(tokens, vocab_size=10, mask=4, specials=(2, 3), share=1.0)
        >>> hidden.targets
        tensor([[-100,    7,    8,    9, -100]])

    Reference:
        Devlin et al., BERT, 2019, section 3.1.
    """
    if not 0.0 < share <= 1.0:
        raise InvalidValue(f"mask_tokens: share must be in (0, 1], got {share}. Try 0.15.")
    if min(hidden, replaced) < 0 or hidden + replaced > 1 + 1e-9:
        raise InvalidValue(
            "mask_tokens: hidden and replaced must be shares whose sum is at most 1, "
            f"got {hidden} and {replaced}. Try 0.8 and 0.1."
        )
    if not 0 <= mask < vocab_size:
        raise InvalidValue(f"mask_tokens: mask must be from 0 to {vocab_size - 1}, got {mask}.")
    draw = torch.rand(2, *tokens.shape, generator=generator, device=tokens.device)
    ordinary = ~torch.isin(tokens, torch.tensor(sorted(specials), device=tokens.device))
    chosen = (draw[0] < share) & ordinary
    others = torch.randint(vocab_size, tokens.shape, generator=generator, device=tokens.device)
    inputs = torch.where(chosen & (draw[1] < hidden + replaced), others, tokens)
    inputs = inputs.masked_fill(chosen & (draw[1] < hidden), mask)
    return MaskedTokens(inputs, tokens.masked_fill(~chosen, KEPT))
