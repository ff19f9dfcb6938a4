"""Models of JAX and NumPyro: one compiled call for all chains."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from darboux import _core
from darboux._layout import Arrays, Layout, attach, function_name, versions_of

__all__ = ["from_jax", "from_numpyro"]


def from_jax(
    logp: Callable[[Any], Any],
    point: int | Any,
    *,
    transform: Callable[[Any], Mapping[str, Any]] | None = None,
    block: int | None = None,
) -> _core.Model:
    """A model from a log density in JAX, a function of an array of shape (dim,), or of any pytree.

    `point` is the dimension, or a pytree of arrays whose shapes count. `transform` maps a point to a dict of named arrays that draws
    report, such as constrained parameters, computed when the run has ended; without it draws report the point itself. Arrays inside of
    others are called by the way to them, as in group.scale; one without a name is called q. Log density and gradient of all chains are one compiled call, on the device that JAX uses by default; with a
    `block`, of so many. All of it is done in double precision, whatever JAX is set to elsewhere in the program.

    >>> import darboux  # doctest: +SKIP
    >>> model = darboux.from_jax(lambda p: -0.5 * (p["mu"] - 1) ** 2, {"mu": 0.0})  # doctest: +SKIP
    >>> darboux.sample(model, seed=1, progressbar=False).posterior["mu"].shape  # doctest: +SKIP
    (4, 1000)
    """
    import jax  # noqa: F401 - whose version is asked for

    return jax_model(logp, point, transform=transform, name=function_name(logp), known={"versions": versions_of("jax")}, block=block)


def from_numpyro(model: Callable[..., Any], *args: Any, block: int | None = None, **kwargs: Any) -> _core.Model:
    """A model from one of NumPyro, with the arguments that it is called with.

    Draws report its sites, constrained, and its deterministics, with plates as dims. Observed sites are in the trace's group
    observed_data, other arrays among the arguments in constant_data. A `block` is as in ``from_jax``.

    >>> import darboux, numpyro  # doctest: +SKIP
    >>> def normal(y):  # doctest: +SKIP
    ...     mu = numpyro.sample("mu", numpyro.distributions.Normal(0, 5))
    ...     numpyro.sample("y", numpyro.distributions.Normal(mu, 1), obs=y)
    >>> trace = darboux.sample(darboux.from_numpyro(normal, 1.5))  # doctest: +SKIP
    """
    import inspect

    import jax
    from numpyro.infer.util import initialize_model

    if block is not None and "block" in inspect.signature(model).parameters:
        raise ValueError(
            "block: the model has an argument of that name, and so has from_numpyro: give the model's by functools.partial, "
            "in a function that has it no more"
        )
    # JAX remembers the precision in which it saw an array: the user's own must stay usable in single precision.
    args, kwargs = jax.tree.map(lambda x: x.copy() if isinstance(x, np.ndarray) else x, (args, kwargs))
    with double_precision():
        known = initialize_model(jax.random.key(0), model, model_args=args, model_kwargs=kwargs, dynamic_args=False)
    observed = {
        name: np.asarray(site["value"])
        for name, site in known.model_trace.items()
        if site["type"] == "sample" and site["is_observed"] and np.size(site["value"])  # a factor has none
    }
    if not jax.tree.leaves(known.param_info.z):
        raise ValueError("the model has no latent sites: there is nothing to sample")
    return jax_model(
        lambda z: -known.potential_fn(z),
        known.param_info.z,
        transform=known.postprocess_fn,
        name=function_name(model),
        known={
            "dims": {name: found for name, site in known.model_trace.items() if (found := _dims(name, site))},
            "observed": observed,
            "constant": _arrays_given(model, args, kwargs, observed),
            "versions": versions_of("jax", "numpyro"),
        },
        block=block,
    )


def _dims(name: str, site: dict[str, Any]) -> list[str]:
    """Names of a site's axes, those of its plates where they are."""
    if site["type"] not in ("sample", "deterministic"):
        return []
    shape = np.shape(site["value"])
    events = len(site["fn"].event_shape) if site["type"] == "sample" else 0
    names = [f"{name}_dim_{axis}" for axis in range(len(shape))]
    for plate in site["cond_indep_stack"]:
        axis = len(shape) - events + plate.dim
        if 0 <= axis < len(shape) and shape[axis] == plate.size:
            names[axis] = plate.name
    return names


