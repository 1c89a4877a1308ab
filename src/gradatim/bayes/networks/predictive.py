"""What a network predicts when its weights are not known."""

from dataclasses import dataclass

from torch import Tensor

from gradatim.bayes.networks.likelihood import Likelihood


@dataclass(frozen=True, eq=False, repr=False)
class Predictive:
    r"""The outputs of networks drawn from a posterior.

    .. math:: p(y\mid x) = \int p(y\mid f_\theta(x))\,p(\theta\mid\text{data})\,d\theta

    Args:
        mean: Mean output, or probability of every class, shape ``(N, K)``.
        std: Standard deviation of the output, or of the probability. It is that of what the network does not know: a new
            target varies by the noise too, with variance ``std**2 + noise``.
        draws: Outputs or probabilities of every drawn network, shape ``(S, N, K)``; all count the same.
        verdict: Of samplers, whether to trust the draws as draws of these outputs, in words; else empty.
    """

    mean: Tensor
    std: Tensor
    draws: Tensor
    verdict: str = ""

    def __repr__(self) -> str:
        draws, *shape = self.draws.shape
        return f"Predictive({draws:,} draws of {tuple(shape)})"


def summarize(likelihood: Likelihood, outputs: Tensor, verdict: str = "") -> Predictive:
    """Mean and spread of outputs ``(S, N, K)`` of drawn networks, as probabilities where targets are classes."""
    draws = likelihood.answers(outputs)
    return Predictive(draws.mean(0), draws.std(0), draws, verdict)
