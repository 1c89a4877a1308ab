"""A reward model: one number for a text, as good as a judge would find it."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.gpt import GPT


class RewardModel(nn.Module):
    r"""Read a text with a language model and score it after its last token, :math:`r = w^\top h_T + b`.

    Args:
        trunk: A trained :class:`GPT`, which goes on learning; its read-out is not used.

    Example:
        >>> import torch
        >>> RewardModel(GPT(10, 16, 8, 1, 2))(torch.zeros(3, 5, dtype=torch.long)).shape
        torch.Size([3])

    Reference:
        Stiennon et al., Learning to Summarize from Human Feedback, 2020.
    """

    def __init__(self, trunk: GPT) -> None:
        super().__init__()
        self.trunk = trunk
        self.score = nn.Linear(trunk.dim, 1)
        nn.init.zeros_(self.score.weight)
        nn.init.zeros_(self.score.bias)

    @takes_arrays
    def forward(self, tokens: Tensor) -> Tensor:
        """Rewards ``(B,)`` of texts of equal length, ``(B, T)``."""
        return self.score(self.trunk.features(tokens)[:, -1]).squeeze(-1)
