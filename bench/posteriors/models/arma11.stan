// Autoregressive moving average, phi and theta free: errors are a recursion over all times, which grows without bound where
// |theta| > 1. Some starts have gradients of order 10^4 and more.
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  real mu;
  real phi;
  real theta;
  real<lower=0> sigma;
}
model {
  vector[T] err;
  err[1] = y[1] - mu - phi * mu;
  for (t in 2 : T) err[t] = y[t] - (mu + phi * y[t - 1] + theta * err[t - 1]);
  mu ~ normal(0, 10);
  phi ~ normal(0, 2);
  theta ~ normal(0, 2);
  sigma ~ cauchy(0, 5);
  err ~ normal(0, sigma);
}
