// One compartment, dose by mouth with first-order absorption, elimination that saturates (Michaelis and Menten): a stiff
// solver, and Km and Vm trade off along a ridge.
functions {
  vector change(real t, vector amount, real ka, real km, real vm, real volume, real dose) {
    real inflow = dose * ka * exp(-ka * t);
    real concentration = amount[1] / volume;
    return [inflow - vm * concentration / (km + concentration)]';
  }
}
data {
  int<lower=0> N;
  array[N] real ts;
  real<lower=0> dose;
  real<lower=0> volume;
  vector<lower=0>[N] y;
}
parameters {
  real<lower=0> ka;
  real<lower=0> km;
  real<lower=0> vm;
  real<lower=0> sigma;
}
model {
  array[N] vector[1] amount = ode_bdf_tol(change, [1e-6]', 0, ts, 1e-4, 1e-4, 1000, ka, km, vm, volume, dose);
  ka ~ lognormal(log(2.5), 1);
  km ~ lognormal(log(1), 1);
  vm ~ lognormal(log(1), 1);
  sigma ~ normal(0, 0.5);
  for (n in 1 : N) y[n] ~ lognormal(log(fmax(amount[n, 1], 1e-9) / volume), sigma);
}
