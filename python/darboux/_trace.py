"""Draws as ArviZ knows them."""

from __future__ import annotations

import datetime
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from darboux import _core
from darboux._layout import Arrays, Layout, Quantities, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xarray import DataTree

__all__ = ["Facts", "Report", "Summary"]

_PAGE = os.path.join(os.path.dirname(__file__), "report.html")


class Report:
    """One HTML page on a run: verdict, table and figures, that of ``darboux report``. Notebooks show it in a frame.

    >>> Report("<!doctype html>")
    <darboux.Report: 0.0 MB; a notebook shows it, .save("report.html") writes it>
    """

    def __init__(self, page: str) -> None:
        self.html = page
        """All of it; it needs no network and no other file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, to be opened in a browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        from html import escape

        # A frame of its own keeps the page's styles and scripts from the notebook's, and sandboxed from its cookies.
        return (
            '<iframe sandbox="allow-scripts allow-downloads allow-popups" style="width:100%;height:720px;border:1px solid #ccc" '
            f'title="Report of the run" srcdoc="{escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f'<darboux.Report: {len(self.html) / 1e6:.1f} MB; a notebook shows it, .save("report.html") writes it>'


class Summary(str):
    """A table in text, which prompts and notebooks show as it is.

    >>> Summary("mu   1.2\\ntau  3.4")
    mu   1.2
    tau  3.4
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self)}</pre>"


class Facts:
    """What a run says beside its draws: ``trace.darboux``.

    >>> import darboux
    >>> trace = darboux.sample(darboux.models.named("gaussian", 2), seed=1, progressbar=False)
    >>> trace.darboux.warnings
    []
    >>> trace.darboux.tuning.step_size > 0
    True

    It goes with a trace that is pickled, but without the report. Copies that xarray makes of a trace are without it: keep it,
    ``facts = trace.darboux``, before.
    """

    def __init__(
        self, draws: _core.Draws, config: _core.Config, quantities: Quantities | None, remarks: list[str], is_running: bool = False
    ) -> None:
        self._own: _core.Draws | None = draws
        self._config: _core.Config | None = config
        self._quantities = quantities
        self._named: _core.Draws | None = None
        self._summary: tuple[Summary, list[str]] | None = None
        self._size = (draws.chains, draws.size)
        self.remarks = remarks
        """What the model has to say: points that it refused, and why."""
        is_tuned = not is_running or draws.size > 0
        self._tuning = draws.tuning if is_tuned else None
        self.cost: dict[str, Any] = known_facts(draws, is_running)
        """Gradients and seconds of warm-up and sampling, what warm-up chose, and what ended the run."""
        self.how: dict[str, str] = draws.how if is_tuned else {}
        """What was chosen, and why, in the words of the command line: Trajectories, Motion, Metric, Coordinates, Gradients; those that
        there are."""

    def __getstate__(self) -> dict[str, Any]:
        if self._size[1] > 0:
            self._summarised()
        return self.__dict__ | {"_own": None, "_config": None, "_quantities": None, "_named": None}

    @property
    def tuning(self) -> _core.Tuning:
        """What warm-up found: give it to a later run of the same model as ``tuning=``, and nothing is adapted again."""
        if self._tuning is None:
            raise RuntimeError("warm-up goes on: there is no tuning yet; inspect the run again when it has draws")
        return self._tuning

    @property
    def _draws(self) -> _core.Draws:
        """Those of the quantities that the trace has."""
        if self._own is None or self._config is None:
            raise RuntimeError("facts that were pickled have no draws to report on: make the report before, and save it")
        if self._named is None:
            known = self._quantities
            self._named = self._own if known is None else self._own.with_quantities(known.names(), known.numbers())
        return self._named

    def _summarised(self) -> tuple[Summary, list[str]]:
        """By default."""
        if self._summary is None:
            self._summary = self._summary_of()
        return self._summary

    def _summary_of(
        self,
        quantiles: Sequence[float] = (),
        hdi: float | None = None,
        above_zero: bool = False,
        odds_ratios: bool = False,
        parameters: str = "",
        sort: str = "file",
        max_rows: int = 0,
    ) -> tuple[Summary, list[str]]:
        draws = self._draws
        labels = [] if self._quantities is None else self._quantities.labels()
        shares = [float(q) for q in quantiles]
        text, warnings = draws.summary(labels, shares, hdi, above_zero, odds_ratios, parameters, sort, max_rows)
        return Summary(text), warnings

    @property
    def warnings(self) -> list[str]:
        """What may be wrong, each with what to do next; none is the good news."""
        return self._summarised()[1]

    def summary(
        self,
        *,
        quantiles: Sequence[float] = (),
        hdi: float | None = None,
        above_zero: bool = False,
        odds_ratios: bool = False,
        parameters: str | Sequence[str] | None = None,
        sort: Literal["ess", "rhat", "name"] | None = None,
        max_rows: int | None = None,
    ) -> Summary:
        """Means, quantiles, effective sizes and R-hat of every quantity, and warnings, as ``darboux summary`` prints them.

        `quantiles`, as ``[0.025, 0.5, 0.975]``, take the place of 5, 50 and 95 %; `hdi`, as 0.95, adds the narrowest interval with
        that share of the draws, `above_zero` the share of the draws that are positive, and `odds_ratios` the exponential of the
        quantiles, which are odds ratios where the quantities are coefficients of a logistic regression.

        `parameters`, as ``"theta,sigma*"`` or a list, are the only ones to show: names, or patterns with * and ?; warnings are of these
        alone then. `sort` puts the smallest effective sizes ("ess"), the largest R-hat ("rhat") or the first names ("name") on top,
        and of more than `max_rows` the rest is left out.

        >>> import darboux
        >>> facts = darboux.sample(darboux.models.named("gaussian", 70), seed=1, progressbar=False).darboux
        >>> print(facts.summary(parameters="q[7?]", sort="name", max_rows=1))  # doctest: +ELLIPSIS
        4 chains × 1000 draws · 1 of 71 quantities · leapfrog
        ...
        """
        if max_rows is not None and whole_number("max_rows", max_rows) < 1:
            raise ValueError(f"max_rows = {max_rows}: must be at least 1")
        wanted = parameters if parameters is None or isinstance(parameters, str) else ",".join(parameters)
        asked: dict[str, Any] = {
            "quantiles": quantiles if len(quantiles) else None, "hdi": hdi, "above_zero": above_zero or None,
            "odds_ratios": odds_ratios or None, "parameters": None if wanted is None else wanted or " ", "sort": sort, "max_rows": max_rows,
        }  # fmt: skip
        given = {name: value for name, value in asked.items() if value is not None}
        return (self._summary_of(**given) if given else self._summarised())[0]

    def report(self, *, page: str | os.PathLike[str] | None = None) -> Report:
        """The page of ``darboux report``, on this run. `page` is the file to fill in, where it is not the package's own."""
        file = _PAGE if page is None else os.fspath(page)
        if not os.path.exists(file):
            raise FileNotFoundError(
                f"{file}: the page for reports is missing. It is made with Node.js (18 or later) and npm when Darboux is built: "
                "install them and build again (./dev wheel), or name one: report(page=…/share/darboux/report.html). "
                "print(trace.darboux.summary()) shows the numbers without it"
            )
        draws = self._draws
        assert self._config is not None  # where there are draws
        return Report(draws.report(self._config, file))

    def __repr__(self) -> str:
        return f"<darboux.Facts: {self._size[0]} chains of {self._size[1]} draws; print(….summary()), .report(), .tuning>"


