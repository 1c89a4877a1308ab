"""The no-U-turn sampler: a path that doubles until it would turn back, for all chains side by side."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.accepting import select
from gradatim.bayes.density import LogDensity, State, evaluate, init
from gradatim.bayes.hamiltonian import DIVERGENCE, check_step
from gradatim.bayes.mass import check_mass, draw_momentum, drift_, kinetic_energy, velocity
from gradatim.errors import require_whole

__all__ = ["Info", "State", "init", "step"]


class Info(NamedTuple):
    """What happened to each chain, shape ``(C,)`` each.

    Args:
        acceptance: Mean over the path of the probability to accept, as HMC would.
        is_divergent: Whether the path left the density: the energy grew by more than 1000.
        energy: :math:`H` at the start of the path.
        depth: How often the path was doubled.
        steps: Leapfrog steps taken.
    """

    acceptance: Tensor
    is_divergent: Tensor
    energy: Tensor
    depth: Tensor
    steps: Tensor


class _End(NamedTuple):
    """An end of a path; the momentum points outwards."""

    position: Tensor
    momentum: Tensor
    gradient: Tensor


class _Path(NamedTuple):
    """The paths that still grow, a row each."""

    rows: Tensor  # the chains they belong to
    energy: Tensor  # at the start
    ends: _End  # the one behind, stacked on the one ahead, (R, 2, d)
    total: Tensor  # sum of all momenta, pointing ahead, (R, d)
    log_weight: Tensor  # log of the sum of e^{-H}, relative to the start

    def keep(self, rows: Tensor) -> "_Path":
        """Only some of them."""
        ends = _End(*_take(self.ends, rows))
        return _Path(
            self.rows[rows], self.energy[rows], ends, self.total[rows], self.log_weight[rows]
        )


@takes_arrays
@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    step_size: float,
    max_depth: int = 10,
    inverse_mass: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Double a path forwards or backwards in time until it turns, and draw one of its points.

    A point is drawn with weight :math:`e^{-H}`, half by half, so that the newer half is taken with probability
    :math:`\min(1, w_{new}/w_{old})`. A path with ends :math:`v_-, v_+` and sum of momenta :math:`\rho` turns where

    .. math::
        v_\pm^\top M^{-1}\bigl(\rho-\tfrac12(v_-+v_+)\bigr) \le 0

    which is asked of the whole path and of every half of a half of it. There is no recursion: all chains grow by the same
    number of leapfrog steps at a time, and those that are done cost nothing more.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)`` for any number of rows.
        state: Of ``init`` or the step before.
        step_size: :math:`\epsilon` of the leapfrog.
        max_depth: The path has at most 2 to this power points.
        inverse_mass: :math:`M^{-1}`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
        generator: Source of momenta, directions and choices.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(5):
        ...     state, info = step(density, state, step_size=0.5, generator=g)
        >>> 0.9 < state.position.var().item() < 1.1, int(info.steps.max()) < 16
        (True, True)

    Reference:
        Hoffman and Gelman, The No-U-Turn Sampler, 2014; Betancourt, A Conceptual Introduction to Hamiltonian Monte
        Carlo, 2017, A.4.2 (the sum of momenta, drawing by weight); Phan et al., NumPyro, 2019 (the loop).
    """
    check_step("nuts", step_size)
    require_whole("nuts", max_depth=max_depth)
    check_mass("nuts", inverse_mass, state.position)
    momentum = draw_momentum(inverse_mass, state.position, generator)
    energy = kinetic_energy(inverse_mass, momentum) - state.log_density
    walk = _Walk(log_density, step_size, inverse_mass, generator, state, energy)
    path = walk.start(momentum)
    for depth in range(max_depth):
        path = walk.double(path, depth)
        if not len(path.rows):
            break
    return walk.chosen, walk.info()


class _Walk:
    """One step of all chains: what they do not share with their paths, and what has been chosen so far."""

    def __init__(
        self,
        log_density: LogDensity,
        step_size: float,
        inverse_mass: Tensor | None,
        generator: torch.Generator | None,
        state: State,
        energy: Tensor,
    ) -> None:
        self.log_density, self.step_size = log_density, step_size
        self.inverse_mass, self.generator = inverse_mass, generator
        self.chosen = State(*(part.clone() for part in state))
        self.energy = energy
        self.acceptance, self.steps = torch.zeros_like(energy), torch.zeros_like(energy)
        self.depth = torch.zeros_like(energy)
        self.is_divergent = torch.zeros_like(energy, dtype=torch.bool)

    def count(self, rows: Tensor, accepted: Tensor, leaves: int) -> None:
        """Add what chains have spent and what HMC would have accepted of it."""
        self.acceptance[rows] += accepted
        self.steps[rows] += leaves

    def info(self) -> Info:
        mean = self.acceptance / self.steps
        return Info(mean, self.is_divergent, self.energy, self.depth.long(), self.steps.long())

    def start(self, momentum: Tensor) -> _Path:
        """Paths of one point, whose two ends look away from each other."""
        position, _, gradient = self.chosen
        rows = _count(position)
        ends = _End(
            torch.stack([position, position], 1),  # (C, 2, d)
            torch.stack([-momentum, momentum], 1),
            torch.stack([gradient, gradient], 1),
        )
        return _Path(rows, self.energy, ends, momentum, torch.zeros_like(self.energy))

    def double(self, path: _Path, depth: int) -> _Path:
        """Grow each path by as many points as it has, at an end drawn by lot; keep those that may grow further."""
        side = self._uniform(path.energy).round().long()  # 0 behind, 1 ahead
        end = _End(*(part[_count(side), side] for part in path.ends))
        self.depth[path.rows] = depth + 1
        twig = _Twig(end, path.rows, path.energy)
        twig.grow(self, depth)
        path, side = path.keep(twig.index), side[twig.index]
        is_taken = self._uniform(path.energy).log() < twig.log_weight - path.log_weight
        for whole, part in zip(self.chosen, twig.proposal, strict=True):
            whole[path.rows[is_taken]] = part[is_taken]
        path = self._join(path, twig, side)
        behind, ahead = path.ends.momentum.unbind(1)
        is_turning = self.is_turning(-behind, ahead, path.total)
        return path.keep((~is_turning).nonzero()[:, 0]) if is_turning.any() else path

    @staticmethod
    def _join(path: _Path, twig: "_Twig", side: Tensor) -> _Path:
        for old, new in zip(path.ends, twig.end, strict=True):
            old[_count(side), side] = new
        total = path.total + twig.total * (2 * side - 1)[:, None]  # a twig behind looks backwards
        log_weight = torch.logaddexp(path.log_weight, twig.log_weight)
        return path._replace(total=total, log_weight=log_weight)

    def is_turning(self, first: Tensor, last: Tensor, total: Tensor) -> Tensor:
        """Whether paths with these end momenta and sums of momenta turn back."""
        chord = velocity(self.inverse_mass, total - 0.5 * (first + last))
        return ((first * chord).sum(1) <= 0) | ((last * chord).sum(1) <= 0)

    def _uniform(self, like: Tensor) -> Tensor:
        return torch.rand(
            like.shape, dtype=like.dtype, device=like.device, generator=self.generator
        )


