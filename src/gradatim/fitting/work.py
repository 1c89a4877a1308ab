"""The work folder of a run: every result as soon as it is known, so that a killed run goes on where it was."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gradatim.errors import InvalidValue, Unavailable
from gradatim.files import write_atomically
from gradatim.fitting.job import Job


class Work:
    """Results by key, on the disk; the clock goes on from where the last run was killed.

    Args:
        folder: Folder of the results.
        job: What identifies the run: settings and data.
        resume: Whether to go on with the results that are there.
        started: When the clock of this run began.
    """

    def __init__(
        self, folder: Path, job: dict[str, Any], *, resume: bool, started: float | None = None
    ) -> None:
        self.folder = folder
        self.started = time.perf_counter() if started is None else started
        self.spent, self.is_resumed = 0.0, False
        found = self._read("job")
        if resume and found is not None:
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
        return found["value"] if found is not None else self.put(key, compute())

    def has(self, key: str) -> bool:
        """Whether there is a result under ``key``."""
        return self._path(key).is_file()

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def work_beside(
    output: Path, data: str, job: Job, *, resume: bool, started: float
) -> Iterator[Work]:
    """The work folder of a run; it stays where the run is killed, and goes where the run ends or is refused.

    Args:
        output: The model folder that is being made; the work folder lies beside it.
        data: A hash of the data.
        job: What is asked for.
        resume: Whether to go on with the results that are there.
        started: When the clock of this run began.
    """
    identity = {"data": data, **asdict(job)}
    del identity["budget"]  # a resumed run may be given more time
    place = output.parent / f".{output.name}.work"
    work = Work(place, identity, resume=resume, started=started)
    try:
        yield work
    except (InvalidValue, Unavailable):
        work.remove()
        raise
    work.remove()
