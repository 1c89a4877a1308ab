"""Archives: the command, the members, and what damage or malice leads to."""

import gzip
import io
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gradatim.data import archive
from gradatim.data.archive import Refused, command, contents, take
from gradatim.data.entry import Source

PIP = Source("pip", "thing==1.0", "thing/{}", 1)
NPM = Source("npm", "thing@1.0", "package/{}", 1)
APT = Source("apt", "thing", "./usr/{}", 1)


def test_pip_takes_wheels_only_and_no_dependencies():
    line = command(PIP)
    assert line[:4] == [sys.executable, "-m", "pip", "download"]
    assert line[-1] == "thing==1.0"
    assert "--no-deps" in line
    assert line[line.index("--only-binary") + 1] == ":all:"
    assert line[line.index("--dest") + 1] == "."


def test_a_wheel_of_another_python_and_platform_is_asked_for_by_name():
    line = command(Source("pip", "thing==1.0", "{}", 1, python="310", platform="manylinux1_x86_64"))
    assert line[line.index("--python-version") + 1] == "310"
    assert line[line.index("--platform") + 1] == "manylinux1_x86_64"
    assert line[-4:] == ["--no-deps", "--only-binary", ":all:", "thing==1.0"]
    assert not {"--python-version", "--platform"} & set(command(PIP))


