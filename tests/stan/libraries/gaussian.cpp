// BridgeStan's C interface without Stan: independent normals of standard deviations 1, 2, …, n with a positive parameter, so that
// what a loader makes of it is known. Data: {"n": 3}, and "faulty" for a program with a mistake. It refuses points whose first coordinate is above 3, and its generated
// quantity, a random number, fails where that is below −3.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef INTERFACE_VERSION
#define INTERFACE_VERSION 2
#endif

struct bs_model {
  int n;
  bool is_faulty;
};
struct bs_rng {
  unsigned state;
};

namespace {

using Callback = void (*)(const char*, std::size_t);
Callback callback = nullptr;

int fail(char** error, const char* message) {
  *error = strdup(message);
  return -1;
}

}  // namespace

#define EXPORTED __attribute__((visibility("default")))
extern "C" {

EXPORTED extern const int bs_major_version = INTERFACE_VERSION;
#ifdef THREAD_LOCAL_BYTES  // of the kind that a process has little of
thread_local char of_thread[THREAD_LOCAL_BYTES] __attribute__((tls_model("initial-exec")));
EXPORTED char* bytes_of_thread() { return of_thread; }
#endif

EXPORTED bs_model* bs_model_construct(const char* data, unsigned int /*seed*/, char** error) {
  const std::string text = data == nullptr ? "" : data;
  const auto at = text.find("\"n\":");
  if (at == std::string::npos) {
    fail(error, "bs_model_construct() failed with exception: Exception: variable does not exist; variable name=n");
    return nullptr;
  }
  if (callback != nullptr && text.find("loud") != std::string::npos) callback("one\ntwo\n", 8);
  return new bs_model{std::atoi(text.c_str() + at + 4), text.find("faulty") != std::string::npos};
}
EXPORTED void bs_model_destruct(bs_model* m) { delete m; }
EXPORTED void bs_free_error_msg(char* message) { std::free(message); }
#ifndef FUNCTIONS_ARE_MISSING
EXPORTED const char* bs_name(const bs_model* /*m*/) { return "gaussian_model"; }
EXPORTED const char* bs_param_names(const bs_model* /*m*/, bool transformed, bool generated) {
  return generated ? "x.1,x.2,s,z.real,z.imag,noise" : transformed ? "x.1,x.2,s,z.real,z.imag" : "x.1,x.2,s";
}
#endif
EXPORTED const char* bs_model_info(const bs_model* /*m*/) { return "Stan version: 2.0.0\nSTAN_THREADS=false\n"; }
EXPORTED int bs_param_num(const bs_model* m, bool transformed, bool generated) {
  return m->n + (transformed ? 2 : 0) + (generated ? 1 : 0);
}
EXPORTED int bs_param_unc_num(const bs_model* m) { return m->n; }
EXPORTED int bs_param_constrain(const bs_model* m, bool transformed, bool generated, const double* q, double* out,
                                bs_rng* rng, char** error) {
  for (int j = 0; j < m->n; ++j) out[j] = j == 2 ? std::exp(q[j]) : q[j];
  if (transformed) {
    out[m->n] = q[0];
    out[m->n + 1] = -q[0];
  }
  if (generated && q[0] < -3.0) return fail(error, "bs_param_constrain() failed with exception: no noise there");
  if (generated) out[m->n + 2] = rng->state;
  return 0;
}
EXPORTED int bs_param_unconstrain(const bs_model* m, const double* natural, double* q, char** error) {
  for (int j = 0; j < m->n; ++j) q[j] = j == 2 ? std::log(natural[j]) : natural[j];
  return m->n > 2 && natural[2] <= 0.0 ? fail(error, "bs_param_unconstrain() failed with exception: s must be positive")
                                       : 0;
}
EXPORTED int bs_log_density_gradient(const bs_model* m, bool /*propto*/, bool /*jacobian*/, const double* q,
                                     double* value, double* gradient, char** error) {
  if (q[0] > 3.0) return fail(error, "bs_log_density_gradient() failed with exception: Exception: x is absurd");
  if (m->is_faulty) {
    fail(error, "bs_log_density_gradient() failed with exception: index out of range");
    return -2;
  }
  *value = 0.0;
  for (int j = 0; j < m->n; ++j) {
    const double scale = j + 1.0;
    *value -= 0.5 * q[j] * q[j] / (scale * scale);
    if (gradient != nullptr) gradient[j] = -q[j] / (scale * scale);
  }
  if (q[0] < -5.0) *value = std::nan("");
  return 0;
}
EXPORTED int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* q, double* value,
                            char** error) {
  return bs_log_density_gradient(m, propto, jacobian, q, value, nullptr, error);
}
EXPORTED bs_rng* bs_rng_construct(unsigned int seed, char** /*error*/) { return new bs_rng{seed}; }
EXPORTED void bs_rng_destruct(bs_rng* rng) { delete rng; }
EXPORTED int bs_set_print_callback(Callback f, char** /*error*/) {
  callback = f;
  return 0;
}

}  // extern "C"
