r"""The Hopfield network: an associative memory that descends an energy."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require
from gradatim.neurons.settling import SERIAL, Recall, as_states, settle, signs, visits


class Hopfield(nn.Module):
    r"""A network of :math:`d` neurons :math:`X_i = \pm 1`, each coupled to all others.

    .. math::
        H(X) = -\tfrac12 \sum_{i \ne j} w_{ij} X_i X_j + \sum_i b_i X_i,
        \qquad
        X_i \leftarrow \operatorname{sgn}\Big( \sum_j w_{ij} X_j - b_i \Big),
        \quad \operatorname{sgn}(0) = +1

    Patterns are stored by Hebb's rule :math:`w_{ij} = \frac1d \sum_t x_{t,i} x_{t,j}` with
    :math:`w_{ii} = 0`. One neuron at a time (asynchronous), the energy never rises, and recall ends in a
    fixed point; all at once (synchronous), it ends in a fixed point or alternates between two states.

    The buffer ``coupling`` holds :math:`d\,w`, whole numbers after storage, so that ties
    :math:`\sum_j w_{ij} X_j = 0` are exact.

    Args:
        n: Number of neurons :math:`d`.
        bias: Thresholds :math:`b`, shape ``(n,)``; zeros by default.

    Example:
        >>> memory = Hopfield(6)
        >>> memory.store(torch.tensor([[1.0, 1.0, 1.0, -1.0, -1.0, -1.0]]))
        >>> memory.recall(torch.tensor([-1.0, 1.0, 1.0, -1.0, -1.0, -1.0])).states
        tensor([ 1.,  1.,  1., -1., -1., -1.])

    Reference:
        Hopfield, Neural networks and physical systems with emergent collective computational
        abilities, 1982.
    """

    coupling: Tensor
    bias: Tensor

    @takes_arrays
    def __init__(self, n: int, *, bias: Tensor | None = None) -> None:
        super().__init__()
        require(n >= 2, "Hopfield: n must be at least 2 neurons", n)
        self.n = n
        self.register_buffer("coupling", torch.zeros(n, n))
        self.register_buffer("bias", torch.zeros(n) if bias is None else bias.float())
        rule = f"Hopfield: bias must have shape ({n},)"
        require(self.bias.shape == (n,), rule, tuple(self.bias.shape))

    @property
    def weight(self) -> Tensor:
        """The weights :math:`w`, shape ``(n, n)``."""
        return self.coupling / self.n

    @takes_arrays
    def store(self, patterns: Tensor) -> None:
        """Add patterns of ±1, shape ``(n,)`` or ``(B, n)``, to those stored before."""
        rows = self._rows("store", "patterns", patterns).reshape(-1, self.n)
        self.coupling += rows.T @ rows
        self.coupling.fill_diagonal_(0.0)

    @takes_arrays
    def field(self, states: Tensor) -> Tensor:
        r"""The drive :math:`\sum_j w_{ij} X_j - b_i` of every neuron, shape of ``states``."""
        rows = self._rows("field", "states", states)
        return rows @ self.coupling / self.n - self.bias

    @takes_arrays
    def energy(self, states: Tensor) -> Tensor:
        """:math:`H` of states of shape ``(n,)`` or ``(B, n)``, in float64."""
        rows = self._rows("energy", "states", states).reshape(-1, self.n)
        return self._energy(rows.T).reshape(states.shape[:-1])

    @takes_arrays
    def is_stable(self, states: Tensor) -> Tensor:
        """Whether no neuron of a state would change, shape ``()`` or ``(B,)``."""
        rows = self._rows("is_stable", "states", states)
        drive = rows @ self.coupling - self.n * self.bias
        return (signs(drive) == rows).all(dim=-1)

    @takes_arrays
    def recall(
        self,
        states: Tensor,
        *,
        mode: str = "asynchronous",
        max_sweeps: int = 100,
        generator: torch.Generator | None = None,
    ) -> Recall:
        """Update neurons until nothing changes.

        Args:
            states: Probes of ±1, shape ``(n,)`` or ``(B, n)``.
            mode: ``"asynchronous"`` (one neuron at a time, each sees the changes before it) or
                ``"synchronous"`` (all at once).
            max_sweeps: Updates of every neuron after which recall stops.
            generator: Visits the neurons in a new random order in each asynchronous sweep; without, in
                the order of their index.

        Returns:
            A :class:`Recall`.
        """
        choose("Hopfield.recall", "mode", mode, ["asynchronous", "synchronous"])
        rows = self._rows("recall", "states", states)

        def one_by_one(columns: Tensor, energy: Tensor) -> tuple[Tensor, Tensor]:
            return self._sweep(columns.clone(), energy.clone(), visits(self.n, generator))

        def all_at_once(columns: Tensor, energy: Tensor) -> tuple[Tensor, Tensor]:
            after = signs(self.coupling @ columns - self.n * self.bias[:, None])
            return after, self._energy(after)

        sweep = one_by_one if mode == "asynchronous" else all_at_once
        return settle(rows, self._energy, sweep, max_sweeps=max_sweeps)

    def forward(self, states: Tensor) -> Tensor:
        return self.recall(states).states

    def _rows(self, method: str, argument: str, states: Tensor) -> Tensor:
        return as_states(f"Hopfield.{method}", argument, states, self.n).to(self.coupling)

    def _energy(self, columns: Tensor) -> Tensor:
        pull = (columns * (self.coupling @ columns)).sum(dim=0, dtype=torch.float64)  # (B,)
        return -pull / (2 * self.n) + self.bias.double() @ columns.double()

    def _sweep(self, columns: Tensor, energy: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
        """Update each neuron once, in order, for all probes together, in place.

        The drive is computed for a block of neurons at a time; within the block each change is passed
        on to the neurons after it.
        """
        block = max(4, min(64, SERIAL // columns.shape[1]))
        for neurons in order.split(block):
            rows = self.coupling[neurons]  # (K, n)
            drive = rows @ columns - self.n * self.bias[neurons, None]  # (K, B)
            old = columns[neurons]  # (K, B)
            if torch.equal(signs(drive), old):
                continue
            inner = rows[:, neurons]  # (K, K)
            change = torch.zeros_like(old)
            for k in range(len(neurons)):
                change[k] = signs(drive[k]) - old[k]
                drive[k + 1 :].addcmul_(inner[k + 1 :, k, None], change[k])
            columns[neurons] = old + change
            energy -= (change * drive).sum(dim=0, dtype=torch.float64) / self.n
        return columns, energy
