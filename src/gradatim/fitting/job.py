"""The main job: from data of any kind and options by name to a model folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.events import CancelToken, Tell, tell_nobody
from gradatim.files import LONGEST, check_path, short_name
from gradatim.fitting.kinds import find_kind, make_options

if TYPE_CHECKING:
    from gradatim.fitting.contest import FitResult


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
        data: A file, a folder of images, a built-in name, a data frame, or a pair of arrays: rows (or images, or texts)
            and what to predict from them.
        target: Column to predict; a built-in set knows its own, and numbers of a series need none.
        kind: ``"table"``, ``"text"``, ``"image"``, ``"series"``, ``"translation"`` or ``"language"``; found from data and
            options by default.
        budget: Time for everything, such as ``"60s"``, ``"5m"``, or seconds.
        output: The model folder to write, ``runs/fit-NAME`` by default; an older model folder is replaced, anything else is
            refused.
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
    for source in (data, options.get("test"), options.get("teacher")):
        if isinstance(source, str | Path):
            check_path(source)
    if not isinstance(data, str | Path):
        from gradatim.fitting.arrays import join_target

        data = join_target(data, given)
    meant = find_kind(data, given, kind)
    given["output"] = output or Path("runs") / f"fit-{name_of(data)}"
    job = make_options(meant, given)
    return meant.fit(data, job, tell=tell, cancel=cancel, started=started)


def name_of(data: object) -> str:
    """A short name of data, for folders.

    Example:
        >>> name_of("data/houses.csv.gz")
        'houses'
    """
    name = Path(data).name.split(".")[0] if isinstance(data, str | Path) else ""
    return short_name(name, LONGEST // 2) or "table"
