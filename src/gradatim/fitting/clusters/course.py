"""How a table is clustered: how many, where, and what tells them apart; then the model folder."""

from collections.abc import Callable

import numpy as np

from gradatim.clustering import Evidence, choose_num_clusters, judge_counts
from gradatim.clustering.choosing import PER_CLUSTER, sample_rows
from gradatim.events import CancelToken, Event, Stage, Tell, tell_nobody
from gradatim.fitting.classes import frame_of, source_rows
from gradatim.fitting.clusters.centers import Centers, fit_centers
from gradatim.fitting.clusters.kind import ClusterOptions
from gradatim.fitting.clusters.model import CLUSTER, DISTANCE, FAR, ClusterModel
from gradatim.fitting.clusters.problem import ClusterProblem
from gradatim.fitting.clusters.sections import Found, make_report
from gradatim.fitting.clusters.verdict import conclude, doubts
from gradatim.fitting.contest import FitResult
from gradatim.fitting.work import Work, begin
from gradatim.threads import limit_threads, safe_threads

LOOKING = 0.6  # of the course, spent on how many clusters there are


def find_groups(
    read: Callable[[], ClusterProblem],
    job: ClusterOptions,
    *,
    tell: Tell = tell_nobody,
    cancel: CancelToken | None = None,
    started: float | None = None,
    source: str = "",
) -> FitResult:
    """Cluster the rows that ``read`` gives, and write a model folder.

    Args:
        read: Reads the data.
        job: What the user asked for, the model folder included.
        tell: Called with what is being done and the share of it that is done.
        cancel: Ends the run when asked to.
        started: Reading of :func:`time.perf_counter` from which the budget counts; now by default.
        source: Where the data come from, noted in the folder.
    """
    with begin(read, job, tell=tell, cancel=cancel, started=started, source=source) as (problem, work):  # fmt: skip
        with limit_threads(safe_threads()):
            count, evidence = _count(problem, job, work, tell)
            tell(Stage("finding the clusters", LOOKING))
            stored = work.recall(
                "clusters", lambda: _plain(fit_centers(problem.x, count, job.seed))
            )
        centers = Centers(*(np.array(part) for part in stored))
        tell(Stage("writing the report", 0.85))
        return _write(problem, centers, evidence, job, work)


def _count(p: ClusterProblem, job: ClusterOptions, work: Work, tell: Tell) -> tuple[int, list[Evidence]]:  # fmt: skip
    """How many clusters, and what speaks for it."""

    def listen(event: Event) -> None:
        work.cancel.check()
        tell(Stage(event.what, LOOKING * event.share) if isinstance(event, Stage) else event)

    def look() -> tuple[int, list[Evidence]]:
        if p.clusters is None:
            choice = choose_num_clusters(p.x, blocks=p.blocks, seed=job.seed, tell=listen)
            return choice.num_clusters, choice.evidence
        sample = sample_rows(p.x, job.seed)
        is_told = 2 <= p.clusters <= len(sample) // PER_CLUSTER
        counts = [p.clusters] if is_told else []
        return p.clusters, judge_counts(sample, counts, blocks=p.blocks, seed=job.seed, tell=listen)

    count, rows = work.recall("number", look)
    return int(count), [Evidence(*row) for row in rows]


def _plain(centers: Centers) -> list[object]:
    return [centers.centers.tolist(), centers.reach.tolist()]


def _write(p: ClusterProblem, centers: Centers, evidence: list[Evidence], job: ClusterOptions, work: Work) -> FitResult:  # fmt: skip
    labels, distances, is_far = centers.assign(p.x)
    sizes = np.bincount(labels, minlength=len(centers.centers)).tolist()
    is_asked = p.clusters is not None
    verdict = conclude(len(sizes), evidence, is_asked=is_asked)
    found = Found(centers, labels, is_far, verdict, doubts(verdict, sizes, is_asked=is_asked), str(job.folder), job.seed)  # fmt: skip
    report = make_report(p, found)
    report.settings, report.seconds = job.settings(), work.elapsed
    about = {
        "data": p.name,
        "task": "clusters",
        "verdict": verdict.sentence,
        "rows": len(labels),
        "sizes": sizes,
        "evidence": [own._asdict() for own in evidence],
        **work.origin,
    }
    model = ClusterModel(
        models={Centers.kind: centers}, recommended=Centers.kind, about=about, reader=p.reader, weights=p.weights
    )  # fmt: skip
    place, rows = source_rows(p.places)
    table = frame_of({place: rows, CLUSTER: labels + 1, DISTANCE: distances, FAR: is_far})
    model.save(job.folder, {**report.files(), "predictions.csv": table.to_csv(index=False).encode()})  # fmt: skip
    return FitResult(job.folder, model, verdict, report, work.elapsed, p, found.concerns, after=_after(is_far))  # fmt: skip


def _after(is_far: np.ndarray) -> str:
    far = int(is_far.sum())
    return f"{far:,} of {len(is_far):,} rows {'is' if far == 1 else 'are'} far from all clusters; predictions.csv holds the cluster of every row."  # fmt: skip
