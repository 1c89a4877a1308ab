"""Start a command anew in several processes, which share its work."""

import logging
import os
import sys
import uuid

from gradatim.errors import InvalidValue, require_whole

OPTION = "--processes"
LAUNCHED = (
    "GRADATIM_LAUNCHED"  # in the environment of processes that another one of ours speaks for
)


def start_processes(count: int) -> int:
    """Run the command of this process in ``count`` new ones, by PyTorch's launcher; return the exit code of the first that fails.

    Args:
        count: How many.
    """
    require_whole("fit", processes=count)
    if "WORLD_SIZE" in os.environ:
        raise InvalidValue(
            f"fit: processes must be left out where torchrun has started several, got {count}. Give --nproc-per-node to torchrun."
        )
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    for name in [each for each in logging.root.manager.loggerDict if each.startswith("torch.distributed")]:  # fmt: skip
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.environ[LAUNCHED] = "yes"
    os.environ.setdefault("OMP_NUM_THREADS", str(max((os.cpu_count() or 1) // count, 1)))
    config = LaunchConfig(
        min_nodes=1, max_nodes=1, nproc_per_node=count, run_id=uuid.uuid4().hex, rdzv_backend="c10d",
        rdzv_endpoint="localhost:0", max_restarts=0, monitor_interval=0.1,
    )  # fmt: skip
    try:
        elastic_launch(config, sys.executable)("-m", "gradatim", *without_option(sys.argv[1:]))
    except ChildFailedError as error:
        first = min(error.failures.values(), key=lambda failure: failure.timestamp)
        return first.exitcode if first.exitcode > 0 else 128 - first.exitcode
    except SignalException as error:
        return 128 + int(error.sigval)
    return 0


def is_heard() -> bool:
    """Whether this process is the one to say what befalls all that were started together.

    >>> is_heard()
    True
    """
    return "RANK" not in os.environ or (os.environ["RANK"] == "0" and LAUNCHED not in os.environ)


def without_option(words: list[str]) -> list[str]:
    """The words of a command line without the number of processes.

    >>> without_option(["fit", "iris", "--processes", "2", "--trials=3"])
    ['fit', 'iris', '--trials=3']
    """
    kept, is_value = [], False
    for word in words:
        if not is_value and word != OPTION and not word.startswith(f"{OPTION}="):
            kept.append(word)
        is_value = word == OPTION
    return kept
