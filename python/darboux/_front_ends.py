"""Models from elsewhere. Each front end says how a point becomes named arrays: a Layout, which the trace is made with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from darboux import _core
from darboux._layout import Layout, attach, function_name, whole_number

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
    return attach(model, Layout.by_name(model.names), function_name(f))


def from_stan(
    program: str | os.PathLike[str],
    data: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    seed: int = 0,
    stan: str | os.PathLike[str] = "",
) -> _core.Model:
    """A model from a Stan program (NAME.stan), compiled once and kept in the user's cache, or from a library with BridgeStan's
    interface (NAME.so). Data are a dict, JSON text, or the path of a JSON file. Stan is in the folder `stan`, or where the command line
    finds it (docs/stan.md), or else that of ``pip install 'darboux[stan]'``. `seed` is for programs that draw random numbers in their
    transformed data.

    >>> import darboux
    >>> with open("coin.stan", "w") as file:  # doctest: +SKIP
    ...     _ = file.write("data { int n; } parameters { real<lower=0, upper=1> p; } model { n ~ binomial(10, p); }")
    >>> darboux.from_stan("coin.stan", {"n": 7}).names  # doctest: +SKIP
    ['p']
    """
    import json

    text = json.dumps(data, default=_as_json) if isinstance(data, Mapping) else "" if data is None else os.fspath(data)
    model = _core.stan(os.fspath(program), text, seed, os.fspath(stan), _stan_of_the_extra(), _tell_compilation)
    return attach(model, Layout.by_name(model.names), os.path.splitext(os.path.basename(program))[0])


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
