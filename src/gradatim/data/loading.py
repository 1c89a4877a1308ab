"""Open a data set by name."""

from gradatim.data.dataset import DataSet
from gradatim.data.entries import find, require_cached
from gradatim.errors import Unavailable


def load(name: str, *, raw: bool = False) -> DataSet:
    """Open the data set ``name``; :func:`gradatim.data.catalogue` lists the names.

    Images load as ``float32`` in [0, 1], tables as ``float64``, or as a data frame where a column is
    not numeric; labels as ``int64``.

    Args:
        name: A name of the catalogue.
        raw: Keep the pixels of ``digits``, ``mnist``, ``fashion-mnist`` and ``cifar10`` as the integers
            that were published; it changes no other set.

    Example:
        >>> load("iris")
        DataSet('iris', X (150, 4) float64, y (150,) int64)
        >>> load("digits", raw=True)
        DataSet('digits', X (1797, 64) uint8, y (1797,) int64)
    """
    require_cached("load", name)
    entry = find("load", name)
    from gradatim.data.formats import FORMATS

    try:
        return FORMATS[entry.format](entry, raw)
    except (ValueError, KeyError, OSError) as error:
        raise Unavailable(
            f"load: the files of {name} in the cache cannot be read ({error}). "
            f"Run 'gradatim data get {name}' to repair them."
        ) from error
