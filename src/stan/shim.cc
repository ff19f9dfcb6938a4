// What makes a translated Stan program callable from C: BridgeStan's interface, version 2.9, over stan::model::model_base.
//
// Darboux does not link with this file: it carries the text, compiles it once with the headers of the Stan that is at hand, and
// links the object with every program. Clients of BridgeStan (Python, R, Julia, nutpie) can load the libraries that come of it.
//
// Conventions of the interface: functions return 0, or what is not 0 with a message in *error that bs_free_error_msg frees: −1, or
// −2 where the program is wrong and not the point (an index out of range, fatal_error(), no memory). Vectors of parameters are "unconstrained" (q, on all of Rⁿ) or "constrained" (as declared, one number after the other by columns).

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <stan/io/chained_var_context.hpp>
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/io/random_var_context.hpp>
#include <stan/math/rev/core.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/util/create_rng.hpp>
#include <stan/version.hpp>

/// Every program that stanc translates defines this.
stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed, std::ostream* messages);

namespace {

using Vector = Eigen::VectorXd;
using VarVector = Eigen::Matrix<stan::math::var, Eigen::Dynamic, 1>;
using Generator = decltype(stan::services::util::create_rng(0U, 0U));
using PrintCallback = void (*)(const char* text, std::size_t length);

PrintCallback print_callback = nullptr;
std::mutex print_mutex;

/// What a thread keeps between calls: the tape on which Stan records what it differentiates, which must exist before the first
/// derivative; a stream for what is printed, since making one takes as long as the gradient of a small model; and a generator for
/// calls that draw nothing. Thread-local memory of the fast kind is scarce, so that only a pointer is there.
struct OfThread {
  stan::math::ChainableStack tape;
  std::ostringstream printed;
  Generator idle = stan::services::util::create_rng(0U, 0U);
};
OfThread& of_thread() {
  static thread_local const std::unique_ptr<OfThread> own = std::make_unique<OfThread>();
  return *own;
}

/// Where a program's print() goes during one call; handed on at its end.
class Printed {
 public:
  Printed() = default;
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  ~Printed() {
    if (text_.tellp() <= 0) return;
    const std::string all = text_.str();
    text_.str("");
    const std::lock_guard<std::mutex> lock(print_mutex);
    if (print_callback != nullptr)
      print_callback(all.data(), all.size());
    else
      std::cout << all << std::flush;
  }
  std::ostream* stream() { return &text_; }

 private:
  std::ostringstream& text_ = of_thread().printed;
};

void set_error(char** error, const char* function, const char* what) {
  if (error == nullptr) return;
  const std::string message = std::string(function) + "() failed with exception: " + what;
  *error = static_cast<char*>(std::malloc(message.size() + 1));
  if (*error != nullptr) std::memcpy(*error, message.c_str(), message.size() + 1);
}

/// Of the solvers of equations and Boost's functions, which fail at a point with the kind of error that fatal_error() throws.
bool is_of_a_solver(const std::string& what) {
  for (const char* part : {"error flag", "solver", "boost::math"})
    if (what.find(part) != std::string::npos) return true;
  return false;
}

/// Runs a task; a message and what is not 0 where it throws. reject() and arguments outside of a function's domain are
/// std::domain_error; what else is a std::logic_error is a mistake in the program, and fatal_error() is a std::runtime_error.
template <class Task>
int guarded(const char* function, char** error, const Task& task) {
  try {
    (void)of_thread();
    task();
    return 0;
  } catch (const std::domain_error& e) {
    set_error(error, function, e.what());
  } catch (const std::logic_error& e) {
    set_error(error, function, e.what());
    return -2;
  } catch (const std::runtime_error& e) {
    set_error(error, function, e.what());
    return is_of_a_solver(e.what()) ? -1 : -2;
  } catch (const std::bad_alloc&) {
    set_error(error, function, "out of memory");
    return -2;
  } catch (const std::exception& e) {
    set_error(error, function, e.what());
  } catch (...) {
    set_error(error, function, "something that is no std::exception");
  }
  return -1;
}

std::unique_ptr<stan::io::var_context> read_json(std::istream& in) { return std::make_unique<stan::json::json_data>(in); }

/// Data or parameters by name: from JSON, or from the file with a name that ends in .json. None where there is nothing.
std::unique_ptr<stan::io::var_context> named_values(const char* source) {
  const std::string text = source == nullptr ? "" : source;
  if (text.empty()) return std::make_unique<stan::io::empty_var_context>();
  const std::string ending = ".json";
  if (text.size() < ending.size() || text.compare(text.size() - ending.size(), ending.size(), ending) != 0) {
    std::istringstream in(text);
    return read_json(in);
  }
  std::ifstream in(text);
  if (!in) throw std::runtime_error("cannot open " + text);
  return read_json(in);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    if (!all.empty()) all += ',';
    all += name;
  }
  return all;
}

}  // namespace

