"""Compiled functions."""

import darboux
import numba
import numpy as np
from numba import types

DOUBLES = types.CPointer(types.double)


@numba.cfunc(types.int64(types.uint64, DOUBLES, DOUBLES, DOUBLES, types.voidptr))
def normal(dim, q, gradient, log_density, user):
    total = 0.0
    for i in range(dim):
        gradient[i] = -q[i]
        total -= 0.5 * q[i] * q[i]
    log_density[0] = total
    return 0 if abs(q[0]) < 4.0 else 1


def test_a_function_of_numba():
    trace = darboux.sample(darboux.from_cfunc(normal, 3), seed=1, progressbar=False)
    assert trace.attrs["numba_version"] == numba.__version__
    q = trace.posterior["q"].values
    assert q.shape == (4, 1000, 3)
    assert np.abs(q.mean(axis=(0, 1))).max() < 0.08
    assert np.abs(q[..., 0]).max() < 4.0  # what it refuses is never drawn
