"""The jobs: every file here with a ``JOB`` is one."""

from importlib import import_module
from pkgutil import iter_modules

from benchmarks.jobs.job import EVERYBODY, MEMORY, REFERENCE, SECONDS, Claim, Job

__all__ = ["EVERYBODY", "MEMORY", "REFERENCE", "SECONDS", "Claim", "Job", "all_jobs"]


def all_jobs() -> dict[str, Job]:
    """Return every job by name."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    return {module.JOB.name: module.JOB for module in modules if hasattr(module, "JOB")}
