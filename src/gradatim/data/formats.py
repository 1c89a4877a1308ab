"""From a catalogue entry to a :class:`~gradatim.data.DataSet`: one function per format."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradatim.data import (
    graph_files,
    machines,
    readers,
    sequence_readers,
    series_files,
    synthetic,
    tag_sets,
    tu_files,
)
from gradatim.data.dataset import DataSet
from gradatim.data.entry import Entry
from gradatim.data.graph_batches import GraphSet
from gradatim.data.ringed import rings
from gradatim.data.scattering import scattered_digits
from gradatim.data.waving import waves

if TYPE_CHECKING:
    import pandas as pd

Arrays = tuple[np.ndarray, np.ndarray]
Opener = Callable[[Entry, bool], DataSet]

_SPAM_WORDS = (
    "make address all 3d our over remove internet order mail receive will people report addresses "
    "free business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data "
    "415 85 technology 1999 parts pm direct cs meeting original project re edu table conference"
)
_SPAM_NAMES = (
    *(f"word_freq_{word}" for word in _SPAM_WORDS.split()),
    *(f"char_freq_{char}" for char in ";([!$#"),
    *(f"capital_run_length_{statistic}" for statistic in ("average", "longest", "total")),
)


def _record(
    entry: Entry,
    X: "np.ndarray | pd.DataFrame",
    y: np.ndarray | None = None,
    *,
    feature_names: tuple[str, ...] = (),
    target_names: tuple[str, ...] | None = None,
    train_size: int | None = None,
    groups: np.ndarray | None = None,
) -> DataSet:
    return DataSet(
        name=entry.name,
        X=X,
        y=y,
        feature_names=feature_names,
        target_names=target_names or entry.classes,
        task=entry.task,
        split=None if train_size is None else (slice(0, train_size), slice(train_size, len(X))),
        groups=groups,
        origin=entry.origin,
        licence=entry.licence,
        description=f"{entry.summary}. {entry.notes}".strip(),
    )


def _bytes(entry: Entry, file: int = 0) -> bytes:
    return entry.path(entry.members[file].name).read_bytes()


def _labels(names: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """The classes in order, and the number of each sample's."""
    classes, y = np.unique(names, return_inverse=True)
    return tuple(map(str, classes)), y


def _whole(read: Callable[[bytes], Arrays]) -> Opener:
    """A format of one file."""
    return lambda entry, raw: _record(entry, *read(_bytes(entry)))


def _parts(read: Callable[[bytes], Arrays]) -> Opener:
    """A format of two files, the training part and the test part."""

    def open_parts(entry: Entry, raw: bool) -> DataSet:
        (X, y), (X_test, y_test) = (read(_bytes(entry, file)) for file in (0, 1))
        return _record(
            entry, np.concatenate([X, X_test]), np.concatenate([y, y_test]), train_size=len(X)
        )

    return open_parts


def _series(read: Callable[[str, str, str], series_files.LabelledSeries]) -> Opener:
    """A format of labelled series in two files; classes stand in the order of their numbers, or of the alphabet."""

    def open_series(entry: Entry, raw: bool) -> DataSet:
        series: list[np.ndarray] = []
        labels: list[str] = []
        sizes = []
        for file, member in enumerate(entry.members):
            text = series_files.decode_series(_bytes(entry, file), member.name, "load")
            part, found, _ = read(text, member.name, "load")
            series, labels = series + part, labels + list(found or ())
            sizes.append(len(part))
        classes = sequence_readers.sort_classes(labels)
        if entry.classes is not None and len(entry.classes) != len(classes):
            raise ValueError(
                f"{len(entry.classes)} classes are announced, {len(classes)} are there"
            )
        places = {label: place for place, label in enumerate(classes)}
        y = np.array([places[label] for label in labels], dtype=np.int64)
        X = sequence_readers.as_objects(series)
        return _record(entry, X, y, target_names=entry.classes or classes, train_size=sizes[0])

    return open_series


