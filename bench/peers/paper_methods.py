"""The six methods of Brofos and Lederman, Non-Canonical Hamiltonian Monte Carlo, as one would write them in JAX: jit, scan,
double precision, for logistic regression. A = F^(1/2) with F the information at the mode, prior included; random blocks
(M - M')/2; 100 steps of 1/(10 n); implicit midpoint by fixed-point iteration to 1e-6, at most 100 times; the explicit
integrator as printed (four gradients a step) with omega = 1. Chains one after another: vectorised they took longer.
"""
import json
import time

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from jax_densities import log_density_of

STEPS, TOLERANCE, MOST_ITERATIONS, OMEGA = 100, 1e-6, 100, 1.0

# Name: the blocks that are not zero, the integrator here, and what Darboux is told.
METHODS = {
    "canonical": ("", "leapfrog", ["integrator=leapfrog"]),
    "magnetic-position": ("G", "leapfrog", ["integrator=magnetic-leapfrog"]),
    "magnetic-momentum implicit": ("E", "midpoint", ["integrator=midpoint", "tolerance=1e-6"]),
    "magnetic-momentum explicit": ("E", "explicit", ["integrator=explicit", "binding=1"]),
    "coupled implicit": ("EG", "midpoint", ["integrator=midpoint", "tolerance=1e-6"]),
    "coupled explicit": ("EG", "explicit", ["integrator=explicit", "binding=1"]),
}


def step_size(case):
    return 0.1 / len(case.y)


def mode_and_information(case):
    q = np.zeros(case.dim)
    for _ in range(20):
        p = 1 / (1 + np.exp(-case.x @ q))
        information = (case.x.T * (p * (1 - p))) @ case.x + np.eye(case.dim)
        q = q + np.linalg.solve(information, case.x.T @ (case.y - p) - q)
    return q, information


def blocks(case, which):
    values, vectors = np.linalg.eigh(mode_and_information(case)[1])
    m = np.random.default_rng(1).normal(size=(case.dim, case.dim))
    skew, zero = (m - m.T) / 2, np.zeros((case.dim, case.dim))
    return {"E": skew if "E" in which else zero, "A": (vectors * np.sqrt(values)) @ vectors.T,
            "G": skew if "G" in which else zero}


def darboux_settings(case, method, structure):
    """What makes Darboux run the same, with the structure in a file of that name."""
    given = {name: block.tolist() for name, block in blocks(case, METHODS[method][0]).items() if block.any()}
    structure.write_text(json.dumps({"dimension": case.dim, **given}))
    solver = ["solver=fixed-point", "reverse-check=0"] if METHODS[method][1] == "midpoint" else []
    return [f"structure={structure}", "init=mode", "metric=identity", "warmup=0", f"steps={STEPS}",
            f"step-size={step_size(case)!r}", *METHODS[method][2], *solver]


def schur_basis(poisson):
    """B with B J B' = the skew matrix, of the smallest norm: from the eigenvectors of i times it."""
    values, vectors = np.linalg.eigh(1j * poisson)
    positive = values > 0
    scale = np.sqrt(2 * values[positive])
    return np.hstack([vectors[:, positive].imag * scale, vectors[:, positive].real * scale])


# Integrators: (first, step, last), from z to the state of a trajectory, one step with direction d of time and its cost in
# gradients, and back.


def leapfrog(gradient, e, a, g, h):
    n = len(a)
    zero = np.zeros((n, n))
    flows = [jnp.asarray(scipy.linalg.expm(d * h * np.block([[zero, a], [zero, g]]))) for d in (1, -1)]

    def step(state, d):
        q, p, force = state
        flow = jnp.where(d > 0, *flows)
        p = p - d * h / 2 * force
        q, p = q + flow[:n, n:] @ p, flow[n:, n:] @ p
        force = a.T @ gradient(q)
        return (q, p - d * h / 2 * force, force), 1

    return lambda z: (z[:n], z[n:], a.T @ gradient(z[:n])), step, lambda state: jnp.concatenate(state[:2])


