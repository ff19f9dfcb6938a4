/// What Stan programs cost beyond themselves: opening one that is compiled, one chain's gradient through the library's interface
/// beside the bare call, and what a second thread is worth to four chains.
///     stan_calls FOLDER [THREADS [ROUNDS]]      FOLDER has NAME.stan and NAME.data.json

#include <chrono>
#include <filesystem>
#include <vector>

#include "darboux/core/error.hpp"
#include "darboux/stan/stan_model.hpp"
#include "stan/bridge_library.hpp"
#include "stan/compile.hpp"
#include "stan/toolchain.hpp"
#include "stopwatch.hpp"
#include "threads.hpp"

namespace {

using namespace darboux;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// At points that chains might start from, one after the other.
void measure_call(const std::string& name, const Model& model, const BridgeLibrary& library, const bs_model* program,
                  int rounds) {
  constexpr Index points = 16;
  const Starts starts = find_starts(model, {.seed = 1, .chains = points});
  OwnedBatch gradient(model.dim(), 1);
  std::vector<OwnedBatch> places;
  for (Index k = 0; k < points; ++k) {
    places.emplace_back(model.dim(), 1);
    for (Index j = 0; j < model.dim(); ++j) places.back()(j, 0) = starts.q(j, k);
  }
  double value = 0.0;
  std::vector<double> direct(at(model.dim()));
  std::vector<double> point(at(model.dim()));
  const auto bare = [&] {
    for (const OwnedBatch& q : places) {
      for (Index j = 0; j < model.dim(); ++j) point[at(j)] = q(j, 0);
      char* error = nullptr;
      if (library.gradient(program, true, true, point.data(), &value, direct.data(), &error) != 0)
        library.free_message(error);
    }
  };
  const auto evaluator = model.make_evaluator();
  std::vector<double> log_density(1);
  std::vector<Status> status(1);
  const auto through_interface = [&] {
    for (const OwnedBatch& q : places)
      evaluator->evaluate({.q = q, .active = {}}, {.log_density = log_density, .gradient = gradient, .status = status});
  };
  const bench::SideBySide times(rounds, bare, through_interface);
  std::printf("%-22s a gradient takes %8.2f us, through the interface %+.1f %%\n", name.c_str(),
              1e6 * times.seconds(0) / points,
              100.0 * times.median_of([](const std::vector<double>& s) { return s[1] / s[0] - 1.0; }));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int place, int otherwise) { return place < argc ? std::stoi(argv[place]) : otherwise; };
  const std::filesystem::path folder = argc > 1 ? argv[1] : "bench/posteriors/models";
  const int threads = number(2, 2), rounds = number(3, 15);
  const StanToolchain toolchain = find_toolchain({});
  for (const std::string name : {"eight_schools", "logistic", "arma11", "garch11", "hmm", "mixture"}) {
    const std::filesystem::path program = folder / (name + ".stan"), data = folder / (name + ".data.json");
    const std::filesystem::path file = compile_stan(program, toolchain, {}).library;
    const auto begin = std::chrono::steady_clock::now();
    const auto model = stan_model(program, {.data = data.string()});
    std::printf("%-22s opened in %.3f s\n", name.c_str(), seconds_since(begin));
    const BridgeLibrary library = load_bridge_library(file);
    char* error = nullptr;
    bs_model* const own = library.construct(data.c_str(), 0, &error);
    if (own == nullptr) throw Error(library.message(error));
    measure_call(name, *model, library, own, rounds);
    library.destruct(own);
    bench::measure_threads({.name = name, .model = model, .iterations_of_four = 400}, 4, threads, rounds);
  }
}
