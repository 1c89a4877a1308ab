"""Walk over the public names of every room, so that a law holds for what is added later too."""

import importlib
import inspect
import pkgutil

import gradatim

ROOMS = ["gradatim"] + [
    f"gradatim.{module.name}"
    for module in pkgutil.iter_modules(gradatim.__path__)
    if module.ispkg and module.name != "cli"
]


def public_values():
    """Each public name with its value, ``room.name``, and the names of a public module, ``room.module.name``."""
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            label, value = f"{room.removeprefix('gradatim').removeprefix('.')}.{name}", getattr(module, name)  # fmt: skip
            yield label, value
            if inspect.ismodule(value) and value.__name__ not in ROOMS:
                inner = getattr(value, "__all__", ())
                yield from ((f"{label}.{part}", getattr(value, part)) for part in inner)


def public_calls():
    """Everything public that takes arguments: functions, classes and their own methods."""
    for label, value in public_values():
        if inspect.isfunction(value):
            yield label, value
        elif inspect.isclass(value):
            yield label, value
            for name, method in vars(value).items():
                function = getattr(method, "__func__", method)
                if name.startswith("_") or not inspect.isfunction(function):
                    continue
                if function.__qualname__ == f"{value.__qualname__}.{name}":  # no default of a field
                    yield f"{label}.{name}", function


def pytest_generate_tests(metafunc):
    """``public``: a name and its value; ``call``: a name and a function, class or method."""
    for fixture, walk in (("public", public_values), ("call", public_calls)):
        if fixture in metafunc.fixturenames:
            found = list(walk())
            metafunc.parametrize(fixture, found, ids=[label for label, _ in found])