struct bs_rng {
  explicit bs_rng(unsigned int seed) : generator(stan::services::util::create_rng(seed, 0U)) {}
  Generator generator;
};

class bs_model {
 public:
  bs_model(const char* data, unsigned int seed) {
    Printed printed;
    model_.reset(&new_model(*named_values(data), seed, printed.stream()));
    name_ = model_->model_name();
    std::vector<std::string> names;
    for (const bool transformed : {false, true})
      for (const bool generated : {false, true}) {
        names.clear();
        model_->constrained_param_names(names, transformed, generated);
        sizes_[transformed][generated] = static_cast<int>(names.size());
        names_[transformed][generated] = joined(names);
      }
    names.clear();
    model_->unconstrained_param_names(names, false, false);
    unconstrained_names_ = joined(names);
    info_ = "Stan version: " + stan::MAJOR_VERSION + '.' + stan::MINOR_VERSION + '.' + stan::PATCH_VERSION + '\n';
#ifdef STAN_THREADS
    info_ += "STAN_THREADS=true\n";
#else
    info_ += "STAN_THREADS=false\n";
#endif
    for (const std::string& line : model_->model_compile_info()) info_ += line + '\n';
  }

  const stan::model::model_base& model() const { return *model_; }
  Eigen::Index dim() const { return static_cast<Eigen::Index>(model_->num_params_r()); }
  const char* name() const { return name_.c_str(); }
  const char* info() const { return info_.c_str(); }
  const char* names(bool transformed, bool generated) const { return names_[transformed][generated].c_str(); }
  int size(bool transformed, bool generated) const { return sizes_[transformed][generated]; }
  const char* unconstrained_names() const { return unconstrained_names_.c_str(); }

  /// Up to a constant where propto; with the change of volume from declared to unconstrained parameters where jacobian.
  template <class T>
  T log_density(bool propto, bool jacobian, Eigen::Matrix<T, Eigen::Dynamic, 1>& q, std::ostream* out) const {
    if (propto) return jacobian ? model_->log_prob_propto_jacobian(q, out) : model_->log_prob_propto(q, out);
    return jacobian ? model_->log_prob_jacobian(q, out) : model_->log_prob(q, out);
  }

  double gradient(bool propto, bool jacobian, const double* q, double* gradient) const {
    Printed printed;
    const stan::math::nested_rev_autodiff nested;
    VarVector at(dim());
    for (Eigen::Index j = 0; j < dim(); ++j) at[j] = q[j];
    const stan::math::var value = log_density(propto, jacobian, at, printed.stream());
    const double result = value.val();
    stan::math::grad(value.vi_);
    for (Eigen::Index j = 0; j < dim(); ++j) gradient[j] = at[j].adj();
    return result;
  }

  /// (∇(q + h v) − ∇(q − h v)) / 2h.
  Vector hessian_times(bool propto, bool jacobian, const Vector& q, const Vector& v) const {
    Vector forward(dim()), backward(dim());
    const double length = v.norm();
    if (length == 0.0) return Vector::Zero(dim());
    const double h = 6e-6 * (1.0 + q.norm()) / length;  // the cube root of a double's precision
    gradient(propto, jacobian, Vector(q + h * v).data(), forward.data());
    gradient(propto, jacobian, Vector(q - h * v).data(), backward.data());
    return (forward - backward) / (2.0 * h);
  }

 private:
  std::unique_ptr<stan::model::model_base> model_;
  std::string name_, info_, names_[2][2], unconstrained_names_;
  int sizes_[2][2] = {};
};

