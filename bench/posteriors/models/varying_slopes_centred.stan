// The same linear model of 40 groups with intercepts and slopes themselves as parameters: good for groups with many members,
// a funnel for those with few, and the slopes vary little.
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
  vector[J] a;
  vector[J] b;
  real<lower=0> sigma;
}
model {
  mu_a ~ normal(0, 5);
  mu_b ~ normal(0, 5);
  sigma_a ~ normal(0, 1);
  sigma_b ~ normal(0, 1);
  a ~ normal(mu_a, sigma_a);
  b ~ normal(mu_b, sigma_b);
  sigma ~ normal(0, 2);
  y ~ normal(a[group] + b[group] .* x, sigma);
}
