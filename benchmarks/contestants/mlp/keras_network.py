"""What both Keras contestants share; the backend is chosen before this is called."""

from typing import Any

from benchmarks.contestants.contestant import Tick
from benchmarks.contestants.mlp.task import Task


def compiled_network(task: Task, steps_per_call: int = 1) -> Any:
    """Build and compile the network of the task."""
    import keras

    hidden = [keras.layers.Dense(width, activation="relu") for width in task.sizes[1:-1]]
    model = keras.Sequential(
        [keras.Input(task.sizes[:1]), *hidden, keras.layers.Dense(task.sizes[-1])]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(task.lr),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        steps_per_execution=steps_per_call,
    )
    return model


def fit(model: Any, task: Task, epochs: int, tick: Tick) -> None:
    """Train, with a tick at the end of every epoch."""
    import keras

    epoch_end = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: tick())
    model.fit(
        task.X,
        task.y,
        batch_size=task.batch_size,
        epochs=epochs,
        verbose=0,
        callbacks=[epoch_end],
    )


def training_accuracy(task: Task, model: Any) -> float:
    """Return the accuracy of ``model`` on the data it was trained with."""
    return task.accuracy(model.predict(task.X, batch_size=1024, verbose=0))
