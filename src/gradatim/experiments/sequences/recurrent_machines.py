"""Weights by hand make recurrent networks count, tell parity and keep a stack; some of it can be learned too."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from gradatim.nn import ElmanCell, Recurrent
from gradatim.nn.cells.cell import Cell, State
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3", "F4")
KEYWORDS = "Siegelmann, Turing complete, universal computation, finite automaton, parity, counter, stack, pushdown automaton, Dyck language, length generalization"
OPEN, CLOSE = 1.0, -1.0
STACKS = 50


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    depth: int = 60
    lengths: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    hidden_dim: int = 16
    steps: int = 3000
    batch_size: int = 64
    lr: float = 0.01


QUICK = Settings(depth=40, lengths=(8, 16, 32, 64), hidden_dim=12, steps=500, lr=0.015)


def set_weights(rnn: Recurrent, W: list[list[float]], U: list[list[float]], b: list[float]) -> Recurrent:  # fmt: skip
    """Write the weights of an Elman network."""
    for name, values in (("input.weight", W), ("recurrent.weight", U), ("input.bias", b)):
        rnn.get_parameter(f"cells.0.{name}").data.copy_(torch.tensor(values))
    return rnn


def elman(input_dim: int, hidden_dim: int, activation: str) -> Recurrent:
    return Recurrent(partial(ElmanCell, activation=activation), input_dim, hidden_dim).double()


def counter() -> Recurrent:
    """Counts brackets: h₁ = relu(h₁ + x) are open, h₂ = relu(-h₁ - x) closed nothing just now, h₃ sums h₂ of the step before."""
    return set_weights(elman(1, 3, "relu"), [[1.0], [-1.0], [0.0]], [[1, 0, 0], [-1, 0, 0], [0, 1, 1]], [0, 0, 0])  # fmt: skip


def parity() -> Recurrent:
    """An automaton of two states: both units see h₁ - h₂, the last parity, and the bit; the answer is h₁ - h₂.

    relu(p + x) - 2 relu(p + x - 1) is the exclusive or of p and x.
    """
    return set_weights(elman(1, 2, "relu"), [[1.0], [1.0]], [[1, -2], [1, -2]], [0, -1])


class StackCell(Cell):
    r"""Siegelmann's stack: one rational number in base 4, pushed and popped by affine maps and a saturated line.

    .. math:: s_t = \begin{cases}\tfrac14 s_{t-1} + \tfrac14(2b + 1) & \text{push } b\\ 4 s_{t-1} - (2 b' + 1) & \text{pop}\end{cases}
        \qquad b' = \sigma(4 s_{t-1} - 2), \qquad \sigma(z) = \min(\max(z, 0), 1)

    The digits are 1 and 3, so that the top is read without error: :math:`4s - 2` is at least 1 or at most 0.

    The input is (bit, push, pop), the output the top before the step.
    """

    def __init__(self, input_dim: int = 3, hidden_dim: int = 1) -> None:
        super().__init__(input_dim, hidden_dim)

    def project(self, x: Tensor) -> Tensor:
        return x

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        s = state[0]
        bit, push, pop = projected.split(1, -1)
        top = saturate(4 * s - 2)
        pushed = saturate(s / 4 + (2 * bit + 1) / 4 - (1 - push))
        popped = saturate(4 * s - 2 * top - 1 - (1 - pop))
        return (pushed + popped,), top


def saturate(z: Tensor) -> Tensor:
    return z.clamp(0.0, 1.0)


def draw_brackets(rows: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random brackets, half of them balanced, and whether they are."""
    half = torch.randint(2, (rows, length), generator=generator) * 2.0 - 1
    balanced = torch.full((rows, length), OPEN)
    for row in range(rows // 2):
        depth = 0
        for t in range(length):  # a bracket may open while all can still be closed
            left = length - t
            must_close, must_open = depth == left, depth == 0
            coin = bool(torch.rand((), generator=generator) < 0.5)
            balanced[row, t] = CLOSE if must_close or (coin and not must_open) else OPEN
            depth += int(balanced[row, t])
    x = torch.cat([balanced[: rows // 2], half[rows // 2 :]])
    depths = x.cumsum(1)
    return x[..., None].double(), (depths.min(1).values >= 0) & (depths[:, -1] == 0)


def claim_by_hand(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    longest = settings.lengths[-1]
    x, y = draw_brackets(200, longest, generator)
    _, (h,) = counter()(torch.cat([x, torch.zeros(200, 1, 1).double()], 1))
    said = (h[0] == 0).all(1)
    report.claim(f"three ReLU units by hand tell balanced brackets of {longest}", (said == y).double().mean().item(), "accuracy", equals=1.0)  # fmt: skip
    bits = torch.randint(2, (200, longest, 1), generator=generator).double()
    outputs, _ = parity()(bits)
    wrong = (outputs[..., 0] - 2 * outputs[..., 1] != bits[..., 0].cumsum(1) % 2).sum().item()
    report.claim(f"two tell the parity of every beginning of {longest} bits", wrong, "wrong answers", equals=0)  # fmt: skip


def stack_depth(dtype: torch.dtype, most: int, generator: torch.Generator) -> int:
    """How many bits come off the stack as they went on, in the worst of fifty draws."""
    bits = torch.randint(2, (STACKS, most), generator=generator).to(dtype)
    for depth in range(1, most + 1):
        went, ones = bits[:, :depth], torch.ones(STACKS, depth, dtype=dtype)
        push = torch.stack([went, ones, 0 * ones], 2)
        pop = torch.stack([0 * ones, 0 * ones, ones], 2)
        outputs, _ = StackCell().unroll(torch.cat([push, pop], 1), (ones[:, :1] * 0,))
        if not torch.equal(outputs[:, depth:, 0], went.flip(1)):
            return depth - 1
    return most


def claim_stack(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    found = {}
    for name, dtype, digits in (("single", torch.float32, 24), ("double", torch.float64, 53)):
        found[name] = stack_depth(dtype, settings.depth, generator)
        report.claim(f"a stack in one number of {name} precision", found[name], f"bits kept, half of its {digits} digits: {{}}", at_least=digits // 2, at_most=digits // 2 + 2)  # fmt: skip
    logistic = smooth_stack(settings)
    report.claim("with the logistic function in the place of the saturated line it loses", logistic, "bits kept", at_most=4)  # fmt: skip
    report.text(
        "Siegelmann and Sontag's networks compute what Turing machines compute, with a saturated-linear function, rational weights "
        "and numbers of as many digits as the tape has cells. Notes that say sigmoidal mean this one; the usual logistic function "
        "reads a digit only nearly, and the error grows fourfold at every pop. On a machine whose numbers end, so does the stack."
    )
    draw_stack(report)


def smooth_stack(settings: Settings) -> int:
    """The stack with a steep logistic function that reads the top."""
    generator = torch.Generator().manual_seed(settings.seed)
    bits = torch.randint(2, (settings.depth,), generator=generator).double()
    for depth in range(1, settings.depth + 1):
        s = torch.zeros((), dtype=torch.float64)
        for bit in bits[:depth]:
            s = s / 4 + (2 * bit + 1) / 4
        for bit in bits[:depth].flip(0):
            top = torch.sigmoid(4 * (4 * s - 2.5) / 1.5)
            if (top > 0.5) != (bit > 0.5):
                return depth - 1
            s = 4 * s - 2 * top - 1
    return settings.depth


def learn(cell: str, task: str, settings: Settings) -> dict[int, float]:
    """Train a network on short sequences; return its accuracy by length, at the last step."""
    generator = torch.Generator().manual_seed(settings.seed)
    shortest = settings.lengths[0]

    def draw(rows: int, length: int) -> tuple[Tensor, Tensor]:
        bits = torch.randint(2, (rows, length, 1), generator=generator).float()
        if task == "parity":
            return bits, bits.cumsum(1) % 2
        x = 2 * bits - 1
        return x, (x.cumsum(1) > 0).float()  # more up than down so far?

    with seeded(settings.seed):
        model = Tagger(cell, settings.hidden_dim)
    Trainer(
        model, nn.BCEWithLogitsLoss(), lr=settings.lr, schedule="cosine", epochs=1, batch_size=settings.batch_size,
        clip_norm=1.0, seed=settings.seed, progress=False,
    ).fit(draw(settings.steps * settings.batch_size, shortest))  # fmt: skip
    scores = {}
    with torch.inference_mode():
        for length in settings.lengths:
            x, y = draw(1000, length)
            scores[length] = (
                ((model.eval()(x)[:, -1] > 0) == (y[:, -1] > 0.5)).float().mean().item()
            )
    return scores


class Tagger(nn.Module):
    """An answer at every step."""

    def __init__(self, cell: str, hidden_dim: int) -> None:
        super().__init__()
        self.rnn, self.readout = Recurrent(cell, 1, hidden_dim), nn.Linear(hidden_dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.readout(self.rnn(x)[0])


def claim_learned(report: Report, settings: Settings) -> None:
    tasks = {"parity": ("elman", "lstm", "min_gru"), "more ups than downs": ("elman", "lstm", "gru")}  # fmt: skip
    found = {task: {cell: learn(cell, task, settings) for cell in cells} for task, cells in tasks.items()}  # fmt: skip
    short, long = settings.lengths[0], settings.lengths[-1]
    best = max(found["parity"][cell][long] for cell in ("elman", "lstm"))
    report.claim(f"parity, learned from {short} bits, holds for {long}", best, "best accuracy of elman and lstm", at_least=0.95)  # fmt: skip
    report.claim("gates that do not see the state cannot tell parity", found["parity"]["min_gru"][long], "accuracy of min_gru {}: chance is 0.5", at_most=0.65)  # fmt: skip
    counts = found["more ups than downs"]
    report.claim(f"counting, learned from {short} steps, is better in an LSTM's cell than in bounded states, at {long}", counts["lstm"][long] - counts["elman"][long], "gain over elman", above=0)  # fmt: skip
    report.table("Accuracy at the last step, by length", columns=["task", "cell", *map(str, settings.lengths)], rows=[[task, cell, *by.values()] for task, cells in found.items() for cell, by in cells.items()])  # fmt: skip
    panels = [
        CurvePanel(task.capitalize(), "length", "accuracy", {cell: (list(by), list(by.values())) for cell, by in cells.items()}, {"chance": (list(settings.lengths), [0.5] * len(settings.lengths))}, is_log_x=True)
        for task, cells in found.items()
    ]  # fmt: skip
    report.figure("learned", curve_panels(panels), caption=f"Learned from sequences of {short} steps, asked for longer ones.")  # fmt: skip


def draw_stack(report: Report) -> None:
    """Draw where each stack of up to three bits lies in the unit interval."""
    figure, axes = new_figure(width=8.0, height=2.9)
    for depth in range(4):
        for code in range(2**depth):
            bits = [(code >> k) & 1 for k in range(depth)]
            s = 0.0
            for bit in bits:
                s = s / 4 + (2 * bit + 1) / 4
            color = MUTED if not bits else PALETTE[1] if bits[-1] else PALETTE[0]
            axes.plot(s, -depth, "o", color=color, markersize=7)
            if depth < 3:
                axes.annotate("".join(map(str, bits[::-1])) or "empty", (s, -depth), (0, 8), textcoords="offset points", ha="center", fontsize=8)  # fmt: skip
    axes.axvspan(0.25, 0.5, color=PALETTE[0], alpha=0.08)
    axes.axvspan(0.75, 1.0, color=PALETTE[1], alpha=0.08)
    axes.set(xlabel="the number that is the stack", xlim=(-0.04, 1.04), ylim=(-3.5, 0.7))
    axes.set_yticks([0, -1, -2, -3], ["no bit", "1 bit", "2 bits", "3 bits"])
    report.figure("stack", figure, caption="Every stack is a number of its own, top bit first; the shaded quarters tell the top bit, 0 or 1. No number falls between.")  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Recurrent machines",
        summary="A few units with the right weights count without end, tell parity and keep a stack. What numbers can hold, and "
        "what training finds, is less.",
    )
    claims: tuple[Callable[[Report, Settings], None], ...] = (claim_by_hand, claim_stack, claim_learned)  # fmt: skip
    for claim in claims:
        claim(report, settings)
    return report
