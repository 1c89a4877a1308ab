"""The saved generator of rows: the form of the table, simple generators, and the network where there was time for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose, require
from gradatim.files import check_output, open_atomically
from gradatim.fitting.generative.medium import Asked
from gradatim.fitting.generative.rows.form import Form
from gradatim.fitting.generative.rows.networks import MAKERS, RowMaker
from gradatim.fitting.generative.rows.where import (
    Condition,
    expected_share,
    read_conditions,
    settle_conditions,
)
from gradatim.fitting.generative.stored import Request, StoredGenerator, check_diffusion
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED, find_formula
from gradatim.fitting.stored import is_finite
from gradatim.generative import MODELS, GaussianCopula, IndependentColumns, Margin, RowCodec
from gradatim.model_folder import gather_tensors, save_model, tensors_from, tensors_of
from gradatim.models import describe
from gradatim.models.restoring import restore
from gradatim.wording import percent, shorten

INDEPENDENT, COPULA = "independent columns", "Gaussian copula"
MOST_AT_ONCE = 20_000  # rows
MOST = 1_000_000  # rows that are held
TRIED = 200  # rows that are drawn for one that is asked for, at the most
LEAST_TRIED = 20_000
GUESSED, SPARE = (
    100,
    20,
)  # rows that a guess of how many meet a condition stands for; drawn beyond it


class Classes(NamedTuple):
    """Classes that a network was told.

    Args:
        column: Where they stand in the table.
        levels: The classes; ``None`` is a missing cell.
        shares: How frequent each is.
    """

    column: str
    levels: tuple[str | None, ...]
    shares: tuple[float, ...]


@dataclass(eq=False, repr=False)
class RowGenerator(StoredGenerator):
    """Generators of rows by name.

    Args:
        form: How the table is read and written.
        margins: Distribution of every column that is learned, by name.
        correlation: Of the copula.
        recommended: The generator to use.
        network: The network, if there is one.
        maker: Its kind.
        classes: Those of the target, if it has any, which the network was told.
        about: Plain facts: figures, verdict, data.
    """

    things = "rows"

    form: Form
    margins: dict[str, Margin]
    correlation: np.ndarray
    recommended: str
    network: nn.Module | None = None
    maker: str | None = None
    classes: Classes | None = None
    about: dict[str, Any] = field(default_factory=dict)

    # --- drawing

    @property
    def generators(self) -> list[str]:
        """Names of the generators, the simplest first."""
        return [INDEPENDENT, COPULA, *([NETWORK] if self.network is not None else [])]

    @property
    def row_maker(self) -> RowMaker:
        """The kind of the network, which knows how vectors become rows."""
        learned = {n: m for n, m in self.margins.items() if self.classes is None or n != self.classes.column}  # fmt: skip
        count = None if self.classes is None else len(self.classes.levels)
        return MAKERS[choose("load_model", "maker", self.maker, MAKERS)](RowCodec(learned), count)

    def sample(
        self,
        num_samples: int,
        *,
        which: str = RECOMMENDED,
        label: str | None = None,
        where: Mapping[str, str] | None = None,
        guidance: float = 0.0,
        steps: int | None = None,
        seed: int = 0,
    ) -> pd.DataFrame:
        """Return new rows in the form of the table, every cell as a text.

        Args:
            num_samples: How many.
            which: ``"recommended"``, or a generator of the folder such as ``"network"``.
            label: Class of every row, by the target.
            where: Values that columns must have.
            guidance: How far to go beyond what the class asks for.
            steps: Evaluations of a diffusion model.
            seed: Fixes all draws.
        """
        request = Request(
            num_samples=num_samples, which=which, label=label, where=where or {}, guidance=guidance, steps=steps, seed=seed
        )  # fmt: skip
        found: pd.DataFrame = self.draw(request, [])
        return found

    def draw(self, request: Request, notes: list[str]) -> pd.DataFrame:
        name = self.recommended if request.which == RECOMMENDED else request.which
        choose("sample", "which", name, self.generators)
        require(request.num_samples <= MOST, f"sample: num_samples must be at most {MOST:,} for rows", f"{request.num_samples:,}", "Draw several times, with other seeds.")  # fmt: skip
        where = self._where(request)
        conditions = read_conditions(self.form, self.margins, where)
        is_told = name == NETWORK and self.classes is not None
        label = conditions.pop(self.classes.column, None) if is_told and self.classes else None
        has_diffusion = self.network is not None and self.maker == "diffusion"
        check_diffusion(request, name, has_diffusion=has_diffusion, has_classes=self.classes is not None)  # fmt: skip
        code = None if label is None or self.classes is None else self.classes.levels.index(str(label.value))  # fmt: skip
        asked = Asked(None, request.guidance, request.steps)
        generator = torch.Generator().manual_seed(request.seed)
        table = self._until_enough(request.num_samples, conditions, notes, lambda n: self._rows(name, n, code, asked, generator))  # fmt: skip
        return self.form.write(table)

    def _where(self, request: Request) -> dict[str, str]:
        where = dict(request.where)
        if request.label is None:
            return where
        if self.classes is None:
            raise InvalidValue(f"sample: label must be left out for a generator that learned no classes, got {request.label!r}. Give a --target with classes when you fit, or ask by --where.")  # fmt: skip
        column, levels = (
            self.classes.column,
            [own for own in self.classes.levels if own is not None],
        )
        label = choose("sample", "label", request.label, levels)
        require(where.get(column, label) == label, f"sample: label and where must agree on {column!r}", f"{label!r} and {where.get(column)!r}")  # fmt: skip
        return {**where, column: label}

    def _until_enough(self, count: int, conditions: dict[str, Condition], notes: list[str], draw: Any) -> pd.DataFrame:  # fmt: skip
        """Draw rows until there are enough that meet all conditions."""
        kept: list[pd.DataFrame] = []
        found = tried = 0
        most = max(TRIED * count, LEAST_TRIED)
        guess = max(expected_share(self.margins, conditions), 0.01)
        while found < count:
            at_once = count - found
            if conditions:
                met_by = (
                    f"{_asked(conditions)}, which {found:,} of {tried:,} rows of this model have"
                )
                require(tried < most, "sample: where must be what more rows have", met_by, "Ask for a more frequent value, or for fewer rows.")  # fmt: skip
                rate = (found + guess * GUESSED) / (tried + GUESSED)
                at_once = min(int(1.2 * at_once / rate) + SPARE, most - tried)
            table = self.form.settle(draw(min(at_once, MOST_AT_ONCE)))
            tried += len(table)
            met = settle_conditions(table, conditions)
            kept.append(table[met])
            found += int(met.sum())
        if conditions:
            notes.append(f"{tried:,} rows were drawn to find {count:,} where {_asked(conditions)}, as {percent(found / tried)} have it.")  # fmt: skip
        return pd.concat(kept, ignore_index=True).iloc[:count]

    def _rows(self, name: str, count: int, code: int | None, asked: Asked, generator: torch.Generator) -> pd.DataFrame:  # fmt: skip
        if name != NETWORK:
            simple = IndependentColumns(self.margins) if name == INDEPENDENT else GaussianCopula(self.margins, self.correlation)  # fmt: skip
            return simple.sample(count, generator=generator)
        return draw_rows(self.row_maker, self.network, self.classes, self.form.names, count, asked, generator, code)  # fmt: skip

    # --- writing

    def check(self, output: Path, num_samples: int, inputs: Sequence[Path]) -> None:
        is_table = output.suffix.lower() in (".csv", ".tsv")
        require(is_table, "sample: output must end with .csv or .tsv for rows", repr(str(output)), "Try rows.csv.")  # fmt: skip
        check_output(output, "sample: output", inputs=inputs, is_ours=lambda place: False)

    def write(
        self, samples: pd.DataFrame, output: Path, inputs: Sequence[Path], notes: list[str]
    ) -> None:
        self.check(output, len(samples), inputs)
        separator = "\t" if output.suffix.lower() == ".tsv" else ","
        with open_atomically(
            output, owner="sample", inputs=inputs, is_ours=lambda place: False
        ) as file:
            file.write(samples.to_csv(index=False, sep=separator).encode(errors="surrogateescape"))
        formula = find_formula(samples.select_dtypes(object).apply(_texts_only))
        if formula is not None:
            notes.append(f"{output.name} holds texts that a spreadsheet takes for formulas, such as {shorten(repr(formula), 40)}. Import them as text.")  # fmt: skip

    # --- storing

    def save(self, folder: str | Path, extra: Mapping[str, bytes] | None = None) -> Path:
        facts = [
            {"missing": m.missing, "is_continuous": m.is_continuous, "levels": list(m.levels)}
            for m in self.margins.values()
        ]
        description = {
            "medium": "rows",
            "form": self.form.to_json(),
            "margins": facts,
            "recommended": self.recommended,
            "maker": self.maker,
            "network": None if self.network is None else describe(self.network, beside=MODELS),
            "classes": None if self.classes is None else self.classes._asdict(),
            "about": self.about,
        }
        arrays = {f"knots {k}": margin.knots for k, margin in enumerate(self.margins.values())}
        parts: dict[str, Mapping[str, Tensor]] = {"table": tensors_from({**arrays, "correlation": self.correlation})}  # fmt: skip
        if self.network is not None:
            parts[NETWORK] = self.network.state_dict()
        return save_model(folder, "generative", description, gather_tensors(parts), extra)

    @classmethod
    def from_folder(cls, description: dict[str, Any], tensors: Mapping[str, Tensor]) -> Self:
        """Rebuild what :meth:`save` wrote; numbers that are not finite are refused.

        Args:
            description: What the folder says.
            tensors: Its numbers.
        """
        rule = "load_model: the numbers of the generator must be finite"
        require(is_finite(tensors), rule, "others")
        form = Form.from_json(description["form"])
        own = tensors_of("table", tensors)
        margins = {}
        for k, (name, facts) in enumerate(zip(form.names, description["margins"], strict=True)):
            knots = own[f"knots {k}"].numpy()
            is_sound = knots.ndim == 1 and len(knots) > 0 and bool((np.diff(knots) >= 0).all()) and 0 <= facts["missing"] < 1  # fmt: skip
            require(is_sound, f"load_model: the distribution of {shorten(repr(name), 40)} must ascend", "another")  # fmt: skip
            margins[name] = Margin(knots, facts["missing"], facts["is_continuous"], tuple(facts["levels"]))  # fmt: skip
        network = description["network"]
        if network is not None:
            network = restore("load_model", network, tensors_of(NETWORK, tensors), beside=MODELS).eval()  # fmt: skip
        told = description["classes"]
        classes = None if told is None else Classes(told["column"], tuple(told["levels"]), tuple(told["shares"]))  # fmt: skip
        model = cls(
            form, margins, own["correlation"].numpy(), description["recommended"], network, description["maker"], classes,
            description["about"],
        )  # fmt: skip
        choose("load_model", "recommended", model.recommended, model.generators)
        for name in model.generators:  # parts that do not fit each other are noticed now
            model.draw(Request(num_samples=2, which=name, steps=1 if name == NETWORK and model.maker == "diffusion" else None), [])  # fmt: skip
        return model

    def __repr__(self) -> str:
        kinds = ", ".join(self.generators)
        return f"RowGenerator({len(self.form.order)} columns; {kinds})"


def draw_rows(
    maker: RowMaker,
    network: Any,
    classes: Classes | None,
    names: Sequence[str],
    count: int,
    asked: Asked,
    generator: torch.Generator,
    code: int | None = None,
) -> pd.DataFrame:
    """Rows of a network, with their classes, drawn at the rate of the data unless one is asked for.

    Args:
        maker: Its kind.
        network: The network.
        classes: The classes that it was told, if any.
        names: Columns in their order.
        count: How many rows.
        asked: Guidance and steps.
        generator: Source of randomness.
        code: The class of all rows.
    """
    label = None
    if classes is not None:
        shares = torch.tensor(classes.shares, dtype=torch.float64)
        label = torch.multinomial(shares, count, replacement=True, generator=generator)
        label = label if code is None else torch.full_like(label, code)
    table = maker.codec.decode(maker.draw(network, count, asked._replace(label=label), generator=generator))  # fmt: skip
    if classes is not None and label is not None:
        levels = np.array(classes.levels, dtype=object)
        table[classes.column] = pd.Series(levels[label.numpy()], dtype=object)
    return table[list(names)]


def _asked(conditions: Mapping[str, Condition]) -> str:
    return " and ".join(f"{name}={own.text}" for name, own in conditions.items())


def _texts_only(column: pd.Series) -> pd.Series:
    """Numbers as texts begin with a sign and are no formulas."""
    return column.where(pd.to_numeric(column, errors="coerce").isna())
