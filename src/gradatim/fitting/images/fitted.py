"""A trained network of images, with the scale of its inputs and what its outputs mean."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import require
from gradatim.fitting.images.inputs import as_inputs, block_of, cut_tiles, look, scale_pixels
from gradatim.fitting.images.kind import MOST_TILES, SIDES
from gradatim.fitting.learning import Target
from gradatim.fitting.network import FittedNetwork
from gradatim.fitting.stored import Facts, whole
from gradatim.fitting.tables.predictors import hold

VIEWS = (1, 2, 4)
LARGEST_SIDE = SIDES[1] * MOST_TILES  # pixels


@dataclass(eq=False, repr=False)
class ImageNetwork(FittedNetwork):
    """A trained network with the scale of its inputs.

    Args:
        module: Pictures to logits.
        classes: Number of classes or labels; 0 for values.
        settings: What was chosen, ``mean`` and ``spread`` of the training pixels among it; ``tiles`` that a picture is cut
            into, ``views`` of it that are looked at and the ``side`` it is scaled to, where these are others than 1, 1 and
            its own; ``center`` and ``scale`` of values, and ``low`` and ``high``, to which they are held.
    """

    classes: int
    settings: dict[str, Any]

    @classmethod
    def of(cls, module: nn.Module, target: Target, y: np.ndarray, settings: dict[str, Any], tiles: int) -> Self:  # fmt: skip
        """A network that learned ``y`` as ``target`` tells."""
        about: dict[str, Any] = {"is_tagged": target.is_tagged, "tiles": tiles}
        if not target.classes:
            about |= {"center": target.center, "scale": target.scale, **hold(y)}
        return cls(module, target.classes, {**settings, **about})

    @property
    def tiles(self) -> int:
        """Parts along each side of a picture."""
        return self.settings.get("tiles", 1)

    @property
    def views(self) -> int:
        """Ways to look at a picture."""
        return self.settings.get("views", 1)

    @property
    def target(self) -> Target:
        """What the outputs mean."""
        s = self.settings
        return Target(self.classes, s.get("center", 0.0), s.get("scale", 1.0), s.get("is_tagged", False))  # fmt: skip

    def looking(self, views: int) -> "ImageNetwork":
        """The same network, which looks at pictures in so many ways."""
        return replace(self, settings={**self.settings, "views": views})

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> Self:
        """Undo :meth:`store`; sizes that no folder of ours has are refused."""
        settings = facts["settings"]
        for name, most in (("side", LARGEST_SIDE), ("tiles", MOST_TILES)):
            if settings.get(name) is not None:
                require(whole(settings, name, most) > 0, f"load_model: {name} must be positive", 0)
        for name in ("center", "scale", "low", "high"):
            number = settings.get(name, 0.0)
            require(isinstance(number, int | float), f"load_model: {name} must be a number", str(number)[:40])  # fmt: skip
        views = settings.get("views", 1)
        require(views in VIEWS, f"load_model: views must be one of {VIEWS}", str(views)[:40])
        return super().restore(facts, tensors)

    def inputs(self, images: np.ndarray) -> Tensor:
        """Pictures ``(N, side, side, C)``, or tiles of them, as the module takes them, ``(N, C, side, side)``."""
        s = self.settings
        return as_inputs(images, s["mean"], s["spread"], s.get("side"))

    def compute(self, *rows: Tensor) -> Tensor:
        """Logits of pictures, or of tiles of them."""
        s = self.settings
        inputs = scale_pixels(rows[0], s["mean"], s["spread"], s.get("side"))
        # grey ones would pass for channels last, and give other bits
        layout = torch.channels_last if s.get("is_published") else torch.contiguous_format
        return self.module(inputs.clone(memory_format=layout))

    def outputs(self, images: np.ndarray) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``: the mean over all views and tiles."""
        seen = (cut_tiles(view, self.tiles) for view in look(images, self.views))
        return self.say([self.run(tiles, block=block_of(tiles.shape[1])) for tiles in seen])

    def say(self, logits: list[np.ndarray]) -> np.ndarray:
        """What outputs of the module mean, for each view those of all tiles, shape ``(N · tiles², K)``."""
        said = np.mean([self.target.decode(z) for z in logits], axis=0)
        said = said.reshape(-1, self.tiles**2, *said.shape[1:]).mean(1)
        s = self.settings
        return said if self.classes else np.clip(said, s.get("low", -np.inf), s.get("high", np.inf))


class ImageAnswer(nn.Module):
    """What a network of images answers to pictures ``(N, side, side, C)``, all views and tiles together, as a module.

    Args:
        fitted: The network.
    """

    def __init__(self, fitted: ImageNetwork) -> None:
        super().__init__()
        self.module, self.fitted = fitted.module, fitted

    def forward(self, images: Tensor) -> Tensor:
        f = self.fitted
        seen = [images, images.flip(2)][: f.views]
        seen += [view.flip(1) for view in seen] if f.views == 4 else []
        said = torch.stack([self._answer(view) for view in seen]).mean(0)
        said = said.unflatten(0, (-1, f.tiles**2)).mean(1)
        return said if f.classes else said.clamp(f.settings.get("low"), f.settings.get("high"))

    def _answer(self, images: Tensor) -> Tensor:
        f, target = self.fitted, self.fitted.target
        t = f.tiles
        tiles = images.unflatten(1, (t, -1)).unflatten(3, (t, -1)).transpose(2, 3).flatten(0, 2)
        z = f.compute(tiles)
        if target.is_tagged:
            return z.sigmoid()
        return z.softmax(1) if f.classes else z[:, 0] * target.scale + target.center
