"""Estimators back from the folders they were saved in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from gradatim.errors import InvalidValue, require
from gradatim.estimators.classifier import NeuralClassifier
from gradatim.estimators.regressor import NeuralRegressor
from gradatim.models import MLP
from gradatim.models.restoring import restore
from gradatim.training import History


def _typed(classes: list[Any], dtype: str) -> NDArray[Any]:
    """Classes in the type they had; texts in no more room than they need, whatever a folder says."""
    kind = np.dtype(dtype).kind
    return np.array(classes, dtype=kind if kind in "US" else dtype)


def from_folder(
    description: dict[str, Any], tensors: dict[str, Tensor]
) -> NeuralClassifier | NeuralRegressor:
    """Rebuild a saved estimator."""
    kinds = {"NeuralClassifier": NeuralClassifier, "NeuralRegressor": NeuralRegressor}
    parameters = description["parameters"]
    if "learning_rate" in parameters:  # the name it had in an earlier version
        parameters = {**parameters, "lr": parameters["learning_rate"]}
        del parameters["learning_rate"]
    if not all(tensor.isfinite().all() for tensor in tensors.values()):
        raise InvalidValue("load_model: the weights of the estimator must be finite, and are not.")
    estimator = kinds[description["estimator"]](**parameters)
    estimator.n_features_in_ = description["features"]
    if description["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(description["feature_names"], dtype=object)
    estimator.mean_, estimator.scale_ = tensors["mean"].numpy(), tensors["scale"].numpy()
    estimator.networks_, estimator.histories_ = [], [History(h) for h in description["histories"]]
    for i in range(len(estimator.histories_)):
        prefix = f"network.{i}."
        weights = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
        network = restore("load_model", description["architecture"], weights)
        assert isinstance(network, MLP)
        estimator.networks_.append(network.eval())
    estimator.history_ = estimator.histories_[0]
    if isinstance(estimator, NeuralClassifier):
        estimator.classes_ = _typed(description["classes"], description["classes_dtype"])
    else:
        estimator.is_multi_output_ = description["is_multi_output"]
        estimator.target_mean_ = np.array(description["target_mean"])
        estimator.target_scale_ = np.array(description["target_scale"])
    _check_sizes(estimator)
    return estimator


def _check_sizes(estimator: NeuralClassifier | NeuralRegressor) -> None:
    """Refuse numbers that do not belong to the networks: those of inputs, of classes or targets."""
    linear = [layer for layer in estimator.networks_[0].modules() if isinstance(layer, nn.Linear)]
    inputs, outputs = linear[0].in_features, linear[-1].out_features
    if isinstance(estimator, NeuralClassifier):
        per_output = {"classes": estimator.classes_}
    else:
        per_output = {"target_mean": estimator.target_mean_, "target_scale": estimator.target_scale_}  # fmt: skip
        is_number = all(array.dtype.kind in "fi" and np.isfinite(array).all() for array in per_output.values())  # fmt: skip
        require(is_number, "load_model: mean and scale of the targets must be finite numbers", "others")  # fmt: skip
    sizes = {"features": (estimator.n_features_in_,), "mean": estimator.mean_.shape, "scale": estimator.scale_.shape}  # fmt: skip
    for name, shape in sizes.items():
        require(shape == (inputs,), f"load_model: {name} must be those of {inputs} inputs", shape)
    for name, array in per_output.items():
        require(array.shape == (outputs,), f"load_model: {name} must be those of {outputs} outputs", array.shape)  # fmt: skip
