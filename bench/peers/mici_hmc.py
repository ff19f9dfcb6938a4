"""Mici's dynamic multinomial HMC on a Numba gradient. defaults: its one adapter, of the step size; best: a dense metric, too."""
import time

import mici
import numpy as np

from numba_densities import value_and_gradient_of


def prepare(case, variant, chains, warmup, draws):
    value_and_gradient = value_and_gradient_of(case)
    value_and_gradient(case.starts(0, 1)[0])  # compiles

    def gradient_and_value(q):
        value, gradient = value_and_gradient(q)
        return -gradient, -value

    adapters = [mici.adapters.DualAveragingStepSizeAdapter()]
    if variant == "best":
        adapters.append(mici.adapters.OnlineCovarianceMetricAdapter())

    def run(seed):
        system = mici.systems.EuclideanMetricSystem(
            neg_log_dens=lambda q: -value_and_gradient(q)[0], grad_neg_log_dens=gradient_and_value)
        sampler = mici.samplers.DynamicMultinomialHMC(
            system, mici.integrators.LeapfrogIntegrator(system), np.random.default_rng(seed))
        traced = []

        def trace(state):  # called after warm-up, which all chains make first, and a few times before it
            traced.append(time.process_time())
            return {"q": state.pos}

        begin = time.process_time()
        _, traces, statistics = sampler.sample_chains(
            warmup, draws, list(case.starts(seed, chains)), adapters=adapters, trace_funcs=[trace], n_worker=1,
            display_progress=False)
        end = time.process_time()
        warm = traced[-chains * draws]
        return np.stack(traces["q"]), {
            "warmup_seconds": warm - begin,
            "sampling_seconds": end - warm,
            "gradients": int(sum(steps.sum() for steps in statistics["n_step"])),
        }

    return run
