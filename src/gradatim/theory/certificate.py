r"""A number that the error of a network on new data does not exceed, proved from the data it learned from.

The network draws its weights anew for every question, from a Gaussian around what it learned. The bound needs the mean loss
of such networks on the rows: usually thousands of networks are drawn, and each looks at all rows. Here every *row* gets a
network of its own, so that one pass is :math:`n` independent losses, and the price of not knowing their mean exactly,

.. math:: \hat r \le \mathrm{kl}^{-1}\Bigl(\frac1{nT}\sum\text{losses},\; \frac{\ln(2/\delta')}{nT}\Bigr),

vanishes in a few passes :math:`T`.

Reference:
    Dziugaite and Roy, Computing Nonvacuous Generalization Bounds for Deep Neural Networks, 2017; Pérez-Ortiz et al., Tighter
    Risk Certificates for Neural Networks, 2021.
"""

import math
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_seed, require_whole
from gradatim.randomness import seeded
from gradatim.theory.pac_bayes import kl_inverse, maurer_bound, quadratic_bound
from gradatim.theory.stochastic_dense import make_stochastic, total_kl
from gradatim.training import Trainer
from gradatim.training.batches import Batch

LEAST = 1e-5  # probability below which the training loss does not look
PASSES, SHARE, BATCH = (
    10,
    0.1,
    2000,
)  # looks at all rows, what their chance costs of delta, rows at a time


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


def bounded_cross_entropy(logits: Tensor, y: Tensor) -> Tensor:
    r"""Cross-entropy held to [0, 1], as the bound asks: :math:`-\ln\max(p_y, p_{\min})/\ln(1/p_{\min})`, the mean of a batch."""
    chosen = logits.log_softmax(1).gather(1, y[:, None]).clamp_min(math.log(LEAST))
    return -chosen.mean() / math.log(1 / LEAST)


@takes_arrays
def pac_bayes_certificate(
    model: nn.Module,
    train: tuple[Tensor, Tensor],
    *,
    prior: str = "random",
    test: tuple[Tensor, Tensor] | None = None,
    delta: float = 0.05,
    prior_std: float = 0.05,
    prior_epochs: int = 20,
    epochs: int = 30,
    lr: float = 1e-3,
    batch_size: int = 250,
    tried: int = 1,
    seed: int = 0,
) -> Certificate:
    r"""Train a network by minimizing a bound on its error, and state the bound.

    Args:
        model: Classifier whose dense layers get Gaussian weights; other layers keep theirs, so with the random prior they
            stay as they are. It is left alone.
        train: Rows and classes.
        prior: ``"random"`` around the model's present weights, which must not come from these rows; ``"learned"`` from the
            first half of the rows, the bound then counting the other half.
        test: Rows and classes that nothing is learned from, to look at beside the bound.
        delta: Probability that the bound fails.
        prior_std: Standard deviation :math:`\lambda` of the prior.
        prior_epochs: Passes in which the learned prior is trained.
        epochs: Passes in which the bound is minimized.
        lr: Step of both trainings, by Adam, falling to 0 along a cosine.
        batch_size: Rows of a step.
        tried: Number of settings among which these were chosen by their bounds; each costs its share of ``delta``.
        seed: Of all draws.

    Reference:
        Pérez-Ortiz et al., Tighter Risk Certificates for Neural Networks, 2021.
    """
    owner = "pac_bayes_certificate"
    choose(owner, "prior", prior, ("random", "learned"))
    require(0 < delta < 1, f"{owner}: delta must be in (0, 1)", delta, "Try 0.05.")
    require_whole(owner, epochs=epochs, prior_epochs=prior_epochs, tried=tried)
    require_seed(owner, seed)
    X, y = train
    settings = {"lr": lr, "batch_size": batch_size, "schedule": "cosine", "seed": seed, "progress": False}  # fmt: skip
    judged, start = (X, y), deepcopy(model)
    if prior == "learned":
        half = len(X) // 2
        judged = X[half:], y[half:]
        Trainer(start, epochs=prior_epochs, **settings).fit((X[:half], y[:half]))  # type: ignore[arg-type]
    stochastic, n = make_stochastic(start, prior_std), len(judged[0])
    each = delta / tried

    def objective(network: nn.Module, batch: Batch) -> Tensor:
        return quadratic_bound(bounded_cross_entropy(network(batch[0]), batch[1]), total_kl(network), n, each)  # fmt: skip

    Trainer(stochastic, objective=objective, epochs=epochs, **settings).fit((X, y))  # type: ignore[arg-type]
    with seeded(seed), torch.inference_mode():
        mistakes = sum(_mistakes(stochastic, *judged) for _ in range(PASSES)) / (PASSES * n)
        kl = total_kl(stochastic).item()
        test_error = math.nan if test is None else _mistakes(stochastic, *test) / len(test[0])
    risk = kl_inverse(mistakes, math.log(2 / (SHARE * each)) / (PASSES * n))
    bound = maurer_bound(risk, kl, n, (1 - SHARE) * each)
    return Certificate(bound, risk, kl, n, delta, test_error, stochastic)


def _mistakes(model: nn.Module, X: Tensor, y: Tensor) -> int:
    model.eval()
    wrong = [(model(rows).argmax(1) != truth).sum() for rows, truth in zip(X.split(BATCH), y.split(BATCH), strict=True)]  # fmt: skip
    return int(torch.stack(wrong).sum())
