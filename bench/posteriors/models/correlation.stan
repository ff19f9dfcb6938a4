// Mean, scales and correlation matrix of four variables: a constrained matrix, some correlations close to one.
data {
  int<lower=0> N;
  int<lower=1> K;
  array[N] vector[K] y;
}
parameters {
  vector[K] mu;
  vector<lower=0>[K] sigma;
  corr_matrix[K] correlation;
}
model {
  mu ~ normal(0, 5);
  sigma ~ cauchy(0, 2.5);
  correlation ~ lkj_corr(2);
  y ~ multi_normal(mu, quad_form_diag(correlation, sigma));
}
