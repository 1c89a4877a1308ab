r"""Dropout in its two forms, with the probability named by what it means.

.. math::
    \text{standard:}\quad \tilde h = m\odot h \;\text{(training)},\quad \tilde h = p\,h \;\text{(test)}
    \qquad\qquad
    \text{inverted:}\quad \tilde h = m\odot h/p \;\text{(training)},\quad \tilde h = h \;\text{(test)}

with :math:`m_j\sim\operatorname{Bernoulli}(p)` and :math:`p` the probability to *keep* a unit. Both have
:math:`\mathbb E[\tilde h]` at training equal to :math:`\tilde h` at test. Inverted dropout is PyTorch's
``nn.Dropout``, whose argument is the probability to *drop*, :math:`1-p`.
"""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue


def keep_probability(owner: str, *, keep: float | None, drop: float | None) -> float:
    """Return the probability to keep, from exactly one of ``keep`` and ``drop``.

    >>> keep_probability("Dropout", keep=None, drop=0.25)
    0.75
    """
    if (keep is None) == (drop is None):
        raise InvalidValue(
            f"{owner}: exactly one of keep and drop must be given, got keep={keep}, drop={drop}. "
            "Try keep=0.5."
        )
    name, value = ("keep", keep) if drop is None else ("drop", drop)
    assert value is not None
    kept = value if name == "keep" else 1.0 - value
    if not 0.0 < kept <= 1.0:
        rule = "(0, 1]" if name == "keep" else "[0, 1)"
        raise InvalidValue(f"{owner}: {name} must be in {rule}, got {value}. Try {name}=0.5.")
    return kept


def dropout_mask(
    shape: torch.Size | tuple[int, ...], *, keep: float, generator: torch.Generator | None = None
) -> Tensor:
    """Draw a mask of zeros and ones, each one with probability ``keep``.

    Args:
        shape: Shape of the mask.
        keep: Probability of a one.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> dropout_mask((2, 2), keep=1.0)
        tensor([[1., 1.],
                [1., 1.]])
    """
    return torch.full(shape, keep).bernoulli(generator=generator)


def drop(x: Tensor, dropout: float, is_training: bool = True) -> Tensor:
    """What ``torch.nn.functional.dropout`` does, by uniform numbers, which PyTorch draws several times as fast on a processor.

    Args:
        x: Any shape.
        dropout: Probability to drop an entry, from 0 to below 1.
        is_training: Whether anything is dropped.

    Example:
        >>> drop(torch.ones(3), 0.0)
        tensor([1., 1., 1.])
    """
    if not x.is_cpu:
        return nn.functional.dropout(x, dropout, is_training)
    if not is_training or dropout == 0.0:
        return x
    noise = torch.rand_like(x, dtype=torch.promote_types(x.dtype, torch.float32))
    return x * noise.ge_(dropout).div_(1.0 - dropout).to(x.dtype)


class StandardDropout(nn.Module):
    r"""Mask units in training, scale them by :math:`p` afterwards.

    Args:
        keep: :math:`p`, the probability to keep a unit; 0.5 for hidden units and 0.8 to 0.9 for inputs
            are usual.
        drop: :math:`1-p`, instead of ``keep``.

    Example:
        >>> layer = StandardDropout(keep=0.6).eval()
        >>> layer(torch.tensor([0.5, 1.0]))
        tensor([0.3000, 0.6000])

    Reference:
        Srivastava et al., Dropout, 2014.
    """

    def __init__(self, *, keep: float | None = None, drop: float | None = None) -> None:
        super().__init__()
        self.keep = keep_probability("StandardDropout", keep=keep, drop=drop)
        self.drop = None  # ``keep`` says both

    def forward(self, h: Tensor) -> Tensor:
        if not self.training:
            return self.keep * h
        return h * torch.full_like(h, self.keep).bernoulli()

    def extra_repr(self) -> str:
        return f"keep={self.keep}"


def inverted_dropout(*, keep: float | None = None, drop: float | None = None) -> nn.Dropout:
    r"""PyTorch's ``nn.Dropout`` by the probability to keep, or to drop, a unit.

    Args:
        keep: :math:`p`.
        drop: :math:`1-p`, instead of ``keep``.

    Example:
        >>> inverted_dropout(keep=0.75)
        Dropout(p=0.25, inplace=False)
    """
    return nn.Dropout(1.0 - keep_probability("inverted_dropout", keep=keep, drop=drop))
