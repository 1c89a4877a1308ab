"""Rows of a table as a medium: read, split, learned as vectors, judged by figures of tables."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from gradatim.data.tables.reading import RawTable, read_table
from gradatim.errors import InvalidValue
from gradatim.events import Stage, Tell
from gradatim.fitting.generative.copies import copying_concerns
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.medium import Asked, Look, Maker, Medium, Outcome, Trained
from gradatim.fitting.generative.rows import sections
from gradatim.fitting.generative.rows.batches import RowBatches, looked_at
from gradatim.fitting.generative.rows.form import Form
from gradatim.fitting.generative.rows.judging import Bench, RowFigures
from gradatim.fitting.generative.rows.model import (
    COPULA,
    INDEPENDENT,
    Classes,
    RowGenerator,
    draw_rows,
)
from gradatim.fitting.generative.rows.networks import MAKERS, RowMaker
from gradatim.fitting.generative.split import split_rows
from gradatim.fitting.player import NETWORK
from gradatim.fitting.rounds import Plan
from gradatim.fitting.tables.problem import find_name
from gradatim.fitting.verdict import Verdict, decide
from gradatim.fitting.work import Work
from gradatim.generative import (
    GaussianCopula,
    IndependentColumns,
    JitteredRows,
    RowCodec,
    column_similarity,
    pair_similarity,
    two_sample_test,
)
from gradatim.reports import Concern, Report

REAL, JITTERED = "training rows", "jittered training rows"
JITTER = 0.01  # deviations of a normal score: nearer than rows lie to each other
MOST_CLASSES = 50  # of a target that a network is told
MOST_MADE = 5_000  # rows that are judged, of each generator
LOOKED = 400  # rows after every round
SHOWN = 6  # of them
MOST_PASSES = 1_500  # over the training rows
REPORT_SECONDS = 4.0


def read_rows(data: "str | Path | pd.DataFrame", job: GenerativeOptions) -> "RowMedium":
    """Read as much of a table as the budget allows, or as was asked for.

    Args:
        data: A table: a file, a built-in name or a data frame.
        job: What is asked for.
    """
    source = str(data) if isinstance(data, Path) else data
    raw = read_table(source, limit=job.most_rows, seed=job.seed, seconds=job.seconds_to_look)
    return RowMedium(raw, job)


class RowMedium(Medium):
    """A table that was read.

    Args:
        raw: The table.
        job: What is asked for.
    """

    things = "rows"
    metric = "two-sample AUC"
    figure = "pair similarity", "pair similarity {:.3f}"

    def __init__(self, raw: RawTable, job: GenerativeOptions) -> None:
        self.job, self.name, self.notes = job, raw.name, list(raw.notes)
        frame = raw.frame.reset_index(drop=True)
        asked = job.target or (raw.target if raw.target in frame.columns else None)
        dropped = [find_name(frame, name, "drop") for name in job.drop]
        if job.target is not None and job.target in dropped:
            raise InvalidValue(f"fit: drop must not name the target, got {job.target!r}.")
        self.target = None if asked is None or asked in dropped else find_name(frame, asked, "target", raw.target)  # fmt: skip
        self.frame = frame
        self.places = split_rows(len(frame), float(job.test), job.seed, self.things, "the table")
        train = frame.iloc[self.places[0]]
        self.form = Form.learn(train, dropped, self.notes, self.target)
        if self.target is not None and self.target not in self.form.names:
            self.notes.append(f"The target {self.target!r} has one value only, or identifies rows: nothing is predicted.")  # fmt: skip
            self.target = None
        table = self.form.read(frame)
        self.train, self.validation, self.held_out = (
            self.form.settle(table.iloc[rows]).reset_index(drop=True) for rows in self.places
        )
        columns = f"{len(self.form.order)} column{'s' if len(self.form.order) != 1 else ''}"
        self.headline = f"Generator of {raw.name}, {len(frame):,} rows of {columns},"
        self.title = f"A generator of rows like those of {raw.name}"

    def fingerprint(self) -> str:
        """The hash of all cells, and of the split."""
        found = hashlib.blake2b(digest_size=16)
        for part in self._contents():
            found.update(part)
        return found.hexdigest()

    def _contents(self) -> Iterator[bytes]:
        for rows in self.places:
            yield rows.tobytes()
        for name in self.frame.columns:
            yield repr(name).encode(errors="surrogatepass")
            yield pd.util.hash_pandas_object(self.frame[name], index=False).to_numpy().tobytes()

    # --- on the way

    def prepare(self, work: Work, tell: Tell) -> None:
        tell(Stage("fitting simple generators", 0.05))
        job = self.job
        self.copula = GaussianCopula.learn(self.train)
        self.classes = self._find_classes()
        learned = self.train if self.classes is None else self.train.drop(columns=self.classes.column)  # fmt: skip
        if not learned.shape[1]:
            self.classes, learned = None, self.train
        self.codec = RowCodec.learn(learned)
        self.bench = Bench(self.train, self.held_out, RowCodec.learn(self.train), self.target, job.seed)  # fmt: skip
        self.count = max(min(len(self.train), MOST_MADE), len(self.held_out))
        self.figures: dict[str, RowFigures] = {}
        self.made: dict[str, pd.DataFrame] = {}
        tell(Stage("judging simple generators", 0.08))
        simple: dict[str, IndependentColumns | GaussianCopula] = {
            INDEPENDENT: IndependentColumns(self.copula.margins),
            COPULA: self.copula,
        }
        for name, own in simple.items():
            self._judge(name, self.form.settle(own.sample(self.count, generator=self._draws(1))))

    def _find_classes(self) -> Classes | None:
        if self.target is None:
            return None
        margin = self.copula.margins[self.target]
        if not margin.levels or not 2 <= len(margin.levels) <= MOST_CLASSES:
            return None
        levels = (*map(str, margin.levels), *([None] if margin.missing else []))
        counts = self.train[self.target].map(lambda cell: cell if cell in margin.levels else None).value_counts(dropna=False)  # fmt: skip
        found = {None if name != name else name: n for name, n in counts.items()}
        shares = tuple(float(found.get(level, 0)) / len(self.train) for level in levels)
        return Classes(self.target, levels, shares)

    def _draws(self, number: int) -> torch.Generator:
        return torch.Generator().manual_seed(1000 * self.job.seed + number)

    def seconds_to_judge(self, prepared: float) -> float:
        """Three tables beside the two that are judged already, a choice for each network, and the report."""
        return prepared / 2 * (3 + 0.5 * len(self.makers())) + REPORT_SECONDS

    def most_steps(self, plan: Plan) -> int:
        return MOST_PASSES * len(self.train) // plan.batch_size

    def makers(self) -> list[Maker]:
        names = list(MAKERS) if self.job.model is None else [self.job.model]
        count = None if self.classes is None else len(self.classes.levels)
        return [MAKERS[name](self.codec, count) for name in names if name in MAKERS]

    def _labels(self, table: pd.DataFrame) -> Tensor:
        if self.classes is None:
            return torch.zeros(len(table), dtype=torch.long)
        place = {level: k for k, level in enumerate(self.classes.levels)}
        cells = table[self.classes.column]
        common = int(np.argmax(self.classes.shares))  # of a class that training never saw
        return torch.tensor([place.get(None if cell != cell else cell, common) for cell in cells])

    def batches(self, maker: Maker, plan: Plan) -> tuple[object, object]:
        train = RowBatches(
            self.codec, self.train, self._labels(self.train), batch_size=plan.batch_size,
            num_batches=plan.steps, seed=plan.seed,
        )  # fmt: skip
        return train, looked_at(self.codec, self.validation, self._labels(self.validation), plan.seed)  # fmt: skip

    def _draw(self, maker: Maker, network: nn.Module, count: int, number: int) -> pd.DataFrame:
        assert isinstance(maker, RowMaker)
        rows = draw_rows(maker, network, self.classes, self.form.names, count, Asked(), self._draws(number))  # fmt: skip
        return self.form.settle(rows)

    def look(self, maker: Maker, network: nn.Module) -> Look:
        rows = self._draw(maker, network, LOOKED, 2)
        some = self.bench.some_columns()
        real = self.validation[some]
        alike = pair_similarity(real, rows[some]) if len(some) > 1 else column_similarity(real, rows[some])  # fmt: skip
        shown = self.form.write(rows.head(SHOWN)).iloc[:, : sections.MOST_COLUMNS]
        figure = float(np.nanmean(alike)) if np.isfinite(alike.to_numpy()).any() else 0.0
        return Look(figure, shown.to_string(index=False, na_rep=""))

    def choose_by(self, maker: Maker, network: nn.Module) -> float:
        rows = self._draw(maker, network, len(self.validation), 3)
        return two_sample_test(self.validation, rows, seed=self.job.seed).auc.value

    # --- at the end

    def _judge(self, name: str, rows: pd.DataFrame, *, is_real: bool = False) -> None:
        self.made[name] = rows
        self.figures[name] = self.bench.judge(rows, is_real=is_real)

    def add(self, name: str, maker: Maker, network: nn.Module) -> None:
        """Judge rows of a network.

        Args:
            name: What it is called.
            maker: Its kind.
            network: The network.
        """
        self._judge(name, self._draw(maker, network, self.count, 4))

    def add_references(self) -> None:
        """Judge what no generator can beat, training rows, and what copies them."""
        jittered = JitteredRows.learn(self.train, width=JITTER).sample(
            self.count, generator=self._draws(5)
        )
        self._judge(JITTERED, self.form.settle(jittered))
        order = torch.randperm(len(self.train), generator=self._draws(6)).numpy()
        self._judge(REAL, self.train.iloc[order[: self.count]].reset_index(drop=True), is_real=True)

    def judge(self, best: Trained | None, tell: Tell) -> Verdict:
        if best is not None:
            self.add(NETWORK, best.maker, best.network)
        self.add_references()
        losses = {name: self.figures[name].losses for name in (INDEPENDENT, COPULA)}
        network = None if best is None else self.figures[NETWORK].losses
        return decide(losses, network, 1 / (len(losses[COPULA]) - 1), self.metric)

    def worries(self, recommended: str) -> list[Concern]:
        found = []
        for name in dict.fromkeys((recommended, NETWORK)):
            own = self.figures.get(name)
            if own is not None:
                found += copying_concerns(name, self.things, own.copying, own.repeats, len(self.made[name]))  # fmt: skip
        return found

    def model(self, best: Trained | None, verdict: Verdict) -> RowGenerator:
        network, maker = (None, None) if best is None else (best.network.eval(), best.maker.name)
        copula = self.copula
        return RowGenerator(self.form, copula.margins, copula.correlation, verdict.recommended, network, maker, self.classes)  # fmt: skip

    def about(self) -> dict[str, Any]:
        return {
            "training_rows": len(self.train),
            "test_rows": len(self.held_out),
            "test": {name: sections.plain_figures(own) for name, own in self.figures.items()},
        }

    def describe(self, report: Report) -> None:
        sections.describe_data(report, self)

    def explain(self, report: Report, outcome: Outcome) -> None:
        sections.explain(report, self, outcome)

    def usage(self, outcome: Outcome) -> str:
        return sections.usage(self, outcome)

    def command(self, outcome: Outcome) -> str:
        return f"gradatim sample {outcome.folder} -n 1000 -o rows.csv"
