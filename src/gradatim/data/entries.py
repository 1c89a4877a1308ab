"""Every data set that Gradatim knows: ``catalogue.toml``, read once and checked."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

from gradatim.data.entry import Archive, Entry, Member, Source
from gradatim.errors import InvalidValue, Unavailable, choose

_ARCHIVE = {"members", "sources"}  # what the file says in the place of an archive
_SOURCE = {field.name for field in fields(Source) if field.default is MISSING}
_WHEEL = {field.name for field in fields(Source)} - _SOURCE
_NEEDED = {field.name for field in fields(Entry) if field.default is MISSING} - {"name"}
_OPTIONAL = {field.name for field in fields(Entry)} - _NEEDED - {"name", "archive"} | _ARCHIVE


def catalogue() -> list[Entry]:
    """List every data set: those that work offline first, then those to download.

    Example:
        >>> [entry.name for entry in catalogue()][:5]
        ['digits', 'iris', 'wine', 'breast-cancer', 'diabetes']
        >>> [entry.size_bytes for entry in catalogue() if entry.name == "mnist"]
        [64662072]
    """
    return list(_entries().values())


def find(owner: str, name: str) -> Entry:
    """Return the entry called ``name``, or raise with the names, nearest first.

    Args:
        owner: Who asks, for the message.
        name: A name of the catalogue.

    Example:
        >>> find("load", "mnist").samples
        70000
    """
    return _entries()[choose(owner, "name", name, _entries())]


def require_cached(owner: str, *names: str) -> None:
    """Raise unless every set is on this machine, with the one command that fetches all that are not.

    Args:
        owner: Who asks, for the message.
        names: Names of the catalogue.

    Example:
        >>> require_cached("load", "digits", "iris")
    """
    missing: dict[Archive | None, str] = {}  # one set for each download
    for name in names:
        entry = find(owner, name)
        if not entry.is_cached:
            missing.setdefault(entry.archive, name)
    if missing:
        wanted, verb = list(missing.values()), "is" if len(missing) == 1 else "are"
        raise Unavailable(
            f"{owner}: {', '.join(wanted)} {verb} not in the cache yet. "
            f"Run 'gradatim data get {' '.join(wanted)}' once."
        )


@cache
def _entries() -> dict[str, Entry]:
    return read_catalogue(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))


def read_catalogue(text: str) -> dict[str, Entry]:
    """Read the entries by name: what a group says holds for its sets, unless a set says otherwise.

    Args:
        text: A catalogue in TOML; the head of ``catalogue.toml`` explains its keys.

    Example:
        >>> group = '[toys]\\nformat = "text"\\ntask = "language"\\norigin = "me"\\nlicence = "free"\\n'
        >>> read_catalogue(group + '[toys.abc]\\nsamples = 3\\nsummary = "Letters"')["abc"].task
        'language'
    """
    import tomllib  # only when the catalogue is asked for

    entries: dict[str, Entry] = {}
    for group, table in tomllib.loads(text).items():
        sets = {name: own for name, own in table.items() if isinstance(own, dict)}
        shared = {key: value for key, value in table.items() if key not in sets}
        archive = _archive(group, shared) if "members" in shared else None
        for name, own in sets.items():
            if name in entries:
                raise InvalidValue(f"catalogue: {name} must be in one group, got it in two.")
            row = {**shared, **own}
            has_own = not _ARCHIVE.isdisjoint(own if archive else row)
            entries[name] = _entry(name, row, _archive(name, row) if has_own else archive)
    return entries


def _entry(name: str, row: Mapping[str, Any], archive: Archive | None) -> Entry:
    _check(name, row, _NEEDED, _OPTIONAL)
    values = {key: row[key] for key in row.keys() - _ARCHIVE}
    lists = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
    return Entry(**{"name": name, "archive": archive, **values, **lists})


def _archive(folder: str, row: Mapping[str, Any]) -> Archive:
    _check(folder, row, _ARCHIVE, _NEEDED | _OPTIONAL)
    listed = row["members"]
    if listed.endswith(".txt") and "\n" not in listed:
        listed = Path(__file__).with_name(listed).read_text(encoding="utf-8")
    pins = [line.split() for line in listed.strip().splitlines()]
    return Archive(
        folder,
        tuple(Member(name, int(size), sha256) for sha256, size, name in pins),
        tuple(_source(folder, source) for source in row["sources"]),
    )


def _source(folder: str, row: Mapping[str, Any]) -> Source:
    _check(folder, row, _SOURCE, _WHEEL)
    return Source(**{**row, "path": row["path"].replace("{set}", folder)})


def _check(
    owner: str, row: Mapping[str, Any], needed: set[str], optional: Iterable[str] = ()
) -> None:
    """Refuse a key that is unknown, and the lack of one that is needed."""
    for key in row.keys() - needed.union(optional):
        choose(f"catalogue, {owner}", "a key", key, sorted(needed.union(optional)))
    for key in needed - row.keys():
        raise InvalidValue(f"catalogue, {owner}: {key} must be given, got {', '.join(row)}.")