_KNOWN_FROM_THE_BEGINNING = ("seed", "integrator", "trajectory", "tuning_steps")
_COUNTED_MEANWHILE = ("warmup_gradients", "sampling_gradients", "warmup_seconds", "sampling_seconds")
_KNOWN_AT_THE_END = ("sampling_cpu_seconds",)


def known_facts(draws: _core.Draws, is_running: bool) -> dict[str, Any]:
    """What a run says of itself, as far as it is known."""
    if not is_running:
        return draws.facts
    known = _KNOWN_FROM_THE_BEGINNING + _COUNTED_MEANWHILE
    is_known = {name: name not in _KNOWN_AT_THE_END and (draws.size > 0 or name in known) for name in draws.facts}
    return {name: value for name, value in draws.facts.items() if is_known[name]} | {"end": "running"}


def trace_of(
    draws: _core.Draws,
    config: _core.Config,
    layout: Layout,
    save_warmup: bool,
    attributes: dict[str, Any],
    remarks: list[str],
    log_likelihood: bool = False,
    predictions: int = 0,
    is_running: bool = False,
) -> DataTree:
    """An xarray.DataTree with the groups posterior and sample_stats, warmup_… where saved, what the model says of observations where
    asked for, and data where known."""
    import arviz_base

    groups: dict[str, Arrays] = {}
    for prefix, warmup in (("", False), ("warmup_", True)):
        if warmup and not save_warmup:
            continue
        statistics = draws.statistics(warmup)
        for name in ("diverging", "accepted"):
            statistics[name] = statistics[name].astype(bool)
        if not statistics["tree_depth"].any():  # only trees have one
            del statistics["tree_depth"]
        groups[f"{prefix}posterior"] = layout.arrays(draws.values(warmup))
        groups[f"{prefix}sample_stats"] = statistics
    if log_likelihood:
        groups["log_likelihood"] = {"y": draws.log_likelihood()}
    if predictions:
        groups["posterior_predictive"] = {"y": draws.posterior_predictive(predictions)}
    for name, data in (("observed_data", layout.observed), ("constant_data", layout.constant)):
        if data:
            groups[name] = {key: np.asarray(value) for key, value in data.items()}
    facts = {
        "inference_library": "darboux",
        "inference_library_version": _core.version,
        "python_version": sys.version.partition(" ")[0],
        "numpy_version": np.__version__,
        "created_at": datetime.datetime.now(datetime.UTC).isoformat(),
        **{f"{name}_version": version for name, version in layout.versions.items()},
        **known_facts(draws, is_running),
        **attributes,
    }
    described = [name for name in groups if name.endswith(("posterior", "sample_stats"))]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Found chain dimension to be longer than draw")  # which may be, of a few draws
        trace = arviz_base.from_dict(
            groups,
            save_warmup=save_warmup,
            dims={name: list(dims) for name, dims in layout.dims.items()},
            coords=dict(layout.coords),
            attrs={name: facts for name in ("/", *described)},
        )
    if predictions:  # of draws that may not be all
        group = trace["posterior_predictive"]
        group.dataset = group.to_dataset().assign_coords(draw=draws.predicted(predictions))
    quantities = Quantities(groups["posterior"], layout.dims, layout.coords) if layout.is_expansion else None
    setattr(trace, "darboux", Facts(draws, config, quantities, remarks, is_running))  # noqa: B010
    return trace
