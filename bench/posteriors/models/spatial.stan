// Counts on a grid of 16 by 16 cells whose log rates differ from those of their neighbours by little (intrinsic conditional
// autoregression, the sum held near zero): 258 parameters with scales from those of single cells to that of the whole grid.
data {
  int<lower=0> N;
  int<lower=0> E;
  array[E] int<lower=1, upper=N> from;
  array[E] int<lower=1, upper=N> to;
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  real<lower=0> sigma;
  vector[N] phi;
}
model {
  alpha ~ normal(0, 3);
  sigma ~ normal(0, 1);
  target += -0.5 * dot_self(phi[from] - phi[to]);
  sum(phi) ~ normal(0, 0.001 * N);
  y ~ poisson_log(alpha + sigma * phi);
}
