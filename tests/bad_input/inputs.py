"""What lies in the folder of a trial: small files, each made by a function that puts it there."""

import io
import json
import shutil
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import torch
from PIL import Image

from .trial import Place, Put

ROWS = 60


def classed() -> pd.DataFrame:
    """A number and a class, rows enough to make more of."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=80).round(2)
    return pd.DataFrame({"x": x, "c": np.where(x > 0, "u", "v")})


def nothing(place: Place) -> None:
    """An empty folder."""


def file(name: str, content: "bytes | str") -> Put:
    """A file with a content."""
    data = content.encode() if isinstance(content, str) else content
    return lambda place: place.write(name, data)


def folder(name: str) -> Put:
    """An empty folder."""
    return lambda place: (place.folder / name).mkdir(parents=True)


def link(name: str, aim: str) -> Put:
    """A symbolic link."""
    return lambda place: (place.folder / name).symlink_to(aim)


def model(kind: str, name: str = "m") -> Put:
    """A trained model folder: table, regression, text, series, image, language or translation."""
    return lambda place: shutil.copytree(place.shelf(kind), place.folder / name)


def change(name: str, edit: Callable[[bytes], bytes]) -> Put:
    """Another content of a file that is there."""

    def put(place: Place) -> None:
        path = place.folder / name
        path.write_bytes(edit(path.read_bytes()))

    return put


def rename(name: str, new: str) -> Put:
    """Another name for a file that is there."""
    return lambda place: (place.folder / name).rename(place.folder / new)


def remove(name: str) -> Put:
    """A file that is there no more."""
    return lambda place: (place.folder / name).unlink()


def good(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    """Two columns of numbers, a target that follows the first, and a class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=rows), "b": rng.normal(size=rows)})
    frame["y"] = np.round(frame["a"] + rng.normal(size=rows), 6)
    frame["c"] = np.where(frame["y"] > 0, "up", "down")
    return frame


def csv(frame: pd.DataFrame, name: str = "t.csv", **how: object) -> Put:
    """A table as text."""
    return lambda place: place.write(name, frame.to_csv(index=False, **how).encode())


def parquet(frame: pd.DataFrame, name: str = "t.parquet") -> Put:
    """A table as Parquet."""
    return lambda place: frame.to_parquet(place.folder / name)


def repeated_columns(name: str, columns: list[str]) -> Put:
    """The good table as Parquet with such names, which pandas would not write."""

    def put(place: Place) -> None:
        arrays = pyarrow.Table.from_pandas(good(), preserve_index=False).columns
        pyarrow.parquet.write_table(pyarrow.table(arrays, names=columns), place.folder / name)

    return put


def table(**columns: object) -> Put:
    """The good table with other cells in some columns."""
    return csv(good().assign(**columns))


