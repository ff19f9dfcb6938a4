"""Sampling: the conventions of Python, over the settings of the command line."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from darboux import _core
from darboux._layout import layout_of, name_of
from darboux._progress import Progress
from darboux._pymc import from_pymc
from darboux._trace import trace_of

if TYPE_CHECKING:
    import pymc
    from xarray import DataTree

__all__ = ["Check", "Run", "check", "sample", "settings"]

# Names that Python users know, and what the command line calls them.
_KNOWN_AS = {"tune": "warmup", "cores": "threads", "target_accept": "target-acceptance", "maxdepth": "max-depth"}
# Names of other samplers that nobody would guess from.
_CALLED_HERE = {"random_seed": "seed", "random_state": "seed", "tuning_steps": "tune", "num_warmup": "tune", "num_samples": "draws"}


def settings() -> dict[str, str]:
    """Everything that ``sample`` can be told beside its own arguments, with what it means: the settings of ``darboux sample``.

    >>> import darboux
    >>> darboux.settings()["metric"].startswith("identity|diagonal|low-rank|dense: preconditioner")
    True
    """
    return {name.replace("-", "_"): f"{takes}: {text}" for name, takes, text in _core.settings()}


def _as_text(name: str, value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value))
    raise TypeError(f"{name} is a {type(value).__name__}: must be a number, text, True or False")


class Run:
    """A run in the background, from ``sample(…, blocking=False)``.

    >>> import darboux
    >>> run = darboux.sample(darboux.models.named("gaussian", 2), seed=1, blocking=False)
    >>> first = run.inspect()
    >>> trace = run.wait()
    >>> first.posterior.sizes["draw"] <= trace.posterior.sizes["draw"]
    True
    >>> [chain.draws for chain in run.progress()]
    [1000, 1000, 1000, 1000]
    """

    def __init__(
        self,
        model: _core.Model,
        config: dict[str, str],
        values: dict[str, Any],
        progressbar: bool = False,
        return_inferencedata: bool = True,
    ) -> None:
        self._model = model
        self._settings = config
        self._values = values
        self._progressbar = progressbar
        self._return_inferencedata = return_inferencedata
        start = layout_of(model).start if "init" not in config and values["starts"] is None else None
        self._config = _core.Config(
            name_of(model), config, _own_names(), values["structure"], values["tuning"], values["starts"],
            [] if start is None else start.tolist(),
        )  # fmt: skip
        self._run = _core.Sampling(model, self._config)
        _ALIVE.add(self)
        # What a front end needs, such as JAX, may have been imported after this module: it has to be there until runs have ended.
        atexit.unregister(_end_all)
        atexit.register(_end_all)

    def inspect(self) -> Any:
        """The trace so far, as ``wait()`` will give it: the iterations that all chains have finished, of which there may be none yet.
        The run goes on. Waits for starting points; counts of what chains have done are in ``progress()``."""
        while self._run.planned() is None and not self._run.wait(0.01):
            pass
        if self._run.wait(0.0):
            return self._result(self._run.draws())
        return self._result(self._run.so_far(), is_running=True)

    def progress(self) -> list[_core.ChainProgress]:
        """What each chain has done so far, in numbers: warmup, draws, divergences, gradients, step_size."""
        return self._run.progress()

    def planned(self) -> _core.Iterations | None:
        """What each chain is going to do, once that is decided."""
        return self._run.planned()

    def abort(self) -> Any:
        """Ends the run after the present transitions, and returns the trace of what was drawn, which may be nothing. ``wait()`` gives
        it, too."""
        self._run.stop()
        while not self._run.wait(1.0):
            pass
        return self._result(self._run.draws())

    def pause(self) -> None:
        """Chains wait after their present transition, until ``resume()`` or ``abort()``."""
        self._run.pause()

    def resume(self) -> None:
        """Chains go on after ``pause()``."""
        self._run.resume()

    def done(self) -> bool:
        """Whether the run has ended."""
        return self._run.wait(0.0)

    def wait(self, timeout: float | None = None, *, progressbar: bool | None = None) -> Any:
        """The trace, when the run has ended; progress is shown, and arrays alone returned, as ``sample`` was told.

        Ctrl-C ends the run: the trace has what was drawn until then, with a warning. Where that is nothing, KeyboardInterrupt is raised.
        """
        return self._result(self._drawn(timeout, self._progressbar if progressbar is None else progressbar))

    def _result(self, draws: _core.Draws, is_running: bool = False) -> Any:
        trace = self._trace(draws, is_running)
        if self._return_inferencedata:
            return trace
        return {name: values.to_numpy() for name, values in trace.posterior.items()}

    def _drawn(self, timeout: float | None, progressbar: bool) -> _core.Draws:
        end = float("inf") if timeout is None else time.monotonic() + timeout
        with Progress(self, progressbar) as progress, _on_interrupt(self._run.stop) as interrupted:
            while not self._run.wait(min(0.1, max(0.0, end - time.monotonic()))):
                progress.show()
                if time.monotonic() >= end:
                    raise TimeoutError(f"the run has not ended after {timeout:g} s; it goes on")
            draws = self._run.draws()
        if draws.size == 0:
            kind = KeyboardInterrupt if interrupted() else RuntimeError
            raise kind(f"the run was ended ({draws.facts['end']}) before the first draw: there is nothing to return")
        if draws.facts["end"] == "interrupted":
            planned = self._run.planned()
            of = f" of {planned.draws}" if planned else ""
            warnings.warn(f"the run was interrupted: the trace has {draws.size}{of} draws of each chain", stacklevel=3)
        return draws

    def _trace(self, draws: _core.Draws, is_running: bool) -> DataTree:
        given = self._settings | {name: type(value).__name__ for name, value in self._values.items() if value is not None}
        attributes = {"settings": " ".join(f"{name}={value}" for name, value in given.items())}
        save_warmup = self._settings.get("save-warmup") == "true"
        return trace_of(
            draws, self._config, layout_of(self._model), save_warmup, attributes, self._model.remarks,
            self._settings.get("log-likelihood") == "true", int(self._settings.get("posterior-predictive", 0)), is_running,
        )  # fmt: skip


_ALIVE: weakref.WeakSet[Run] = weakref.WeakSet()
os.register_at_fork(after_in_child=_ALIVE.clear)  # runs stay with the process that began them


def _end_all() -> None:
    """Threads that call functions of Python must have ended before the interpreter does."""
    for run in list(_ALIVE):
        run._run.stop()
        while not run._run.wait(1.0):
            pass


@contextlib.contextmanager
def _on_interrupt(end: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """Does this at the first Ctrl-C, instead of raising KeyboardInterrupt wherever the interpreter happens to be; a second one raises.
    A process that ignores Ctrl-C, or handles it by other means than Python's, is left as it is. Tells whether there was one."""
    happened = False
    before = signal.getsignal(signal.SIGINT)
    is_ours = threading.current_thread() is threading.main_thread() and callable(before)
    if not is_ours:
        yield lambda: False
        return

    def first(number: int, frame: FrameType | None) -> None:
        nonlocal happened
        happened = True
        signal.signal(signal.SIGINT, before)
        end()

    signal.signal(signal.SIGINT, first)
    try:
        yield lambda: happened
    finally:
        signal.signal(signal.SIGINT, before)


