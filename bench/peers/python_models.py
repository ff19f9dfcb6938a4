"""Models as Python's users write them, of PyMC and NumPyro: the same densities twice where both have one.

A model is a function without arguments; importing PyMC or JAX is left to it."""
import pathlib

import numpy as np

from cases import Logistic

ROOT = pathlib.Path(__file__).parents[2]
GROUPS, ROWS_OF_GROUP = 200, 10
EFFECTS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])


def grouped_data():
    """y = a_g + b_g x + noise, for groups g."""
    random = np.random.default_rng(1)
    group = np.repeat(np.arange(GROUPS), ROWS_OF_GROUP)
    intercept, slope = random.normal(1.0, 0.5, GROUPS), random.normal(-0.5, 0.3, GROUPS)
    x = random.normal(size=group.size)
    return group, x, random.normal(intercept[group] + slope[group] * x, 0.8)


def pymc_schools():
    import pymc as pm
    with pm.Model(coords={"school": list("ABCDEFGH")}) as model:
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfCauchy("tau", 5)
        eta = pm.Normal("eta", 0, 1, dims="school")
        theta = pm.Deterministic("theta", mu + tau * eta, dims="school")
        pm.Normal("effect", theta, ERRORS, observed=EFFECTS, dims="school")
    return model


def pymc_groups():
    import pymc as pm
    group, x, y = grouped_data()
    with pm.Model(coords={"group": range(GROUPS)}) as model:
        mean = pm.Normal("mean", 0, 2, shape=2)
        scale = pm.HalfNormal("scale", 1, shape=2)
        intercept = pm.Deterministic("intercept", mean[0] + scale[0] * pm.Normal("u", dims="group"), dims="group")
        slope = pm.Deterministic("slope", mean[1] + scale[1] * pm.Normal("v", dims="group"), dims="group")
        noise = pm.HalfNormal("noise", 1)
        pm.Normal("y", intercept[group] + slope[group] * x, noise, observed=y)
    return model


def pymc_credit():
    import pymc as pm
    german = Logistic(ROOT / "data/german.csv")
    with pm.Model() as model:
        coefficient = pm.Normal("coefficient", 0, 1, shape=german.dim)
        pm.Bernoulli("y", logit_p=german.x @ coefficient, observed=german.y.astype(int))
    return model


def numpyro_groups():
    import numpyro
    import numpyro.distributions as of
    group, x, y = grouped_data()

    def model():
        mean = numpyro.sample("mean", of.Normal(0, 2).expand([2]).to_event(1))
        scale = numpyro.sample("scale", of.HalfNormal(1).expand([2]).to_event(1))
        with numpyro.plate("group", GROUPS):
            intercept = numpyro.deterministic("intercept", mean[0] + scale[0] * numpyro.sample("u", of.Normal()))
            slope = numpyro.deterministic("slope", mean[1] + scale[1] * numpyro.sample("v", of.Normal()))
        noise = numpyro.sample("noise", of.HalfNormal(1))
        numpyro.sample("y", of.Normal(intercept[group] + slope[group] * x, noise), obs=y)

    return model


MODELS = {"pymc-schools": pymc_schools, "pymc-groups": pymc_groups, "pymc-credit": pymc_credit, "numpyro-groups": numpyro_groups}
STAN = ROOT / "bench/posteriors/models"