class _Twig:
    """The new half of the paths, leaf by leaf; those that turn or diverge fall off and are not joined."""

    def __init__(self, end: _End, rows: Tensor, energy: Tensor) -> None:
        self.end = _End(*(part.clone() for part in end))
        self.rows, self.energy = rows, energy
        self.index = _count(rows)  # which of the paths it grows on
        self.total, self.accepted = torch.zeros_like(end.momentum), torch.zeros_like(energy)
        self.log_weight = torch.full_like(energy, -torch.inf)
        self.proposal = State(self.end.position, energy, self.end.gradient)
        self.marks: list[tuple[Tensor, Tensor]] = []  # momentum and sum where halves begin

    def grow(self, walk: _Walk, depth: int) -> None:
        """Add :math:`2^{depth}` leaves."""
        for leaf in range(2**depth):
            is_divergent = self._add_leaf(walk)
            is_fallen = is_divergent | self._check_turns(walk, leaf)
            if is_fallen.any():
                walk.is_divergent[self.rows[is_divergent]] = True
                walk.count(self.rows[is_fallen], self.accepted[is_fallen], leaf + 1)
                self._keep((~is_fallen).nonzero()[:, 0])
                if not len(self.rows):
                    return
        walk.count(self.rows, self.accepted, 2**depth)

    def _add_leaf(self, walk: _Walk) -> Tensor:
        """Take a leapfrog step and perhaps propose its end; return which paths diverge."""
        position, momentum, gradient = self.end
        momentum.add_(gradient, alpha=walk.step_size / 2)
        drift_(position, momentum, walk.step_size, walk.inverse_mass)
        value, gradient = evaluate(walk.log_density, position)
        momentum.add_(gradient, alpha=walk.step_size / 2)
        self.end = _End(position, momentum, gradient)
        gain = self.energy - kinetic_energy(walk.inverse_mass, momentum) + value  # H0 − H
        gain = torch.nan_to_num(gain, nan=-torch.inf, posinf=-torch.inf, neginf=-torch.inf)
        self.accepted += gain.clamp(max=0).exp()
        self.total += momentum
        self.log_weight = torch.logaddexp(self.log_weight, gain)
        is_taken = walk._uniform(gain).log() < gain - self.log_weight
        leaf = State(position, value, gradient)
        parts = zip(leaf, self.proposal, strict=True)
        self.proposal = State(*(select(is_taken, new, old) for new, old in parts))
        return gain < -DIVERGENCE

    def _check_turns(self, walk: _Walk, leaf: int) -> Tensor:
        """Ask every half that ends with this leaf; the marks are where halves begin that are not yet over."""
        is_turning = torch.zeros_like(self.rows, dtype=torch.bool)
        momentum = self.end.momentum
        if leaf % 2 == 0:
            self.marks.append((momentum.clone(), self.total.clone()))
            return is_turning
        trailing_ones = (~leaf & (leaf + 1)).bit_length() - 1
        for first, before in self.marks[-trailing_ones:]:
            is_turning |= walk.is_turning(first, momentum, self.total - before + first)
        del self.marks[len(self.marks) - trailing_ones + 1 :]
        return is_turning

    def _keep(self, rows: Tensor) -> None:
        self.end, self.proposal = _End(*_take(self.end, rows)), State(*_take(self.proposal, rows))
        self.marks = [(first[rows], before[rows]) for first, before in self.marks]
        self.rows, self.energy, self.index = _take((self.rows, self.energy, self.index), rows)
        self.total, self.accepted, self.log_weight = _take(
            (self.total, self.accepted, self.log_weight), rows
        )


def _take(parts: tuple[Tensor, ...], rows: Tensor) -> list[Tensor]:
    return [part[rows] for part in parts]


def _count(rows: Tensor) -> Tensor:
    return torch.arange(len(rows), device=rows.device)
