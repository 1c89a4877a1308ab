"""A game of two networks as an objective: each batch moves both players, each by its own optimizer."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.errors import InvalidType, require
from gradatim.generative.game_losses import game_losses, gradient_penalty
from gradatim.generative.gan import GAN
from gradatim.generative.playing import Player, choose_play
from gradatim.training import Objective
from gradatim.training.batches import Batch
from gradatim.training.objectives.objective import Figures


class AdversarialGame(Objective):
    r"""Let generator and discriminator of a :class:`~gradatim.generative.GAN` play, batch by batch.

    The trainer's optimizer must be that of the generator; schedules move both rates. A checkpoint keeps both optimizers. It
    records the losses of both, and what the discriminator says of data and of samples: :math:`D` on average, or of a critic
    its numbers.

    Args:
        generator_optimizer: Of the generator's parameters, the trainer's too.
        discriminator_optimizer: Of the discriminator's.
        objective: ``"non-saturating"``, ``"minimax"`` or ``"wasserstein-gp"``.
        play: ``"alternating"``, ``"simultaneous"``, ``"extragradient"`` or ``"one-sided-extragradient"``.
        critic_steps: Batches for each move of the generator.
        penalty: Weight of the gradient penalty of ``"wasserstein-gp"``.

    Example:
        >>> from gradatim.models import MLP
        >>> from gradatim.training import Trainer
        >>> gan, x = GAN(MLP((2, 8, 1)), MLP((1, 8, 1)), 2), torch.randn(64, 1)
        >>> rules = [torch.optim.Adam(part.parameters()) for part in (gan.generator, gan.discriminator)]
        >>> trainer = Trainer(gan, optimizer=rules[0], objective=AdversarialGame(*rules), epochs=1)
        >>> sorted(trainer.fit((x, torch.zeros(64))).records[0])[3:]
        ['train_discriminator_loss', 'train_fake_score', 'train_generator_loss', 'train_real_score']
    """

    def __init__(
        self,
        generator_optimizer: Optimizer,
        discriminator_optimizer: Optimizer,
        *,
        objective: str = "non-saturating",
        play: str = "alternating",
        critic_steps: int = 1,
        penalty: float = 10.0,
    ) -> None:
        require(critic_steps >= 1, "AdversarialGame: critic_steps must be at least 1", critic_steps)
        require(penalty >= 0, "AdversarialGame: penalty must be at least 0", penalty)
        self.losses, self.objective = game_losses(objective), objective
        self.play, self.critic_steps, self.penalty = choose_play(play), critic_steps, penalty
        self.first, self.second = generator_optimizer, discriminator_optimizer
        self._ratio = self.second.param_groups[0]["lr"] / self.first.param_groups[0]["lr"]
        self.turns, self._generator_loss = 0, 0.0

    @property
    def optimizers(self) -> Mapping[str, Optimizer]:
        return {"discriminator": self.second}

    def state_dict(self) -> dict[str, Any]:
        return {"turns": self.turns, "generator_loss": self._generator_loss}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.turns, self._generator_loss = int(state["turns"]), float(state["generator_loss"])

    def __call__(self, model: nn.Module, batch: Batch) -> Figures:
        if not isinstance(model, GAN):
            raise InvalidType(f"AdversarialGame: model must be a GAN, got {type(model).__name__}.")
        table = _Table(model, self, batch)
        if not model.training:
            return table.look()
        for group in self.second.param_groups:
            group["lr"] = self._ratio * self.first.param_groups[0]["lr"]
        first = Player(self.first, table.generator_gradient)
        second = Player(self.second, table.discriminator_gradient)
        self.turns += 1
        if self.turns % self.critic_steps:
            second.gradient()
            second.optimizer.step()
        else:
            self.play(first, second)
            self._generator_loss = float(table.figures["generator_loss"])
        return table.figures | {"generator_loss": self._generator_loss}


class _Table:
    """What lies before the players: a batch, and noise that stays the same while they think."""

    def __init__(self, gan: GAN, game: AdversarialGame, batch: Batch) -> None:
        self.gan, self.game, self.real = gan, game, batch[0]
        self.label = None if gan.num_classes is None else batch[1]
        rows = len(self.real)
        self.noise = torch.randn(rows, gan.latent_dim).to(self.real)
        self.share = torch.rand(rows).to(self.real)
        self.figures: dict[str, Tensor | float] = {"generator_loss": 0.0}

    def generator_gradient(self) -> None:
        """Leave the gradient of the generator's loss."""
        loss = self.game.losses.generator(self.gan.score(self.gan(self.noise, self.label), self.label))  # fmt: skip
        self.figures["generator_loss"] = loss.detach()
        _leave(loss, self.gan.generator)

    def discriminator_gradient(self) -> None:
        """Leave the gradient of the discriminator's loss."""
        with torch.no_grad():
            fake = self.gan(self.noise, self.label)
        loss = self._judge(fake)
        if self.game.losses.has_penalty:
            slope = gradient_penalty(lambda x: self.gan.score(x, self.label), self.real, fake, self.share)  # fmt: skip
            loss = loss + self.game.penalty * slope
        _leave(loss, self.gan.discriminator)

    def look(self) -> Figures:
        """Return the figures of both, and move nobody."""
        fake = self.gan(self.noise, self.label)
        self._judge(fake)
        scores = self.gan.score(fake, self.label)
        return self.figures | {"generator_loss": self.game.losses.generator(scores)}

    def _judge(self, fake: Tensor) -> Tensor:
        real_scores, scores = self.gan.score(self.real, self.label), self.gan.score(fake, self.label)  # fmt: skip
        loss = self.game.losses.discriminator(real_scores, scores)
        says = (lambda s: s) if self.game.losses.has_penalty else torch.sigmoid
        self.figures |= {
            "discriminator_loss": loss.detach(),
            "real_score": says(real_scores.detach()).mean(),
            "fake_score": says(scores.detach()).mean(),
        }
        return loss


def _leave(loss: Tensor, player: nn.Module) -> None:
    parameters = [p for p in player.parameters() if p.requires_grad]
    found = torch.autograd.grad(loss, parameters, allow_unused=True)
    for parameter, gradient in zip(parameters, found, strict=True):
        parameter.grad = gradient
