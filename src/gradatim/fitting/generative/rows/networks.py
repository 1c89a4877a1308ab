"""Networks that make rows: a variational autoencoder and a diffusion model of the same vectors."""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from gradatim.fitting.generative.medium import Asked, Maker
from gradatim.fitting.rounds import Plan, Size
from gradatim.generative import (
    VAE,
    BoundObjective,
    Diffusion,
    DiffusionObjective,
    RowCodec,
    RowLikelihood,
    sample,
)
from gradatim.models import MLP, TimeMLP
from gradatim.training import EMA, Callback, EarlyStopping

LATENT = 32  # entries of a code, at the most
LABEL_DROPOUT = 0.1


def row_widths(codec: RowCodec) -> list[int]:
    """Entries of every block of a vector, negative where they are a category.

    Args:
        codec: How rows become vectors.
    """
    return [-block.width if block.is_category else 1 for block in codec.blocks]


class RowMaker(Maker):
    """A kind of network that makes rows.

    Args:
        codec: How rows become vectors.
        num_classes: Classes that may be asked for; ``None`` without any.
    """

    sizes = ((Size(128, 2, 1), 256), (Size(256, 3, 1), 256), (Size(384, 4, 1), 256))

    def __init__(self, codec: RowCodec, num_classes: int | None) -> None:
        self.codec, self.num_classes = codec, num_classes


class RowVAE(RowMaker):
    """Dense encoder and decoder, numbers with a variance of their own each."""

    name = "vae"
    share = 0.3

    def build(self, plan: Plan) -> VAE:
        dim, width = self.codec.dim, plan.size.dim
        latent = max(min(dim, LATENT), 2)
        inner = [width] * plan.size.num_layers
        return VAE(
            MLP((dim, *inner, 2 * latent), activation="silu"),
            MLP((latent + (self.num_classes or 0), *inner, dim), activation="silu"),
            latent,
            likelihood=RowLikelihood(row_widths(self.codec)),
            num_classes=self.num_classes,
        )

    def learning(self, plan: Plan, network: Any) -> dict[str, Any]:
        return {"objective": BoundObjective(), "lr": 1e-3, "weight_decay": 1e-5, "clip_norm": 1.0}

    def callbacks(self, plan: Plan) -> list[Callback]:
        return [EarlyStopping(patience=plan.rounds)]  # the weights of the best round

    def draw(self, network: Any, num_samples: int, asked: Asked, *, generator: torch.Generator) -> Tensor:  # fmt: skip
        drawn: Tensor = network.sample(num_samples, label=asked.label, generator=generator)
        return drawn


class RowDiffusion(RowMaker):
    """Gaussian noise on all entries, categories too, and a dense network that takes it away."""

    name = "diffusion"
    share = 0.7
    steps: ClassVar[int] = 30  # evaluations of a draw

    def build(self, plan: Plan) -> nn.Module:
        network = TimeMLP(
            self.codec.dim, self.num_classes, hidden_dim=plan.size.dim, num_layers=plan.size.num_layers, dropout=plan.dropout
        )  # fmt: skip
        return Diffusion(network, schedule="cosine", predict="v")

    def learning(self, plan: Plan, network: Any) -> dict[str, Any]:
        objective = DiffusionObjective(label_dropout=LABEL_DROPOUT)
        return {"objective": objective, "lr": 2e-3, "weight_decay": 1e-5, "clip_norm": 1.0}

    def callbacks(self, plan: Plan) -> list[Callback]:
        return [EMA(decay=0.995)]

    def draw(self, network: Any, num_samples: int, asked: Asked, *, generator: torch.Generator) -> Tensor:  # fmt: skip
        drawn: Tensor = sample(
            network, num_samples, steps=asked.steps or self.steps, guidance=asked.guidance,
            label=asked.label, generator=generator,
        )  # fmt: skip
        return drawn


MAKERS: dict[str, type[RowMaker]] = {"vae": RowVAE, "diffusion": RowDiffusion}