def test_pip_may_live_outside_this_python(monkeypatch):
    monkeypatch.setattr(archive.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(archive.shutil, "which", {"pip": "/bin/pip"}.get)
    assert command(PIP)[:2] == ["/bin/pip", "download"]


def test_npm_runs_no_scripts(monkeypatch):
    monkeypatch.setattr(archive.shutil, "which", {"npm": "/bin/npm"}.get)
    assert command(NPM)[:2] == ["/bin/npm", "pack"]
    assert "--ignore-scripts" in command(NPM)
    assert command(NPM)[-1] == "thing@1.0"


def test_apt_needs_dpkg_too(monkeypatch):
    monkeypatch.setattr(archive.shutil, "which", {"apt-get": "/bin/apt-get"}.get)
    assert command(APT) is None
    both = {"apt-get": "/bin/apt-get", "dpkg-deb": "/bin/dpkg-deb"}
    monkeypatch.setattr(archive.shutil, "which", both.get)
    assert command(APT) == ["/bin/apt-get", "download", "thing"]


@pytest.mark.parametrize("source", [PIP, NPM, APT], ids=lambda source: source.tool)
def test_a_missing_tool_is_named(source, tmp_path, monkeypatch):
    monkeypatch.setattr(archive.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(archive.shutil, "which", lambda name: None)
    with pytest.raises(Refused, match=f"needs {source.tool}, which is not installed"):
        take(source, tmp_path)


def test_take_returns_the_archive_in_the_folder(tmp_path, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.whl", {"thing/a": b"1"})
    (tmp_path / "work").mkdir()
    assert take(PIP, tmp_path / "work") == tmp_path / "work" / "thing-1.0.whl"


def test_take_repeats_the_tools_complaint(tmp_path, shop):
    with pytest.raises(Refused, match=r"was not delivered \(ERROR: nothing of that name\)"):
        take(PIP, tmp_path)


def test_a_source_distribution_does_not_count(tmp_path, pack, shop):
    shop["thing==1.0"] = pack("thing-1.0.tar.gz", {"thing/setup.py": b"boom"})
    (tmp_path / "work").mkdir()
    with pytest.raises(Refused, match=r"was not delivered \(exit code 0\)"):
        take(PIP, tmp_path / "work")


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs dpkg-deb")
def test_a_debian_package_is_opened_without_installing(tmp_path, shop):
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    control = "Package: thing\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n"
    (tree / "DEBIAN" / "control").write_text(control)
    (tree / "usr").mkdir()
    (tree / "usr" / "a.gz").write_bytes(gzip.compress(b"hello"))
    shop["thing"] = tmp_path / "thing_1_all.deb"
    line = ["dpkg-deb", "--build", "--root-owner-group", str(tree), str(shop["thing"])]
    subprocess.run(line, check=True, capture_output=True)
    (tmp_path / "work").mkdir()
    opened = take(APT, tmp_path / "work")
    assert dict(contents(opened, {"./usr/a": 5})) == {"./usr/a": b"hello"}


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs dpkg-deb")
def test_a_damaged_debian_package_is_refused(tmp_path, shop):
    shop["thing"] = tmp_path / "thing_1_all.deb"
    shop["thing"].write_bytes(b"not a package")
    (tmp_path / "work").mkdir()
    with pytest.raises(Refused, match="is damaged"):
        take(APT, tmp_path / "work")


@pytest.mark.parametrize("name", ["x.whl", "x.tgz"])
def test_contents_yields_the_wanted_plain_or_gunzipped(name, pack):
    path = pack(name, {"a": b"plain", "b.gz": gzip.compress(b"packed"), "c": b"other"})
    assert dict(contents(path, {"a": 5, "b": 6})) == {"a": b"plain", "b": b"packed"}


def test_a_png_yields_its_pixels(pack):
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    path = pack("x.whl", {"a.png": file.getvalue()})
    assert dict(contents(path, {"a": 24})) == {"a": pixels.tobytes()}
    with pytest.raises(Refused, match="a picture of another size, 4×2"):
        dict(contents(path, {"a": 12 * 100}))


def _png(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds nothing."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + header
        + struct.pack(">I", zlib.crc32(header))
    )


@pytest.mark.parametrize("content", [b"\x89PNG, not really", _png(4, 2), _png(10**5, 10**5)])
def test_a_damaged_png_is_refused(content, pack):
    path = pack("x.whl", {"a.png": content})
    with pytest.raises(Refused, match="is damaged"):
        dict(contents(path, {"a": 24}))


def test_a_bomb_is_read_no_further_than_it_should_be(pack):
    path = pack("x.whl", {"a.gz": gzip.compress(bytes(10**7)), "b": bytes(10**7)})
    found = dict(contents(path, {"a": 10, "b": 20}))
    assert {key: len(content) for key, content in found.items()} == {"a": 11, "b": 21}


def test_links_and_folders_are_no_files(tmp_path):
    path = tmp_path / "x.tgz"
    with tarfile.open(path, "w:gz") as tar:
        for name, kind in (("a", tarfile.SYMTYPE), ("b", tarfile.LNKTYPE), ("c", tarfile.DIRTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "../secret"
            tar.addfile(info)
    assert dict(contents(path, {"a": 10, "b": 10, "c": 10})) == {}


@pytest.mark.parametrize("name", ["x.whl", "x.tgz"])
def test_a_truncated_archive_is_refused(name, pack):
    noise = np.random.default_rng(0).bytes(20000)
    path = pack(name, {"a": noise})
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(Refused, match="is damaged"):
        dict(contents(path, {"a": 20000}))


def _healthy() -> dict[str, bytes]:
    text = b"0123456789" * 30
    wheel, tarball = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.gz", gzip.compress(text))
        file.writestr("b", b"hello")
    with tarfile.open(fileobj=tarball, mode="w:gz") as file:
        for name, content in (("a.gz", gzip.compress(text)), ("b", b"hello")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return {"x.whl": wheel.getvalue(), "x.tgz": tarball.getvalue()}


HEALTHY = _healthy()


@settings(max_examples=150, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", ["x.whl", "x.tgz"])
def test_flipped_bytes_yield_bytes_or_a_refusal(name, tmp_path_factory, data):
    damaged = bytearray(HEALTHY[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(damaged)
    with suppress(Refused):
        found = dict(contents(path, {"a": 300, "b": 5}))
        assert all(isinstance(content, bytes) for content in found.values())
