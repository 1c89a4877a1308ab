"""Write the files of a folder, all or none, and touch nobody else's."""

import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from gradatim.errors import OutputRefused
from gradatim.files.atomic import flush, or_unavailable
from gradatim.files.outputs import is_inside, refuse
from gradatim.files.scratch import abandoned, remove, scratch_folder


def probe_folder(folder: str | Path) -> Path:
    """Find out, by writing, whether a file can be written into ``folder``; leave nothing behind.

    Args:
        folder: Need not be there.

    Raises:
        OSError: What the system says.

    Example:
        >>> place = Path(tempfile.mkdtemp())
        >>> probe_folder(place / "a" / "b").exists(), list(place.iterdir())
        (False, [])
    """
    folder, made = Path(folder), []
    try:
        for place in reversed([folder, *folder.parents]):
            if not place.is_dir():
                place.mkdir()
                made.append(place)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"0")
            flush(file)
    finally:
        for place in reversed(made):
            with suppress(OSError):  # somebody else has put something there meanwhile
                place.rmdir()
    return folder


def write_files(
    folder: str | Path, files: Mapping[str, bytes], *, ours: Collection[str] = ()
) -> Path:
    """Write ``files`` into ``folder``: none takes its place before all are on the disk, and a kill leaves all or none.

    Args:
        folder: Where to write; it is made, a link is followed.
        files: Contents by name, or by path with ``/`` between folders; they take their places in this order.
        ours: Names in the folder that we wrote before: they are replaced or, where ``files`` has none, removed. All other
            files stay, and one in the way of ours is refused.

    Example:
        >>> place = write_files(Path(tempfile.mkdtemp()) / "a", {"b.txt": b"b", "c.txt": b"c"})
        >>> _ = (place / "mine.txt").write_bytes(b"")
        >>> write_files(place, {"b.txt": b"B"}, ours=["b.txt", "c.txt"]) == place
        True
        >>> sorted(path.name for path in place.iterdir())
        ['b.txt', 'mine.txt']
    """
    with or_unavailable(f"{folder}: cannot be written"):
        real = Path(os.path.realpath(folder))
        if os.path.islink(folder) and not real.exists():
            refuse(f"{folder}: must not be a link to nothing", f"'{folder}'")
        settle(real)
        is_new = not real.is_dir()
        foreign = [] if is_new else [n for n in files if n not in ours and os.path.lexists(real / n)]  # fmt: skip
        if foreign:
            raise OutputRefused(
                f"{folder}: must not hold files of others under the names of ours, and {foreign[0]!r} is not ours. "
                "Move it away or choose another folder."
            )
        home = real.parent if is_new else real
        home.mkdir(parents=True, exist_ok=True)
        with _staged(home, real.name, files) as (place, new):
            if is_new:
                os.replace(new, real)
            else:
                gone = [name for name in ours if name not in files]
                _write(place / PLAN, json.dumps({"files": list(files), "gone": gone}).encode())
                os.replace(new, place / READY)
                try:
                    _finish(real, place)
                except BaseException:  # half is in its place: let the next start finish
                    os.replace(place, place.with_name(f"{place.name}-half"))
                    raise
    return Path(folder)


PLAN, READY = "plan.json", "ready"


@contextmanager
def _staged(home: Path, name: str, files: Mapping[str, bytes]) -> Iterator[tuple[Path, Path]]:
    with scratch_folder(home, name) as place:
        new = place / "new"
        new.mkdir()
        for file, content in files.items():
            _write(new / file, content)
        yield place, new


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
        flush(file)


def _finish(folder: Path, place: Path) -> None:
    """Put what is ready into its place, as far as that was not done."""
    plan: dict[str, list[str]] = json.loads((place / PLAN).read_bytes())
    for name in filter(is_inside, plan["files"]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # it was put in its place before the kill
            os.replace(place / READY / name, folder / name)
    for name in filter(is_inside, plan["gone"]):
        with suppress(FileNotFoundError):
            (folder / name).unlink()


def settle(folder: Path) -> None:
    """Finish or undo what a killed writer of ``folder`` had begun.

    Args:
        folder: Behind all links; need not be there.
    """
    for home in (folder, folder.parent):
        for place in abandoned(home, folder.name):
            if home == folder and (place / READY).is_dir():
                _finish(folder, place)
            remove(place)
