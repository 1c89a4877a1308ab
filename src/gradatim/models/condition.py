"""What a network that makes data is told beside the data: the time, and perhaps a class."""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, require
from gradatim.nn.time_embedding import time_embedding


class Condition(nn.Module):
    r"""Make a vector of a time and a class; the class after the last means none.

    .. math:: c = \operatorname{silu}\bigl(W_2 \operatorname{silu}(W_1 e(t) + b_1) + b_2 + v_k\bigr)

    Args:
        owner: The model that holds this, for messages.
        dim: Width of the vector.
        num_classes: Classes :math:`k`; ``None`` for a model that knows none.

    Example:
        >>> Condition("TimeMLP", 8, 3)(torch.rand(5), torch.tensor([0, 1, 2, 3, 3])).shape
        torch.Size([5, 8])
    """

    def __init__(self, owner: str, dim: int, num_classes: int | None) -> None:
        rule = f"{owner}: condition_dim must be even and positive"
        require(dim >= 2 and dim % 2 == 0, rule, dim, f"Try {dim + dim % 2 or 2}.")
        super().__init__()
        self.owner, self.dim, self.num_classes = owner, dim, num_classes
        self.time = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.label = None
        if num_classes is not None:
            rule = f"{owner}: num_classes must be at least 1 or None"
            require(num_classes >= 1, rule, num_classes)
            self.label = nn.Embedding(num_classes + 1, dim)

    def forward(self, time: Tensor, label: Tensor | None = None) -> Tensor:
        if time.ndim != 1:
            raise InvalidValue(
                f"{self.owner}: time must have shape (B,), got {tuple(time.shape)}. Give each row its time."
            )
        h = self.time(time_embedding(time, self.dim))  # (B, dim)
        if self.label is not None:
            if label is None:
                label = torch.full_like(time, self.label.num_embeddings - 1, dtype=torch.long)
            h = h + self.label(label.long())
        elif label is not None:
            raise InvalidValue(
                f"{self.owner}: label must be None for a model without classes, got {tuple(label.shape)} labels. "
                "Build the model with num_classes."
            )
        return nn.functional.silu(h)
