"""The versions a result was made with."""

from importlib.metadata import PackageNotFoundError, version
from platform import python_version


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries a result depends on.

    >>> "torch" in versions()
    True
    """
    found = {"python": python_version()}
    for package in ("gradatim", "torch", "numpy", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
