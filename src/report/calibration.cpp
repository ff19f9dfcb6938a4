#include "report/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "diagnose/quantiles.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

constexpr std::size_t most_bins = 10, least_count = 20;
constexpr double false_alarms = 0.01;  // of all bins together

struct Prediction {
  double probability = 0.0;  ///< of 1
  bool happened = false;
};

/// From the smallest probability to the largest; none where they are not known.
std::vector<Prediction> predictions(const ObservationSummary& observations) {
  const std::size_t n = observations.observed.size();
  if (observations.likelihood.size() != n) return {};
  std::vector<Prediction> out;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = observations.observed[i], p = observations.likelihood[i];
    if ((y != 0.0 && y != 1.0) || !(p >= 0.0 && p <= 1.0)) return {};
    out.push_back({.probability = y == 1.0 ? p : 1.0 - p, .happened = y == 1.0});
  }
  std::ranges::sort(out, {}, &Prediction::probability);
  return out;
}

CalibrationBin bin_of(std::span<const Prediction> some, double error) {
  CalibrationBin bin{.count = std::ssize(some)};
  for (const Prediction& one : some) {
    bin.ones += one.happened;
    bin.predicted += one.probability;
  }
  const auto count = static_cast<double>(bin.count), ones = static_cast<double>(bin.ones);
  bin.predicted /= count;
  if (bin.ones > 0) bin.low = beta_quantile(0.5 * error, ones, count - ones + 1.0);
  if (bin.ones < bin.count) bin.high = beta_quantile(1.0 - 0.5 * error, ones + 1.0, count - ones);
  return bin;
}

constexpr double width_of_label = 0.08;  // of the axis of probabilities, for a count of four digits

Figure calibration_figure(const std::vector<CalibrationBin>& bins) {
  std::vector<double> predicted, frequency, low, high, count;
  std::vector<std::string> agrees, label;
  double last_label = -1.0;
  for (const CalibrationBin& bin : bins) {
    const bool has_room = bin.predicted >= last_label + width_of_label;
    if (has_room) last_label = bin.predicted;
    label.push_back(has_room ? fmt::format("{}", bin.count) : "");
    predicted.push_back(bin.predicted);
    frequency.push_back(bin.frequency());
    low.push_back(bin.low);
    high.push_back(bin.high);
    count.push_back(static_cast<double>(bin.count));
    agrees.emplace_back(bin.agrees() ? "yes" : "no");
  }
  return {.title = "Frequency of 1 among observations with similar predictions",
          .caption =
              "Numbers are those of observations, where there is room for them. Where predictions are calibrated, all "
              "intervals reach the grey line "
              "in 99 of 100 data sets.",
          .spec = R"json({"encoding": {
              "x": {"type": "quantitative", "field": "predicted", "title": "predicted probability (posterior mean)",
                    "scale": {"domain": [0, 1]}},
              "y": {"type": "quantitative", "field": "frequency", "title": "observed frequency (share of 1)", "scale": {"domain": [0, 1]}}},
            "layer": [
            {"data": {"values": [{"predicted": 0, "frequency": 0}, {"predicted": 1, "frequency": 1}]},
             "mark": {"type": "line", "color": "var(--faint)"}},
            {"mark": {"type": "rule", "strokeWidth": 1.5},
             "encoding": {"y": {"field": "low"}, "y2": {"field": "high"},
                          "color": {"condition": {"test": "datum.agrees === 'no'", "value": "var(--bad)"}, "value": "var(--chain-1)"}}},
            {"mark": {"type": "point", "filled": true, "size": 50, "opacity": 1, "tooltip": {"content": "data"}},
             "encoding": {"color": {"condition": {"test": "datum.agrees === 'no'", "value": "var(--bad)"}, "value": "var(--chain-1)"}}},
            {"mark": {"type": "text", "dy": -7, "fontSize": 10, "color": "var(--muted)"},
             "encoding": {"y": {"field": "high"}, "text": {"field": "label"}}}]})json",
          .height = 330,
          .square = true,
          .data = {{"predicted", predicted},
                   {"frequency", frequency},
                   {"low", low},
                   {"high", high},
                   {"count", count},
                   {"agrees", agrees},
                   {"label", label}}};
}

}  // namespace

std::vector<CalibrationBin> calibration_bins(const ObservationSummary& observations) {
  const std::vector<Prediction> all = predictions(observations);
  if (all.size() < least_count) return {};
  const std::size_t wanted = std::min(most_bins, all.size() / least_count);
  std::vector<CalibrationBin> bins;
  std::size_t first = 0;
  for (std::size_t k = 1; k <= wanted; ++k) {
    std::size_t end = all.size() * k / wanted;
    while (end < all.size() && end > first && all[end].probability == all[end - 1].probability) ++end;
    if (end <= first) continue;  // equal predictions filled this bin already
    bins.push_back(bin_of(std::span(all).subspan(first, end - first), false_alarms / static_cast<double>(wanted)));
    first = end;
  }
  return bins;
}

std::optional<ReportSection> calibration_section(const ObservationSummary& observations) {
  const std::vector<CalibrationBin> bins = calibration_bins(observations);
  if (bins.empty()) return std::nullopt;
  const auto off = std::ranges::count_if(bins, [](const CalibrationBin& bin) { return !bin.agrees(); });
  ReportSection section{.id = "calibration", .name = "Calibration", .title = ""};
  section.title = off == 0 ? "What was predicted happened as often as predicted"
                           : fmt::format(
                                 "Predicted probabilities differ from what happened by more than chance, in {} "
                                 "of {} groups of observations",
                                 off, bins.size());
  if (off > 0) section.mood = Mood::caution;
  section.text.push_back(
      fmt::format("Of the {} observations that the model was fitted to: new ones are predicted less well. For "
                  "predictions of observations that are left out, give the log likelihood to loo.",
                  grouped(static_cast<double>(observations.observed.size()))));
  section.figures.push_back(calibration_figure(bins));
  return section;
}

}  // namespace darboux
