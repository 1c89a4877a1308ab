"""Anomalies among the steps of series."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradatim.data.tables.reading import RawTable
from gradatim.errors import InvalidValue
from gradatim.fitting.anomalies.kind import AnomalyOptions
from gradatim.fitting.anomalies.made_up import Judging, odd_events, tile
from gradatim.fitting.anomalies.problem import AnomalyProblem, find_alarms
from gradatim.fitting.anomalies.readers import WindowReader
from gradatim.fitting.anomalies.steps import Layout, Steps, find_channels, read_steps
from gradatim.fitting.anomalies.table_problem import find_marks
from gradatim.fitting.tables.problem import find_name
from gradatim.timeseries import find_season

WINDOW = 16  # steps where no season is found
WINDOWS = (8, 48)  # the shortest and the longest that a season makes
LEAST = 60  # windows of normal steps
PIECES = 4  # stretches that a part should give at least


@dataclass(kw_only=True)
class SeriesAnomalies(AnomalyProblem):
    """Steps of series, each with the steps before it.

    Args:
        layout: Which columns hold what.
        steps: All series.
        window: Steps that are looked at together.
        is_odd: Steps that are labelled anomalies.
    """

    layout: Layout
    steps: Steps
    window: int
    is_odd: np.ndarray

    things = "steps"

    def contents(self) -> Iterator[bytes]:
        """Yield all values and the split."""
        yield from super().contents()
        yield repr((self.layout, self.window, self.steps.names)).encode()
        yield self.steps.values.tobytes() + self.steps.series.tobytes()

    @property
    def times(self) -> np.ndarray:
        """How far along its own series every step is."""
        return (self.steps.place + 1.0) / self.steps.lengths[self.steps.series]

    def learn(self, rows: np.ndarray) -> WindowReader:
        """Mean and deviation of every channel."""
        values = self.steps.values[rows]
        largest = np.maximum(
            np.abs(values).max(0), 1e-300
        )  # squares of huge numbers would overflow
        center, scale = ((values / largest).mean(0) * largest, (values / largest).std(0) * largest)
        scale = np.where(scale > 1e-12 * np.maximum(np.abs(center), 1e-300), scale, 1.0)
        return WindowReader(self.layout, self.window, center.tolist(), scale.tolist())

    def features(self, reader: WindowReader, rows: np.ndarray) -> np.ndarray:
        """Windows that end with the rows."""
        return reader.features(self.steps.values, rows)

    def make_up(self, reader: WindowReader, rows: np.ndarray, most: int, rng: np.random.Generator) -> Judging:  # fmt: skip
        """Judge by stretches of steps, and by the same with an event in them."""
        size = max(self.window // 2, 4)
        pieces = tile(rows, size, max(most // size, 1))
        while len(pieces) < PIECES and size > 1:
            size //= 2
            pieces = tile(rows, size, max(most // size, 1))
        before = np.arange(1 - self.window, 0)
        places = np.concatenate([pieces[:, :1] + before, pieces], axis=1)
        odd, kinds = odd_events(reader.standardize(self.steps.values[places]), size, rng)
        windows = np.lib.stride_tricks.sliding_window_view(odd, self.window, axis=1)
        flat = windows.transpose(0, 1, 3, 2).reshape(len(pieces) * size, -1)  # (N · size, F)
        normal = pieces.ravel()
        X = np.concatenate([reader.features(self.steps.values, normal), flat])
        return Judging(X, len(normal), size, kinds, normal)

    def order(self, rows: np.ndarray, seed: int) -> np.ndarray:
        """Rows in the order of time: the latest set the threshold."""
        return rows[np.argsort(self.times[rows], kind="stable")]


def prepare_series(raw: RawTable, job: AnomalyOptions) -> SeriesAnomalies:
    """Find marks, channels, windows and the test part."""
    assert job.time_column is not None
    notes, frame = list(raw.notes), raw.frame
    time = find_name(frame, job.time_column, "time_column")
    group = None if job.group is None else find_name(frame, job.group, "group")
    target, is_odd, kept = find_marks(frame, raw, job, notes)
    dropped = [find_name(frame, name, "drop") for name in job.drop]
    frame, is_odd = frame.iloc[kept], is_odd[kept]
    hidden = {time, group, *dropped, job.target or raw.target}
    channels = find_channels(frame, [str(c) for c in frame.columns if c not in hidden], notes)
    layout = Layout(time, channels, group)
    steps, is_odd = _latest(read_steps(frame, layout, notes), is_odd, job, notes)
    window = job.window or _find_window(steps)
    normal, odd = _find_rows(steps, is_odd, window, notes)
    if len(normal) < LEAST:
        raise InvalidValue(
            f"fit: the series must have at least {LEAST} normal steps with {window - 1} steps before them, got {len(normal)}. "
            + ("Try a smaller --window." if job.window else "Use longer ones.")
        )
    draft = SeriesAnomalies(
        name=raw.name, alarms=0.5, target=target, train=normal, test=normal[:0], odd_train=odd, odd_test=odd[:0],
        notes=notes, layout=layout, steps=steps, window=window, is_odd=is_odd,
    )  # fmt: skip
    late = draft.times > np.quantile(draft.times[normal], 1.0 - float(job.test))
    if not 2 <= int(late[normal].sum()) <= len(normal) - LEAST // 2:
        raise InvalidValue(f"fit: test must leave at least {LEAST // 2} normal steps to learn from and 2 to judge by, got {job.test:g}. Try 0.2.")  # fmt: skip
    parts = [own[late[own] == is_late] for own in (normal, odd) for is_late in (False, True)]
    alarms = find_alarms(job.alarms, len(parts[0]), notes, "steps")
    return replace(draft, alarms=alarms, train=parts[0], test=parts[1], odd_train=parts[2], odd_test=parts[3])  # fmt: skip


def _latest(steps: Steps, is_odd: np.ndarray, job: AnomalyOptions, notes: list[str]) -> tuple[Steps, np.ndarray]:  # fmt: skip
    """The latest steps of every series, as many as the budget allows or as were asked for."""
    is_odd, total = is_odd[steps.rows], len(steps.rows)
    most = job.most_rows(steps.values.shape[1] + 1)
    if total <= most:
        return steps, is_odd
    lengths = steps.lengths[steps.series]
    kept = np.flatnonzero(steps.place >= lengths - np.floor(lengths * most / total))
    notes.append(f"The latest {len(kept):,} of {total:,} rows are used (a longer --budget or --rows takes more).")  # fmt: skip
    starts = lengths - np.floor(lengths * most / total).astype(int)
    own = Steps(
        steps.values[kept], steps.series[kept], (steps.place - starts)[kept], steps.rows[kept],
        [steps.stamps[k] for k in kept.tolist()], steps.names,
    )  # fmt: skip
    return own, is_odd[kept]


def _find_window(steps: Steps) -> int:
    """Steps of a season of the longest series, or a usual number of them; a short series has shorter windows."""
    longest = int(steps.lengths.argmax())
    values = steps.values[steps.series == longest].T
    spread = np.maximum(np.abs(values).max(1, keepdims=True), 1e-300)
    period = find_season(values / spread, longest=min(values.shape[1] // 4, 4 * WINDOWS[1]))
    wanted = int(np.clip(period, *WINDOWS)) if period > 1 else WINDOW
    return max(min(wanted, len(steps.rows) // 10), 2)


def _find_rows(steps: Steps, is_odd: np.ndarray, window: int, notes: list[str]) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Steps whose window holds no labelled anomaly, and steps that are one; those after one are neither."""
    is_whole = steps.place >= window - 1
    seen = np.concatenate([[0], np.cumsum(is_odd)])
    held = seen[1:] - seen[np.maximum(np.arange(len(is_odd)) + 1 - window, 0)]
    short = [n for n, length in zip(steps.names, steps.lengths, strict=False) if length < window]
    if short:
        notes.append(f"{len(short)} series with fewer than {window} steps {'are' if len(short) > 1 else 'is'} left out, such as {short[0]!r}.")  # fmt: skip
    return np.flatnonzero(is_whole & (held == 0)), np.flatnonzero(is_whole & is_odd)