namespace {

Vector point(const bs_model* m, const double* q) { return Eigen::Map<const Vector>(q, m->dim()); }

void copy(const Vector& from, double* to) { std::copy(from.data(), from.data() + from.size(), to); }

/// Starting values as given, the others uniform on (−radius, radius), until the density is finite there.
void find_start(const bs_model* m, const char* given, bs_rng* rng, double radius, int tries, bool jacobian, double* q) {
  const auto values = named_values(given);
  std::string last = "the log density is not finite";
  for (int i = 0; i < std::max(tries, 1); ++i) {
    try {
      Printed printed;
      stan::io::random_var_context others(m->model(), rng->generator, radius, radius == 0.0);
      stan::io::chained_var_context all(*values, others);
      Vector start;
      m->model().transform_inits(all, start, printed.stream());
      if (!std::isfinite(m->log_density(false, jacobian, start, printed.stream()))) continue;
      return copy(start, q);
    } catch (const std::domain_error& e) {
      last = e.what();
    }
  }
  throw std::runtime_error("no starting point was found: " + last);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

extern const int bs_major_version = 2;
extern const int bs_minor_version = 9;
extern const int bs_patch_version = 0;

bs_model* bs_model_construct(const char* data, unsigned int seed, char** error) {
  bs_model* made = nullptr;
  guarded(__func__, error, [&] { made = new bs_model(data, seed); });
  return made;
}
void bs_model_destruct(bs_model* m) { delete m; }
void bs_free_error_msg(char* message) { std::free(message); }

const char* bs_name(const bs_model* m) { return m->name(); }
const char* bs_model_info(const bs_model* m) { return m->info(); }
const char* bs_param_names(const bs_model* m, bool transformed, bool generated) { return m->names(transformed, generated); }
const char* bs_param_unc_names(const bs_model* m) { return m->unconstrained_names(); }
int bs_param_num(const bs_model* m, bool transformed, bool generated) { return m->size(transformed, generated); }
int bs_param_unc_num(const bs_model* m) { return static_cast<int>(m->dim()); }

int bs_param_constrain(const bs_model* m, bool transformed, bool generated, const double* q, double* constrained, bs_rng* rng,
                       char** error) {
  return guarded(__func__, error, [&] {
    if (generated && rng == nullptr) throw std::invalid_argument("generated quantities need a generator of random numbers");
    Printed printed;
    Vector from = point(m, q), to;
    m->model().write_array(generated ? rng->generator : of_thread().idle, from, to, transformed, generated, printed.stream());
    copy(to, constrained);
  });
}

int bs_param_unconstrain(const bs_model* m, const double* constrained, double* q, char** error) {
  return guarded(__func__, error, [&] {
    Printed printed;
    const Vector from = Eigen::Map<const Vector>(constrained, m->size(false, false));
    Vector to = Vector::Zero(m->dim());
    m->model().unconstrain_array(from, to, printed.stream());
    copy(to, q);
  });
}

int bs_param_unconstrain_json(const bs_model* m, const char* json, double* q, char** error) {
  return guarded(__func__, error, [&] {
    Printed printed;
    Vector to;
    m->model().transform_inits(*named_values(json), to, printed.stream());
    copy(to, q);
  });
}

int bs_param_initialize(const bs_model* m, const char* json, bs_rng* rng, double radius, int tries, bool jacobian, double* q,
                        char** error) {
  return guarded(__func__, error, [&] { find_start(m, json, rng, radius, tries, jacobian, q); });
}

int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* q, double* value, char** error) {
  return guarded(__func__, error, [&] {
    Printed printed;
    if (!propto) {
      Vector at = point(m, q);
      *value = m->log_density(false, jacobian, at, printed.stream());
      return;
    }
    const stan::math::nested_rev_autodiff nested;  // Stan drops constants of what it could differentiate, and of nothing else
    VarVector at = point(m, q).cast<stan::math::var>();
    *value = m->log_density(true, jacobian, at, printed.stream()).val();
  });
}

int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* q, double* value, double* gradient,
                            char** error) {
  return guarded(__func__, error, [&] { *value = m->gradient(propto, jacobian, q, gradient); });
}

int bs_log_density_hessian_vector_product(const bs_model* m, bool propto, bool jacobian, const double* q, const double* v,
                                          double* value, double* product, char** error) {
  return guarded(__func__, error, [&] {
    *value = m->gradient(propto, jacobian, q, product);
    copy(m->hessian_times(propto, jacobian, point(m, q), point(m, v)), product);
  });
}

int bs_log_density_hessian(const bs_model* m, bool propto, bool jacobian, const double* q, double* value, double* gradient,
                           double* hessian, char** error) {
  return guarded(__func__, error, [&] {
    *value = m->gradient(propto, jacobian, q, gradient);
    Eigen::MatrixXd columns(m->dim(), m->dim());
    for (Eigen::Index j = 0; j < m->dim(); ++j)
      columns.col(j) = m->hessian_times(propto, jacobian, point(m, q), Vector::Unit(m->dim(), j));
    Eigen::Map<Eigen::MatrixXd>(hessian, m->dim(), m->dim()) = 0.5 * (columns + columns.transpose());
  });
}

bs_rng* bs_rng_construct(unsigned int seed, char** error) {
  bs_rng* made = nullptr;
  guarded(__func__, error, [&] { made = new bs_rng(seed); });
  return made;
}
void bs_rng_destruct(bs_rng* rng) { delete rng; }

int bs_set_print_callback(PrintCallback callback, char** /*error*/) {
  const std::lock_guard<std::mutex> lock(print_mutex);
  print_callback = callback;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
