"""The saved generator of pictures: simple generators, and the network where there was time for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose, require
from gradatim.fitting.generative.images.made import MadeImages, check_images_output
from gradatim.fitting.generative.images.networks import MAKERS
from gradatim.fitting.generative.images.reading import MOST_CLASSES, SIDES
from gradatim.fitting.generative.medium import Asked
from gradatim.fitting.generative.stored import Request, StoredGenerator, check_diffusion
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.stored import is_finite, whole
from gradatim.generative import MODELS, ImageMixture
from gradatim.model_folder import gather_tensors, save_model, tensors_of
from gradatim.models import describe
from gradatim.models.restoring import restore

GAUSSIAN, MIXTURE = "single Gaussian", "Gaussian mixture"
AT_ONCE = 1_000  # pictures that are drawn
MOST = 100_000  # pictures that are held


def draw_labels(shares: tuple[float, ...], count: int, generator: torch.Generator) -> Tensor:
    """Classes at the rate of the data; zeros where there are none.

    Args:
        shares: How frequent each class is.
        count: How many to draw.
        generator: Source of randomness.
    """
    if not shares:
        return torch.zeros(count, dtype=torch.long)
    weights = torch.tensor(shares, dtype=torch.float64)
    return torch.multinomial(weights, count, replacement=True, generator=generator)


def whole_numbers(x: Tensor) -> Tensor:
    """Brightness from 0 to 1 as whole numbers from 0 to 255.

    >>> whole_numbers(torch.tensor([0.0, 0.5, 1.0])).tolist()
    [0, 128, 255]
    """
    return (x.clamp(0, 1) * 255).round().to(torch.uint8)


@dataclass(eq=False, repr=False)
class PictureGenerator(StoredGenerator):
    """Generators of pictures by name.

    Args:
        side: Pixels along each side.
        channels: 1 for grey, 3 for colour.
        classes: Names of the classes; none where none can be asked for.
        shares: How frequent each is.
        mixtures: Simple generators by name.
        recommended: The generator to use.
        network: The network, if there is one.
        maker: Its kind.
        about: Plain facts: figures, verdict, data.
    """

    things = "images"

    side: int
    channels: int
    classes: tuple[str, ...]
    shares: tuple[float, ...]
    mixtures: dict[str, ImageMixture]
    recommended: str
    network: nn.Module | None = None
    maker: str | None = None
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def generators(self) -> list[str]:
        """Names of the generators, the simplest first."""
        return [*self.mixtures, *([NETWORK] if self.network is not None else [])]

    # --- drawing

    def sample(
        self,
        num_samples: int,
        *,
        which: str = RECOMMENDED,
        label: str | int | None = None,
        guidance: float = 0.0,
        steps: int | None = None,
        seed: int = 0,
    ) -> MadeImages:
        """Return new pictures, whole numbers from 0 to 255.

        Args:
            num_samples: How many.
            which: ``"recommended"``, or a generator of the folder such as ``"network"``.
            label: Class of every picture, for a generator that learned classes.
            guidance: How far to go beyond what the class asks for.
            steps: Evaluations of a diffusion model.
            seed: Fixes all draws.
        """
        request = Request(
            num_samples=num_samples, which=which, label=None if label is None else str(label), guidance=guidance, steps=steps, seed=seed
        )  # fmt: skip
        return self.draw(request, [])

    def draw(self, request: Request, notes: list[str]) -> MadeImages:
        name = self.recommended if request.which == RECOMMENDED else request.which
        choose("sample", "which", name, self.generators)
        code = self._check(request, name)
        require(request.num_samples <= MOST, f"sample: num_samples must be at most {MOST:,} for images", f"{request.num_samples:,}", "Draw several times, with other seeds.")  # fmt: skip
        generator = torch.Generator().manual_seed(request.seed)
        images = np.empty((request.num_samples, self.side, self.side, self.channels), np.uint8)
        labels = np.zeros(request.num_samples, np.int64)
        for start in range(0, len(images), AT_ONCE):
            own = slice(start, min(start + AT_ONCE, len(images)))
            told = draw_labels(self.shares, own.stop - own.start, generator)
            told = told if code is None else torch.full_like(told, code)
            made = self._make(name, told, request, generator)
            images[own], labels[own] = np.moveaxis(whole_numbers(made).numpy(), 1, 3), told.numpy()
        is_told = bool(self.classes) and self._knows_classes(name)
        return MadeImages(images, labels if is_told else None, self.classes if is_told else ())

    def _knows_classes(self, name: str) -> bool:
        return bool(self.classes) and (name == NETWORK or self.mixtures[name].num_classes > 1)

    def _check(self, request: Request, name: str) -> int | None:
        """The class that is asked for; what a generator cannot be asked for is refused."""
        if request.where:
            asked = next(f"{column}={value}" for column, value in request.where.items())
            raise InvalidValue(f"sample: where must be left out for images, got {asked!r}. Ask for a class by --class.")  # fmt: skip
        has_diffusion = self.network is not None and self.maker == "diffusion"
        check_diffusion(request, name, has_diffusion=has_diffusion, has_classes=bool(self.classes))  # fmt: skip
        if request.label is None:
            return None
        if not self._knows_classes(name):
            others = [own for own in self.generators if self._knows_classes(own)]
            remedy = f"Try --model {others[-1]!r}." if others else "Put images of a class into a subfolder when you fit."  # fmt: skip
            raise InvalidValue(f"sample: label must be left out for a generator that learned no classes, got {request.label!r}. {remedy}")  # fmt: skip
        return self.classes.index(choose("sample", "label", request.label, self.classes))

    def _make(self, name: str, labels: Tensor, request: Request, generator: torch.Generator) -> Tensor:  # fmt: skip
        if name != NETWORK:
            mixture = self.mixtures[name]
            own = labels if mixture.num_classes > 1 else torch.zeros_like(labels)
            return mixture.sample(own, generator=generator)
        told = labels if self.classes else None
        maker = MAKERS[str(self.maker)](self.channels, self.side, len(self.classes) or None)
        return maker.draw(self.network, len(labels), Asked(told, request.guidance, request.steps), generator=generator)  # fmt: skip

    # --- writing

    def check(self, output: Path, num_samples: int, inputs: Sequence[Path]) -> None:
        check_images_output(output, num_samples, inputs)

    def write(self, samples: MadeImages, output: Path, inputs: Sequence[Path], notes: list[str]) -> None:  # fmt: skip
        samples.write(output, inputs)

    # --- storing

    def save(self, folder: str | Path, extra: Mapping[str, bytes] | None = None) -> Path:
        description = {
            "medium": "images",
            "side": self.side,
            "channels": self.channels,
            "classes": list(self.classes),
            "shares": list(self.shares),
            "recommended": self.recommended,
            "maker": self.maker,
            "network": None if self.network is None else describe(self.network, beside=MODELS),
            "about": self.about,
        }
        parts: dict[str, Mapping[str, Tensor]] = {name: vars(own) for name, own in self.mixtures.items()}  # fmt: skip
        if self.network is not None:
            parts[NETWORK] = self.network.state_dict()
        return save_model(folder, "generative", description, gather_tensors(parts), extra)

    @classmethod
    def from_folder(cls, description: dict[str, Any], tensors: Mapping[str, Tensor]) -> Self:
        """Rebuild what :meth:`save` wrote; sizes that no folder of ours has are refused before anything is built.

        Args:
            description: What the folder says.
            tensors: Its numbers.
        """
        require(is_finite(tensors), "load_model: the numbers of the generator must be finite", "others")  # fmt: skip
        side, channels = whole(description, "side", SIDES[1]), whole(description, "channels", 3)
        require(side > 0 and channels in (1, 3), "load_model: images must have pixels of one or three channels", f"{channels}")  # fmt: skip
        classes, shares = tuple(map(str, description["classes"])), tuple(map(float, description["shares"]))  # fmt: skip
        is_sound = len(classes) == len(shares) == len(set(classes)) <= MOST_CLASSES and all(0 <= own <= 1 for own in shares) and (not shares or sum(shares) > 0)  # fmt: skip
        require(is_sound, "load_model: classes must be different names with a share each", "others")
        mixtures = {name: _mixture(tensors_of(name, tensors), (channels, side, side), len(classes)) for name in (GAUSSIAN, MIXTURE)}  # fmt: skip
        network, maker = description["network"], description["maker"]
        if network is not None:
            choose("load_model", "maker", maker, MAKERS)
            _check_sides(network)
            network = restore("load_model", network, tensors_of(NETWORK, tensors), beside=MODELS).eval()  # fmt: skip
        model = cls(side, channels, classes, shares, mixtures, description["recommended"], network, maker, description["about"])  # fmt: skip
        choose("load_model", "recommended", model.recommended, model.generators)
        for name in model.generators:  # parts that do not fit each other are noticed now
            model.draw(Request(num_samples=2, which=name, steps=1 if name == NETWORK and maker == "diffusion" else None), [])  # fmt: skip
        return model

    def __repr__(self) -> str:
        return f"PictureGenerator({self.side} × {self.side} pixels; {', '.join(self.generators)})"


def _check_sides(facts: object) -> None:
    """Refuse images of a size that no network of ours makes: their weights do not tell it."""
    if isinstance(facts, Mapping):
        for name, value in facts.items():
            if name in ("image_size", "patch") and value is not None:
                whole(dict(facts), name, SIDES[1])
            _check_sides(value)
    elif isinstance(facts, list | tuple):
        for value in facts:
            _check_sides(value)


def _mixture(own: Mapping[str, Tensor], shape: tuple[int, int, int], num_classes: int) -> ImageMixture:  # fmt: skip
    rule = "load_model: the arrays of a simple generator must fit each other"
    names = ("mean", "basis", "weights", "centers", "factors")
    require(set(own) == set(names), rule, "others")
    found = ImageMixture(*(own[name] for name in names))
    dim, count, rows = len(found.basis), len(found.centers), len(found.weights)
    wanted = (shape, (dim, int(np.prod(shape))), (rows, count), (count, dim), (count, dim, dim))
    is_sound = all(own[name].shape == size for name, size in zip(names, wanted, strict=True))
    is_sound = is_sound and rows in (1, num_classes) and bool((found.weights >= 0).all()) and bool((found.weights.sum(1) > 0).all())  # fmt: skip
    require(is_sound, rule, "others")
    return found
