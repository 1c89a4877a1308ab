"""The work folder of a run: every result as soon as it is known, so that a killed run goes on where it was.

A running fit holds a lock on its work folder, which dies with its process: two never share one.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gradatim.errors import InvalidType, InvalidValue, OutputRefused
from gradatim.events import CancelToken, Stage, Tell, Warned
from gradatim.files import lock, remove, write_atomically
from gradatim.fitting.options import Options
from gradatim.model_folder import check_folder

JOB = "job"


class Running(OutputRefused):
    """An output that another fit is making."""


class Work:
    """Results by key, on the disk; the clock goes on from where the last run was killed.

    Results of the same job are taken up. Those of another are set aside, or refused where ``resume`` asks for them.

    Args:
        folder: Folder of the results.
        job: What identifies the run: settings and data.
        resume: Whether results must be those of the same job.
        started: When the clock of this run began.
        cancel: Looked at before every new result.
        source: Where the data came from, noted for those who look for a free name.

    Attributes:
        notes: What became of the results that were there, one sentence each.
    """

    def __init__(
        self,
        folder: Path,
        job: dict[str, Any],
        *,
        resume: bool,
        started: float | None = None,
        cancel: CancelToken | None = None,
        source: str = "",
    ) -> None:
        self.folder, self.cancel, self.source = folder, cancel or CancelToken(), source
        self.started = time.perf_counter() if started is None else started
        self.spent, self.is_resumed = 0.0, False
        self.notes: list[str] = []
        found = read_job(folder)
        asked = json.loads(json.dumps(job))
        if found is not None and found == asked and (resume or self.count):
            self._take_up(is_asked=resume)
            return
        if found is not None and resume:
            _refuse_other(folder, found, asked)
        if found is not None and self.count:
            changed = [k for k in {**asked, **found} if asked.get(k) != found.get(k)]
            self._set_aside(changed)
        for path in folder.glob("*"):
            remove(path)
        self.put(JOB, job)

    @property
    def count(self) -> int:
        """How many results there are."""
        return sum(path.name != f"{JOB}.json" for path in self.folder.glob("[!.]*"))

    @property
    def origin(self) -> dict[str, str]:
        """What a model folder notes of where the data came from."""
        return {"source": self.source} if self.source else {}

    @property
    def aside(self) -> Path:
        """Where results of another job are put."""
        return self.folder.with_name(f"{self.folder.name}.old")

    def _take_up(self, *, is_asked: bool) -> None:
        self.is_resumed = True
        clocks = (json.loads(p.read_text("utf-8"))["clock"] for p in self.folder.glob("*.json"))
        self.spent = max(clocks)
        for scratch in self.folder.glob(".*"):  # half a file of the run that was killed
            remove(scratch)
        if not is_asked:
            self.notes.append(
                f"Going on with the {self.count} results that an interrupted run left in {self.folder} "
                f"after {self.spent:.0f} s."
            )

    def _set_aside(self, changed: list[str]) -> None:
        remove(self.aside)
        self.aside.mkdir()
        self.notes.append(
            f"An interrupted run with other data or settings ({', '.join(changed)}) left {self.count} results, "
            f"which are set aside in {self.aside}."
        )
        for path in self.folder.glob("[!.]*"):
            os.replace(path, self.aside / path.name)

    @property
    def elapsed(self) -> float:
        """Seconds this run has taken, those before an interruption included."""
        return self.spent + time.perf_counter() - self.started

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def put(self, key: str, value: Any, beside: Mapping[str, Any] | None = None) -> Any:
        """Keep a result, and what belongs to it under names of its own."""
        kept = {**(beside or {}), "value": value, "clock": self.elapsed}
        if key == JOB:
            kept["source"] = self.source
        write_atomically(self._path(key), json.dumps(kept).encode())
        return value

    def recall(self, key: str, compute: Callable[[], Any], beside: Callable[[], Mapping[str, Any]] = dict) -> Any:  # fmt: skip
        """Return the result under ``key``; compute and keep it where it is new, with what belongs to it then."""
        found = _read(self._path(key))
        if found:
            return found["value"]
        self.cancel.check()
        return self.put(key, compute(), beside())

    def beside(self, key: str) -> dict[str, Any]:
        """What was kept beside the result under ``key``."""
        return _read(self._path(key))

    def has(self, key: str) -> bool:
        """Whether there is a result under ``key``."""
        return self._path(key).is_file()

    @property
    def is_gone(self) -> bool:
        """Whether the folder was deleted, by who made it."""
        return not self._path(JOB).is_file()

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _read(path: Path) -> dict[str, Any]:
    """A file of a work folder; empty where there is none, or one that is not ours."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and "value" in found else {}


