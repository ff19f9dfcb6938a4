// Stochastic volatility: 300 log variances are an autoregression, written by its standard normal innovations; 303 parameters,
// of which persistence and scale are barely determined.
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
  vector[T] z;
}
model {
  vector[T] h = sigma * z;
  h[1] /= sqrt(1 - square(phi));
  for (t in 2 : T) h[t] += phi * h[t - 1];
  mu ~ normal(0, 5);
  (phi + 1) / 2 ~ beta(20, 1.5);
  sigma ~ normal(0, 0.5);
  z ~ std_normal();
  y ~ normal(0, exp(0.5 * (mu + h)));
}
