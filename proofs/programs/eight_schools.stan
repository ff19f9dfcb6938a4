// Eight schools as src/model/eight_schools.hpp has them, not centred.
data {
  vector[8] y;
  vector<lower=0>[8] sigma;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[8] eta;
}
transformed parameters {
  vector[8] theta = mu + tau * eta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  eta ~ std_normal();
  y ~ normal(theta, sigma);
}
