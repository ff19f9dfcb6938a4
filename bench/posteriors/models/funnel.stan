// Neal's funnel, centred: the scale of nine parameters is the exponential of the tenth, from e^-4.5 to e^4.5 at three standard
// deviations. No sampler with one step size gets all of it: R-hat and divergences tell.
parameters {
  real v;
  vector[9] x;
}
model {
  v ~ normal(0, 3);
  x ~ normal(0, exp(0.5 * v));
}