def sample(
    model: _core.Model | pymc.Model,
    *,
    draws: int | None = None,
    tune: int | None = None,
    chains: int = 4,
    cores: int | None = None,
    seed: int | None = None,
    target_accept: float | None = None,
    init: str | ArrayLike | None = None,
    structure: str | _core.Structure | None = None,
    tuning: _core.Tuning | str | os.PathLike[str] | None = None,
    save_warmup: bool = False,
    progressbar: bool = True,
    return_inferencedata: bool = True,
    blocking: bool = True,
    **more: Any,
) -> Any:
    """Draws from a model: an ArviZ DataTree, with ``trace.darboux`` for what the run says beside its draws.

    What is left out is chosen as ``darboux sample`` chooses it, and with the same seed draws are the same. `init` is a way to
    start (uniform, prior, mode, paths) or starting points, an array of shape (chains, dim) in the model's own coordinates; the
    default is where a model of PyMC says, if it has initial values, or else what suits the model. `tuning`
    is an earlier trace's ``trace.darboux.tuning``, or a file of the command line. Any setting of the command line may follow by its
    name, with _ for - : see ``settings()``. A model of PyMC may be given as it is. With ``return_inferencedata=False`` the result is
    a dict of arrays [chain, draw, …]; with ``blocking=False`` the run goes on in the background, and a ``Run`` is returned, whose
    ``wait()`` shows progress and returns what this would.

    >>> import darboux
    >>> trace = darboux.sample(darboux.models.named("gaussian"), draws=100, seed=1, progressbar=False, metric="diagonal")
    >>> trace.sample_stats["diverging"].shape
    (4, 100)
    """
    given: dict[str, Any] = {
        "draws": draws, "tune": tune, "chains": chains, "cores": cores, "seed": seed, "target_accept": target_accept,
        "save_warmup": save_warmup, **more,
    }  # fmt: skip
    values: dict[str, Any] = {"structure": None, "tuning": None, "starts": None}
    for name, value in (("init", init), ("structure", structure), ("tuning", tuning)):
        if isinstance(value, str | os.PathLike | None):
            given[name] = value
        elif name == "init":
            values["starts"] = _points(value)
        else:
            values[name] = value
    _require(structure, str, os.PathLike, _core.Structure, what="structure", must="a name, or a darboux.Structure(E=…, A=…, G=…)")
    _require(tuning, str, os.PathLike, _core.Tuning, what="tuning", must="an earlier trace's trace.darboux.tuning, or a file")
    model = _as_model(model)
    run = Run(model, _config(given), values, progressbar, return_inferencedata)
    return run.wait() if blocking else run


