r"""Dense associative memory: Hopfield networks with higher-order energies and far larger capacity."""

import math

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require
from gradatim.neurons.pattern_memory import PatternMemory
from gradatim.neurons.settling import SERIAL, Recall, as_states, settle, signs, visits


class DenseMemory(PatternMemory):
    r"""A memory of :math:`d` neurons :math:`X_i = \pm 1` with a steep energy around each pattern.

    .. math::
        E(X) = -\frac dk \sum_\mu \Big( \frac{\xi_\mu^\top X}{d} \Big)^k
        \qquad\text{or}\qquad
        E(X) = -\log \sum_\mu \exp( \xi_\mu^\top X )

    One neuron at a time takes the value of lower energy, +1 in a tie. Degree :math:`k = 2` is the
    Hopfield network (its energy less the constant :math:`N/2`); capacity grows as :math:`d^{k-1}`, and
    exponentially for the exponential interaction. The papers leave out the factor :math:`d/k` and the
    logarithm, which change no update.

    Args:
        n: Number of neurons :math:`d`.
        interaction: ``"polynomial"`` or ``"exponential"``.
        order: Degree :math:`k` of the polynomial, at least 2. Even degrees hold each pattern's negative too.

    Example:
        >>> memory = DenseMemory(4, order=3)
        >>> memory.store(torch.tensor([[1.0, 1, 1, 1], [1, 1, -1, -1]]))
        >>> memory.recall(torch.tensor([1.0, -1, -1, -1])).states
        tensor([ 1.,  1., -1., -1.])

    Reference:
        Krotov and Hopfield, Dense associative memory for pattern recognition, 2016;
        Demircigil et al., On a model of associative memory with huge storage capacity, 2017.
    """

    def __init__(self, n: int, *, interaction: str = "polynomial", order: int = 3) -> None:
        super().__init__(n)
        choose("DenseMemory", "interaction", interaction, ["polynomial", "exponential"])
        require(order >= 2, "DenseMemory: order must be at least 2", order)
        self.interaction = interaction
        self.order = order

    @takes_arrays
    def store(self, patterns: Tensor) -> None:
        """Add patterns of ±1, shape ``(n,)`` or ``(N, n)``, to those stored before."""
        super().store(as_states("DenseMemory.store", "patterns", patterns, self.n))

    @takes_arrays
    def energy(self, states: Tensor) -> Tensor:
        """:math:`E` of states of shape ``(n,)`` or ``(B, n)``, in float64."""
        rows = as_states("DenseMemory.energy", "states", self._probes("energy", states), self.n)
        return self._energy(rows.T.double()).reshape(states.shape[:-1])

    @takes_arrays
    def recall(
        self, states: Tensor, *, max_sweeps: int = 100, generator: torch.Generator | None = None
    ) -> Recall:
        """Update one neuron after another until nothing changes.

        Args:
            states: Probes of ±1, shape ``(n,)`` or ``(B, n)``.
            max_sweeps: Updates of every neuron after which recall stops.
            generator: Visits the neurons in a new random order in each sweep; without, by index.

        Returns:
            A :class:`Recall`.
        """
        self._probes("recall", states)
        rows = as_states("DenseMemory.recall", "states", states, self.n)
        patterns = self.patterns.double()
        width = max(1, SERIAL // len(patterns))

        def sweep(columns: Tensor, energy: Tensor) -> tuple[Tensor, Tensor]:
            order = visits(self.n, generator)
            parts = [self._sweep(part, patterns, order) for part in columns.split(width, dim=1)]
            after = torch.cat(parts, dim=1)
            return after, self._energy(after)

        run = settle(rows.double(), self._energy, sweep, max_sweeps=max_sweeps)
        return run._replace(states=run.states.to(self.patterns))

    def _sweep(self, columns: Tensor, patterns: Tensor, order: Tensor) -> Tensor:
        """Update each neuron once for some probes; their overlaps follow each change."""
        columns = columns.clone()
        overlaps = patterns @ columns  # (N, B)
        for neuron in order.tolist():
            bit = patterns[:, neuron]  # (N,)
            overlaps.addr_(bit, columns[neuron], alpha=-1)  # without this neuron
            columns[neuron] = signs(bit @ self._slope(overlaps))
            overlaps.addr_(bit, columns[neuron])
        return columns

    def _slope(self, rest: Tensor) -> Tensor:
        r"""Rise of a pattern's term as its overlap goes from ``rest - 1`` to ``rest + 1``, up to a factor.

        For a polynomial it is half of :math:`(r+1)^k - (r-1)^k = 2 \sum_{j\text{ odd}} \binom kj r^{k-j}`.
        """
        if self.interaction == "exponential":
            return (rest - rest.amax(dim=0)).exp()
        square = rest * rest
        slope = torch.full_like(rest, self.order)
        for j in range(3, self.order + 1, 2):
            slope.mul_(square).add_(math.comb(self.order, j))
        return slope * rest if self.order % 2 == 0 else slope

    def _energy(self, columns: Tensor) -> Tensor:
        overlaps = self.patterns.double() @ columns  # (N, B)
        if self.interaction == "exponential":
            return -overlaps.logsumexp(dim=0)
        return -self.n / self.order * ((overlaps / self.n) ** self.order).sum(dim=0)