def _arrays_given(model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], observed: Arrays) -> Arrays:
    """Arguments that are arrays of numbers, but for those that are observed."""
    import inspect

    bound = inspect.signature(model).bind(*args, **kwargs)
    given = bound.arguments | bound.kwargs  # those that have no name of their own in its signature, too
    arrays = {name: np.asarray(value) for name, value in given.items() if hasattr(value, "shape")}
    return {
        name: value
        for name, value in arrays.items()
        if value.dtype.kind in "biuf" and not any(_same(value, seen) for seen in observed.values())
    }


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")


def named_leaves(tree: Any, name: str = "") -> list[tuple[str, Any]]:
    """Arrays of a pytree, by the way to them, in the order in which they are there: JAX would sort them."""
    import jax

    items: Iterable[tuple[Any, Any]] | None = None
    if isinstance(tree, Mapping):
        items = tree.items()
    elif hasattr(tree, "_asdict"):
        items = tree._asdict().items()
    elif isinstance(tree, tuple | list):
        items = ((f"{name or 'q'}.{place}", value) for place, value in enumerate(tree))
        return [leaf for path, value in items for leaf in named_leaves(value, path)]
    if items is not None:
        return [leaf for key, value in items for leaf in named_leaves(value, f"{name}.{key}" if name else str(key))]
    found = jax.tree_util.tree_flatten_with_path(tree)[0]
    return [(".".join([*filter(None, [name]), *map(_key, path)]) or "q", leaf) for path, leaf in found]


def _key(key: Any) -> str:
    """One step of a way, as JAX has it."""
    return str(next(getattr(key, kind) for kind in ("name", "key", "idx") if hasattr(key, kind)))


def double_precision() -> AbstractContextManager[Any]:
    """JAX in double precision, in this thread and for as long as the context lasts: the user's own setting stays as it is."""
    import jax

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()


_POINTS_AT_ONCE = 256  # one shape for any number of draws, which is compiled once, and memory for so many


def jax_model(
    logp: Callable[[Any], Any],
    point: int | Any,
    *,
    transform: Callable[[Any], Any] | None,
    name: str,
    known: dict[str, Any],
    block: int | None = None,
) -> _core.Model:
    """A model of points that are flattened; `known` is the rest of its layout."""
    import jax
    import jax.numpy as jnp
    from jax.flatten_util import ravel_pytree

    with double_precision():
        start = jnp.zeros(int(point)) if isinstance(point, numbers.Integral) else jax.tree.map(lambda x: jnp.zeros(jnp.shape(x)), point)
        flat, unravel = ravel_pytree(start)
    of_point = jax.vmap(jax.value_and_grad(lambda q: logp(unravel(q))))

    @jax.jit
    def gradient(points: Any) -> Any:
        values, slopes = of_point(points)
        if values.dtype != np.float64:
            raise TypeError(
                f"the log density is of type {values.dtype}: must be float64; somewhere it is converted, by .astype or by a dtype= of "
                "its own, though points are float64"
            )
        return jnp.concatenate([values, slopes.ravel()])  # in one piece: what comes from a device comes at once

    names: list[str] = []

    def reported(q: Any) -> list[Any]:
        point = unravel(q)
        found = named_leaves(transform(point) if transform else point)
        names[:] = [path for path, _ in found]
        return [leaf for _, leaf in found]

    expand = jax.jit(jax.vmap(reported))
    with double_precision():  # what is wrong with it is told now, not when the run has ended
        shapes = jax.eval_shape(expand, jax.ShapeDtypeStruct((_POINTS_AT_ONCE, flat.size), np.float64))

    def log_density(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with double_precision():
            found = np.asarray(gradient(q))
        return found[: len(q)], found[len(q) :].reshape(q.shape)

    def arrays(points: np.ndarray) -> Arrays:
        blocks = [[np.empty((0, *of.shape[1:]), of.dtype) for of in shapes]]
        with double_precision():
            for begin in range(0, len(points), _POINTS_AT_ONCE):
                block = points[begin : begin + _POINTS_AT_ONCE]
                padded = np.pad(block, ((0, _POINTS_AT_ONCE - len(block)), (0, 0)), mode="edge")
                blocks.append([np.asarray(values)[: len(block)] for values in expand(padded)])
        return {name: np.concatenate(parts) for name, *parts in zip(names, *blocks, strict=True)}

    model = _core.from_function(log_density, int(flat.size), [], _core.all_chains if block is None else block)
    return attach(model, Layout.expanded(arrays, list(names), **known), name)
