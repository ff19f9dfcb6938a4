"""Models of PyMC, compiled by PyTensor and Numba to functions that need no interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from darboux import _core
from darboux._layout import Layout, attach

__all__ = ["from_pymc"]


def from_pymc(model: Any, *, var_names: Sequence[str] | None = None) -> _core.Model:
    """A model from one of PyMC: sampled without the interpreter's lock, chains in parallel.

    Draws report its free variables, constrained, and its deterministics, or those named by `var_names`, with their dims and coords.
    Discrete variables cannot be sampled this way. Compiling takes some ten seconds, less when PyTensor's cache is warm.
    """
    import numba
    import pytensor.tensor as pt
    from pymc.model.transform.optimization import freeze_dims_and_data
    from pymc.pytensorf import compile as compile_graph
    from pytensor.graph.replace import clone_replace

    if discrete := [v.name for v in model.free_RVs if v.dtype.startswith(("int", "uint", "bool"))]:
        raise ValueError(f"{', '.join(discrete)}: discrete, and gradients need continuous variables; sum them out, or observe them")
    frozen = freeze_dims_and_data(model)
    start = frozen.initial_point()
    free = [frozen.rvs_to_values[v] for v in frozen.free_RVs]
    ends = np.cumsum([0, *(start[v.name].size for v in free)])
    n = int(ends[-1])
    q = pt.TensorType("float64", shape=(n,))("q")
    parts = {v: q[a:b].reshape(start[v.name].shape) for v, a, b in zip(free, ends[:-1], ends[1:], strict=True)}
    reported = _reported(frozen, var_names)
    logp = frozen.logp()
    gradient = pt.concatenate([g.ravel() for g in pt.grad(logp, free)])
    logp, gradient, *values = clone_replace([logp, gradient, *reported], parts)
    flat = pt.concatenate([value.ravel().astype("float64") for value in values])
    with frozen:
        shapes = [np.shape(value) for value in compile_graph([q], values, mode="FAST_COMPILE")(np.zeros(n))]
        f = compile_graph([q], [logp, gradient], mode="NUMBA").vm.jit_fn
        g = compile_graph([q], [flat], mode="NUMBA").vm.jit_fn
    size = int(sum(np.prod(shape, dtype=int) for shape in shapes))
    double = numba.types.CPointer(numba.types.double)
    integer, count, anything = numba.types.int64, numba.types.uint64, numba.types.voidptr

    @numba.cfunc(integer(count, double, double, double, anything))
    def log_density(dim, x, slope, value, user):  # noqa: ANN001, ANN202 - compiled
        try:
            found, slopes = f(numba.carray(x, (n,)))
            numba.carray(value, (1,))[0] = found.item()
            numba.carray(slope, (n,))[:] = slopes
        except Exception:  # noqa: BLE001 - a point that the model refuses
            return 1
        return 0

    @numba.cfunc(integer(count, count, double, double, anything))
    def expand(dim, length, x, out, user):  # noqa: ANN001, ANN202 - compiled
        try:
            (found,) = g(numba.carray(x, (n,)))
            numba.carray(out, (size,))[:] = found
        except Exception:  # noqa: BLE001
            return 1
        return 0

    names = [name for v, shape in zip(reported, shapes, strict=True) for name in _entries(v.name, shape)]
    found = _core.from_addresses(log_density.address, n, expand.address, 0, names, (log_density, expand, f, g))
    dims = {name: list(value) for name, value in frozen.named_vars_to_dims.items()}
    coords = {name: list(value) for name, value in frozen.coords.items() if value is not None}
    return attach(found, Layout.in_order({v.name: s for v, s in zip(reported, shapes, strict=True)}, dims, coords))


def _reported(model: Any, var_names: Sequence[str] | None) -> list[Any]:
    """Variables in natural units, and deterministics."""
    hidden = {model.rvs_to_values[v] for v in model.free_RVs if model.rvs_to_transforms[v] is not None}
    shown = [v for v in model.unobserved_value_vars if v not in hidden]
    if var_names is None:
        return shown
    known = {v.name: v for v in shown}
    if missing := [name for name in var_names if name not in known]:
        raise ValueError(f"var_names: there is no {', '.join(missing)}; there are: {', '.join(known)}")
    return [known[name] for name in var_names]


def _entries(name: str, shape: tuple[int, ...]) -> list[str]:
    return [name + (f"[{','.join(str(i + 1) for i in index)}]" if shape else "") for index in np.ndindex(shape)]
