// Regression with Student's t errors of unknown degrees of freedom, and outliers in the data: the degrees of freedom have a
// long tail.
data {
  int<lower=0> N;
  int<lower=0> K;
  matrix[N, K] x;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, 10);
  sigma ~ normal(0, 5);
  nu ~ gamma(2, 0.1);
  y ~ student_t(nu, alpha + x * beta, sigma);
}
