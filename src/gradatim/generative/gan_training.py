"""Train a generative adversarial network."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.events import CancelToken, Tell, Warned
from gradatim.generative.game_objective import AdversarialGame
from gradatim.generative.gan import GAN
from gradatim.generative.judging import Features
from gradatim.generative.sample_watch import SampleWatch
from gradatim.training import Callback, History, NonFiniteError, Trainer


class GANTraining(NamedTuple):
    """A trained network, and how it came about.

    Args:
        gan: With the weights of the epoch whose samples were nearest to the data.
        history: One record per epoch: losses and scores of both players, and figures of the samples.
        best_epoch: Epoch of those weights.
        warnings: What went wrong on the way: collapse, divergence.
    """

    gan: GAN
    history: History
    best_epoch: int
    warnings: Sequence[str]


@takes_arrays
def train_gan(
    generator: nn.Module,
    discriminator: nn.Module,
    data: Tensor | tuple[Tensor, Tensor],
    objective: str = "non-saturating",
    play: str = "alternating",
    *,
    latent_dim: int,
    epochs: int = 20,
    batch_size: int = 64,
    lr: float = 2e-4,
    discriminator_lr: float | None = None,
    betas: tuple[float, float] = (0.5, 0.999),
    critic_steps: int | None = None,
    penalty: float = 10.0,
    features: Features | None = None,
    callbacks: Sequence[Callback] = (),
    seed: int = 0,
    progress: bool | Tell = True,
    cancel: CancelToken | None = None,
) -> GANTraining:
    r"""Let a generator learn to draw data by a game against a discriminator.

    .. math:: \min_\theta\max_\varphi\ \mathbb E_{x\sim p}\log D_\varphi(x) + \mathbb E_z\log(1-D_\varphi(G_\theta(z)))

    Their losses do not say how good samples are, so samples are compared with data after every epoch: when they collapse or
    go astray it is said, and the weights of the best epoch are those that come back. Non-finite losses end the run likewise.

    Notes 002 print this as a minimum over both players; the discriminator maximizes.

    Args:
        generator: :math:`G`, from noise ``(B, latent_dim)`` to rows of the data's shape; with classes, from noise and codes.
        discriminator: :math:`D`, from rows to logits; with classes, from rows and codes.
        data: Rows ``(N, ...)``, or a pair of rows and class codes ``(N,)``: then the network learns by class.
        objective: ``"non-saturating"``, ``"minimax"`` or ``"wasserstein-gp"``.
        play: ``"alternating"``, ``"simultaneous"``, ``"extragradient"``, or ``"one-sided-extragradient"`` as it is sometimes
            printed.
        latent_dim: Entries of the noise.
        epochs: Passes over the data.
        batch_size: Rows of a batch.
        lr: Of the generator.
        discriminator_lr: Of the discriminator; by default the same.
        betas: Of Adam, for both.
        critic_steps: Batches for each move of the generator; by default 5 for ``"wasserstein-gp"``, else 1.
        penalty: Weight of the slopes' distance from 1 in ``"wasserstein-gp"``. On data of very few numbers a large one can hold
            a critic at the wrong slope.
        features: In which samples are compared with data; by default the rows themselves.
        callbacks: Observers; a :class:`~gradatim.training.Checkpoint` among them keeps both players and both optimizers.
        seed: Fixes all draws; weights are the caller's.
        progress: A bar, or a function that is told events.
        cancel: Ends the run.

    Example:
        >>> from gradatim.models import MLP
        >>> data = 3 + torch.randn(256, 1)
        >>> trained = train_gan(MLP((2, 16, 1)), MLP((1, 16, 1)), data, latent_dim=2, epochs=3, lr=1e-2, progress=False)
        >>> trained.gan.sample(100).shape
        torch.Size([100, 1])

    Reference:
        Goodfellow et al., Generative Adversarial Nets, 2014.
    """
    rows, labels = data if isinstance(data, tuple) else (data, None)
    rule = "train_gan: data must be at least 10 rows, and classes as many"
    fit = rows.ndim > 1 and len(rows) >= 10 and (labels is None or labels.shape == rows.shape[:1])
    require(fit, rule, tuple(rows.shape) if labels is None else f"{tuple(rows.shape)} and {tuple(labels.shape)}")  # fmt: skip
    num_classes = None if labels is None else int(labels.max()) + 1
    gan = GAN(generator, discriminator, latent_dim, num_classes=num_classes)
    rates = (lr, lr if discriminator_lr is None else discriminator_lr)
    players = zip((generator, discriminator), rates, strict=True)
    rules = [torch.optim.Adam(player.parameters(), lr=rate, betas=betas) for player, rate in players]  # fmt: skip
    if critic_steps is None:
        critic_steps = 5 if objective == "wasserstein-gp" else 1
    game = AdversarialGame(
        *rules, objective=objective, play=play, critic_steps=critic_steps, penalty=penalty
    )
    watch = SampleWatch(rows, labels, features=features, seed=seed)
    trainer = Trainer(
        gan, optimizer=rules[0], objective=game, epochs=epochs, batch_size=batch_size,
        callbacks=[watch, *callbacks], seed=seed, progress=progress,
    )  # fmt: skip
    codes = torch.zeros(len(rows), dtype=torch.long) if labels is None else labels
    try:
        trainer.fit((rows, codes), cancel=cancel)
    except NonFiniteError as error:
        if not watch.best_weights:
            raise
        said = f"{error} The weights of epoch {watch.best_epoch} are kept."
        watch.warnings.append(said)
        if callable(progress):
            progress(Warned(said))
        watch.on_fit_end(trainer)
        trainer.history.stopped = str(error)
        gan.eval()
    return GANTraining(gan, trainer.history, watch.best_epoch, tuple(watch.warnings))
