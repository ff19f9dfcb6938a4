#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

constexpr std::size_t most_colours = 8;

std::string label(const RunView& view, std::size_t place) { return fmt::format("chain {}", view.chains[place]); }

/// Few chains have colours of their own; of many, only one that stands apart.
std::string look(const RunView& view, const QuantityView& q, std::size_t place) {
  if (view.chains.size() <= most_colours || (q.stray && q.stray->chain == place)) return label(view, place);
  return fmt::format("{}{} chains", view.chains.size() - (q.stray ? 1 : 0), q.stray ? " other" : "");
}

std::string colours(const RunView& view, const QuantityView& q) {
  std::string domain, range;
  const auto add = [&](const std::string& name, const std::string& colour) {
    domain += (domain.empty() ? "" : ", ") + json_text(name);
    range += (range.empty() ? "" : ", ") + json_text(colour);
  };
  if (view.chains.size() <= most_colours) {
    for (std::size_t c = 0; c < view.chains.size(); ++c) add(label(view, c), fmt::format("var(--chain-{})", c + 1));
  } else {
    const std::size_t other = q.stray && q.stray->chain == 0 ? 1 : 0;
    if (q.stray) add(label(view, q.stray->chain), "var(--bad)");
    add(look(view, q, other), q.stray ? "var(--faint)" : "var(--chain-1)");
  }
  return filled(R"json({"field": "look", "type": "nominal", "scale": {"domain": [@domain@], "range": [@range@]}})json",
                {{"domain", domain}, {"range", range}});
}

/// The order in which lines are drawn: what stands apart lies on top.
std::vector<std::size_t> drawing_order(const QuantityView& q) {
  std::vector<std::size_t> order(q.shown.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto is_stray = [&](std::size_t i) { return q.stray && q.stray->chain == q.shown[i]; };
    return is_stray(a) != is_stray(b) ? is_stray(b) : a < b;
  });
  return order;
}

std::string opacity(const RunView& view, const QuantityView& q) {
  if (q.stray) return "0.85";
  return view.chains.size() <= most_colours ? "0.75" : "0.3";
}

std::string which_draws(const RunView& view) {
  return view.stride == 1 ? "Every draw is shown."
                          : fmt::format("One of {} draws is shown.", grouped(static_cast<double>(view.stride)));
}

std::string which_chains(const RunView& view, const QuantityView& q) {
  if (q.shown.size() == view.chains.size()) return "";
  return fmt::format(" {} of {} chains are shown.", q.shown.size(), view.chains.size());
}

std::string unit(const QuantityView& q) {
  return fmt::format("{} ({})", shown_name(q.name), q.name == "lp__" ? "nats" : "model units");
}

}  // namespace

std::string mixing_finding(const RunView& view, const QuantityView& q) {
  const std::string name = shown_name(q.name);
  const std::string rhat = fmt::format("R̂ {:.{}f}", q.values.rhat, std::abs(q.values.rhat - 1.01) < 0.0005 ? 4 : 3);
  const bool agree = q.values.rhat <= WarningThresholds::rhat_above;
  if (q.stray)
    return fmt::format("Chain {} {} in {}{}", view.chains[q.stray->chain],
                       q.stray->by_width ? "has another width" : "stands apart", name,
                       agree ? fmt::format(", although {}", rhat) : fmt::format(" ({})", rhat));
  if (!agree) return fmt::format("{}: the chains disagree ({})", name, rhat);
  if (view.chains.size() == 1) return fmt::format("{}: one chain, whose halves agree ({})", name, rhat);
  return fmt::format("{}: all chains cover the same range ({})", name, rhat);
}

std::vector<LegendEntry> chain_legend(const RunView& view) {
  std::vector<LegendEntry> legend;
  if (view.chains.size() < 2 || view.chains.size() > most_colours) return legend;
  for (std::size_t c = 0; c < view.chains.size(); ++c)
    legend.push_back({.label = label(view, c), .colour = fmt::format("var(--chain-{})", c + 1)});
  return legend;
}

