"""Hamiltonian Monte Carlo on general phase spaces, for models that you already have.

>>> import darboux
>>> trace = darboux.sample(darboux.models.named("gaussian", dimension=2), seed=1, progressbar=False)
>>> trace.posterior["q"].shape
(4, 1000, 2)
"""

from darboux import models
from darboux._core import Model, Structure, Tuning
from darboux._core import version as __version__
from darboux._front_ends import from_cfunc, from_numpy, from_stan
from darboux._jax import from_jax, from_numpyro
from darboux._pymc import from_pymc
from darboux._sampling import Check, Run, check, sample, settings
from darboux._trace import Facts, Report, Summary

__all__ = [
    "Check",
    "Facts",
    "Model",
    "Report",
    "Run",
    "Structure",
    "Summary",
    "Tuning",
    "__version__",
    "check",
    "from_cfunc",
    "from_jax",
    "from_numpy",
    "from_numpyro",
    "from_pymc",
    "from_stan",
    "models",
    "sample",
    "settings",
]
