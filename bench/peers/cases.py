"""The posteriors that samplers are compared on, the same numbers for all of them.

A case is a CSV file, which Darboux reads, and what the others need is computed from it. `together` names the phases in which
16 chains in JAX are faster vectorised than one after another: in the others all wait for the one with the longest trajectory.
"""
import csv
import pathlib

import numpy as np

TRUTH = np.array([0.2, 0.2, 3.0])  # a, b, c of FitzHugh-Nagumo
SUBSTEPS = 2  # of the Runge-Kutta method between two observations, as in Darboux


class Logistic:
    """Coefficients N(0, 1), the intercept's included; features standardised with divisor n."""

    model, stan_model = "logistic", "logistic.stan"

    def __init__(self, file):
        self.data = pathlib.Path(file)
        with open(file, newline="") as lines:
            names = next(csv.reader(lines))
            table = np.loadtxt(lines, delimiter=",", ndmin=2)
        response = names.index("y") if "y" in names else 0
        self.y = np.ascontiguousarray(table[:, response])
        features = np.delete(table, response, axis=1)
        self.mean, self.sd = features.mean(axis=0), features.std(axis=0)
        features = (features - self.mean) / self.sd
        self.x = np.ascontiguousarray(np.column_stack([np.ones(len(features)), features]))
        self.dim = self.x.shape[1]
        self.together = ("sampling",) if self.x.size < 50_000 else ()

    def starts(self, seed, chains):
        """Stan's: uniform(-2, 2)."""
        return np.random.default_rng(seed).uniform(-2, 2, (chains, self.dim))

    def stan_data(self):
        x = self.x[:, 1:]
        return {"N": len(x), "K": x.shape[1], "x": x.tolist(), "y": self.y.astype(int).tolist()}

    def stan_start(self, q):
        return {"a": q[0], "b": list(q[1:])}

    def standardise(self, file):
        """Darboux reports coefficients of the features as they were: back to those that the others report."""
        draws = np.fromfile(file).reshape(self.dim, -1)
        draws[0] += self.mean @ draws[1:]
        draws[1:] *= self.sd[:, None]
        draws.tofile(file)


class FitzHughNagumo:
    """a, b, c ~ N(0, 1/2); V and R observed with variance 1/2."""

    model, stan_model = "fitzhugh-nagumo", "fitzhugh_nagumo.stan"
    together = ("warm-up", "sampling")
    dim = 3

    def __init__(self, file):
        self.data = pathlib.Path(file)
        self.t, self.v, self.r = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)

    def starts(self, seed, chains):
        """Near the truth: from far away, other modes trap chains, of any sampler."""
        return TRUTH + np.random.default_rng(seed).normal(0, [0.02, 0.1, 0.05], (chains, 3))

    def stan_data(self):
        """Without the first observation, which does not depend on parameters."""
        return {"N": len(self.t) - 1, **{name: of[1:].tolist() for name, of in zip("tVR", (self.t, self.v, self.r))}}

    def stan_start(self, q):
        return dict(zip("abc", q))

    def standardise(self, file):
        """Nothing to do."""


def case_at(file):
    return (FitzHughNagumo if pathlib.Path(file).stem.startswith("fitzhugh") else Logistic)(file)


def write_generated(file, rows=10000, columns=49):
    """Normal features, correlated in pairs, and labels from the model itself."""
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, columns))
    x[:, 1::2] += x[:, 0:-1:2]
    y = random.uniform(size=rows) < 1 / (1 + np.exp(-x @ random.normal(0, 0.3, columns)))
    header = ",".join(["y"] + [f"x{j + 1}" for j in range(columns)])
    np.savetxt(file, np.column_stack([y, x]), delimiter=",", header=header, comments="", fmt=["%d"] + ["%.6g"] * columns)


def write_fitzhugh_nagumo(file):
    """The solution for the truth at t = 0, 0.05, ..., 9.95, with noise of sd 0.1."""
    a, b, c = TRUTH

    def slope(y):
        return np.array([c * (y[0] - y[0] ** 3 / 3 + y[1]), -(y[0] - a + b * y[1]) / c])

    t, fine, y = 0.05 * np.arange(200), 20, np.array([-1.0, 1.0])
    path = [y]
    for _ in range(fine * (len(t) - 1)):
        h = 0.05 / fine
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(y)
    observed = np.array(path[::fine]) + np.random.default_rng(1).normal(0, 0.1, (len(t), 2))
    np.savetxt(file, np.column_stack([t, observed]), delimiter=",", header="t,V,R", comments="", fmt="%.8g")
