"""Let the states of an associative memory change until they settle."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.hidden_values import is_transformed
from gradatim.threads import in_one_thread

# PyTorch splits elementwise work on more elements over threads: slower for short work
SERIAL = 32_000


class Recall(NamedTuple):
    """Where recall ended and how it got there; tensors lack the batch axis for a single probe.

    Args:
        states: Final states, shape of the probes.
        energies: Energy at the start and after each sweep, shape ``(sweeps + 1, B)``.
        sweeps: Sweeps after which each probe had stopped changing, shape ``(B,)``.
        period: 1 where a fixed point was reached, 2 where two states alternate (synchronous updates
            only), 0 where the sweeps ran out.
    """

    states: Tensor
    energies: Tensor
    sweeps: Tensor
    period: Tensor


def settle(
    states: Tensor,
    energy: Callable[[Tensor], Tensor],
    sweep: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
    *,
    max_sweeps: int,
) -> Recall:
    """Sweep over the probes that still change until none does.

    Args:
        states: Probes of ±1, shape ``(n,)`` or ``(B, n)``.
        energy: Energy of states given as columns ``(n, B)``, shape ``(B,)``.
        sweep: From columns ``(n, A)`` and their energies to new columns and energies; must not change
            what it is given.
        max_sweeps: Sweeps at most.
    """
    with torch.inference_mode(), in_one_thread(states.numel() * states.shape[-1]):
        columns = states.reshape(-1, states.shape[-1]).T.clone()  # (n, B)
        energies = [energy(columns)]
        active = torch.arange(columns.shape[1], device=columns.device)
        sweeps, period = torch.zeros_like(active), torch.zeros_like(active)
        before = torch.zeros_like(columns)
        while len(active) and len(energies) <= max_sweeps:
            now, level = columns[:, active], energies[-1].clone()
            after, level[active] = sweep(now, level[active])
            fixed = (after == now).all(dim=0)
            cycles = (after == before).all(dim=0) & ~fixed
            columns[:, active] = after
            energies.append(level)
            sweeps[active] += (~fixed).long()
            period[active] = fixed.long() + 2 * cycles.long()
            moving = ~(fixed | cycles)
            active, before = active[moving], now[:, moving]
    lead = states.shape[:-1]
    found = (
        columns.T.reshape(states.shape),
        torch.stack(energies).reshape(-1, *lead),
        sweeps.reshape(lead),
        period.reshape(lead),
    )
    return Recall(*(tensor.clone() for tensor in found))  # clones may enter autograd again


def check_shape(owner: str, argument: str, states: Tensor, n: int) -> None:
    """Raise unless ``states`` is one state of ``n`` neurons or rows of them."""
    fits = states.ndim in (1, 2) and states.shape[-1] == n
    require(fits, f"{owner}: {argument} must have shape ({n},) or (B, {n})", tuple(states.shape))


def as_states(owner: str, argument: str, states: Tensor, n: int) -> Tensor:
    """Check states of ±1 of shape ``(n,)`` or ``(B, n)`` and return them as float."""
    check_shape(owner, argument, states, n)
    rule, remedy = f"{owner}: {argument} must be plain tensors", "Signs have no derivative."
    require(not is_transformed(), rule, "a transform of torch.func", remedy)
    rule = f"{owner}: {argument} must hold -1 and 1 only"
    require((states.abs() == 1).all(), rule, "other values", "Try 2 * bits - 1.")
    return states.to(torch.get_default_dtype())


def visits(n: int, generator: torch.Generator | None) -> Tensor:
    """The order of a sweep over ``n`` neurons: random with a generator, by index without."""
    return torch.arange(n) if generator is None else torch.randperm(n, generator=generator)


def signs(drive: Tensor) -> Tensor:
    """The sign of each element, +1 for zero."""
    # Five times faster than torch.where; adding zero turns -0.0 into 0.0, so that a tie gives +1.
    return torch.ones_like(drive).copysign_(drive + 0.0)
