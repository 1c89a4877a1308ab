"""The main job: from data of any kind and options by name to a model folder."""

import os
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.events import CancelToken, Tell, Warned, tell_nobody
from gradatim.files import LONGEST, check_path, is_result, own_document, short_name
from gradatim.fitting.kinds import find_kind, make_options
from gradatim.fitting.work import Running, read_source, work_folder
from gradatim.hashing import hash_bytes
from gradatim.model_folder import check_folder

if TYPE_CHECKING:
    from gradatim.fitting.contest import FitResult

SOURCES = (
    "test",
    "teacher",
    "labels",
    "group",
    "masks",
    "pretrained",
)  # options that may name a file


def fit(
    data: Any,
    target: str | None = None,
    *,
    kind: str | None = None,
    budget: str | float = "60s",
    output: str | Path | None = None,
    tell: Tell = tell_nobody,
    cancel: CancelToken | None = None,
    started: float | None = None,
    **options: Any,
) -> "FitResult":
    """Fit simple models and a network to data of any kind, compare them honestly, and write a model folder.

    Args:
        data: A file, a folder of images, of series, of a graph or of graphs, a built-in name, a data frame, graphs in a list, or
            a pair of arrays: rows (or images, texts or series) and what to predict from them.
        target: Column to predict; a built-in set knows its own, and numbers of a series need none.
        kind: ``"table"``, ``"text"``, ``"tag"``, ``"image"``, ``"mask"``, ``"sequence"`` (series with a label each), ``"node"``
            (nodes of a graph), ``"graph"`` (whole graphs), ``"series"``, ``"anomaly"``, ``"cluster"``, ``"translation"``, ``"language"`` or
            ``"generative"`` (more rows or images); found from data and options by default.
        budget: Time for everything, such as ``"60s"``, ``"5m"``, or seconds.
        output: The model folder to write, by default ``runs/fit-NAME``, or ``runs/fit-NAME-2``, … where that is of other data.
            An older model there is replaced, other files in it stay, anything else is refused.
        tell: Called with an event of :mod:`gradatim.events` for what is being done.
        cancel: Ends the run when asked to, between two pieces of work.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
        **options: Every other option of ``gradatim fit --help``, such as ``trials=3`` or ``time_column="day"``. One that
            belongs to another kind of data is refused, an unknown one with the nearest.

    Example:
        >>> result = fit("iris", trials=1, output="iris-model")  # doctest: +SKIP
        >>> result.verdict.recommended  # doctest: +SKIP
        'logistic regression'
    """
    given = {"target": target, "budget": budget, "output": output, **options}
    for source in (data, *(options.get(name) for name in SOURCES)):
        if isinstance(source, str | Path):
            check_path(source)
    if not isinstance(data, str | Path):
        data = _in_memory(data, given, kind)
    meant = find_kind(data, given, kind)
    given["output"] = output or (first := Path("runs") / f"fit-{name_of(data)}")
    job, source = make_options(meant, given), source_of(data)
    named = (data, job.test, *(options.get(name) for name in SOURCES if name != "test"))
    read = [each for each in named if isinstance(each, str | Path)]
    how = {"tell": tell, "cancel": cancel, "started": started, "source": source}
    while True:
        if output is None:
            job = replace(job, output=str(free_folder(first, source)))
            if job.folder != first:
                tell(Warned(f"{first} is that of other data: the model goes to {job.folder}."))
        check_folder(job.folder, "fit: output", read)
        try:
            return meant.fit(data, job, **how)
        except Running:  # of other data, and began after we had looked
            if output is not None or free_folder(first, source) == job.folder:
                raise


def _in_memory(data: Any, given: dict[str, Any], kind: str | None) -> Any:
    """What Python users hold, as the kinds of data read it; series and graphs stay as they are."""
    from gradatim.fitting.arrays import join_target
    from gradatim.fitting.graphs.memory import are_graphs
    from gradatim.fitting.sequences.arrays import holds_series

    is_ready = kind in ("sequence", "graph") or holds_series(data) or are_graphs(data)
    return data if is_ready else join_target(data, given)


def source_of(data: object) -> str:
    """Where data come from, as a short hash that names no folder of the user; equal for the same path.

    Args:
        data: A path or built-in name, or data in memory, which all count as one.

    Example:
        >>> source_of("data/a.csv") == source_of("data/../data/a.csv") != source_of("b/a.csv")
        True
    """
    if not isinstance(data, str | Path):
        return "memory"
    return hash_bytes(os.fsencode(os.path.realpath(data)))[:16]


def free_folder(first: Path, source: str) -> Path:
    """The first of ``NAME``, ``NAME-2``, … that holds no model of other data, and is not being made from any.

    Args:
        first: The model folder to begin with.
        source: Of :func:`source_of`.
    """
    names = chain([first.name], (f"{first.name}-{number}" for number in count(2)))
    return next(folder for folder in map(first.with_name, names) if _is_free(folder, source))


def _is_free(folder: Path, source: str) -> bool:
    if folder.exists() and not is_result(folder) and not (folder.is_dir() and not any(folder.iterdir())):  # fmt: skip
        return False
    about = (own_document(folder / "model.json") or {}).get("about")
    made = about.get("source") if isinstance(about, dict) else None
    return all(noted in (None, "", source) for noted in (made, read_source(work_folder(folder))))


def name_of(data: object) -> str:
    """A short name of data, for folders.

    Example:
        >>> name_of("data/houses.csv.gz")
        'houses'
    """
    path = Path(os.path.abspath(data)) if isinstance(data, str | Path) else Path()
    path = path.parent if set("*?[") & set(path.name) else path  # of a pattern the folder
    name = path.name.split(".")[0]
    return short_name(name, LONGEST // 2) or "table"
