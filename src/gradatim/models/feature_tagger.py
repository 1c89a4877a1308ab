"""Tags of words that are known by several features: the word itself, its ending, how it is written."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.vocabulary import PAD
from gradatim.errors import InvalidValue, require
from gradatim.hidden_values import are_values_hidden
from gradatim.models.sequence_tagger import SequenceTagger
from gradatim.nn.cells.named import CellFactory


class FeatureTagger(nn.Module):
    r"""Label every word of a sentence from the embeddings of its features.

    .. math:: x_t = \bigl[E^{(1)}_{f_{t1}}; \dots; E^{(F)}_{f_{tF}}\bigr], \qquad \hat y_t = W h_t(x_1, \dots, x_T) + b

    A word that was never seen still has an ending that was; :math:`h_t` reads the sentence in both directions, as in
    :class:`~gradatim.models.SequenceTagger`. Train it with :func:`~gradatim.losses.token_cross_entropy`.

    Args:
        vocab_sizes: Values of each feature, padding (0) included.
        dims: Width of each feature's embedding.
        output_dim: Number of labels.
        hidden_dim: Width of :math:`h_t`, of one layer and direction.
        cell: As in :class:`~gradatim.nn.Recurrent`.
        num_layers: Layers in the stack.
        dropout: Probability to drop an entry of :math:`x_t`, and of every layer's output.

    Example:
        >>> tagger = FeatureTagger((100, 20), (16, 4), 5)
        >>> tagger(torch.tensor([[[5, 7], [9, 3]]])).shape
        torch.Size([1, 2, 5])
    """

    def __init__(
        self,
        vocab_sizes: Sequence[int],
        dims: Sequence[int],
        output_dim: int,
        *,
        hidden_dim: int = 64,
        cell: str | CellFactory = "lstm",
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        fits = len(vocab_sizes) == len(dims) > 0
        require(fits, "FeatureTagger: dims must have a width for each of vocab_sizes, at least one", f"{len(dims)} for {len(vocab_sizes)}")  # fmt: skip
        super().__init__()
        self.vocab_sizes, self.dims = tuple(vocab_sizes), tuple(dims)
        self.output_dim, self.hidden_dim, self.cell = output_dim, hidden_dim, cell
        self.num_layers, self.dropout = num_layers, dropout
        self.embeddings = nn.ModuleList(
            nn.Embedding(size, dim, padding_idx=PAD) for size, dim in zip(vocab_sizes, dims, strict=True)
        )  # fmt: skip
        self.drop = nn.Dropout(dropout)
        self.tagger = SequenceTagger(
            sum(dims), output_dim, hidden_dim=hidden_dim, cell=cell, num_layers=num_layers, dropout=dropout
        )  # fmt: skip

    @takes_arrays
    def forward(self, x: Tensor, lengths: object | None = None) -> Tensor:
        """Answer at each word.

        Args:
            x: Numbers of the features, shape ``(B, T, F)``, padded at the end.
            lengths: Words of each sentence, from 1 to ``T``; all ``T`` by default.

        Returns:
            Logits, shape ``(B, T, output_dim)``; at padding they mean nothing.
        """
        self._check(x)
        parts = [embed(x[..., k]) for k, embed in enumerate(self.embeddings)]
        return self.tagger(self.drop(torch.cat(parts, -1)), lengths)  # (B, T, output_dim)

    def _check(self, x: Tensor) -> None:
        if x.ndim != 3 or x.shape[-1] != len(self.dims) or x.is_floating_point():
            raise InvalidValue(
                f"FeatureTagger: x must be whole numbers of shape (B, T, {len(self.dims)}), got {x.dtype} of shape "
                f"{tuple(x.shape)}."
            )
        if are_values_hidden() or not x.numel():
            return
        high = x.flatten(0, 1).amax(0).tolist()
        bad = [k for k, (own, size) in enumerate(zip(high, self.vocab_sizes, strict=True)) if own >= size]  # fmt: skip
        if bad or int(x.min()) < 0:
            k = bad[0] if bad else 0
            raise InvalidValue(
                f"FeatureTagger: x must be numbers from 0 to {self.vocab_sizes[k] - 1} in feature {k}, got "
                f"{high[k] if bad else int(x.min())}."
            )
