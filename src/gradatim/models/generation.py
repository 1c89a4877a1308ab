"""Text from a language model, token by token."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models.gpt import GPT
from gradatim.models.single_position import SinglePosition
from gradatim.nn.beam import beam_search
from gradatim.nn.generation import draw_tokens
from gradatim.nn.nucleus import keep_top_p
from gradatim.nn.training_modes import evaluation_mode


def window_start(length: int, context: int) -> int:
    r"""First of the last tokens that a model of limited context is shown.

    A window that is full jumps ahead by half a context, :math:`s = h\lceil (n-c)/h \rceil` with
    :math:`h = \lceil c/2 \rceil`, instead of sliding by one: within a jump, positions stay where they are,
    so that cached keys and values remain valid.

    Args:
        length: Tokens so far, :math:`n`.
        context: Most tokens that the model can look at, :math:`c`.

    Example:
        >>> [window_start(n, 8) for n in (1, 8, 9, 12, 13)]
        [0, 0, 4, 4, 8]
    """
    half = -(-context // 2)
    return max(-(-(length - context) // half), 0) * half


class NextToken:
    """Logits of the token after a growing batch of sequences, with or without a cache.

    Args:
        model: A :class:`GPT`.
        batch_size: Sequences.
        use_cache: Whether to keep keys and values instead of computing the prefix again.

    Example:
        >>> model = GPT(5, 8, 4, 1, 1).eval()
        >>> tokens = torch.tensor([[1, 2, 3]])
        >>> cached, plain = NextToken(model, 1, use_cache=True), NextToken(model, 1, use_cache=False)
        >>> torch.allclose(cached(tokens), plain(tokens), atol=1e-6)
        True
    """

    def __init__(self, model: GPT, batch_size: int, *, use_cache: bool) -> None:
        self.model, self.start, self.seen = model, 0, 0
        self.caches = model.new_caches(batch_size) if use_cache else None
        self.single = SinglePosition(model) if use_cache and SinglePosition.fits(model) else None

    def __call__(self, tokens: Tensor) -> Tensor:
        """Logits ``(B, V)`` after ``tokens``, ``(B, n)``, which extend those of the last call."""
        length = tokens.shape[1]
        start = window_start(length, self.model.context)
        if start != self.start:
            self.start = self.seen = start
            for cache in self.caches or ():
                cache.clear()
        new = tokens[:, start if self.caches is None else self.seen : length]
        self.seen = length
        return self.model.read_out(self._last_hidden(new))

    def _last_hidden(self, new: Tensor) -> Tensor:
        if self.single is not None and self.caches is not None and new.shape[1] == 1:
            return self.single(new[:, 0], self.caches)
        return self.model.features(new, caches=self.caches)[:, -1]  # (B, dim)

    def select(self, rows: Tensor) -> None:
        """Let sequence ``b`` go on from what sequence ``rows[b]`` was."""
        for cache in self.caches or ():
            cache.select(rows)


def generate(
    model: GPT,
    tokens: Tensor | Sequence[int],
    num_tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    num_beams: int = 1,
    use_cache: bool = True,
    seed: int = 0,
) -> Tensor:
    r"""Continue a prompt.

    Args:
        model: A :class:`GPT`.
        tokens: The prompt: ``(T,)`` or a batch ``(B, T)``; at most the model's context.
        num_tokens: Tokens to add. Past the context, the model sees the last ones only.
        temperature: Divides the logits: below 1 safer, above 1 wilder; 0 takes the likeliest token.
        top_k: Draw from the ``top_k`` likeliest tokens only.
        top_p: Draw from the smallest set of likeliest tokens with at least this probability, after
            ``temperature`` and before ``top_k``.
        num_beams: More than 1 searches, among so many candidates, for the likeliest continuation
            instead of drawing one.
        use_cache: Whether to keep keys and values; off computes the whole prefix again for every token,
            which gives the same tokens many times slower.
        seed: Fixes the draws.

    Returns:
        Prompt and continuation, ``(T + num_tokens,)`` or ``(B, T + num_tokens)``.

    Example:
        >>> model = GPT(10, 16, 8, 1, 2)
        >>> generate(model, [1, 2, 3], 5, temperature=0.8, top_k=5).shape
        torch.Size([8])
    """
    prompt = check_prompt("generate", model, tokens)
    check_sampling("generate", num_tokens, temperature, top_k, top_p)
    if num_beams < 1 or num_beams != int(num_beams):
        raise InvalidValue(
            f"generate: num_beams must be a whole number from 1, got {num_beams}. Try 4."
        )
    if num_beams > 1:
        if (temperature, top_k, top_p) != (1.0, None, None):
            raise InvalidValue(
                f"generate: num_beams must be 1 with temperature, top_k or top_p, got {num_beams}. "
                "Beam search draws nothing: choose one or the other."
            )
        new = _search(model, prompt, num_tokens, num_beams, use_cache)
    else:
        drawn = stream(
            model, prompt, num_tokens,
            temperature=temperature, top_k=top_k, top_p=top_p, use_cache=use_cache, seed=seed,
        )  # fmt: skip
        new = torch.stack([prompt.new_zeros(len(prompt)), *drawn], dim=1)[:, 1:]
    out = torch.cat((prompt, new), dim=1)
    return out if torch.as_tensor(tokens).ndim == 2 else out[0]


class _Beams:
    """The state of beam search: what was written, and the model's memory of it."""

    def __init__(self, tokens: Tensor, next_token: NextToken) -> None:
        self.tokens, self.next_token = tokens, next_token

    def select(self, rows: Tensor) -> None:
        self.tokens = self.tokens.index_select(0, rows)
        self.next_token.select(rows)

    def step(self, last: Tensor) -> Tensor:
        self.tokens = torch.cat((self.tokens, last.unsqueeze(1)), dim=1)
        return self.next_token(self.tokens).log_softmax(-1)  # (B, V)


