// Predators and prey, two counts in each of 20 years: a differential equation without a closed form solution. Random starts
// can be far from any orbit like the one observed, with gradients of order 10^4 and more.
functions {
  vector change(real t, vector z, array[] real theta) {
    return [(theta[1] - theta[2] * z[2]) * z[1], (theta[4] * z[1] - theta[3]) * z[2]]';
  }
}
data {
  int<lower=0> N;
  array[N] real ts;
  array[2] real<lower=0> y_init;
  array[N, 2] real<lower=0> y;
}
parameters {
  array[4] real<lower=0> theta;
  vector<lower=0>[2] z_init;
  array[2] real<lower=0> sigma;
}
model {
  array[N] vector[2] z = ode_rk45_tol(change, z_init, 0, ts, 1e-5, 1e-5, 1000, theta);
  theta[{1, 3}] ~ normal(1, 0.5);
  theta[{2, 4}] ~ normal(0.05, 0.05);
  sigma ~ lognormal(-1, 1);
  z_init ~ lognormal(log(10), 1);
  for (k in 1 : 2) {
    y_init[k] ~ lognormal(log(z_init[k]), sigma[k]);
    y[ : , k] ~ lognormal(log(z[ : , k]), sigma[k]);
  }
}
