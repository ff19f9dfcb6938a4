// Linear model with intercepts and slopes of 40 groups of unequal size, as standard deviations from their means: groups with
// many members are informed well, where this way to write it couples effects with their scales.
data {
  int<lower=0> N;
  int<lower=0> J;
  array[N] int<lower=1, upper=J> group;
  vector[N] x;
  vector[N] y;
}
parameters {
  real mu_a;
  real mu_b;
  real<lower=0> sigma_a;
  real<lower=0> sigma_b;
  vector[J] z_a;
  vector[J] z_b;
  real<lower=0> sigma;
}
model {
  vector[J] a = mu_a + sigma_a * z_a;
  vector[J] b = mu_b + sigma_b * z_b;
  mu_a ~ normal(0, 5);
  mu_b ~ normal(0, 5);
  sigma_a ~ normal(0, 1);
  sigma_b ~ normal(0, 1);
  z_a ~ std_normal();
  z_b ~ std_normal();
  sigma ~ normal(0, 2);
  y ~ normal(a[group] + b[group] .* x, sigma);
}
