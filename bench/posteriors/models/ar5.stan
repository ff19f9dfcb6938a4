// Autoregression of order five: coefficients are correlated with each other.
data {
  int<lower=5> T;
  vector[T] y;
}
parameters {
  real alpha;
  vector[5] beta;
  real<lower=0> sigma;
}
model {
  vector[T - 5] mean = rep_vector(alpha, T - 5);
  for (lag in 1 : 5) mean += beta[lag] * y[6 - lag : T - lag];
  alpha ~ normal(0, 10);
  beta ~ normal(0, 10);
  sigma ~ cauchy(0, 2.5);
  y[6 : T] ~ normal(mean, sigma);
}
