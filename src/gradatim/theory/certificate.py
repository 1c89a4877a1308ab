r"""A number that the error of a network on new data does not exceed, proved from the data it learned from.

The network draws its weights anew for every question, from a Gaussian around what it learned. The bound needs the mean loss
of such networks on the rows: usually thousands of networks are drawn, and each looks at all rows. Here every *row* gets a
network of its own, so that one pass is :math:`n` independent losses, and the price of not knowing their mean exactly,

.. math:: \hat r \le \mathrm{kl}^{-1}\Bigl(\frac1{nT}\sum\text{losses},\; \frac{\ln(2/\delta')}{nT}\Bigr),

vanishes in a few passes :math:`T`.

The posterior that minimizes the bound may be sought by any loss and any step, since the bound holds for all posteriors at
once; only priors among which one was chosen cost a share of :math:`\delta`.

Reference:
    Dziugaite and Roy, Computing Nonvacuous Generalization Bounds for Deep Neural Networks, 2017; Pérez-Ortiz et al., Tighter
    Risk Certificates for Neural Networks, 2021.
"""

import math
from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_seed, require_whole
from gradatim.randomness import seeded
from gradatim.theory.pac_bayes import kl_inverse, maurer_bound, quadratic_bound
from gradatim.theory.stochastic_dense import make_stochastic, total_kl
from gradatim.training import Augmented, Trainer
from gradatim.training.batches import Batch

PASSES, SHARE = 30, 0.1  # looks at all rows; what their chance costs of delta
BATCH = 2000  # rows at a time
PRIOR_LR = 2e-3


class Recipe(NamedTuple):
    """What suits a kind of prior: its standard deviation, and passes and step of the posterior."""

    prior_std: float
    epochs: int
    lr: float


RECIPES = {"random": Recipe(0.5, 25, 0.1), "learned": Recipe(0.01, 2, 3e-3)}


class Certificate(NamedTuple):
    """A bound on the error of a network with random weights, and what it is made of.

    Args:
        bound: With probability ``1 - delta`` over the rows, the error on new data is at most this.
        risk: Share of mistakes on the rows, with the price of chance.
        kl: Divergence of the weights' distribution from the prior.
        n: Rows that the bound counts: those that the prior has not seen.
        delta: Probability that the bound fails.
        test_error: Share of mistakes of the same random network on test rows; NaN without them.
        model: The network, whose dense layers draw weights anew for every row.
    """

    bound: float
    risk: float
    kl: float
    n: int
    delta: float
    test_error: float
    model: nn.Module


def root_loss(logits: Tensor, y: Tensor) -> Tensor:
    r"""The mean of :math:`2(1-\sqrt{p_y})` over a batch.

    It stands between cross-entropy, which asks for more the worse an answer is, and :math:`1-p_y`, the chance of a mistake:
    answers beyond hope cost no more divergence than they are worth, and learning still gets started.

    Reference:
        Zhang and Sabuncu, Generalized Cross Entropy Loss, 2018, with q = 1/2.
    """
    return 2 * (1 - (logits.log_softmax(1).gather(1, y[:, None]) / 2).exp()).mean()


