// FitzHugh-Nagumo equations from (-1, 1); V and R observed with variance 1/2 at times after 0.
// At most 10,000 steps of the solver, for Stan's sake: with its default of a million, warm-up lingers where equations are stiff.
functions {
  vector slope(real t, vector y, real a, real b, real c) {
    return [c * (y[1] - y[1]^3 / 3 + y[2]), -(y[1] - a + b * y[2]) / c]';
  }
}
data {
  int<lower=0> N;
  array[N] real t;
  vector[N] V;
  vector[N] R;
}
parameters {
  real a;
  real b;
  real c;
}
model {
  array[N] vector[2] y = ode_rk45_tol(slope, [-1, 1]', 0, t, 1e-6, 1e-6, 10000, a, b, c);
  [a, b, c] ~ normal(0, sqrt(0.5));
  V ~ normal(y[, 1], sqrt(0.5));
  R ~ normal(y[, 2], sqrt(0.5));
}
