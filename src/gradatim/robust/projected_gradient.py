"""Projected gradient ascent on the loss, within a ball around the sample."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.robust.ascent import Look, glance, look
from gradatim.robust.balls import Ball, make_ball
from gradatim.robust.norms import Norm, read_norm
from gradatim.robust.victim import Bounds, check_eps, run_attack


@takes_arrays
def pgd(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: Norm = "inf",
    steps: int = 40,
    bounds: Bounds | None = None,
    targeted: bool = False,
    step_size: float | None = None,
    restarts: int = 1,
    early_exit: bool = False,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Search the ball :math:`\lVert x'-x\rVert_p\le\epsilon` for the input with the largest loss.

    .. math::
        z_0=x, \qquad z_{t+1}=\Pi\bigl(z_t+\alpha_t v^*(\nabla_x\ell(f(z_t),y))\bigr), \qquad
        \alpha_t=\epsilon\Bigl(1-\frac tT\Bigr)

    The direction :math:`v^*` is :math:`\operatorname{sign}` for :math:`p=\infty` and the normalized gradient
    for :math:`p=2`; :math:`\Pi` projects onto the ball and then onto the bounds. The steps shrink from
    :math:`\epsilon`, so that :math:`z_1` is the answer of :func:`fgsm`; of all iterates the one with the
    largest loss is returned, which is therefore never a weaker attack.

    Args:
        model: A classifier that returns scores ``(B, K)``, or one logit per sample for two classes. It is
            left as it was: parameters, gradients, buffers and mode.
        x: :math:`x`, shape ``(B, ...)``.
        y: Classes, shape ``(B,)``: the true ones, or those wanted if ``targeted``.
        eps: :math:`\epsilon`.
        norm: :math:`p`: ``"inf"`` or 2.
        steps: :math:`T`.
        bounds: Least and largest value of an entry, such as ``(0, 1)`` for images.
        targeted: Whether to go down the loss of ``y`` instead.
        step_size: A constant :math:`\alpha` instead.
        restarts: Runs; the first starts at :math:`x`, the others at random points of the ball.
        early_exit: Whether a sample is done at its first iterate that the model gets wrong. Enough to
            measure accuracy, and cheaper; too little to train on.
        generator: Source of the random points; the global one by default.

    Returns:
        :math:`x'`, shape of ``x``.

    Example:
        >>> model = nn.Linear(2, 2, bias=False)
        >>> model.weight.data = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
        >>> x, y = torch.tensor([[1.0, 1.0]]), torch.tensor([0])
        >>> pgd(model, x, y, eps=0.5), pgd(model, x, y, eps=0.5, norm=2)
        (tensor([[0.5000, 0.5000]]), tensor([[0.7000, 0.6000]]))

    Reference:
        Madry et al., Towards Deep Learning Models Resistant to Adversarial Attacks, 2018. They start at
        random, keep the step size and return the last iterate.
    """
    p = read_norm("pgd", norm, (2.0, torch.inf))
    eps = check_eps("pgd", eps)
    require_whole("pgd", steps=steps, restarts=restarts)
    rule = "pgd: step_size must be more than 0"
    require(step_size is None or step_size > 0, rule, step_size, "Try eps / 4.")
    sizes = [step_size or eps * (1 - t / steps) for t in range(steps)]
    search = _Search(model, eps, p, bounds, sizes, restarts, targeted, generator)
    attack = search.first_success if early_exit else search.strongest
    return run_attack("pgd", model, attack, x, y, bounds)


@dataclass(frozen=True)
class _Search:
    """The attack on one piece of the batch."""

    model: nn.Module
    eps: float
    p: float
    bounds: Bounds | None
    sizes: list[float]
    restarts: int
    targeted: bool
    generator: torch.Generator | None

    def strongest(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the iterate with the largest loss, or with the least if targeted."""
        ball = make_ball(x, self.eps, self.p, self.bounds)
        best, peak = x, torch.tensor(-torch.inf)
        for run in range(self.restarts):
            z = x if run == 0 else ball.random(self.generator)
            for size in (*self.sizes, None):
                seen = self._look(z, y, size)
                is_better = seen.gain > peak
                best = torch.where(_as_mask(is_better, x), z, best)
                peak = torch.where(is_better, seen.gain, peak)
                z = self._move(z, seen, size, ball)
        return best

    def first_success(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the first iterate that fools the model, or the last one of all."""
        result, rows = x.clone(), torch.arange(len(x), device=x.device)
        for run in range(self.restarts):
            if len(rows):
                rows = self._chase(x, y, rows, result, is_first=run == 0)
        return result

    def _chase(
        self, x: Tensor, y: Tensor, rows: Tensor, result: Tensor, *, is_first: bool
    ) -> Tensor:
        """Write iterates of ``rows`` into ``result`` until the model is fooled; return the rows where it is not."""
        ball = make_ball(x[rows], self.eps, self.p, self.bounds)
        z = x[rows] if is_first else ball.random(self.generator)
        is_open = torch.ones_like(rows, dtype=torch.bool)
        for size in (*self.sizes, None):
            result[rows] = torch.where(_as_mask(is_open, z), z, result[rows])
            seen = self._look(z, y[rows], size)
            is_open &= (seen.predicted == y[rows]) != self.targeted
            count = int(is_open.sum())
            if count == 0:
                break
            z = self._move(z, seen, size, ball)
            if 2 * count <= len(rows):  # not at once: every new batch size costs set-up time
                rows, z, is_open = rows[is_open], z[is_open], is_open[is_open]
                ball = make_ball(x[rows], self.eps, self.p, self.bounds)
        return rows[is_open]

    def _look(self, z: Tensor, y: Tensor, size: float | None) -> Look:
        if size is None:
            return glance("pgd", self.model, z, y, targeted=self.targeted)
        return look("pgd", self.model, z, y, self.p, targeted=self.targeted)

    @staticmethod
    def _move(z: Tensor, seen: Look, size: float | None, ball: Ball) -> Tensor:
        if size is None:
            return z
        return ball.project(torch.add(z, seen.direction, alpha=size))


def _as_mask(rows: Tensor, like: Tensor) -> Tensor:
    """One flag per row, in a shape that broadcasts over ``like``."""
    return rows.reshape(-1, *[1] * (like.ndim - 1))
