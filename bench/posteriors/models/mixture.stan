// Two normal components of 1000 observations, means in order: five parameters, many terms, skewed where components overlap.
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  ordered[2] mu;
  vector<lower=0>[2] sigma;
  real<lower=0, upper=1> share;
}
model {
  mu ~ normal(0, 5);
  sigma ~ normal(0, 2);
  share ~ beta(5, 5);
  for (n in 1 : N) target += log_mix(share, normal_lpdf(y[n] | mu[1], sigma[1]), normal_lpdf(y[n] | mu[2], sigma[2]));
}
