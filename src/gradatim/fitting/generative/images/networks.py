"""Networks that make pictures: a diffusion model, a variational autoencoder and a generative adversarial network."""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from gradatim.fitting.generative.medium import Asked, Maker
from gradatim.fitting.rounds import Plan, Size
from gradatim.generative import (
    GAN,
    VAE,
    AdversarialGame,
    BoundObjective,
    Diffusion,
    DiffusionObjective,
    SampleWatch,
    sample,
)
from gradatim.models import DCGANDiscriminator, DCGANGenerator, ImageDecoder, ImageEncoder, TimeUNet
from gradatim.optim.schedules import warm_up
from gradatim.training import EMA, Callback, EarlyStopping

LABEL_DROPOUT = 0.1
LATENT = 64  # entries of the noise of a game, or of a code
GAME_SIDES = (8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64)  # that its networks can have
DENSE = 12  # pixels a side up to which a network sees every pixel, and not blocks of them
LONG = 3_000  # steps of a training whose average reaches far back


class PictureMaker(Maker):
    """A kind of network that makes pictures.

    Args:
        channels: 1 for grey, 3 for colour.
        side: Pixels along each side.
        num_classes: Classes that may be asked for; ``None`` without any.
        watch: Makes what looks at the samples of a game, where one is played.

    Attributes:
        low: What black is for the network, which sees white as 1.
        padded: Pixels along each side that it sees.
    """

    low: ClassVar[float] = -1.0
    sizes = ((Size(32, 1, 1), 64), (Size(64, 1, 1), 64), (Size(96, 2, 1), 64))

    def __init__(self, channels: int, side: int, num_classes: int | None, watch: Any = None) -> None:  # fmt: skip
        self.channels, self.side, self.num_classes, self.watch = channels, side, num_classes, watch
        self.padded = side

    def make(self, network: Any, num_samples: int, asked: Asked, generator: torch.Generator) -> Tensor:  # fmt: skip
        """Draw as the network does, shape ``(N, C, padded, padded)``, from ``low`` to 1."""
        raise NotImplementedError

    def draw(self, network: Any, num_samples: int, asked: Asked, *, generator: torch.Generator) -> Tensor:  # fmt: skip
        """Draw pictures, brightness from 0 to 1, shape ``(N, C, side, side)``."""
        made = self.make(network, num_samples, asked, generator)[..., : self.side, : self.side]
        return ((made - self.low) / (1 - self.low)).clamp(0, 1)


class PictureDiffusion(PictureMaker):
    """A U-Net that takes noise away."""

    name = "diffusion"
    steps: ClassVar[int] = 20  # evaluations of a draw

    def build(self, plan: Plan) -> nn.Module:
        dim = plan.size.dim
        network = TimeUNet(
            self.channels, self.side, self.num_classes, widths=(dim, 2 * dim), num_blocks=plan.size.num_layers,
            patch=1 if self.side <= DENSE else 2 if self.side <= 40 else 4, dropout=plan.dropout,
        )  # fmt: skip
        return Diffusion(network, schedule="cosine", predict="v", clip=1.0)

    def learning(self, plan: Plan, network: Any) -> dict[str, Any]:
        objective = DiffusionObjective(label_dropout=LABEL_DROPOUT)
        return {"objective": objective, "lr": 2e-3, "schedule": warm_up(epochs=plan.rounds / 20), "clip_norm": 1.0}  # fmt: skip

    def callbacks(self, plan: Plan) -> list[Callback]:
        return [EMA(decay=0.999 if plan.rounds * plan.steps > LONG else 0.99)]

    def make(self, network: Any, num_samples: int, asked: Asked, generator: torch.Generator) -> Tensor:  # fmt: skip
        drawn: Tensor = sample(
            network, num_samples, steps=asked.steps or self.steps, guidance=asked.guidance, label=asked.label,
            generator=generator,
        )  # fmt: skip
        return drawn


class PictureVAE(PictureMaker):
    """Convolutions to a code and back; what is shown is the mean that the decoder says."""

    name = "vae"

    def __init__(self, channels: int, side: int, num_classes: int | None, watch: Any = None) -> None:  # fmt: skip
        super().__init__(channels, side, num_classes, watch)
        self.padded = -(-side // 8) * 8 if side > DENSE else -(-side // 4) * 4

    def build(self, plan: Plan) -> nn.Module:
        dim, code = plan.size.dim, min(LATENT, plan.size.dim)
        widths = (dim, 2 * dim) if self.padded <= DENSE else (dim, 2 * dim, 2 * dim)
        return VAE(
            ImageEncoder(self.padded, 2 * code, in_channels=self.channels, widths=widths, activation="silu"),
            ImageDecoder(code + (self.num_classes or 0), self.padded, out_channels=self.channels, widths=widths[::-1], activation="silu"),
            code,
            likelihood="gaussian",
            num_classes=self.num_classes,
        )  # fmt: skip

    def learning(self, plan: Plan, network: Any) -> dict[str, Any]:
        return {"objective": BoundObjective(), "lr": 1e-3, "schedule": warm_up(epochs=plan.rounds / 20), "clip_norm": 1.0}  # fmt: skip

    def callbacks(self, plan: Plan) -> list[Callback]:
        return [EarlyStopping(patience=plan.rounds)]  # the weights of the best round

    def make(self, network: Any, num_samples: int, asked: Asked, generator: torch.Generator) -> Tensor:  # fmt: skip
        drawn: Tensor = network.sample(num_samples, label=asked.label, is_mean=True, generator=generator)  # fmt: skip
        return drawn


class PictureGAN(PictureMaker):
    """Two networks of convolutions that play against each other; the weights of the best round are kept."""

    name = "gan"
    low = 0.0

    def __init__(self, channels: int, side: int, num_classes: int | None, watch: Any = None) -> None:  # fmt: skip
        super().__init__(channels, side, num_classes, watch)
        self.padded = next(own for own in GAME_SIDES if own >= side)
        self.watched: SampleWatch | None = None

    def build(self, plan: Plan) -> nn.Module:
        sizes: dict[str, Any] = {"channels": self.channels, "width": plan.size.dim, "num_classes": self.num_classes}  # fmt: skip
        players = DCGANGenerator(LATENT, self.padded, **sizes), DCGANDiscriminator(self.padded, norm="spectral", **sizes)  # fmt: skip
        return GAN(*players, LATENT, num_classes=self.num_classes)

    def learning(self, plan: Plan, network: Any) -> dict[str, Any]:
        players = network.generator, network.discriminator
        rules = [torch.optim.Adam(own.parameters(), lr=4e-4, betas=(0.5, 0.999)) for own in players]
        return {"optimizer": rules[0], "objective": AdversarialGame(*rules), "schedule": warm_up(epochs=plan.rounds / 20)}  # fmt: skip

    def callbacks(self, plan: Plan) -> list[Callback]:
        self.watched = self.watch() if self.watch else None
        return [] if self.watched is None else [self.watched]

    def worries(self) -> list[str]:
        return [] if self.watched is None else list(self.watched.warnings)

    def rescue(self, network: Any) -> bool:
        if self.watched is None or not self.watched.best_weights:
            return False
        network.load_state_dict(self.watched.best_weights)
        return True

    def make(self, network: Any, num_samples: int, asked: Asked, generator: torch.Generator) -> Tensor:  # fmt: skip
        drawn: Tensor = network.sample(num_samples, label=asked.label, generator=generator)
        return drawn


MAKERS: dict[str, type[PictureMaker]] = {own.name: own for own in (PictureDiffusion, PictureVAE, PictureGAN)}  # fmt: skip
