"""Models of PyMC, compiled by PyTensor: to machine code by Numba, or to JAX."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from darboux import _core
from darboux._jax import jax_model
from darboux._layout import Arrays, Layout, attach, entries, versions_of

if TYPE_CHECKING:
    import pymc

__all__ = ["from_pymc"]


def from_pymc(
    model: pymc.Model, *, backend: Literal["numba", "jax"] = "numba", var_names: Sequence[str] | None = None
) -> _core.Model:
    """A model from one of PyMC.

    With ``backend="numba"`` its log density is machine code that is called without the interpreter's lock, chains in parallel. With
    ``backend="jax"`` one call of JAX serves all chains. Draws report the free variables, constrained, and deterministics, or those in
    `var_names`, with their dims and coords; they are computed when the run has ended. Compiling takes about a minute the first time,
    and seconds where PyTensor's cache has seen the model before. Discrete variables cannot be sampled: sum them out. Where a
    variable has an `initval`, all chains begin at ``model.initial_point()``, unless ``sample`` is told otherwise by ``init=``.
    Parameters that a distribution cannot have, and what cannot be computed, are points that the model refuses; any other
    exception ends the run.

    >>> import darboux, pymc  # doctest: +SKIP
    >>> with pymc.Model(coords={"school": ["A", "B"]}) as schools:  # doctest: +SKIP
    ...     effect = pymc.Normal("effect", 0, 10, dims="school")
    ...     y = pymc.Normal("y", effect, [15.0, 10.0], observed=[28.0, 8.0], dims="school")
    >>> trace = darboux.sample(darboux.from_pymc(schools))  # doctest: +SKIP
    """
    if backend not in ("numba", "jax"):
        raise ValueError(f'backend = {backend!r}: must be "numba" or "jax"')
    graphs = _Graphs.of(model, var_names)
    if backend == "jax":
        return _by_jax(graphs)
    with told(f"Compiling {graphs.name}"):
        return _by_numba(graphs)


@contextlib.contextmanager
def told(what: str, patience: float = 5.0) -> Iterator[None]:
    """Says on standard error what goes on, and for how long it did, where it takes more than so many seconds."""
    begin = time.monotonic()
    begun = threading.Timer(patience, lambda: print(f"{what} …", file=sys.stderr))
    begun.daemon = True
    begun.start()
    try:
        yield
    finally:
        begun.cancel()
    if (seconds := time.monotonic() - begin) > patience:
        begun.join()
        print(f"{what}: {seconds:.0f} s", file=sys.stderr)


@dataclass(frozen=True)
class _Graphs:
    """Functions of one flat vector."""

    name: str
    model: Any
    q: Any
    logp: Any
    reported: dict[str, Any]
    names: list[str]
    known: dict[str, Any]
    """Dims, coords, data and where chains begin, as a layout has them."""

    @staticmethod
    def of(model: Any, var_names: Sequence[str] | None) -> _Graphs:
        import pytensor.tensor as pt
        from pymc.backends.arviz import coords_and_dims_for_inferencedata, find_constants, find_observations
        from pymc.model.transform.optimization import freeze_dims_and_data
        from pytensor.graph.replace import clone_replace

        if discrete := [v.name for v in model.free_RVs if v.dtype.startswith(("int", "uint", "bool"))]:
            raise ValueError(
                f"{', '.join(discrete)}: discrete, and gradients need continuous variables; sum them out, or observe them"
            )
        if not model.free_RVs:
            raise ValueError("the model has no free variables: there is nothing to sample")
        coords, dims = coords_and_dims_for_inferencedata(model)
        known = {
            "dims": dims,
            "coords": coords,
            "observed": find_observations(model),
            "constant": find_constants(model),
        }
        frozen = freeze_dims_and_data(model)
        start = frozen.initial_point()
        free = [frozen.rvs_to_values[v] for v in frozen.free_RVs]
        ends = np.cumsum([0, *(start[v.name].size for v in free)])
        q = pt.TensorType("float64", shape=(int(ends[-1]),))("q")
        parts = {
            v: q[a:b].reshape(start[v.name].shape).astype(v.dtype)
            for v, a, b in zip(free, ends[:-1], ends[1:], strict=True)
        }
        order = {v.name: place for place, v in enumerate(model.unobserved_RVs)}  # as they were declared
        reported = dict(sorted(_reported(frozen, var_names).items(), key=lambda named: order[named[0]]))
        outputs = [frozen.logp(), *reported.values()]
        _refuse_minibatches(outputs)
        logp, *values = clone_replace(outputs, parts | _constants(outputs))
        names = [name for v in free for name in entries(v.name, start[v.name].shape)]
        if any(value is not None for value in model.rvs_to_initial_values.values()):
            asked = model.initial_point()
            known["start"] = np.concatenate([np.ravel(asked[v.name]) for v in free], dtype=np.float64)
        return _Graphs(
            model.name or "pymc model", frozen, q, logp, dict(zip(reported, values, strict=True)), names, known
        )

    def reported_as_one(self) -> list[Any]:
        """All that is reported as one vector, which compiled code can put into one array, and the sizes of all axes."""
        import pytensor.tensor as pt

        values = self.reported.values()
        sizes = [pt.as_tensor(v.shape, dtype="int64") for v in values if v.ndim]
        return [
            pt.concatenate([v.astype("float64").ravel() for v in values]),
            pt.concatenate(sizes) if sizes else pt.zeros(0, "int64"),
        ]

    def apart(self, vectors: np.ndarray, sizes: np.ndarray) -> Arrays:
        """Of such vectors, one a row, the array of each quantity."""
        out: Arrays = {}
        begin, left = 0, sizes.tolist()
        for name, value in self.reported.items():
            shape, left = left[: value.ndim], left[value.ndim :]
            end = begin + math.prod(shape)
            out[name] = vectors[:, begin:end].reshape(len(vectors), *shape).astype(value.dtype, copy=False)
            begin = end
        return out


def _reported(model: Any, var_names: Sequence[str] | None) -> dict[str, Any]:
    """Variables in natural units, and deterministics, by name."""
    hidden = {model.rvs_to_values[v] for v in model.free_RVs if model.rvs_to_transforms[v] is not None}
    known = {v.name: v for v in model.unobserved_value_vars if v not in hidden}
    if var_names is not None and not var_names:
        raise ValueError(f"var_names is empty: leave it out, or choose from {', '.join(known)}")
    if missing := [name for name in var_names or () if name not in known]:
        raise ValueError(f"var_names: there is no {', '.join(missing)}; there are: {', '.join(known)}")
    return {name: known[name] for name in (known if var_names is None else var_names)}


def _refuse_minibatches(outputs: list[Any]) -> None:
    from pymc.data import MinibatchOp
    from pytensor.graph.traversal import ancestors

    if any(v.owner is not None and isinstance(v.owner.op, MinibatchOp) for v in ancestors(outputs)):
        raise ValueError("the model has a pymc.Minibatch: minibatches are for variational inference; give all data")


def _constants(outputs: list[Any]) -> dict[Any, Any]:
    """For shared variables, which compiled functions could not read: their present values."""
    import pytensor.tensor as pt
    from pytensor.compile.sharedvalue import SharedVariable
    from pytensor.graph.traversal import graph_inputs
    from pytensor.tensor.type import TensorType

    shared = [v for v in graph_inputs(outputs) if isinstance(v, SharedVariable) and isinstance(v.type, TensorType)]
    return {v: pt.constant(v.get_value(), dtype=v.dtype) for v in shared}


def _by_numba(graphs: _Graphs) -> _core.Model:
    import numba
    import pytensor.tensor as pt
    from pymc.pytensorf import compile as compile_graph

    n = len(graphs.names)
    with graphs.model:
        f = compile_graph([graphs.q], [graphs.logp, pt.grad(graphs.logp, graphs.q)], mode="NUMBA").vm.jit_fn
        expand = compile_graph([graphs.q], graphs.reported_as_one(), mode="NUMBA").vm.jit_fn
    double = numba.types.CPointer(numba.types.double)
    integer, count, anything = numba.types.int64, numba.types.uint64, numba.types.voidptr

    @numba.cfunc(integer(count, double, double, double, anything))
    def log_density(dim, x, slope, value, user):
        try:
            found, slopes = f(numba.carray(x, (n,)))
            numba.carray(value, (1,))[0] = found.item()
            numba.carray(slope, (n,))[:] = slopes
        except Exception:  # noqa: BLE001 - which is looked at again, outside of compiled code
            return 1
        return 0

    @numba.njit
    def expand_all(points):
        first, sizes = expand(points[0])
        out = np.empty((len(points), first.size))
        for i in range(len(points)):
            out[i] = expand(points[i])[0]
        return out, sizes

    numbers, sizes = expand_all(np.zeros((1, n)))  # compiles it now, not when the run has ended

    def arrays(points: np.ndarray) -> Arrays:
        found = expand_all(points)[0] if len(points) else np.empty((0, numbers.shape[1]))
        return graphs.apart(found, sizes)

    made = _core.from_addresses(log_density.address, n, 0, 0, graphs.names, (log_density, f), _raising_again(f))
    known = graphs.known | {"versions": versions_of("pymc", "pytensor", "numba")}
    return attach(made, Layout.expanded(arrays, list(graphs.reported), **known), graphs.name)


def _raising_again(f: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], None]:
    """A function that raises what `f` does, unless it is the point that is at fault. Compiled code cannot tell these apart."""
    from pymc.logprob.utils import ParameterValueError

    def examine(point: np.ndarray) -> None:
        with contextlib.suppress(ParameterValueError, np.linalg.LinAlgError, ArithmeticError):
            f(point)

    return examine


def _by_jax(graphs: _Graphs) -> _core.Model:
    from pymc.sampling.jax import get_jaxified_graph

    logp = get_jaxified_graph([graphs.q], [graphs.logp])
    values = get_jaxified_graph([graphs.q], list(graphs.reported.values()))
    return jax_model(
        lambda q: logp(q)[0],
        len(graphs.names),
        transform=lambda q: dict(zip(graphs.reported, values(q), strict=True)),
        name=graphs.name,
        known=graphs.known | {"versions": versions_of("pymc", "pytensor", "jax")},
    )
