"""The kinds of data that ``fit`` knows, and which of them is meant."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from gradatim.errors import InvalidValue, choose
from gradatim.fitting.anomalies.kind import ANOMALY
from gradatim.fitting.clusters.kind import CLUSTER
from gradatim.fitting.generative.kind import GENERATIVE
from gradatim.fitting.graphs.kind import GRAPH
from gradatim.fitting.images.kind import IMAGE
from gradatim.fitting.kind import Kind
from gradatim.fitting.language.kind import LANGUAGE
from gradatim.fitting.links.kind import LINK
from gradatim.fitting.masks.kind import MASK
from gradatim.fitting.nodes.kind import NODE
from gradatim.fitting.options import Options, read_value
from gradatim.fitting.sequences.kind import SEQUENCE
from gradatim.fitting.series.kind import SERIES
from gradatim.fitting.tables.kind import TABLE
from gradatim.fitting.tags.kind import TAG
from gradatim.fitting.texts.kind import TEXT
from gradatim.fitting.translation.kind import TRANSLATION

# From the general to the special: where several are meant, the last is.
KINDS = {kind.name: kind for kind in (TABLE, TEXT, TAG, IMAGE, MASK, SEQUENCE, NODE, LINK, GRAPH, SERIES, CLUSTER, ANOMALY, TRANSLATION, LANGUAGE, GENERATIVE)}  # fmt: skip


def find_kind(data: object, given: Mapping[str, Any], name: str | None = None) -> Kind:
    """The kind of data that is meant.

    Args:
        data: What is to be fitted.
        given: Options by name, as far as they were given.
        name: The kind, where the user says it.

    Example:
        >>> find_kind("iris", {}).name, find_kind("sales.csv", {"forecast": 12}).name
        ('table', 'series')
    """
    if name is not None:
        return KINDS[choose("fit", "kind", name, KINDS)]
    asked = [kind for kind in KINDS.values() if given.get(kind.flag)]
    if len(asked) > 1:
        flags = " and ".join(kind.flag for kind in reversed(asked))
        raise InvalidValue(f"fit: {flags} must not be given together. Choose one.")
    meant = (kind for kind in reversed(KINDS.values()) if kind.is_meant(data, given))
    return asked[0] if asked else next(meant)


def make_options(kind: Kind, given: Mapping[str, Any]) -> Options:
    """Check options by name and put them together.

    Args:
        kind: The kind of data, which must know them all.
        given: Options by name, as typed on a command line or as Python values; ``None`` is not given.

    Example:
        >>> make_options(KINDS["table"], {"target": "price", "budget": "5m"}).budget
        300.0
    """
    known = {option.name: option for option in fields(kind.options)}
    values = {}
    for name, value in given.items():
        if value is None or name == kind.flag:
            continue
        others = [other.words for other in KINDS.values() if name in other.names]
        if name not in known and others:
            if value is not False:
                raise InvalidValue(
                    f"fit: {name} must not be given for {kind.words}, got {value!r}. It is for {listed(others)}."
                )
            continue
        option = known[choose("fit", "option", name, known)]
        read = option.metadata["read"]
        values[name] = read(value) if read else read_value(name, option.type, value)
    return kind.options(**values)


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does.

    Example:
        >>> listed(["a table", "texts", "series"])
        'a table, texts and series'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
