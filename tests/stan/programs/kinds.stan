// Parameters of every kind that has a size or a name of its own, and a program that prints and refuses.
functions {
  real part(array[] real slice, int first, int last, real mu) {
    return normal_lpdf(slice | mu, 1);
  }
}
data {
  int N;
  array[N] real y;
}
parameters {
  real mu;
  simplex[3] p;
  ordered[2] c;
  corr_matrix[2] R;
  array[2] matrix[2, 3] m;
  sum_to_zero_vector[3] z;
  tuple(real, vector[2]) pair;
  complex w;
}
model {
  if (mu > 2.5) reject("mu is beyond 2.5: ", mu);
  target += reduce_sum(part, y, 5, mu);
  p ~ dirichlet([2, 3, 4]');
  c ~ std_normal();
  R ~ lkj_corr(2);
  for (i in 1 : 2) to_vector(m[i]) ~ std_normal();
  z ~ std_normal();
  pair.1 ~ std_normal();
  pair.2 ~ std_normal();
  get_real(w) ~ std_normal();
  get_imag(w) ~ std_normal();
}
generated quantities {
  int k = poisson_rng(3);
  print("generated");
}
