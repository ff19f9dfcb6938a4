#include "darboux/run/draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "report/summary_text.hpp"
#include "run/draws_content.hpp"
#include "run/draws_summary.hpp"
#include "run/observation_pass.hpp"

namespace darboux {

namespace {

constexpr std::string_view log_density = "lp__";

ChainDraws quantity(const Draws::Content& content, std::string_view name, Phase phase) {
  if (name == log_density) return ChainDraws(content.memory.log_densities(phase));
  const auto found = std::find(content.names.begin(), content.names.end(), name);
  if (found != content.names.end())
    return ChainDraws(content.memory.column(static_cast<std::size_t>(found - content.names.begin()), phase));
  std::vector<std::string_view> known(content.names.begin(), content.names.end());
  known.push_back(log_density);
  throw InputError(unknown_name("quantity", name, known));
}

}  // namespace

Draws with_quantities(const Draws& draws, std::vector<std::string> names, std::span<const double> values) {
  const auto content = std::make_shared<Draws::Content>(draws.content().plan, std::move(names));
  const std::size_t quantities = content->names.size(), chains = at(draws.chains()), length = at(draws.size());
  if (values.size() != quantities * chains * length)
    throw InputError(fmt::format("values: {} given, must be {}, of {} quantities", values.size(),
                                 quantities * chains * length, quantities));
  std::vector<double> row(quantities);
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < quantities; ++j) row[j] = values[(j * chains + c) * length + i];
      content->memory.draw({.values = row,
                            .transition = draws.transitions(static_cast<Index>(c))[i],
                            .chain = static_cast<Index>(c),
                            .iteration = static_cast<int>(i)});
    }
  content->result = draws.result();
  return Draws(content);
}

Draws::Draws(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

const std::vector<std::string>& Draws::names() const noexcept { return content_->names; }
Index Draws::chains() const noexcept { return content_->memory.chains(); }
Index Draws::size() const noexcept { return std::ssize(content_->memory.transitions(0)); }

ChainDraws Draws::operator[](std::string_view name) const { return quantity(*content_, name, Phase::sampling); }
ChainDraws Draws::warmup(std::string_view name) const { return quantity(*content_, name, Phase::warmup); }
std::span<const Transition> Draws::transitions(Index chain, Phase phase) const {
  return content_->memory.transitions(chain, phase);
}
const SampleResult& Draws::result() const noexcept { return content_->result; }

namespace {

/// visit(observations, draw, place of the draw, row to fill) for `count` draws of a chain.
template <class Visit>
Matrix observe(const Draws::Content& content, Index chain, Index count, const Visit& visit) {
  ChainObservations observations(content.plan, content.plan.settings.first_chain + chain);
  const Index draws = std::ssize(content.memory.transitions(chain));
  Matrix out(std::min(count, draws), observations.size());
  std::vector<double> draw(content.names.size());
  for (Index k = 0; k < out.rows(); ++k) {
    const Index place = spread(k, out.rows(), draws);
    for (std::size_t j = 0; j < draw.size(); ++j) draw[j] = content.memory.column(chain, j)[at(place)];
    visit(observations, draw, place, std::span(out.data() + k * out.cols(), at(out.cols())));
  }
  return out;
}

}  // namespace

Matrix Draws::log_likelihood(Index chain) const {
  return observe(*content_, chain, size(), [](ChainObservations& observations, auto& draw, Index, auto out) {
    observations.log_likelihood(draw, out);
  });
}

Matrix Draws::posterior_predictive(Index chain, Index count) const {
  return observe(*content_, chain, count, [](ChainObservations& observations, auto& draw, Index place, auto out) {
    observations.predict(draw, place, out);
  });
}

DrawsSummary Draws::summary(const SummaryExtras& extras) const {
  RunSummary run = run_summary(*this, {.extras = extras});
  DrawsSummary summary;
  for (SummaryRow& row : run.rows) summary.rows.push_back({.name = row.name, .values = row.values});
  for (const Warning& warning : run.warnings) summary.warnings.push_back(warning.text());
  summary.text = summary_text(run);
  return summary;
}

}  // namespace darboux
