"""The work folder of a run: every result as soon as it is known, so that a killed run goes on where it was."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gradatim.errors import InvalidValue, Unavailable
from gradatim.events import CancelToken, Stage, Tell
from gradatim.files import write_atomically
from gradatim.fitting.options import Options
from gradatim.model_folder import check_folder


class Work:
    """Results by key, on the disk; the clock goes on from where the last run was killed.

    Args:
        folder: Folder of the results.
        job: What identifies the run: settings and data.
        resume: Whether to go on with the results that are there.
        started: When the clock of this run began.
        cancel: Looked at before every new result.
    """

    def __init__(
        self,
        folder: Path,
        job: dict[str, Any],
        *,
        resume: bool,
        started: float | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        self.folder, self.cancel = folder, cancel or CancelToken()
        self.started = time.perf_counter() if started is None else started
        self.spent, self.is_resumed = 0.0, False
        found = self._read("job")
        if resume and found is not None:
            if set(found["value"]) != set(job):
                raise InvalidValue(
                    f"fit: resume must go on with a run of this version, and {str(folder)!r} is of another. "
                    "Start anew without --resume."
                )
            if found["value"] != json.loads(json.dumps(job)):
                changed = [
                    k for k in job if json.loads(json.dumps(job[k])) != found["value"].get(k)
                ]
                raise InvalidValue(
                    f"fit: resume must go on with the same data and settings, but {', '.join(changed)} changed. "
                    "Start anew without --resume."
                )
            self.is_resumed = True
            self.spent = max(
                json.loads(p.read_text("utf-8"))["clock"] for p in folder.glob("*.json")
            )
        else:
            self.remove()
            self.put("job", job)

    @property
    def elapsed(self) -> float:
        """Seconds this run has taken, those before an interruption included."""
        return self.spent + time.perf_counter() - self.started

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _read(self, key: str) -> dict[str, Any] | None:
        path = self._path(key)
        return json.loads(path.read_text("utf-8")) if path.is_file() else None

    def put(self, key: str, value: Any) -> Any:
        """Keep a result."""
        content = json.dumps({"value": value, "clock": self.elapsed})
        write_atomically(self._path(key), content.encode())
        return value

    def recall(self, key: str, compute: Callable[[], Any]) -> Any:
        """Return the result under ``key``; compute and keep it where it is new."""
        found = self._read(key)
        if found is not None:
            return found["value"]
        self.cancel.check()
        return self.put(key, compute())

    def has(self, key: str) -> bool:
        """Whether there is a result under ``key``."""
        return self._path(key).is_file()

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


class Readable(Protocol):
    """Data that were read."""

    def fingerprint(self) -> str:
        """Return a hash of everything that training sees; a killed run resumes only with the same."""


R = TypeVar("R", bound=Readable)


@contextmanager
def begin(
    read: Callable[[], R],
    job: Options,
    *,
    tell: Tell,
    cancel: CancelToken | None = None,
    started: float | None = None,
) -> Iterator[tuple[R, Work]]:
    """Read the data and open the work folder; it stays where the run is killed, and goes where the run ends or is refused.

    Args:
        read: Reads the data.
        job: What is asked for; the work folder lies beside the model folder that is to be made.
        tell: Called with what is being done.
        cancel: Ends the run when asked to.
        started: When the clock of this run began; now by default.
    """
    started = time.perf_counter() if started is None else started
    folder = check_folder(job.folder, "fit: output")
    tell(Stage("reading the data"))
    data = read()
    identity = {"data": data.fingerprint(), "kind": type(job).__name__, **job.settings()}
    del identity["budget"]  # a resumed run may be given more time
    place = folder.parent / f".{folder.name}.work"
    work = Work(place, identity, resume=job.resume, started=started, cancel=cancel)
    try:
        yield data, work
    except (InvalidValue, Unavailable):
        work.remove()
        raise
    work.remove()
