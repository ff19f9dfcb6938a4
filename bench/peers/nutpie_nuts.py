"""nutpie's NUTS on a gradient that Numba compiled, called as a C function, without Python: the way of its PyMC models, whose
class is given our functions. defaults: its diagonal metric and its own length of warm-up; best: its low-rank metric.
It does not say when warm-up ends: time is divided as gradients are."""
import time

import numba
import numpy as np
import nutpie
from nutpie.compile_pymc import CompiledPyMCModel

from numba_densities import value_and_gradient_of

NUMBERS = numba.types.CPointer(numba.types.double)
INTEGER = numba.types.uint64


def compiled_model(case):
    dim, value_and_gradient = case.dim, value_and_gradient_of(case)

    @numba.cfunc(numba.types.int64(INTEGER, NUMBERS, NUMBERS, NUMBERS, numba.types.voidptr))
    def log_density(_, position, gradient_out, value_out, __):
        value, gradient = value_and_gradient(numba.carray(position, (dim,)))
        numba.carray(gradient_out, (dim,))[:] = gradient
        value_out[0] = value
        return 0 if np.isfinite(value) and np.all(np.isfinite(gradient)) else 3

    @numba.cfunc(numba.types.int64(INTEGER, INTEGER, NUMBERS, NUMBERS, numba.types.voidptr))
    def expand(_, __, position, values, ___):
        numba.carray(values, (dim,))[:] = numba.carray(position, (dim,))
        return 0

    return CompiledPyMCModel(
        dims={}, compiled_logp_func=log_density, compiled_expand_func=expand, n_expanded=dim, _n_dim=dim,
        initial_point_func=lambda seed: case.starts(seed, 1)[0], shared_data={}, user_data=np.zeros(1),
        shape_info=(["q"], [slice(0, dim)], [(dim,)]), logp_func=None, expand_func=None, _shapes={"q": (dim,)}, _coords={})


def prepare(case, variant, chains, warmup, draws):
    model = compiled_model(case)
    best = variant == "best"
    settings = {"tune": warmup} if best else {}

    def run(seed):
        begin = time.process_time()
        trace = nutpie.sample(model, draws=draws, chains=chains, cores=1, seed=seed, progress_bar=False,
                              low_rank_modified_mass_matrix=best, **settings)
        seconds = time.process_time() - begin
        before, after = (float(group["n_steps"].sum()) for group in (trace.warmup_sample_stats, trace.sample_stats))
        return trace.posterior["q"].values, {
            "warmup_seconds": seconds * before / (before + after),
            "sampling_seconds": seconds * after / (before + after),
            "gradients": int(after),
        }

    return run
