"""A contestant as the harness sees it: a process that answers requests."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


class ContestantFailed(Exception):
    """The process of a contestant ended; the text is the last line it wrote."""


class Remote:
    """Start a contestant in a process of its own and wait until it is ready.

    Args:
        job: Name of the job.
        name: Name of the contestant.
        quick: Whether to load the small version of the task.
        counts_work: Whether to count seconds of processors at work instead of those that pass.
        root: Checkout whose benchmarks and library are used.
    """

    def __init__(
        self, job: str, name: str, *, quick: bool, counts_work: bool = False, root: Path = ROOT
    ) -> None:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (see close)
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "benchmarks.worker", job, name),
                *("quick" if quick else "full", "work" if counts_work else "time"),
            ],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        try:
            ready = self._answer()
        except BaseException:
            self.close()
            raise
        self.source, self.flops = str(ready["source"]), float(ready["flops"])

    def time(self, variant: str, epochs: int) -> list[float]:
        """Train and return the seconds of each timed epoch."""
        return list(self._ask({"variant": variant, "epochs": epochs})["seconds"])

    def check(self, variant: str) -> float:
        """Return the figure by which one sees that everybody did the same work."""
        return float(self._ask({"check": variant})["check"])

    def memory(self) -> float:
        """Return the most bytes that were taken, or nothing where nobody counts them."""
        return float(self._ask({"memory": True})["memory"])

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise ContestantFailed(self._last_words()) from None
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ContestantFailed(self._last_words())
        return dict(json.loads(line))

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors if line.strip()]
        return lines[-1] if lines else f"exit code {code}"

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # a request that a dead process never read
                    pipe.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
