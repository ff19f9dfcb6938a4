#include "run/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "run/structure_choice.hpp"

namespace darboux {

namespace {

/// A word of a method, and the setting that it stands for. No two are the same.
struct Word {
  std::string_view text;
  std::string_view field;
  bool is_former = false;
};

template <Enumeration E>
void add_words(std::string_view field, std::vector<Word>& words) {
  for (const Named<E>& word : names_of<E>) words.push_back({word.name, field});
  for (const Named<E>& word : former_names_of<E>) words.push_back({word.name, field, true});
}

std::vector<Word> all_words() {
  std::vector<Word> words;
  add_words<TrajectoryKind>("trajectory", words);
  add_words<IntegratorKind>("integrator", words);
  for (const std::string_view structure : structure_names()) words.push_back({structure, "structure"});
  add_words<Metric>("metric", words);
  return words;
}

Word word_called(std::string_view text) {
  static const std::vector<Word> words = all_words();
  if (text.ends_with(".json")) return {text, "structure"};
  std::vector<std::string_view> known;
  for (const Word& word : words) {
    if (word.text == text) return word;
    if (!word.is_former) known.push_back(word.text);
  }
  throw InputError(unknown_name("word", text, known));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void put_words(RunConfig& config, std::string_view method, std::vector<Renamed>& renamed) {
  std::vector<Word> given;
  bool gives_strength = false;
  for (const std::string_view part : parts_of(method, '/')) {
    const std::size_t colon = part.find(':');
    const Word word = word_called(part.substr(0, colon));
    for (const Word& other : given)
      if (other.field == word.field)
        throw InputError(fmt::format("{} and {} both name the {}: must be one", other.text, word.text, word.field));
    given.push_back(word);
    std::ranges::copy(set_field(config, word.field, word.text), std::back_inserter(renamed));
    if (colon == std::string_view::npos) continue;
    if (word.field != "structure")
      throw InputError(fmt::format("{}: only a structure takes a number, its strength", part));
    gives_strength = true;
    config.k.reset();
    set_field(config, "strength", part.substr(colon + 1));
  }
  if (config.trajectory && !traits_of(*config.trajectory).takes_depth) config.max_depth.reset();
  if (gives_strength || has_random_blocks(config.structure_source)) return;
  config.strength.reset();
  config.k.reset();
  config.structure_seed.reset();
}

/// What of a configuration would make methods unequal, or has no meaning here.
void require_comparable(const RunConfig& config) {
  const auto refuse = [](std::string_view field, bool given, std::string_view why) {
    if (given) throw InputError(fmt::format("{} cannot be used to compare methods: {}", field, why));
  };
  refuse("target-ess", config.target_ess.has_value(), "all have the same number of draws");
  refuse("max-seconds", config.max_seconds.has_value(), "all have the same number of draws");
  refuse("tuning", !config.tuning_file.empty(), "each is tuned by a warm-up of its own");
}

template <class Cost>
IntervalEstimate ess_per(const std::vector<Efficiency>& runs, const Cost& cost) {
  std::vector<double> ratios;
  for (const Efficiency& run : runs) ratios.push_back(run.ess() / cost(run));
  return interval_of(ratios);
}

}  // namespace

RunConfig with_method(RunConfig config, std::string_view method, std::vector<std::string>* notes) {
  std::vector<Renamed> renamed;
  try {
    put_words(config, method, renamed);
  } catch (const InputError& e) {
    throw InputError(fmt::format("method {}: {}", method, e.what()));
  }
  if (notes != nullptr)
    for (const Renamed& word : renamed) notes->push_back(fmt::format("method {}: {}", method, note_on(word, "")));
  return config;
}

bool ComparedMethod::converged() const {
  return std::all_of(runs.begin(), runs.end(), [](const Efficiency& run) { return run.converged(); });
}
IntervalEstimate ComparedMethod::per_1000_gradients() const {
  return ess_per(runs, [](const Efficiency& run) { return run.gradients() / 1000.0; });
}
IntervalEstimate ComparedMethod::per_1000_gradients_with_warmup() const {
  return ess_per(runs, [](const Efficiency& run) { return run.gradients_with_warmup() / 1000.0; });
}
IntervalEstimate ComparedMethod::per_second() const {
  return ess_per(runs, [](const Efficiency& run) { return run.cost.sampling_seconds; });
}
double ComparedMethod::largest_rhat() const {
  double largest = 0.0;
  for (const Efficiency& run : runs) largest = std::max(largest, run.rhat);
  return largest;
}
double ComparedMethod::smallest_ess() const {
  double smallest = runs.front().ess();
  for (const Efficiency& run : runs) smallest = std::min(smallest, run.ess());
  return smallest;
}
std::int64_t ComparedMethod::failures() const {
  std::int64_t sum = 0;
  for (const Efficiency& run : runs) sum += run.failures;
  return sum;
}

Comparison plan_comparison(const RunConfig& config, const std::vector<std::string>& methods,
                           const CompilationWatch& watch) {
  require_comparable(config);
  Comparison comparison;
  RunConfig shared = config;
  shared.threads = 1;
  for (const std::string& method : methods) {
    for (const ComparedMethod& earlier : comparison.methods)
      if (earlier.name == method) throw InputError(fmt::format("method {} is named twice: must be once", method));
    const RunConfig own = with_method(shared, method, &comparison.notes);
    try {
      const SamplePlan plan = make_plan(own, watch).sample;
      if (!comparison.model) {
        comparison.model = plan.model;
        comparison.asked = plan.asked;
        shared.seed = plan.asked.seed;
      }
      comparison.methods.push_back({.name = method, .settings = plan.settings, .runs = {}});
    } catch (const InputError& e) {
      throw InputError(fmt::format("method {}: {}", method, e.what()));
    }
  }
  return comparison;
}

void run_comparison(Comparison& comparison, int runs,
                    const std::function<void(const ComparedMethod&, int)>& before_run) {
  SampleOptions asked = comparison.asked;
  for (int run = 0; run < runs; ++run, ++*asked.seed) {
    const Starts starts = plan_starts(asked, *comparison.model);
    for (ComparedMethod& method : comparison.methods) {
      if (before_run) before_run(method, run);
      SamplerSettings settings = method.settings;
      settings.seed = *asked.seed;
      method.runs.push_back(measure_efficiency(comparison.model, settings, starts));
    }
  }
}

std::vector<Standing> standings(const std::vector<ComparedMethod>& methods) {
  std::vector<Standing> found;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    found.push_back(!methods[i].converged()               ? Standing::not_converged
                    : is_approximate(methods[i].settings) ? Standing::approximate
                                                          : Standing::worse);
    if (found[i] != Standing::worse) continue;
    if (!best || methods[i].per_1000_gradients().center > methods[*best].per_1000_gradients().center) best = i;
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (found[i] != Standing::worse) continue;
    const bool overlaps = methods[i].per_1000_gradients().high >= methods[*best].per_1000_gradients().low;
    found[i] = i == *best ? Standing::best : overlaps ? Standing::no_difference : Standing::worse;
  }
  return found;
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text =
      "method,seed,approximate,converged,min_bulk_ess,min_square_ess,max_rhat,failures,warmup_gradients,"
      "sampling_gradients,warmup_seconds,sampling_seconds,step_size,steps\n";
  for (const ComparedMethod& method : comparison.methods) {
    for (std::size_t i = 0; i < method.runs.size(); ++i) {
      const Efficiency& run = method.runs[i];
      text += fmt::format("{},{},{:d},{:d},{},{},{},{},{},{},{},{},{},{}\n", method.name, *comparison.asked.seed + i,
                          is_approximate(method.settings), run.converged(), run.bulk_ess, run.square_ess, run.rhat,
                          run.failures, run.cost.warmup_gradients, run.cost.sampling_gradients, run.cost.warmup_seconds,
                          run.cost.sampling_seconds, run.cost.tuning.step_size, run.cost.tuning.steps);
    }
  }
  return text;
}

}  // namespace darboux