def _open_sklearn(entry: Entry, raw: bool) -> DataSet:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{entry.name.replace('-', '_')}")()
    X, y = bunch.data, bunch.target
    if entry.name == "digits":
        X = X.astype(np.uint8) if raw else (X / 16).astype(np.float32)
    return _record(
        entry,
        X,
        y if entry.task == "regression" else y.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        target_names=tuple(map(str, bunch.get("target_names", ()))),
    )


def _open_synthetic(entry: Entry, raw: bool) -> DataSet:
    X, y = getattr(synthetic, entry.name)()
    names = tuple(f"x{column + 1}" for column in range(X.shape[1]))
    classes = () if entry.task == "regression" else tuple(map(str, range(y.max() + 1)))
    return _record(entry, X, y, feature_names=names, target_names=classes)


def _open_scattered(entry: Entry, raw: bool) -> DataSet:
    X, y = scattered_digits()
    return _record(entry, X, y)


def _open_waves(entry: Entry, raw: bool) -> DataSet:
    return _record(entry, *waves(), feature_names=("x", "y"))


def _open_machine(entry: Entry, raw: bool) -> DataSet:
    X, y = machines.machine_signal()
    stamped = np.column_stack([np.arange(1.0, len(X) + 1), X])
    return _record(entry, stamped, y, feature_names=("time", *machines.SIGNALS))


def _open_idx(entry: Entry, raw: bool) -> DataSet:
    train, train_labels, test, test_labels = (
        readers.read_idx(_bytes(entry, file)) for file in range(4)
    )
    X = readers.join_images([train[:, None], test[:, None]], raw)  # (N, 1, 28, 28)
    y = np.concatenate([train_labels, test_labels]).astype(np.int64)
    return _record(entry, X, y, train_size=len(train))


def _open_cifar(entry: Entry, raw: bool) -> DataSet:
    batches = [readers.read_pixels(_bytes(entry, file), 32) for file in range(6)]
    train, test = (readers.read_labels(_bytes(entry, file)) for file in (6, 7))
    y = np.concatenate([train, test])
    return _record(entry, readers.join_images(batches, raw), y, train_size=len(train))


def _open_spam(entry: Entry, raw: bool) -> DataSet:
    rows = readers.read_numbers(_bytes(entry))
    return _record(entry, rows[:, :-1], rows[:, -1].astype(np.int64), feature_names=_SPAM_NAMES)


def _of_nodes(entry: Entry, found: graph_files.LabelledGraph) -> DataSet:
    graph, y = found.graph, found.graph.y
    X = graph.x.to_dense().numpy()
    names = tuple(f"x{column + 1}" for column in range(X.shape[1]))
    labels = None if y is None else y.numpy()
    record = _record(entry, X, labels, feature_names=names, target_names=found.classes)
    return replace(record, graph=graph)


def _of_graphs(entry: Entry, found: graph_files.LabelledGraphs) -> DataSet:
    graphs = found.graphs
    y = None if graphs.y is None else graphs.y.numpy()
    X = graphs.sizes[:, None].double().numpy()
    record = _record(entry, X, y, feature_names=("nodes",), target_names=found.classes)
    return replace(record, graphs=graphs)


def _open_rings(entry: Entry, raw: bool) -> DataSet:
    return _of_graphs(entry, graph_files.LabelledGraphs(GraphSet(rings()), entry.classes))


def _open_karate(entry: Entry, raw: bool) -> DataSet:
    return _of_nodes(entry, graph_files.karate_club())


def _open_citations(entry: Entry, raw: bool) -> DataSet:
    return _of_nodes(entry, graph_files.read_citations(_bytes(entry, 0), _bytes(entry, 1)))


def _open_tu(entry: Entry, raw: bool) -> DataSet:
    files = {member.name: _bytes(entry, file) for file, member in enumerate(entry.members)}
    return _of_graphs(entry, tu_files.as_labelled_graphs(tu_files.read_tu_files(files)))