def picture(mode: str = "RGB", size: tuple[int, int] = (16, 16), kind: str = "PNG", seed: int = 0) -> bytes:  # fmt: skip
    """The bytes of a small picture of noise, darker or lighter by its seed."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 128, (size[1], size[0], 3)).astype(np.uint8) + 127 * (seed % 2)
    image = Image.fromarray(pixels.astype(np.uint8))
    out = io.BytesIO()
    (image.convert("I").convert("I;16") if mode == "I;16" else image.convert(mode)).save(out, kind)
    return out.getvalue()


def animation(kind: str) -> bytes:
    """The bytes of a picture that moves."""
    frames = [Image.new("RGB", (16, 16), (80 * k, 0, 0)) for k in range(3)]
    out = io.BytesIO()
    frames[0].save(out, kind, save_all=True, append_images=frames[1:])
    return out.getvalue()


def black() -> bytes:
    """The bytes of a picture with nothing on it."""
    out = io.BytesIO()
    Image.new("RGB", (16, 16)).save(out, "PNG")
    return out.getvalue()


def classes(*names: str, count: int = 8, top: str = "pics", **how: object) -> Put:
    """A folder of pictures with a subfolder for every class."""

    def put(place: Place) -> None:
        for number, name in enumerate(names):
            for k in range(count):
                place.write(f"{top}/{name}/{k}.png", picture(seed=2 * k + number % 2, **how))

    return put


def labels(
    line: Callable[[int], str], head: str = "file,label", count: int = 24, name: str = "l.csv"
) -> Put:
    """A folder of pictures, and a table with a line for each."""

    def put(place: Place) -> None:
        for k in range(24):
            place.write(f"pics/{k}.png", picture(seed=k))
        place.write(name, "\n".join([head, *map(line, range(count)), ""]).encode())

    return put


def mask(values: tuple[int, ...] = (0, 255), mode: str = "L", size: tuple[int, int] = (16, 16), kind: str = "PNG") -> bytes:  # fmt: skip
    """The bytes of a mask: stripes of these values."""
    pixels = np.resize(np.repeat(values, size[0]), (size[1], size[0]))
    deep = np.uint16 if max(values) > 255 else np.uint8
    image = Image.fromarray(pixels.astype(deep))
    out = io.BytesIO()
    (image if deep is np.uint16 else image.convert(mode)).save(out, kind)
    return out.getvalue()


def masked(count: int = 10, ending: str = ".png", names: str = "{}", **how: object) -> Put:
    """A folder of pictures, and one of their masks."""

    def put(place: Place) -> None:
        for k in range(count):
            place.write(f"pics/{k}.png", picture(seed=k, size=how.get("size", (16, 16))))
            place.write(f"masks/{names.format(k)}{ending}", mask(**how))

    return put


def tensors(content: object) -> bytes:
    """What PyTorch saves."""
    stream = io.BytesIO()
    torch.save(content, stream)
    return stream.getvalue()


class Code:
    """A pickle that would run something."""

    def __reduce__(self) -> tuple[object, ...]:
        return print, ("code ran: Traceback",)


def bomb(width: int, height: int) -> bytes:
    """A PNG that declares a size and holds nothing."""

    def part(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))  # fmt: skip

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = part(b"IHDR", head) + part(b"IDAT", zlib.compress(b"")) + part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + packed


def months(rows: int = 48, **columns: object) -> pd.DataFrame:
    """A monthly series."""
    day = pd.date_range("2000-01-01", periods=rows, freq="MS").strftime("%Y-%m-%d")
    value = np.sin(np.arange(rows) / 2) + np.arange(rows) / 20
    return pd.DataFrame({"day": day, "v": value.round(4)}).assign(**columns)


def runs(count: int = 24, **columns: object) -> pd.DataFrame:
    """Series of four to seven steps below each other, each with a class and a number."""
    rng = np.random.default_rng(0)
    parts = [
        pd.DataFrame({"run": f"r{k}", "t": np.arange(4 + k % 4), "v": rng.normal(size=4 + k % 4) + k % 2})
        .assign(w=lambda f: f["v"] ** 2, c=("low", "high")[k % 2], y=k / 7, who=f"p{k % 6}")
        for k in range(count)
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True).assign(**columns)


def graph_records(count: int = 30) -> list[dict[str, object]]:
    """Paths and rings of three to eight nodes, each with a class."""
    rng = np.random.default_rng(0)
    found = []
    for k in range(count):
        n = int(rng.integers(3, 9))
        edges = [[a, a + 1] for a in range(n - 1)] + ([[0, n - 1]] if k % 2 else [])
        x = [[int(rng.integers(3)), round(float(rng.normal()), 3)] for _ in range(n)]
        found.append({"edges": edges, "x": x, "y": ("path", "ring")[k % 2]})
    return found


def graph_lines(*more: "dict[str, object] | str", count: int = 30, **changed: object) -> str:
    """Records of graphs, one a line, the first of them changed, and more behind them."""
    first, *others = graph_records(count)
    lines = [{**first, **changed}, *others, *more]
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


def tu_files(**changed: str) -> Put:
    """Sixteen paths of three nodes with a label each, as TU files."""
    files = {
        "A": "".join(f"{3 * k + a}, {3 * k + a + 1}\n{3 * k + a + 1}, {3 * k + a}\n" for k in range(16) for a in (1, 2)),
        "graph_indicator": "".join(f"{k + 1}\n" * 3 for k in range(16)),
        "graph_labels": "1\n-1\n" * 8,
        "node_labels": "".join(f"{k % 2}\n{k % 3}\n0\n" for k in range(16)),
        **changed,
    }  # fmt: skip

    def put(place: Place) -> None:
        for part, text in files.items():
            place.write(f"tu/TOY_{part}.txt", text.encode())

    return put


def ts(count: int = 24, head: str = "@classLabel true a b\n@data\n") -> str:
    """Series in a file of sktime's."""
    return head + "".join(f"{k},1,{k % 3}:2,{k},3:{'ab'[k % 2]}\n" for k in range(count))


def npz(**arrays: object) -> Put:
    """An archive of NumPy arrays."""

    def put(place: Place) -> None:
        content = io.BytesIO()
        np.savez(content, **arrays)
        place.write("t.npz", content.getvalue())

    return put


