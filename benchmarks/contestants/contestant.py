"""What a contestant is: a file with ``TITLE``, ``REQUIRES``, ``VARIANTS`` and ``build(task, variant)``.

``REQUIRES`` names the packages it imports, ``VARIANTS`` the settings it may choose from (the fastest
counts), and ``build`` imports them and returns a :class:`Contestant`.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

Tick = Callable[[], None]


class Contestant(NamedTuple):
    """A task in the hands of one library, in one variant.

    Args:
        train: ``train(epochs, tick)`` goes on training for some epochs and calls ``tick`` once in each,
            always at the same place: what lies between two calls is an epoch.
        check: Returns the figure by which one sees that everybody did the same work.
    """

    train: Callable[[int, Tick], None]
    check: Callable[[], float]


def find_contestant(family: str, name: str) -> ModuleType:
    """Import the file of a contestant, which does not import its library yet."""
    return import_module(f"benchmarks.contestants.{family}.{name}")


def missing_packages(module: ModuleType) -> list[str]:
    """Return the packages that a contestant needs and that are not installed."""
    return [name for name in module.REQUIRES if find_spec(name) is None]


def package_versions(module: ModuleType) -> dict[str, str]:
    """Return the versions of the packages of a contestant, by the names under which pip knows them."""
    homes = packages_distributions()
    names = [homes.get(package, [package])[0] for package in module.REQUIRES]
    return {name: version(name) for name in names}
