"""WALNUTS, NUTS with step sizes that adapt within a trajectory, by its authors' package walnutpie, on a gradient that Numba compiled and
that it calls without Python. (PyPI's `walnuts` is another thing.) defaults: its own, warm-up ending when chains agree on what they have
found; best: all of warm-up, for more chains; its metric is diagonal in both. Draws are as many as others make: by itself it would end with a
hundred. It does not say what warm-up cost: gradients and time are divided as iterations are, which is what iterations of both kinds cost."""
import ctypes
import time
import warnings

import numba
import numpy as np
import walnutpie

from numba_densities import value_and_gradient_of

NUMBERS = numba.types.CPointer(numba.types.double)


def compiled(case):
    """Counts its calls where its last argument points; chains are threads of one core, which do not get in each other's way."""
    dim, value_and_gradient = case.dim, value_and_gradient_of(case)

    @numba.cfunc(numba.types.int32(numba.types.uint64, NUMBERS, NUMBERS, NUMBERS, numba.types.voidptr))
    def log_density(_, position, gradient_out, value_out, calls):
        numba.carray(calls, (1,), np.int64)[0] += 1
        value, gradient = value_and_gradient(numba.carray(position, (dim,)))
        numba.carray(gradient_out, (dim,))[:] = gradient
        value_out[0] = value
        return 0

    return log_density


def prepare(case, variant, chains, warmup, draws):
    log_density = compiled(case)
    least = warmup if variant == "best" else 50  # iterations of warm-up: 50 is its default

    def run(seed):
        calls = np.zeros(1, np.int64)
        begin = time.process_time()
        with warnings.catch_warnings():  # that a warm-up that ends by itself is not the same twice
            warnings.simplefilter("ignore", UserWarning)
            found = walnutpie.walnuts_pyfunc(
                (log_density.ctypes, ctypes.c_void_p(calls.ctypes.data)), inits=case.starts(seed, chains), num_chains=chains, seed=seed,
                min_warmup_iter=least, max_warmup_iter=warmup, min_sampling_iter=draws, max_sampling_iter=draws, save_warmup=True)
        seconds = time.process_time() - begin
        before, after = (sum(map(len, part)) for part in ([chain.warmup.warmup_draws for chain in found], found))
        return np.stack([np.asarray(chain) for chain in found]), {
            "warmup_seconds": seconds * before / (before + after),
            "sampling_seconds": seconds * after / (before + after),
            "gradients": round(int(calls[0]) * after / (before + after)),
        }

    return run
