"""Text from a model, token by token."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.decoding.beam import as_ends
from gradatim.decoding.sampling import (
    check_count,
    check_drawing,
    draw_checked,
    feed,
)
from gradatim.decoding.unequal_prompts import feed_unequal
from gradatim.decoding.writing import (
    Given,
    Prompt,
    begin,
    is_language_model,
    read,
    search,
)
from gradatim.errors import InvalidValue, require
from gradatim.nn.training_modes import evaluation_mode

MOST_BEAMS = 1000  # each keeps the model's whole state


@takes_arrays
def generate(
    model: nn.Module,
    prompt: Prompt,
    num_tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    num_beams: int = 1,
    stop: int | Sequence[int] | None = None,
    use_cache: bool = True,
    seed: int = 0,
) -> Tensor:
    r"""Let a model write: go on with a prompt, or spell out what it has read.

    .. math:: y_t \sim p(\cdot \mid y_{<t}, x)

    A language model (:class:`~gradatim.models.GPT`, :class:`~gradatim.models.RecurrentLanguageModel`) adds
    ``num_tokens`` tokens to a prompt :math:`y_{\le T}`, or fewer where it draws a ``stop``. A model that reads something else,
    :math:`x`, begins with nothing and stops at ``<end>``: vectors for a
    :class:`~gradatim.models.SequenceGenerator`, sources for a :class:`~gradatim.models.Transformer` or
    :class:`~gradatim.models.Seq2Seq`. See also :func:`translate`, which returns several candidates.

    Args:
        model: A language model, or a module with the methods ``start`` and ``step`` of the others.
        prompt: Tokens, ``(T,)`` or a batch ``(B, T)``, at most a GPT's context, or a list of prompts of any
            lengths; or what ``start`` of the model takes, a tuple where that is more than one tensor, such
            as a source and its lengths.
        num_tokens: Tokens to add. Past its context, a GPT sees the last ones only.
        temperature: Divides the logits: below 1 safer, above 1 wilder; 0 takes the likeliest token.
        top_k: Draw from the ``top_k`` likeliest tokens only.
        top_p: Draw from the smallest set of likeliest tokens with at least this probability, of what
            ``temperature`` and then ``top_k`` have left, as Hugging Face does.
        num_beams: More than 1 searches, among so many candidates, for the likeliest continuation
            instead of drawing one.
        stop: Token, or tokens, after which a text ends, such as that of a line break; it is part of the
            text. Behind the end stands padding, 0, or the ``pad`` of a model that has one.
        use_cache: Whether a GPT keeps keys and values; off computes the whole prefix again for every token,
            which gives the same tokens many times slower.
        seed: Fixes the draws.

    Returns:
        The whole text: prompt and continuation, ``(T + num_tokens,)`` or ``(B, T + num_tokens)``, or less if
        all have ended; prompts of different lengths each with its own continuation, then padding. Without
        a prompt the continuation alone, up to ``num_tokens`` with ``<end>``, then padding.

    Example:
        >>> from gradatim.models import GPT, SequenceGenerator
        >>> generate(GPT(10, 16, 8, 1, 2), [1, 2, 3], 5, temperature=0.8, top_k=5).shape
        torch.Size([8])
        >>> generate(GPT(10, 16, 8, 1, 2), [[1, 2, 3], [4]], 5).shape  # eight tokens, and six
        torch.Size([2, 8])
        >>> len(generate(SequenceGenerator(10, 30), torch.randn(4, 10), 6, num_beams=2))
        4
    """
    given, is_batch, draw = _prepare(
        "generate", model, prompt, num_tokens, temperature, top_k, top_p, seed
    )
    _check_beams(num_beams, temperature, top_k, top_p)
    stops = _stops("generate", stop)
    text = given[0] if is_language_model(model) else given[0].new_empty(len(given[0]), 0).long()
    if _is_unequal(model, given):
        require(
            num_beams == 1,
            "generate: num_beams must be 1 with prompts of different lengths",
            num_beams,
            "Search for one after the other.",
        )
        text = text[:, : int(given[1].min())]
    if num_beams > 1 and num_tokens:
        found = search(
            model, given, num_tokens, num_beams=num_beams, stop=stops, use_cache=use_cache
        )
        new = found.tokens[:, 0, : int(found.lengths[:, 0].max())]
    else:
        with torch.inference_mode():
            steps = list(_write(model, given, num_tokens, draw, stops, use_cache))
        new = torch.stack([text.new_empty(len(text)), *steps], 1)[:, 1:]
    text = torch.cat((text, new), dim=1)
    return text if is_batch else text[0]


def stream(
    model: nn.Module,
    prompt: Prompt,
    num_tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop: int | Sequence[int] | None = None,
    use_cache: bool = True,
    seed: int = 0,
) -> Iterator[Tensor]:
    """Let a model write, and hand over every token as soon as it is drawn.

    Args:
        model: As in :func:`generate`.
        prompt: As in :func:`generate`, all of one length.
        num_tokens: Tokens to add.
        temperature: As in :func:`generate`.
        top_k: As in :func:`generate`.
        top_p: As in :func:`generate`.
        stop: As in :func:`generate`.
        use_cache: As in :func:`generate`.
        seed: Fixes the draws.

    Yields:
        Tokens of shape ``(B,)``, ``num_tokens`` times, or until all sequences have ended.

    Example:
        >>> from gradatim.models import GPT
        >>> [len(token) for token in stream(GPT(10, 16, 8, 1, 2), [1, 2, 3], 4)]
        [1, 1, 1, 1]
    """
    given, _, draw = _prepare("stream", model, prompt, num_tokens, temperature, top_k, top_p, seed)
    require(
        not _is_unequal(model, given),
        "stream: prompts must be equally long",
        "different lengths",
        "Try generate.",
    )
    write = torch.inference_mode()(_write)  # which PyTorch leaves while a generator waits
    drawn = write(model, given, num_tokens, draw, _stops("stream", stop), use_cache)
    return (token.clone() for token in drawn)  # ordinary tensors, which autograd accepts


def _write(
    model: nn.Module,
    given: Given,
    num_tokens: int,
    draw: Callable[[Tensor], Tensor],
    stops: tuple[int, ...],
    use_cache: bool,
) -> Iterator[Tensor]:
    with evaluation_mode(model):
        if _is_unequal(model, given):
            prompts, lengths = given
            shared, rest = int(lengths.min()), int(lengths.max() - lengths.min())
            step, state, start, ends, padding = begin(
                model, (prompts[:, :shared],), num_tokens + rest, stop=stops, use_cache=use_cache
            )
            yield from feed_unequal(
                step, state, prompts, lengths, num_tokens, draw, as_ends(ends, start), padding
            )
            return
        step, state, start, ends, padding = begin(
            model, given, num_tokens, stop=stops, use_cache=use_cache
        )
        yield from feed(step, state, start, num_tokens, draw, as_ends(ends, start), padding)


def _check_beams(
    num_beams: int, temperature: float, top_k: int | None, top_p: float | None
) -> None:
    if not 1 <= num_beams <= MOST_BEAMS or num_beams != int(num_beams):
        raise InvalidValue(
            f"generate: num_beams must be a whole number from 1 to {MOST_BEAMS:,}, got {num_beams}. Try 4."
        )
    if num_beams > 1 and (temperature, top_k, top_p) != (1.0, None, None):
        raise InvalidValue(
            f"generate: num_beams must be 1 with temperature, top_k or top_p, got {num_beams}. "
            "Beam search draws nothing: choose one or the other."
        )


def _is_unequal(model: nn.Module, given: Given) -> bool:
    """Whether a language model was given prompts of different lengths."""
    return is_language_model(model) and len(given) > 1


def _stops(owner: str, stop: int | Sequence[int] | None) -> tuple[int, ...]:
    tokens = () if stop is None else (stop,) if isinstance(stop, int) else tuple(stop)
    are_whole = all(token == int(token) and token >= 0 for token in tokens)
    require(are_whole, f"{owner}: stop must be a token or several, whole numbers from 0", stop)
    return tuple(int(token) for token in tokens)


def _prepare(
    owner: str,
    model: nn.Module,
    prompt: Prompt,
    num_tokens: int,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    seed: int,
) -> tuple[Given, bool, Callable[[Tensor], Tensor]]:
    """What the model is given, as a batch; whether it was one; and how to draw. All is checked."""
    given, is_batch = read(owner, model, prompt)
    check_count(owner, num_tokens)
    check_drawing(owner, temperature, top_k, top_p)
    if not is_language_model(model) and num_tokens > getattr(model, "context", num_tokens):
        raise InvalidValue(
            f"{owner}: num_tokens must be at most the context of {model.context}, got {num_tokens}."
        )
    generator = torch.Generator(given[0].device).manual_seed(seed)
    draw = partial(
        draw_checked, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator
    )
    return given, is_batch, draw
