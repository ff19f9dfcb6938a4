#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/figures.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

struct Bars {
  std::vector<double> from, to, share;
  void add(const Histogram& h) {
    for (std::size_t i = 0; i < h.share.size(); ++i) {
      from.push_back(h.low + h.width * static_cast<double>(i));
      to.push_back(h.low + h.width * static_cast<double>(i + 1));
      share.push_back(h.share[i]);
    }
  }
};

/// What a histogram leaves out, and how far away that is.
std::string beyond(const Histogram& h) {
  if (h.outside == 0) return "";
  const auto n = [](std::size_t count) { return grouped(static_cast<double>(count)); };
  const double high = h.low + h.width * static_cast<double>(h.share.size());
  std::vector<std::string> ends;
  if (h.least < h.low) ends.push_back(fmt::format("the least is {:.3g}", h.least));
  if (h.most >= high) ends.push_back(fmt::format("the largest {}{:.3g}", ends.empty() ? "is " : "", h.most));
  if (h.not_finite > 0) ends.push_back(fmt::format("{} not finite", n(h.not_finite)));
  return fmt::format(" {} of {} lie beyond what is shown{}{}.", n(h.outside), n(h.values), ends.empty() ? "" : ": ",
                     fmt::join(ends, ", "));
}

/// "as wide as", "1.2 times as wide as": nobody says "1 times".
std::string times_as_wide(double ratio) {
  const std::string times = fmt::format("{:.2g}", ratio);
  return times == "1" ? "as wide as" : times + " times as wide as";
}

/// One histogram, with a line at zero for what should be there.
std::string bars_spec(std::string_view x, std::string_view y) {
  return filled(R"json({"mark": {"type": "bar", "binSpacing": 0.5, "tooltip": true},
      "encoding": {"x": {"field": "from", "type": "quantitative", "bin": "binned", "title": @x@},
                   "x2": {"field": "to"},
                   "y": {"field": "share", "type": "quantitative", "title": @y@}}})json",
                {{"x", json_text(x)}, {"y", json_text(y)}});
}

bool has_slow_chain(const RunSummary& summary) {
  return std::any_of(summary.chains.begin(), summary.chains.end(), [](const ChainFacts& chain) {
    return chain.ebfmi && *chain.ebfmi < WarningThresholds::ebfmi_below;
  });
}

}  // namespace

std::string energy_finding(const RunSummary& summary) {
  double least = INFINITY;
  std::size_t chain = 0;
  for (std::size_t c = 0; c < summary.chains.size(); ++c)
    if (const auto e = summary.chains[c].ebfmi; e && *e < least) {
      least = *e;
      chain = c + 1;
    }
  if (chain == 0) return "Energies of the draws";
  if (least < WarningThresholds::ebfmi_below)
    return fmt::format("Chain {} wanders slowly between energies: E-BFMI {:.2f}", chain, least);
  return fmt::format("Chains move freely between energies: smallest E-BFMI {:.2f}", least);
}

std::optional<Figure> energy_figure(const RunView& view, const RunSummary& summary) {
  if (!view.energy || !view.energy_change) return std::nullopt;
  Bars bars;
  std::vector<std::string> kinds;
  for (const auto& [name, h] :
       {std::pair("energy", *view.energy), std::pair("change from draw to draw", *view.energy_change)}) {
    bars.add(h);
    kinds.resize(bars.share.size(), name);
  }
  return Figure{.title = has_slow_chain(summary) ? energy_finding(summary)
                                                 : fmt::format("Energy changes from draw to draw are {} energies",
                                                               times_as_wide(view.energy_ratio)),
                .caption =
                    "Where changes are much narrower, a chain takes long to visit all energies; independent draws have "
                    "a ratio of 1.4." +
                    beyond(*view.energy),
                .spec = R"json({"mark": {"type": "bar", "opacity": 0.55, "binSpacing": 0, "tooltip": true},
        "encoding": {"x": {"field": "from", "type": "quantitative", "bin": "binned",
                           "title": "energy, from its mean (nats)"},
                     "x2": {"field": "to"},
                     "y": {"field": "share", "type": "quantitative", "stack": null, "title": "share of draws (%)"},
                     "color": {"field": "kind", "type": "nominal", "sort": null,
                               "scale": {"range": ["var(--chain-1)", "var(--chain-2)"]}}}})json",
                .data = {{"kind", kinds}, {"from", bars.from}, {"to", bars.to}, {"share", bars.share}}};
}

