"""How good draws are: one implementation for all samplers.

Effective sample sizes and R-hat are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021): chains are split in
halves; the bulk ESS is that of normal scores of ranks; R-hat is the larger of bulk and folded draws. All functions take draws
as an array [chain, draw].
"""
import math
import statistics

import numpy as np

STANDARD = statistics.NormalDist()


def split(x):
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def normal_scores(x):
    """Ranks, with equal draws sharing their mean rank, through (rank - 3/8) / (size + 1/4) to normal quantiles."""
    _, where, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores = np.array([STANDARD.inv_cdf((rank - 0.375) / (x.size + 0.25)) for rank in ranks])
    return scores[where.reshape(x.shape)]


def autocovariances(x):
    """Of each chain at all lags, divided by its length."""
    length = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * length)
    return np.fft.irfft(np.abs(spectrum) ** 2, 2 * length)[:, :length] / length


def ess(chains):
    """Geyer's initial monotone sequence over all chains; at most size * log10(size)."""
    length = chains.shape[1]
    covariance = autocovariances(chains).mean(axis=0)
    within = covariance[0] * length / (length - 1)
    total = covariance[0] + chains.mean(axis=1).var(ddof=1)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1
    pairs = correlation[0:length - 1:2] + correlation[1:length:2]
    negative = np.flatnonzero(pairs < 0)
    last = (length - 4) // 2  # what is left beyond it is too little to tell
    end = min(negative[0], last) if negative.size else last
    time = 2 * np.minimum.accumulate(pairs[:end]).sum() - 1 + max(correlation[2 * end], 0)
    return chains.size / max(time, 1 / math.log10(chains.size))


def plain_rhat(chains):
    length = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    return math.sqrt((length - 1) / length + chains.mean(axis=1).var(ddof=1) / within) if within > 0 else math.inf


def ess_bulk(x):
    return ess(normal_scores(split(x)))


def ess_squares(x):
    return ess(split((x - x.mean()) ** 2))


def ess_mean(x):
    return ess(split(x))


def rhat(x):
    halves = split(x)
    return max(plain_rhat(normal_scores(halves)), plain_rhat(normal_scores(np.abs(halves - np.median(x)))))


def is_constant(x):
    """Such as the diagonal of a correlation matrix. Chains that are stuck, each elsewhere, are not."""
    return np.ptp(x) <= 1e-9 * np.abs(x).max()


def judge(names, draws):
    """Facts of draws [chain, draw, parameter]: effective draws are the smaller of bulk and squares, of the worst parameter."""
    effective, rhats, means, errors = {}, [], {}, {}
    for name, x in zip(names, np.moveaxis(draws, 2, 0)):
        if not np.isfinite(x).all():
            raise ValueError(f"{name} is not finite in some draws")
        if is_constant(x):
            continue
        effective[name] = min(ess_bulk(x), ess_squares(x))
        rhats.append(rhat(x))
        means[name] = float(x.mean())
        errors[name] = float(x.std(ddof=1) / math.sqrt(ess_mean(x)))
    worst = min(effective, key=effective.get)
    return {"effective": float(effective[worst]), "worst": worst, "rhat": float(max(rhats)), "means": means, "errors": errors}


def expected_largest(count):
    """The expected largest |z| of so many independent standard normals."""
    x = np.linspace(0, 12, 12001)
    below = np.array([math.erf(each / math.sqrt(2)) for each in x])
    return float(np.sum(1 - below ** count) * (x[1] - x[0]))


def largest_difference(first, second):
    """Over parameters: the largest |z| of the difference of means pooled over runs, its parameter, how many there are."""
    def pooled(runs, name):
        return (sum(run["means"][name] for run in runs) / len(runs),
                sum(run["errors"][name] ** 2 for run in runs) / len(runs) ** 2)

    z = {}
    for name in first[0]["means"]:
        (mean_1, square_1), (mean_2, square_2) = pooled(first, name), pooled(second, name)
        z[name] = abs(mean_1 - mean_2) / math.sqrt(square_1 + square_2)
    worst = max(z, key=z.get)
    return z[worst], worst, len(z)
