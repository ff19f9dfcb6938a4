"""Draws as ArviZ knows them."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from darboux import _core
from darboux._layout import Layout


class Facts:
    """What a run says beside its draws: ``trace.darboux``."""

    def __init__(self, draws: _core.Draws, remarks: list[str]) -> None:
        self._draws = draws
        self.remarks = remarks
        """What the model has to say: points that it refused, and why."""

    @property
    def tuning(self) -> _core.Tuning:
        """What warm-up found: give it to a later run of the same model as ``tuning=``, and nothing is adapted again."""
        return self._draws.tuning

    @property
    def cost(self) -> dict[str, Any]:
        """Gradients and seconds of warm-up and sampling, and what ended the run."""
        return self._draws.facts

    @property
    def warnings(self) -> list[str]:
        """What may be wrong, each with what to do next; none is the good news."""
        return self._draws.summary()[1]

    def summary(self) -> str:
        """Means, quantiles, effective sizes and R-hat of every quantity, and warnings, as ``darboux summary`` prints them."""
        return self._draws.summary()[0]

    def __repr__(self) -> str:
        return f"<darboux.Facts: {self._draws.chains} chains of {self._draws.size} draws; print(….summary())>"


def trace_of(draws: _core.Draws, layout: Layout, save_warmup: bool, attributes: dict[str, Any], remarks: list[str]) -> Any:
    """An xarray.DataTree with the groups posterior and sample_stats, and warmup_… where saved."""
    import arviz_base

    groups: dict[str, dict[str, np.ndarray]] = {}
    for prefix, warmup in (("", False), ("warmup_", True)):
        if warmup and not save_warmup:
            continue
        statistics = draws.statistics(warmup)
        statistics["diverging"] = statistics["diverging"].astype(bool)
        groups[f"{prefix}posterior"] = layout.arrays(draws.values(warmup))
        groups[f"{prefix}sample_stats"] = statistics
    facts = {
        "inference_library": "darboux",
        "inference_library_version": _core.version,
        "created_at": datetime.datetime.now(datetime.UTC).isoformat(),
        **draws.facts,
        **attributes,
    }
    trace = arviz_base.from_dict(groups, save_warmup=save_warmup, attrs={"/": facts, "posterior": facts})
    setattr(trace, "darboux", Facts(draws, remarks))  # noqa: B010 - no attribute that DataTree declares
    return trace
