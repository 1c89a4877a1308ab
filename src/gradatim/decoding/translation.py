"""Sequences from sequences: the most probable targets of a source."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.decoding.beam import Hypotheses
from gradatim.decoding.writing import Marks, is_language_model, marks_of, read, search
from gradatim.errors import InvalidType, InvalidValue

LENGTH = 64  # of targets, where the model sets no limit


@takes_arrays
def translate(
    model: nn.Module,
    source: Tensor,
    lengths: Tensor | None = None,
    *,
    num_beams: int = 1,
    max_length: int | None = None,
    length_power: float = 0.0,
    start_token: int | None = None,
    end_token: int | None = None,
    pad: int | None = None,
) -> Hypotheses:
    """Write the most probable target of each source; one beam is greedy.

    Targets begin with ``<start>``, which is not written, and end with ``<end>``; behind it stands padding.
    :func:`generate` draws targets by chance.

    Args:
        model: A :class:`~gradatim.models.Transformer`, :class:`~gradatim.models.Seq2Seq`,
            :class:`~gradatim.models.SequenceGenerator`, or another module with their methods ``start`` and
            ``step``; used in evaluation mode, and left as it was.
        source: Tokens, padded at the end, shape ``(B, S)``; vectors ``(B, D)`` for a ``SequenceGenerator``.
        lengths: Real tokens of each source, shape ``(B,)``, for a model that asks for them, as ``Seq2Seq`` does;
            all by default.
        num_beams: Targets to keep in mind and to return, the best first.
        max_length: Most tokens, ``<end>`` included; by default the model's context, or 64 where it has none.
        length_power: As in :func:`beam_search`.
        start_token: The token ``<start>``; by default what the model keeps as ``start_token``, or 1, a
            :class:`~gradatim.data.Vocabulary`'s.
        end_token: The token ``<end>``; by default the model's ``end_token``, or 2.
        pad: The token behind the end; by default the model's ``pad``, or 0.

    Example:
        >>> import torch
        >>> from gradatim.models import Transformer
        >>> model = Transformer(11, 7, 16, dim=8, num_heads=2)
        >>> translate(model, torch.ones(3, 5, dtype=torch.long), num_beams=2).tokens.shape[:2]
        torch.Size([3, 2])
    """
    if is_language_model(model):
        raise InvalidType(
            f"translate: model must read a source, got {type(model).__name__}. Try generate."
        )
    context = getattr(model, "context", None)
    length = (context or LENGTH) if max_length is None else max_length
    if context is not None and not 1 <= length <= context:
        raise InvalidValue(
            f"translate: max_length must be from 1 to the context of {context}, got {max_length}."
        )
    given, _ = read("translate", model, (source,) if lengths is None else (source, lengths))
    asked = (start_token, end_token, pad)
    marks = Marks(
        *(own if ask is None else ask for ask, own in zip(asked, marks_of(model), strict=True))
    )
    found = search(
        model, given, length, num_beams=num_beams, length_power=length_power, marks=marks
    )
    return Hypotheses(*(each.clone() for each in found))  # ordinary tensors, which autograd accepts