def _require(value: Any, *kinds: type, what: str, must: str) -> None:
    if value is not None and not isinstance(value, kinds):
        raise TypeError(f"{what} is a {type(value).__name__}: must be {must}")


def _config(given: dict[str, Any]) -> dict[str, str]:
    """What is given, by the names of the command line."""
    config: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name in _CALLED_HERE:
            raise ValueError(f"{name}: is called {_CALLED_HERE[name]} here")
        setting = _KNOWN_AS.get(name, name.replace("_", "-"))
        if setting in config:
            raise ValueError(f"{names[setting]} and {name} are two names of one setting: give one of them")
        names[setting] = name
        config[setting] = _as_text(name, value)
    return config


def _own_names() -> list[str]:
    """Names that ``sample`` has beside those of the command line, for suggestions."""
    return [name for name in sample.__kwdefaults__ if name not in settings()]


def _as_model(model: Any) -> _core.Model:
    if isinstance(model, _core.Model):
        return model
    if any(kind.__module__.partition(".")[0] == "pymc" for kind in type(model).__mro__):
        return from_pymc(model)
    raise TypeError(
        f"cannot sample a {type(model).__name__}: make a model of it with from_numpy, from_jax, from_numpyro, from_pymc, from_stan "
        "or from_cfunc, or take one of darboux.models"
    )


def _points(init: ArrayLike) -> np.ndarray:
    points = np.ascontiguousarray(init, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"init has shape {points.shape}: must be (chains, dim), a starting point for each chain")
    return points


class Check:
    """Whether a model's gradient is that of its log density: what ``check`` returns.

    >>> import darboux
    >>> darboux.check(darboux.models.named("gaussian", 2))
    Gradient against differences of the log density: 8 components
    ok
    """

    def __init__(self, found: _core.GradientCheck, names: list[str]) -> None:
        self.passed: bool = found.passed
        """Whether it is."""
        lines = [f"Gradient against differences of the log density: {found.components} components"]
        if found.refused:
            lines.append(f"{found.refused} points were refused by the model")
        for wrong in found.wrong[:5]:
            name = names[wrong.coordinate] if wrong.coordinate < len(names) else f"coordinate {wrong.coordinate + 1}"
            lines.append(
                f"WRONG for {name} at point {wrong.point + 1}: {wrong.gradient:.10g}, "
                f"differences {wrong.differences:.10g} ± {wrong.uncertainty:.1g}"
            )
        self._text = "\n".join([*lines, "ok" if self.passed else "Mend the gradient first."])

    def __repr__(self) -> str:
        return self._text


def check(model: _core.Model | pymc.Model, *, seed: int = 1) -> Check:
    """Compares a model's gradient with differences of its log density, at random points.

    >>> import darboux
    >>> check(darboux.from_numpy(lambda q: (-0.5 * q @ q, -2 * q), 2)).passed
    False
    """
    model = _as_model(model)
    return Check(_core.check(model, seed), model.names)