def read_job(folder: Path) -> dict[str, Any] | None:
    """What identifies the run whose results are in a work folder.

    Args:
        folder: Any.
    """
    value = _read(folder / f"{JOB}.json").get("value")
    return value if isinstance(value, dict) else None


def read_source(folder: Path) -> str | None:
    """Where the data came from of the run whose results are in a work folder; ``None`` where there is none.

    Args:
        folder: Any.
    """
    found = _read(folder / f"{JOB}.json")
    return str(found.get("source", "")) if found else None


def _refuse_other(folder: Path, found: dict[str, Any], asked: dict[str, Any]) -> None:
    if set(found) != set(asked):
        raise InvalidValue(
            f"fit: resume must go on with a run of this version, and {str(folder)!r} is of another. "
            "Start anew without --resume."
        )
    changed = [name for name in asked if asked[name] != found[name]]
    raise InvalidValue(
        f"fit: resume must go on with the same data and settings, but {', '.join(changed)} changed. "
        "Start anew without --resume."
    )


def work_folder(folder: str | Path) -> Path:
    """The work folder of the model folder that is to be made.

    Example:
        >>> work_folder("runs/m").name
        '.m.work'
    """
    real = Path(os.path.realpath(folder))
    return real.with_name(f".{real.name}.work")


@contextmanager
def holding(folder: Path, got: str, source: str = "") -> Iterator[None]:
    """Hold the lock of a work folder, which is made; where nothing was put into it, it goes again.

    Args:
        folder: The work folder.
        got: The output that the user named, for the message.
        source: Where the data come from, noted at once for those who look for a free name.
    """
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # whoever had it has removed it meanwhile
            handle = os.open(folder, os.O_RDONLY)
            is_ours = lock(handle)
            if is_ours is False:
                os.close(handle)
                raise Running(
                    f"fit: output must not be that of a fit that is running, got {got!r}. Choose another name."
                )
            if os.path.samestat(os.fstat(handle), os.stat(folder)):
                break
            os.close(handle)
    is_old = read_job(folder) is not None
    try:
        if not is_old:
            note = {"value": None, "clock": 0.0, "source": source}
            write_atomically(folder / f"{JOB}.json", json.dumps(note).encode())
        yield
    finally:
        if not is_old and {path.name for path in folder.glob("*")} <= {f"{JOB}.json"}:
            shutil.rmtree(folder, ignore_errors=True)  # nothing could be resumed
        os.close(handle)


class Readable(Protocol):
    """Data that were read."""

    def fingerprint(self) -> str:
        """Return a hash of everything that training sees; a killed run resumes only with the same."""


R = TypeVar("R", bound=Readable)


class Borrowed(Work):
    """The work folder of another process, for which results are computed.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.cancel, self.source = folder, CancelToken(), ""
        self.started, self.spent, self.is_resumed = time.perf_counter(), 0.0, True
        self.notes = []


def identity_of(data: Readable, job: Options) -> dict[str, Any]:
    """What tells a run from others: data and settings; not the budget, for a resumed run may be given more time."""
    found = {"data": data.fingerprint(), "kind": type(job).__name__, **job.settings()}
    del found["budget"]
    return found


@contextmanager
def begin(
    read: Callable[[], R],
    job: Options,
    *,
    tell: Tell,
    cancel: CancelToken | None = None,
    started: float | None = None,
    source: str = "",
) -> Iterator[tuple[R, Work]]:
    """Read the data and open the work folder; it stays where results can be taken up, and goes where the run ends.

    Args:
        read: Reads the data.
        job: What is asked for; the work folder lies beside the model folder that is to be made.
        tell: Called with what is being done.
        cancel: Ends the run when asked to.
        started: When the clock of this run began; now by default.
        source: Where the data come from.
    """
    started = time.perf_counter() if started is None else started
    place = work_folder(check_folder(job.folder, "fit: output"))
    with holding(place, str(job.folder), source):
        tell(Stage("reading the data"))
        data = read()
        work = Work(place, identity_of(data, job), resume=job.resume, started=started, cancel=cancel, source=source)  # fmt: skip
        for note in work.notes:
            tell(Warned(note))
        try:
            yield data, work
        except OutputRefused:
            raise  # once the user has made room, the results are taken up
        except (InvalidValue, InvalidType):
            work.remove()
            raise
        work.remove()
        remove(work.aside)