def series_folder(top: str = "runs-of", count: int = 12, **files: str) -> Put:
    """A folder with a subfolder for each of two classes, a table for each series; ``files`` replaces or adds some."""

    def put(place: Place) -> None:
        for k in range(2 * count):
            body = "".join(f"{np.sin(t + k):.3f},{k % 2 + 0.1 * t:.3f}\n" for t in range(4 + k % 3))
            place.write(f"{top}/{'ab'[k % 2]}/{k}.csv", f"u,v\n{body}".encode())
        for name, content in files.items():
            place.write(f"{top}/{name.replace('__', '/').replace('_', '.')}", content.encode())

    return put


def pairs(count: int = 240, source: str = "number {k} is here", target: str = "la cifra {k} está") -> str:  # fmt: skip
    """Sentences and their translations, a pair a line."""
    return "".join(f"{source.format(k=k)}\t{target.format(k=k)}\n" for k in range(count))


def prose(characters: int = 6000) -> str:
    """A text of some words, in an order that repeats late."""
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "slept.\n"]
    return " ".join(rng.choice(words, characters // 4))[:characters]


def tagged(count: int = 40, line: str = "{word}\t{tag}") -> str:
    """Sentences of three words and a mark, a word and its tag a line."""
    rng = np.random.default_rng(0)
    pairs = [
        [("the", "at"), (str(rng.choice(["dog", "cat"])), "nn"), (str(rng.choice(["barks", "runs"])), "vb"), (".", ".")]
        for _ in range(count)
    ]  # fmt: skip
    return "\n".join("".join(line.format(word=w, tag=t) + "\n" for w, t in own) for own in pairs)


def reviews(rows: int = ROWS) -> pd.DataFrame:
    """Texts with a class and a number."""
    rng = np.random.default_rng(0)
    mood = rng.random(rows) < 0.5
    return pd.DataFrame(
        {
            "text": np.where(mood, "a good and fine day", "a bad and grey night"),
            "c": np.where(mood, "up", "down"),
            "y": mood + rng.normal(size=rows),
        }
    )


_PNG, _JPEG = picture(), picture(kind="JPEG")
UNREADABLE = {
    "empty.png": b"",
    "text.png": b"this is a text",
    "header.png": _PNG[:8],
    "cut.png": _PNG[: len(_PNG) // 2],
    "changed.png": _PNG[:60] + bytes(b ^ 255 for b in _PNG[60:90]) + _PNG[90:],
    "cut.jpg": _JPEG[: len(_JPEG) // 2],
    "header.jpg": _JPEG[:20],
    "bomb.png": bomb(60_000, 60_000),
    "large.png": bomb(9_000, 9_000),
    "flat.png": bomb(0, 16),
    "endless.png": bomb(2**31 - 1, 2**31 - 1),
    "cut.gif": picture(kind="GIF")[:30],
    "cut.webp": picture(kind="WEBP")[:30],
    "cut.bmp": picture(kind="BMP")[:40],
}
ODD = {
    "jpeg.png": _JPEG,
    "one.png": picture(size=(1, 1)),
    "line.png": picture(size=(300, 1)),
    "wide.png": picture(size=(400, 3)),
    "grey.png": picture("L"),
    "grey alpha.png": picture("LA"),
    "alpha.png": picture("RGBA"),
    "palette.png": picture("P"),
    "bits.png": picture("1"),
    "deep.png": picture("I;16"),
    "cmyk.jpg": picture("CMYK", kind="JPEG"),
    "moving.gif": animation("GIF"),
    "moving.png": animation("PNG"),
    "moving.webp": animation("WEBP"),
    "picture.bmp": picture(kind="BMP"),
    "PICTURE.PNG": _PNG,
}


def nodes(count: int = 30) -> str:
    """Nodes in two classes, with a column that follows them."""
    return "id,x,c\n" + "".join(f"n{k},{k % 2 + k / 100},{'up' if k % 2 else 'down'}\n" for k in range(count))  # fmt: skip


def edges(count: int = 30) -> str:
    """A ring of edges, and one of every second node."""
    ring = "".join(f"n{k},n{(k + 1) % count}\n" for k in range(count))
    return "source,target\n" + ring + "".join(f"n{k},n{(k + 2) % count}\n" for k in range(count))


def graph(nodes_csv: str | None = "", edges_csv: str | None = "", name: str = "g") -> Put:
    """A folder of nodes and edges; those of :func:`nodes` and :func:`edges` where nothing is said, none for ``None``."""

    def put(place: Place) -> None:
        for file_name, content, usual in (
            ("nodes.csv", nodes_csv, nodes()),
            ("edges.csv", edges_csv, edges()),
        ):
            if content is not None:
                place.write(f"{name}/{file_name}", (content or usual).encode())

    return put
