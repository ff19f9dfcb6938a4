"""Eight schools, in every language: data, and the truth by quadrature."""

import pathlib

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.heavy)


class Schools:
    """Normal(0, 5) for mu, HalfNormal(5) for tau."""

    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])

    def means(self):
        """Of mu and tau, by quadrature over tau, given which mu is normal."""
        weights, means = [], []
        taus = np.arange(0.005, 40, 0.01)
        for tau in taus:
            variance = self.sigma**2 + tau**2
            total = 1 / 25 + (1 / variance).sum()
            mean = (self.y / variance).sum() / total
            of_data = -0.5 * (np.log(variance) + self.y**2 / variance).sum()
            weights.append(-0.5 * (tau / 5) ** 2 + of_data + 0.5 * total * mean**2 - 0.5 * np.log(total))
            means.append(mean)
        weight = np.exp(np.array(weights) - max(weights))
        weight /= weight.sum()
        return weight @ np.array(means), weight @ taus

    def agree(self, posterior):
        """Monte Carlo errors of 4 × 2000 draws are about 0.05 and 0.04."""
        mu, tau = self.means()
        assert abs(float(posterior["mu"].mean()) - mu) < 0.3
        assert abs(float(posterior["tau"].mean()) - tau) < 0.3
        np.testing.assert_allclose(
            posterior["theta"],
            posterior["mu"].values[..., None] + posterior["tau"].values[..., None] * posterior["eta"],
            rtol=1e-9,
        )


@pytest.fixture(scope="session")
def schools():
    return Schools()
