"""The saved model of masks, and what it predicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from gradatim.data.mask_files import MaskStyle
from gradatim.data.whole_images import enlarge, press, read_whole
from gradatim.errors import InvalidValue, require
from gradatim.fitting.classes import frame_of
from gradatim.fitting.images.model import meant_images
from gradatim.fitting.masks.kind import SIDES, STEP
from gradatim.fitting.masks.networks import MaskNetwork
from gradatim.fitting.masks.simple import GREY, SimpleMasks, channel_of
from gradatim.fitting.network import Answer
from gradatim.fitting.painting import Piece
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program, refuse_to_export
from gradatim.fitting.stored import Facts, StoredModel, whole

CHUNK = 32  # images that are read at once
AREA = "area "  # begins the name of a column
FittedMasks = SimpleMasks | MaskNetwork
Images = str | Path | Sequence[str | Path] | np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MaskModel(StoredModel):
    """Models of masks, with everything that turns an image into its mask.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        labels: Class names.
        side: Pixels along each side of what models see.
        channels: 1 for grey, 3 for colour.
        style: What the user's masks looked like, and predicted ones do.
    """

    folder_kind = "mask"
    members = (MaskNetwork, SimpleMasks)
    own = ("labels", "side", "channels")
    reads_memory = True

    labels: list[str]
    side: int
    channels: int
    style: MaskStyle

    def facts(self) -> Facts:
        """What this kind adds to the description, as plain data."""
        return super().facts() | {"style": self.style.facts()}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; pictures of a size that no folder of ours asks for are refused."""
        whole(description, "channels", 3)
        side, style = whole(description, "side", SIDES[1]), MaskStyle.from_facts(description["style"])  # fmt: skip
        require(side >= STEP and side % STEP == 0, f"load_model: side must be a multiple of {STEP}", side)  # fmt: skip
        labels = description["labels"]
        fits = isinstance(labels, list) and len(labels) == len(style.values) and all(isinstance(name, str) for name in labels)  # fmt: skip
        require(fits, f"load_model: labels must name {len(style.values)} classes", "others")
        return super().arguments(description, tensors) | {"style": style}

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of a black picture."""
        black = np.zeros((1, self.side, self.side, self.channels), np.uint8)
        outputs = self.fitted(model).outputs(black)
        wanted = (1, len(self.labels), self.side, self.side)
        require(outputs.shape == wanted, f"load_model: models must have outputs of shape {wanted}", outputs.shape)  # fmt: skip
        return outputs

    def predict(
        self, images: Images, *, model: str = RECOMMENDED
    ) -> "np.ndarray | list[np.ndarray]":
        """Return the mask of an image, or masks of several, with the values of the masks that were learned from.

        Args:
            images: An image file; a folder or several files; one image ``(H, W)`` or ``(H, W, channels)``, or several
                ``(N, H, W, channels)``, of whole numbers from 0 to 255.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.

        Returns:
            Values ``(H, W)``, or colours ``(H, W, 3)``; a list where files are several, one array where arrays are.
        """
        said = [self.style.paint(codes) for codes in self._codes(images, model)]
        if isinstance(images, np.ndarray):
            return said[0] if self._is_one(images) else np.stack(said)
        return said[0] if isinstance(images, str | Path) and not Path(images).is_dir() else said

    def predict_proba(self, images: Images, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return probabilities of every pixel as the models see it, shape ``(N, classes, side, side)``.

        Args:
            images: As in :meth:`predict`.
            model: As there.
        """
        return np.concatenate([self.fitted(model).outputs(p[None]) for p, _ in self._pictures(images)])  # fmt: skip

    def _codes(self, images: Images, model: str) -> Iterator[np.ndarray]:
        fitted = self.fitted(model)
        for picture, size in self._pictures(images):
            yield enlarge(fitted.outputs(picture[None])[0], size)

    def _is_one(self, images: np.ndarray) -> bool:
        return images.ndim == 2 or (images.ndim == 3 and images.shape[-1] in (1, 3))

    def _pictures(self, images: Images) -> Iterator[tuple[np.ndarray, tuple[int, int]]]:
        """Pictures as models see them, each with its own height and width."""
        if isinstance(images, np.ndarray):
            if images.dtype != np.uint8 or images.ndim not in (2, 3, 4):
                raise InvalidValue(
                    f"predict: images must be uint8 of shape (H, W), (H, W, channels) or (N, H, W, channels), got "
                    f"{images.dtype} of shape {images.shape}."
                )
            batch = images[None] if self._is_one(images) else images
            batch = batch[..., None] if batch.ndim == 3 else batch
            require(batch.shape[-1] in (1, 3) and batch.size, "predict: images must have one or three channels", batch.shape)  # fmt: skip
            for picture in press(batch, self.side):
                yield self._in_channels(picture), (batch.shape[1], batch.shape[2])
            return
        for path in meant_images(images, []):
            found = read_whole(path, self.side)
            if isinstance(found, str):
                raise InvalidValue(f"predict: {str(path)!r} {found}.")
            yield self._in_channels(found.picture), found.size

    def _in_channels(self, picture: np.ndarray) -> np.ndarray:
        """A picture with as many channels as models take: colours become brightness, grey stays grey."""
        if picture.shape[-1] == self.channels:
            return picture
        if self.channels == 3:
            return np.repeat(picture, 3, axis=-1)
        return channel_of(picture, GREY)[..., None]

    def prediction_files(
        self, data: "str | Path | pd.DataFrame | np.ndarray", model: str, notes: list[str]
    ) -> Iterator[Piece]:
        """Predict images, some at a time: a table of areas, and masks as PNG files by name; ``notes`` names what is skipped."""
        fitted = self.fitted(model)
        if isinstance(data, pd.DataFrame):
            raise InvalidValue("predict: data must be a folder of images, got a table.")
        if not isinstance(data, str | Path):
            data = np.asarray(data)
            masks = list(self._codes(data, model))
            names = [f"image {k}" for k in range(len(masks))]
            yield self._piece(names, masks)
            return
        paths, root, skipped = meant_images(data, notes), Path(data), 0
        for start in range(0, len(paths), CHUNK):
            names, masks = [], []
            for path in paths[start : start + CHUNK]:
                found = read_whole(path, self.side)
                if isinstance(found, str):
                    notes.append(f"{path.name!r} {found} and is skipped.")
                    skipped += 1
                    continue
                names.append(path.relative_to(root).as_posix() if root.is_dir() else path.name)
                masks.append(enlarge(fitted.outputs(self._in_channels(found.picture)[None])[0], found.size))  # fmt: skip
            if names:
                yield self._piece(names, masks)
        if skipped == len(paths):
            first = notes[-skipped].removesuffix(" and is skipped.")
            raise InvalidValue(f"predict: {str(root)!r} must be an image or hold images, and none can be read: {first}.")  # fmt: skip

    def _piece(self, names: list[str], masks: list[np.ndarray]) -> Piece:
        """Areas and files of some masks."""
        files = [(_mask_name(n), self.style.write(m)) for n, m in zip(names, masks, strict=True)]
        return areas_of(names, masks, self.labels), files

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame | np.ndarray", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Areas of the classes in images, some at a time; ``notes`` names files that cannot be read."""
        for table, _ in self.prediction_files(data, model, notes):
            yield table

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: pixels to probabilities of every pixel."""
        fitted, shape = self.fitted(which), (2, self.side, self.side, self.channels)
        if not isinstance(fitted, MaskNetwork):
            refuse_to_export(self, which)
        words = f"whole numbers from 0 to 255, uint8 of shape (N, {self.side}, {self.side}, {self.channels})"
        pixels = Input("images", torch.zeros(shape, dtype=torch.uint8), words)
        before = (
            f"An image is pressed to {self.side} × {self.side} pixels first; probabilities have shape "
            f"(N, {len(self.labels)}, {self.side}, {self.side})."
        )
        return Program(Answer(fitted, torch.nn.Identity()), [pixels], "probabilities", {"labels": self.labels, "before": before})  # fmt: skip

    def network(self) -> torch.nn.Module:
        """The network as a PyTorch module, on inputs ``(pixels - mean) / spread`` with channels first."""
        fitted = self.fitted("network")
        assert isinstance(fitted, MaskNetwork)
        return fitted.module.eval()

    def __repr__(self) -> str:
        return f"MaskModel({self.recommended!r} for {len(self.labels)} classes of pixels, seen at {self.side} × {self.side})"


def areas_of(
    names: Sequence[str], masks: Sequence[np.ndarray], labels: Sequence[str]
) -> pd.DataFrame:
    """A row for every mask: its image, its pixels, and how many of them are of each class.

    Args:
        names: What to call the images.
        masks: Codes of classes, shape ``(H, W)`` each.
        labels: Names of the classes.

    Example:
        >>> areas_of(["a.png"], [np.array([[0, 1, 1]])], ["paper", "ink"]).to_dict("records")
        [{'file': 'a.png', 'pixels': 3, 'area paper': 1, 'area ink': 2}]
    """
    counts = np.array([np.bincount(mask.ravel(), minlength=len(labels)) for mask in masks])
    columns: dict[str, Any] = {"file": list(names), "pixels": counts.sum(1)}
    return frame_of(columns | {f"{AREA}{label}": counts[:, k] for k, label in enumerate(labels)})


def _mask_name(image: str) -> str:
    """The name of an image's mask: its own, as PNG.

    >>> _mask_name("sub/a.b.jpg")
    'sub/a.b.png'
    """
    return str(Path(image).with_suffix(".png").as_posix())