def midpoint(gradient, e, a, g, h):
    n = len(a)
    poisson = jnp.asarray(np.block([[e, a], [-a.T, g]]))

    def step(z, d):
        def better(state):
            end, _, iterations = state
            middle = (z + end) / 2
            new = z + d * h * poisson @ jnp.concatenate([gradient(middle[:n]), middle[n:]])
            return new, jnp.abs(new - end).max(), iterations + 1

        def unfinished(state):
            return (state[1] > TOLERANCE) & (state[2] < MOST_ITERATIONS)

        end, _, iterations = jax.lax.while_loop(unfinished, better, (z, jnp.inf, 0))
        return end, iterations

    return lambda z: z, step, lambda z: z


def explicit(gradient, e, a, g, h):
    """On two copies (x, y), (u, v) in canonical coordinates."""
    n = len(a)
    basis = jnp.asarray(schur_basis(np.block([[e, a], [-a.T, g]])))
    inverse = jnp.linalg.inv(basis)

    def force(x, y):
        z = basis @ jnp.concatenate([x, y])
        f = basis.T @ jnp.concatenate([gradient(z[:n]), z[n:]])
        return f[:n], f[n:]

    def flow_1(x, y, u, v, t):
        fx, fy = force(x, v)
        return x, y - t * fx, u + t * fy, v

    def flow_2(x, y, u, v, t):
        fx, fy = force(u, y)
        return x + t * fy, y, u, v - t * fx

    def bound(x, y, u, v, t):
        cos, sin = jnp.cos(2 * OMEGA * t), jnp.sin(2 * OMEGA * t)
        sx, sy, dx, dy = x + u, y + v, x - u, y - v
        dx, dy = cos * dx + sin * dy, cos * dy - sin * dx
        return (sx + dx) / 2, (sy + dy) / 2, (sx - dx) / 2, (sy - dy) / 2

    def step(copies, d):
        half = d * h / 2
        copies = bound(*flow_2(*flow_1(*copies, half), half), d * h)
        return flow_1(*flow_2(*copies, half), half), 4

    def first(z):
        canonical = inverse @ z
        return (canonical[:n], canonical[n:]) * 2

    return first, step, lambda copies: basis @ jnp.concatenate(copies[:2])


INTEGRATORS = {"leapfrog": leapfrog, "midpoint": midpoint, "explicit": explicit}


def prepare(case, method, chains, warmup, draws):
    which, integrator, _ = METHODS[method]
    e, a, g = blocks(case, which).values()
    log_density = log_density_of(case)
    gradient = jax.grad(lambda q: -log_density(q))
    n = case.dim
    first, step, last = INTEGRATORS[integrator](gradient, e, a, g, step_size(case))

    def energy(z):
        return z[n:] @ z[n:] / 2 - log_density(z[:n])

    def transition(state, key):
        q, d = state
        refresh, accept = jax.random.split(key)
        z = jnp.concatenate([q, jax.random.normal(refresh, (n,))])
        end, costs = jax.lax.scan(lambda state, _: step(state, d), first(z), None, length=STEPS)
        end = last(end)
        accepted = jnp.log(jax.random.uniform(accept)) < energy(z) - energy(end)
        q = jnp.where(accepted, end[:n], q)
        return (q, jnp.where(accepted, d, -d)), (q, costs.sum(), accepted)

    def chain(key):
        begin = (jnp.asarray(mode_and_information(case)[0]), jax.random.rademacher(key, (), jnp.float64))
        return jax.lax.scan(transition, begin, jax.random.split(key, draws))[1]

    in_turn = jax.jit(lambda keys: jax.lax.map(chain, keys))
    compiled = in_turn.lower(jax.random.split(jax.random.key(0), chains)).compile()

    def run(seed):
        keys = jax.random.split(jax.random.key(seed), chains)
        begin = time.process_time()
        values, costs, accepted = jax.block_until_ready(compiled(keys))
        seconds = time.process_time() - begin
        return values, {"warmup_seconds": 0.0, "sampling_seconds": seconds, "gradients": int(np.asarray(costs).sum()),
                        "acceptance": float(np.asarray(accepted).mean())}

    return run
