"""What is known of an object, by its identity: modules may define a hash of their own, and one that changes."""

import weakref
from collections.abc import Iterator, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ByIdentity(MutableMapping[K, V]):
    """A mapping that holds its keys weakly and asks neither their hash nor their equality.

    Example:
        >>> class Odd:
        ...     __hash__ = None
        >>> one = Odd()
        >>> known = ByIdentity()
        >>> known[one] = "here"
        >>> known[one], len(known)
        ('here', 1)
        >>> del one
        >>> len(known)
        0
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[K], V]] = {}

    def __setitem__(self, key: K, value: V) -> None:
        number, entries = id(key), self._entries
        entries[number] = (weakref.ref(key, lambda _: entries.pop(number, None)), value)

    def __getitem__(self, key: K) -> V:
        found = self._entries.get(id(key))
        if found is None or found[0]() is not key:
            raise KeyError(id(key))
        return found[1]

    def __delitem__(self, key: K) -> None:
        del self._entries[id(key)]

    def __iter__(self) -> Iterator[K]:
        for reference, _ in list(self._entries.values()):
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return len(self._entries)
