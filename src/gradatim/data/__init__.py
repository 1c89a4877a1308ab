"""Data sets by name: offline ones, synthetic ones, and downloads that are checked and kept."""

from importlib import import_module
from typing import TYPE_CHECKING

from gradatim.data.cache import cache_folder
from gradatim.data.dataset import DataSet
from gradatim.data.entries import catalogue
from gradatim.data.entry import Entry
from gradatim.data.fetch import get
from gradatim.data.loading import load

if TYPE_CHECKING:
    from gradatim.data.synthetic import blobs, circles, moons, sinusoid, spirals, xor

__all__ = [
    "DataSet",
    "Entry",
    "blobs",
    "cache_folder",
    "catalogue",
    "circles",
    "get",
    "load",
    "moons",
    "sinusoid",
    "spirals",
    "xor",
]


def __getattr__(name: str) -> object:
    if name in __all__:  # the makers need NumPy, which the command line should not wait for
        return getattr(import_module("gradatim.data.synthetic"), name)
    raise AttributeError(f"module 'gradatim.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
