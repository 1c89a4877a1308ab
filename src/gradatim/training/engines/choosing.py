"""Which engine moves a model, and why: the one place where that is decided."""

from collections.abc import Callable, Sequence

from torch import nn

from gradatim.errors import choose, require
from gradatim.losses import Loss, cross_entropy
from gradatim.losses.named import is_named
from gradatim.models import MLP
from gradatim.training.batches import Batches, InMemory
from gradatim.training.callbacks import Callback
from gradatim.training.distributed.shares import SharedInMemory
from gradatim.training.engines.chain import ChainEngine, is_chain
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.engines.flat import is_flattenable
from gradatim.training.engines.general import GeneralEngine
from gradatim.training.engines.shared import SharedEngine
from gradatim.training.engines.shared_chain import SharedChainEngine
from gradatim.training.engines.truncated import TruncatedEngine
from gradatim.training.history import EngineChoice
from gradatim.training.objectives.objective import Objective
from gradatim.training.objectives.supervised import Supervised
from gradatim.training.objectives.truncated_bptt import TruncatedBPTT
from gradatim.training.replica_data import ReplicaData

ENGINES: dict[str, Callable[[Run], Engine]] = {
    "general": GeneralEngine,
    "chain": ChainEngine,
    "truncated": TruncatedEngine,
}
SHARED_ENGINES: dict[str, Callable[[Run], Engine]] = {
    "general": SharedEngine,
    "chain": SharedChainEngine,
}  # of the same names, for batches that processes share
SLOWER = "stacked convolutions are slower than single ones on a CPU"


def choose_engine(wanted: str, run: Run, batches: Batches) -> EngineChoice:
    """Choose the engine of a run, or say why the one that is wanted cannot run it.

    Args:
        wanted: ``"auto"``, or the name of an engine.
        run: What is to be moved.
        batches: Where its batches come from.
    """
    obstacles = {
        "truncated": why_not_truncated(run),
        "chain": why_not_chain(run, batches),
        "general": why_not_general(run),
    }
    if wanted != "auto":
        rule = "Trainer: engine must fit the run"
        require(not obstacles[wanted], rule, f"{wanted!r}, but {obstacles[wanted]}", "Try 'auto'.")
        return EngineChoice(wanted, "it was asked for")
    if not obstacles["truncated"]:
        return EngineChoice("truncated", "the objective cuts sequences into chunks")
    if not obstacles["chain"]:
        return EngineChoice("chain", "dense layers, a known loss and a fused rule need no autograd")
    return EngineChoice("general", f"no chain: {obstacles['chain']}")


def check_engine(wanted: str) -> str:
    """Return the name of an engine, or list those there are."""
    return choose("Trainer", "engine", wanted, ("auto", *ENGINES))


def why_not_general(run: Run) -> str:
    """Say why autograd alone cannot move these batches; empty if it can."""
    return "the objective cuts sequences into chunks" if isinstance(run.objective, TruncatedBPTT) else ""  # fmt: skip


def why_not_truncated(run: Run) -> str:
    """Say why batches cannot be cut in time; empty if they can."""
    return "" if isinstance(run.objective, TruncatedBPTT) else "the objective is not TruncatedBPTT"


def why_not_chain(run: Run, batches: Batches) -> str:
    """Say why a run needs autograd; empty if data, model, loss and optimizer are all plain."""
    model, loss = run.model, run.objective.loss
    if type(run.objective) is not Supervised:
        return "the objective is more than a loss"
    if not isinstance(batches, InMemory | SharedInMemory):
        return "the data are a stream"
    if len(batches.tensors) != 2:
        return "there are several inputs"
    x, y = batches.tensors
    if not (x.ndim == 2 or type(model) is MLP):
        return "the inputs are not rows of numbers"
    if loss is cross_entropy and y.ndim != 1:
        return "the targets are no class indices"
    if run.has_scheduler:
        return "PyTorch's schedulers count the steps of their optimizer"
    if run.needs_autograd:
        return "a callback asks for autograd"
    if run.precision.dtype is not None:
        return "half precision needs autograd"
    if run.needs_forward:
        return "the model's own forward pass is compiled or made again"
    if run.sharing.group.is_sharded:
        return "the model is in shards"
    if not is_chain(model, loss):
        return "the model is not dense layers with known activations under a known loss"
    parameters = list(model.parameters())
    if any(p.dtype != x.dtype for p in parameters):
        return "inputs and weights have different types"
    optimized = [p for group in run.optimizer.param_groups for p in group["params"]]
    if {id(p) for p in optimized} != {id(p) for p in parameters}:
        return "the optimizer does not hold the parameters of the model, all and only"
    return "" if is_flattenable(run.optimizer) else "the optimizer is no plain SGD, Adam or AdamW"


def why_not_stacked(models: Sequence[nn.Module], data: ReplicaData, loss: Loss) -> str:
    """Say why networks cannot train as one computation; empty if they can."""
    model = models[0]
    if not is_named(loss):
        return "the loss is not one of the named ones"
    if any(isinstance(m, nn.modules.batchnorm._BatchNorm) for m in model.modules()):
        return "batch normalization mixes the rows of a batch"
    if next(model.buffers(), None) is not None:
        return "the networks have buffers"
    if any(isinstance(m, nn.modules.conv._ConvNd) for m in model.modules()):
        return SLOWER
    parameters = list(model.parameters())
    if not all(p.requires_grad and p.device.type == "cpu" for p in parameters):
        return "some parameters are frozen or not on the CPU"
    if len({p.dtype for p in parameters}) != 1 or data.X.dtype != parameters[0].dtype:
        return "parameters and inputs have different types"
    return ""


def choose_stack(model: nn.Module, data: ReplicaData, loss: Loss) -> EngineChoice:
    """Choose how networks that train as one computation do so."""
    if is_chain(model, loss) and data.X.ndim == 2 and data.y.ndim <= 2:
        outputs = list(model.parameters())[-1].shape[0]
        is_label = loss is cross_entropy
        if data.y.ndim == 1 if is_label else data.y[0].numel() == outputs:
            return EngineChoice("stacked_chain", "dense layers multiply as one batch of matrices")
    return EngineChoice("stacked_module", "torch.func maps over networks that are no chains")


def works_in_any_layout(objective: Objective, callbacks: Sequence[Callback]) -> bool:
    """Whether weights and gradients may be rearranged in memory while these look on, as each has declared.

    Code of somebody's own may ``view`` them, which fails in another order. The class that defines what is called
    while an epoch runs must say ``any_layout = True``, so a subclass does not inherit what its code was never
    asked for. Optimizers of an objective would not follow.
    """
    if objective.optimizers:
        return False
    watched: list[tuple[object, str]] = [(objective, "__call__")]
    if objective.inner is not None:
        watched.append((objective.inner, "__call__"))
    for moment in ("on_gradients", "on_batch_end"):
        watched += [(c, moment) for c in callbacks if c.observes(moment)]
    return all(_declares(watcher, moment) for watcher, moment in watched)


def _declares(watcher: object, moment: str) -> bool:
    owner = next(kind for kind in type(watcher).__mro__ if moment in vars(kind))
    return bool(vars(owner).get("any_layout", False))