@takes_arrays
def pac_bayes_certificate(
    model: nn.Module,
    train: tuple[Tensor, Tensor],
    *,
    prior: str = "random",
    test: tuple[Tensor, Tensor] | None = None,
    delta: float = 0.05,
    prior_std: float | None = None,
    prior_epochs: int = 40,
    epochs: int | None = None,
    lr: float | None = None,
    batch_size: int = 250,
    augment: Callable[[Tensor], Tensor] | None = None,
    tried: int = 1,
    seed: int = 0,
) -> Certificate:
    r"""Train a network by minimizing a bound on its error, and state the bound.

    Args:
        model: Classifier whose dense layers get Gaussian weights; other layers keep theirs, so with the random prior they
            stay as they are. It is left alone. For the random prior, few hidden units (30) are best.
        train: Rows and classes, drawn alike and in random order: of rows in another the bound says nothing.
        prior: ``"random"`` around the model's present weights, which must not come from these rows; ``"learned"`` from the
            first half of the rows, the bound then counting the other half.
        test: Rows and classes that nothing is learned from, to look at beside the bound.
        delta: Probability that the bound fails.
        prior_std: Standard deviation :math:`\lambda` of the prior; by default 0.5 of a random, 0.01 of a learned one.
        prior_epochs: Passes in which the learned prior is trained.
        epochs: Passes in which the bound is minimized; by default 25 and 2.
        lr: Step of these by Adam, in units of ``prior_std``, falling to 0 along a cosine; by default 0.1 and 0.003.
        batch_size: Rows of a step.
        augment: Random distortion of the rows that the learned prior sees, such as :func:`~gradatim.data.random_affine`.
        tried: Number of priors among which this was chosen by their bounds; each costs its share of ``delta``.
        seed: Of all draws.

    Reference:
        Pérez-Ortiz et al., Tighter Risk Certificates for Neural Networks, 2021.
    """
    owner = "pac_bayes_certificate"
    choose(owner, "prior", prior, RECIPES)
    require(0 < delta < 1, f"{owner}: delta must be in (0, 1)", delta, "Try 0.05.")
    usual = RECIPES[prior]
    std = usual.prior_std if prior_std is None else prior_std
    passes = usual.epochs if epochs is None else epochs
    require_whole(owner, epochs=passes, prior_epochs=prior_epochs, tried=tried)
    require_seed(owner, seed)
    X, y = train
    judged, start = (X, y), deepcopy(model)
    settings = {"batch_size": batch_size, "schedule": "cosine", "seed": seed, "progress": False}
    if prior == "learned":
        half = len(X) // 2
        judged = X[half:], y[half:]
        distorted = None if augment is None else Augmented(augment)
        Trainer(start, objective=distorted, epochs=prior_epochs, lr=PRIOR_LR, **settings).fit((X[:half], y[:half]))  # type: ignore[arg-type]  # fmt: skip
    stochastic, each = make_stochastic(start, std), delta / tried
    objective = _bound_of(len(judged[0]), each)
    Trainer(stochastic, objective=objective, epochs=passes, lr=usual.lr if lr is None else lr, **settings).fit((X, y))  # type: ignore[arg-type]  # fmt: skip
    return _certify(stochastic, judged, test, delta, tried, seed)


def _bound_of(n: int, delta: float) -> Callable[[nn.Module, Batch], Tensor]:
    def objective(network: nn.Module, batch: Batch) -> Tensor:
        network.eval()  # as it is judged: no dropout, and the statistics of the prior
        return quadratic_bound(root_loss(network(batch[0]), batch[1]), total_kl(network), n, delta)

    return objective


def _certify(
    model: nn.Module,
    judged: tuple[Tensor, Tensor],
    test: tuple[Tensor, Tensor] | None,
    delta: float,
    tried: int,
    seed: int,
) -> Certificate:
    """Draw a network per row, some times over, and solve for the risk."""
    n, each = len(judged[0]), delta / tried
    with seeded(seed), torch.inference_mode():
        mistakes = sum(_mistakes(model, *judged) for _ in range(PASSES)) / (PASSES * n)
        kl = total_kl(model).item()
        test_error = math.nan if test is None else _mistakes(model, *test) / len(test[0])
    risk = kl_inverse(mistakes, math.log(2 / (SHARE * each)) / (PASSES * n))
    bound = maurer_bound(risk, kl, n, (1 - SHARE) * each)
    return Certificate(bound, risk, kl, n, delta, test_error, model)


def _mistakes(model: nn.Module, X: Tensor, y: Tensor) -> int:
    model.eval()
    wrong = [(model(rows).argmax(1) != truth).sum() for rows, truth in zip(X.split(BATCH), y.split(BATCH), strict=True)]  # fmt: skip
    return int(torch.stack(wrong).sum())
