"""What processes tell each other in every step: what the batch cost, and who asks to stop."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from gradatim.training.distributed.group import ALONE, Group
from gradatim.training.distributed.signals import Wish
from gradatim.training.objectives.objective import Figures


def _wait_for_nothing() -> None:
    """Nobody was asked."""


class Exchange:
    r"""Adds up what a batch cost, :math:`\sum_p s_p E_p`, and the wishes to stop: what is said in a step, all know at its end.

    Args:
        group: The processes.
        wish: Says why this process wants the run to end, if it does.
        device: Where losses are.

    Attributes:
        agreed: The strongest wish of all processes, of the last step.
        is_bad: Whether what this process added itself was not finite.
    """

    def __init__(
        self,
        group: Group = ALONE,
        wish: Callable[[], Wish | None] = lambda: None,
        device: torch.device | str = "cpu",
    ) -> None:
        self.group, self.wish, self.device = group, wish, device
        self.agreed: Wish | None = None
        self.is_bad = False
        self._wait: Callable[[], None] = _wait_for_nothing
        self._names: list[str] = []
        self._told = torch.zeros(0)

    size = 1 + len(Wish)  # numbers that :meth:`write` needs

    def begin(self, values: Iterable[tuple[Tensor | None, Figures, float]]) -> None:
        """Begin to add up.

        Args:
            values: Loss, other figures and share of every part of this process.
        """
        sums: dict[str, Tensor] = {}
        for loss, figures, share in values:
            named = dict(figures) if loss is None else {**figures, "loss": loss}
            for name, value in named.items():
                number = torch.as_tensor(value, dtype=torch.float64, device=self.device).detach()
                # a part that counts nothing adds nothing, whatever it would cost
                sums[name] = sums.get(name, 0.0) + (
                    number * share if share else torch.zeros_like(number)
                )
        self._names = sorted(sums)
        wishes = torch.zeros(len(Wish), dtype=torch.float64, device=self.device)
        self._wish_in(wishes)
        parts = [sums[name].reshape(1) for name in self._names]
        self._told = torch.cat([*parts, wishes])
        self.is_bad = not bool(torch.isfinite(self._told).all())
        self._wait = self.group.begin_sum(self._told)

    def end(self) -> tuple[Tensor | None, Figures]:
        """Return the loss and the other figures of the whole batch."""
        self._wait()
        *values, wishes = self._told.split([*[1] * len(self._names), len(Wish)])
        self.agreed = strongest(wishes)
        figures = dict(zip(self._names, (v.reshape(()) for v in values), strict=True))
        return figures.pop("loss", None), figures

    def write(self, place: Tensor, loss: Tensor) -> None:
        """Write loss and wish where a sum that is made anyway takes them along.

        Args:
            place: ``size`` numbers.
            loss: What this process adds.
        """
        place.zero_()
        place[0] = loss
        self._wish_in(place[1:])

    def read(self, place: Tensor) -> Tensor:
        """Return the loss of the whole batch, once the sum is made."""
        if not self.group.is_alone:
            self.agreed = strongest(place[1:])
        return place[0].clone()

    def _wish_in(self, wishes: Tensor) -> None:
        if (wish := self.wish()) is not None:
            wishes[wish] = 1.0

    def agree(self) -> Wish | None:
        """Tell wishes alone, between two steps."""
        self.begin([])
        self.end()
        return self.agreed


def strongest(wishes: Tensor) -> Wish | None:
    """The strongest of wishes that were counted.

    >>> strongest(torch.tensor([1.0, 0.0, 2.0, 0.0]))
    <Wish.INTERRUPT: 2>
    """
    told = wishes.nonzero().flatten().tolist()
    return Wish(max(told)) if told else None