Figure trace_figure(const RunView& view, const QuantityView& q) {
  std::vector<std::string> chains, looks;
  std::vector<double> draws, values;
  for (const std::size_t i : drawing_order(q))
    for (std::size_t t = 0; t < q.trace[i].size(); ++t) {
      chains.push_back(label(view, q.shown[i]));
      looks.push_back(look(view, q, q.shown[i]));
      draws.push_back(static_cast<double>(t * view.stride + 1));
      values.push_back(q.trace[i][t]);
    }
  return {.title = mixing_finding(view, q),
          .caption = which_draws(view) + which_chains(view, q),
          .spec = filled(R"json({"mark": {"type": "line", "strokeWidth": 0.8, "opacity": @opacity@},
            "encoding": {"x": {"field": "draw", "type": "quantitative", "title": "draw after warm-up (number)",
                               "scale": {"nice": false, "domain": [1, @length@]}},
                         "y": {"field": "value", "type": "quantitative", "title": @name@, "scale": {"zero": false}},
                         "detail": {"field": "chain"}, "color": @colours@}})json",
                         {{"opacity", opacity(view, q)},
                          {"length", fmt::format("{}", std::max<std::size_t>(view.length, 2))},
                          {"name", json_text(unit(q))},
                          {"colours", colours(view, q)}}),
          .data = {{"chain", chains}, {"look", looks}, {"draw", draws}, {"value", values}}};
}

Figure rank_figure(const RunView& view, const QuantityView& q) {
  const std::size_t bins = q.ranks.empty() ? 1 : q.ranks.front().size();
  const double expected = static_cast<double>(view.length) / static_cast<double>(bins);
  const std::size_t leaving = q.uneven.size();
  std::vector<std::string> chains, looks;
  std::vector<double> ranks, heights;
  for (const std::size_t i : drawing_order(q)) {
    if (q.ranks.empty()) break;
    const auto& counts = q.ranks[q.shown[i]];
    for (std::size_t b = 0; b <= bins; ++b) {  // the last step ends at 100 %
      chains.push_back(label(view, q.shown[i]));
      looks.push_back(look(view, q, q.shown[i]));
      ranks.push_back(100.0 * static_cast<double>(b) / static_cast<double>(bins));
      heights.push_back(counts[std::min(b, bins - 1)] / expected);
    }
  }
  const std::string name = shown_name(q.name);
  return {
      .title = leaving == 0
                   ? fmt::format("Ranks of {} are even in {}", name,
                                 view.chains.size() == 1 ? "the one chain" : "all chains")
                   : fmt::format("Ranks of {} are uneven in {} of {} chains", name, leaving, view.chains.size()),
      .caption =
          "How often a chain has small and large values, among all draws. Lines of chains that agree stay within the "
          "shaded range." +
          which_chains(view, q),
      .spec = filled(R"json({"layer": [
            {"data": {"values": [{}]}, "mark": {"type": "rect", "color": "var(--line)", "opacity": 0.6},
             "encoding": {"y": {"datum": @low@}, "y2": {"datum": @high@}}},
            {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.3, "opacity": @opacity@},
             "encoding": {"x": {"field": "rank", "type": "quantitative", "title": "rank among all draws (%)",
                                "scale": {"domain": [0, 100]}},
                          "y": {"field": "height", "type": "quantitative", "title": "draws (1 = even share)"},
                          "detail": {"field": "chain"}, "color": @colours@}}]})json",
                     {{"low", json_number(std::max(0.0, 1.0 - q.rank_spread))},
                      {"high", json_number(1.0 + q.rank_spread)},
                      {"opacity", opacity(view, q)},
                      {"colours", colours(view, q)}}),
      .data = {{"chain", chains}, {"look", looks}, {"rank", ranks}, {"height", heights}}};
}

double correlation(const QuantityView& x, const QuantityView& y) {
  const auto mean = [](const std::vector<double>& v) {
    double sum = 0.0;
    for (const double a : v) sum += a;
    return sum / static_cast<double>(v.size());
  };
  const double mx = mean(x.sample), my = mean(y.sample);
  double sxy = 0.0, sxx = 0.0, syy = 0.0;
  for (std::size_t i = 0; i < x.sample.size(); ++i) {
    sxy += (x.sample[i] - mx) * (y.sample[i] - my);
    sxx += (x.sample[i] - mx) * (x.sample[i] - mx);
    syy += (y.sample[i] - my) * (y.sample[i] - my);
  }
  return sxy / std::sqrt(sxx * syy);
}

