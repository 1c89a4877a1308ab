"""Attention: what heads look at, and matrices with their numbers."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gradatim.data.tokenizers import Tokenizer, WordPieceTokenizer
from gradatim.errors import InvalidType, InvalidValue
from gradatim.instruments import attention_maps
from gradatim.plots.style import DIVERGING, INK, SEQUENTIAL, new_figure

_FEW = 40  # tokens that can be named beside a map


def attention_map(
    model: nn.Module, source: str | Tensor, *, tokenizer: Tokenizer | None = None
) -> Figure:
    """Show what every head looks at: layers from top to bottom, heads side by side.

    Args:
        model: A module with :class:`~gradatim.nn.MultiHeadAttention` inside, such as a GPT, a BERT or a ViT.
        source: A text, its token numbers ``(T,)``, or an image ``(C, H, W)`` for a model of patches.
        tokenizer: Turns a text into token numbers; names the tokens.

    Returns:
        For text, a map per head: a row is a query, a column a key. For an image, the share of attention
        that each patch receives: from the class token where there is one, from all patches otherwise.

    Example:
        >>> from gradatim.data import CharacterTokenizer
        >>> from gradatim.models import GPT
        >>> tokenizer = CharacterTokenizer.train("to be or not to be")
        >>> figure = attention_map(GPT(tokenizer.vocab_size, 32, 8, 2, 4), "to be", tokenizer=tokenizer)
        >>> len(figure.axes)
        8
    """
    if isinstance(source, Tensor) and source.is_floating_point():
        maps = attention_maps(model, source.unsqueeze(0))
        return image_heads(source, {name: weights[0] for name, weights in maps.items()})
    if isinstance(source, str):
        if tokenizer is None:
            raise InvalidType(
                "attention_map: tokenizer must be given with a text, got None. "
                "Pass the one that the model was trained with."
            )
        source = torch.tensor(_numbers(tokenizer, source))
    labels = None if tokenizer is None else [_name(tokenizer, int(i)) for i in source]
    maps = attention_maps(model, source.unsqueeze(0))
    return head_grid({name: weights[0] for name, weights in maps.items()}, queries=labels)


def _numbers(tokenizer: Tokenizer, text: str) -> list[int]:
    """Tokens as the model reads them: a BERT with its special ones."""
    if isinstance(tokenizer, WordPieceTokenizer):
        return tokenizer.encode_pair(text).ids
    return tokenizer.encode(text)


def _name(tokenizer: Tokenizer, number: int) -> str:
    if isinstance(tokenizer, WordPieceTokenizer):
        return tokenizer.tokens[number]
    return tokenizer.decode([number])


def head_grid(
    maps: Mapping[str, ArrayLike],
    *,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
) -> Figure:
    """Draw attention weights, a row of panels per layer, a panel per head.

    Args:
        maps: By name of the layer, weights of shape ``(num_heads, T, S)``.
        queries: Names of the ``T`` queries, from top to bottom.
        keys: Names of the ``S`` keys; those of the queries by default.

    Example:
        >>> import numpy as np
        >>> len(head_grid({"layer 1": np.eye(3)[None].repeat(2, 0)}, queries="abc").axes)
        2
    """
    arrays = {name: np.asarray(weights, dtype=float) for name, weights in maps.items()}
    heads = max(len(array) for array in arrays.values())
    T, S = next(iter(arrays.values())).shape[1:]
    side = min(max(0.16 * S, 1.5), 3.4)
    figure, axes = new_figure(
        len(arrays), heads, max(side * heads + 0.9, 3.2), (side * T / S + 0.45) * len(arrays) + 0.2
    )
    keys = queries if keys is None else keys
    for number, (row, array) in enumerate(
        zip(np.reshape(axes, (len(arrays), heads)), arrays.values(), strict=True), start=1
    ):
        for head, (panel, weights) in enumerate(zip(row, array, strict=False), start=1):
            panel.imshow(weights, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, aspect="auto")
            panel.set_title(f"layer {number}, head {head}", fontsize=9)
            _name_tokens(panel, keys, queries if panel is row[0] else None)
    return figure


def _name_tokens(panel: Axes, keys: Sequence[str] | None, queries: Sequence[str] | None) -> None:
    panel.grid(False)
    panel.set(xticks=[], yticks=[])
    for names, place in ((keys, panel.set_xticks), (queries, panel.set_yticks)):
        if names is not None and len(names) <= _FEW:
            place(range(len(names)), [visible(name) for name in names], fontsize=7.5, color=INK)
    panel.tick_params(length=0)


def visible(token: str) -> str:
    """Spell white space so that one sees it.

    >>> visible(" a\\n")
    '␣a⏎'
    """
    return token.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥")


def image_heads(image: Tensor, maps: Mapping[str, Tensor]) -> Figure:
    """Lay the attention that patches receive over an image, a panel per head.

    Args:
        image: Shape ``(C, H, W)``, values in [0, 1]; others, such as standardized ones, are brought there.
        maps: By name of the layer, weights of shape ``(num_heads, T, T)``, where ``T`` is a square number
            of patches, or one more for a class token in front.

    Example:
        >>> figure = image_heads(torch.rand(1, 8, 8), {"layer 1": torch.full((2, 5, 5), 0.2)})
        >>> len(figure.axes)
        2
    """
    heads = max(len(weights) for weights in maps.values())
    figure, axes = new_figure(len(maps), heads, max(1.7 * heads, 3.0), 2.0 * len(maps))
    height, width = image.shape[1:]
    picture = _to_unit_range(image).permute(1, 2, 0).squeeze(-1).numpy()
    for number, (row, weights) in enumerate(
        zip(np.reshape(axes, (len(maps), heads)), maps.values(), strict=True), start=1
    ):
        for head, (panel, received) in enumerate(zip(row, _received(weights), strict=False), 1):
            panel.imshow(picture, cmap="gray", vmin=0.0, vmax=1.0)
            panel.imshow(
                received, cmap="inferno", alpha=0.6, extent=(-0.5, width - 0.5, height - 0.5, -0.5)
            )
            panel.set_title(f"layer {number}, head {head}", fontsize=9)
            panel.set(xticks=[], yticks=[])
            panel.grid(False)
    return figure


def _to_unit_range(image: Tensor) -> Tensor:
    low, high = image.min(), image.max()
    return image if low >= 0 and high <= 1 else (image - low) / (high - low).clamp_min(1e-12)


def _received(weights: Tensor) -> np.ndarray:
    """Attention per patch on its grid, ``(num_heads, g, g)``."""
    tokens = weights.shape[-1]
    grid = math.isqrt(tokens)
    if grid**2 == tokens:
        return weights.mean(1).unflatten(1, (grid, grid)).numpy()
    grid = math.isqrt(tokens - 1)
    if grid**2 != tokens - 1:
        raise InvalidValue(
            "image_heads: maps must be of a square number of patches, with or without a class token, "
            f"got {tokens} tokens."
        )
    return weights[:, 0, 1:].unflatten(1, (grid, grid)).numpy()


def numbered_matrices(
    matrices: Mapping[str, ArrayLike], *, columns: int = 4, decimals: int = 2
) -> Figure:
    """Draw small matrices with their numbers, each on its own scale around zero.

    Args:
        matrices: By title, shape ``(rows, columns)``.
        columns: Matrices in a row.
        decimals: Digits behind the point.

    Example:
        >>> figure = numbered_matrices({"X": [[1, 0], [0.25, 2]]})
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1', '0', '0.25', '2']
    """
    arrays = {title: np.asarray(values, dtype=float) for title, values in matrices.items()}
    rows = -(-len(arrays) // columns)
    figure, axes = new_figure(rows, columns, 2.2 * columns, 2.1 * rows)
    panels = np.ravel(axes)
    for panel, (title, values) in zip(panels, arrays.items(), strict=False):
        limit = max(float(np.abs(values).max()), 1e-9)
        panel.imshow(values, cmap=DIVERGING, vmin=-1.6 * limit, vmax=1.6 * limit)
        for (i, j), value in np.ndenumerate(values):
            text = f"{value:.{decimals}f}".rstrip("0").rstrip(".") or "0"
            panel.text(j, i, text, ha="center", va="center", color=INK, fontsize=9.5)
        panel.set(title=title, xticks=[], yticks=[])
        panel.grid(False)
    for panel in panels[len(arrays) :]:
        panel.remove()
    return figure
