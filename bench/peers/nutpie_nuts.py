"""nutpie's NUTS on a Numba gradient. defaults: its diagonal metric; best: its low-rank metric and its own short warm-up.
It does not say when warm-up ends: time is divided as gradients are."""
import time

import numpy as np
import nutpie

from numba_densities import value_and_gradient_of


def prepare(case, variant, warmup, draws):
    value_and_gradient = value_and_gradient_of(case)
    value_and_gradient(case.starts(0, 1)[0])  # compiles
    model = nutpie.compiled_pyfunc.from_pyfunc(
        case.dim, lambda: value_and_gradient, lambda *_: lambda q: {"q": q}, [np.dtype("float64")], [(case.dim,)], ["q"],
        make_initial_point_fn=lambda seed: case.starts(seed, 1)[0])
    best = variant == "best"

    def run(seed):
        begin = time.process_time()
        trace = nutpie.sample(model, draws=draws, tune=min(warmup, 400) if best else warmup, chains=4, cores=1, seed=seed,
                              progress_bar=False, low_rank_modified_mass_matrix=best)
        seconds = time.process_time() - begin
        before, after = (float(group["n_steps"].sum()) for group in (trace.warmup_sample_stats, trace.sample_stats))
        return trace.posterior["q"].values, {
            "warmup_seconds": seconds * before / (before + after),
            "sampling_seconds": seconds * after / (before + after),
            "gradients": int(after),
        }

    return run