Figure pair_figure(const QuantityView& x, const QuantityView& y) {
  const bool diverged = !x.divergent.empty();
  std::vector<std::string> kinds(x.sample.size(), "draw");
  kinds.resize(x.sample.size() + x.divergent.size(), "divergent");
  std::vector<double> xs = x.sample, ys = y.sample;
  xs.insert(xs.end(), x.divergent.begin(), x.divergent.end());
  ys.insert(ys.end(), y.divergent.begin(), y.divergent.end());
  const std::string names = fmt::format("{} and {}", shown_name(x.name), shown_name(y.name));
  std::string title = fmt::format("{}: correlation {:.2f}", names, correlation(x, y));
  if (diverged) title = fmt::format("{}: where transitions diverged", names);
  return {.title = std::move(title),
          .caption = fmt::format("{} draws of all chains{}.", grouped(static_cast<double>(x.sample.size())),
                                 diverged ? fmt::format(", and {} where transitions diverged",
                                                        grouped(static_cast<double>(x.divergent.size())))
                                          : ""),
          .spec = filled(R"json({"mark": {"type": "point", "size": 14},
            "encoding": {"x": {"field": "x", "type": "quantitative", "title": @x@, "scale": {"zero": false}},
                         "y": {"field": "y", "type": "quantitative", "title": @y@, "scale": {"zero": false}},
                         "opacity": {"condition": {"test": "datum.kind == 'divergent'", "value": 0.95}, "value": 0.35},
                         "color": {"field": "kind", "type": "nominal", @legend@
                                   "scale": {"domain": ["draw", "divergent"], "range": ["var(--chain-1)", "var(--bad)"]}}}})json",
                         {{"x", json_text(unit(x))},
                          {"y", json_text(unit(y))},
                          {"legend", diverged ? "" : R"json("legend": null,)json"}}),
          .height = 280,
          .data = {{"kind", kinds}, {"x", xs}, {"y", ys}}};
}

Figure growth_figure(const RunView& view) {
  std::vector<std::string> names, kinds;
  std::vector<double> draws, ess;
  std::string title;
  for (const QuantityView& q : view.looks) {
    if (q.growth.empty()) continue;
    for (const auto& point : q.growth)
      for (const auto& [kind, value] : {std::pair("bulk", point.bulk), std::pair("tail", point.tail)}) {
        names.push_back(shown_name(q.name));
        kinds.emplace_back(kind);
        draws.push_back(point.draws);
        ess.push_back(value);
      }
    if (!title.empty()) continue;
    const double end = q.growth.back().bulk, half = q.growth[q.growth.size() / 2 - (q.growth.size() > 1 ? 1 : 0)].bulk;
    title = end > 1.3 * half
                ? fmt::format("Effective draws grow with the run: {} of {}", grouped(end), shown_name(q.name))
                : fmt::format("Effective draws of {} hardly grow with the run", shown_name(q.name));
  }
  const double least = WarningThresholds::ess_per_chain_below * static_cast<double>(view.chains.size());
  return {.title = std::move(title),
          .caption = fmt::format(
              "Of beginnings of the run, for the quantities that mix worst; solid: bulk, dashed: tail. At least "
              "{} are needed (grey line).",
              grouped(least)),
          .spec = filled(R"json({"layer": [
            {"data": {"values": [{}]}, "mark": {"type": "rule", "color": "var(--faint)"}, "encoding": {"y": {"datum": @least@}}},
            {"mark": {"type": "line", "strokeWidth": 1.8, "point": {"size": 25}, "tooltip": true},
             "encoding": {"x": {"field": "draws", "type": "quantitative", "title": "draws per chain (number)",
                                "scale": {"domainMin": 0}, "axis": {"format": ",.0f"}},
                          "y": {"field": "ess", "type": "quantitative", "title": "effective size, all chains (draws)",
                                "axis": {"format": ",.0f"}},
                          "strokeDash": {"field": "kind", "type": "nominal", "legend": null,
                                         "scale": {"domain": ["bulk", "tail"], "range": [[1, 0], [4, 3]]}},
                          "color": {"field": "quantity", "type": "nominal", "sort": null}}}]})json",
                         {{"least", json_number(least)}}),
          .data = {{"quantity", names}, {"kind", kinds}, {"draws", draws}, {"ess", ess}}};
}

}  // namespace darboux
