"""The saved image model, and what it predicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from gradatim.data.decoding import decode_images
from gradatim.data.image_folder import find_images
from gradatim.errors import InvalidValue, Unavailable, choose
from gradatim.files import check_regular
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.images.fitted import LARGEST_SIDE, ImageAnswer, ImageNetwork
from gradatim.fitting.images.pixels import pixel_features
from gradatim.fitting.images.tags import PerTag, say_tags, tag_frame
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program, refuse_to_export
from gradatim.fitting.stored import Facts, StoredModel, whole
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse

CHUNK = 1024  # images that are read at once, at most
ROOM = 2**28  # bytes of images that are read at once
FittedImages = Fitted | PerTag | ImageNetwork
Images = str | Path | Sequence[str | Path] | np.ndarray


def outputs_of(model: FittedImages, images: np.ndarray) -> np.ndarray:
    """Probabilities or values of pictures ``(N, side, side, C)``."""
    if isinstance(model, ImageNetwork):
        return model.outputs(images)
    X = pixel_features(images)
    return model.outputs(X) if isinstance(model, PerTag) else predict(model, X)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ImageModel(StoredModel):
    """Models of images, with everything that turns a file into a prediction.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        labels: Class names, or names of labels of which an image may have several; none for values.
        side: Pixels along each side of the pictures that models see.
        channels: 1 for grey, 3 for colour.
        is_tagged: Whether an image may have several labels, or none.
    """

    folder_kind = "image"
    members = (ImageNetwork, PerTag, Fitted)
    own = ("labels", "side", "channels", "is_tagged")

    labels: list[str | int]
    side: int
    channels: int
    is_tagged: bool = False

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; pictures of a size that no folder of ours asks for are refused."""
        whole(description, "side", LARGEST_SIDE)
        whole(description, "channels", 3)
        return super().arguments({"is_tagged": False, **description}, tensors)

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of a black picture."""
        fitted, black = (
            self.fitted(model),
            np.zeros((1, self.side, self.side, self.channels), np.uint8),
        )
        if isinstance(fitted, ImageNetwork):
            return check_outputs(fitted.outputs(black), self.labels)
        X = pixel_features(black)
        said = fitted.outputs(X, rehearse) if isinstance(fitted, PerTag) else rehearse(fitted, X)
        return check_outputs(said, self.labels)

    def predict(self, images: Images, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return the class of every image, its value, or its labels joined by ``;``.

        Args:
            images: A folder, image files, or pictures ``(N, side, side, channels)`` of whole numbers from 0 to 255.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        said = self.outputs(images, model)
        if self.is_tagged:
            return say_tags(said, self.labels)
        return decide(said, self.labels, self.decision(model))

    def predict_proba(self, images: Images, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return probabilities, shape ``(N, classes)``, in the order of :attr:`labels`."""
        if not self.labels:
            choose("predict_proba", "task", "regression", ["classification"])
        return self.outputs(images, model)

    def outputs(self, images: Images, model: str) -> np.ndarray:
        """Return probabilities ``(N, classes)``, or values ``(N,)``."""
        if isinstance(images, np.ndarray):
            return outputs_of(self.fitted(model), self._check(images))
        paths = meant_images(images, [])
        pictures, faults = self._read(paths)
        if faults:
            place, reason = next(iter(faults.items()))
            raise InvalidValue(f"predict: {str(paths[place])!r} {reason}.")
        return outputs_of(self.fitted(model), pictures)

    def _check(self, images: np.ndarray) -> np.ndarray:
        shape = (self.side, self.side, self.channels)
        if images.shape[1:] != shape or images.dtype != np.uint8:
            raise InvalidValue(
                f"predict: images must be uint8 of shape (N, {', '.join(map(str, shape))}), got {images.dtype} of "
                f"shape {images.shape}. Pass files instead."
            )
        return images

    def _read(self, paths: Sequence[Path]) -> tuple[np.ndarray, dict[int, str]]:
        images, _, faults = decode_images(paths, self.side)
        if self.channels == 1:  # colours become brightness
            weights = np.array([0.299, 0.587, 0.114])
            grey = (images == images[..., :1]).all(axis=(1, 2, 3))
            mixed = np.rint(images @ weights).astype(np.uint8)[..., None]
            images = np.where(grey[:, None, None, None], images[..., :1], mixed)
        return images, faults

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame | np.ndarray", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Predict the images of a folder, some at a time; ``notes`` names files that cannot be read."""
        self.fitted(model)
        if isinstance(data, pd.DataFrame):
            raise InvalidValue("predict: data must be a folder of images, got a table.")
        if isinstance(data, np.ndarray):
            yield self.frame(self.outputs(data, model), None, model)
            return
        paths, root, skipped = meant_images(data, notes), Path(data), 0
        chunk = max(min(CHUNK, ROOM // (self.side**2 * 3)), 1)
        for start in range(0, len(paths), chunk):
            part = paths[start : start + chunk]
            pictures, faults = self._read(part)
            notes += [f"{part[k].name!r} {reason} and is skipped." for k, reason in faults.items()]
            skipped += len(faults)
            rows = [k for k in range(len(part)) if k not in faults]
            if not rows:
                continue
            outputs = outputs_of(self.fitted(model), pictures[rows])
            names = [str(part[k].relative_to(root)) if root.is_dir() else str(part[k]) for k in rows]  # fmt: skip
            yield self.frame(outputs, ("file", names), model)
        if skipped == len(paths):
            first = notes[-skipped].removesuffix(" and is skipped.")
            raise InvalidValue(f"predict: {str(root)!r} must be an image or hold images, and none can be read: {first}.")  # fmt: skip

    def frame(
        self, outputs: np.ndarray, places: tuple[str, Any] | None, model: str
    ) -> pd.DataFrame:
        """Predictions of a model as a table; ``places`` is a column that says what each row is."""
        if self.is_tagged:
            return tag_frame(outputs, self.labels, places)
        return prediction_frame(outputs, self.labels, places, self.decision(model))

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: pixels to probabilities, or to values."""
        fitted, shape = self.fitted(which), (2, self.side, self.side, self.channels)
        if not isinstance(fitted, ImageNetwork):
            refuse_to_export(self, which)
        words = f"whole numbers from 0 to 255, uint8 of shape (N, {self.side}, {self.side}, {self.channels})"
        pixels = Input("images", torch.zeros(shape, dtype=torch.uint8), words)
        before = (
            f"An image is cut to a square and scaled to {self.side} × {self.side} pixels first."
        )
        output = "probabilities" if self.labels else "values"
        return Program(ImageAnswer(fitted), [pixels], output, {"labels": self.labels, "before": before})  # fmt: skip

    def network(self) -> torch.nn.Module:
        """The network as a PyTorch module, on inputs ``(pixels - mean) / spread`` with channels first."""
        fitted = self.fitted("network")
        assert isinstance(fitted, ImageNetwork)
        return fitted.module.eval()

    def __repr__(self) -> str:
        said = f"{len(self.labels)} {'labels' if self.is_tagged else 'classes'}" if self.labels else "values"  # fmt: skip
        return f"ImageModel({self.recommended!r} for {said} of {self.side} × {self.side} images)"


def meant_images(data: str | Path | Sequence[str | Path], notes: list[str]) -> list[Path]:
    """The images that are meant; links that lead out of a folder are left alone, and said."""
    if not isinstance(data, str | Path):
        return [Path(path) for path in data]
    path = Path(data)
    if not path.exists():
        raise Unavailable(f"predict: {str(path)!r} is not there. Name a folder of images.")
    outside: list[Path] = []
    paths = find_images(path, outside=outside) if path.is_dir() else [path]
    notes += [f"{link.name!r} leads out of {str(path)!r} and is not followed." for link in outside]
    if paths == [path]:
        check_regular(path)
    if not paths:
        raise InvalidValue(f"predict: {str(path)!r} must hold images (PNG, JPEG), and holds none.")
    return paths