Figure divergence_figure(const RunView& view, const RunSummary& summary) {
  constexpr std::size_t most_marks = 2000;
  std::vector<std::string> chains;
  std::vector<double> draws;
  const auto all = static_cast<std::size_t>(summary.divergences());
  const std::size_t stride = std::max<std::size_t>(1, (all + most_marks - 1) / most_marks);
  std::size_t n = 0, most = 0, worst = 0;
  for (const std::size_t number : view.chains) {
    const auto& divergent = summary.chains[number - 1].divergent_draws;
    if (divergent.size() > most) {
      most = divergent.size();
      worst = number;
    }
    for (const std::int64_t draw : divergent)
      if (n++ % stride == 0) {
        chains.push_back(fmt::format("{}", number));
        draws.push_back(static_cast<double>(draw));
      }
  }
  const bool in_one = 2 * most > all && view.chains.size() > 1;
  return {.title = in_one ? fmt::format("{} of {} divergent transitions are chain {}'s", most, all, worst)
                          : fmt::format("{} divergent transitions, in several chains", all),
          .caption = stride == 1 ? "" : fmt::format("One of {} is shown.", stride),
          .spec = filled(R"json({"mark": {"type": "tick", "color": "var(--bad)", "thickness": 1.5, "opacity": 0.8},
            "encoding": {"x": {"field": "draw", "type": "quantitative", "title": "draw after warm-up (number)",
                               "scale": {"nice": false, "domain": [0, @length@]}},
                         "y": {"field": "chain", "type": "nominal", "sort": null, "title": "chain (number)",
                               "axis": {"labelOverlap": true}}}})json",
                         {{"length", fmt::format("{}", view.length)}}),
          .height = std::clamp(18 * static_cast<int>(view.chains.size()), 60, 300),
          .data = {{"chain", chains}, {"draw", draws}}};
}

Figure eigenvalue_figure(const StructureFacts& structure) {
  std::vector<double> number;
  for (std::size_t i = 0; i < structure.rates.size(); ++i) number.push_back(static_cast<double>(i + 1));
  const double fast = structure.rates.empty() ? 0.0 : structure.rates.front();
  const double slow = structure.rates.empty() ? 0.0 : structure.rates.back();
  return {.title = structure.invertible.value_or(false)
                       ? fmt::format("The eigenvalues ±iλ of 𝔹 run from λ = {:.3g} to {:.3g}", slow, fast)
                       : fmt::format("𝔹 is singular: its eigenvalues ±iλ end at 0, the largest is λ = {:.3g}", fast),
          .caption = "The canonical structure has λ = 1 throughout (grey line).",
          .spec = R"json({"layer": [
            {"data": {"values": [{}]}, "mark": {"type": "rule", "color": "var(--faint)"}, "encoding": {"y": {"datum": 1}}},
            {"mark": {"type": "point", "size": 45, "opacity": 1, "color": "var(--chain-1)", "tooltip": true},
             "encoding": {"x": {"field": "pair", "type": "quantitative", "title": "pair of eigenvalues (number)",
                                "axis": {"tickMinStep": 1, "format": "d"}, "scale": {"zero": false, "padding": 12}},
                          "y": {"field": "rate", "type": "quantitative", "title": "λ (radians per unit of time)"}}}]})json",
          .data = {{"pair", number}, {"rate", structure.rates}}};
}

std::optional<Figure> energy_error_figure(const RunView& view) {
  if (!view.energy_errors) return std::nullopt;
  Bars bars;
  bars.add(*view.energy_errors);
  return Figure{.title = fmt::format("Energy errors: {:.3g} % of proposals within ±1", view.energy_errors_within_one),
                .caption = "H at the end of a proposed trajectory less H at its start." + beyond(*view.energy_errors),
                .spec = bars_spec("energy error of the proposal (nats)", "share of proposals (%)"),
                .data = {{"from", bars.from}, {"to", bars.to}, {"share", bars.share}}};
}

std::optional<Figure> solver_figure(const RunView& view) {
  if (!view.solver_iterations) return std::nullopt;
  Bars bars;
  bars.add(*view.solver_iterations);
  double sum = 0.0, chains = 0.0;
  for (const auto& s : view.statistics)
    if (s) {
      sum += s->solver_iterations;
      chains += 1.0;
    }
  return Figure{.title = fmt::format("Implicit steps take {:.3g} solver iterations per trajectory", sum / chains),
                .caption = "Of each trajectory." + beyond(*view.solver_iterations),
                .spec = bars_spec("solver iterations per trajectory (number)", "share of trajectories (%)"),
                .data = {{"from", bars.from}, {"to", bars.to}, {"share", bars.share}}};
}

}  // namespace darboux
