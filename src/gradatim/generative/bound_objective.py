"""What a variational autoencoder is trained by."""

from collections.abc import Callable

from torch import Tensor, nn

from gradatim.errors import InvalidType, require, require_whole
from gradatim.generative.bounds import elbo, importance_weighted_bound
from gradatim.generative.gaussian_code import keep_free_bits
from gradatim.generative.vae import VAE
from gradatim.training import Objective
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures


class BoundObjective(Objective):
    r"""Raise a bound of the log-likelihood: the loss is the mean of its negative over the batch.

    .. math:: E = -\mathbb E_q[\log p(x \mid z)] + \beta\sum_j\max(\lambda, D_j)
        \qquad\text{or, with several samples,}\qquad E = -\log\frac1K\sum_{k=1}^K w_k

    While evaluating it is the bound itself: :math:`\beta = 1` and :math:`\lambda = 0`, so that models trained with others
    can be compared. ``log_likelihood`` and ``kl`` are recorded beside the loss.

    Args:
        samples: :math:`K`; more than one needs a model with ``beta=1`` and ``free_bits=0``.
        augment: What is done to x of every training batch anew, such as ``torch.bernoulli``, which draws zeros and ones
            from grey values.

    Example:
        >>> import torch
        >>> from gradatim.models import MLP
        >>> from gradatim.training import Trainer
        >>> vae = VAE(MLP((6, 8, 2 * 2)), MLP((2, 8, 6)), 2)
        >>> X = torch.rand(10, 6)
        >>> history = Trainer(vae, objective=BoundObjective(augment=torch.bernoulli), epochs=1).fit((X, X))
        >>> sorted(key for key in history.records[0] if key.startswith("train"))
        ['train_kl', 'train_log_likelihood', 'train_loss']

    Reference:
        Burda, Grosse, Salakhutdinov, Importance Weighted Autoencoders, 2016.
    """

    any_layout = True

    def __init__(
        self, samples: int = 1, *, augment: Callable[[Tensor], Tensor] | None = None
    ) -> None:
        require_whole("BoundObjective", samples=samples)
        self.samples, self.augment = samples, augment

    def prepare(self, model: nn.Module, batch: Batch) -> Batch:
        return batch if self.augment is None else (self.augment(batch[0]), *batch[1:])

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        if not isinstance(model, VAE):
            raise InvalidType(f"BoundObjective: model must be a VAE, got {type(model).__name__}.")
        x, label = batch[0], None if model.num_classes is None else batch[-1]
        if self.samples > 1:
            is_plain = model.beta == 1 and model.free_bits == 0
            rule = "BoundObjective: samples must be 1 for a model with beta or free_bits"
            require(is_plain, rule, self.samples, "Build it with beta=1 and free_bits=0.")
            return {"loss": -importance_weighted_bound(model, x, self.samples, label=label).mean()}
        parts = elbo(model, x, label=label)
        figures = {"log_likelihood": parts.log_likelihood.mean(), "kl": parts.kl.sum(-1).mean()}
        if not model.training:
            return {"loss": -parts.bound.mean(), **figures}
        weighted = model.beta * keep_free_bits(parts.kl, model.free_bits)
        return {"loss": weighted - parts.log_likelihood.mean(), **figures}

    def output(self, model: nn.Module, *inputs: Tensor) -> Tensor:
        """The reconstruction."""
        return model(*inputs)
