#include "stan/bridge_model.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "darboux/model/lane_evaluator.hpp"
#include "io/column_names.hpp"
#include "stan/bridge_library.hpp"
#include "stan/data_misfit.hpp"
#include "stan/printed_text.hpp"

namespace darboux {

namespace {

/// Something that keeps happening: how often, and what was said the first time.
class Complaints {
 public:
  void add(std::string message) {
    if (count_.fetch_add(1) > 0) return;
    const std::scoped_lock lock(mutex_);
    first_ = std::move(message);
  }
  [[nodiscard]] std::int64_t count() const noexcept { return count_.load(); }
  [[nodiscard]] std::string first() const {
    const std::scoped_lock lock(mutex_);
    return first_;
  }

 private:
  std::atomic<std::int64_t> count_{0};
  mutable std::mutex mutex_;
  std::string first_;
};

unsigned int folded(std::uint64_t seed) { return static_cast<unsigned int>(seed ^ (seed >> 32U)); }

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.push_back(display_name(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return names;
}

/// A program with its data, as the library made it, and what it complained of.
class Program {
 public:
  explicit Program(const BridgeModelSource& source) : library_(load_bridge_library(source.library)) {
    char* error = nullptr;
    (void)library_.print_to(&print_text_of_programs, &error);
    model_ = library_.construct(source.data.c_str(), folded(source.seed), &error);
    if (model_ != nullptr) return;
    throw InputError(fmt::format("{}: does not fit {}: {}{}", source.data_shown_as, source.shown_as,
                                 misfit_in_words(library_.message(error), source.data),
                                 source.data.empty() ? ". Give a JSON file with --data FILE" : ""));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { library_.destruct(model_); }

  [[nodiscard]] Index dim() const { return library_.dim(model_); }
  [[nodiscard]] Index size(bool transformed, bool generated) const {
    return library_.size(model_, transformed, generated);
  }
  [[nodiscard]] std::vector<std::string> names() const { return split(library_.names(model_, true, true)); }
  [[nodiscard]] std::string info() const { return library_.info(model_); }

  /// Of log density and, unless it is empty, gradient. Throws Reject where the program refuses the point.
  double log_density(std::span<const double> q, std::span<double> gradient) const {
    constexpr bool propto = true, jacobian = true;
    double value = 0.0;
    char* error = nullptr;
    const int failed = gradient.empty()
                           ? library_.log_density(model_, propto, jacobian, q.data(), &value, &error)
                           : library_.gradient(model_, propto, jacobian, q.data(), &value, gradient.data(), &error);
    if (failed == 0 && std::isfinite(value)) return value;
    if (failed == BridgeLibrary::unrecoverable)
      throw Error(
          fmt::format("the Stan program is at fault, and not the point where it failed: {}", library_.message(error)));
    refused_.add(failed == 0 ? fmt::format("the log density is {}", value) : library_.message(error));
    throw Reject();
  }

  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const {
    const bool generates = size(true, true) > size(true, false);
    if (write(q, key, generates, out)) return;
    // What can be known stays, and readers see which part cannot.
    std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
    if (generates) (void)write(q, key, false, out);
  }

  void unconstrain(std::span<const double> natural, std::span<double> q) const {
    char* error = nullptr;
    if (library_.unconstrain(model_, natural.data(), q.data(), &error) != 0)
      throw InputError("starting values: " + library_.message(error));
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> out;
    if (refused_.count() > 0)
      out.push_back(fmt::format("The program refused {}; a few, mostly in warm-up, are no harm. The first time: {}",
                                counted(refused_.count(), "point", "points"), refused_.first()));
    if (undefined_.count() > 0)
      out.push_back(fmt::format("{} could not be computed in full and have NaN there. The first time: {}",
                                counted(undefined_.count(), "draw", "draws"), undefined_.first()));
    if (const std::int64_t lines = printed_lines_left_out(); lines > 0)
      out.push_back(fmt::format("The program printed {} more that are not shown.", counted(lines, "line", "lines")));
    return out;
  }

 private:
  /// All values of a draw, without generated quantities where they are not wanted; false where the program fails.
  bool write(std::span<const double> q, const DrawKey& key, bool generated, std::span<double> out) const {
    bs_rng* rng = nullptr;
    char* error = nullptr;
    if (generated) {
      // A generator for every draw, so that numbers depend on nothing that happened before: neither threads nor a resume.
      RandomStream seeds(
          {.seed = key.seed, .purpose = Purpose::generated_quantities, .chain = key.chain, .iteration = key.iteration});
      rng = library_.construct_rng(folded(seeds.bits()), &error);
    }
    const int failed = generated && rng == nullptr
                           ? -1
                           : library_.constrain(model_, true, generated, q.data(), out.data(), rng, &error);
    if (rng != nullptr) library_.destruct_rng(rng);
    if (failed != 0) undefined_.add(library_.message(error));
    return failed == 0;
  }

  BridgeLibrary library_;
  bs_model* model_ = nullptr;
  mutable Complaints refused_, undefined_;
};

class BridgeModel final : public Model {
 public:
  explicit BridgeModel(const BridgeModelSource& source) : program_(std::make_shared<const Program>(source)) {
    if (dim() == 0)
      throw InputError(fmt::format("{}: has no parameters, so that there is nothing to sample", source.shown_as));
    is_threaded_ = program_->info().find("STAN_THREADS=true") != std::string::npos;
  }

  [[nodiscard]] Index dim() const noexcept override { return program_->dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    return {.least_lanes = 1, .max_concurrency = is_threaded_ ? 0 : 1};  // every chain is a call of its own
  }
  [[nodiscard]] std::vector<ModelFact> describe() const override {
    const std::string info = program_->info();
    std::vector<ModelFact> facts;
    if (const auto at = info.find("Stan version: "); at != std::string::npos)
      facts.push_back({.key = "stan", .value = info.substr(at + 14, info.find('\n', at) - at - 14)});
    if (!is_threaded_)
      facts.push_back({.key = "stan_threads",
                       .value = false,
                       .note =
                           "The library was built without STAN_THREADS: chains run one after the other. Build it with, "
                           "or let darboux compile the program."});
    return facts;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override { return program_->remarks(); }
  [[nodiscard]] std::vector<std::string> names() const override { return program_->names(); }
  [[nodiscard]] Index natural_size() const override { return program_->size(false, false); }
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override {
    program_->constrain(q, key, out);
  }
  void unconstrain(std::span<const double> natural, std::span<double> q) const override {
    program_->unconstrain(natural, q);
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override {
    return evaluate_by_lane(dim(), [program = program_](std::span<const double> q, std::span<double> gradient) {
      return program->log_density(q, gradient);
    });
  }

 private:
  std::shared_ptr<const Program> program_;
  bool is_threaded_ = false;
};

}  // namespace

std::shared_ptr<const Model> load_bridge_model(const BridgeModelSource& source) {
  return std::make_shared<const BridgeModel>(source);
}

}  // namespace darboux
