"""Models made ready to write: what they have read, and the step that search and sampling drive."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, cast

import torch
from torch import Tensor, nn

from gradatim.data.vocabulary import END, PAD, START
from gradatim.decoding.beam import DecodeStep, Hypotheses, beam_search
from gradatim.decoding.gpt_state import GPTState
from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import GPT, RecurrentLanguageModel
from gradatim.nn.training_modes import evaluation_mode

Given = tuple[Tensor, ...]
Prompt = Tensor | Sequence[int] | Given


class Writer(Protocol):
    """A module that reads something, then writes tokens from ``<start>`` to ``<end>``.

    :class:`~gradatim.models.Transformer`, :class:`~gradatim.models.Seq2Seq` and
    :class:`~gradatim.models.SequenceGenerator` are writers, and so is every module with these two methods.
    """

    def start(self, *given: Any) -> Any:
        """Read what is given, and return the state before the first token."""

    def step(self, state: Any, last: Tensor, /) -> tuple[Tensor, Any]:
        """Logits ``(B, V)`` of the token after ``last``, ``(B,)``, and the state then."""


class Writing(NamedTuple):
    """What search and sampling are called with.

    Args:
        step: ``(state, last tokens (N,)) -> (logits (N, V), state)``.
        state: State before the first step.
        start: Tokens that the first step is given, shape ``(B,)``.
        end: Token that ends a sequence, if any does.
    """

    step: DecodeStep
    state: Any
    start: Tensor
    end: int | None


def is_language_model(model: nn.Module) -> bool:
    """Whether a model goes on with what it is given; others begin a text of their own.

    Args:
        model: Any module.

    Example:
        >>> is_language_model(GPT(10, 16, 8, 1, 2))
        True
    """
    return isinstance(model, GPT | RecurrentLanguageModel)


def begin(model: nn.Module, given: Given, num_tokens: int, *, use_cache: bool = True) -> Writing:
    """Let a model read, up to the first token that it should write.

    Args:
        model: A language model, or a :class:`Writer`, in evaluation mode.
        given: What :func:`read` returns.
        num_tokens: Most tokens that will be written.
        use_cache: Whether a GPT keeps keys and values.

    Example:
        >>> writing = begin(GPT(10, 16, 8, 1, 2), (torch.tensor([[1, 2, 3]]),), 5)
        >>> writing.start, writing.step(writing.state, writing.start)[0].shape
        (tensor([3]), torch.Size([1, 10]))
    """
    first = given[0]
    if isinstance(model, GPT):
        state = GPTState(model, first[:, :-1], num_tokens, use_cache=use_cache)
        return Writing(_step_gpt, state, first[:, -1], None)
    if isinstance(model, RecurrentLanguageModel):
        return Writing(model.step, model.start(first[:, :-1]), first[:, -1], None)
    writer = cast(Writer, model)
    start = first.new_full((len(first),), START, dtype=torch.long)
    return Writing(writer.step, writer.start(*given), start, END)


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
    use_cache: bool = True,
) -> Hypotheses:
    """Search for the most probable texts of a model, in evaluation mode.

    Args:
        model: As in :func:`begin`.
        given: As in :func:`begin`.
        max_length: Most tokens.
        num_beams: As in :func:`beam_search`.
        length_power: As in :func:`beam_search`.
        use_cache: As in :func:`begin`.

    Example:
        >>> search(GPT(10, 16, 8, 1, 2), (torch.tensor([[1, 2]]),), 5, num_beams=3).tokens.shape
        torch.Size([1, 3, 5])
    """
    with evaluation_mode(model):
        step, state, start, end = begin(model, given, max_length, use_cache=use_cache)
        return beam_search(
            step, state, start, end=end, num_beams=num_beams, max_length=max_length,
            length_power=length_power, padding=PAD,
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
    several = isinstance(prompt, tuple) and any(isinstance(part, Tensor) for part in prompt)
    parts = prompt if several else (prompt,)
    device = next((parameter.device for parameter in model.parameters()), None)
    given = tuple(torch.as_tensor(part, device=device) for part in parts)
    is_batch = given[0].ndim > 1
    if isinstance(model, GPT | RecurrentLanguageModel):
        _check_prompt(owner, model, given[0])
        given = (given[0].long(),)
    elif not (hasattr(model, "start") and hasattr(model, "step")):
        raise InvalidType(
            f"{owner}: model must be a language model or have methods start and step, "
            f"got {type(model).__name__}. Try GPT or Transformer."
        )
    return given if is_batch else tuple(part.unsqueeze(0) for part in given), is_batch


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
