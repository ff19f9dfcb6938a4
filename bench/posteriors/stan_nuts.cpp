// Stan's own NUTS at Stan's defaults on a Stan program:
//   PROGRAM DATA.json SEED DIR [chains=4] [metric=diagonal|dense] [starts=DIR, with chain_1.json … in it]
//
// Linked with the model that stanc translated; see build. Runs chains one after the other and writes to DIR what
// `darboux sample` writes there: chain_1.csv … in the columns of CmdStan (parameters alone: neither transformed parameters
// nor generated quantities are computed) and run.json with the cost of warm-up and of sampling.
//
// Costs are counted in Stan's favour: draws stay in memory while the clock runs, reading data is not timed, and the gradient
// that Stan computes anew at the start of each transition, although it had it, is not counted (its CPU time is).
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stan/io/json/json_data.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/sample/hmc_nuts_dense_e_adapt.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed, std::ostream* messages);  // by stanc

namespace {

constexpr int warmup = 1000, draws = 1000;

struct Settings {
  unsigned chains = 4;
  bool dense = false;
  std::filesystem::path starts{};  ///< where none is given, Stan's own: uniform(-2, 2) before constraints
};

struct Cost {
  double cpu_seconds = 0.0;
  std::int64_t gradients = 0;

  Cost& operator+=(const Cost& other) {
    cpu_seconds += other.cpu_seconds;
    gradients += other.gradients;
    return *this;
  }
  friend Cost operator-(Cost a, const Cost& b) { return {a.cpu_seconds - b.cpu_seconds, a.gradients - b.gradients}; }
};

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The model as Stan's sampler uses it, with its derivatives counted and nothing but parameters written.
class CountedModel {
 public:
  explicit CountedModel(const stan::model::model_base& model) : model_(model) {}

  [[nodiscard]] std::int64_t gradients() const { return gradients_; }
  [[nodiscard]] std::size_t num_params_r() const { return model_.num_params_r(); }
  void get_param_names(std::vector<std::string>& names, bool, bool) const {
    model_.get_param_names(names, false, false);
  }
  void get_dims(std::vector<std::vector<std::size_t>>& sizes, bool, bool) const {
    model_.get_dims(sizes, false, false);
  }
  void constrained_param_names(std::vector<std::string>& names, bool, bool) const {
    model_.constrained_param_names(names, false, false);
  }
  void unconstrained_param_names(std::vector<std::string>& names, bool, bool) const {
    model_.unconstrained_param_names(names, false, false);
  }

  template <bool Propto, bool Jacobian, class T>
  T log_prob(Eigen::Matrix<T, -1, 1>& q, std::ostream* messages) const {
    count<T>();
    return model_.template log_prob<Propto, Jacobian>(q, messages);
  }
  template <bool Propto, bool Jacobian, class T>
  T log_prob(std::vector<T>& q, std::vector<int>& integers, std::ostream* messages) const {
    count<T>();
    return model_.template log_prob<Propto, Jacobian>(q, integers, messages);
  }
  template <class... Arguments>
  void transform_inits(Arguments&&... arguments) const {
    model_.transform_inits(std::forward<Arguments>(arguments)...);
  }
  void write_array(stan::rng_t& generator, std::vector<double>& q, std::vector<int>& integers,
                   std::vector<double>& values, bool, bool, std::ostream* messages) const {
    model_.write_array(generator, q, integers, values, false, false, messages);
  }

 private:
  template <class T>
  void count() const {
    if constexpr (std::is_same_v<T, stan::math::var>) ++gradients_;
  }

  const stan::model::model_base& model_;
  mutable std::int64_t gradients_ = 0;
};

/// Stan calls it before each transition: the first one of sampling ends warm-up.
class Clock final : public stan::callbacks::interrupt {
 public:
  explicit Clock(const CountedModel& model) : model_(model), begin_(now()) {}

  void operator()() override {
    if (transitions_ == warmup) middle_ = now();
    ++transitions_;
  }
  [[nodiscard]] Cost of_warmup() const { return middle_ - begin_; }
  [[nodiscard]] Cost since_warmup() const { return now() - middle_; }
  [[nodiscard]] bool complete() const { return transitions_ == warmup + draws; }

 private:
  /// One gradient of each transition is that of its start.
  [[nodiscard]] Cost now() const { return {cpu_seconds(), model_.gradients() - transitions_}; }

  const CountedModel& model_;
  std::int64_t transitions_ = 0;
  Cost begin_, middle_;
};

/// Names and draws, kept until the clock has stopped.
class Kept final : public stan::callbacks::writer {
 public:
  using writer::operator();
  void operator()(const std::vector<std::string>& names) override { names_ = names; }
  void operator()(const std::vector<double>& row) override { rows_.push_back(row); }

  void write(const std::filesystem::path& path) const {
    std::ofstream file(path);
    file.precision(12);
    write_row(file, names_);
    for (const auto& row : rows_) write_row(file, row);
    if (!file.flush()) throw std::runtime_error("could not write " + path.string());
  }

