"""Writes the data of all models anew: python3 bench/posteriors/make_data.py

Simulated with fixed seeds by Python's own generator, so that the same files come out wherever it runs; the eight schools are
those of Rubin (1981). Numbers are rounded to five digits.
"""
import json
import math
import pathlib
import random

MODELS = pathlib.Path(__file__).parent / "models"
MADE = {}


def data_of(*names):
    """The function makes the data of these models, with a generator of its own."""
    def keep(make):
        MADE.update({name: make for name in names})
        return make
    return keep


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def normals(r, count, mean=0.0, sd=1.0):
    return [r.gauss(mean, sd) for _ in range(count)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def inverse_logit(x):
    return 1 / (1 + math.exp(-x))


def poisson(r, rate):
    """By inversion: for moderate rates."""
    count, term = 0, math.exp(-rate)
    left = r.random() - term
    while left > 0:
        count += 1
        term *= rate / count
        left -= term
    return count


def binomial(r, n, p):
    return sum(r.random() < p for _ in range(n))


def dirichlet(r, weights):
    drawn = [r.gammavariate(w, 1) for w in weights]
    return [d / sum(drawn) for d in drawn]


def runge_kutta(change, state, begin, end, steps=200):
    h = (end - begin) / steps
    moved = lambda by, k: [s + by * d for s, d in zip(state, k)]  # noqa: E731
    for i in range(steps):
        t = begin + i * h
        k1 = change(t, state)
        k2 = change(t + h / 2, moved(h / 2, k1))
        k3 = change(t + h / 2, moved(h / 2, k2))
        k4 = change(t + h, moved(h, k3))
        state = [s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
    return state


@data_of("regression")
def regression(r):
    x = [normals(r, 3) for _ in range(150)]
    return {"N": 150, "K": 3, "x": x, "y": [1.5 + dot(row, [2, -1, 0.5]) + r.gauss(0, 1.2) for row in x]}


@data_of("regression_raw")
def regression_raw(r):
    n = 120
    age, altitude = normals(r, n, 45, 12), normals(r, n, 1000, 200)
    thickness, income = normals(r, n, 0.5, 0.1), normals(r, n, 3000, 1000)
    y = [5 + 0.4 * a - 0.004 * a * a + 0.02 * b + 6 * c + 1e-3 * d + r.gauss(0, 2)
         for a, b, c, d in zip(age, altitude, thickness, income)]
    return {"N": n, "age": age, "altitude": altitude, "thickness": thickness, "income": income, "y": y}


@data_of("logistic")
def logistic(r):
    n, k = 300, 10
    beta = [1, -1, 0.5, 0.5, -0.5, 0.25, 0, 0, 0, 0]
    x = [[0.6 * common + 0.8 * own for own in normals(r, k)] for common in normals(r, n)]
    return {"N": n, "K": k, "x": x, "y": [int(r.random() < inverse_logit(dot(row, beta) - 0.3)) for row in x]}


@data_of("poisson_overdispersed")
def poisson_overdispersed(r):
    n = 100
    x = [normals(r, 2) for _ in range(n)]
    return {"N": n, "K": 2, "x": x, "y": [poisson(r, math.exp(1 + dot(row, [0.8, -0.5]) + r.gauss(0, 0.6))) for row in x]}


@data_of("eight_schools", "eight_schools_centred")
def eight_schools(_):
    return {"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}


@data_of("varying_slopes", "varying_slopes_centred")
def varying_slopes(r):
    group, x, y = [], [], []
    for j in range(1, 41):
        a, b = r.gauss(1.3, 0.4), r.gauss(-0.7, 0.25)
        for _ in range(2 + int(r.expovariate(1 / 8))):
            group.append(j)
            x.append(int(r.random() < 0.3))
            y.append(a + b * x[-1] + r.gauss(0, 0.75))
    return {"N": len(y), "J": 40, "group": group, "x": x, "y": y}


@data_of("ar5")
def ar5(r):
    y = normals(r, 5)
    while len(y) < 250:
        y.append(0.3 + dot([0.5, -0.3, 0.2, 0.15, -0.1], y[:-6:-1]) + r.gauss(0, 1))
    return {"T": 200, "y": y[50:]}


@data_of("arma11")
def arma11(r):
    y, err = [0.4 / 0.3], 0.0
    while len(y) < 250:
        last, err = err, r.gauss(0, 0.5)
        y.append(0.4 + 0.7 * y[-1] + 0.4 * last + err)
    return {"T": 200, "y": y[50:]}


@data_of("garch11")
def garch11(r):
    y, variance = [], 1.0
    for _ in range(200):
        y.append(0.5 + r.gauss(0, math.sqrt(variance)))
        variance = 0.4 + 0.3 * (y[-1] - 0.5) ** 2 + 0.45 * variance
    return {"T": 200, "sigma1": 1.0, "y": y}


@data_of("mixture")
def mixture(r):
    return {"N": 1000, "y": [r.gauss(-1.2, 1.0) if r.random() < 0.4 else r.gauss(1.6, 1.3) for _ in range(1000)]}


@data_of("hmm")
def hmm(r):
    y, state = [], 0
    for _ in range(200):
        state = state if r.random() < (0.85, 0.75)[state] else 1 - state
        y.append(r.gauss((1.0, 3.5)[state], 1.0))
    return {"T": 200, "y": y}


@data_of("gaussian_process")
def gaussian_process(r):
    x = [-5 + 10 * i / 14 for i in range(15)]
    return {"N": 15, "x": x, "y": [1.5 * math.sin(0.9 * at) + 0.3 * at * math.cos(at / 3) + r.gauss(0, 0.4) for at in x]}


@data_of("lotka_volterra")
def lotka_volterra(r):
    def change(_, z):
        return [(0.55 - 0.028 * z[1]) * z[0], (0.024 * z[0] - 0.80) * z[1]]

    states = [[34.0, 6.0]]
    for year in range(20):
        states.append(runge_kutta(change, states[-1], year, year + 1))
    seen = [[value * math.exp(r.gauss(0, 0.25)) for value in state] for state in states]
    return {"N": 20, "ts": list(range(1, 21)), "y_init": seen[0], "y": seen[1:]}


@data_of("michaelis_menten")
def michaelis_menten(r):
    dose, volume, ka, km, vm = 30.0, 2.0, 1.2, 2.5, 6.0

    def change(t, amount):
        concentration = amount[0] / volume
        return [dose * ka * math.exp(-ka * t) - vm * concentration / (km + concentration)]

    times, y, amount, last = [0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10], [], [0.0], 0.0
    for time in times:
        amount, last = runge_kutta(change, amount, last, time), time
        y.append(amount[0] / volume * math.exp(r.gauss(0, 0.15)))
    return {"N": len(times), "ts": times, "dose": dose, "volume": volume, "y": y}


@data_of("irt_2pl")
def irt_2pl(r):
    ability = normals(r, 100)
    items = [(math.exp(r.gauss(0, 0.4)), r.gauss(0.3, 1.0)) for _ in range(20)]
    return {"I": 20, "J": 100,
            "y": [[int(r.random() < inverse_logit(a * (t - b))) for t in ability] for a, b in items]}


@data_of("stochastic_volatility")
def stochastic_volatility(r):
    h, y = r.gauss(0, 0.7), []
    for _ in range(300):
        y.append(r.gauss(0, math.exp((h - 1) / 2)))
        h = 0.95 * h + r.gauss(0, 0.25)
    return {"T": 300, "y": y}


@data_of("horseshoe")
def horseshoe(r):
    n, p = 100, 100
    beta = [3, -2, 1.5, 1, -0.7] + [0] * (p - 5)
    x = [normals(r, p) for _ in range(n)]
    return {"N": n, "P": p, "x": x, "y": [1 + dot(row, beta) + r.gauss(0, 1) for row in x], "scale_global": 5 / 95 / 10}


@data_of("funnel")
def funnel(_):
    return {}


@data_of("seeds")
def seeds(r):
    kind, extract = [i // 11 for i in range(21)], [i % 2 for i in range(21)]
    n = [r.randint(5, 80) for _ in range(21)]
    y = [binomial(r, m, inverse_logit(-0.5 + 0.1 * k + 1.3 * e - 0.8 * k * e + r.gauss(0, 0.3)))
         for m, k, e in zip(n, kind, extract)]
    return {"I": 21, "n": n, "y": y, "kind": kind, "extract": extract}


@data_of("beta_binomial")
def beta_binomial(r):
    n = [r.randint(10, 50) for _ in range(71)]
    return {"J": 71, "n": n, "y": [binomial(r, m, r.betavariate(2.4, 14)) for m in n]}


@data_of("dose_response")
def dose_response(r):
    dose = [10 ** (-2 + 3.2 * i / 11) for i in range(12) for _ in range(3)]
    mean = [0.8 + 9 * inverse_logit(1.3 * (math.log(d) - math.log(3))) for d in dose]
    return {"N": len(dose), "dose": dose, "y": [m * math.exp(r.gauss(0, 0.15)) for m in mean]}


@data_of("multinomial")
def multinomial(r):
    y = []
    for _ in range(15):
        share = dirichlet(r, [20 * m for m in (0.3, 0.25, 0.2, 0.12, 0.08, 0.05)])
        drawn = r.choices(range(6), share, k=r.randint(20, 80))
        y.append([drawn.count(k) for k in range(6)])
    return {"J": 15, "K": 6, "y": y}


@data_of("correlation")
def correlation(r):
    y = []
    for _ in range(100):
        a, b, c, d = normals(r, 4)
        y.append([1 + 2 * a, 0.5 * (0.95 * a + 0.31 * b), -1 + 3 * (0.6 * b + 0.8 * c), 10 * (-0.5 * a + 0.5 * c + 0.7 * d)])
    return {"N": 100, "K": 4, "y": y}


@data_of("student_t")
def student_t(r):
    x = [normals(r, 3) for _ in range(120)]
    noise = lambda: r.gauss(0, 1) / math.sqrt(r.gammavariate(1.5, 1 / 1.5))  # noqa: E731  # t with 3 degrees of freedom
    return {"N": 120, "K": 3, "x": x, "y": [0.5 + dot(row, [1, -2, 0.3]) + 0.8 * noise() for row in x]}


@data_of("spatial")
def spatial(r):
    side = 16
    cell = lambda i, j: i * side + j + 1  # noqa: E731
    down = [(cell(i, j), cell(i + 1, j)) for i in range(side - 1) for j in range(side)]
    across = [(cell(i, j), cell(i, j + 1)) for i in range(side) for j in range(side - 1)]
    log_rate = [1 + 0.7 * math.sin(i / 3) + 0.6 * math.cos(j / 2.5 + i / 6) + r.gauss(0, 0.15)
                for i in range(side) for j in range(side)]
    edges = down + across
    return {"N": side * side, "E": len(edges), "from": [a for a, _ in edges], "to": [b for _, b in edges],
            "y": [poisson(r, math.exp(each)) for each in log_rate]}


def main():
    for name, make in MADE.items():
        data = rounded(make(random.Random(make.__name__)))  # two models of one function have the same data
        (MODELS / f"{name}.data.json").write_text(json.dumps(data, separators=(",", ":")) + "\n")
    without = {path.name.split(".")[0] for path in MODELS.glob("*.stan")} ^ set(MADE)
    if without:
        raise SystemExit(f"either a model or its data is missing: {', '.join(sorted(without))}")


if __name__ == "__main__":
    main()
