"""Models from elsewhere. Each front end says how a point becomes named arrays: a Layout, which the trace is made with."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from darboux import _core
from darboux._layout import Arrays, Layout, attach, function_name, versions_of, whole_number

__all__ = ["from_cfunc", "from_numpy", "from_stan"]

LogDensity = Callable[[np.ndarray], tuple[Any, Any]]


def from_numpy(f: LogDensity, dim: int, *, names: Sequence[str] = (), vectorized: bool | int = False) -> _core.Model:
    """A model from a function ``f(q) -> (log density, gradient)`` of a float64 array of shape (dim,).

    With ``vectorized=True`` it is given a point for each chain, shape (chains, dim), and returns shapes (chains,) and (chains, dim):
    one call for all chains; a number instead of True is the size of the block. A log density that is not finite is a point that the
    model refuses. The array is used again for the next call, unless the function keeps it. The function is called in a thread of the
    run, with a copy of the context variables of the one that calls ``sample``, such as those of ``np.errstate``.

    >>> import darboux
    >>> model = from_numpy(lambda q: (-0.5 * q @ q, -q), 3)
    >>> darboux.check(model).passed
    True
    """
    lanes = _core.all_chains if vectorized is True else whole_number("vectorized", vectorized)
    if lanes < 0 and vectorized is not True:
        raise ValueError(f"vectorized = {vectorized}: must be True, False, or the size of a block")
    model = _core.from_function(f, whole_number("dim", dim), list(names), lanes)
    return attach(model, Layout.by_name(model.names), function_name(f))


def from_cfunc(f: Any, dim: int, *, names: Sequence[str] = (), user: int = 0, keep: object = None) -> _core.Model:
    """A model from a compiled function, a ``numba.cfunc`` or an address, with the signature

    ``int64 f(uint64 dim, double* q, double* gradient, double* log_density, void* user)``

    that returns 0 where all went well. It is called without the interpreter's lock, by several threads at once. `user` is an address
    that it is given, and `keep` anything that must live as long as the model.

    >>> import ctypes
    >>> doubles = ctypes.POINTER(ctypes.c_double)
    >>> @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, doubles, doubles, doubles, ctypes.c_void_p)
    ... def normal(dim, q, gradient, log_density, user):
    ...     gradient[0], log_density[0] = -q[0], -0.5 * q[0] ** 2
    ...     return 0
    >>> from_cfunc(ctypes.cast(normal, ctypes.c_void_p).value, 1, keep=normal).names
    ['q[1]']
    """
    address = getattr(f, "address", f)
    if not isinstance(address, int):
        raise TypeError(f"f is a {type(f).__name__}: must be a numba.cfunc or an address")
    model = _core.from_addresses(address, whole_number("dim", dim), 0, user, list(names), (f, keep))
    is_numbas = type(f).__module__.partition(".")[0] == "numba"
    return attach(model, Layout.by_name(model.names, versions=versions_of("numba") if is_numbas else {}), function_name(f))


def from_stan(
    program: str | os.PathLike[str],
    data: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    seed: int = 0,
    stan: str | os.PathLike[str] = "",
) -> _core.Model:
    """A model from a Stan program (NAME.stan), compiled once and kept in the user's cache, or from a library with BridgeStan's
    interface (NAME.so). Data are a dict, JSON text, or the path of a JSON file; the trace has them in its group constant_data, since a
    program does not say which of them it models. Stan is in the folder `stan`, or where the command line finds it (docs/stan.md), or
    else that of ``pip install '.[stan]'`` (docs/python.md). `seed` is for programs that draw random numbers in their transformed data.

    >>> import darboux
    >>> with open("coin.stan", "w") as file:  # doctest: +SKIP
    ...     _ = file.write("data { int n; } parameters { real<lower=0, upper=1> p; } model { n ~ binomial(10, p); }")
    >>> darboux.from_stan("coin.stan", {"n": 7}).names  # doctest: +SKIP
    ['p']
    """
    import json

    text = json.dumps(data, default=_as_json) if isinstance(data, Mapping) else "" if data is None else os.fspath(data)
    model = _core.stan(os.fspath(program), text, seed, os.fspath(stan), _stan_of_the_extra(), _tell_compilation)
    layout = Layout.by_name(model.names, constant=_arrays_of(text), versions=_versions_of_stan(model, os.fspath(program)))
    return attach(model, layout, os.path.splitext(os.path.basename(program))[0])


_MOST_KEPT = 2**20  # numbers of one array that go with a trace, as with a store of the command line


def _arrays_of(data: str) -> Arrays:
    """Data in JSON, by name: those that are arrays of numbers; what is ragged, complex or a tuple is not kept."""
    import json

    if data and not data.lstrip().startswith("{"):
        with open(data, encoding="utf-8") as file:
            data = file.read()
    kept: Arrays = {}
    given: dict[str, Any] = {}
    with contextlib.suppress(ValueError):  # Stan spells more than JSON does, as Inf
        given = json.loads(data) if data else {}
    for name, value in given.items():
        with contextlib.suppress(ValueError):  # rows that differ in length
            array = np.asarray(value)
            if array.dtype.kind in "if" and array.size <= _MOST_KEPT:
                kept[name] = array
    return kept


def _versions_of_stan(model: _core.Model, program: str) -> dict[str, str]:
    """That of Stan, and of BridgeStan's interface where a library was made by others."""
    versions = {"stan": str(model.facts["stan"])} if "stan" in model.facts else {}
    if program.endswith(".so"):
        import ctypes

        library = ctypes.CDLL(os.path.abspath(program))
        known = [name for part in ("major", "minor", "patch") if hasattr(library, name := f"bs_{part}_version")]
        versions["bridgestan"] = ".".join(str(ctypes.c_int.in_dll(library, name).value) for name in known)
    return versions


def _stan_of_the_extra() -> str:
    """The folder of the package that carries all of Stan, where it is installed."""
    import importlib.util

    found = importlib.util.find_spec("httpstan")
    return os.path.dirname(found.origin) if found and found.origin else ""


def _as_json(value: Any) -> Any:
    if hasattr(value, "tolist"):  # arrays, series and numbers of NumPy
        return value.tolist()
    if hasattr(value, "to_numpy"):
        return value.to_numpy().tolist()
    raise TypeError(f"data: a {type(value).__name__} cannot be written as JSON")


def _tell_compilation(what: str, seconds: float, done: bool) -> None:
    if done:
        print(f"{what}: {seconds:.0f} s", file=sys.stderr)
    elif seconds == 0.0:
        print(f"{what} …", file=sys.stderr)
