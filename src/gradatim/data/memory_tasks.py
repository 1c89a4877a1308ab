"""Tasks that nothing but memory solves, with a lag that can be set."""

import torch
from torch import Tensor
from torch.nn import functional

from gradatim.errors import InvalidValue

NOISE = 2  # distracting symbols


def copy_task(
    num_samples: int, lag: int, symbols: int = 8, generator: torch.Generator | None = None
) -> tuple[Tensor, Tensor]:
    """Draw sequences that show a symbol, then distract for ``lag`` steps, then ask for it.

    Args:
        num_samples: Sequences.
        lag: Steps between the symbol and the question.
        symbols: Symbols to remember one of; guessing is right once in so many times.
        generator: Source of randomness.

    Returns:
        One-hot inputs ``(num_samples, lag + 2, symbols + 3)``, and the symbols ``(num_samples,)``.

    Example:
        >>> x, y = copy_task(5, lag=10)
        >>> x.shape, bool((x[:, 0].argmax(1) == y).all())
        (torch.Size([5, 12, 11]), True)

    Reference:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997, experiment 2, with one symbol to recall.
    """
    _check("copy_task", num_samples, lag, 0)
    y = torch.randint(symbols, (num_samples,), generator=generator)
    noise = torch.randint(symbols, symbols + NOISE, (num_samples, lag), generator=generator)
    ask = torch.full((num_samples, 1), symbols + NOISE)
    tokens = torch.cat([y[:, None], noise, ask], 1)  # (num_samples, lag + 2)
    return functional.one_hot(tokens, symbols + NOISE + 1).float(), y


def adding_task(
    num_samples: int, length: int, generator: torch.Generator | None = None
) -> tuple[Tensor, Tensor]:
    """Draw sequences of numbers in which one of each half is marked; their sum is to be found.

    The mean, 1, has a squared error of 1/6 and lies within 0.1 of the sum 19 times in 100.

    Args:
        num_samples: Sequences.
        length: Numbers in each, two or more.
        generator: Source of randomness.

    Returns:
        Numbers and marks ``(num_samples, length, 2)``, and the sums ``(num_samples, 1)``.

    Example:
        >>> x, y = adding_task(5, length=10)
        >>> bool((x[..., 1].sum(1) == 2).all()), torch.equal((x[..., 0] * x[..., 1]).sum(1, keepdim=True), y)
        (True, True)

    Reference:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997, experiment 4.
    """
    _check("adding_task", num_samples, length, 2)
    value, rows, half = (
        torch.rand(num_samples, length, generator=generator),
        torch.arange(num_samples),
        length // 2,
    )
    mark = torch.zeros(num_samples, length)
    mark[rows, torch.randint(half, (num_samples,), generator=generator)] = 1.0
    mark[rows, torch.randint(half, length, (num_samples,), generator=generator)] = 1.0
    return torch.stack([value, mark], -1), (value * mark).sum(1, keepdim=True)


def _check(owner: str, num_samples: int, steps: int, least: int) -> None:
    name = "lag" if owner == "copy_task" else "length"
    if num_samples < 1 or steps < least:
        raise InvalidValue(
            f"{owner}: num_samples must be 1 or more and {name} {least} or more, got {num_samples} and {steps}."
        )
