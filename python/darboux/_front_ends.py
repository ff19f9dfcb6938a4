"""Models from elsewhere. Each front end says how a point becomes named arrays: a Layout, which the trace is made with."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from darboux import _core
from darboux._layout import Layout, attach

__all__ = ["from_cfunc", "from_jax", "from_numpy", "from_numpyro", "from_stan"]

LogDensity = Callable[[np.ndarray], tuple[Any, Any]]


def from_numpy(f: LogDensity, dim: int, *, names: Sequence[str] = (), vectorized: bool | int = False) -> _core.Model:
    """A model from a function ``f(q) -> (log density, gradient)`` of a float64 array of shape (dim,).

    With ``vectorized=True`` it is given blocks of 16 points, shape (16, dim), and returns shapes (16,) and (16, dim): one call for
    many chains; a number instead of True is the size of the block. A log density that is not finite is a point that the model refuses.

    >>> import darboux
    >>> model = from_numpy(lambda q: (-0.5 * q @ q, -q), 3)
    >>> darboux.check(model).passed
    True
    """
    lanes = 16 if vectorized is True else int(vectorized)
    return _core.from_function(f, dim, list(names), lanes)


def from_cfunc(f: Any, dim: int, *, names: Sequence[str] = (), user: int = 0, keep: object = None) -> _core.Model:
    """A model from a compiled function, a ``numba.cfunc`` or an address, with the signature

    ``int64 f(uint64 dim, double* q, double* gradient, double* log_density, void* user)``

    that returns 0 where all went well. It is called without the interpreter's lock, by several threads at once.
    """
    address = getattr(f, "address", f)
    if not isinstance(address, int):
        raise TypeError(f"f is a {type(f).__name__}: must be a numba.cfunc or an address")
    return _core.from_addresses(address, dim, 0, user, list(names), (f, keep))


def from_stan(
    program: str | os.PathLike[str],
    data: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    seed: int = 0,
    stan: str | os.PathLike[str] = "",
) -> _core.Model:
    """A model from a Stan program (NAME.stan), compiled once and kept in the user's cache, or from a library with BridgeStan's
    interface (NAME.so). Data are a dict, JSON text, or the path of a JSON file. See docs/stan.md for where Stan comes from:
    ``darboux stan install`` of the command line fetches it, or an installed CmdStan or BridgeStan serves.
    """
    text = json.dumps(data, default=_as_json) if isinstance(data, Mapping) else "" if data is None else os.fspath(data)
    model = _core.stan(os.fspath(program), text, seed, os.fspath(stan), _tell_compilation)
    return attach(model, Layout.by_name(model.names))


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


def from_jax(
    logp: Callable[[Any], Any], point: int | Any, *, transform: Callable[[Any], Mapping[str, Any]] | None = None, block: int = 4
) -> _core.Model:
    """A model from a log density in JAX, a function of an array of shape (dim,), or of any pytree.

    `point` is the dimension, or a pytree of arrays whose shapes count. Log density and gradient of a `block` of chains are one
    compiled call. `transform` maps a point to a dict of named arrays that draws report, such as constrained parameters; without it
    draws report the point itself, by its keys where it is a dict.
    """
    import jax
    from jax.flatten_util import ravel_pytree

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    start = jnp.zeros(point) if isinstance(point, int) else jax.tree.map(lambda x: jnp.zeros(jnp.shape(x)), point)
    flat, unravel = ravel_pytree(start)
    report = transform or (lambda x: x if isinstance(x, Mapping) else {"q": x})
    gradient = jax.jit(jax.vmap(jax.value_and_grad(lambda q: logp(unravel(q)))))
    expand = jax.jit(jax.vmap(lambda q: dict(report(unravel(q)))))

    def log_density(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = gradient(q)
        return np.asarray(value), np.asarray(slope)

    model = _core.from_function(log_density, int(flat.size), [], block)
    return attach(model, Layout.expanded(lambda q: {name: np.asarray(x) for name, x in expand(q).items()}))


def from_numpyro(model: Callable[..., Any], *args: Any, block: int = 4, **kwargs: Any) -> _core.Model:
    """A model from one of NumPyro, with the arguments that it is called with. Draws report its sites, constrained, and its
    deterministics."""
    import jax
    from numpyro.infer.util import initialize_model

    jax.config.update("jax_enable_x64", True)
    known = initialize_model(jax.random.key(0), model, model_args=args, model_kwargs=kwargs, dynamic_args=False)
    return from_jax(lambda z: -known.potential_fn(z), known.param_info.z, transform=known.postprocess_fn, block=block)
