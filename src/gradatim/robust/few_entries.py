"""The fewest entries that must change, found one after the other."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.robust.ascent import glance
from gradatim.robust.log_odds import log_odds_against
from gradatim.robust.victim import Bounds, check_bounds, class_scores, input_gradient, run_attack


@takes_arrays
def greedy_l0(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    bounds: Bounds,
    targeted: bool = False,
    candidates: int = 8,
) -> Tensor:
    r"""Change as few entries as possible, each as far as it may go.

    .. math::
        \lVert x'-x\rVert_0=\lvert\{k : x'_k\ne x_k\}\rvert\le\epsilon, \qquad
        g_k=\Bigl\lvert\frac{\partial m}{\partial z_k}\Bigr\rvert\,c_k

    with the log-odds :math:`m` against the class and the room :math:`c_k` that an entry has in the direction of its
    gradient. In each step the entries of the largest :math:`g_k` that are still untouched are tried, and the one that
    really gains most goes to its bound, until the class changes or :math:`\epsilon` entries have moved.

    The exact answer needs a search over all sets of entries. For an affine classifier of two classes the gains add up,
    and this is that answer; otherwise it is an upper bound on the fewest.

    Args:
        model: A classifier that returns scores ``(B, K)``, or one logit per sample for two classes. It is
            left as it was: parameters, gradients, buffers and mode.
        x: :math:`x`, shape ``(B, ...)``.
        y: Classes, shape ``(B,)``: the true ones, or those wanted if ``targeted``.
        eps: :math:`\epsilon`, the most entries that may change, a whole number.
        bounds: Least and largest value of an entry. Without them a single entry would always do.
        targeted: Whether to make the model answer ``y`` instead.
        candidates: Entries tried in a step.

    Returns:
        :math:`x'`, shape of ``x``; where the class did not change, the last attempt.

    Example:
        >>> model = nn.Linear(3, 1)
        >>> model.weight.data, model.bias.data = torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([-4.0])
        >>> greedy_l0(model, torch.zeros(1, 3), torch.tensor([0]), eps=3, bounds=(0, 1))
        tensor([[1., 0., 1.]])

    Reference:
        The saliency of Papernot et al., The Limitations of Deep Learning in Adversarial Settings, 2016, moves pairs of
        entries by their gradients alone; here one moves, and the best are tried.
    """
    rule = "greedy_l0: eps must be a whole number of entries, at least 0"
    require(0 <= eps < torch.inf and eps == int(eps), rule, eps, "Try eps=10.")
    require_whole("greedy_l0", candidates=candidates)
    check_bounds("greedy_l0", x.new_zeros(0), bounds)

    def attack(x: Tensor, y: Tensor) -> Tensor:
        z, is_moved = x.flatten(1).clone(), torch.zeros_like(x.flatten(1), dtype=torch.bool)
        rows, predicted = torch.arange(len(x), device=x.device), glance("greedy_l0", model, x, y).predicted  # fmt: skip
        for _ in range(min(int(eps), z.shape[1])):
            rows = rows[(predicted == y[rows]) != targeted]
            if not len(rows):
                break
            now = z[rows].reshape(-1, *x.shape[1:])
            trials, places = _trials(model, now, y[rows], is_moved[rows], bounds, candidates, targeted)  # fmt: skip
            seen = glance("greedy_l0", model, trials.reshape(-1, *x.shape[1:]), y[rows].repeat_interleave(places.shape[1]), targeted=targeted)  # fmt: skip
            best = seen.gain.reshape(places.shape).argmax(1, keepdim=True)  # (B, 1)
            index = torch.arange(len(rows), device=x.device)
            z[rows] = trials[index, best[:, 0]]
            is_moved[rows, places.gather(1, best)[:, 0]] = True
            predicted = seen.predicted.reshape(places.shape).gather(1, best)[:, 0]
        return z.reshape(x.shape)

    return run_attack("greedy_l0", model, attack, x, y, bounds)


def _trials(
    model: nn.Module, z: Tensor, y: Tensor, is_moved: Tensor, bounds: Bounds, count: int, targeted: bool
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The inputs with one more entry at its bound, shape ``(B, C, d)``, and which entry that is, ``(B, C)``."""
    z = z.detach().requires_grad_()
    scores = class_scores("greedy_l0", model, z)
    _, slope = log_odds_against("greedy_l0", scores.detach(), y)
    gradient = input_gradient("greedy_l0", scores, z, -slope if targeted else slope).flatten(1)
    flat = z.detach().flatten(1)
    low, high = bounds
    end = torch.where(gradient > 0, high, low).to(flat)  # where the entry would go
    gain = (gradient * (end - flat)).masked_fill(is_moved, -torch.inf)
    places = gain.topk(min(count, flat.shape[1]), dim=1).indices  # (B, C)
    trials = flat.unsqueeze(1).repeat(1, places.shape[1], 1)  # (B, C, d)
    trials.scatter_(2, places.unsqueeze(2), end.gather(1, places).unsqueeze(2))
    return trials, places
