// Response to a dose as a logistic curve in its logarithm, with four parameters and noise that grows with the response: a
// nonlinear regression whose upper plateau is hardly reached by the data.
data {
  int<lower=0> N;
  vector<lower=0>[N] dose;
  vector<lower=0>[N] y;
}
parameters {
  real<lower=0> bottom;
  real<lower=0> rise;
  real log_middle;
  real<lower=0> slope;
  real<lower=0> sigma;
}
model {
  bottom ~ normal(0, 2);
  rise ~ normal(10, 10);
  log_middle ~ normal(0, 3);
  slope ~ lognormal(0, 1);
  sigma ~ normal(0, 0.5);
  y ~ lognormal(log(bottom + rise * inv_logit(slope * (log(dose) - log_middle))), sigma);
}
