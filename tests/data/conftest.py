"""A cache in a temporary folder, and a shop of small archives that a fake tool delivers from."""

import hashlib
import io
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gradatim.data import archive, entries
from gradatim.data.entry import Archive, Entry, Member, Source

DELIVER = (
    "import shutil, sys\n"
    "if len(sys.argv) < 2: sys.exit('looking around\\nERROR: nothing of that name\\nbye')\n"
    "shutil.copy(sys.argv[1], '.')"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("GRADATIM_HOME", str(folder))
    return folder


@pytest.fixture
def pack(tmp_path: Path) -> Callable[[str, dict[str, bytes]], Path]:
    """Write ``{path: content}`` as a wheel or a tarball, by the ending of the name."""

    def write(name: str, files: dict[str, bytes]) -> Path:
        target = tmp_path / "shop" / name
        target.parent.mkdir(exist_ok=True)
        if name.endswith(".whl"):
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as wheel:
                for path, content in files.items():
                    wheel.writestr(path, content)
        else:
            with tarfile.open(target, "w:gz") as tar:
                for path, content in files.items():
                    info = tarfile.TarInfo(path)
                    info.size = len(content)
                    tar.addfile(info, io.BytesIO(content))
        return target

    return write


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Packages to deliver; every command becomes a real process that copies one, or complains."""
    stock: dict[str, Path] = {}

    def command(source: Source) -> list[str]:
        path = stock.get(source.package)
        return [sys.executable, "-I", "-S", "-c", DELIVER, *([str(path)] if path else [])]

    monkeypatch.setattr(archive, "command", command)
    return stock


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Entry]:
    """Put a made-up set of two files, or any given files, in the catalogue."""

    def put(
        files: dict[str, bytes], sources: tuple[Source, ...], like: str = "spam", name: str = "toy"
    ) -> Entry:
        members = tuple(
            Member(file, len(content), hashlib.sha256(content).hexdigest())
            for file, content in files.items()
        )
        entry = replace(
            entries._entries()[like], name=name, archive=Archive(name, members, sources), files=()
        )
        monkeypatch.setitem(entries._entries(), name, entry)
        return entry

    return put
