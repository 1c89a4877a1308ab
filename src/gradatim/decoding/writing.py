"""Models made ready to write: what they have read, and the step that search and sampling drive."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, cast

import torch
from torch import Tensor, nn

from gradatim.data.vocabulary import END, PAD, START
from gradatim.decoding.beam import DecodeStep, Hypotheses, beam_search
from gradatim.decoding.gpt_state import GPTState
from gradatim.decoding.unequal_prompts import pad_prompts
from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import GPT, RecurrentLanguageModel
from gradatim.nn.training_modes import evaluation_mode

Given = tuple[Tensor, ...]
Prompt = Tensor | Sequence[int] | Sequence[Sequence[int]] | Sequence[Tensor] | Given


class Writer(Protocol):
    """A module that reads something, then writes tokens from ``<start>`` to ``<end>``.

    :class:`~gradatim.models.Transformer`, :class:`~gradatim.models.Seq2Seq` and
    :class:`~gradatim.models.SequenceGenerator` are writers, and so is every module with these two methods.
    """

    def start(self, *given: Any) -> Any:
        """Read what is given, and return the state before the first token."""

    def step(self, state: Any, last: Tensor, /) -> tuple[Tensor, Any]:
        """Logits ``(B, V)`` of the token after ``last``, ``(B,)``, and the state then."""


class Marks(NamedTuple):
    """Tokens with a meaning of their own: before the first, behind the last, and what fills up."""

    start: int
    end: int
    padding: int


def marks_of(model: nn.Module) -> Marks:
    """What a writer keeps as ``start_token``, ``end_token`` and ``pad``, or a Vocabulary's numbers.

    Args:
        model: Any module.

    Example:
        >>> marks_of(nn.Linear(1, 1))
        Marks(start=1, end=2, padding=0)
    """
    names = (("start_token", START), ("end_token", END), ("pad", PAD))
    return Marks(*(getattr(model, name, usual) for name, usual in names))


class Writing(NamedTuple):
    """What search and sampling are called with.

    Args:
        step: ``(state, last tokens (N,)) -> (logits (N, V), state)``.
        state: State before the first step.
        start: Tokens that the first step is given, shape ``(B,)``.
        stop: Tokens that end a sequence, if any does.
        padding: What stands behind the end.
    """

    step: DecodeStep
    state: Any
    start: Tensor
    stop: tuple[int, ...]
    padding: int


def is_language_model(model: nn.Module) -> bool:
    """Whether a model goes on with what it is given; others begin a text of their own.

    Args:
        model: Any module.

    Example:
        >>> is_language_model(GPT(10, 16, 8, 1, 2))
        True
    """
    return isinstance(model, GPT | RecurrentLanguageModel)


def begin(
    model: nn.Module,
    given: Given,
    num_tokens: int,
    *,
    stop: tuple[int, ...] = (),
    marks: Marks | None = None,
    use_cache: bool = True,
) -> Writing:
    """Let a model read, up to the first token that it should write.

    Args:
        model: A language model, or a :class:`Writer`, in evaluation mode.
        given: What :func:`read` returns.
        num_tokens: Most tokens that will be written.
        stop: Tokens that end a text, beside the end mark of a writer.
        marks: Instead of the model's own.
        use_cache: Whether a GPT keeps keys and values.

    Example:
        >>> writing = begin(GPT(10, 16, 8, 1, 2), (torch.tensor([[1, 2, 3]]),), 5)
        >>> writing.start, writing.step(writing.state, writing.start)[0].shape
        (tensor([3]), torch.Size([1, 10]))
    """
    first = given[0]
    start, end, padding = marks or marks_of(model)
    if isinstance(model, GPT):
        state = GPTState(model, first[:, :-1], num_tokens, use_cache=use_cache)
        return Writing(_step_gpt, state, first[:, -1], stop, padding)
    if isinstance(model, RecurrentLanguageModel):
        return Writing(model.step, model.start(first[:, :-1]), first[:, -1], stop, padding)
    writer = cast(Writer, model)
    starts = first.new_full((len(first),), start, dtype=torch.long)
    return Writing(writer.step, writer.start(*given), starts, (end, *stop), padding)


def _step_gpt(state: GPTState, last: Tensor) -> tuple[Tensor, GPTState]:
    return state.step(last), state


@torch.inference_mode()
def search(
    model: nn.Module,
    given: Given,
    max_length: int,
    *,
    num_beams: int,
    length_power: float = 0.0,
    stop: tuple[int, ...] = (),
    marks: Marks | None = None,
    use_cache: bool = True,
) -> Hypotheses:
    """Search for the most probable texts of a model, in evaluation mode.

    Args:
        model: As in :func:`begin`.
        given: As in :func:`begin`.
        max_length: Most tokens.
        num_beams: As in :func:`beam_search`.
        length_power: As in :func:`beam_search`.
        stop: As in :func:`begin`.
        marks: As in :func:`begin`.
        use_cache: As in :func:`begin`.

    Example:
        >>> search(GPT(10, 16, 8, 1, 2), (torch.tensor([[1, 2]]),), 5, num_beams=3).tokens.shape
        torch.Size([1, 3, 5])
    """
    with evaluation_mode(model):
        step, state, start, ends, padding = begin(
            model, given, max_length, stop=stop, marks=marks, use_cache=use_cache
        )
        return beam_search(
            step, state, start, end=ends, num_beams=num_beams, max_length=max_length,
            length_power=length_power, padding=padding,
        )  # fmt: skip


def read(owner: str, model: nn.Module, prompt: Prompt) -> tuple[Given, bool]:
    """Return what a model is given as a batch on its device, and whether it was one.

    Args:
        owner: Who asks, for the message.
        model: As in :func:`begin`.
        prompt: As in :func:`generate`.

    Example:
        >>> read("generate", GPT(10, 16, 8, 1, 2), [1, 2])
        ((tensor([[1, 2]]),), False)
    """
    device = next((parameter.device for parameter in model.parameters()), None)
    if isinstance(model, GPT | RecurrentLanguageModel):
        if isinstance(prompt, list | tuple) and prompt and not _is_number(prompt[0]):
            return _read_rows(owner, model, [torch.as_tensor(row, device=device) for row in prompt])
        tokens = torch.as_tensor(prompt, device=device)
        _check_prompt(owner, model, tokens)
        return (tokens.long().view(-1, tokens.shape[-1]),), tokens.ndim > 1
    several = isinstance(prompt, tuple) and any(isinstance(part, Tensor) for part in prompt)
    parts = prompt if several else (prompt,)
    given = tuple(torch.as_tensor(part, device=device) for part in parts)
    is_batch = given[0].ndim > 1
    if not (hasattr(model, "start") and hasattr(model, "step")):
        raise InvalidType(
            f"{owner}: model must be a language model or have methods start and step, "
            f"got {type(model).__name__}. Try GPT or Transformer."
        )
    return given if is_batch else tuple(part.unsqueeze(0) for part in given), is_batch


def _is_number(entry: object) -> bool:
    return isinstance(entry, int | float) or getattr(entry, "ndim", 1) == 0


def _read_rows(
    owner: str, model: GPT | RecurrentLanguageModel, rows: Sequence[Tensor]
) -> tuple[Given, bool]:
    """Prompts one by one: as one tensor if they are equally long, with their lengths otherwise."""
    for row in rows:
        _check_prompt(owner, model, row)
    tokens, lengths = pad_prompts([row.long().flatten() for row in rows])
    return (tokens,) if bool((lengths == lengths[0]).all()) else (tokens, lengths), True


def _check_prompt(owner: str, model: GPT | RecurrentLanguageModel, prompt: Tensor) -> None:
    if prompt.numel() == 0:
        raise InvalidValue(
            f"{owner}: prompt must hold at least one token, got none. Start with a line break."
        )
    if prompt.is_floating_point() or prompt.ndim not in (1, 2):
        raise InvalidType(
            f"{owner}: prompt must be whole numbers of shape (T,) or (B, T), "
            f"got {prompt.dtype} of shape {tuple(prompt.shape)}. Encode the text with a tokenizer."
        )
    context = model.context if isinstance(model, GPT) else prompt.shape[-1]
    if prompt.shape[-1] > context:
        raise InvalidValue(
            f"{owner}: prompt must be at most the context of {context}, got {prompt.shape[-1]}. "
            f"Keep the last {context}."
        )
    low, high = (int(value) for value in prompt.aminmax())
    size = model.embedding.num_embeddings
    if low < 0 or high >= size:
        raise InvalidValue(
            f"{owner}: prompt must be from 0 to {size - 1}, got {low if low < 0 else high}. "
            "Use the tokenizer that the model was trained with."
        )
