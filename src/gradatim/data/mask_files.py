"""Masks as image files: which value or colour of a pixel is which class, read and written.

A mask is grey (a number per pixel, such as 0 and 255, or class indices of 8 or 16 bits), has a palette (an index per pixel,
each with a colour), or is in colour. All masks of a folder must agree; where they do not, their colours tell.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageColor, ImageOps

from gradatim.data.decoding import use_image
from gradatim.errors import InvalidValue, choose, require

MOST_COLOURS = 50
LOSSY = ("JPEG", "MPO")
GREY, PALETTE, COLOUR, ALPHA = "grey", "palette", "colour", "alpha"
TOPS = {GREY: 2**16, PALETTE: 2**8, COLOUR: 2**24, ALPHA: 2**32}  # above all values of a kind
_BYTES = {COLOUR: 3, ALPHA: 4}
_NAMES: dict[tuple[int, ...], str] = {
    ImageColor.getrgb(text): name for name, text in reversed(ImageColor.colormap.items())
}


class Mask(NamedTuple):
    """A mask as it was read.

    Args:
        kind: ``"grey"``, ``"palette"``, ``"colour"`` or ``"alpha"`` (colours that may be transparent).
        values: A number per pixel, shape ``(H, W)``: value, index, or bytes of the colour in one number.
        colours: The colour of every index that is used, ``(red, green, blue)``; empty without a palette.
        is_lossy: Whether the file's format changes colours.
    """

    kind: str
    values: np.ndarray
    colours: dict[int, tuple[int, ...]]
    is_lossy: bool

    def found(self) -> list[int]:
        """The different values, in order; one more than a mask may have stands for all others."""
        flat = self.values.ravel()
        if self.kind in (GREY, PALETTE):
            return np.flatnonzero(np.bincount(flat)).tolist()
        few: list[int] = []
        while flat.size and len(few) <= MOST_COLOURS:  # a pass for each, and few of them
            few.append(int(flat[0]))
            flat = flat[flat != flat[0]]
        return sorted(few)


def read_mask(path: str | Path) -> Mask | str:
    """Read the mask of an image, turned upright; or say why it cannot be.

    Args:
        path: An image file.

    Example:
        >>> read_mask("there-is-none.png")
        'cannot be read'
    """
    return use_image(path, lambda image: _as_mask(ImageOps.exif_transpose(image), image.format in LOSSY))  # fmt: skip


def _as_mask(image: Image.Image, is_lossy: bool) -> Mask | str:
    if image.mode == "P":
        values = np.asarray(image)
        table = np.array(image.getpalette("RGB") or [], dtype=np.uint8).reshape(-1, 3)
        used = [k for k in np.flatnonzero(np.bincount(values.ravel())).tolist() if k < len(table)]
        return Mask(PALETTE, values, {k: tuple(table[k].tolist()) for k in used}, is_lossy)
    if image.mode in ("1", "L"):
        return Mask(GREY, np.asarray(image.convert("L")), {}, is_lossy)
    if image.mode == "I" or image.mode.startswith("I;"):
        numbers = np.asarray(image)
        if numbers.min() < 0 or numbers.max() >= TOPS[GREY]:
            return f"has values from {numbers.min()} to {numbers.max()}, and must have some from 0 to 65535"
        return Mask(GREY, numbers.astype(np.uint16), {}, is_lossy)
    if image.mode == "F":
        return "has numbers with fractions, and must have whole ones"
    pixels = np.asarray(image.convert("RGBA")).astype(np.uint32)
    if (pixels[..., 3] == 255).all():
        return Mask(COLOUR, _packed(pixels[..., :3]), {}, is_lossy)
    pixels[pixels[..., 3] == 0] = 0  # what cannot be seen has no colour
    return Mask(ALPHA, _packed(pixels), {}, is_lossy)


def _packed(pixels: np.ndarray) -> np.ndarray:
    """Bytes of colours ``(..., n)`` in one number each, red highest.

    >>> hex(_packed(np.array([1, 2, 3])))
    '0x10203'
    """
    total = np.zeros(pixels.shape[:-1], dtype=np.uint32)
    for channel in np.moveaxis(pixels.astype(np.uint32), -1, 0):
        total = total * np.uint32(256) + channel
    return total


def _unpacked(value: int, count: int) -> tuple[int, ...]:
    """Undo :func:`_packed`.

    >>> _unpacked(0x10203, 3)
    (1, 2, 3)
    """
    return tuple((value >> 8 * k) & 255 for k in reversed(range(count)))


@dataclass(frozen=True)
class MaskStyle:
    """What masks look like: the value of every class, in order of their codes.

    Args:
        kind: As in :class:`Mask`.
        values: A value per class, in order.
        colours: The colour of every class, for masks with a palette.
    """

    kind: str
    values: tuple[int, ...]
    colours: tuple[tuple[int, ...], ...] = ()

    def names(self) -> list[str]:
        """Names of the classes: numbers, names of colours, or colours in hexadecimal.

        Example:
            >>> MaskStyle("grey", (0, 255)).names(), MaskStyle("grey", (0, 1, 2)).names()
            (['black', 'white'], ['0', '1', '2'])
            >>> MaskStyle("colour", (0xFF0000, 0x123456)).names()
            ['red', '#123456']
        """
        if self.kind == GREY:
            is_plain = set(self.values) <= {0, 255}
            return [{0: "black", 255: "white"}[v] if is_plain else str(v) for v in self.values]
        if self.kind == PALETTE:
            return [f"{v} {_name(c)}".strip() for v, c in zip(self.values, self.colours, strict=True)]  # fmt: skip
        return [_name(_unpacked(v, _BYTES[self.kind])) for v in self.values]

    def paint(self, codes: np.ndarray) -> np.ndarray:
        """Pixels as in the user's masks: values ``(H, W)``, or colours ``(H, W, 3)`` or ``(H, W, 4)``.

        Args:
            codes: Class of every pixel, shape ``(H, W)``.

        Example:
            >>> MaskStyle("grey", (0, 255)).paint(np.array([[1, 0]])).tolist()
            [[255, 0]]
        """
        if self.kind in _BYTES:
            table = np.array([_unpacked(v, _BYTES[self.kind]) for v in self.values], dtype=np.uint8)
        else:
            table = np.array(self.values, dtype=np.uint8 if max(self.values) < 256 else np.uint16)
        return table[codes]

    def write(self, codes: np.ndarray) -> bytes:
        """A mask as the bytes of a PNG file, as the user's masks were.

        Args:
            codes: Class of every pixel, shape ``(H, W)``.
        """
        image = Image.fromarray(self.paint(codes))
        if self.kind == PALETTE:
            table = np.zeros((256, 3), dtype=np.uint8)
            table[list(self.values)] = self.colours
            image.putpalette(table.tobytes())
        out = io.BytesIO()
        image.save(out, "PNG")
        return out.getvalue()

    def facts(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": self.kind, "values": list(self.values), "colours": [list(c) for c in self.colours]}  # fmt: skip

    @classmethod
    def from_facts(cls, facts: Any) -> "MaskStyle":
        """Undo :meth:`facts`; what no folder of ours says is refused.

        Args:
            facts: Plain data.
        """
        kind = choose("load_model", "a style of masks", facts["kind"], TOPS)
        values, colours = facts["values"], facts["colours"]
        rule = "load_model: values of masks must be different whole numbers of their kind"
        require(isinstance(values, list) and 0 < len(values) <= MOST_COLOURS, rule, "another list")
        require(all(type(v) is int and 0 <= v < TOPS[kind] for v in values), rule, "others")
        require(len(set(values)) == len(values), rule, "one twice")
        wanted = len(values) if kind == PALETTE else 0
        is_table = np.array(colours, dtype=object).shape == ((wanted, 3) if wanted else (0,))
        bytes_ = [b for c in colours for b in c] if is_table else [None]
        fits = all(type(b) is int and 0 <= b < 256 for b in bytes_)
        require(fits, "load_model: colours of masks must be three bytes each", "others")
        return cls(kind, tuple(values), tuple(tuple(c) for c in colours))


def _name(colour: Sequence[int]) -> str:
    """A colour in words where it has a name."""
    if tuple(colour) == (0, 0, 0, 0):
        return "transparent"
    opaque = tuple(colour[:3]) if len(colour) == 3 or colour[3] == 255 else tuple(colour)
    return _NAMES.get(opaque) or "#" + "".join(f"{b:02x}" for b in opaque)


def find_kind(masks: Iterable[Mask]) -> str:
    """The kind that all masks can be read as: their own, or that of their colours.

    Args:
        masks: Some of one folder.
    """
    kinds: set[str] = set()
    colours: dict[int, tuple[int, ...]] = {}
    agree = True
    for mask in masks:
        kinds.add(mask.kind)
        for index, colour in mask.colours.items():
            agree = agree and colours.setdefault(index, colour) == colour
    if len(kinds) == 1 and (kinds != {PALETTE} or agree):
        return kinds.pop()
    return ALPHA if ALPHA in kinds else COLOUR


def convert_values(mask: Mask, kind: str) -> np.ndarray:
    """The values of a mask as those of another kind.

    Args:
        mask: As it was read.
        kind: Of :func:`find_kind`.

    Example:
        >>> mask = Mask("grey", np.array([[0, 255]]), {}, False)
        >>> [hex(v) for v in convert_values(mask, "colour")[0]]
        ['0x0', '0xffffff']
    """
    if mask.kind == kind:
        return mask.values
    if mask.kind == GREY and mask.values.max() > 255:
        raise InvalidValue(
            "fit: masks must all be of one kind, got 16-bit numbers beside colours. Save them alike."
        )
    if mask.kind == COLOUR:
        return mask.values * np.uint32(256) + np.uint32(255)
    table = np.zeros((256, _BYTES[kind]), dtype=np.uint8)
    table[:, :3] = np.arange(256)[:, None]
    for index, colour in mask.colours.items():
        table[index, :3] = colour
    table[:, 3:] = 255
    return _packed(table)[mask.values]