 private:
  template <class T>
  static void write_row(std::ostream& file, const std::vector<T>& row) {
    const char* comma = "";
    for (const auto& value : row) {
      file << comma << value;
      comma = ",";
    }
    file << '\n';
  }

  std::vector<std::string> names_;
  std::vector<std::vector<double>> rows_;
};

/// Errors, but not the notice that a proposal was refused.
class Errors final : public stan::callbacks::logger {
 public:
  [[nodiscard]] const std::string& last() const { return last_; }
  using logger::error;
  void error(const std::string& message) override {
    if (!message.empty()) last_ = message;
  }
  void error(const std::stringstream& message) override { error(message.str()); }

 private:
  std::string last_;
};

struct Costs {
  Cost warmup, sampling;
};

std::string named(unsigned chain, const char* ending) { return "chain_" + std::to_string(chain) + ending; }

stan::json::json_data read_json(const std::filesystem::path& path) {
  std::ifstream text(path);
  if (!text) throw std::runtime_error("could not open " + path.string());
  return stan::json::json_data(text);
}

stan::json::json_data start_of(unsigned chain, const Settings& settings) {
  if (!settings.starts.empty()) return read_json(settings.starts / named(chain, ".json"));
  std::istringstream nothing("{}");
  return stan::json::json_data(nothing);
}

Costs run_chain(CountedModel& model, unsigned seed, unsigned chain, const Settings& settings,
                const std::filesystem::path& file) {
  const stan::json::json_data start = start_of(chain, settings);
  stan::callbacks::writer none;
  stan::callbacks::structured_writer no_metric;
  Errors errors;
  Kept kept;
  Clock clock(model);
  const auto run = [&](const auto& service) {
    return service(model, start, seed, chain, /*init_radius*/ 2.0, warmup, draws, /*thin*/ 1, /*save_warmup*/ false,
                   /*refresh*/ 0,
                   /*stepsize*/ 1.0, /*stepsize_jitter*/ 0.0, /*max_depth*/ 10, /*delta*/ 0.8, /*gamma*/ 0.05,
                   /*kappa*/ 0.75, /*t0*/ 10.0,
                   /*init_buffer*/ 75, /*term_buffer*/ 50, /*window*/ 25, clock, errors, none, kept, none, no_metric);
  };
  namespace services = stan::services::sample;
  const int status = settings.dense ? run([](auto&&... given) { return services::hmc_nuts_dense_e_adapt(given...); })
                                    : run([](auto&&... given) { return services::hmc_nuts_diag_e_adapt(given...); });
  const Costs costs{clock.of_warmup(), clock.since_warmup()};
  if (status != stan::services::error_codes::OK || !clock.complete())
    throw std::runtime_error("chain " + std::to_string(chain) + " did not end well: " + errors.last());
  kept.write(file);
  return costs;
}

void write_json(std::ostream& file, const char* phase, const Cost& cost) {
  file << '"' << phase << "\": {\"cpu_seconds\": " << cost.cpu_seconds << ", \"gradients\": " << cost.gradients << '}';
}

void run(const std::string& data_file, unsigned seed, const std::filesystem::path& folder, const Settings& settings) {
  stan::json::json_data data = read_json(data_file);
  const std::unique_ptr<stan::model::model_base> model(&new_model(data, seed, &std::cerr));
  CountedModel counted(*model);
  std::filesystem::create_directories(folder);
  Costs all;
  for (unsigned chain = 1; chain <= settings.chains; ++chain) {
    const Costs costs = run_chain(counted, seed, chain, settings, folder / named(chain, ".csv"));
    all.warmup += costs.warmup;
    all.sampling += costs.sampling;
  }
  std::ofstream file(folder / "run.json");
  file << "{\"seed\": " << seed << ", \"dimension\": " << model->num_params_r() << ", ";
  write_json(file, "warmup", all.warmup);
  write_json(file << ", ", "sampling", all.sampling);
  file << "}\n";
}

Settings settings_from(const std::vector<std::string>& words) {
  Settings settings;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
    if (name == "chains")
      settings.chains = static_cast<unsigned>(std::stoul(value));
    else if (name == "metric" && (value == "dense" || value == "diagonal"))
      settings.dense = value == "dense";
    else if (name == "starts")
      settings.starts = value;
    else
      throw std::runtime_error(word + ": chains=N, metric=diagonal, metric=dense or starts=DIR is meant");
  }
  return settings;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: " << arguments[0] << " DATA.json SEED DIR [chains=N] [metric=diagonal|dense] [starts=DIR]\n";
    return 2;
  }
  try {
    run(arguments[1], static_cast<unsigned>(std::stoul(arguments[2])), arguments[3],
        settings_from({arguments + 4, arguments + count}));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << arguments[0] << ": " << error.what() << '\n';
    return 1;
  }
}