@torch.inference_mode()
def _search(model: GPT, prompt: Tensor, num_tokens: int, num_beams: int, use_cache: bool) -> Tensor:
    if num_tokens == 0:
        return prompt[:, :0]
    beams = _Beams(prompt[:, :-1], NextToken(model, len(prompt), use_cache=use_cache))
    with evaluation_mode(model):
        found = beam_search(
            lambda state, last: (state.step(last), state),
            beams,
            prompt[:, -1],
            beam_width=num_beams,
            max_length=num_tokens,
        )
    return found.tokens[:, 0]  # (B, num_tokens)


def stream(
    model: GPT,
    tokens: Tensor | Sequence[int],
    num_tokens: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    use_cache: bool = True,
    seed: int = 0,
) -> Iterator[Tensor]:
    """Continue a prompt and hand over every token as soon as it is drawn.

    Args:
        model: A :class:`GPT`.
        tokens: The prompt, as in :func:`generate`.
        num_tokens: Tokens to add.
        temperature: As in :func:`generate`.
        top_k: As in :func:`generate`.
        top_p: As in :func:`generate`.
        use_cache: As in :func:`generate`.
        seed: Fixes the draws.

    Yields:
        Tokens of shape ``(B,)``, ``num_tokens`` times.

    Example:
        >>> [len(token) for token in stream(GPT(10, 16, 8, 1, 2), [1, 2, 3], 4)]
        [1, 1, 1, 1]
    """
    prompt = check_prompt("stream", model, tokens)
    check_sampling("stream", num_tokens, temperature, top_k, top_p)
    generator = torch.Generator(prompt.device).manual_seed(seed)

    def draw(logits: Tensor) -> Tensor:
        if top_p is None or temperature == 0:
            return draw_tokens(logits, temperature=temperature, top_k=top_k, generator=generator)
        nucleus = keep_top_p(logits / temperature, top_p)
        return draw_tokens(nucleus, top_k=top_k, generator=generator)

    drawn = _stream(model, prompt, num_tokens, draw, use_cache)
    return (token.clone() for token in drawn)  # ordinary tensors, which autograd accepts


@torch.inference_mode()  # which PyTorch leaves while a generator waits
def _stream(
    model: GPT, prompt: Tensor, num_tokens: int, draw: Callable[[Tensor], Tensor], use_cache: bool
) -> Iterator[Tensor]:
    batch_size, length = prompt.shape
    tokens = prompt.new_empty(batch_size, length + num_tokens)
    tokens[:, :length] = prompt
    next_token = NextToken(model, batch_size, use_cache=use_cache)
    with evaluation_mode(model):
        for end in range(length, length + num_tokens):
            token = draw(next_token(tokens[:, :end]))  # (B,)
            tokens[:, end] = token
            yield token


def check_sampling(
    owner: str, num_tokens: int, temperature: float, top_k: int | None, top_p: float | None
) -> None:
    """Raise unless tokens can be drawn this way."""
    if num_tokens < 0 or num_tokens != int(num_tokens):
        raise InvalidValue(
            f"{owner}: num_tokens must be a whole number from 0, got {num_tokens}. Try 100."
        )
    if not 0 <= temperature < torch.inf:
        raise InvalidValue(
            f"{owner}: temperature must be at least 0, got {temperature}. "
            "Try 0.8, or 0 for the likeliest token."
        )
    if top_k is not None and (top_k < 1 or top_k != int(top_k)):
        raise InvalidValue(f"{owner}: top_k must be a whole number from 1, got {top_k}. Try 40.")
    if top_p is not None and not 0 < top_p <= 1:
        raise InvalidValue(f"{owner}: top_p must be in (0, 1], got {top_p}. Try 0.9.")


def check_prompt(owner: str, model: GPT, tokens: Tensor | Sequence[int]) -> Tensor:
    """Return a prompt as a batch ``(B, T)`` on the model's device, or say what is wrong with it."""
    prompt = torch.as_tensor(tokens, device=model.embedding.weight.device)
    if prompt.numel() == 0:
        raise InvalidValue(
            f"{owner}: tokens must hold at least one token, got an empty prompt. Start with a line break."
        )
    if prompt.is_floating_point() or prompt.ndim not in (1, 2):
        raise InvalidType(
            f"{owner}: tokens must be whole numbers of shape (T,) or (B, T), "
            f"got {prompt.dtype} of shape {tuple(prompt.shape)}. Encode the text with a tokenizer."
        )
    if prompt.shape[-1] > model.context:
        raise InvalidValue(
            f"{owner}: tokens must be at most the context of {model.context}, got {prompt.shape[-1]}. "
            f"Keep the last {model.context}."
        )
    low, high = (int(value) for value in prompt.aminmax())
    if low < 0 or high >= model.vocab_size:
        raise InvalidValue(
            f"{owner}: tokens must be from 0 to {model.vocab_size - 1}, got {low if low < 0 else high}. "
            "Use the tokenizer that the model was trained with."
        )
    return prompt.long().reshape(-1, prompt.shape[-1])
