"""The log densities and their gradients by hand, compiled by Numba: for samplers that call a Python function."""
import numba
import numpy as np

from cases import SUBSTEPS


def value_and_gradient_of(case):
    """q -> (log density, gradient)."""
    return logistic(case) if case.model == "logistic" else fitzhugh_nagumo(case)


def logistic(case):
    x, y = case.x, case.y

    @numba.njit(fastmath=True)
    def value_and_gradient(q):
        eta = x @ q
        value = -0.5 * (q @ q)
        for i in range(eta.size):
            e = np.exp(-abs(eta[i]))
            value += y[i] * eta[i] - max(eta[i], 0.0) - np.log1p(e)
            eta[i] = y[i] - (1.0 if eta[i] > 0 else e) / (1.0 + e)
        return value, eta @ x - q

    return value_and_gradient


def fitzhugh_nagumo(case):
    v, r, h = case.v, case.r, (case.t[1] - case.t[0]) / SUBSTEPS

    @numba.njit(fastmath=True)
    def slope(y, q, out):
        """Of V, R and their derivatives by a, b and c."""
        a, b, c = q[0], q[1], q[2]
        dv = c * (1 - y[0] * y[0])
        out[0] = c * (y[0] - y[0] ** 3 / 3 + y[1])
        out[1] = -(y[0] - a + b * y[1]) / c
        for j in range(3):
            out[2 + j] = dv * y[2 + j] + c * y[5 + j]
            out[5 + j] = -(y[2 + j] + b * y[5 + j]) / c
        out[4] += out[0] / c
        out[5] += 1 / c
        out[6] -= y[1] / c
        out[7] -= out[1] / c

    @numba.njit(fastmath=True)
    def value_and_gradient(q):
        y, k, total, at = np.zeros(8), np.empty(8), np.empty(8), np.empty(8)
        y[0], y[1] = -1.0, 1.0
        value, gradient = -(q @ q), -2 * q
        for i in range(v.size):
            for _ in range(0 if i == 0 else SUBSTEPS):
                slope(y, q, k)
                for j in range(8):  # loops, not arrays: these would be new ones each time
                    total[j] = k[j]
                for weight, reach in ((2.0, 0.5), (2.0, 0.5), (1.0, 1.0)):
                    for j in range(8):
                        at[j] = y[j] + reach * h * k[j]
                    slope(at, q, k)
                    for j in range(8):
                        total[j] += weight * k[j]
                for j in range(8):
                    y[j] += h / 6 * total[j]
            dv, dr = y[0] - v[i], y[1] - r[i]
            value -= dv * dv + dr * dr
            for j in range(3):
                gradient[j] -= 2 * (dv * y[2 + j] + dr * y[5 + j])
        return value, gradient

    return value_and_gradient