def _open_molecules(entry: Entry, raw: bool) -> DataSet:
    parts = (_bytes(entry, file) for file in range(len(entry.members)))
    return _of_graphs(entry, graph_files.read_molecules(parts, entry.target or ""))


def _open_text(entry: Entry, raw: bool) -> DataSet:
    return _record(entry, np.array([_bytes(entry).decode()], dtype=object))


def _open_vocabulary(entry: Entry, raw: bool) -> DataSet:
    return _record(entry, readers.read_vocabulary(_bytes(entry)))


def _open_weights(entry: Entry, raw: bool) -> DataSet:
    return _record(entry, np.array([str(entry.path(m.name)) for m in entry.members], object))


def _open_tagged(entry: Entry, raw: bool) -> DataSet:
    if entry.archive is None:
        found = tag_sets.grammar(entry.samples)
    else:
        found = tag_sets.read_brown(_bytes(entry, file) for file in range(len(entry.members)))
    words, tags = (sequence_readers.as_objects(part) for part in found[:2])
    return _record(entry, words, tags, groups=found.documents)


def _open_table(entry: Entry, raw: bool) -> DataSet:
    return _from_table(entry, readers.read_table(_bytes(entry)))


def _open_nyse(entry: Entry, raw: bool) -> DataSet:
    table = readers.read_table(_bytes(entry))
    return _from_table(entry, table.drop(columns="train"), train_size=int(table["train"].sum()))


def _open_khan(entry: Entry, raw: bool) -> DataSet:
    X, y, X_test, y_test = (readers.read_table(_bytes(entry, file)) for file in range(4))
    classes, labels = _labels(np.concatenate([y["x"], y_test["x"]]))
    return _record(
        entry,
        np.concatenate([X, X_test]),
        labels,
        feature_names=tuple(X.columns),
        target_names=classes,
        train_size=len(X),
    )


def _open_nci60(entry: Entry, raw: bool) -> DataSet:
    X = np.load(entry.path(entry.files[0]), allow_pickle=False)
    classes, y = _labels(readers.read_table(_bytes(entry, 1))["label"].to_numpy(dtype=str))
    return _record(entry, X, y, target_names=classes)


def _from_table(entry: Entry, table: "pd.DataFrame", train_size: int | None = None) -> DataSet:
    """Separate the target; keep every other column, as numbers if all of them are."""
    features: pd.DataFrame = table
    y: np.ndarray | None = None
    classes: tuple[str, ...] = ()
    if entry.target is not None:
        features, target = table.drop(columns=entry.target), table[entry.target]
        if entry.task == "classification":
            classes, y = _labels(target.to_numpy(dtype=str))
        else:
            y = target.to_numpy(np.float64)
    is_numeric = all(kind.kind in "iufb" for kind in features.dtypes)
    return _record(
        entry,
        features.to_numpy(np.float64) if is_numeric else features,
        y,
        feature_names=tuple(map(str, features)),
        target_names=classes,
        train_size=train_size,
    )


FORMATS: dict[str, Opener] = {
    "sklearn": _open_sklearn,
    "synthetic": _open_synthetic,
    "scattered": _open_scattered,
    "waves": _open_waves,
    "rings": _open_rings,
    "machine": _open_machine,
    "idx": _open_idx,
    "cifar": _open_cifar,
    "zip_code": _parts(readers.read_zip_code),
    "spam": _open_spam,
    "karate": _open_karate,
    "citations": _open_citations,
    "tu": _open_tu,
    "molecules": _open_molecules,
    "reviews": _whole(readers.read_reviews),
    "text": _open_text,
    "weights": _open_weights,
    "vocabulary": _open_vocabulary,
    "tagged": _open_tagged,
    "vectors": _whole(readers.read_word_vectors),
    "ragged": _whole(sequence_readers.read_ragged),
    "ts": _series(series_files.read_ts),
    "ucr": _series(series_files.read_ucr),
    "pairs": _whole(sequence_readers.read_pairs),
    "table": _open_table,
    "nyse": _open_nyse,
    "khan": _open_khan,
    "nci60": _open_nci60,
}
